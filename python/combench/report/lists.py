"""Lists of destinations that change with each broadcast: whether their members change, and what the
change costs."""

from __future__ import annotations

import statistics
from typing import Any, Iterable, Optional, Sequence

from combench.report.charts import benchmark_title
from combench.report.figures import number
from combench.report.rows import ORIGIN, Row, usual

FIXED = "fixed"
_CONDITIONS = (*ORIGIN, "mode", "multicast", "destinations")


def candidates(row: Row) -> Optional[int]:
    """The destinations that the list of a row is chosen from; None for a row without a list."""
    if row.get("list") is None:
        return None
    if row.get("candidates") is not None:
        return int(row.get("candidates"))
    # Results of older versions: all processors but the source take part.
    return int(row.get("processors")) - 1


def _changing(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.get("list") not in (None, FIXED)]


def _sets(rows: Iterable[Row]) -> str:
    """4 of 8, 8 of 16."""
    found = sorted({(row.get("destinations"), candidates(row) or 0) for row in rows})
    return ", ".join(f"{length} of {room}" for length, room in found)


def membership(rows: Sequence[Row]) -> str:
    """Which of the changing lists change their members, as sentences for a caption."""
    changing = _changing(rows)
    members = [row for row in changing if (candidates(row) or 0) > row.get("destinations")]
    order = [row for row in changing if row not in members]
    said = ""
    if members:
        said += f" Members change in lists of {_sets(members)} destinations."
    if order:
        said += (
            f" Only the order changes in lists of {_sets(order)}: the job had no other destinations."
        )
    return said


def _times(rows: Iterable[Row], kind: str) -> dict[Any, float]:
    """The time of a broadcast by size."""
    figures = {row.get("size_bytes"): row.figure("time_us") for row in rows if row.get("list") == kind}
    return {size: one.value for size, one in figures.items() if one is not None and one.value > 0}


def _ratio(values: Sequence[float]) -> str:
    """The median, and the range where there are several."""
    low, high = number(min(values)), number(max(values))
    middle = number(statistics.median(values))
    return middle if low == high else f"{middle} ({low} to {high})"


def _groups(rows: Sequence[Row]) -> str:
    made = [row.get("group_create_us") for row in rows if row.get("group_create_us") is not None]
    freed = [row.get("group_free_us") for row in rows if row.get("group_free_us") is not None]
    if not made:
        return ""
    said = f"; a group is made in {number(statistics.median(made))} us"
    return said + (f" and freed in {number(statistics.median(freed))} us" if freed else "")


def _sentence(rows: Sequence[Row]) -> str:
    """The cost of changing lists under one set of conditions."""
    fixed, first = _times(rows, FIXED), _changing(rows)[0]
    kinds = []
    for kind in dict.fromkeys(str(row.get("list")) for row in _changing(rows)):
        times = _times(rows, kind)
        ratios = [times[size] / fixed[size] for size in times.keys() & fixed.keys()]
        if ratios:
            kinds.append(f"{kind} {_ratio(ratios)}")
    if not kinds:
        return ""
    way = "a loop" if first.get("multicast") == "loop" else "its own multicast"
    place = f" on {first.get('machine')}" if first.get("machine") else ""
    return (
        f"{benchmark_title(first.get('benchmark'))} over {first.get('technology')}{place} by {way}, "
        f"{first.get('mode')}, {_sets([first])} destinations: {', '.join(kinds)} times the time of the "
        f"fixed list{_groups(_changing(rows))}."
    )


def cost(rows: Sequence[Row]) -> list[str]:
    """The comment that the note asks for, by technology; nothing if no list changed."""
    by_condition: dict[tuple[Any, ...], list[Row]] = {}
    for row in usual(rows, but=("list",)):
        if row.get("list") is not None:
            by_condition.setdefault(tuple(row.get(key) for key in _CONDITIONS), []).append(row)
    said = [_sentence(group) for group in by_condition.values() if _changing(group)]
    said = [one for one in said if one]
    if not said:
        return []
    head = (
        "Each broadcast goes to another list: rotate and random take prepared groups in turn, new "
        "makes a group for its broadcast and frees it after it, all within the time. Ratios are medians "
        "over the packet sizes, with their range."
    )
    return [head + membership(rows), *said]
