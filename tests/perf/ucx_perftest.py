#!/usr/bin/python3
"""Half a round trip by ucx_perftest and by cb_oneway over ucx, from the files that ucx_perftest.sh
leaves in a folder.

ucx_perftest prints the mean of all iterations of its last stage ("overall"); the same is formed of
cb_oneway's blocks. Two runs that followed each other make a ratio, since the machine changes more
slowly than that; the median of the ratios is the figure.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from statistics import fmean, median

FINAL = re.compile(r"^Final:\s+\d+\s+[\d.]+\s+[\d.]+\s+(?P<overall>[\d.]+)", re.M)
TARGET = 1.10


def perftest_us(path: Path) -> float:
    found = FINAL.search(path.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{path} has no line of the final figures")
    return float(found["overall"])


def combench_us(path: Path) -> float:
    row = json.loads(path.read_text(encoding="utf-8"))["results"][0]
    return fmean(row["blocks_us"])


def spread(values: list[float]) -> str:
    return f"{median(values):9.3f} [{min(values):8.3f}, {max(values):8.3f}]"


def report(folder: Path, method: str, size_bytes: int) -> None:
    theirs, ours = [], []
    for path in sorted(folder.glob(f"perftest-{method}-{size_bytes}-*.txt")):
        run = path.stem.rsplit("-", 1)[1]
        theirs.append(perftest_us(path))
        ours.append(combench_us(folder / f"combench-{method}-{size_bytes}-{run}.json"))
    ratio = median(our / their for our, their in zip(ours, theirs))
    print(f"{method:>6} {size_bytes:9} {spread(theirs)} {spread(ours)} {ratio:7.3f}")
    if method == "am":
        print(
            f"target: cb_oneway over ucx am, ucx_perftest's ucp_am_lat, {size_bytes} bytes: "
            f"{ratio:.3f} at most {TARGET:.2f}"
        )


def main() -> int:
    folder = Path(sys.argv[1])
    names = {tuple(path.stem.split("-")[1:3]) for path in folder.glob("perftest-*.txt")}
    print("half a round trip in us: median [least, largest] of the runs")
    heads = ("ucx_perftest", "cb_oneway")
    print(f"{'method':>6} {'bytes':>9}", *(f"{head:^30}" for head in heads), f"{'ratio':>7}")
    for method, size in sorted(names, key=lambda name: (name[0], int(name[1]))):
        report(folder, method, int(size))
    return 0


if __name__ == "__main__":
    sys.exit(main())
