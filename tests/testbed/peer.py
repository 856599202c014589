#!/usr/bin/python3
"""A plain process on a host: `peer.py serve PORT` echoes one connection to its end; `peer.py ask HOST PORT` sends
a hundred lines, one after the other, and prints how many came back whole. Until it is ended, `peer.py hold HOST
PORT` has that port of its own host, of TCP and UDP, and `peer.py pester HOST PORT` sends rubbish to that of HOST."""

from __future__ import annotations

import random
import socket
import sys
import time
from typing import NoReturn

TIMEOUT_S = 60


def serve(port: int) -> None:
    with socket.create_server(("", port)) as server:
        server.settimeout(TIMEOUT_S)
        print("ready", flush=True)
        connection, _ = server.accept()
        with connection:
            connection.settimeout(TIMEOUT_S)
            while data := connection.recv(1 << 16):
                connection.sendall(data)


def connect(host: str, port: int) -> socket.socket:
    """The server may be starting yet."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return socket.create_connection((host, port), timeout=TIMEOUT_S)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise


def ask(host: str, port: int) -> int:
    answered = 0
    with connect(host, port) as connection, connection.makefile("rw") as lines:
        for number in range(100):
            print(f"line {number}", file=lines, flush=True)
            answered += lines.readline() == f"line {number}\n"
    return answered


def hold(port: int) -> NoReturn:
    with socket.create_server(("", port)), socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        datagrams.bind(("", port))
        print("ready", flush=True)
        while True:
            time.sleep(TIMEOUT_S)


def rubbish() -> bytes:
    """Of any length, some in the form of a greeting or of a datagram with a key that is not the job's."""
    noise = random.randbytes(random.choice([0, 1, 31, 32, 39, 40, 104, 1400]))
    return random.choice([b"", b"cb-tcp/1"]) + noise


def pester(host: str, port: int) -> NoReturn:
    visitors: list[socket.socket] = []
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        print("ready", flush=True)
        while True:
            try:
                datagrams.sendto(rubbish(), (host, port))
                visitor = socket.create_connection((host, port), timeout=1)
                visitor.sendall(rubbish())
                visitors = [visitor, *visitors[:10]]
            except OSError:
                pass  # no process listens yet, or any more, or it was turned away
            time.sleep(0.001)


def main() -> None:
    verb, *rest = sys.argv[1:]
    if verb == "serve":
        serve(int(rest[0]))
    elif verb == "hold":
        hold(int(rest[1]))
    elif verb == "pester":
        pester(rest[0], int(rest[1]))
    else:
        print(ask(rest[0], int(rest[1])))


if __name__ == "__main__":
    main()
