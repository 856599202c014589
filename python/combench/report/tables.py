"""The tables of benchmarks and of fits: a column per packet size, a line per count and figure.

Counts that DAQ note 48 asks for and that were not measured have a line with the reason. The
figures of a table follow from the benchmark's definition and the table of columns (catalogue.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

from combench.common import catalogue
from combench.common.catalogue import Benchmark, Column
from combench.common.figures import technology_names, with_settings
from combench.report.charts import benchmark_title, carried, grouped, named
from combench.report.figures import frequency, interval_text, number
from combench.report.load import Document
from combench.report.rows import Row, identity_paths

# Why a benchmark, technology with its settings, shape, occupation and wait policy was not measured.
Reasons = Mapping[tuple[str, str, str, str, str], str]

_MAX_COLUMNS = 7
_ABSENT = "-"


@dataclass(frozen=True)
class Quantity:
    key: str
    label: str
    as_text: Callable[[float], str] = number
    in_words: str = ""  # a key whose value is shown as text, without interval


@dataclass(frozen=True)
class Cell:
    value: str
    interval: str
    marks: str
    is_figure: bool = True


@dataclass(frozen=True)
class Line:
    heads: tuple[str, ...]  # conditions, shape, quantity
    cells: tuple[Optional[Cell], ...]
    reason: str = ""  # why there are no cells


@dataclass(frozen=True)
class Table:
    title: str
    count_head: str
    sizes: tuple[int, ...]
    lines: tuple[Line, ...]
    left_out: str  # which sizes are not in the table
    about: str = ""  # what its figures are, where the heading does not say it
    benchmark: str = ""  # whose diagram is shown beside it


# Keys that distinguish rows of a table, beside shape and size, in order; other identifying columns
# follow.
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


def _kinds() -> tuple[str, ...]:
    known = catalogue.known()
    stood_for = {"size_bytes", *(one.count.column for one in known.benchmarks.values())}
    others = (key for key in identity_paths() if "." not in key and key not in stood_for)
    return tuple(dict.fromkeys([*_KINDS, *others]))


def _part_words(column: Column, member: str) -> str:
    """The label of a member: a percentile, or one side."""
    if column.type == "distribution":
        return f"{member} of {column.label}"
    return f"{column.label} at the {member}{'s' if member == 'node' else ''}"


def _plain(value: float) -> str:
    return f"{value:g}"


def _quantity(path: str) -> Quantity:
    """The quantity of a column, or of a member such as `event_latency_us.p99`."""
    key, _, member = path.partition(".")
    column = catalogue.known().columns.get(key, Column(key, "number", label=key))
    label = _part_words(column, member) if member else column.label or key
    if column.type == "text" or column.condition:
        as_text = frequency if column.unit == "Hz" else _plain
        return Quantity("", label, as_text, in_words=key)
    if column.type == "summary":
        path = "time_us"  # latency_us or round_us, whichever the mode has
    if column.unit == "Hz":
        return Quantity(path, label, frequency)
    return Quantity(path, f"{label}, {column.unit}" if column.unit else label)


def _columns(tabled: str) -> list[str]:
    """Columns, or members of columns, that tables have without being named by a benchmark."""
    return [
        f"{column.key}.{member}" if member else column.key
        for column in catalogue.known().columns.values()
        if column.tabled == tabled
        for member in column.members or ("",)
    ]


def _quantities(benchmark: Benchmark) -> tuple[Quantity, ...]:
    """The quantities that the definition names, else its figures; for an unknown benchmark, all."""
    columns = catalogue.known().columns
    plain = [key for key, one in columns.items() if one.type in ("summary", "number")]
    every = {key for one in catalogue.known().benchmarks.values() for key in one.figures}
    figures = benchmark.figures or [key for key in columns if key in every]
    named = benchmark.table or tuple(key for key in figures if key in plain)
    return tuple(dict.fromkeys(map(_quantity, [*named, *_columns("always")])))


def _beside() -> tuple[Quantity, ...]:
    """The quantities of measurements beside a computing task."""
    return tuple(map(_quantity, [*_columns("beside computing"), *_columns("always")]))


def _is_beside(row: Row) -> bool:
    """Whether it was measured beside a computing task."""
    return row.get("occupation") not in (None, "none")


def _usual_shapes(benchmark: Benchmark) -> list[str]:
    """The counts that the note asks for, in the form of rows: 4 to 4."""
    return [text.replace("x", " to ") for text in benchmark.count.usual if benchmark.of_note]


def _cell(row: Row, quantity: Quantity) -> Optional[Cell]:
    if quantity.in_words:
        said = row.get(quantity.in_words)
        if said is None:
            return None
        words = said if isinstance(said, str) else quantity.as_text(said)
        return Cell(words, "", "", is_figure=False)
    known = row.figure(quantity.key)
    if known is None:
        return None
    value = quantity.as_text(known.value)
    return Cell(value, interval_text(known, quantity.as_text), known.marks)


def sizes_of(rows: Iterable[Row]) -> tuple[int, ...]:
    """All measured sizes where they are few, else those of the note."""
    found = {row.get("size_bytes") for row in rows}
    if len(found) > _MAX_COLUMNS:
        found &= set(catalogue.known().note_sizes_bytes)
    return tuple(sorted(found))


def shape_order(shape: str) -> tuple[Any, ...]:
    """4 to 4 before 6 to 6 before 4 to 1; 4 before 16."""
    words = [int(word) for word in shape.replace("-", " ").split() if word.isdigit()]
    return (len(words) == 2 and words[0] != words[1], words)


@dataclass(frozen=True)
class _Frame:
    """What all lines of a table have in common."""

    benchmark: str
    sizes: tuple[int, ...]
    kinds: tuple[str, ...]  # keys that distinguish its rows, beside shape and size
    quantities: tuple[Quantity, ...]
    reasons: Reasons

    def _reason(self, row: Row, shape: str) -> str:
        occupation = row.get("occupation") if _is_beside(row) else ""
        of_row = (occupation, row.get("wait") or "auto")
        technology = with_settings(row.document.data)
        said = self.reasons.get((self.benchmark, technology, shape, *of_row))
        if said:
            return f"not measured: {said}"
        return "" if _is_beside(row) else "not measured"

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
        shapes = sorted({*wanted, *(row.shape for row in rows)}, key=shape_order)
        lines = []
        missing: dict[str, list[str]] = {}  # shapes by reason: they share a line
        for shape in shapes:
            of_shape = [row for row in rows if row.shape == shape]
            found = self._of_shape(of_shape, kind, shape) if of_shape else []
            lines += found
            if not found and self._reason(rows[0], shape):
                missing.setdefault(self._reason(rows[0], shape), []).append(shape)
        for reason, absent in missing.items():
            lines.append(Line((kind, ", ".join(absent), ""), (), reason))
        return lines


def left_out(rows: Sequence[Row], sizes: Sequence[int]) -> str:
    measured = {row.get("size_bytes") for row in rows}
    others = measured - set(sizes)
    missing = sorted(set(catalogue.known().note_sizes_bytes) - measured)
    said = []
    if others:
        said.append(
            f"{len(others)} more sizes, from {min(others)} to {max(others)} bytes, are in the "
            "pictures and the result documents."
        )
    if missing:
        said.append(f"Not measured: {', '.join(map(str, missing))} bytes.")
    return " ".join(said)


def _table(
    rows: Sequence[Row],
    title: str,
    quantities: tuple[Quantity, ...],
    wanted: Sequence[str],
    reasons: Reasons,
    about: str = "",
) -> Table:
    counted = rows[0].definition.count
    differing = (key for key in _kinds()[1:] if len({row.get(key) for row in rows}) > 1)
    shown = {quantity.in_words for quantity in quantities}
    kinds = ("technology", *(key for key in differing if key not in shown))
    frame = _Frame(rows[0].get("benchmark"), sizes_of(rows), kinds, quantities, reasons)
    lines = [line for group in grouped(rows, frame.kinds) for line in frame.of_kind(group, wanted)]
    head = "farm" if counted.is_farm else counted.column
    return Table(
        title,
        head,
        frame.sizes,
        tuple(lines),
        left_out(rows, frame.sizes),
        about,
        rows[0].definition.name,
    )


def _of_benchmarks(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each benchmark, in the order of definitions; unknown benchmarks come last."""
    known = catalogue.known().benchmarks.values()
    found: dict[str, list[Row]] = {one.name: [] for one in known}
    kinds = [key for key in _kinds() if key != "algorithm_us"]
    for row in rows:
        if row.definition.is_reported:
            found.setdefault(row.definition.name, []).append(row)
    for of_benchmark in found.values():
        of_benchmark.sort(
            key=lambda row: (
                tuple(str(row.get(key) or "") for key in kinds),
                row.get("algorithm_us") or 0,
            )
        )
    return [of_benchmark for of_benchmark in found.values() if of_benchmark]


