#!/usr/bin/python3
"""Collectives that do not wait have the messages of those that do: check_started.py CALLS STARTED compares the
traces of `traced calls` and `traced started`, rank by rank and call by call, and prints where they differ."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

# On all ranks, on halves of them, and on all in another order.
COMMUNICATORS = 3
Messages = list[tuple[str, str, str]]


def blocks(path: str) -> dict[tuple[str, str], list[Messages]]:
    """By rank and name of a collective: the messages of each call of it, in any order, without how."""
    found: dict[tuple[str, str], list[Messages]] = defaultdict(list)
    rank, current = "", None
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        words = line.split()
        if line.endswith(":"):
            rank, current = line, None
        elif words[0] == "#":
            current = []
            found[rank, words[1].removeprefix("MPI_").removeprefix("I").capitalize()].append(current)
        elif current is not None and words[0] in ("s", "is", "r", "ir"):
            current.append((words[0][-1], words[1], words[2]))
    return {key: [sorted(messages) for messages in calls[-COMMUNICATORS:]] for key, calls in found.items()}


def main() -> int:
    waited, started = blocks(sys.argv[1]), blocks(sys.argv[2])
    # `calls` has one barrier more, of single ranks; MPI_Ialltoallw has no other form there.
    compared = sorted(key for key in waited if key[1] != "Barrier")
    for key in compared:
        if waited[key] != started.get(key):
            print(f"{key}: {waited[key]} when it waits, {started.get(key)} when it does not")
            return 1
    return 0 if compared else 1


if __name__ == "__main__":
    sys.exit(main())
