"""Tables that set measurements side by side: technologies, the farms, which differ in who asks for the
data, and the benchmarks of the note and their counterparts of Parkbench. All follow from the definitions."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Sequence

from combench.common import catalogue
from combench.common.catalogue import Benchmark, evaluate
from combench.report.charts import grouped, named, ordered, separating
from combench.report.figures import NO_INTERVAL, Figure, frequency, interval_text, number
from combench.report.rows import Row, usual
from combench.report.tables import Cell, Line, Table, left_out, shape_order, sizes_of

_RATIO = "ratio"


def _cell(known: Optional[Figure], as_text: Any = number) -> Optional[Cell]:
    if known is None:
        return None
    return Cell(as_text(known.value), interval_text(known, as_text), known.marks)


def _ratio_cell(above: Optional[Figure], below: Optional[Figure]) -> Optional[Cell]:
    if above is None or below is None or below.value <= 0:
        return None
    marks = dict.fromkeys(above.marks + below.marks + NO_INTERVAL)
    return Cell(number(above.value / below.value), "", "".join(marks))


def _line(heads: tuple[str, ...], cells: Iterable[Optional[Cell]]) -> list[Line]:
    found = tuple(cells)
    return [Line(heads, found)] if any(found) else []


# Technologies.

_BESIDE = ("technology", "size_bytes", "wait")


def _main_figure(benchmark: Benchmark, row: Row) -> tuple[str, str, Any]:
    """The figure by which technologies are compared: path, label, its text."""
    mode = benchmark.mode(str(row.get("mode")))
    if mode is not None and mode.figure == "latency_us":
        return "time_us", "latency, us", number
    if mode is not None and mode.stream:
        return "throughput_MBps", "throughput, MB/s", number
    return "frequency_Hz", "frequency", frequency


def _counted_words(row: Row) -> str:
    """The counters of the row's technology that are not 0: write 2400, queue_full 3."""
    groups = {
        str(one["group"]): None
        for technology in catalogue.known().technologies.values()
        for one in technology.counters
    }
    counts = [count for group in groups for count in (row.get(group) or {}).items()]
    return ", ".join(f"{key} {value}" for key, value in counts if value)


def _technology_lines(
    benchmark: Benchmark, heads: tuple[str, str], rows: Sequence[Row], sizes: Sequence[int]
) -> list[Line]:
    """A line for each technology, then their counters."""
    path, label, as_text = _main_figure(benchmark, rows[0])
    lines: list[Line] = []
    counted: list[Line] = []
    for of_one in grouped(rows, ("technology",)):
        by_size = {row.get("size_bytes"): row for row in of_one}
        chosen = [by_size.get(size) for size in sizes]
        name = of_one[0].get("technology")
        figures = (_cell(row.figure(path), as_text) if row else None for row in chosen)
        lines += _line((*heads, f"{name}: {label}"), figures)
        words = (_counted_words(row) if row else "" for row in chosen)
        cells = (Cell(said, "", "", is_figure=False) if said else None for said in words)
        counted += _line((*heads, f"{name}: counters"), cells)
    return lines + counted


def technologies_beside(rows: Sequence[Row]) -> list[Table]:
    """A table for each benchmark that several technologies measured."""
    plain = [row for row in usual(rows) if row.get("mode") != "open"]
    tables = []
    for of_benchmark in grouped(ordered(plain), ("benchmark",)):
        benchmark = of_benchmark[0].definition
        if len({row.get("technology") for row in of_benchmark}) < 2 or not benchmark.is_reported:
            continue
        sizes = sizes_of(of_benchmark)
        differing = separating(of_benchmark, _BESIDE)
        lines: list[Line] = []
        by_shape = sorted(of_benchmark, key=lambda row: shape_order(row.shape))
        for group in grouped(by_shape, ("shape", *differing)):
            if len({row.get("technology") for row in group}) > 1:
                heads = (named(group[0], differing), group[0].shape)
                lines += _technology_lines(benchmark, heads, group, sizes)
        if lines:
            title = f"{benchmark.label}: technologies beside each other"
            head = "farm" if benchmark.count.is_farm else benchmark.count.column
            about = "Closed loop." if benchmark.count.is_farm else ""
            tables.append(
                Table(title, head, sizes, tuple(lines), left_out(of_benchmark, sizes), about)
            )
    return tables


# Farms.

_OF_FARMS = ("algorithm_us", "technology", "machine")
_ALIKE = ("benchmark", "size_bytes", "wait", "mode", "multicast")  # the same, or what is compared
_FIGURES = (("frequency_Hz", "frequency", frequency), ("event_latency_us.p99", "p99, us", number))