_CLOSED = (
    "Closed loop: an event is issued when another is decided, so a decision has an effect in the "
    "supervisor. This differs from note 48 and gives the highest frequency without a backlog; latency "
    "counts from the issue."
)
_OPEN = (
    "Open loop, as in note 48: the supervisor issues events on a schedule, and no action follows a "
    "decision. For each farm the highest offered rate that it sustained, else the lowest (mark !); "
    "latency counts from the due time."
)
_FED = (
    "Sources send by a common schedule. For each topology the highest offered rate that it sustained, "
    "else the lowest (mark !); latency counts from the due time."
)


def _sustained(rows: Sequence[Row]) -> list[Row]:
    """Of the open loops of each farm, size and work: that with the highest rate it sustained, else
    the one with the lowest rate. Searches for a rate are not included."""
    keys = [key for key in _kinds() if key != "offered_Hz"]
    offered = [row for row in rows if row.get("offered_Hz") and not row.get("found_Hz")]
    offered.sort(key=lambda row: float(row.get("offered_Hz")))
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in offered:
        of_row = (row.shape, row.get("size_bytes"), *map(row.get, keys))
        groups.setdefault(of_row, []).append(row)
    return [([one for one in group if carried(one)] or group[:1])[-1] for group in groups.values()]


def _open_table(rows: Sequence[Row], title: str, wanted: Sequence[str], reasons: Reasons) -> Table:
    chosen = _sustained(rows)
    chosen.sort(key=lambda row: row.get("algorithm_us") or 0)
    quantities = tuple(map(_quantity, _OPEN_COLUMNS))
    about = _OPEN if chosen[0].definition.count.is_farm else _FED
    return _table(chosen, f"{title}, open loop", quantities, wanted, reasons, about)


