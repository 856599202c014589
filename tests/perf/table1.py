#!/usr/bin/python3
"""Table 1 of the SCI note beside results of cb_oneway in a folder: mpi-N.json and sci-N.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path

# Bogaerts, "Implementation of the Message Passing Software Layer over SCI", table 1: bytes, MB/s,
# us.
NOTE = (
    (8, 0.7, 15),
    (16, 1.4, 15),
    (32, 3.0, 15),
    (64, 6.0, 15),
    (128, 9.8, 18),
    (256, 18, 19),
    (512, 28, 23),
    (1024, 39, 29),
    (2048, 49, 43),
    (4096, 56, 70),
    (8192, 60, 125),
)


def figures(folder: Path, technology: str) -> dict[tuple[str, int], float]:
    """MB/s of the streams and us of the ping-pongs, by mode and size: the best of all starts, since
    other users of the machine make neither better."""
    found: dict[tuple[str, int], float] = {}
    for path in folder.glob(f"{technology}-*.json"):
        for row in json.loads(path.read_text(encoding="utf-8"))["results"]:
            key = (row["mode"], row["size_bytes"])
            if row["mode"] == "stream":
                found[key] = max(row["throughput_MBps"], found.get(key, 0))
            else:
                found[key] = min(row["latency_us"]["median"], found.get(key, float("inf")))
    return found


def main() -> int:
    mpi, sci = (figures(Path(sys.argv[1]), technology) for technology in ("mpi", "sci"))
    print("  size          bandwidth, MB/s                latency, us")
    print(" bytes      note       mpi       sci      note       mpi       sci")
    for size, bandwidth, latency in NOTE:
        print(
            f"{size:6} {bandwidth:9.1f} {mpi['stream', size]:9.1f} {sci['stream', size]:9.1f} "
            f"{latency:9} {mpi['pingpong', size]:9.3f} {sci['pingpong', size]:9.3f}"
        )
    for size, _, _ in NOTE:
        ratio = sci["pingpong", size] / mpi["pingpong", size]
        print(f"target: latency of sci over that of mpi, {size} bytes: {ratio:.3f} at most 1.00")
    return 0


if __name__ == "__main__":
    sys.exit(main())
