"""Plots a comparison with matplotlib: the changes with their intervals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from combench.common.errors import SuiteError
from combench.common.figures import describe, shared
from combench.common.files import replacing
from combench.compare.comparison import FASTER, SLOWER, SAME, UNKNOWN, Change, Comparison

FORMATS = (".svg", ".pdf", ".png")
_MOST_ROWS = 40  # that fit a page

# Colours of Okabe and Ito, which remain distinct with colour blindness; markers differ as well.
_STYLES = {
    SLOWER: ("#d55e00", ">"),
    FASTER: ("#0072b2", "<"),
    SAME: ("#777777", "o"),
    UNKNOWN: ("#777777", "x"),
}


def require(path: Path) -> Any:
    """Load matplotlib before anything is compared. Raises SuiteError if that is not possible."""
    if path.suffix not in FORMATS:
        raise SuiteError(f"--plot {path}: unknown format; use a name ending in .svg, .pdf or .png")
    try:
        import matplotlib
    except ImportError as error:
        raise SuiteError(
            f"--plot {path}: cannot load the Python module matplotlib ({error}); install "
            "python3-matplotlib, or omit --plot"
        ) from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def _chosen(comparison: Comparison) -> list[Change]:
    """The largest changes, in the order of rows."""
    weight = {SLOWER: 0, FASTER: 0, SAME: 1, UNKNOWN: 2}
    ranked = sorted(
        comparison.changes,
        key=lambda change: (weight[change.verdict], -abs(math.log(change.after / change.before))),
    )
    kept = {id(change) for change in ranked[:_MOST_ROWS]}
    return [change for change in comparison.changes if id(change) in kept]


def _arms(change: Change) -> tuple[float, float]:
    """The interval below and above the ratio; 0 where it is open or unknown."""
    ratio, found = change.after / change.before, change.difference
    if found is None:
        return 0.0, 0.0
    high = found.high if found.high < math.inf else ratio
    low = found.low if found.low > 0 else ratio
    return max(ratio - low, 0), max(high - ratio, 0)


def _scale(changes: list[Change], axes: Any) -> None:
    """Use a logarithmic axis where ratios differ by more than a factor of two."""
    ends = [1.0]
    for change in changes:
        below, above = _arms(change)
        ratio = change.after / change.before
        ends += [ratio - below, ratio + above]
    if max(ends) > 2 * min(ends):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")


def draw(comparison: Comparison, path: Path, pyplot: Any) -> None:
    """Write the picture in the format of the file's name."""
    changes = _chosen(comparison)
    common = frozenset(shared([change.key for change in changes])) | {"id"}
    several = len(comparison.others) > 1
    figure, axes = pyplot.subplots(figsize=(9, 1.6 + 0.24 * len(changes)))
    for verdict, (colour, marker) in _STYLES.items():
        mine = [(place, one) for place, one in enumerate(changes) if one.verdict == verdict]
        if mine:
            arms = list(zip(*(_arms(one) for _, one in mine)))
            axes.errorbar(
                [one.after / one.before for _, one in mine],
                [place for place, _ in mine],
                xerr=arms,
                fmt=marker,
                color=colour,
                label=verdict,
                capsize=2,
            )
    labels = [
        f"{describe(one.key, common)}, {one.figure.name}" + (f" ({one.side.label})" * several)
        for one in changes
    ]
    axes.set_yticks(range(len(changes)), labels, fontsize=7)
    axes.set_ylim(len(changes) - 0.5, -0.5)
    _scale(changes, axes)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel(f"ratio to {comparison.baseline.label}, with 95 % interval")
    axes.legend(loc="best", fontsize=7)
    if len(changes) < len(comparison.changes):
        axes.set_title(f"{len(changes)} of {len(comparison.changes)} figures", fontsize=8)
    figure.tight_layout()
    with replacing(path, "Choose another --plot") as stream:
        figure.savefig(stream, format=path.suffix[1:])
    pyplot.close(figure)
