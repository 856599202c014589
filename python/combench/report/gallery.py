"""The pictures of a report, in order: a table of charts, and pictures that need their own code."""

from __future__ import annotations

import bisect
import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Callable, Iterable, Optional, Sequence

from combench.common import catalogue
from combench.common.catalogue import Benchmark, Column, Plot
from combench.report import fragments, incast, linkmaps, lists
from combench.report.charts import (
    MAX_TECHNOLOGIES,
    Axis,
    Chart,
    Panel,
    Picture,
    Point,
    Series,
    Timeline,
    benchmark_title,
    common_words,
    file_name,
    grouped,
    named,
    ordered,
    panel_title,
    pictures_of,
    thinned,
)
from combench.report.figures import Figure, frequency, marks_of, quantile_interval, text
from combench.report.rows import ORIGIN, Row, usual

FARMS, FREQUENCY, BASIC, LINKS, SCALING, TASKS, CONDITIONS = (
    "Farms under load",
    "Frequency by number of processes",
    "Latency and throughput by packet size",
    "Links between hosts",
    "Scaling",
    "Overlap with computing",
    "Measurement conditions",
)
SECTIONS = (FARMS, FREQUENCY, BASIC, LINKS, SCALING, incast.SECTION, TASKS, CONDITIONS)

_SIZE = Axis("packet size, bytes", "size")
_RATE = Axis("frequency, Hz", "log")
_WHERE = ("technology", "machine")


# Whether a benchmark has a picture, by the plots of its definition.


def _plots(column: str, against: str) -> Callable[[Benchmark], bool]:
    return lambda one: column in one.plots_against(against)


def _is(wanted: Benchmark) -> Callable[[Benchmark], bool]:
    return lambda one: one is wanted


def _plots_time(one: Benchmark) -> bool:
    """Whether the benchmark plots the time of a step against the packet size."""
    columns = catalogue.known().columns
    return any(columns[key].type == "summary" for key in one.plots_against("size_bytes"))


def _plots_frequency(one: Benchmark) -> bool:
    """Whether the benchmark plots its frequency against its count."""
    return "frequency_Hz" in one.plots_against(one.count.column)


def _is_occupied(one: Benchmark) -> bool:
    return bool(one.occupations)


def _closed(rows: list[Row]) -> list[Row]:
    return [row for row in usual(rows) if row.get("mode") != "open"]


def _of_one_size(rows: list[Row]) -> list[Row]:
    return [row for row in _closed(rows) if not row.get("fragments")]


def _bounced(rows: list[Row]) -> list[Row]:
    """Rows with one message at a time: a stream has a throughput but no latency."""
    streams = {
        (one.name, mode.name)
        for one in catalogue.known().benchmarks.values()
        for mode in one.modes
        if mode.stream
    }
    return [row for row in usual(rows) if (row.get("benchmark"), row.get("mode")) not in streams]


def _overview(rows: list[Row]) -> list[Row]:
    """The largest packet size of the note, without work on packets, for all benchmarks."""
    return _largest_of_note(_without_work(rows))


def _without_work(rows: list[Row]) -> list[Row]:
    return [row for row in _closed(rows) if not row.get("algorithm_us")]


def _largest_of_note(rows: list[Row]) -> list[Row]:
    """Rows with the largest measured size that does not exceed those of the note."""
    largest = max(catalogue.known().note_sizes_bytes)
    sizes = [row.get("size_bytes") for row in rows if row.get("size_bytes") <= largest]
    return [row for row in rows if sizes and row.get("size_bytes") == max(sizes)]


def _smallest_count(rows: list[Row]) -> list[Row]:
    """Rows beside a computing task, with the smallest number of processes."""
    busy = [row for row in rows if row.get("occupation") not in (None, "none")]
    least = {
        group[0].origin: min(row.count or 0 for row in _without_reference(group))
        for group in grouped(busy, ("benchmark", "technology", "machine"))
    }
    return [row for row in busy if row.count == least[row.origin]]


def _without_reference(rows: list[Row]) -> list[Row]:
    """Rows without the reference count, which every document has, where other counts exist."""
    least = min(row.count or 0 for row in rows)
    return [row for row in rows if row.count != least] or rows


