"""Which pictures a report has, in its order: a table of charts, and those that are not made of one
figure a row."""

from __future__ import annotations

import bisect
import itertools
import math
from dataclasses import replace
from typing import Callable, Optional, Sequence

from combench.report.charts import (
    Axis,
    Chart,
    Panel,
    Picture,
    Point,
    Series,
    benchmark_title,
    common_words,
    file_name,
    grouped,
    ordered,
    panel_title,
    pictures_of,
    thinned,
)
from combench.report.figures import Figure, frequency, marks_of, quantile_interval, text
from combench.report.rows import Row, usual

FARMS, FREQUENCY, BASIC, SCALING, TASKS, CONDITIONS = (
    "Farms under load",
    "Frequency against the number of processes",
    "Latency and throughput against size",
    "Scaling",
    "Beside computing tasks",
    "Conditions of measuring",
)
SECTIONS = (FARMS, FREQUENCY, BASIC, SCALING, TASKS, CONDITIONS)

_FARMS = ("pushfarm", "pullfarm")
_TWO_NODES = ("oneway", "twoway", "comms1", "comms2")
_PATTERNS = ("alltoall", "pairs", "outfarm", "multicast", "funnel", *_FARMS, "pipeline")
_SIZE = Axis("size of a packet, bytes", "size")
_RATE = Axis("frequency, Hz", "log")
_WHERE = ("technology", "machine")


def _closed(rows: list[Row]) -> list[Row]:
    return [row for row in usual(rows) if row.get("mode") != "open"]


def _bounced(rows: list[Row]) -> list[Row]:
    """One message at a time: a stream has a throughput, and no latency of its own."""
    return [row for row in usual(rows) if row.get("mode") != "stream"]


def _overview(rows: list[Row]) -> list[Row]:
    """One size and one algorithm for all benchmarks: the largest of the note's sizes, no work."""
    rows = [row for row in _closed(rows) if not row.get("algorithm_us")]
    sizes = [row.get("size_bytes") for row in rows if row.get("size_bytes") <= 1024]
    return [row for row in rows if sizes and row.get("size_bytes") == max(sizes)]


def _smallest_count(rows: list[Row]) -> list[Row]:
    """With a computing task; of several numbers of processes the smallest."""
    busy = [row for row in rows if row.get("occupation") not in (None, "none")]
    least = {
        group[0].origin: min(row.count or 0 for row in _without_reference(group))
        for group in grouped(busy, ("benchmark", "technology", "machine"))
    }
    return [row for row in busy if row.count == least[row.origin]]


def _without_reference(rows: list[Row]) -> list[Row]:
    """Each document has the number of processes that others are compared with; leave it out where
    there is another."""
    least = min(row.count or 0 for row in rows)
    return [row for row in rows if row.count != least] or rows


def _conditions(key: str) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: usual(rows, but=(key,))


def _fixed_size(rows: list[Row]) -> list[Row]:
    """Lists that change are measured at one size."""
    changing = {row.get("size_bytes") for row in rows if row.get("list") not in (None, "fixed")}
    return [row for row in usual(rows, but=("list",)) if row.get("size_bytes") in changing]


