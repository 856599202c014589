"""Pictures by matplotlib: SVG, PNG and PDF of what charts.py describes.

Lines differ in colour, in the shape of their points and in their dashes, so that they can be told
apart by those who see colours otherwise, and on paper without any.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Sequence

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Sheet
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from combench.report.charts import (
    LINES_AT_MOST,
    Axis,
    Panel,
    Picture,
    Point,
    Series,
    common_marks,
    runs,
)

# The colours of Okabe and Ito, without the yellow that is lost on white paper.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00", "#56b4e9")
_SYMBOLS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1)))
assert len(_COLOURS) == len(_SYMBOLS) == len(_DASHES) == LINES_AT_MOST

_SETTINGS = {
    "font.size": 8.5,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "axes.titlesize": 8.5,
    "svg.hashsalt": "combench",
    "svg.fonttype": "path",
}
_COLUMNS = 3
_WIDTH_IN, _SINGLE_WIDTH_IN, _PANEL_HEIGHT_IN = 9.6, 5.6, 2.05
_DPI = 130
_ZERO_AT = -2.0  # where a packet of no bytes stands on an axis of powers of two


def _position(axis: Axis, x: Any, grid: Sequence[Any]) -> float:
    """Where a value stands on its axis."""
    if axis.scale == "size":
        smallest = min((math.log2(size) for size in grid if size > 0), default=0.0)
        return math.log2(x) if x > 0 else smallest + _ZERO_AT
    if axis.scale == "count":
        return math.log2(x)
    return float(grid.index(x)) if axis.scale == "category" else float(x)


def _is_joined(axis: Axis, left: Point, right: Point) -> bool:
    """Nothing lies between categories, nor between no bytes and some on an axis of powers."""
    return axis.scale != "category" and not (axis.scale == "size" and left.x == 0 < right.x)


def _pieces(axis: Axis, run: Sequence[Point]) -> list[list[Point]]:
    pieces = [[run[0]]]
    for left, right in zip(run, run[1:]):
        if not _is_joined(axis, left, right):
            pieces.append([])
        pieces[-1].append(right)
    return pieces


def _size_text(size: int) -> str:
    for factor, unit in ((1 << 20, "Mi"), (1 << 10, "Ki")):
        if size >= factor and size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)


def _spaced(grid: Sequence[Any], place: Callable[[Any], float], gap: float) -> list[Any]:
    """Ticks that do not run into each other."""
    kept: list[Any] = []
    for x in grid:
        if not kept or place(x) - place(kept[-1]) >= gap:
            kept.append(x)
    return kept


def _size_ticks(grid: Sequence[int]) -> list[int]:
    """Powers of two; with the note's sizes alone all of them."""
    powers = [size for size in grid if size == 0 or size & (size - 1) == 0]
    span = math.log2(max(max(powers, default=1), 1))
    step = 2 if span <= 12 else 4
    if len(grid) <= 6:
        return list(grid)
    return [size for size in powers if size == 0 or (size.bit_length() - 1) % step == 0]


def _rarity_text(position: float, _: int) -> str:
    return f"{100 * (1 - 10**-position):.{max(0, round(position) - 2)}f} %"


