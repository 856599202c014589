"""Compares sides with a baseline: the change of every common figure, and its significance."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Optional, Sequence

from combench.common import inference
from combench.common.errors import SuiteError
from combench.common.figures import Figure, Key, Observation, figures, order
from combench.common.inference import Difference
from combench.compare.sides import Side

# The unit of a test.
BY_RUNS, BY_BLOCKS, UNTESTED = "runs", "blocks", "none"

REGRESSION, IMPROVEMENT, SAME, UNKNOWN = "regression", "improvement", "no difference", "not tested"
VERDICTS = (REGRESSION, IMPROVEMENT, SAME, UNKNOWN)


@dataclass
class Change:
    """One figure of one row, in the baseline and in another side."""

    key: Key
    figure: Figure
    side: Side
    before: float
    after: float
    tested_by: str
    difference: Optional[Difference]
    marks: frozenset[str]
    p: float = 1.0  # corrected for all comparisons

    @property
    def change_pct(self) -> float:
        return 100 * (self.after / self.before - 1)

    @property
    def for_worse(self) -> bool:
        return (self.after > self.before) == self.figure.lower_is_better

    @property
    def verdict(self) -> str:
        if self.difference is None:
            return UNKNOWN
        if self.p >= 1 - inference.CONFIDENCE or self.after == self.before:
            return SAME
        return REGRESSION if self.for_worse else IMPROVEMENT


@dataclass
class Comparison:
    baseline: Side
    others: list[Side]
    changes: list[Change]
    correction: str

    def of(self, side: Side) -> list[Change]:
        return [change for change in self.changes if change.side is side]

    def only_in(self, side: Side, other: Side) -> list[Key]:
        return sorted(side.keys() - other.keys(), key=order)


def _middle(found: Sequence[Observation]) -> float:
    """The figure of a side: the geometric mean of its runs, as in the test."""
    return statistics.geometric_mean([one.value for one in found])


def _tested(
    first: Sequence[Observation], second: Sequence[Observation]
) -> tuple[str, Optional[Difference]]:
    """Test by runs where a side has several, else by the blocks of the two runs."""
    if len(first) + len(second) > 2:
        values = ([one.value for one in side] for side in (first, second))
        return BY_RUNS, inference.compare_runs(*values)
    one, other = first[0], second[0]
    if not one.blocks or not other.blocks:
        return UNTESTED, None
    compare = inference.compare_means if one.of_mean else inference.compare_medians
    found = compare(one.blocks, other.blocks)
    return (BY_BLOCKS, found) if found is not None else (UNTESTED, None)


def _changes(baseline: Side, side: Side) -> list[Change]:
    known = {figure.path: figure for figure in figures()}
    found = []
    for search in baseline.found.keys() & side.found.keys():
        key, path = search
        first, second = baseline.found[search], side.found[search]
        tested_by, difference = _tested(first, second)
        found.append(
            Change(
                key,
                known[path],
                side,
                _middle(first),
                _middle(second),
                tested_by,
                difference,
                baseline.marks[key] | side.marks[key],
            )
        )
    paths = list(known)
    return sorted(found, key=lambda change: (order(change.key), paths.index(change.figure.path)))


def compare(baseline: Side, others: list[Side], correction: str) -> Comparison:
    """Compare all figures of all sides; their p values are corrected together."""
    changes = [change for side in others for change in _changes(baseline, side)]
    for side in others:
        if not baseline.keys() & side.keys():
            raise SuiteError(
                f"{baseline.label} and {side.label} have no measurement in common, of "
                f"{len(baseline.keys())} and {len(side.keys())} rows; compare runs of one plan "
                "(docs/reference/results.md says when rows match)"
            )
    tested = [change for change in changes if change.difference is not None]
    ps = [change.difference.p for change in tested if change.difference is not None]
    for change, p in zip(tested, inference.CORRECTIONS[correction](ps)):
        change.p = p
    return Comparison(baseline, others, changes, correction)


def worst_above(comparison: Comparison, limit_pct: float) -> list[Change]:
    """Significant regressions above a limit, the largest first."""
    found = [
        change
        for change in comparison.changes
        if change.verdict == REGRESSION and abs(change.change_pct) > limit_pct
    ]
    return sorted(found, key=lambda change: -abs(change.change_pct))
