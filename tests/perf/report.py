#!/usr/bin/python3
"""Measure the cost of a report of 10,000 rows: report.py TOP.

The fixed results of tests/suite/report are multiplied by technologies, numbers of processes, and
occupations, with distributions as fine as programs write them. Prints how long `combench report`
takes from its start to its end, how much of that is work, and how large the page is.
"""

from __future__ import annotations

import copy
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Iterator

ROWS = 10_000
BOUND_S, BOUND_MB = 20, 10
TECHNOLOGIES = ("mpi", "tcp", "udp", "sci")
WAITS = ("spin", "yield", "block")
CELLS = 150  # of a histogram

Json = dict[str, Any]


def _fine(row: Json) -> None:
    """The distribution of single steps, as a program writes it."""
    middle = next(row[key]["median"] for key in ("latency_us", "round_us") if key in row)
    bounds = [middle * 1.01**cell for cell in range(-20, CELLS - 19)]
    counts = [1 + 5000 // (1 + abs(cell - 20)) for cell in range(CELLS)]
    row["step_us"] = {
        "p50": middle,
        "p99": middle * 2,
        "max": bounds[-1],
        "samples": sum(counts),
        "dropped": 0,
        "histogram": {"bounds": bounds, "counts": counts},
    }


def _counts(row: Json, times: int) -> None:
    for key in ("processors", "sources", "destinations"):
        if key in row:
            row[key] *= times


def _documents(folder: Path) -> Iterator[Json]:
    """Variants of all documents, without end."""
    originals = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    results = [one for one in originals if one["schema"].startswith("combench-result")]
    if not results:
        sys.exit(f"no results in {folder}; give the top folder of the sources")
    times = 0
    while True:
        times += 1
        for technology in TECHNOLOGIES:
            for wait in WAITS:
                for original in results:
                    document = copy.deepcopy(original)
                    document["technology"] = technology
                    document["parameters"]["wait"] = wait
                    for row in document["results"]:
                        _counts(row, times)
                        row["wait"] = {"requested": wait, "effective": wait}
                        if "round_us" in row or "latency_us" in row:
                            _fine(row)
                    yield document


def _fill(folder: Path, top: Path) -> int:
    rows = 0
    for number, document in enumerate(_documents(top / "tests/suite/report")):
        (folder / f"{number}.json").write_text(json.dumps(document), encoding="utf-8")
        rows += len(document["results"])
        if rows >= ROWS:
            break
    return rows


def main() -> int:
    top = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = _fill(folder, top)
        started = time.monotonic()
        said = subprocess.check_output(
            [sys.executable, str(top / "scripts/combench"), "report", name], text=True
        )
        elapsed_s = time.monotonic() - started
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors_s = used.ru_utime + used.ru_stime
        page_mb = (folder / "report.html").stat().st_size / 1e6
    print(f"a report of {rows} rows: {elapsed_s:.1f} s, {page_mb:.1f} MB; {said.strip()}")
    print(f"time of processors, which others on the machine change less: {processors_s:.1f} s")
    print(f"target: report of {ROWS} rows, s: {elapsed_s:.1f} at most {BOUND_S}")
    print(f"target: report of {ROWS} rows, MB: {page_mb:.1f} at most {BOUND_MB}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
