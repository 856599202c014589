#!/usr/bin/python3
"""A plain socket between two hosts: `peer.py serve PORT` echoes one connection to its end; `peer.py ask
HOST PORT` sends a hundred lines, one after the other, and prints how many came back whole."""

from __future__ import annotations

import socket
import sys
import time

PATIENCE_S = 60


def serve(port: int) -> None:
    with socket.create_server(("", port)) as server:
        server.settimeout(PATIENCE_S)
        print("ready", flush=True)
        connection, _ = server.accept()
        with connection:
            connection.settimeout(PATIENCE_S)
            while data := connection.recv(1 << 16):
                connection.sendall(data)


def connect(host: str, port: int) -> socket.socket:
    """The server may be starting yet."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return socket.create_connection((host, port), timeout=PATIENCE_S)
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


def main() -> None:
    verb, *rest = sys.argv[1:]
    if verb == "serve":
        serve(int(rest[0]))
    else:
        print(ask(rest[0], int(rest[1])))


if __name__ == "__main__":
    main()
