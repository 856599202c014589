#!/usr/bin/python3
"""Incast on the testbed: the onset of loss and the goodput of funnels, for combinations of sources, burst, buffer,
rate and delay. Each combination is one testbed and one start of the funnel, over sizes around its buffer. Prints a
table, and writes a JSON document with the sizes of each combination and its onset.

    tests/perf/incast.py --sources 4,8,16 --buffers 32KiB,64KiB --rates 10mbit --output incast.json
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Optional

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "python"))

from combench.common.values import size_bytes  # noqa: E402
from combench.report.incast import Sample, Sweep, sweeps_of  # noqa: E402
from combench.report.load import load  # noqa: E402
from combench.report.rows import rows_of  # noqa: E402

BUILD = Path(os.environ.get("CB_BUILD", TOP / "build"))
# Synchronised bytes over the buffer.
RATIOS = (0.3, 0.6, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.6, 2, 3, 4)


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def numbers(text: str) -> list[float]:
    return [float(word) for word in words(text)]


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    add = parser.add_argument
    add("--sources", type=words, default=["4", "8"], metavar="LIST")
    add("--windows", type=words, default=["1"], metavar="LIST", help="packets of a source under way")
    add("--buffers", type=words, default=["64KiB"], metavar="LIST", help="bytes of a port's queue")
    add("--shared", action="store_true", help="buffers are shared by all ports")
    add("--alphas", type=words, default=["1"], metavar="LIST", help="of the threshold of a shared buffer")
    add("--rates", type=words, default=["10mbit"], metavar="LIST")
    add("--delays", type=words, default=["50us"], metavar="LIST")
    add("--ratios", type=numbers, default=list(RATIOS), metavar="LIST", help="synchronised bytes / buffer")
    add("--max-time", default="2", metavar="S", help="time of each size")
    add("--testbed", default="", metavar="WORDS", help="more options of the testbed")
    add("--options", default="", metavar="WORDS", help="more options of the funnel")
    add("--output", type=Path, required=True, metavar="FILE")
    return parser.parse_args()


def sizes(asked: argparse.Namespace, case: dict[str, str]) -> list[int]:
    """The sizes of a packet at the wanted ratios."""
    room = size_bytes(case["buffer"])
    if asked.shared:
        alpha = float(case["alpha"])
        room = int(room * alpha / (1 + alpha))
    converging = int(case["sources"]) * int(case["window"])
    return sorted({max(1, round(ratio * room / converging)) for ratio in asked.ratios})


def command(asked: argparse.Namespace, case: dict[str, str], counters: Path, result: Path) -> list[str]:
    ranks = str(int(case["sources"]) + 1)
    limit = ["--buffer", case["buffer"], "--alpha", case["alpha"]] if asked.shared else ["--queue", case["buffer"]]
    testbed = [str(BUILD / "combench-testbed"), "--hosts", ranks, "--rate", case["rate"], "--delay", case["delay"]]
    testbed += [*limit, "--statistics", str(counters), *asked.testbed.split(), "--"]
    funnel = ["mpirun", "-q", "-np", ranks, str(BUILD / "cb_funnel"), "--technology", "tcp", "--wait", "block"]
    funnel += ["--mode", "event", "--sources", case["sources"], "--window", case["window"]]
    funnel += ["--sizes", ",".join(map(str, sizes(asked, case))), "--max-time", asked.max_time]
    return [*testbed, *funnel, *asked.options.split(), "--output", str(result)]


def measured(sample: Sample) -> dict[str, Any]:
    """A size of a combination, in the units of the result."""
    row = sample.row
    known: dict[str, Any] = {key: row.get(key) for key in ("size_bytes", "synchronised_bytes", "steps", "blocks")}
    known["round_us"] = row.get("round_us.median")
    known["tail_us"] = sample.tail.value if sample.tail else None
    known["blocks_us"] = row.get("blocks_us")
    known["goodput_MBps"] = sample.goodput.value if sample.goodput else None
    known["lost_per_packet"] = sample.lost
    return {**known, **(row.get("connections") or {})}


def counted(path: Path) -> dict[str, int]:
    """The counters of the receiver's port."""
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    first = next(line for line in lines if line.startswith("host01 "))
    return {name: int(value) for name, value in zip(head.split()[1:], first.split()[1:])}


def run(asked: argparse.Namespace, case: dict[str, str]) -> Optional[tuple[dict[str, Any], Sweep]]:
    with tempfile.TemporaryDirectory() as folder:
        result, counters = Path(folder, "result.json"), Path(folder, "counters")
        done = subprocess.run(command(asked, case, counters, result), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{case}: exit status {done.returncode}\n{done.stderr}", file=sys.stderr)
            return None
        rows = rows_of(load([result]).results).kept
        (sweep,) = sweeps_of(rows)
        port = counted(counters)
    return {
        **case,
        "shared": asked.shared,
        "buffer_bytes": size_bytes(case["buffer"]),
        "clean_bytes": sweep.clean_bytes,
        "onset_bytes": sweep.onset_bytes,
        "best_MBps": sweep.best.goodput.value if sweep.best and sweep.best.goodput else None,
        "worst_MBps": sweep.worst.goodput.value if sweep.worst and sweep.worst.goodput else None,
        "port": port,
        "sizes": [measured(one) for one in sweep.samples],
    }, sweep


def text(value: Optional[float]) -> str:
    return "-" if value is None else f"{value:.3g}"


def main() -> int:
    asked = parsed()
    names = ("sources", "window", "buffer", "alpha", "rate", "delay")
    lists = (asked.sources, asked.windows, asked.buffers, asked.alphas, asked.rates, asked.delays)
    found, failed = [], False
    print("| sources | window | buffer | alpha | rate | delay | no loss up to / buffer | losses from / buffer "
          "| goodput before, MB/s | lowest after | remaining |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for values in itertools.product(*lists):
        case = dict(zip(names, values))
        one = run(asked, case)
        if one is None:
            failed = True
            continue
        known, sweep = one
        found.append(known)
        asked.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        room = known["buffer_bytes"]
        ratios = (None if x is None else x / room for x in (sweep.clean_bytes, sweep.onset_bytes))
        figures = (*ratios, known["best_MBps"], known["worst_MBps"], sweep.kept_goodput)
        print("|", " | ".join((*values, *map(text, figures))), "|", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
