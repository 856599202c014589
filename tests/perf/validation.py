#!/usr/bin/python3
"""The picture of docs/development/validation.md: validation.py DOCUMENT PICTURE. The document is what
`combench validate --output` writes; the picture has its errors over the sizes, benchmark by benchmark."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.fonttype"] = "none"
matplotlib.rcParams["svg.hashsalt"] = "combench"

from matplotlib import pyplot  # noqa: E402

MARKERS = "osD^v<>PX*"
COLUMNS = 5


def errors_by_size(rows: list[dict[str, Any]]) -> tuple[list[int], list[float]]:
    return [row["size_bytes"] for row in rows], [row["error_pct"] for row in rows]


def draw(document: dict[str, Any], picture: Path) -> None:
    counted = [row for row in document["results"] if not row["fitted"]]
    names = list(dict.fromkeys(row["benchmark"] for row in counted))
    ticks = sorted({row["size_bytes"] for row in counted})
    figure, all_axes = pyplot.subplots(
        -(-len(names) // COLUMNS), COLUMNS, figsize=(11, 4.6), sharex=True, sharey=True
    )
    for axes in all_axes.flat[len(names) :]:
        axes.set_visible(False)
    for name, marker, axes in zip(names, MARKERS * len(names), all_axes.flat):
        axes.axhspan(-20, 20, color="#eeeeee", linewidth=0)
        axes.axhspan(-10, 10, color="#d8d8d8", linewidth=0)
        axes.axhline(0, color="black", linewidth=0.6)
        sizes, errors = errors_by_size([row for row in counted if row["benchmark"] == name])
        axes.plot(sizes, errors, marker, color="#0b4f8a", fillstyle="none", markersize=5)
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xticks(ticks, [str(size) for size in ticks])
        axes.set_title(name, fontsize=9)
        axes.tick_params(labelsize=8)
    figure.supxlabel("bytes", fontsize=9)
    figure.supylabel("predicted / measured - 1, %", fontsize=9)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None, "Creator": None})


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: validation.py DOCUMENT PICTURE", file=sys.stderr)
        return 2
    document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    draw(document, Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
