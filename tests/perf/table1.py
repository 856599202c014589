#!/usr/bin/python3
"""Table 1 of the SCI note beside each technology here: bandwidth by streaming, latency by half a
ping-pong. The note's figures and the technologies are those of docs/reproduction/sci.py.

Technologies are started by turns, COMBENCH_TABLE1_STARTS (3) times, and the best of the starts counts,
since other users of the machine make none better; COMBENCH_TABLE1_TIME (0.1) bounds one measurement,
in seconds. Environment: as set by make perf.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

TOP = Path(os.environ["srcdir"]).resolve()
sys.dont_write_bytecode = True
sys.path[:0] = [str(TOP / "docs/reproduction"), str(TOP / "python")]

from sci import BY_DEFAULT, OTHERS, SIZES, TABLE_1, Variant  # noqa: E402

SCI = Variant("sci", "sci", BY_DEFAULT[2].options)
TARGET = ("sci", "mpi")  # the latency of the first is at most that of the second

Figures = dict[tuple[str, int], float]  # MB/s of streams and us of ping-pongs, by mode and size


def measure(one: Variant, found: Figures) -> str:
    """Start the benchmark over a technology and keep what is better than before. Returns what it said if
    it could not be measured."""
    command = ["sh", str(TOP / "tests/perf/launch.sh"), "2", f"{os.environ['builddir']}/cb_oneway"]
    limits = ["--sizes", SIZES, "--max-time", os.environ.get("COMBENCH_TABLE1_TIME", "0.1")]
    ended = subprocess.run(
        [*command, *one.options, *limits, "--format", "json"], capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        return (ended.stderr.strip().splitlines() or ["no message"])[0]
    for row in json.loads(ended.stdout)["results"]:
        key = (row["mode"], row["size_bytes"])
        if row["mode"] == "stream":
            found[key] = max(row["throughput_MBps"], found.get(key, 0))
        else:
            found[key] = min(row["latency_us"]["median"], found.get(key, float("inf")))
    return ""


def print_table(title: str, mode: str, notes: dict[int, float], found: dict[str, Figures]) -> None:
    print(f"{title}:  bytes      note" + "".join(f"{name:>13}" for name in found))
    for size, note in notes.items():
        cells = (of_one.get((mode, size)) for of_one in found.values())
        texts = ("-" if cell is None else f"{cell:.3f}" for cell in cells)
        print(f"{size:{len(title) + 8}} {note:9.1f}" + "".join(f"{text:>13}" for text in texts))


def main() -> int:
    found: dict[str, Figures] = {}
    missing: dict[str, str] = {}
    for _ in range(int(os.environ.get("COMBENCH_TABLE1_STARTS", "3"))):
        for one in (SCI, *OTHERS):
            if one.name not in missing:
                said = measure(one, found.setdefault(one.name, {}))
                if said:
                    missing[one.name] = said
    for name, said in missing.items():
        print(f"{name} was not measured: {said}")
        del found[name]
    print_table("MB/s", "stream", {size: bandwidth for size, bandwidth, _ in TABLE_1}, found)
    print_table("us", "pingpong", {size: latency for size, _, latency in TABLE_1}, found)
    if set(TARGET) & set(missing):
        return 1
    above, below = (found[name] for name in TARGET)
    for size, _, _ in TABLE_1:
        ratio = above["pingpong", size] / below["pingpong", size]
        print(f"target: latency of sci over that of mpi, {size} bytes: {ratio:.3f} at most 1.00")
    return 0


if __name__ == "__main__":
    sys.exit(main())