_BY_COUNT = "What the pattern reaches with more processes; a line for each size."
_CHARTS = (
    Chart(
        "frequency-overview",
        FREQUENCY,
        "All patterns and technologies",
        "The largest of the note's sizes that was measured, without work on the packets.",
        _PATTERNS,
        "processors",
        Axis("processes that take part", "count"),
        _RATE,
        (("frequency_Hz", ""),),
        panel=("benchmark", "mode", "multicast", "reading", "size_bytes"),
        select=_overview,
        needs="technology",
    ),
    *(
        Chart(
            "frequency",
            FREQUENCY,
            "Frequency",
            _BY_COUNT,
            benchmarks,
            "count",
            Axis(counted, "count"),
            _RATE,
            (("frequency_Hz", ""),),
            picture=("benchmark",),
            panel=(*_WHERE, "mode", "multicast", "reading", "algorithm_us"),
            select=_closed,
        )
        for benchmarks, counted in (
            (("alltoall", "pairs"), "processors"),
            (("outfarm", "multicast"), "destinations"),
            (("funnel", *_FARMS), "sources"),
        )
    ),
    Chart(
        "frequency",
        FREQUENCY,
        "Frequency",
        "Events that left the last stage. Topologies are no scale, so no line joins them.",
        ("pipeline",),
        "shape",
        Axis("topology", "category"),
        _RATE,
        (("frequency_Hz", ""),),
        picture=("benchmark",),
        panel=(*_WHERE, "algorithm_us"),
    ),
    Chart(
        "latency",
        BASIC,
        "Latency",
        "From end user to end user, one message at a time.",
        _TWO_NODES,
        "size_bytes",
        _SIZE,
        Axis("latency, us", "log"),
        (("time_us", ""),),
        panel=("benchmark", "mode"),
        select=_bounced,
    ),
    Chart(
        "throughput",
        BASIC,
        "Throughput",
        "Payload that all receivers together got. An empty packet carries none.",
        _TWO_NODES,
        "size_bytes",
        _SIZE,
        Axis("throughput, MB/s", "log"),
        (("throughput_MBps", ""),),
        panel=("benchmark", "mode"),
    ),
    *(
        Chart(
            name,
            SCALING,
            title,
            caption,
            (benchmark,),
            "count",
            Axis(counted, "count"),
            Axis(unit, "linear"),
            ((key, ""),),
            panel=(*_WHERE, "mode"),
        )
        for name, title, caption, benchmark, counted, key, unit in (
            (
                "scaling-pairs",
                "Scaling efficiency of pairs (1.4)",
                "Throughput over that of one pair times their number: 1 is perfect.",
                "pairs",
                "processors",
                "scaling_efficiency",
                "efficiency",
            ),
            (
                "congestion-alltoall",
                "Congestion of all-to-all (1.3)",
                "Time of a packet against that between two nodes: 1 is none.",
                "alltoall",
                "processors",
                "congestion_ratio",
                "congestion",
            ),
            (
                "loss-funnel",
                "Loss of a funnel (1.7)",
                "What the destination receives less than from one source.",
                "funnel",
                "sources",
                "loss_pct",
                "loss, per cent",
            ),
        )
    ),
    Chart(
        "slowdown-communication",
        TASKS,
        "Slowdown of the communication",
        "Time beside a computing task of low priority over time without one: 1 is none, above it is "
        "slower. The smallest number of processes that was measured.",
        ("oneway", "twoway", "alltoall", "pairs", "outfarm", "multicast", "funnel"),
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
        "Its rate alone over its rate beside the communication: 1 is none, above it is slower. > is "
        "a lower bound. The smallest number of processes that was measured.",
        ("oneway", "twoway", "alltoall", "pairs", "outfarm", "multicast", "funnel"),
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
        "The same buffers again and again, and more buffers than the caches hold.",
        _TWO_NODES,
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
        "Ways to wait",
        "How a receiver waits: always looking, giving its core away between, or asleep.",
        _TWO_NODES,
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
        "Lists of receivers that change (1.6)",
        "The same receivers in each broadcast, and others in each.",
        ("multicast",),
        "list",
        Axis("list", "category"),
        _RATE,
        (("frequency_Hz", ""),),
        panel=(*_WHERE, "multicast"),
        select=_fixed_size,
        needs="list",
    ),
)

_LOAD = Chart(
    "load",
    FARMS,
    "Latency against the offered rate",
    "Events fall due at a fixed rate whether or not earlier ones came back; latency counts from when "
    "they were due. Open symbols are no steady state: no line goes through them.",
    _FARMS,
    "offered_Hz",
    Axis("offered rate, Hz", "log"),
    Axis("latency, us", "log"),
    (
        ("event_latency_us.p50", "half of the events"),
        ("event_latency_us.p90", "90 %"),
        ("event_latency_us.p99", "99 %"),
    ),
    picture=("benchmark",),
    panel=(*_WHERE, "shape", "size_bytes", "algorithm_us", "arrivals"),
)


def _same_farm(row: Row, other: Row) -> bool:
    keys = ("benchmark", *_WHERE, "shape", "size_bytes", "algorithm_us", "wait")
    return all(row.get(key) == other.get(key) for key in keys)