def _conditions(key: str) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: usual(rows, but=(key,))


def _fixed_size(rows: list[Row]) -> list[Row]:
    """Rows with the sizes at which changing lists were measured."""
    changing = {row.get("size_bytes") for row in rows if row.get("list") not in (None, "fixed")}
    return [row for row in usual(rows, but=("list",)) if row.get("size_bytes") in changing]


_BY_COUNT = "Rate of the pattern for each packet size."


def _by_count(counted: str) -> Chart:
    return Chart(
        "frequency",
        FREQUENCY,
        "Frequency",
        _BY_COUNT,
        lambda one: _plots_frequency(one) and one.count.column == counted,
        "count",
        Axis(counted, "count"),
        _RATE,
        (("frequency_Hz", ""),),
        picture=("benchmark",),
        panel=(*_WHERE, "mode", "multicast", "reading", "algorithm_us"),
        select=_closed,
    )


def _label(column: Column) -> str:
    """The label of an axis."""
    unit = "per cent" if column.unit == "%" else column.unit
    return ", ".join(filter(None, (column.label or column.key, unit)))


def _ratios() -> list[Chart]:
    """Charts of ratios to the reference count, such as scaling efficiency."""
    known = catalogue.known()
    made = []
    for column, one in itertools.product(known.columns.values(), known.benchmarks.values()):
        ratio = one.ratio
        plotted = one.plots_against(one.count.column)
        if ratio and ratio.column == column.key and ratio.column in plotted:
            made.append(
                Chart(
                    f"{column.key.split('_')[0]}-{one.name}",
                    SCALING,
                    f"{ratio.title} {one.short_label} ({one.id})",
                    ratio.caption,
                    _is(one),
                    "count",
                    Axis(one.count.column, "count"),
                    Axis(_label(column), "linear"),
                    ((column.key, ""),),
                    panel=(*_WHERE, "mode"),
                )
            )
    return made


def _has_a_chart(one: Benchmark, plot: Plot) -> bool:
    if one.names_others and plot.column in _IMPACTS:
        return True
    if plot.against == one.count.column and plot.column in ("frequency_Hz", one.ratio.column if one.ratio else ""):
        return True
    if plot.against == "size_bytes" and catalogue.known().columns[plot.column].type == "summary":
        return True
    return (plot.column, plot.against) in (
        ("throughput_MBps", "size_bytes"),
        ("frequency_Hz", "list"),
        ("event_latency_us", "offered_Hz"),
        ("per_node_MBps", "processors"),
    )


def _others() -> list[Chart]:
    """Plain charts for plots of definitions that have no chart here."""
    known = catalogue.known()
    pairs = dict.fromkeys(
        (plot.column, plot.against)
        for one in known.benchmarks.values()
        for plot in one.plots
        if not _has_a_chart(one, plot)
    )
    return [_other(known.columns[column], known.columns[against]) for column, against in pairs]


def _other(column: Column, x: Column) -> Chart:
    counts = {one.count.column for one in catalogue.known().benchmarks.values()}
    scale = "log" if x.unit else "category"
    section = CONDITIONS
    if x.key in counts:
        section, scale = SCALING, "category" if x.type == "text" else "count"
    if x.key == "size_bytes":
        section, scale = BASIC, "size"
    figures = tuple((f"{column.key}.{one}", one) for one in column.members) or ((column.key, ""),)
    return Chart(
        f"{column.key}-{x.key}",
        section,
        column.label or column.key,
        column.meaning,
        _plots(column.key, x.key),
        x.key,
        Axis(_label(x), scale),
        Axis(_label(column), "log" if column.unit else "linear"),
        figures,
        panel=("benchmark", *_WHERE, "mode"),
    )


