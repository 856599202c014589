#!/usr/bin/python3
"""Measure the time of a comparison of two runs: compare.py TOP. 1000 rows, 100 blocks each."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROWS, BLOCKS = 1000, 100
BOUND_S = 5.0


def document(seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    rows = []
    for size in range(ROWS):
        blocks = [draw.lognormvariate(0, 0.05) for _ in range(BLOCKS)]
        latency = {"median": sorted(blocks)[BLOCKS // 2], "min": min(blocks), "max": max(blocks)}
        rows.append(
            {"size_bytes": size, "mode": "pingpong", "latency_us": latency, "blocks_us": blocks}
        )
    head = {"schema": "combench-result/1", "benchmark": "oneway", "id": "1.1", "technology": "mpi"}
    return {**head, "complete": True, "results": rows, "skipped": [], "fit": []}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for index in range(2):
            path = Path(folder, f"{index}.json")
            path.write_text(json.dumps(document(index)), encoding="utf-8")
            paths.append(str(path))
        started = time.monotonic()
        command = [sys.executable, f"{sys.argv[1]}/scripts/combench", "compare", *paths]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        elapsed_s = time.monotonic() - started
    print("\n".join(line for line in said.splitlines() if "figures compared" in line))
    print(f"target: comparing {ROWS} rows, s: {elapsed_s:.3f} at most {BOUND_S}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
