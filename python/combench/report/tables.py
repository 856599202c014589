"""The tables of DAQ note 48, in its order, and that of fits: packet sizes side by side, numbers of
processors below each other. What the note asks for and was not measured has its place, with the
reason where one is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

from combench.common.benchmarks import NOTE_SIZES
from combench.report.charts import benchmark_title, grouped, named
from combench.report.figures import frequency, interval_text, number
from combench.report.load import Document
from combench.report.rows import Row

_COLUMNS_AT_MOST = 7
_ABSENT = "-"


@dataclass(frozen=True)
class Quantity:
    key: str
    label: str
    as_text: Callable[[float], str] = number
    in_words: str = ""  # a key whose text stands there, and no figure


@dataclass(frozen=True)
class Cell:
    value: str
    interval: str
    marks: str
    is_figure: bool = True


@dataclass(frozen=True)
class Line:
    heads: tuple[str, ...]  # what was measured, shape, quantity
    cells: tuple[Optional[Cell], ...]
    reason: str = ""  # why there are no cells


@dataclass(frozen=True)
class Table:
    title: str
    count_head: str
    sizes: tuple[int, ...]
    lines: tuple[Line, ...]
    left_out: str  # what of the results is not in it


_TIME = Quantity("time_us", "time, us")
_FREQUENCY = Quantity("frequency_Hz", "frequency", frequency)
_ALL_NODES = Quantity("throughput_MBps", "throughput, MB/s")
_PER_NODE = Quantity("per_node_MBps", "a node, MB/s")
# Of a closed loop, which chooses how many events it has in flight.
_IN_FLIGHT = Quantity("", "events in flight", in_words="in_flight_limit")
_LIMITED_BY = Quantity("", "limited by", in_words="limited_by")
_P99 = Quantity("event_latency_us.p99", "p99 of latency, us")

# The note's numbers, what they are called, and what is told of each benchmark.
_SHAPES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "oneway": ("processors", ("2",)),
    "twoway": ("processors", ("2",)),
    "alltoall": ("processors", ("4", "8", "16")),
    "pairs": ("processors", ("4", "8", "16")),
    "outfarm": ("destinations", ("4", "8", "16")),
    "multicast": ("destinations", ("4", "8", "16")),
    "funnel": ("sources", ("4", "8", "16")),
    "pushfarm": ("farm", ("4 to 4", "6 to 6", "8 to 8")),
    "pullfarm": ("farm", ("4 to 4", "6 to 6", "8 to 8")),
    "pipeline": ("topology", ("4-2-1", "6-2-1", "9-3-1")),
    "comms1": ("processors", ()),
    "comms2": ("processors", ()),
    "comms3": ("processors", ()),
}
_QUANTITIES: Mapping[str, tuple[Quantity, ...]] = {
    "oneway": (_TIME, _FREQUENCY, _ALL_NODES),
    "twoway": (_TIME, _FREQUENCY, _ALL_NODES),
    "alltoall": (_FREQUENCY, _PER_NODE, _ALL_NODES, Quantity("congestion_ratio", "congestion")),
    "pairs": (_FREQUENCY, _ALL_NODES, Quantity("scaling_efficiency", "efficiency")),
    "outfarm": (_FREQUENCY, _ALL_NODES),
    "multicast": (_FREQUENCY, _PER_NODE),
    "funnel": (_FREQUENCY, _ALL_NODES, Quantity("loss_pct", "loss, %")),
    "pushfarm": (_FREQUENCY, _IN_FLIGHT, _LIMITED_BY, _P99),
    "pullfarm": (_FREQUENCY, _IN_FLIGHT, _LIMITED_BY, _P99),
    "pipeline": (_FREQUENCY,),
    "comms1": (_TIME, _ALL_NODES),
    "comms2": (_TIME, _ALL_NODES),
    "comms3": (_TIME, _ALL_NODES),
}
_BESIDE = (
    Quantity("slowdown_communication", "slowdown of communication"),
    Quantity("computing_left_pct.source", "computing left at the source, %"),
    Quantity("computing_left_pct.destination", "computing left at the destination, %"),
    Quantity("computing_left_pct.node", "computing left at the nodes, %"),
)
_KINDS = (
    "technology",
    "machine",
    "mode",
    "multicast",
    "list",
    "wait",
    "buffers",
    "touch",
    "algorithm_us",
    "occupation",
)


def _cell(row: Row, quantity: Quantity) -> Optional[Cell]:
    if quantity.in_words:
        said = row.get(quantity.in_words)
        return None if said is None else Cell(str(said), "", "", is_figure=False)
    known = row.figure(quantity.key)
    if known is None:
        return None
    value = quantity.as_text(known.value)
    return Cell(value, interval_text(known, quantity.as_text), known.marks)


def _sizes(rows: Iterable[Row]) -> tuple[int, ...]:
    """The note's, and all others where they are few."""
    found = {*NOTE_SIZES, *(row.get("size_bytes") for row in rows)}
    return tuple(sorted(found)) if len(found) <= _COLUMNS_AT_MOST else NOTE_SIZES


def _shape_order(shape: str) -> tuple[Any, ...]:
    """4 to 4 before 6 to 6 before 4 to 1; 4 before 16."""
    words = [int(word) for word in shape.replace("-", " ").split() if word.isdigit()]
    return (len(words) == 2 and words[0] != words[1], words)


