"""Another user's process beside a job over udp: it joins the multicast groups of the job on the loopback interface, and
sends what it hears there again, as it is and with later epochs and numbers, to the group and to the sender. It makes the
file that its argument names, ends when that is removed, and prints how many datagrams it heard and sent."""

import select
import socket
import struct
import sys
import time
from pathlib import Path

_FIRST, _LAST = 0xEFC00000, 0xEFC3FFFF  # the addresses of groups, 239.192.0.0/14
_EPOCH_AT, _NUMBER_AT = 24, 28  # in the header
_EACH = 16  # forged datagrams of each kind for one that is heard
_HEARD_BETWEEN = 50  # so that the sockets of the job have room for its own
_LOOPBACK = socket.inet_aton("127.0.0.1")


def groups_in_use() -> set[tuple[str, int]]:
    """Addresses of groups to which sockets of this host are bound, which every user can read."""
    found = set()
    for line in Path("/proc/net/udp").read_text().splitlines()[1:]:
        address, port = line.split()[1].split(":")
        number = int.from_bytes(bytes.fromhex(address), sys.byteorder)
        if _FIRST <= number <= _LAST:
            found.add((socket.inet_ntoa(struct.pack("!I", number)), int(port, 16)))
    return found


def join(group: tuple[str, int]) -> socket.socket:
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(group)
    one.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group[0]) + _LOOPBACK)
    return one


def changed(datagram: bytes, epoch: int, number: int) -> bytes:
    """The datagram with both fields increased."""
    words = bytearray(datagram)
    for at, increase in ((_EPOCH_AT, epoch), (_NUMBER_AT, number)):
        (value,) = struct.unpack_from("!I", words, at)
        struct.pack_into("!I", words, at, (value + increase) & 0xFFFFFFFF)
    return bytes(words)


def main() -> None:
    until = Path(sys.argv[1])
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, _LOOPBACK)
    joined: dict[socket.socket, tuple[str, int]] = {}
    heard = forged = 0
    until.touch()
    while until.exists():
        for group in groups_in_use() - set(joined.values()):
            joined[join(group)] = group
        if not joined:
            time.sleep(0.002)
            continue
        for one in select.select(list(joined), [], [], 0.01)[0]:
            datagram, source = one.recvfrom(65536)
            if source == sender.getsockname() or len(datagram) < _NUMBER_AT + 4:
                continue
            heard += 1
            if heard % _HEARD_BETWEEN != 1:
                continue
            for i in range(_EACH):
                for epoch, number in ((0, 0), (0, i + 1), (1, i), (1000, i)):
                    for target in (joined[one], source):
                        sender.sendto(changed(datagram, epoch, number), target)
                        forged += 1
    print(heard, forged)


if __name__ == "__main__":
    main()