def _farm_lines(
    kind: str, shape: str, sizes: Sequence[int], pair: Sequence[Benchmark], rows: Sequence[Row]
) -> list[Line]:
    by_farm = {(row.get("benchmark"), row.get("size_bytes")): row for row in rows}

    def figures(benchmark: Benchmark, path: str) -> list[Optional[Figure]]:
        of_sizes = (by_farm.get((benchmark.name, size)) for size in sizes)
        return [row.figure(path) if row else None for row in of_sizes]

    lines = []
    for path, label, as_text in _FIGURES:
        both = [figures(benchmark, path) for benchmark in pair]
        if not all(any(of_one) for of_one in both):
            continue
        for benchmark, of_one in zip(pair, both):
            heads = (kind, shape, f"{benchmark.short_label}: {label}")
            lines += _line(heads, (_cell(one, as_text) for one in of_one))
        heads = (kind, shape, f"{pair[1].short_label} / {pair[0].short_label}")
        lines += _line(heads, (_ratio_cell(b, a) for a, b in zip(*both)))
    return lines


def farms_beside(rows: Sequence[Row]) -> list[Table]:
    """The farms of group 2 in closed loop, by work on packets and shape; empty unless two kinds of
    farms were measured alike."""
    pair = [one for one in catalogue.known().benchmarks.values() if one.count.is_farm]
    names = [one.name for one in pair]
    found = [row for row in usual(rows) if row.get("benchmark") in names]
    plain = [
        row
        for row in found
        if row.get("mode") != "open"
        and row.get("multicast") in (None, "loop")
        and row.get("fetched") is None
    ]
    sizes = sizes_of(plain)
    lines: list[Line] = []
    apart = tuple(dict.fromkeys((*_OF_FARMS, *separating(plain, _ALIKE))))
    for group in grouped(sorted(plain, key=lambda row: row.get("algorithm_us") or 0), apart):
        shapes = {row.shape for row in group}
        for shape in sorted(shapes, key=shape_order):
            of_shape = [row for row in group if row.shape == shape]
            lines += _farm_lines(named(group[0], apart), shape, sizes, pair, of_shape)
    if not lines:
        return []
    title = " beside ".join(one.label for one in pair)
    about = (
        "Closed loop. A pulled event passes one message more than a pushed one: the supervisor "
        "sends to the destination, which then sends to each source."
    )
    return [Table(title, "farm", sizes, tuple(lines), left_out(plain, sizes), about)]


# Parkbench.


def _message_us(row: Row) -> Optional[Figure]:
    """The time of one message: that of a step divided by its packets."""
    known = row.figure("time_us")
    mode = row.definition.mode(str(row.get("mode")))
    if known is None or mode is None:
        return None
    share = 1 / evaluate(mode.packets, count=row.get("processors") or 2)
    ends = [None if end is None else end * share for end in (known.low, known.high)]
    return Figure(known.value * share, ends[0], ends[1], known.marks)


def _beside_parkbench(benchmark: Benchmark, rows: Sequence[Row]) -> Optional[Table]:
    of = benchmark.counterpart
    if of is None:
        return None
    note = catalogue.known().benchmark(of.benchmark)
    theirs = [row for row in rows if row.get("benchmark") == benchmark.name]
    ours = [
        row for row in rows if row.get("benchmark") == note.name and row.get("mode") == of.mode
    ]
    common = {_same(row) for row in theirs} & {_same(row) for row in ours}
    theirs, ours = ([row for row in some if _same(row) in common] for some in (theirs, ours))
    sizes = sizes_of(theirs)
    lines: list[Line] = []
    for group in grouped(theirs, ("technology", "machine", "processors")):
        where = [row for row in ours if _place(row) == _place(group[0])]
        cells: list[Mapping[int, Optional[Figure]]] = [
            {row.get("size_bytes"): _message_us(row) for row in some} for some in (where, group)
        ]
        heads = (named(group[0], ("technology", "machine")), str(group[0].get("processors")))
        labels = (f"{note.id} {note.short_label}, us", f"{benchmark.short_label}, us")
        for label, of_one in zip(labels, cells):
            lines += _line((*heads, label), (_cell(of_one.get(size)) for size in sizes))
        ratios = (_ratio_cell(cells[1].get(size), cells[0].get(size)) for size in sizes)
        lines += _line((*heads, _RATIO), ratios)
    if not lines:
        return None
    title = f"{note.label} beside {benchmark.label}: time of one message"
    return Table(title, "processors", sizes, tuple(lines), left_out(theirs, sizes), of.relation)


def _place(row: Row) -> tuple[Any, ...]:
    return (row.get("technology"), row.machine, row.get("processors"))


def _same(row: Row) -> tuple[Any, ...]:
    return (*_place(row), row.get("size_bytes"))


def parkbench_beside(rows: Sequence[Row]) -> list[Table]:
    """Each benchmark of Parkbench beside that of the note, where both measured a size."""
    found = usual(rows)
    tables = [_beside_parkbench(one, found) for one in catalogue.known().benchmarks.values()]
    return [table for table in tables if table is not None]


def comparisons_of(rows: Sequence[Row]) -> list[Table]:
    return technologies_beside(rows) + farms_beside(rows) + parkbench_beside(rows)