_OPEN_COLUMNS = (
    "offered_Hz",
    "frequency_Hz",
    "limited_by",
    "event_latency_us.p50",
    "event_latency_us.p99",
)


def tables_of(rows: Sequence[Row], reasons: Reasons = {}) -> list[Table]:
    made = []
    for of_benchmark in _of_benchmarks(rows):
        benchmark = of_benchmark[0].definition
        opened = [row for row in of_benchmark if row.get("mode") == "open"]
        closed = [row for row in of_benchmark if row.get("mode") != "open"]
        alone = [row for row in closed if not _is_beside(row)]
        beside = [row for row in closed if _is_beside(row)]
        title, shapes = benchmark.label, _usual_shapes(benchmark)
        if alone:
            about = _CLOSED if opened and benchmark.count.is_farm else ""
            made.append(_table(alone, title, _quantities(benchmark), shapes, reasons, about))
        if _sustained(opened):
            made.append(_open_table(opened, title, shapes, reasons))
        if beside:
            known = shapes if benchmark.of_note else ()
            made.append(
                _table(beside, f"{title}, beside a computing task", _beside(), known, reasons)
            )
    return made


def not_measured(rows: Sequence[Row]) -> list[str]:
    """The benchmarks of the note that have no table."""
    measured = {row.get("benchmark") for row in rows if row.get("mode") != "open"}
    known = catalogue.known().benchmarks.values()
    return [one.label for one in known if one.of_note and one.name not in measured]


def _words(cell: Optional[Cell]) -> str:
    if cell is None:
        return _ABSENT
    return " ".join(part for part in (cell.value, cell.interval, cell.marks) if part)


def as_text(table: Table) -> str:
    """A table as text, for tests: fields separated by bars."""
    head = " | ".join(["", table.count_head, "", *(f"{size} bytes" for size in table.sizes)])
    lines = [table.title, head.lstrip()]
    for line in table.lines:
        fields = [*line.heads, *(map(_words, line.cells) if line.cells else [line.reason])]
        lines.append(" | ".join(fields))
    return "\n".join([*lines, table.left_out] if table.left_out else lines) + "\n"


# Overhead, asymptotic throughput and half-performance size, from the documents.

_FIT_KEYS = ("overhead_us", "r_inf_MBps", "n_half_bytes", "rms_residual_us")


@dataclass(frozen=True)
class Fit:
    what: str
    sizes: str
    cells: tuple[str, ...]  # overhead, r_inf, n_half, residual; empty where the fit was refused
    remark: str


def _fit_of(document: Document, technology: str, mode: str, processors: int) -> str:
    data = document.data
    settings = data.get("parameters", {})
    words = [benchmark_title(data.get("benchmark", "")), technology, mode]
    words += [f"{processors} processors"] if processors > 2 else []
    words += [f"{settings['buffers']} buffers"] if settings.get("buffers", "hot") != "hot" else []
    words += [f"wait {settings['wait']}"] if settings.get("wait", "auto") != "auto" else []
    return ", ".join(filter(None, words))


def fits_of(documents: Sequence[Document]) -> list[Fit]:
    """A row for each fitted segment, or the reason why there is none."""
    made = []
    technology_of = technology_names(document.data for document in documents)
    for document in sorted(documents, key=lambda one: str(one.data.get("id"))):
        for fit in document.data.get("fit", []):
            known = all(key in fit for key in _FIT_KEYS)
            made.append(
                Fit(
                    _fit_of(
                        document,
                        technology_of(document.data),
                        fit.get("mode", ""),
                        fit.get("processors", 0),
                    ),
                    f"{fit['from_bytes']} to {fit['to_bytes']}" if "from_bytes" in fit else "",
                    tuple(number(fit[key]) for key in _FIT_KEYS) if known else (),
                    fit.get("refusal") or fit.get("caution") or "",
                )
            )
    return made
