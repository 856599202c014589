#!/usr/bin/python3
"""The trace of `traced wavefront` over four ranks has the messages that its source says, rank by rank in
their order, each with the time that it took: check_wavefront.py TRACE prints what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

RANKS, WIDTH, SWEEPS = 4, 2, 3
ROW_BYTES, COLUMN_BYTES = 800, 1600


def neighbour(rank: int, across: int, down: int) -> int | None:
    column, row = rank % WIDTH + across, rank // WIDTH + down
    inside = 0 <= column < WIDTH and 0 <= row < RANKS // WIDTH
    return row * WIDTH + column if inside else None


def expected(rank: int) -> list[str]:
    records = []
    for direction in [1, -1] * SWEEPS:
        column, row = neighbour(rank, -direction, 0), neighbour(rank, 0, -direction)
        to_column, to_row = neighbour(rank, direction, 0), neighbour(rank, 0, direction)
        for word, peer, size in [
            ("r", column, COLUMN_BYTES),
            ("r", row, ROW_BYTES),
            ("s", to_column, COLUMN_BYTES),
            ("s", to_row, ROW_BYTES),
        ]:
            if peer is not None:
                records.append(f"{word} {peer} {size}")
    return records


def sections(text: str) -> dict[int, list[list[str]]]:
    head, *lines = text.splitlines()
    assert head == f"%cct 1 ranks {RANKS} unit us", head
    found: dict[int, list[list[str]]] = {}
    for line in lines:
        if line.endswith(":"):
            rank = int(line[:-1])
            found[rank] = []
        else:
            found[rank].append(line.split())
    return found


def faults(text: str) -> list[str]:
    found = sections(text)
    wrong = []
    for rank in range(RANKS):
        messages = [words for words in found[rank] if words[0] != "c"]
        if [" ".join(words[:3]) for words in messages] != expected(rank):
            wrong.append(f"rank {rank}: {messages}")
        if not all(float(words[3].removeprefix("t=")) > 0 for words in messages):
            wrong.append(f"rank {rank}: a message without its time")
        computed = sum(float(words[1]) for words in found[rank] if words[0] == "c")
        if computed <= 0:
            wrong.append(f"rank {rank}: nothing was computed")
    return wrong


if __name__ == "__main__":
    complaints = faults(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print("\n".join(complaints), end="\n" if complaints else "")
    sys.exit(1 if complaints else 0)
