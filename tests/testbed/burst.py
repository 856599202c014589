#!/usr/bin/python3
"""In a testbed: `burst.py HOSTS FRAMES BYTES [CAPABLE]` sends datagrams to host01 at one instant from host02 to the
last of HOSTS, FRAMES each, in frames of BYTES, and prints how many arrived and how many of these were marked, until
none has arrived for a second. With CAPABLE 1 the senders declare themselves capable of ECN."""

from __future__ import annotations

import ctypes
import os
import socket
import sys

HEADERS_BYTES = 14 + 20 + 8  # Ethernet, IPv4, UDP
PORT = 4000
SILENCE_S = 1
ECN = 3  # both bits: congestion experienced
CAPABLE = 2

_libc = ctypes.CDLL(None, use_errno=True)


def datagram_socket(host: int) -> socket.socket:
    """On that host; a socket stays in the network namespace in which it was made."""
    with open(f"/dev/shm/testbed/net-host{host:02}", "rb") as namespace:
        if _libc.setns(namespace.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return socket.socket(type=socket.SOCK_DGRAM)


def main() -> None:
    hosts, frames, frame_bytes, *rest = map(int, sys.argv[1:])
    receiver = datagram_socket(1)
    receiver.bind(("", PORT))
    receiver.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    receiver.settimeout(SILENCE_S)
    senders = [datagram_socket(host) for host in range(2, hosts + 1)]
    for sender in senders:
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, CAPABLE if rest == [1] else 0)
        sender.connect(("10.77.0.1", PORT))
    payload = bytes(frame_bytes - HEADERS_BYTES)
    for _ in range(frames):
        for sender in senders:
            sender.send(payload)
    arrived = marked = 0
    try:
        while True:
            _, ancillary, _, _ = receiver.recvmsg(frame_bytes, 64)
            arrived += 1
            marked += sum(data[0] & ECN == ECN for _, kind, data in ancillary if kind == socket.IP_TOS)
    except TimeoutError:
        print(arrived, marked)


if __name__ == "__main__":
    main()
