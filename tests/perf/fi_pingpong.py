#!/usr/bin/python3
"""Half a round trip by fi_pingpong and by cb_oneway over ofi, from the files that fi_pingpong.sh
leaves in a folder.

fi_pingpong prints the mean of all iterations as time per transfer; the same is formed of cb_oneway's
blocks. Two runs that followed each other make a ratio, since the machine changes more slowly than
that; the median of the ratios is the figure.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import fmean, median

PER_TRANSFER = "usec/xfer"


def pingpong_us(path: Path) -> float:
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    for head, row in zip(lines, lines[1:]):
        if PER_TRANSFER in head:
            return float(row[head.index(PER_TRANSFER)])
    raise ValueError(f"{path} has no column {PER_TRANSFER}")


def combench_us(path: Path) -> float:
    row = json.loads(path.read_text(encoding="utf-8"))["results"][0]
    return fmean(row["blocks_us"])


def spread(values: list[float]) -> str:
    return f"{median(values):9.3f} [{min(values):8.3f}, {max(values):8.3f}]"


def report(folder: Path, provider: str, size_bytes: int) -> None:
    theirs, ours = [], []
    for path in sorted(folder.glob(f"pingpong-{provider}-{size_bytes}-*.txt")):
        run = path.stem.rsplit("-", 1)[1]
        theirs.append(pingpong_us(path))
        ours.append(combench_us(folder / f"combench-{provider}-{size_bytes}-{run}.json"))
    ratio = median(our / their for our, their in zip(ours, theirs))
    print(f"{provider:>11} {size_bytes:9} {spread(theirs)} {spread(ours)} {ratio:7.3f}")


def main() -> int:
    folder = Path(sys.argv[1])
    names = {tuple(path.stem.split("-")[1:3]) for path in folder.glob("pingpong-*.txt")}
    print("half a round trip in us: median [least, largest] of the runs")
    heads = ("fi_pingpong", "cb_oneway")
    print(f"{'provider':>11} {'bytes':>9}", *(f"{head:^30}" for head in heads), f"{'ratio':>7}")
    for provider, size in sorted(names, key=lambda name: (name[0], int(name[1]))):
        report(folder, provider, int(size))
    return 0


if __name__ == "__main__":
    sys.exit(main())