_CHARTS = (
    Chart(
        "frequency-overview",
        FREQUENCY,
        "All patterns and technologies",
        "Largest measured packet size of DAQ note 48, without work on packets.",
        _plots_frequency,
        "processors",
        Axis("processes", "count"),
        _RATE,
        (("frequency_Hz", ""),),
        panel=("benchmark", "mode", "multicast", "reading", "size_bytes"),
        select=_overview,
        needs="technology",
        most=MAX_TECHNOLOGIES,
    ),
    Chart(
        "farm-technologies",
        FARMS,
        "Rate of farms by technology",
        "Closed loop, without work on packets: the highest rate of decisions.",
        lambda one: one.count.is_farm,
        "size_bytes",
        _SIZE,
        _RATE,
        (("frequency_Hz", ""),),
        panel=("benchmark", "shape", "machine", "multicast", "fetched", "accept"),
        select=_without_work,
        needs="technology",
        most=MAX_TECHNOLOGIES,
    ),
    Chart(
        "frequency",
        FREQUENCY,
        "Frequency",
        "Events per second at the last stage.",
        lambda one: one.count.is_topology and _plots_frequency(one),
        "shape",
        Axis("topology", "category"),
        _RATE,
        (("frequency_Hz", ""),),
        picture=("benchmark",),
        panel=(*_WHERE, "algorithm_us"),
    ),
    Chart(
        "per-node",
        SCALING,
        "Throughput per node",
        "Payload that one builder gets per second, with its own fragments, which cross no network.",
        _plots("per_node_MBps", "processors"),
        "processors",
        Axis("processors", "count"),
        Axis("per node, MB/s", "log"),
        (("per_node_MBps", ""),),
        picture=("benchmark",),
        panel=(*_WHERE, "size_bytes", "folding", "pack"),
        select=_of_one_size,
    ),
    Chart(
        "latency",
        BASIC,
        "Latency",
        "Time from the sender's buffer to the receiver's buffer, one message at a time.",
        _plots_time,
        "size_bytes",
        _SIZE,
        Axis("latency, us", "log"),
        (("time_us", ""),),
        panel=("benchmark", "mode"),
        select=_bounced,
        most=MAX_TECHNOLOGIES,
    ),
    Chart(
        "throughput",
        BASIC,
        "Throughput",
        "Payload that all receivers together got per second. Empty packets have none.",
        _plots("throughput_MBps", "size_bytes"),
        "size_bytes",
        _SIZE,
        Axis("throughput, MB/s", "log"),
        (("throughput_MBps", ""),),
        panel=("benchmark", "mode"),
        most=MAX_TECHNOLOGIES,
    ),
    Chart(
        "slowdown-communication",
        TASKS,
        "Slowdown of the communication",
        "Time of a step beside a low-priority computing task, divided by the time without one. "
        "1: no slowdown. Smallest measured number of processes.",
        _is_occupied,
        "size_bytes",
        _SIZE,
        Axis("slowdown", "log"),
        (("slowdown_communication", ""),),
        picture=_WHERE,
        panel=("benchmark", "mode", "multicast", "shape"),
        select=_smallest_count,
    ),
    Chart(
        "slowdown-computing",
        TASKS,
        "Slowdown of the computing task",
        "Rate of computing without communication, divided by its rate beside communication. "
        "1: no slowdown. Smallest measured number of processes.",
        _is_occupied,
        "size_bytes",
        _SIZE,
        Axis("slowdown", "log"),
        (
            ("slowdown_computing.source", "at the source"),
            ("slowdown_computing.destination", "at the destination"),
            ("slowdown_computing.node", "at the nodes"),
        ),
        picture=_WHERE,
        panel=("benchmark", "mode", "multicast", "shape"),
        select=_smallest_count,
    ),
    Chart(
        "caches",
        CONDITIONS,
        "Effect of caches",
        "hot: the same buffers in every step; rotate: more buffers than the caches hold.",
        _plots_time,
        "size_bytes",
        _SIZE,
        Axis("time, us", "log"),
        (("time_us", ""),),
        picture=_WHERE,
        panel=("benchmark", "mode"),
        select=_conditions("buffers"),
        needs="buffers",
    ),
    Chart(
        "waits",
        CONDITIONS,
        "Wait policies",
        "How receivers wait: spin (poll), yield (poll, and yield the core), block (sleep).",
        _plots_time,
        "size_bytes",
        _SIZE,
        Axis("time, us", "log"),
        (("time_us", ""),),
        picture=_WHERE,
        panel=("benchmark", "mode"),
        select=_conditions("wait"),
        needs="wait",
    ),
    Chart(
        "lists",
        CONDITIONS,
        "Changing lists of receivers (1.6)",
        "fixed: the same receivers in each broadcast; rotate: the next ones in turn; random: drawn for "
        "each; new: as random, with a group that is made before the broadcast and freed after it.",
        _plots("frequency_Hz", "list"),
        "list",
        Axis("list", "category"),
        _RATE,
        (("frequency_Hz", ""),),
        panel=(*_WHERE, "multicast"),
        select=_fixed_size,
        needs="list",
        remark=lists.membership,
    ),
)


