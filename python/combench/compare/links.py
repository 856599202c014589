"""Compares the link maps of two sides: which hosts and which single links have changed."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Iterator, Sequence

from combench.common import inference
from combench.common.documents import Json
from combench.common.figures import Key, describe, order
from combench.compare.sides import Side

# What is compared, and its name. The spread of the times one way serves both.
_FIGURES = (("one_way_us", "one way"), ("latency_us", "latency"))
_LEAST_FACTOR = 1.2  # smaller changes are not listed
_SWEEPS = 10
_OF_MEDIAN = 1.4826 * 1.2533  # standard error of a median over its median absolute deviation


@dataclass(frozen=True)
class LinkChange:
    """A change of all links of a host in one direction, or of one link; times after / before."""

    row: Key
    figure: str
    link: str
    factor: float
    p: float  # corrected


@dataclass(frozen=True)
class _Tested:
    link: str
    log_factor: float
    p: float


def _middle(values: Sequence[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    return statistics.median(known) if known else 0.0


def polish(table: list[list[float]]) -> tuple[float, list[float], list[float], list[list[float]]]:
    """Median polish of a table with NaN where there is no value: overall value, effects of lines and
    of columns, residuals."""
    count = len(table)
    left = [list(line) for line in table]
    overall, lines, columns = 0.0, [0.0] * count, [0.0] * count
    for _ in range(_SWEEPS):
        for i in range(count):
            middle = _middle(left[i])
            lines[i] += middle
            left[i] = [value - middle for value in left[i]]
        for k in range(count):
            middle = _middle([line[k] for line in left])
            columns[k] += middle
            for line in left:
                line[k] -= middle
        for effects in (lines, columns):
            middle = _middle(effects)
            overall += middle
            effects[:] = [effect - middle for effect in effects]
    return overall, lines, columns, left


def _two_sided(deviations: float) -> float:
    return math.erfc(abs(deviations) / math.sqrt(2))


def _deviation(values: Sequence[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    middle = _middle(known)
    return 1.4826 * _middle([abs(value - middle) for value in known])


def _logarithms(before: Json, after: Json, figure: str) -> list[list[float]]:
    """Logarithm of after / before of each pair."""
    return [
        [
            math.log(new / old) if old and new else math.nan
            for old, new in zip(old_line, new_line)
        ]
        for old_line, new_line in zip(before[figure], after[figure])
    ]


def _error(one: Json, i: int, k: int) -> float:
    """Standard error of the logarithm of a pair's median."""
    spread, samples = one["spread"][i][k], one["samples"][i][k]
    return _OF_MEDIAN * spread / math.sqrt(samples) if spread is not None and samples else math.nan


def _tests(before: Json, after: Json, figure: str) -> Iterator[_Tested]:
    """A test of each host and direction, and of each pair beside what its hosts explain. A common
    change of all links is that of the figures of the row."""
    names = [host["name"] for host in before["hosts"]]
    count = len(names)
    _, lines, columns, left = polish(_logarithms(before, after, figure))
    others = _deviation([value for line in left for value in line])
    for effects, word in ((lines, "out"), (columns, "in")):
        scale = math.hypot(_deviation(effects), 1.2533 * others / math.sqrt(count), 1e-3)
        for name, effect in zip(names, effects):
            yield _Tested(f"{name}, {word}", effect, _two_sided(effect / scale))
    for i, k in ((i, k) for i in range(count) for k in range(count) if i != k):
        error = math.hypot(_error(before, i, k), _error(after, i, k))
        if math.isfinite(left[i][k]) and math.isfinite(error):
            # The error of the pair's medians, and what remains of all pairs beside their hosts.
            deviations = left[i][k] / math.hypot(error, others, 1e-3)
            yield _Tested(f"{names[i]} to {names[k]}", left[i][k], _two_sided(deviations))


def _same_hosts(before: Json, after: Json) -> bool:
    return [one["name"] for one in before["hosts"]] == [one["name"] for one in after["hosts"]]


def compare_links(
    baseline: Side, side: Side, correction: str
) -> tuple[list[LinkChange], list[str]]:
    """The links that changed significantly, and remarks on maps that cannot be compared."""
    changes: list[LinkChange] = []
    remarks: list[str] = []
    for key in sorted(baseline.maps.keys() & side.maps.keys(), key=order):
        before, after = baseline.maps[key], side.maps[key]
        if not _same_hosts(before, after):
            remarks.append(f"{describe(key)}: the maps have other hosts, and are not compared")
            continue
        tested = [
            (name, one) for figure, name in _FIGURES for one in _tests(before, after, figure)
        ]
        corrected = inference.CORRECTIONS[correction]([one.p for _, one in tested])
        changes += [
            LinkChange(key, name, one.link, math.exp(one.log_factor), p)
            for (name, one), p in zip(tested, corrected)
            if p < 1 - inference.CONFIDENCE and abs(one.log_factor) > math.log(_LEAST_FACTOR)
        ]
    return changes, remarks


def links_text(baseline: Side, side: Side, correction: str) -> Iterator[str]:
    """The changes as lines, the largest first; none where no map is in both sides."""
    changes, remarks = compare_links(baseline, side, correction)
    yield from (f"caution: {remark}" for remark in remarks)
    compared = len(baseline.maps.keys() & side.maps.keys()) - len(remarks)
    if compared == 0:
        return
    yield (
        f"links: {len(changes)} changes in {compared} maps of {side.label} against {baseline.label}, "
        f"beside what all links have in common (p < 0.05, by more than a factor of {_LEAST_FACTOR:g})"
    )
    for one in sorted(changes, key=lambda change: -abs(math.log(change.factor))):
        word = "slower" if one.factor > 1 else "faster"
        factor = max(one.factor, 1 / one.factor)
        known = "<0.0001" if one.p < 0.0001 else f"{one.p:.4f}"
        yield f"    {one.link}: {word} by a factor of {factor:.3g}, {one.figure}, p {known}; {describe(one.row)}"
