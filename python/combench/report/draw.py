"""Pictures drawn with matplotlib: SVG, PNG and PDF of the pictures that charts.py describes.

Lines differ in colour, symbol and dashes, so that they can be distinguished without colours.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterable, Sequence

from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure as Sheet
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from combench.report.charts import (
    MAX_TECHNOLOGIES,
    Axis,
    HeatMap,
    Panel,
    Picture,
    Point,
    Series,
    Timeline,
    common_marks,
    runs,
    x_text,
)
from combench.report.figures import frequency, number, text

# The colours of Okabe and Ito, without yellow, which is invisible on white paper, and three more.
_COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00", "#56b4e9"),
    *("#8c564b", "#7f7f7f", "#6a3d9a"),
)
_SYMBOLS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h")
_DASHES = (
    *("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1))),
    *((0, (1, 3)), (0, (10, 2, 2, 2)), (0, (5, 4))),
)
assert len(_COLOURS) == len(_SYMBOLS) == len(_DASHES) == MAX_TECHNOLOGIES

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
    "axes.ymargin": 0.1,
    "svg.hashsalt": "combench",
    "svg.fonttype": "path",
}
_COLUMNS = 3
_WIDTH_IN, _PANEL_HEIGHT_IN, _SINGLE_HEIGHT_IN = 9.6, 2.05, 2.6
_DPI = 130
_ZERO_AT = -2.0  # position of a packet of 0 bytes on an axis of powers of two


def _position(axis: Axis, x: Any, grid: Sequence[Any]) -> float:
    """The position of a value on its axis."""
    if axis.scale == "size":
        smallest = min((math.log2(size) for size in grid if size > 0), default=0.0)
        return math.log2(x) if x > 0 else smallest + _ZERO_AT
    if axis.scale == "count":
        return math.log2(x)
    return float(grid.index(x)) if axis.scale == "category" else float(x)


def _is_joined(axis: Axis, left: Point, right: Point) -> bool:
    """Whether values exist between both: not between categories, nor between 0 bytes and others."""
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
    """Ticks that do not overlap."""
    kept: list[Any] = []
    for x in grid:
        if not kept or place(x) - place(kept[-1]) >= gap:
            kept.append(x)
    return kept


def _size_ticks(grid: Sequence[int]) -> list[int]:
    """Powers of two, or all sizes where they are few."""
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
    """A logarithmic axis with enough ticks where it covers less than a decade."""
    set_scale("log")
    decades = math.log10(max(values) / min(values)) if values else 1
    digits = (1.0, 2.0, 5.0) if decades < 3 else (1.0,)
    axis.set_major_locator(LogLocator(10, subs=digits, numticks=12))
    axis.set_major_formatter(FuncFormatter(_plain))
    axis.set_minor_locator(NullLocator())


def _styles(picture: Picture) -> dict[str, int]:
    """The style of each label, which is the same in all panels."""
    labels = dict.fromkeys(line.label for line in picture.lines)
    return {label: place % MAX_TECHNOLOGIES for place, label in enumerate(labels)}


def _drawable(picture: Picture, point: Point) -> bool:
    """False for 0 on a logarithmic axis, such as the throughput of empty packets."""
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
    """Filled symbols where the row was measured in a steady state, else open ones."""
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
    common = common_marks(picture)
    for x, point in zip(xs, points):
        marks = "".join(mark for mark in point.figure.marks if mark not in common)
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
    """A curve with the band of its intervals, and a symbol at every sixth point."""
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
    for line in panel.series:
        if picture.x.scale == "tail":
            _draw_band(axes, line, styles[line.label])
        else:
            _draw_points(axes, picture, line, panel.grid, styles[line.label])
    for where, what in panel.limits:
        axes.axvline(where, color="#555555", linewidth=0.9, linestyle=(0, (1, 1)))
        axes.set_title(what, fontsize=6.5, loc="right", color="#555555", y=0.99)
    axes.set_title(panel.title, loc="left", fontweight="bold", y=1.07 if panel.limits else 1.0)
    # All panels have the same x axis, except for rates, of which each panel has its own.
    _set_x(axes, picture.x, panel.grid if picture.x.scale == "log" else _all_x(picture))


def _all_x(picture: Picture) -> list[Any]:
    """The x values of all panels; categories in order of appearance."""
    found = list(dict.fromkeys(point.x for point in picture.points))
    return found if picture.x.scale == "category" else sorted(found)


def _values(picture: Picture) -> list[float]:
    return [point.figure.value for point in picture.points if _drawable(picture, point)]


_LETTER_IN = 0.075
_LEGEND_LINE_IN = 0.2
_LIMIT_IN = 0.15  # the label of a vertical line
_LEFT_IN, _RIGHT_IN, _TOP_IN, _BOTTOM_IN, _BETWEEN_IN = 0.72, 0.15, 0.3, 0.45, 0.28


def _legend_columns(labels: Iterable[str], width_in: float) -> int:
    longest = max(len(label) for label in labels)
    return max(1, int((width_in - 0.3) / (0.75 + _LETTER_IN * longest)))


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
    """Sizes in inches: panels of equal size, margins for titles and labels, the legend below."""

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
    longest_in = 0.3 + _LETTER_IN * max(len(panel.title) for panel in picture.panels)
    columns = max(1, min(columns, int((_WIDTH_IN - _LEFT_IN) / longest_in)))
    rows = math.ceil(count / columns)
    legend_columns = _legend_columns(labels, _WIDTH_IN) if len(labels) > 1 else 1
    lines = math.ceil(len(labels) / legend_columns) if len(labels) > 1 else 0
    legend_in = _LEGEND_LINE_IN * lines + (0.1 if lines else 0)
    top_in = _TOP_IN + (_LIMIT_IN if limited else 0)
    panel_in = _PANEL_HEIGHT_IN if columns > 1 else _SINGLE_HEIGHT_IN
    height_in = rows * (panel_in + top_in) + legend_in
    return _Layout(rows, columns, _WIDTH_IN, height_in, top_in, legend_columns, legend_in)


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
    elif values and not any(values):
        grid[0][0].set_ylim(-0.05, 1)


# Bars: for pictures whose lines would have one point each.

_BAR_IN = 0.22
_BAR_GAP = 0.3  # of the place of a bar
_BAR_LOG_RATIO = 30  # values that differ by more have a logarithmic axis
_LABELS_SHARE = 0.7  # of the width, at most
_BAR_TEXT_SHARE = 0.55  # free width for the text of the longest bar, in widths of that bar


@dataclass(frozen=True)
class _Bar:
    label: str
    point: Point
    style: int


def _bars(picture: Picture, panel: Panel, styles: dict[str, int]) -> list[_Bar]:
    """The bars of a panel from top to bottom: by x value, then by line."""
    place = {x: index for index, x in enumerate(_all_x(picture))}
    made = []
    for line in panel.series:
        label = line.label if len(styles) > 1 else ""
        for point in line.points:
            x = "" if picture.single_x and label else x_text(picture.x, point.x)
            made.append(_Bar(", ".join(filter(None, (x, label))), point, styles[line.label]))
    return sorted(made, key=lambda bar: place[bar.point.x])


def _set_bar_scale(axes: Axes, values: Sequence[float]) -> bool:
    """Set the axis of values from those of all panels; whether it is logarithmic."""
    positive = [value for value in values if value > 0]
    most = max(positive, default=1.0)
    is_log = min(positive, default=most) * _BAR_LOG_RATIO < most
    if is_log:
        _set_log(axes.set_xscale, axes.xaxis, positive)
        axes.xaxis.set_major_locator(LogLocator(10, numticks=9))
        least = 10 ** math.floor(math.log10(min(positive)))
        axes.set_xlim(least, most * (most / least) ** _BAR_TEXT_SHARE)
    else:
        axes.set_xlim(min([0.0, *values]), most * (1 + _BAR_TEXT_SHARE))
        axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    return is_log


def _draw_bars(axes: Axes, picture: Picture, bars: Sequence[_Bar]) -> None:
    """Horizontal bars with their intervals, and each value in words at its end."""
    as_text = frequency if picture.y.label.endswith("Hz") else number
    common = common_marks(picture)
    for place, bar in enumerate(bars):
        known, colour = bar.point.figure, _COLOURS[bar.style]
        filling = colour if bar.point.joined else "white"
        axes.barh(place, known.value, 1 - _BAR_GAP, color=filling, edgecolor=colour, alpha=0.75)
        end = known.value
        if known.low is not None and known.high is not None:
            axes.hlines(place, known.low, known.high, color="black", linewidth=1)
            end = max(end, known.high)
        marks = "".join(mark for mark in known.marks if mark not in common)
        words = text(replace(known, marks=marks), as_text)
        axes.annotate(words, (end, place), (4, 0), textcoords="offset points", va="center", fontsize=7.5)
    axes.set_yticks(range(len(bars)), [bar.label for bar in bars])
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _sheet_of_bars(picture: Picture) -> Sheet:
    """A picture of bars: panels side by side with the same axis of values."""
    styles = _styles(picture)
    of_panels = [_bars(picture, panel, styles) for panel in picture.panels]
    count = len(of_panels)
    most = max(len(bars) for bars in of_panels)
    labels_in = 0.3 + _LETTER_IN * max(len(bar.label) for bars in of_panels for bar in bars)
    labels_in = min(labels_in, _LABELS_SHARE * _WIDTH_IN)
    columns = min(count, 2 if labels_in < _LABELS_SHARE * _WIDTH_IN / 2 else 1)
    rows = math.ceil(count / columns)
    panel_in, around_in = _BAR_IN * max(most, 2), _TOP_IN + _BOTTOM_IN
    height_in = rows * (panel_in + around_in)
    width_in = (_WIDTH_IN - columns * labels_in - _RIGHT_IN) / columns
    sheet = Sheet(figsize=(_WIDTH_IN, height_in), dpi=_DPI)
    FigureCanvasAgg(sheet)
    grid = sheet.subplots(rows, columns, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place >= count:
            axes.set_axis_off()
            continue
        _draw_bars(axes, picture, of_panels[place])
        is_log = _set_bar_scale(axes, _values(picture))
        axes.set_title(picture.panels[place].title, loc="left", fontweight="bold")
        axes.set_xlabel(f"{picture.y.label} (logarithmic)" if is_log else picture.y.label)
    sheet.subplots_adjust(
        left=labels_in / _WIDTH_IN,
        right=1 - _RIGHT_IN / _WIDTH_IN,
        top=1 - _TOP_IN / height_in,
        bottom=_BOTTOM_IN / height_in,
        wspace=labels_in / width_in,
        hspace=around_in / panel_in,
    )
    return sheet


# Heat maps of the links between hosts.

_MAP_IN = 3.6
_MAP_NAMES = 20  # of hosts that an axis has room for
_MAP_LOG_RATIO = 3


def _draw_map(sheet: Sheet, axes: Axes, one: HeatMap) -> None:
    known = [value for line in one.values for value in line if value]
    low, high = min(known), max(known)
    is_log = high > _MAP_LOG_RATIO * low
    drawn = axes.imshow(
        [[math.nan if value is None else value for value in line] for line in one.values],
        norm=LogNorm(low, high) if is_log else Normalize(low, high),
        cmap="viridis",
        interpolation="nearest",
    )
    step = math.ceil(len(one.names) / _MAP_NAMES)
    places = range(0, len(one.names), step)
    axes.set_xticks(places, [one.names[i] for i in places], rotation=90, fontsize=6)
    axes.set_yticks(places, [one.names[i] for i in places], fontsize=6)
    axes.grid(visible=False)
    axes.set_title(one.title + (" (logarithmic)" if is_log else ""), loc="left", fontweight="bold")
    bar = sheet.colorbar(drawn, ax=axes, shrink=0.8)
    bar.ax.tick_params(labelsize=6)


def _sheet_of_maps(picture: Picture) -> Sheet:
    """Maps side by side, two in a line."""
    columns = min(len(picture.maps), 2)
    rows = math.ceil(len(picture.maps) / columns)
    sheet = Sheet(figsize=(_WIDTH_IN, rows * _MAP_IN), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(sheet)
    grid = sheet.subplots(rows, columns, squeeze=False)
    for axes in list(grid.flat)[len(picture.maps) :]:
        axes.set_axis_off()
    for place, (axes, one) in enumerate(zip(grid.flat, picture.maps)):
        _draw_map(sheet, axes, one)
        if place % columns == 0:
            axes.set_ylabel(picture.y.label)
        if place + columns >= len(picture.maps):
            axes.set_xlabel(picture.x.label)
    return sheet


_CELL_IN = 0.36  # height of a cell of a matrix


def _cell_text(point: Point) -> str:
    """In brackets: the interval has no impact in it, or there is none."""
    low, high = point.figure.low, point.figure.high
    unclear = low is None or high is None or low <= 1 <= high
    return f"({number(point.figure.value)})" if unclear else number(point.figure.value)


def _draw_matrix(axes: Axes, panel: Panel, grid: Sequence[Any], reach: float) -> None:
    for row, line in enumerate(panel.series):
        for point in line.points:
            place, value = grid.index(point.x), math.log(point.figure.value) / reach
            colour = colormaps["coolwarm"](min(1.0, max(0.0, 0.5 + value / 2)))
            axes.add_patch(Rectangle((place - 0.5, row - 0.5), 1, 1, color=colour, linewidth=0))
            ink = "white" if abs(value) > 0.7 else "black"
            axes.text(place, row, _cell_text(point), ha="center", va="center", fontsize=7, color=ink)
    axes.set_xlim(-0.5, len(grid) - 0.5)
    axes.set_ylim(len(panel.series) - 0.5, -0.5)
    axes.set_xticks(range(len(grid)), grid, rotation=20, ha="right", fontsize=6.5)
    axes.set_yticks(
        range(len(panel.series)), [line.label for line in panel.series], fontsize=6.5
    )
    axes.grid(False)
    axes.set_title(panel.title, loc="left", fontweight="bold")


def _sheet_of_matrices(picture: Picture) -> Sheet:
    """A coloured table for each panel, one below the other; the colour is the logarithm of the value."""
    grid = _all_x(picture)
    reach = max(*(abs(math.log(value)) for value in _values(picture)), math.log(2))
    heights = [len(panel.series) for panel in picture.panels]
    labels_in = 0.3 + 0.062 * max(len(line.label) for line in picture.lines)
    below_in = 0.25 + 0.02 * max(len(str(x)) for x in grid)
    height_in = sum(heights) * _CELL_IN + len(heights) * (below_in + _TOP_IN)
    sheet = Sheet(figsize=(_WIDTH_IN, height_in), dpi=_DPI)
    FigureCanvasAgg(sheet)
    rows = sheet.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, panel in zip(rows, picture.panels):
        _draw_matrix(axes, panel, grid, reach)
    sheet.subplots_adjust(
        left=min(0.5, labels_in / _WIDTH_IN),
        right=1 - _RIGHT_IN / _WIDTH_IN,
        top=1 - _TOP_IN / height_in,
        bottom=below_in / height_in,
        hspace=(below_in + _TOP_IN) / (sum(heights) / len(heights) * _CELL_IN),
    )
    return sheet


# Timelines of events, two in a line.

_MESSAGE_IN = 0.17
_SENT, _READ = "#56b4e9", "#0072b2"  # from sending to arrival; while the receiver reads


def _draw_timeline(axes: Axes, one: Timeline, most: int, end_us: float) -> None:
    messages, complete_us = one.event.messages, one.event.complete_us
    for place, message in enumerate(messages):
        sent_us, arrived_us = message.sent_us, message.arrived_us
        axes.barh(place, arrived_us - sent_us, 0.7, left=sent_us, color=_SENT, linewidth=0)
        axes.barh(place, message.read_us - arrived_us, 0.7, left=arrived_us, color=_READ, linewidth=0)
    axes.axvline(complete_us, color="#555555", linewidth=0.9, linestyle="--")
    axes.annotate(
        f"complete: {number(complete_us)} us",
        (complete_us, -0.9),
        (-4 if complete_us > end_us / 2 else 4, 0),
        textcoords="offset points",
        ha="right" if complete_us > end_us / 2 else "left",
        va="center",
        fontsize=7,
        color="#555555",
    )
    axes.set_yticks(range(len(messages)), one.event.labels, fontsize=7)
    axes.set_ylim(most - 0.5, -1.5)
    axes.set_xlim(0, end_us * 1.02)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_title(one.title, loc="left", fontweight="bold", fontsize=7.5)


def _sheet_of_timelines(picture: Picture) -> Sheet:
    """All have the same axis of time, so that they can be compared."""
    columns = min(len(picture.timelines), 2)
    rows = math.ceil(len(picture.timelines) / columns)
    most = max(len(one.event.messages) for one in picture.timelines)
    end_us = max(one.event.complete_us for one in picture.timelines)
    height_in = rows * ((most + 1) * _MESSAGE_IN + _TOP_IN) + _BOTTOM_IN
    sheet = Sheet(figsize=(_WIDTH_IN, height_in), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(sheet)
    grid = sheet.subplots(rows, columns, squeeze=False)
    for axes in list(grid.flat)[len(picture.timelines) :]:
        axes.set_axis_off()
    for place, (axes, one) in enumerate(zip(grid.flat, picture.timelines)):
        _draw_timeline(axes, one, most, end_us)
        if place + columns >= len(picture.timelines):
            axes.set_xlabel(picture.x.label)
    sheet.draw_without_rendering()
    return sheet


def sheet_of(picture: Picture) -> Sheet:
    """The drawing of a picture: panels with the same axes, and the legend below."""
    if picture.timelines:
        with rc_context(_SETTINGS):
            return _sheet_of_timelines(picture)
    if picture.maps:
        with rc_context(_SETTINGS):
            sheet = _sheet_of_maps(picture)
            sheet.draw_without_rendering()
            return sheet
    if picture.is_matrix:
        with rc_context(_SETTINGS):
            return _sheet_of_matrices(picture)
    if picture.is_bars:
        with rc_context(_SETTINGS):
            return _sheet_of_bars(picture)
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
    """The drawing as `svg`, `png` or `pdf`; equal results give equal bytes."""
    stream = io.BytesIO()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[form]
    with rc_context(_SETTINGS):
        sheet.savefig(stream, format=form, metadata=metadata)
    return stream.getvalue()
