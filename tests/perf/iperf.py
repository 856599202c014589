#!/usr/bin/python3
"""The stream of cb_oneway over tcp and that of iperf3, from the files that iperf.sh leaves.

Two runs that followed each other make a ratio; the median of the ratios is the figure.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median

TARGET = 0.90


def iperf_MBps(path: Path) -> float:
    end = json.loads(path.read_text(encoding="utf-8"))["end"]
    return float(end["sum_received"]["bits_per_second"]) / 8e6


def combench_MBps(path: Path) -> float:
    return float(json.loads(path.read_text(encoding="utf-8"))["results"][0]["throughput_MBps"])


def main() -> int:
    folder = Path(sys.argv[1])
    runs = sorted(folder.glob("iperf-*.json"))
    theirs = [iperf_MBps(path) for path in runs]
    ours = [combench_MBps(path.with_name(path.name.replace("iperf", "combench"))) for path in runs]
    ratios = [our / their for our, their in zip(ours, theirs)]
    print("stream of 64 KiB over loopback, MB/s: iperf3, cb_oneway over tcp, ratio")
    for their, our, ratio in zip(theirs, ours, ratios):
        print(f"{their:9.0f} {our:9.0f} {ratio:7.3f}")
    print(
        f"target: tcp, stream of 64 KiB over that of iperf3: {median(ratios):.3f} "
        f"at least {TARGET:.2f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
