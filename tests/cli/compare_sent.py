#!/usr/bin/python3
"""The messages of a trace are those that the ranks of a job have sent: compare_sent.py TRACE SENT... with
the files of counting_NAME. Compared are messages for each sender, receiver and size; and in the trace
itself those sent with those received. Prints what differs, and how many messages were compared."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from trace_text import of_each_rank

ANY_SIZE = -1
# Sender, receiver, bytes.
Channel = tuple[int, int, int]


def of_trace(text: str) -> tuple[Counter[Channel], Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    """What is sent on each channel; and for each rank and size, what is sent to it and received."""
    sent: Counter[Channel] = Counter()
    arrives: Counter[tuple[int, int]] = Counter()
    received: Counter[tuple[int, int]] = Counter()
    for rank, records in enumerate(of_each_rank(text)):
        for words in map(str.split, records):
            if words[0] in ("is", "m"):
                for receiver in map(int, words[1].split(",")):
                    sent[rank, receiver, int(words[2])] += 1
                    arrives[receiver, int(words[2])] += 1
            elif words[0] == "r":
                received[rank, ANY_SIZE if words[2] == "*" else int(words[2])] += 1
    # A rank that receives any size has as many such receives as messages of no other receive.
    for end in [end for end in arrives if received[end[0], ANY_SIZE] and not received[end]]:
        arrives[end[0], ANY_SIZE] += arrives.pop(end)
    return sent, arrives, received


def of_job(paths: list[str]) -> Counter[Channel]:
    sent: Counter[Channel] = Counter()
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            sender, receiver, size, messages = map(int, line.split())
            sent[sender, receiver, size] += messages
    return sent


def main() -> int:
    trace, arrives, received = of_trace(Path(sys.argv[1]).read_text(encoding="utf-8"))
    job = of_job(sys.argv[2:])
    for channel in sorted(trace.keys() | job.keys()):
        if trace[channel] != job[channel]:
            print(f"{channel}: {trace[channel]} in the trace, {job[channel]} sent")
    for end in sorted(arrives.keys() | received.keys()):
        if arrives[end] != received[end]:
            print(f"{end}: {arrives[end]} arrive in the trace, {received[end]} are received")
    print(sum(trace.values()))
    return 0 if trace == job and arrives == received else 1


if __name__ == "__main__":
    sys.exit(main())
