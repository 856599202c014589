#!/usr/bin/python3
"""Half a round trip by NetPIPE, cb_oneway and bare calls, from the files that netpipe.sh leaves in
a folder.

NetPIPE prints the best of three trials, each the mean of many round trips. The same is formed of
cb_oneway's blocks: they are split into three in the order of measuring, and the least mean counts.
Its own figure, the median of all blocks, stands beside it. So does that of MPI_Send and MPI_Recv in
the same harness, the calls of NetPIPE: it tells a difference of the calls from one of the methods.
Two runs that followed each other make a ratio, since the machine changes more slowly than that; the
median of the ratios is the figure.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from statistics import fmean, median

TRIALS = 3
TARGET = 1.10


def netpipe_us(path: Path) -> float:
    """A line is bytes, Mbit/s, seconds; its seconds have too few digits for short messages."""
    size_bytes, rate_Mbps, _ = path.read_text(encoding="utf-8").split()[:3]
    # NetPIPE's megabit is 2^20 bits.
    return float(size_bytes) * 8 / (float(rate_Mbps) * 2**20) * 1e6


def combench_us(path: Path) -> tuple[float, float]:
    """The best of three means, and the figure."""
    row = json.loads(path.read_text(encoding="utf-8"))["results"][0]
    blocks = row["blocks_us"]
    third = len(blocks) // TRIALS
    means = [fmean(blocks[trial * third : (trial + 1) * third]) for trial in range(TRIALS)]
    return min(means), row["latency_us"]["median"]


def bare_us(path: Path) -> float:
    """The first reference of perf_thin."""
    found = re.search(r"^pingpong +\d+ +bare +([\d.]+)", path.read_text(encoding="utf-8"), re.M)
    if found is None:
        raise ValueError(f"{path} has no line of the bare ping-pong")
    return float(found[1])


def spread(values: list[float]) -> str:
    return f"{median(values):9.3f} [{min(values):8.3f}, {max(values):8.3f}]"


def report(folder: Path, size_bytes: int) -> None:
    theirs, ours, figures, bare = [], [], [], []
    for path in sorted(folder.glob(f"netpipe-{size_bytes}-*.txt")):
        run = path.stem.rsplit("-", 1)[1]
        best, figure = combench_us(folder / f"combench-{size_bytes}-{run}.json")
        theirs.append(netpipe_us(path))
        ours.append(best)
        figures.append(figure)
        bare.append(bare_us(folder / f"bare-{size_bytes}-{run}.txt"))
    ratio = median(our / their for our, their in zip(ours, theirs))
    bare_ratio = median(our / their for our, their in zip(bare, theirs))
    columns = " ".join(spread(values) for values in (theirs, bare, ours, figures))
    print(f"{size_bytes:9} {columns} {ratio:7.3f} {bare_ratio:7.3f}")
    print(
        f"target: NetPIPE, {size_bytes} bytes, the larger by the smaller: "
        f"{max(ratio, 1 / ratio):.3f} at most {TARGET:.2f}"
    )


def main() -> int:
    folder = Path(sys.argv[1])
    sizes = {int(path.stem.split("-")[1]) for path in folder.glob("netpipe-*.txt")}
    print("half a round trip in us: median [least, largest] of the runs")
    heads = ("NetPIPE", "MPI_Send, MPI_Recv", "cb_oneway, as NetPIPE", "cb_oneway")
    ratios = ("ratio", "bare")
    print(f"{'bytes':>9}", *(f"{head:^30}" for head in heads), *(f"{head:>7}" for head in ratios))
    for size_bytes in sorted(sizes):
        report(folder, size_bytes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