def _set_x(axes: Axes, axis: Axis, grid: Sequence[Any]) -> None:
    if axis.scale == "linear":
        return
    if axis.scale == "log":
        _set_log(axes.set_xscale, axes.xaxis, [float(x) for x in grid])
        return
    if axis.scale == "tail":
        axes.xaxis.set_major_locator(FixedLocator([0.30103, 1, 2, 3, 4, 5, 6]))
        axes.xaxis.set_major_formatter(FuncFormatter(_rarity_text))
        axes.set_xlim(0, grid[-1] * 1.02)
        return

    def place(x: Any) -> float:
        return _position(axis, x, grid)

    shown: Sequence[Any] = grid
    if axis.scale == "size":
        shown = _size_ticks(grid)
    elif axis.scale == "count":
        shown = _spaced(grid, place, 0.07 * (place(grid[-1]) - place(grid[0])))
    axes.set_xticks([place(x) for x in shown])
    axes.set_xticklabels([_size_text(x) if axis.scale == "size" else str(x) for x in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    first, last = place(grid[0]), place(grid[-1])
    margin = 0.5 if axis.scale == "category" else 0.06 * (last - first) or 0.5
    axes.set_xlim(first - margin, last + margin)


def _plain(value: float, _: int) -> str:
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:g}{prefix}"
    return f"{value:g}"


def _set_log(set_scale: Callable[[str], None], axis: Any, values: Sequence[float]) -> None:
    """A logarithmic axis whose ticks can be read also where it covers less than a decade."""
    set_scale("log")
    decades = math.log10(max(values) / min(values)) if values else 1
    digits = (1.0, 2.0, 5.0) if decades < 3 else (1.0,)
    axis.set_major_locator(LogLocator(10, subs=digits, numticks=12))
    axis.set_major_formatter(FuncFormatter(_plain))
    axis.set_minor_locator(NullLocator())


def _styles(picture: Picture) -> dict[str, int]:
    """A line of one name looks alike in all panels."""
    labels = dict.fromkeys(line.label for panel in picture.panels for line in panel.series)
    return {label: place % LINES_AT_MOST for place, label in enumerate(labels)}


def _drawable(picture: Picture, point: Point) -> bool:
    """A logarithmic axis has no place for 0, such as the throughput of empty packets."""
    return picture.y.scale != "log" or point.figure.value > 0


def _draw_intervals(axes: Axes, xs: Sequence[float], points: Sequence[Point], style: int) -> None:
    known = [(x, point.figure) for x, point in zip(xs, points) if point.figure.low is not None]
    if known:
        axes.vlines(
            [x for x, _ in known],
            [figure.low for _, figure in known],
            [figure.high for _, figure in known],
            color=_COLOURS[style],
            linewidth=1,
        )


def _draw_symbols(axes: Axes, xs: Sequence[float], points: Sequence[Point], style: int) -> None:
    """Filled where the row tells of a steady state, else open."""
    for joined, filling in ((True, _COLOURS[style]), (False, "white")):
        chosen = [(x, point) for x, point in zip(xs, points) if point.joined == joined]
        axes.plot(
            [x for x, _ in chosen],
            [point.figure.value for _, point in chosen],
            linestyle="",
            marker=_SYMBOLS[style],
            markersize=4.5,
            markeredgecolor=_COLOURS[style],
            markerfacecolor=filling,
        )


def _draw_points(axes: Axes, picture: Picture, line: Series, grid: list[Any], style: int) -> None:
    points = [point for point in line.points if _drawable(picture, point)]
    xs = [_position(picture.x, point.x, grid) for point in points]
    _draw_intervals(axes, xs, points, style)
    _draw_symbols(axes, xs, points, style)
    told = common_marks(picture)
    for x, point in zip(xs, points):
        marks = "".join(mark for mark in point.figure.marks if mark not in told)
        if marks:
            axes.annotate(
                marks,
                (x, point.figure.value),
                (3, 3),
                textcoords="offset points",
                fontsize=6.5,
                color=_COLOURS[style],
            )
    at = dict(zip((point.x for point in points), xs))
    for run in runs(Series(line.label, tuple(points)), grid):
        for piece in _pieces(picture.x, run):
            axes.plot(
                [at[point.x] for point in piece],
                [point.figure.value for point in piece],
                color=_COLOURS[style],
                linestyle=_DASHES[style],
                linewidth=1.2,
            )


def _draw_band(axes: Axes, line: Series, style: int) -> None:
    """A curve with the band of its intervals; points only now and then."""
    xs = [point.x for point in line.points]
    known = [point for point in line.points if point.figure.low is not None]
    axes.fill_between(
        [point.x for point in known],
        [point.figure.low for point in known],
        [point.figure.high for point in known],
        color=_COLOURS[style],
        alpha=0.18,
        linewidth=0,
    )
    axes.plot(
        xs,
        [point.figure.value for point in line.points],
        color=_COLOURS[style],
        linestyle=_DASHES[style],
        marker=_SYMBOLS[style],
        markevery=(style, 6),
        markersize=4,
        linewidth=1.2,
    )


def _draw_panel(axes: Axes, picture: Picture, panel: Panel, styles: dict[str, int]) -> None:
    grid = panel.grid if picture.x.scale != "category" else _all_x(picture)
    for line in panel.series:
        if picture.x.scale == "tail":
            _draw_band(axes, line, styles[line.label])
        else:
            _draw_points(axes, picture, line, grid, styles[line.label])
    for where, what in panel.limits:
        axes.axvline(where, color="#555555", linewidth=0.9, linestyle=(0, (1, 1)))
        axes.set_title(what, fontsize=6.5, loc="right", color="#555555", y=0.99)
    axes.set_title(panel.title, loc="left", fontweight="bold", y=1.07 if panel.limits else 1.0)
    # All panels have one scale along x, but where each has rates of its own.
    _set_x(axes, picture.x, grid if picture.x.scale == "log" else _all_x(picture))


def _all_x(picture: Picture) -> list[Any]:
    """What stands along x in any of the panels; categories in the order in which they come."""
    points = (point for panel in picture.panels for line in panel.series for point in line.points)
    found = list(dict.fromkeys(point.x for point in points))
    return found if picture.x.scale == "category" else sorted(found)


def _values(picture: Picture) -> list[float]:
    return [
        point.figure.value
        for panel in picture.panels
        for line in panel.series
        for point in line.points
        if _drawable(picture, point)
    ]


_LEGEND_WORD_IN = 0.075  # a letter
_LEGEND_LINE_IN = 0.2
_LIMIT_IN = 0.15  # the words of a vertical line
_LEFT_IN, _RIGHT_IN, _TOP_IN, _BOTTOM_IN, _BETWEEN_IN = 0.72, 0.15, 0.3, 0.45, 0.28


def _legend_columns(labels: Iterable[str], width_in: float) -> int:
    longest = max(len(label) for label in labels)
    return max(1, int((width_in - 0.3) / (0.75 + _LEGEND_WORD_IN * longest)))


def _legend(sheet: Sheet, styles: dict[str, int], columns: int) -> None:
    handles = [
        Line2D(
            [],
            [],
            color=_COLOURS[style],
            linestyle=_DASHES[style],
            marker=_SYMBOLS[style],
            markersize=4.5,
            linewidth=1.2,
            label=label,
        )
        for label, style in styles.items()
    ]
    sheet.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.01, 0.0),
        frameon=False,
        ncol=columns,
        handlelength=3.2,
        columnspacing=1.4,
    )


