"""Prints a comparison as text or CSV."""

from __future__ import annotations

import csv
import math
import statistics
from typing import Any, Iterable, Iterator, Mapping, Sequence, TextIO

from combench.common.figures import MARKS, Key, describe, shared
from combench.common.inference import Difference
from combench.compare.comparison import (
    BY_BLOCKS,
    FASTER,
    NO_RATIO,
    SAME,
    SLOWER,
    UNKNOWN,
    UNTESTED,
    VERDICTS,
    Change,
    Comparison,
    Step,
)
from combench.compare.sides import Side
from combench.compare.surroundings import differences

_TITLES = {
    SLOWER: "slower, largest change first",
    FASTER: "faster, largest change first",
    SAME: "no difference larger than the margin",
    UNKNOWN: "cannot tell: no significant difference, and the interval is wider than the margin",
}
_NEAR_PCT = 15  # an error of a model up to which a row counts as near
_MOST_KEYS = 12  # rows of one side only that are listed without --all

SINGLE_RUN = (
    "one run per side: the variation between runs of one system (memory, placement, other users) is "
    "unknown and may cause the differences below. To compare systems, measure each several times "
    "and separate the runs of a side by commas"
)


def _percent(ratio: float) -> str:
    return "open" if ratio in (0, math.inf) else f"{100 * (ratio - 1):+.1f}"


def interval_text(difference: Difference | None) -> str:
    """The interval of a ratio as a change in per cent."""
    if difference is None:
        return "-"
    return f"{_percent(difference.low)} to {_percent(difference.high)}"


def _probability(change: Change) -> str:
    if change.difference is None:
        return "-"
    return "<0.0001" if change.p < 0.0001 else f"{change.p:.4f}"


