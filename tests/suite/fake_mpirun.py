#!/usr/bin/env python3
"""Stands for mpirun and the program that it starts: writes a document, or does what goes wrong.

What it does with a measurement is a line `NAME DEED` of the file that FAKE_DEEDS names; without a
line it measures. Deeds are the functions of DEEDS.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

OUTPUT = Path(sys.argv[sys.argv.index("--output") + 1] if "--output" in sys.argv else "none")
MARKS = Path(os.environ.get("FAKE_DEEDS", "deeds")).parent


def write(schema: str = "combench-result/1", complete: bool = True, cut: int | None = None) -> None:
    document = {"schema": schema, "complete": complete, "results": [{}, {}]}
    OUTPUT.write_text(json.dumps(document)[:cut], encoding="utf-8")


def measure() -> int:
    write()
    return 0


def fail() -> int:
    print("rank 1: error: the network is down; plug it in")
    print("and more that was said")
    return 1


def skip() -> int:
    print("the technology has no multicast; use another")
    return 77


def cut_off() -> int:
    write(cut=30)
    return 0


def newer() -> int:
    write("combench-result/2")
    return 0


def stop_early() -> int:
    write(complete=False)
    return 0


def fill_disk() -> int:
    """Leave no room in the file system of the results."""
    with OUTPUT.with_name("filler").open("wb", buffering=0) as stream:
        try:
            while True:
                stream.write(bytes(4096))
        except OSError as error:
            print(f"error: cannot write: {error.strerror}")
    return 1


def mark(name: str, text: str) -> None:
    """Whole from the moment at which it is there."""
    path = MARKS / f"{name}.part"
    path.write_text(text, encoding="ascii")
    path.replace(MARKS / name)


def hang() -> NoReturn:
    """As a rank that no SIGTERM ends, in a process group of its own, and mpirun which waits for it."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "1000"], preexec_fn=os.setpgrp)
    mark("hanging", f"{os.getpid()} {child.pid}")
    while True:
        time.sleep(1000)


def wait_for_signal() -> NoReturn:
    """As a program that is still at its first measurement when SIGTERM comes."""

    def leave(number: int, frame: object) -> NoReturn:
        write(complete=False)
        sys.exit(1)

    signal.signal(signal.SIGTERM, leave)
    mark("waiting", str(os.getpid()))
    while True:
        time.sleep(1000)


DEEDS = {
    deed.__name__: deed
    for deed in (measure, fail, skip, cut_off, newer, stop_early, fill_disk, hang, wait_for_signal)
}


def main() -> int:
    if "--version" in sys.argv:
        print("mpirun (Open MPI) of the tests")
        return 0
    deeds = Path(os.environ["FAKE_DEEDS"]).read_text(encoding="ascii").split()
    chosen = dict(zip(deeds[::2], deeds[1::2])).get(OUTPUT.stem, "measure")
    with (MARKS / "started").open("a", encoding="ascii") as stream:
        stream.write(f"{OUTPUT.stem}\n")
    return DEEDS[chosen]()


if __name__ == "__main__":
    sys.exit(main())
