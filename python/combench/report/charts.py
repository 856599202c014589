"""The content of each picture, before it is drawn: panels of series of figures.

A chart selects rows and groups them into pictures, panels and lines. Rows that differ in any other
key are on separate lines, so no line mixes two kinds of measurement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterable, Optional, Sequence

from combench.common import catalogue
from combench.common.catalogue import Benchmark
from combench.report.figures import Figure
from combench.report.rows import ORIGIN, Row, identity_paths, usual
from combench.report.timelines import Event

MAX_LINES = 7  # in a picture; a reader cannot distinguish more
MAX_TECHNOLOGIES = 10  # lines of a picture that has one for each technology


@dataclass(frozen=True)
class Axis:
    label: str
    scale: str  # size, count, category, linear, log, tail: of a distribution, or colour


@dataclass(frozen=True)
class Point:
    x: Any
    figure: Figure
    joined: bool  # whether a line may pass through the point


@dataclass(frozen=True)
class Series:
    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Panel:
    title: str
    series: tuple[Series, ...]
    limits: tuple[tuple[float, str], ...] = ()  # vertical lines: x, label

    @property
    def grid(self) -> list[Any]:
        """Every x value of the panel, sorted."""
        return sorted({point.x for series in self.series for point in series.points})


@dataclass(frozen=True)
class HeatMap:
    """A matrix by source (lines) and destination (columns), drawn in colours."""

    title: str
    names: tuple[str, ...]
    values: tuple[tuple[Optional[float], ...], ...]


@dataclass(frozen=True)
class Timeline:
    """The messages of an event, a bar each."""

    title: str
    event: Event


@dataclass(frozen=True)
class Picture:
    name: str
    section: str
    title: str
    caption: str
    x: Axis
    y: Axis
    panels: tuple[Panel, ...]
    maps: tuple[HeatMap, ...] = ()  # in place of panels
    timelines: tuple[Timeline, ...] = ()  # in place of panels

    @property
    def lines(self) -> list[Series]:
        return [line for panel in self.panels for line in panel.series]

    @property
    def points(self) -> list[Point]:
        return [point for line in self.lines for point in line.points]

    @property
    def marks(self) -> str:
        """The marks of all points, each once."""
        return "".join(dict.fromkeys(mark for point in self.points for mark in point.figure.marks))

    @property
    def is_matrix(self) -> bool:
        """Whether colours show it: a cell for each series and x value."""
        return self.y.scale == "colour"

    @property
    def is_bars(self) -> bool:
        """Whether bars show it: no line would have two points, or the x values have no order."""
        if self.x.scale == "tail" or self.maps or self.timelines or self.is_matrix:
            return False
        return self.x.scale == "category" or all(len(line.points) == 1 for line in self.lines)

    @property
    def single_x(self) -> str:
        """The x value of a picture of bars, where all bars have the same one."""
        values = {point.x for point in self.points}
        return x_text(self.x, *values) if self.is_bars and len(values) == 1 else ""


def x_text(axis: Axis, x: Any) -> str:
    """A value of x with its name: 4 destinations."""
    if axis.scale in ("category", "tail"):
        return str(x)
    name, _, unit = axis.label.partition(", ")
    return f"{x:g} {name}" if axis.scale == "count" else f"{name} {x:g} {unit}".rstrip()


def common_marks(picture: Picture) -> str:
    """The marks that all points have: explained in the caption, not repeated at each point."""
    return "".join(
        mark for mark in picture.marks if all(mark in point.figure.marks for point in picture.points)
    )


def runs(series: Series, grid: Sequence[Any]) -> list[list[Point]]:
    """The parts of a series that a line connects: points next to each other on the panel's grid.

    A line never crosses an x value at which only another series was measured.
    """
    at = {point.x: point for point in series.points if point.joined}
    found: list[list[Point]] = [[]]
    for x in grid:
        if x in at:
            found[-1].append(at[x])
        elif found[-1]:
            found.append([])
    return [run for run in found if len(run) > 1]


def benchmark_title(name: str) -> str:
    return catalogue.known().benchmark(name).label


def label_of(key: str, value: Any) -> str:
    """The text for the value of a key in legends, panel titles and captions."""
    if value is None or value == "":
        return ""
    if key == "benchmark":
        return benchmark_title(value)
    if (key, value) == ("occupation", "both"):
        return "both sides compute"
    if (key, value) == ("occupation", "none"):
        return "no computing task"
    if key == "source":
        return "predicted" if value == "model" else str(value)
    if key == "shape" and (value == "2" or not str(value).isdigit()):
        return "" if value == "2" else str(value)
    shown = f"{value:g}" if isinstance(value, float) else value
    if key == "shape":
        return f"of {shown}"
    column = catalogue.known().columns.get(key)
    return column.phrase.format(shown) if column else str(shown)


def named(row: Row, keys: Iterable[str]) -> str:
    return ", ".join(filter(None, (label_of(key, row.get(key)) for key in keys)))


def grouped(rows: Iterable[Row], keys: Sequence[str]) -> list[list[Row]]:
    """Groups of rows that agree in all keys, in order of appearance."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(key) for key in keys), []).append(row)
    return list(groups.values())


