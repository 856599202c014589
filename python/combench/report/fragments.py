"""The picture of fragments' sizes: the distribution that --fragments names, and what arrived of it."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Optional, Sequence

from combench.common.values import size_bytes
from combench.report.charts import Axis, Panel, Picture, Point, Series, grouped, thinned
from combench.report.figures import Figure, number
from combench.report.rows import Row

_SHARES_PCT = (1, 2, 5, *range(10, 100, 5), 98, 99, 99.5, 99.9)
_STEPS = 2000  # sizes that stand for a distribution


def _sizes_of_law(law: str, steps: int) -> list[float]:
    """Sizes at the middle of as many equal shares. Raises ValueError for a file of sizes."""
    kind, _, arguments = law.partition(":")
    shares = [(i + 0.5) / steps for i in range(steps)]
    if kind == "fixed":
        return [float(size_bytes(arguments))] * steps
    if kind == "uniform":
        low, high = map(size_bytes, arguments.split("-"))
        return [low + share * (high - low) for share in shares]
    size, _, shape = arguments.partition(",")
    if kind == "lognormal":
        normal = NormalDist()
        return [size_bytes(size) * math.exp(float(shape) * normal.inv_cdf(one)) for one in shares]
    if kind == "gamma":
        from scipy import special  # slow to load

        scale = size_bytes(size) / float(shape)
        return [scale * float(special.gammaincinv(float(shape), one)) for one in shares]
    raise ValueError(f"{law} is not a distribution")


def quantiles(specification: str, shares_pct: Sequence[float]) -> Optional[list[float]]:
    """Sizes below which these shares of all sources' fragments are; None if a file has the sizes."""
    try:
        laws = specification.split("+")
        sizes = sorted(size for law in laws for size in _sizes_of_law(law, _STEPS))
    except ValueError:
        return None
    return [sizes[min(int(len(sizes) * share / 100), len(sizes) - 1)] for share in shares_pct]


def _arrived(row: Row) -> str:
    """What arrived of a distribution."""
    mean, largest = row.get("fragment_mean_bytes"), row.get("fragment_largest_bytes")
    return f"{row.get('fragments')}: mean {number(mean)}, largest {number(largest)} bytes"


def pictures(rows: Sequence[Row], section: str) -> list[Picture]:
    """The distributions of all rows, once each; none if no sizes were drawn."""
    lines, said = [], []
    drawn = [row for row in rows if row.get("fragments") and row.get("fragment_mean_bytes")]
    for of_law in grouped(drawn, ("fragments",)):
        law = str(of_law[0].get("fragments"))
        sizes = quantiles(law, _SHARES_PCT)
        said.append(_arrived(max(of_law, key=lambda row: float(row.get("fragment_largest_bytes")))))
        if sizes is not None:
            figures = (Figure(size, None, None, "") for size in sizes)
            points = (Point(share, one, True) for share, one in zip(_SHARES_PCT, figures))
            lines.append(Series(law, tuple(points)))
    if not lines:
        return []
    caption = (
        "Share of fragments that are not larger than a size, of the distribution that was asked for. "
        f"Measured, of those that arrived: {'; '.join(said)}."
    )
    share, size = Axis("share of fragments, %", "linear"), Axis("size, bytes", "log")
    panels = (Panel("", tuple(lines)),)
    return [
        thinned(Picture("fragments", section, "Sizes of fragments", caption, share, size, panels))
    ]