def _charts() -> list[Chart]:
    """All charts, in their order within sections."""
    known = catalogue.known().benchmarks.values()
    counted = dict.fromkeys(one.count.column for one in known if not one.count.is_topology)
    first, *rest = _CHARTS
    return [first, *map(_by_count, counted), *rest, *_ratios(), *_others()]


_LOAD = Chart(
    "load",
    FARMS,
    "Latency against the offered rate",
    "Events are due at the offered rate, whether or not earlier events are finished; latency counts "
    "from the due time. Open symbols: no steady state.",
    _plots("event_latency_us", "offered_Hz"),
    "offered_Hz",
    Axis("offered rate, Hz", "log"),
    Axis("latency, us", "log"),
    (
        ("event_latency_us.p50", "median (p50)"),
        ("event_latency_us.p90", "p90"),
        ("event_latency_us.p99", "p99"),
    ),
    picture=("benchmark",),
    panel=(*_WHERE, "shape", "size_bytes", "algorithm_us", "arrivals", "fetched", "accept"),
)


def _same_farm(row: Row, other: Row) -> bool:
    keys = ("benchmark", *_WHERE, "shape", "size_bytes", "algorithm_us", "wait", "fetched", "accept")
    keys += ("fragments", *catalogue.known().own_conditions(row.definition))
    return all(row.get(key) == other.get(key) for key in keys)


def _closed_loop(group: Sequence[Row], rows: Sequence[Row]) -> tuple[tuple[float, str], ...]:
    """The frequency of the closed loop, drawn as a vertical line."""
    for row in rows:
        if row.get("mode") != "closed" or not _same_farm(row, group[0]):
            continue
        known = row.figure("frequency_Hz")
        if known:
            return ((known.value, f"closed loop: {text(known, frequency)}"),)
    return ()


def _load_curves(rows: Sequence[Row]) -> list[Picture]:
    """Load curves with at least two offered rates; results of rate searches are not included."""
    open_rows = [row for row in rows if row.get("mode") == "open" and not row.get("found_Hz")]
    groups = grouped(open_rows, ("benchmark", *_LOAD.panel))
    curves = [row for group in groups if len(group) > 1 for row in group]
    made = []
    for of_benchmark in grouped(curves, ("benchmark",)):
        closed = {
            panel_title(group[0], of_benchmark, _LOAD.panel): _closed_loop(group, rows)
            for group in grouped(of_benchmark, _LOAD.panel)
        }
        for picture in pictures_of(_LOAD, of_benchmark):
            panels = [replace(panel, limits=closed.get(panel.title, ())) for panel in picture.panels]
            limited = any(panel.limits for panel in panels)
            caption = picture.caption + (" Dotted line: rate of the closed loop." if limited else "")
            made.append(replace(picture, panels=tuple(panels), caption=caption))
    return made


_SAMPLES_BEYOND = 10  # samples above a quantile that is drawn
_STEPS_A_DECADE = 10