@dataclass(frozen=True)
class _Layout:
    """Inches: panels of one size, margins for what stands around them, a legend below."""

    rows: int
    columns: int
    width_in: float
    height_in: float
    top_in: float  # above a panel
    legend_columns: int
    legend_in: float

    def adjust(self, sheet: Sheet, between_in: float) -> None:
        free_width_in = self.width_in - _LEFT_IN - _RIGHT_IN - between_in * (self.columns - 1)
        around_in = self.top_in + _BOTTOM_IN
        free_height_in = self.height_in - self.legend_in - around_in * self.rows
        sheet.subplots_adjust(
            left=_LEFT_IN / self.width_in,
            right=1 - _RIGHT_IN / self.width_in,
            top=1 - self.top_in / self.height_in,
            bottom=(self.legend_in + _BOTTOM_IN) / self.height_in,
            wspace=between_in * self.columns / free_width_in,
            hspace=around_in * self.rows / free_height_in,
        )


def _layout(picture: Picture, labels: Sequence[str]) -> _Layout:
    count = len(picture.panels)
    limited = any(panel.limits for panel in picture.panels)
    columns = min(count, 2 if limited or count in (2, 4) else _COLUMNS)
    rows = math.ceil(count / columns)
    width_in = _WIDTH_IN if columns > 1 else _SINGLE_WIDTH_IN
    legend_columns = _legend_columns(labels, width_in) if len(labels) > 1 else 1
    lines = math.ceil(len(labels) / legend_columns) if len(labels) > 1 else 0
    legend_in = _LEGEND_LINE_IN * lines + (0.1 if lines else 0)
    top_in = _TOP_IN + (_LIMIT_IN if limited else 0)
    height_in = rows * (_PANEL_HEIGHT_IN + top_in) + legend_in
    return _Layout(rows, columns, width_in, height_in, top_in, legend_columns, legend_in)


def _draw_panels(sheet: Sheet, picture: Picture, layout: _Layout, styles: dict[str, int]) -> None:
    grid = sheet.subplots(layout.rows, layout.columns, sharey=True, squeeze=False)
    count = len(picture.panels)
    for place, axes in enumerate(grid.flat):
        if place >= count:
            axes.set_axis_off()
            continue
        _draw_panel(axes, picture, picture.panels[place], styles)
        if place % layout.columns == 0:
            axes.set_ylabel(picture.y.label)
        if place + layout.columns >= count:
            axes.set_xlabel(picture.x.label)
    values = _values(picture)
    if picture.y.scale == "log" and values:
        _set_log(grid[0][0].set_yscale, grid[0][0].yaxis, values)


def sheet_of(picture: Picture) -> Sheet:
    """The drawing of a picture: panels side by side with one scale, the legend below."""
    styles = _styles(picture)
    layout = _layout(picture, list(styles))
    with rc_context(_SETTINGS):
        sheet = Sheet(figsize=(layout.width_in, layout.height_in), dpi=_DPI)
        FigureCanvasAgg(sheet)
        _draw_panels(sheet, picture, layout, styles)
        if len(styles) > 1:
            _legend(sheet, styles, layout.legend_columns)
        layout.adjust(sheet, _BETWEEN_IN)
    return sheet


def written(sheet: Sheet, form: str) -> bytes:
    """The drawing as `svg`, `png` or `pdf`; the same bytes for the same results."""
    stream = io.BytesIO()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[form]
    with rc_context(_SETTINGS):
        sheet.savefig(stream, format=form, metadata=metadata)
    return stream.getvalue()