def _closed_loop(group: Sequence[Row], rows: Sequence[Row]) -> tuple[tuple[float, str], ...]:
    """The frequency of the closed loop, as a limit to be drawn."""
    for row in rows:
        known = row.figure("frequency_Hz")
        if row.get("mode") == "closed" and known and _same_farm(row, group[0]):
            return ((known.value, f"closed loop: {text(known, frequency)}"),)
    return ()


def _load_curves(rows: Sequence[Row]) -> list[Picture]:
    """Curves of at least two rates; what a search found is one point of its own."""
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
            panels = (replace(panel, limits=closed[panel.title]) for panel in picture.panels)
            made.append(replace(picture, panels=tuple(panels)))
    return made


_SAMPLES_BEYOND = 10  # that a quantile needs to be told
_STEPS_A_DECADE = 10


def _distribution(row: Row) -> Optional[Series]:
    """Quantiles over how rare a longer latency is, as far as samples reach."""
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
    return Series(row.shape, tuple(points))


_OF_DISTRIBUTIONS = (*_WHERE, "algorithm_us", "size_bytes")


def _distributions(rows: Sequence[Row]) -> list[Picture]:
    made = []
    for of_benchmark in grouped(_overview_of_farms(rows), ("benchmark",)):
        panels = []
        for of_panel in grouped(of_benchmark, _OF_DISTRIBUTIONS):
            lines = [line for line in map(_distribution, of_panel) if line]
            if lines:
                title = panel_title(of_panel[0], of_benchmark, _OF_DISTRIBUTIONS)
                panels.append(Panel(title, tuple(lines)))
        if panels:
            name = of_benchmark[0].get("benchmark")
            picture = Picture(
                file_name("distribution", [name]),
                FARMS,
                f"Latency of events: {benchmark_title(name)}",
                "Closed loop. How many of the events were decided within a time; where the curve "
                "turns up, a few events wait long. Bands are 95 % intervals for independent events."
                + common_words(of_benchmark, (*_OF_DISTRIBUTIONS, "shape")),
                Axis("share of the events", "tail"),
                Axis("latency, us", "log"),
                tuple(panels),
            )
            made.append(thinned(picture))
    return made


def _overview_of_farms(rows: Sequence[Row]) -> list[Row]:
    closed = [row for row in _closed(list(rows)) if row.get("event_latency_us")]
    sizes = [row.get("size_bytes") for row in closed if row.get("size_bytes") <= 1024]
    chosen = [row for row in closed if sizes and row.get("size_bytes") == max(sizes)]
    return ordered(chosen)


_PREDICTED = Chart(
    "predicted",
    SCALING,
    "Predicted and measured",
    "Lines join measurements only; open symbols are predictions, with their range over seeds.",
    ("oneway", "twoway", *_PATTERNS),
    "processors",
    Axis("processes that take part", "count"),
    _RATE,
    (("frequency_Hz", ""),),
    picture=("benchmark",),
    panel=("technology", "mode", "multicast", "reading", "algorithm_us", "size_bytes"),
    select=lambda rows: rows,
    needs="source",
    lines=("source", "machine"),
)


def _predictions(rows: Sequence[Row], predicted: Sequence[Row]) -> list[Picture]:
    """Panels that have a prediction, with what was measured of the same."""
    closed = [row for row in predicted if not row.get("offered_Hz")]
    keys = ("benchmark", *_PREDICTED.panel)
    wanted = {tuple(row.get(key) for key in keys) for row in closed}
    measured = [row for row in _closed(list(rows)) if tuple(map(row.get, keys)) in wanted]
    return pictures_of(_PREDICTED, [*measured, *closed])


def gallery(rows: Sequence[Row], predicted: Sequence[Row] = ()) -> list[Picture]:
    """All pictures for which something was measured."""
    made = _load_curves(rows) + _distributions(rows)
    for chart in _CHARTS:
        made += pictures_of(chart, rows)
    made += _predictions(rows, predicted)
    return sorted(made, key=lambda picture: SECTIONS.index(picture.section))