def _distribution(row: Row, label: str) -> Optional[Series]:
    """Quantiles of latency, up to the last one with _SAMPLES_BEYOND samples above it."""
    histogram = row.get("event_latency_us.histogram")
    if not histogram or sum(histogram["counts"]) <= _SAMPLES_BEYOND:
        return None
    below = list(itertools.accumulate(histogram["counts"]))
    decades = math.log10(below[-1] / _SAMPLES_BEYOND)
    points = []
    for step in range(1, max(2, int(decades * _STEPS_A_DECADE) + 1)):
        rare = step / _STEPS_A_DECADE
        quantile = 1 - 10**-rare
        interval = quantile_interval(histogram, quantile)
        cell = bisect.bisect_left(below, below[-1] * quantile)
        value = histogram["bounds"][cell + 1]
        low, high = interval if interval else (None, None)
        points.append(Point(rare, Figure(value, low, high, marks_of(row.data)), True))
    return Series(label, tuple(points))


_OF_DISTRIBUTIONS = (*_WHERE, "algorithm_us", "size_bytes", "fragments")


def _distributions(rows: Sequence[Row]) -> list[Picture]:
    made = []
    for of_benchmark in grouped(_overview_of_farms(rows), ("benchmark",)):
        panels = []
        # A line for each shape or, of a benchmark with own conditions, for each of these in a panel for each shape.
        own = catalogue.known().own_conditions(of_benchmark[0].definition)
        keys = (*_OF_DISTRIBUTIONS, *(("shape",) if own else ()))
        for of_panel in grouped(of_benchmark, keys):
            labels = (panel_title(row, of_benchmark, own) or row.shape for row in of_panel)
            lines = [line for line in map(_distribution, of_panel, labels) if line]
            if lines:
                panels.append(Panel(panel_title(of_panel[0], of_benchmark, keys), tuple(lines)))
        if panels:
            name = of_benchmark[0].get("benchmark")
            picture = Picture(
                file_name("distribution", [name]),
                FARMS,
                f"Latency of events: {benchmark_title(name)}",
                "Closed loop. Share of events that were decided within a latency; a steep end is a "
                "long tail. Bands: 95 % intervals for independent events."
                + common_words(of_benchmark, (*_OF_DISTRIBUTIONS, "shape")),
                Axis("share of events", "tail"),
                Axis("latency, us", "log"),
                tuple(panels),
            )
            made.append(thinned(picture))
    return made


def _overview_of_farms(rows: Sequence[Row]) -> list[Row]:
    closed = [row for row in _closed(list(rows)) if row.get("event_latency_us")]
    return ordered(_largest_of_note(closed))


def _recorded(rows: Sequence[Row]) -> list[Row]:
    """The rows of which a timeline was recorded: one of a document."""
    found: dict[Path, Row] = {}
    for row in rows:
        event = row.document.event
        if event and all(row.get(key) == event.conditions.get(key) for key in ("mode", "size_bytes")):
            found.setdefault(row.document.path, row)
    return ordered(found.values())


def _timelines(rows: Sequence[Row]) -> list[Picture]:
    """One event of each setting of a benchmark, at the largest count and size of which there is a timeline."""
    made = []
    for of_origin in grouped(_recorded(rows), ORIGIN):
        own = catalogue.known().own_conditions(of_origin[0].definition)
        largest = [
            max(group, key=lambda row: (row.count or 0, row.get("size_bytes")))
            for group in grouped(of_origin, own)
        ]
        conditions = ("shape", "size_bytes", *own)
        drawn = []
        for row in largest:
            event = row.document.event
            assert event is not None
            said = (panel_title(row, largest, conditions), f"event {event.number}", event.goes_to)
            drawn.append(Timeline(", ".join(filter(None, said)), event))
        name, technology = of_origin[0].get("benchmark"), named(of_origin[0], _WHERE)
        made.append(
            Picture(
                file_name("timeline", [of_origin[0].get(key) for key in ORIGIN]),
                FARMS,
                f"Timeline of one event: {benchmark_title(name)}, {technology}",
                "A bar is a message, from the call that sends it to its arrival; the dark end is the time in which "
                "the receiver reads it. Dashed: all are read. Of the events that were recorded, the one of the median "
                f"time.{common_words(largest, conditions)}",
                Axis("time since the first message was sent, us", "linear"),
                Axis("sender", "category"),
                (),
                timelines=tuple(drawn),
            )
        )
    return made