@dataclass(frozen=True)
class _Frame:
    """What all lines of a table share."""

    benchmark: str
    sizes: tuple[int, ...]
    kinds: tuple[str, ...]  # what tells its rows apart, beside shape and size
    quantities: tuple[Quantity, ...]
    reasons: Mapping[tuple[str, str, str], str]

    def _reason(self, row: Row, shape: str) -> str:
        said = self.reasons.get((self.benchmark, row.get("technology"), shape))
        return f"not measured: {said}" if said else "not measured"

    def _of_shape(self, rows: Sequence[Row], kind: str, shape: str) -> list[Line]:
        by_size = {row.get("size_bytes"): row for row in rows}
        lines = []
        for quantity in self.quantities:
            cells = tuple(
                _cell(by_size[size], quantity) if size in by_size else None for size in self.sizes
            )
            if any(cells):
                lines.append(Line((kind, shape, quantity.label), cells))
        return lines

    def of_kind(self, rows: Sequence[Row], wanted: Sequence[str]) -> list[Line]:
        kind = named(rows[0], self.kinds)
        shapes = sorted({*wanted, *(row.shape for row in rows)}, key=_shape_order)
        lines = []
        for shape in shapes:
            of_shape = [row for row in rows if row.shape == shape]
            found = self._of_shape(of_shape, kind, shape) if of_shape else []
            lines += found or [Line((kind, shape, ""), (), self._reason(rows[0], shape))]
        return lines


def _left_out(rows: Sequence[Row], sizes: Sequence[int]) -> str:
    others = {row.get("size_bytes") for row in rows} - set(sizes)
    if not others:
        return ""
    return (
        f"{len(others)} further sizes, from {min(others)} to {max(others)} bytes, are in the pictures "
        "and in the results."
    )


def _table(
    rows: Sequence[Row],
    title: str,
    quantities: tuple[Quantity, ...],
    wanted: Sequence[str],
    reasons: Mapping[tuple[str, str, str], str],
) -> Table:
    benchmark = rows[0].get("benchmark")
    differing = (key for key in _KINDS[1:] if len({row.get(key) for row in rows}) > 1)
    frame = _Frame(benchmark, _sizes(rows), ("technology", *differing), quantities, reasons)
    lines = [line for group in grouped(rows, frame.kinds) for line in frame.of_kind(group, wanted)]
    head = _SHAPES[benchmark][0]
    return Table(title, head, frame.sizes, tuple(lines), _left_out(rows, frame.sizes))


def _order(row: Row) -> tuple[Any, ...]:
    kinds = tuple(str(row.get(key) or "") for key in _KINDS if key != "algorithm_us")
    return (kinds, row.get("algorithm_us") or 0)


def tables_of(rows: Sequence[Row], reasons: Mapping[tuple[str, str, str], str] = {}) -> list[Table]:
    """`reasons` says of benchmark, technology and shape why they were not measured."""
    made = []
    for benchmark, (_, shapes) in _SHAPES.items():
        of_benchmark = sorted(
            (
                row
                for row in rows
                if row.get("benchmark") == benchmark and row.get("mode") != "open"
            ),
            key=_order,
        )
        alone = [row for row in of_benchmark if row.get("occupation") in (None, "none")]
        beside = [row for row in of_benchmark if row.get("occupation") not in (None, "none")]
        title = benchmark_title(benchmark)
        if alone:
            made.append(_table(alone, title, _QUANTITIES[benchmark], shapes, reasons))
        if beside:
            made.append(_table(beside, f"{title}, beside a computing task", _BESIDE, (), reasons))
    return made


def not_measured(rows: Sequence[Row]) -> list[str]:
    """The note's benchmarks of which there is no table."""
    measured = {row.get("benchmark") for row in rows if row.get("mode") != "open"}
    of_note = (name for name, (_, shapes) in _SHAPES.items() if shapes)
    return [benchmark_title(name) for name in of_note if name not in measured]


def _words(cell: Optional[Cell]) -> str:
    if cell is None:
        return _ABSENT
    return " ".join(part for part in (cell.value, cell.interval, cell.marks) if part)


def as_text(table: Table) -> str:
    """For terminals and tests: a line each, fields between bars."""
    head = " | ".join(["", table.count_head, "", *(f"{size} bytes" for size in table.sizes)])
    lines = [table.title, head.lstrip()]
    for line in table.lines:
        fields = [*line.heads, *(map(_words, line.cells) if line.cells else [line.reason])]
        lines.append(" | ".join(fields))
    return "\n".join([*lines, table.left_out] if table.left_out else lines) + "\n"


# Overhead, asymptotic throughput and half-performance size, as the documents have them.

_FIT_KEYS = ("overhead_us", "r_inf_MBps", "n_half_bytes", "rms_residual_us")


@dataclass(frozen=True)
class Fit:
    what: str
    sizes: str
    cells: tuple[str, ...]  # overhead, r_inf, n_half, residual; none with a refusal
    remark: str


def _fit_of(document: Document, mode: str, processors: int) -> str:
    data = document.data
    settings = data.get("parameters", {})
    words = [benchmark_title(data.get("benchmark", "")), str(data.get("technology")), mode]
    words += [f"{processors} processors"] if processors > 2 else []
    words += [f"{settings['buffers']} buffers"] if settings.get("buffers") == "rotate" else []
    words += [f"wait {settings['wait']}"] if settings.get("wait", "auto") != "auto" else []
    return ", ".join(words)


def fits_of(documents: Sequence[Document]) -> list[Fit]:
    """A row for each segment that was fitted, or the reason why there is none."""
    made = []
    for document in sorted(documents, key=lambda one: str(one.data.get("id"))):
        for fit in document.data.get("fit", []):
            known = all(key in fit for key in _FIT_KEYS)
            made.append(
                Fit(
                    _fit_of(document, fit.get("mode", ""), fit.get("processors", 0)),
                    f"{fit['from_bytes']} to {fit['to_bytes']}" if "from_bytes" in fit else "",
                    tuple(number(fit[key]) for key in _FIT_KEYS) if known else (),
                    fit.get("refusal") or fit.get("caution") or "",
                )
            )
    return made
