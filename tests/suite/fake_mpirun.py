#!/usr/bin/env python3
"""Replaces mpirun and the program that it starts: writes a document, or fails in a chosen way.

The action for a measurement is a line `NAME ACTION` of the file that FAKE_ACTIONS names, for a further
launch or a variant also `launch-2/NAME ACTION`; without a line it measures. Actions are the functions in ACTIONS.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Callable, NoReturn

OUTPUT = sys.argv[sys.argv.index("--output") + 1] if "--output" in sys.argv else "none"
PLACE = OUTPUT[: -len(".json")].rpartition("/results/")[2]  # of a further launch: launch-2/NAME
NAME = os.path.basename(PLACE)
ACTIONS_FILE = os.environ.get("FAKE_ACTIONS", "actions")
MARKS = os.path.dirname(ACTIONS_FILE)
LIFE_S = 150  # longer than any test waits: nothing stays when a test fails


def write(version: int = 1, complete: str = "true", cut: int | None = None) -> None:
    text = '{"schema": "combench-result/%d", "complete": %s, "results": [{}, {}]}'
    text %= (version, complete)
    with open(OUTPUT, "w", encoding="ascii") as stream:
        stream.write(text[:cut])


def measure() -> int:
    write()
    return 0


def precise() -> int:
    """As a program whose figure is the same in each launch."""
    blocks = ", ".join(["1.5"] * 20)
    row = '{"size_bytes": 64, "latency_us": {"median": 1.5}, "blocks_us": [%s]}' % blocks
    text = '{"schema": "combench-result/1", "complete": true, "id": "1.1", "benchmark": "oneway", '
    text += '"technology": "mpi", "results": [%s]}' % row
    with open(OUTPUT, "w", encoding="ascii") as stream:
        stream.write(text)
    return 0


def fail() -> int:
    print("bytes  sources  dests  events  errors")  # the head of a table names no error
    print("rank 1: error: the network is down; plug it in")
    print("and more that was said")
    return 1


def mute() -> int:
    """As an mpirun -q whose MPI does not start."""
    if "-q" not in sys.argv:
        print("-" * 74 + "\nWARNING: a device is slow\n" + "-" * 74)
        print("-" * 74 + "\nA requested component was not found.\n\n  Component: nonsense\n" + "-" * 74)
        print("*** An error occurred in MPI_Init")
    return 1


def spoil() -> int:
    """Put a folder where the driver will remove a result."""
    results = os.path.dirname(OUTPUT)
    with open(os.path.join(results, "..", "manifest.json"), encoding="utf-8") as stream:
        names = json.load(stream)["measurements"]
    os.mkdir(os.path.join(results, f"{names[1]['name']}.json"))
    return measure()


def skip() -> int:
    print("the technology has no multicast; use another")
    return 77


def cut_off() -> int:
    write(cut=30)
    return 0


def newer() -> int:
    write(version=2)
    return 0


def stop_early() -> int:
    write(complete="false")
    return 0


def fill_disk() -> int:
    """Leave no room in the file system of the results."""
    filler = os.path.join(os.path.dirname(OUTPUT), "filler")
    with open(filler, "wb", buffering=0) as stream:
        try:
            while True:
                stream.write(bytes(4096))
        except OSError as error:
            print(f"error: cannot write: {error.strerror}")
    return 1


def mark(name: str, text: str) -> None:
    """Whole from the moment at which it is there."""
    path = os.path.join(MARKS, name)
    with open(f"{path}.part", "w", encoding="ascii") as stream:
        stream.write(text)
    os.rename(f"{path}.part", path)


def hang() -> NoReturn:
    """As an mpirun with a rank in a process group of its own, which no SIGTERM ends."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = os.fork()
    signal.alarm(LIFE_S)
    if child == 0:
        os.setpgrp()
    else:
        mark("hanging", f"{os.getpid()} {child}")
    while True:
        time.sleep(1000)


def wait_for_signal() -> NoReturn:
    """As a program that is still at its first measurement when SIGTERM comes."""

    def leave(number: int, frame: object) -> NoReturn:
        write(complete="false")
        sys.exit(1)

    signal.signal(signal.SIGTERM, leave)
    mark("waiting", str(os.getpid()))
    while True:
        time.sleep(1000)


ACTIONS: dict[str, Callable[[], int]] = {
    action.__name__: action
    for action in (
        measure,
        precise,
        fail,
        mute,
        skip,
        spoil,
        cut_off,
        newer,
        stop_early,
        fill_disk,
        hang,
        wait_for_signal,
    )
}


def main() -> int:
    if "--version" in sys.argv:
        print("mpirun (Open MPI) of the tests")
        return 0
    if sys.argv[-1] == "true":
        print("mpirun was unable to find nosuch" if "nosuch" in sys.argv else "")
        return 134 if "nosuch" in sys.argv else 0
    signal.alarm(LIFE_S)
    with open(ACTIONS_FILE, encoding="ascii") as stream:
        actions = stream.read().split()
    known = dict(zip(actions[::2], actions[1::2]))
    chosen = known.get(PLACE, known.get(NAME, "measure"))
    with open(os.path.join(MARKS, "started"), "a", encoding="ascii") as stream:
        stream.write(f"{NAME}\n")
    program = next((word for word in sys.argv if "/cb_" in word), "")
    with open(os.path.join(MARKS, "places"), "a", encoding="ascii") as stream:
        stream.write(f"{PLACE} {os.environ.get('CB_TRIED', '-')} {os.path.dirname(program)}\n")
    return ACTIONS[chosen]()


if __name__ == "__main__":
    sys.exit(main())