_PREDICTED = Chart(
    "predicted",
    SCALING,
    "Predicted and measured",
    "Lines connect measurements; open symbols are predictions with their range over seeds.",
    lambda one: True,
    "processors",
    Axis("processes", "count"),
    _RATE,
    (("frequency_Hz", ""),),
    picture=("benchmark",),
    panel=("technology", "mode", "multicast", "reading", "algorithm_us", "size_bytes"),
    select=lambda rows: rows,
    needs="source",
    lines=("source", "machine"),
)


def _predictions(rows: Sequence[Row], predicted: Sequence[Row]) -> list[Picture]:
    """Predictions, with the measurements of the same kind."""
    closed = [row for row in predicted if not row.get("offered_Hz")]
    keys = ("benchmark", *_PREDICTED.panel)
    wanted = {tuple(row.get(key) for key in keys) for row in closed}
    measured = [row for row in _closed(list(rows)) if tuple(map(row.get, keys)) in wanted]
    return pictures_of(_PREDICTED, [*measured, *closed])


_IMPACTS = ("impact_mean", "impact_p99")


def _impact_matrix(of_origin: Sequence[Row], key: str) -> Panel:
    """A series for each victim, a point for each aggressor."""
    series = []
    for of_victim in grouped(of_origin, ("victim", "mode", "size_bytes", "processors")):
        several = len(grouped(of_victim, ("aggressor_ranks",))) > 1
        points = tuple(
            Point(
                f"{row.get('aggressor')}, {row.get('aggressor_ranks')} ranks" if several else row.get("aggressor"),
                figure,
                True,
            )
            for row in of_victim
            if (figure := row.figure(key)) is not None
        )
        if points:
            first = of_victim[0]
            label = f"{first.get('victim')}"
            twice = len({row.get("size_bytes") for row in of_origin if row.get("victim") == label}) > 1
            series.append(Series(f"{label}, {first.get('size_bytes')} B" if twice else label, points))
    return Panel(catalogue.known().columns[key].label, tuple(series))


def _impacts(rows: Sequence[Row]) -> list[Picture]:
    """Victims beside aggressors: a matrix for each technology, machine and placement."""
    beside = [row for row in rows if row.definition.names_others]
    made = []
    for of_origin in grouped(beside, (*ORIGIN, "aggressor_placement")):
        panels = tuple(_impact_matrix(of_origin, key) for key in _IMPACTS)
        panels = tuple(panel for panel in panels if panel.series)
        if not panels:
            continue
        placed = of_origin[0].get("aggressor_placement")
        picture = Picture(
            file_name("congestion", [of_origin[0].get("technology"), placed]),
            TASKS,
            f"Victims beside aggressors, {named(of_origin[0], ('technology',))}, {placed}",
            "Time beside the aggressor / alone, by victim (rows) and aggressor (columns); 1: no impact. "
            "In brackets a value whose 95 % interval contains 1. Empty: not measured, or too few steps.",
            Axis("aggressor", "category"),
            Axis("impact", "colour"),
            panels,
        )
        made.append(picture)
    return made


def _with_own_names(pictures: Iterable[Picture]) -> list[Picture]:
    """Pictures, of which no two have the same file name."""
    known: dict[str, Picture] = {}
    for picture in pictures:
        name, number = picture.name, 1
        while name in known:
            number += 1
            name = f"{picture.name}-{number}"
        known[name] = replace(picture, name=name)
    return list(known.values())


def gallery(
    rows: Sequence[Row], predicted: Sequence[Row] = (), buffer_bytes: Optional[int] = None
) -> list[Picture]:
    """All pictures that the rows have data for, by section; with the buffer of a port if it is known."""
    made = _load_curves(rows) + _distributions(rows) + _timelines(rows) + _impacts(rows)
    made += fragments.pictures(rows, BASIC)
    made += incast.pictures(rows, buffer_bytes)
    for chart in _charts():
        made += pictures_of(chart, rows)
    made += linkmaps.pictures(rows, LINKS)
    made += _predictions(rows, predicted)
    return _with_own_names(sorted(made, key=lambda picture: SECTIONS.index(picture.section)))