def aligned(lines: Sequence[Sequence[str]], right: int) -> Iterator[str]:
    """Align columns: the first `right` columns to the right, the others to the left."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        cells = [
            cell.rjust(width) if column < right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ]
        yield "  ".join(cells).rstrip()


_HEAD = ("change %", "95 % interval", "baseline", "now", "p", "figure", "tested by", "", "row")


def _table(changes: Iterable[Change], without: frozenset[str]) -> Iterator[str]:
    lines = [_HEAD]
    for change in changes:
        lines.append(
            (
                f"{change.change_pct:+.1f}",
                interval_text(change.difference),
                f"{change.before:.4g}",
                f"{change.after:.4g}",
                _probability(change),
                change.figure.name,
                change.tested_by,
                "".join(mark for mark in MARKS if mark in change.marks),
                describe(change.key, without),
            )
        )
    for line in aligned(lines, right=5):
        yield f"    {line}"


_STEPS_HEAD = ("difference", "baseline", "now", "figure", "", "row")


def _steps(steps: Sequence[Step], without: frozenset[str]) -> Iterator[str]:
    """Differences of what has no ratio."""
    if not steps:
        return
    yield "\nlosses and errors, and figures that are 0 in a run: differences of the means, not tested"
    lines = [_STEPS_HEAD]
    for step in steps:
        numbers = (f"{step.after - step.before:+.4g}", f"{step.before:.4g}", f"{step.after:.4g}")
        marks = "".join(mark for mark in MARKS if mark in step.marks)
        lines.append((*numbers, step.figure.name, marks, describe(step.key, without)))
    for line in aligned(lines, right=3):
        yield f"    {line}"


def _sorted(changes: list[Change], verdict: str) -> list[Change]:
    if verdict in (SLOWER, FASTER):
        return sorted(changes, key=lambda change: -abs(math.log(change.after / change.before)))
    return changes


def _of_side(label: str, side: Side) -> str:
    runs = "1 run" if len(side.runs) == 1 else f"{len(side.runs)} runs"
    return f"{label} {side.label}: {runs}, {len(side.keys())} rows"


def _reach(value_pct: float) -> str:
    """The width of an interval in words."""
    if value_pct >= 900:
        return "more than a factor of 10"
    if value_pct >= 100:
        return f"a factor of {1 + value_pct / 100:.2g}"
    return f"{value_pct:.2g} %" if value_pct < 10 else f"{value_pct:.0f} %"


def _sensitivity(changes: list[Change]) -> str:
    """The size of differences that the test can miss, from the widths of intervals."""
    reaches = [
        50 * (change.difference.high - change.difference.low)
        for change in changes
        if change.verdict == UNKNOWN and change.difference and change.difference.high < math.inf
    ]
    if not reaches:
        return ""
    return (
        f'sensitivity: figures with "{UNKNOWN}" have intervals of '
        f"{_reach(statistics.median(reaches))} to either side (median); smaller changes can be "
        "missed"
    )


def _counts(changes: list[Change], margin_pct: float) -> str:
    found = [change.verdict for change in changes]
    more = {SAME: f" larger than {margin_pct:g} %"}
    parts = [f"{found.count(verdict)} {verdict}{more.get(verdict, '')}" for verdict in VERDICTS]
    return f"{len(changes)} figures compared: {', '.join(parts)}"


def _not_as(common: Mapping[str, Any], key: Key) -> str:
    """A key that was not compared, without the values that it has in common with all that were."""
    differing = tuple(pair for pair in key if pair not in common.items())
    return describe(differing, frozenset({"id"}))


def _of_control(comparison: Comparison, side: Side) -> Iterator[str]:
    """What the control says: whether it differs between the sides, or drifted within one."""
    changes = comparison.controls_of(side)
    for change in changes:
        if change.verdict in (SLOWER, FASTER):
            yield (
                f"caution: the control differs, so the machine did, or the change affects more than the "
                f"network: {describe(change.key)}, {change.figure.name}: {change.change_pct:+.1f} % "
                f"({interval_text(change.difference)}); differences of this size mean nothing"
            )
    for drift in comparison.drifts:
        if drift.side in (comparison.baseline, side):
            yield (
                f"caution: the control drifted by {drift.change_pct:+.1f} % from the first launch of "
                f"{drift.side.label} to the last: {describe(drift.key)}"
            )
    tested = [change for change in changes if change.difference is not None]
    if tested and all(change.verdict in (SAME, UNKNOWN) for change in tested):
        same = sum(change.verdict == SAME for change in tested)
        yield (
            f"control: {same} of {len(tested)} figures that the change cannot affect differ by no more "
            f"than {comparison.margin_pct:g} %; {UNKNOWN}: {len(tested) - same}"
        )


def _of_variation(changes: list[Change]) -> Iterator[str]:
    """How much launches of a side differ, and figures with two modes."""
    known = [found for change in changes for found in change.variations if found is not None]
    if known:
        share = [one.between_share for one in known if one.between_share is not None]
        of_it = f", {100 * statistics.median(share):.0f} % of the variance" if share else ""
        yield (
            "variation between runs of a side: standard deviation "
            f"{statistics.median(one.between_pct for one in known):.2g} %{of_it} (median over figures); "
            "the rest is that of blocks"
        )
    for change in changes:
        for label, found in zip(("the baseline", change.side.label), change.variations):
            if found is not None and found.modes:
                modes = " and ".join(f"{one.value:.4g} in {one.launches}" for one in found.modes)
                yield (
                    f"bimodal in {label}: {describe(change.key)}, {change.figure.name}: {modes} runs"
                )


def _of_one(comparison: Comparison, side: Side, everything: bool) -> Iterator[str]:
    baseline, changes = comparison.baseline, comparison.of(side)
    yield _of_side("baseline", baseline)
    yield _of_side("against ", side)
    common = shared(sorted({change.key for change in changes}))
    without = frozenset(common) | {"id"}
    if common:
        same_way = tuple((name, value) for name, value in changes[0].key if name in common)
        yield f"all rows: {describe(same_way)}"
    if any(change.tested_by == BY_BLOCKS for change in changes):
        yield f"caution: {SINGLE_RUN}"
    for sentence in differences(baseline, side):
        yield f"caution: {sentence}"
    yield from _of_control(comparison, side)
    yield from _of_variation(changes)
    for verdict in VERDICTS:
        chosen = _sorted([change for change in changes if change.verdict == verdict], verdict)
        if chosen and (everything or verdict in (SLOWER, FASTER)):
            yield f"\n{_TITLES[verdict]}"
            yield from _table(chosen, without)
    yield from _steps(comparison.steps_of(side), without)
    yield ""
    for one, other in ((baseline, side), (side, baseline)):
        keys = comparison.only_in(one, other)
        shown = keys if everything else keys[:_MOST_KEYS]
        if keys:
            yield f"only in {one.label}, not compared: {len(keys)} rows"
            yield from (f"    {_not_as(common, key)}" for key in shown)
        if len(shown) < len(keys):
            yield f"    and {len(keys) - len(shown)} more; use --all to list them"
    yield _counts(changes, comparison.margin_pct)
    if _sensitivity(changes):
        yield _sensitivity(changes)


def _legend(comparison: Comparison) -> Iterator[str]:
    listed = (*comparison.changes, *comparison.steps)
    there = frozenset().union(*(one.marks for one in listed))
    for mark, meaning in MARKS.items():
        if mark in there:
            yield f"{mark} {meaning}"
    yield (
        f"p: probability of such a difference by chance, corrected for "
        f"{sum(change.difference is not None for change in comparison.changes)} comparisons "
        f"({comparison.correction}); significant below 0.05"
    )


def _errors_of_model(comparison: Comparison, side: Side) -> list[str]:
    """How far a model is right, where one side is a run in a model and the other one was measured."""
    if comparison.baseline.is_modelled == side.is_modelled:
        return []
    modelled = side.label if side.is_modelled else comparison.baseline.label
    said = [f"{modelled} is a run in a model: a change is the model's error"]
    for name in dict.fromkeys(change.figure.name for change in comparison.of(side)):
        ratios = [
            one.after / one.before if side.is_modelled else one.before / one.after
            for one in comparison.of(side)
            if one.figure.name == name
        ]
        errors = sorted(abs(100 * (ratio - 1)) for ratio in ratios)
        within = sum(error <= _NEAR_PCT for error in errors)
        said.append(
            f"error of the model, {name}: median {statistics.median(errors):.1f} %, worst {errors[-1]:.1f} %, "
            f"{within} of {len(errors)} rows within {_NEAR_PCT} %"
        )
    return ["", *said]


def write_text(comparison: Comparison, everything: bool, stream: TextIO) -> None:
    """Print tables of the rows that differ, or of all rows."""
    blocks = [
        "\n".join([*_of_one(comparison, side, everything), *_errors_of_model(comparison, side)])
        for side in comparison.others
    ]
    print("\n\n".join(blocks), file=stream)
    print("\n".join(_legend(comparison)), file=stream)


_COLUMNS = (
    "baseline",
    "against",
    "row",
    "figure",
    "before",
    "after",
    "change_pct",
    "ci95_low_pct",
    "ci95_high_pct",
    "p",
    "p_corrected",
    "tested_by",
    "verdict",
    "marks",
    "between_before_pct",
    "between_after_pct",
    "modes_before",
    "modes_after",
)


def _cells(comparison: Comparison, change: Change) -> list[str]:
    """The cells of a line; open ends and figures without a test are empty."""
    difference = change.difference
    tested = ["", "", "", ""]
    if difference is not None:
        ends = (difference.low, difference.high)
        tested = ["" if end in (0, math.inf) else f"{100 * (end - 1):.6g}" for end in ends]
        tested += [f"{difference.p:.6g}", f"{change.p:.6g}"]
    return [
        comparison.baseline.label,
        change.side.label,
        describe(change.key),
        change.figure.path,
        f"{change.before:.9g}",
        f"{change.after:.9g}",
        f"{change.change_pct:.6g}",
        *tested,
        change.tested_by,
        change.verdict,
        "".join(mark for mark in MARKS if mark in change.marks),
        *("" if one is None else f"{one.between_pct:.6g}" for one in change.variations),
        *(
            " ".join(f"{mode.value:.9g}:{mode.launches}" for mode in one.modes) if one else ""
            for one in change.variations
        ),
    ]


def _cells_of_step(comparison: Comparison, step: Step) -> list[str]:
    """The cells of a figure without a ratio: what a ratio or a test would give is empty."""
    known = {
        "baseline": comparison.baseline.label,
        "against": step.side.label,
        "row": describe(step.key),
        "figure": step.figure.path,
        "before": f"{step.before:.9g}",
        "after": f"{step.after:.9g}",
        "tested_by": UNTESTED,
        "verdict": NO_RATIO,
        "marks": "".join(mark for mark in MARKS if mark in step.marks),
    }
    return [known.get(column, "") for column in _COLUMNS]


def write_csv(comparison: Comparison, stream: TextIO) -> None:
    """Print a CSV line for each figure that both sides have."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for change in (*comparison.changes, *comparison.controls):
        writer.writerow(_cells(comparison, change))
    for step in comparison.steps:
        writer.writerow(_cells_of_step(comparison, step))
