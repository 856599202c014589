"""Compares sides with a baseline: the change of every common figure, and its significance."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from combench.common import inference
from combench.common.errors import SuiteError
from combench.common.figures import Figure, Key, Observation, figures, have_ratio, order
from combench.common.inference import Difference
from combench.common.variation import Variation, launches_of, mean_own_variance, variation
from combench.compare.sides import Side

# The unit of a test.
BY_RUNS, BY_BLOCKS, UNTESTED = "runs", "blocks", "none"

SLOWER, FASTER, SAME, UNKNOWN = "slower", "faster", "no difference", "cannot tell"
VERDICTS = (SLOWER, FASTER, SAME, UNKNOWN)
NO_RATIO = "no ratio"  # in place of a verdict, where a figure is 0


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
    margin_pct: float
    variations: tuple[Optional[Variation], Optional[Variation]] = (None, None)  # of both sides
    p: float = 1.0  # corrected for all comparisons

    @property
    def change_pct(self) -> float:
        return 100 * (self.after / self.before - 1)

    @property
    def for_worse(self) -> bool:
        return (self.after > self.before) == self.figure.lower_is_better

    @property
    def verdict(self) -> str:
        """SAME: the interval of the change is within the margin."""
        if self.difference is None:
            return UNKNOWN
        if self.p < 1 - inference.CONFIDENCE and self.after != self.before:
            return SLOWER if self.for_worse else FASTER
        margin = 1 + self.margin_pct / 100
        within = 1 / margin <= self.difference.low and self.difference.high <= margin
        return SAME if within else UNKNOWN


@dataclass(frozen=True)
class Step:
    """A count of losses or errors, or a figure that is 0 in a run of either side, and so has no ratio:
    means of both sides."""

    key: Key
    figure: Figure
    side: Side
    before: float
    after: float
    marks: frozenset[str]


@dataclass
class Comparison:
    baseline: Side
    others: list[Side]
    changes: list[Change]
    correction: str
    controls: list[Change]  # of what a change cannot affect; corrected among themselves
    drifts: list[Drift]
    margin_pct: float
    steps: list[Step]

    def of(self, side: Side) -> list[Change]:
        return [change for change in self.changes if change.side is side]

    def controls_of(self, side: Side) -> list[Change]:
        return [change for change in self.controls if change.side is side]

    def steps_of(self, side: Side) -> list[Step]:
        return [step for step in self.steps if step.side is side]

    def only_in(self, side: Side, other: Side) -> list[Key]:
        return sorted(side.keys() - other.keys(), key=order)


def middle(found: Sequence[Observation]) -> float:
    """The figure of a side: the geometric mean of its runs, as in the test."""
    return statistics.geometric_mean([one.value for one in found])


def tested(
    first: Sequence[Observation], second: Sequence[Observation]
) -> tuple[str, Optional[Difference]]:
    """Test by runs where a side has several, else by the blocks of the two runs."""
    if len(first) + len(second) > 2:
        values = ([one.value for one in side] for side in (first, second))
        own = mean_own_variance(launches_of([*first, *second])) or 0.0
        return BY_RUNS, inference.compare_runs(*values, own)
    one, other = first[0], second[0]
    if not one.blocks or not other.blocks:
        return UNTESTED, None
    compare = inference.compare_means if one.of_mean else inference.compare_medians
    found = compare(one.blocks, other.blocks)
    return (BY_BLOCKS, found) if found is not None else (UNTESTED, None)


def _changes(baseline: Side, side: Side, margin_pct: float) -> list[Change]:
    known = {figure.path: figure for figure in figures()}
    found = []
    for search in baseline.found.keys() & side.found.keys():
        key, path = search
        first, second = baseline.found[search], side.found[search]
        if known[path].is_count or not have_ratio([*first, *second]):
            continue
        tested_by, difference = tested(first, second)
        found.append(
            Change(
                key,
                known[path],
                side,
                middle(first),
                middle(second),
                tested_by,
                difference,
                baseline.marks[key] | side.marks[key],
                margin_pct,
                (variation(launches_of(first)), variation(launches_of(second))),
            )
        )
    paths = list(known)
    return sorted(found, key=lambda change: (order(change.key), paths.index(change.figure.path)))


def _steps(baseline: Side, side: Side) -> list[Step]:
    """What the sides differ in without a ratio."""
    known = {figure.path: figure for figure in figures()}
    found = []
    for search in baseline.found.keys() & side.found.keys():
        first, second = baseline.found[search], side.found[search]
        key, path = search
        if known[path].is_count or not have_ratio([*first, *second]):
            before, after = (statistics.fmean(one.value for one in each) for each in (first, second))
            marks = baseline.marks[key] | side.marks[key]
            found.append(Step(key, known[path], side, before, after, marks))
    paths = list(known)
    found = [step for step in found if step.before != step.after]
    return sorted(found, key=lambda step: (paths.index(step.figure.path), order(step.key)))


def _correct(changes: list[Change], correction: str) -> None:
    """Set the p values, corrected together."""
    tested = [change for change in changes if change.difference is not None]
    ps = [change.difference.p for change in tested if change.difference is not None]
    for change, p in zip(tested, inference.CORRECTIONS[correction](ps)):
        change.p = p


@dataclass(frozen=True)
class Drift:
    """A figure of the control that rises or falls from the first launch of a side to the last."""

    key: Key
    side: Side
    change_pct: float


def _drifts(side: Side, margin_pct: float) -> Iterator[Drift]:
    """Trends of the control that are significant and larger than the margin."""
    blocks = {figure.path for figure in figures() if figure.blocks}
    tests: list[tuple[Drift, float]] = []
    for (key, path), found in side.found.items():
        if key in side.controls and path in blocks and have_ratio(found):
            trend = inference.trend([one.value for one in found])
            if trend is not None:
                tests.append((Drift(key, side, 100 * (trend.ratio - 1)), trend.p))
    corrected = inference.holm([p for _, p in tests])
    for (drift, _), p in zip(tests, corrected):
        if p < 1 - inference.CONFIDENCE and abs(drift.change_pct) > margin_pct:
            yield drift


def compare(
    baseline: Side, others: list[Side], correction: str, margin_pct: float
) -> Comparison:
    """Compare all figures of all sides; their p values are corrected together."""
    every = [change for side in others for change in _changes(baseline, side, margin_pct)]
    for side in others:
        if not baseline.keys() & side.keys():
            raise SuiteError(
                f"{baseline.label} and {side.label} have no measurement in common, of "
                f"{len(baseline.keys())} and {len(side.keys())} rows; compare runs of one plan "
                "(docs/reference/results.md says when rows match)"
            )
    controls: list[Change] = []
    changes: list[Change] = []
    for one in every:
        is_control = one.key in baseline.controls or one.key in one.side.controls
        (controls if is_control else changes).append(one)
    _correct(changes, correction)
    _correct(controls, "holm")
    drifts = [drift for side in (baseline, *others) for drift in _drifts(side, margin_pct)]
    steps = [step for side in others for step in _steps(baseline, side)]
    return Comparison(baseline, others, changes, correction, controls, drifts, margin_pct, steps)


def worst_above(comparison: Comparison, limit_pct: float) -> list[Change]:
    """Significant regressions above a limit, the largest first."""
    found = [
        change
        for change in comparison.changes
        if change.verdict == SLOWER and abs(change.change_pct) > limit_pct
    ]
    return sorted(found, key=lambda change: -abs(change.change_pct))