def carried(row: Row) -> bool:
    """Whether the row was measured in a steady state, so that a line may pass through it."""
    disturbed = (row.get("generator_error_pct") or 0) > 1
    modelled = row.get("source") == "model"
    saturated = any(one.get("saturated") for one in row.launches)
    return not (saturated or disturbed or row.is_beyond or modelled)


@dataclass(frozen=True)
class Chart:
    """How rows become pictures: one for each group of `picture` keys, a panel for each of `panel`."""

    name: str
    section: str
    title: str
    caption: str
    of: Callable[[Benchmark], bool]  # whether the chart shows that benchmark
    x_key: str
    x: Axis
    y: Axis
    figures: tuple[tuple[str, str], ...]  # path of the figure, label of its lines
    picture: tuple[str, ...] = ()
    panel: tuple[str, ...] = ()
    select: Callable[[list[Row]], list[Row]] = usual
    needs: str = ""  # a key that must have several values
    lines: Optional[tuple[str, ...]] = None  # keys that separate lines; None: all that differ
    remark: Callable[[list[Row]], str] = lambda rows: ""  # sentences about these rows, for the caption
    most: int = MAX_LINES


# An axis with a number of processes covers all of these keys.
_COUNTS = ("processors", "sources", "destinations", "topology")


def _line_keys() -> list[str]:
    """Keys that may separate lines; `wait` is the requested wait policy."""
    return [*ORIGIN, *(key for key in identity_paths() if "." not in key), "reading", "wait"]


def _implied(x_key: str) -> set[str]:
    """The keys that an axis covers."""
    if x_key == "shape":
        return {*_COUNTS, "reading"}
    return {*_COUNTS} if x_key in ("count", "processors") else {x_key, "reading"}


def _differing(groups: Iterable[Sequence[Row]], keys: Iterable[str]) -> list[str]:
    """The keys that have several values within a group."""
    groups = list(groups)
    return [
        key for key in keys if any(len({row.get(key) for row in group}) > 1 for group in groups)
    ]


def _varying(rows: Sequence[Row], chart: Chart) -> list[str]:
    """The keys that separate the lines of a picture."""
    stood_for = _implied(chart.x_key) | set(chart.picture) | set(chart.panel)
    if "shape" in stood_for:
        stood_for |= _implied("shape")
    found = _differing(
        grouped(rows, chart.panel), (key for key in _line_keys() if key not in stood_for)
    )
    # The number of processors follows from that of sources, destinations or the topology.
    if {"sources", "destinations", "topology"} & set(found) and "processors" in found:
        found.remove("processors")
    return found


def separating(rows: Sequence[Row], beside: Iterable[str]) -> list[str]:
    """The keys, but those `beside` and the counts of the shape, that have several values."""
    stood_for = _implied("shape") | set(beside)
    return _differing([rows], (key for key in _line_keys() if key not in stood_for))


def _line(rows: Sequence[Row], chart: Chart, name: str, label: str) -> Optional[Series]:
    points = {}
    for row in rows:
        known, x = row.figure(name), row.get(chart.x_key)
        if known is not None and x is not None:
            points[x] = Point(x, known, carried(row))
    if not points:
        return None
    try:
        ordered = sorted(points)
    except TypeError:
        ordered = list(points)
    return Series(label, tuple(points[x] for x in ordered))


