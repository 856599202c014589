#!/usr/bin/python3
"""played.py BUILD [ALTERNATIONS [BENCHMARK...]]: does a replay take what the benchmark takes?

Emits the trace of a benchmark, runs the benchmark and the replay of its trace in turn, and prints the
ratio of their times: median, least and most. Ping-pong and stream run with two ranks, one a core; the
all-to-all, the funnel and the push farm on scripts/testbed, whose links are so slow that they are the
limit on a busy machine as well.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SOURCE = Path(__file__).resolve().parents[2]

# Name, ranks, options, steps, packets that the frequency counts in a step, hosts on the testbed
CASES: tuple[tuple[str, int, list[str], int, int, bool], ...] = (
    ("oneway", 2, ["--mode", "pingpong", "--sizes", "64"], 50000, 2, False),
    ("oneway", 2, ["--mode", "pingpong", "--sizes", "64KiB"], 5000, 2, False),
    ("oneway", 2, ["--mode", "stream", "--sizes", "1KiB"], 100000, 1, False),
    ("alltoall", 8, ["--processors", "8", "--sizes", "4KiB"], 20, 1, True),
    ("funnel", 9, ["--mode", "event", "--sources", "8", "--sizes", "4KiB"], 20, 1, True),
    ("pushfarm", 9, "--sources 4 --destinations 4 --sizes 4KiB --algorithm 0 --in-flight 8".split(), 160, 1, True),
)
TESTBED = ["--rate", "2mbit"]
# --max-time. On the testbed a step takes up to 0.15 s, and a benchmark needs some twenty blocks of several
# steps: the first steps of a block are faster, and a replay has few of them.
MAX_TIME_S = {False: "2", True: "18"}


def row_of(build: Path, program: str, arguments: list[str], ranks: int, on_testbed: bool) -> Json:
    options = ["--technology", "tcp", "--wait", "block"] if on_testbed else []
    binding = [] if on_testbed else ["--bind-to", "core"]
    words = ["mpirun", "-q", *binding, "-np", str(ranks)]
    if on_testbed:
        words = [str(SOURCE / "scripts/testbed"), "--hosts", str(ranks), *TESTBED, "--", *words]
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        words += [str(build / program), *arguments, *options, "--max-time", MAX_TIME_S[on_testbed], "--output", out.name]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The first row of a benchmark may be that of the smallest number of processors, for its ratio.
        row: Json = json.loads(Path(out.name).read_text(encoding="utf-8"))["results"][-1]
        return row


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    alternations = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    print(f"load of the machine at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    wanted = sys.argv[3:] or [case[0] for case in CASES]
    for name, ranks, options, steps, packets, on_testbed in CASES:
        if name not in wanted:
            continue
        with tempfile.NamedTemporaryFile(suffix=".cct") as trace:
            command = [str(build / f"cb_{name}"), *options, "--trace-steps", str(steps), "--emit-trace", trace.name]
            subprocess.run(command, check=True)
            ratios = []
            for _ in range(alternations):
                of_benchmark = row_of(build, f"cb_{name}", options, ranks, on_testbed)
                replayed = row_of(build, "cb_replay", [trace.name], ranks, on_testbed)
                wanted_us = steps * packets / of_benchmark["frequency_Hz"] * 1e6
                ratios.append(replayed["play_us"]["median"] / wanted_us)
        print(
            f"{name} {' '.join(options)}: replay / benchmark {statistics.median(ratios):.3f} "
            f"({min(ratios):.3f} to {max(ratios):.3f}, {alternations} alternations)",
            flush=True,
        )
    print(f"load of the machine at the end: {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