def _lines(rows: Sequence[Row], chart: Chart, varying: Sequence[str]) -> list[Series]:
    found = []
    for group in grouped(rows, varying):
        of_rows = named(group[0], varying)
        for name, of_figure in chart.figures:
            label = ", ".join(filter(None, (of_rows, of_figure)))
            found.append(_line(group, chart, name, label or chart.y.label))
    return [line for line in found if line is not None]


def _spread(labels: Sequence[str], most: int) -> list[str]:
    """At most `most` labels, evenly spread, including the first and the last."""
    if len(labels) <= most:
        return list(labels)
    return [labels[round(i * (len(labels) - 1) / (most - 1))] for i in range(most)]


def thinned(picture: Picture, most: int = MAX_LINES) -> Picture:
    """The picture with at most that many lines; the caption says how many are left out."""
    labels = list(dict.fromkeys(line.label for panel in picture.panels for line in panel.series))
    kept = _spread(labels, most)
    if len(kept) == len(labels):
        return picture
    panels = tuple(
        replace(panel, series=tuple(line for line in panel.series if line.label in kept))
        for panel in picture.panels
    )
    left_out = f" Shows {len(kept)} of {len(labels)} lines; the result documents have all."
    return replace(
        picture, panels=tuple(p for p in panels if p.series), caption=picture.caption + left_out
    )


def ordered(rows: Iterable[Row]) -> list[Row]:
    """Rows by benchmark, technology, reading, algorithm and size: the order of lines and panels."""

    def order(row: Row) -> tuple[Any, ...]:
        return (
            str(row.get("id")),
            row.get("technology"),
            {"n to n": 0, "n to 1": 1}.get(row.reading, 2),
            row.get("algorithm_us") or 0,
            row.get("size_bytes"),
            row.get("processors") or 0,
        )

    return sorted(rows, key=order)


def panel_title(row: Row, group: Sequence[Row], keys: Sequence[str]) -> str:
    """What distinguishes a panel from the others of its picture."""
    return named(row, _differing([group], keys))


def common_words(group: Sequence[Row], keys: Sequence[str]) -> str:
    """What all panels have in common, as the last sentence of the caption."""
    differing = _differing([group], keys)
    words = named(group[0], (key for key in keys if key not in differing))
    return f" All measured with: {words}." if words else ""


def _panels(group: Sequence[Row], chart: Chart) -> list[Panel]:
    varying = _varying(group, chart) if chart.lines is None else chart.lines
    made = []
    for of_panel in grouped(group, chart.panel):
        lines = _lines(of_panel, chart, varying)
        if lines:
            made.append(Panel(panel_title(of_panel[0], group, chart.panel), tuple(lines)))
    return made


def pictures_of(chart: Chart, rows: Sequence[Row]) -> list[Picture]:
    known = {row.get("benchmark"): row.definition for row in rows}
    names = {name for name, one in known.items() if one.is_reported and chart.of(one)}
    chosen = chart.select([row for row in rows if row.get("benchmark") in names])
    made = []
    for group in grouped(ordered(chosen), chart.picture):
        if chart.needs and len({row.get(chart.needs) for row in group}) < 2:
            continue
        panels = _panels(group, chart)
        if panels:
            about = named(group[0], chart.picture)
            made.append(
                thinned(
                    Picture(
                        name=file_name(chart.name, [group[0].get(key) for key in chart.picture]),
                        section=chart.section,
                        title=f"{chart.title}: {about}" if about else chart.title,
                        caption=chart.caption
                        + chart.remark(list(group))
                        + common_words(group, chart.panel),
                        x=chart.x,
                        y=chart.y,
                        panels=tuple(panels),
                    ),
                    chart.most,
                )
            )
    return made


_NAME_LENGTH = 80


def file_name(name: str, values: Iterable[Any]) -> str:
    """The file name of a picture: letters, digits and hyphens only."""
    parts = [name, *(str(value) for value in values if value not in (None, ""))]
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower())[:_NAME_LENGTH].strip("-")
