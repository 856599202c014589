"""Incast: from how many synchronised bytes on segments are sent again, and what that does to goodput and tail.

Everything follows from rows of technologies that count what they send again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, median
from typing import Any, Callable, Optional, Sequence

from combench.common import catalogue
from combench.common.catalogue import evaluate
from combench.common.figures import is_beside
from combench.report.charts import (
    MAX_TECHNOLOGIES,
    Axis,
    Panel,
    Picture,
    Point,
    Series,
    benchmark_title,
    named,
    thinned,
)
from combench.report.figures import NO_INTERVAL, Figure, counted, marks_of, number
from combench.report.rows import Row

SECTION = "Incast"

_BYTES = "synchronised_bytes"
_SENT_AGAIN = "connections.retransmitted"
_SPURIOUS = "connections.spurious"
_GOODPUT = "throughput_MBps"
_TAILS = ("event_latency_us.p99", "step_us.p99")

# Lost segments for each packet of the benchmark from which on a row counts as one with losses. A report of a segment
# that was sent again for nothing may come after the row.
LOSSY = 0.01

# What separates sweeps, beside the number of packets that converge.
_KEYS = ("benchmark", "technology", "machine", "mode", "shape", "schedule", "folding", "pack", "algorithm_us")
_KEYS += ("multicast", "fetched", "accept", "offered_Hz", "arrivals", "occupation", "wait", "threads")

_LEAST_POINTS = 3  # of a sweep


def packets_of(row: Row) -> Optional[float]:
    """The packets that all receivers together got in the timed steps."""
    each = row.packets_of_event
    if row.definition.count.is_farm:
        return None if each is None or not row.get("decided") else each * row.get("decided")
    mode = row.definition.mode(str(row.get("mode")))
    if mode is None or row.count is None or not row.get("steps"):
        return None
    given = row.document.data.get("parameters", {})
    own = catalogue.known().own_numbers(row.definition, {**given, **row.data})
    return float(row.get("steps") * mode.divisor * evaluate(mode.packets, count=row.count, **own))


@dataclass(frozen=True)
class Sample:
    """One row of a sweep. `lost`: segments for each packet that were sent again because they had not arrived."""

    row: Row
    bytes: float
    lost: float

    @property
    def is_lossy(self) -> bool:
        return self.lost > LOSSY

    @property
    def _blocks_us(self) -> list[float]:
        """Empty where fewer events were timed than are in flight: some of them were sent before."""
        timed, ahead = self.row.get("steps") or 0, self.row.get("in_flight_limit") or 0
        return (self.row.get("blocks_us") or []) if timed >= ahead else []

    @property
    def goodput(self) -> Optional[Figure]:
        """Over all timed blocks together: the median would hide rare pauses of a retransmission. Beside a
        computing task, and where something was lost or waited for, the row has the mean."""
        known, blocks = self.row.figure(_GOODPUT), self._blocks_us
        of_all = is_beside(self.row.data) or "rates_from" in self.row.data
        middle = fmean if of_all else median
        return _alone(self, known.value * middle(blocks) / fmean(blocks)) if known and blocks else None

    @property
    def tail(self) -> Optional[Figure]:
        """p99 of an event or, of fewer events than that takes, the longest block of events."""
        known = next(filter(None, map(self.row.figure, _TAILS)), None)
        blocks = self._blocks_us
        return _alone(self, max(blocks)) if known is None and blocks else known


def _alone(sample: Sample, value: float) -> Figure:
    """A figure without an interval."""
    return Figure(value, None, None, marks_of(sample.row.data) + NO_INTERVAL)


@dataclass(frozen=True)
class Sweep:
    """Rows that differ in their size only, by synchronised bytes; `burst` packets converge."""

    samples: tuple[Sample, ...]

    @property
    def first(self) -> Row:
        return self.samples[0].row

    @property
    def burst(self) -> float:
        return self.samples[0].bytes / self.first.get("size_bytes")

    @property
    def is_reference(self) -> bool:
        """Whether the rows are the reference of a ratio: a single source does not compete."""
        ratio = self.first.definition.ratio
        return ratio is not None and self.first.count == ratio.reference

    @cached_property
    def _clean(self) -> int:
        """The number of samples up to the last one without loss."""
        return max((i + 1 for i, one in enumerate(self.samples) if not one.is_lossy), default=0)

    @property
    def clean_bytes(self) -> Optional[float]:
        """The most synchronised bytes that passed without loss."""
        return self.samples[self._clean - 1].bytes if self._clean else None

    @property
    def onset_bytes(self) -> Optional[float]:
        """The least from which on all rows had losses; None if the largest had none."""
        return self.samples[self._clean].bytes if self._clean < len(self.samples) else None

    @property
    def best(self) -> Optional[Sample]:
        """The highest goodput of rows without loss, or of all if all have losses."""
        without = [one for one in self.samples if not one.is_lossy and one.goodput]
        among = without or [one for one in self.samples if one.goodput]
        return max(among, key=_goodput_of, default=None)

    @property
    def worst(self) -> Optional[Sample]:
        """The lowest goodput from the onset on."""
        beyond = [one for one in self.samples[self._clean :] if one.goodput]
        return min(beyond, key=_goodput_of, default=None)

    @property
    def kept_goodput(self) -> Optional[float]:
        """The lowest goodput from the onset on, over the highest without loss."""
        if self.best is None or self.worst is None or _goodput_of(self.best) <= 0:
            return None
        return _goodput_of(self.worst) / _goodput_of(self.best)


def _goodput_of(sample: Sample) -> float:
    return sample.goodput.value if sample.goodput else 0.0


def _sample(row: Row) -> Optional[Sample]:
    again, synchronised = row.get(_SENT_AGAIN), row.get(_BYTES)
    packets = packets_of(row)
    if again is None or not synchronised or not packets:
        return None
    return Sample(row, float(synchronised), max(0, again - (row.get(_SPURIOUS) or 0)) / packets)


def sweeps_of(rows: Sequence[Row]) -> list[Sweep]:
    """Sweeps of several sizes. Rows that differ in their burst only are repetitions to a report: these count, too."""
    everything = [one for row in rows for one in (*row.earlier, row)]
    found: dict[tuple[Any, ...], dict[float, Sample]] = {}
    for row in everything:
        sample = _sample(row)
        if sample is not None:
            key = (*map(row.get, _KEYS), round(sample.bytes / row.get("size_bytes"), 6))
            known = found.setdefault(key, {})
            before = known.get(sample.bytes)
            lost = max(sample.lost, before.lost if before else 0.0)  # clean: in all of them
            known[sample.bytes] = replace(sample, lost=lost)
    sweeps = [Sweep(tuple(by_bytes[x] for x in sorted(by_bytes))) for by_bytes in found.values()]
    sweeps = [sweep for sweep in sweeps if not sweep.is_reference]
    return [sweep for sweep in sweeps if len(sweep.samples) >= _LEAST_POINTS]


def _named(rows: Sequence[Row]) -> list[tuple[str, Sweep]]:
    """Sweeps, each with what distinguishes it from the others of its benchmark."""
    sweeps = sweeps_of(rows)
    made = []
    for sweep in sweeps:
        benchmark = sweep.first.get("benchmark")
        among = [one.first for one in sweeps if one.first.get("benchmark") == benchmark]
        differing = [key for key in _KEYS if len({row.get(key) for row in among}) > 1]
        burst = f"{counted(round(sweep.burst), 'packet')} at a time"
        made.append((", ".join(filter(None, (named(sweep.first, differing), burst))), sweep))
    return made


@dataclass(frozen=True)
class Line:
    what: str
    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Incast:
    """The section of a report; `heads` are those of the cells."""

    about: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]


_HEADS = (
    "no loss up to, bytes",
    "losses from, bytes on",
    "highest goodput without loss, MB/s",
    "lowest with losses, MB/s",
    "remaining part",
    "p99 before, us",
    "p99 after, us",
)
_ABOUT = (
    "Synchronised bytes: payload that may be under way to one receiver at a time. Losses: more than "
    f"{LOSSY:.0%} of a segment for each packet sent again because it had not arrived; from there on all "
    "larger sizes had losses. "
    "The lowest goodput and p99 after are of sizes with losses, p99 before is of the largest without."
)


def _text(value: Optional[float]) -> str:
    return "-" if value is None else number(value)


def _bytes_text(value: Optional[float]) -> str:
    return "-" if value is None else f"{value:.0f}"


def _tail_text(samples: Sequence[Sample]) -> str:
    tails = [one.tail.value for one in samples if one.tail]
    return _text(max(tails) if tails else None)


def _line(sweep: Sweep, name: str, buffer_bytes: Optional[int]) -> Line:
    clean = [one for one in sweep.samples if one.bytes <= (sweep.clean_bytes or 0)]
    beyond = sweep.samples[len(clean) :]
    onset = sweep.onset_bytes
    cells = [_bytes_text(sweep.clean_bytes), _bytes_text(onset)]
    if buffer_bytes:
        cells.append(_text(onset / buffer_bytes if onset else None))
    cells += [
        _text(_goodput_of(sweep.best) if sweep.best else None),
        _text(_goodput_of(sweep.worst) if sweep.worst else None),
        _text(sweep.kept_goodput),
        _tail_text(clean[-1:]),
        _tail_text(beyond),
    ]
    return Line(benchmark_title(str(sweep.first.get("benchmark"))), name, tuple(cells))


def _is_worth_telling(sweeps: Sequence[Sweep], buffer_bytes: Optional[int]) -> bool:
    return bool(sweeps) and (buffer_bytes is not None or any(one.onset_bytes for one in sweeps))


def incast_of(rows: Sequence[Row], buffer_bytes: Optional[int] = None) -> Optional[Incast]:
    """The table of sweeps; None where none had losses and no buffer is given."""
    sweeps = _named(rows)
    if not _is_worth_telling([sweep for _, sweep in sweeps], buffer_bytes):
        return None
    heads = (*_HEADS[:2], "over the buffer", *_HEADS[2:]) if buffer_bytes else _HEADS
    about = f"{_ABOUT} The port's buffer has {buffer_bytes} bytes." if buffer_bytes else _ABOUT
    return Incast(about, heads, tuple(_line(sweep, name, buffer_bytes) for name, sweep in sweeps))


_PICTURES: tuple[tuple[str, str, Axis, Callable[[Sample], Optional[Figure]]], ...] = (
    ("goodput", "Goodput", Axis("goodput, MB/s", "log"), lambda sample: sample.goodput),
    ("p99", "Tail", Axis("p99 of events, us", "log"), lambda sample: sample.tail),
    ("lost", "Losses", Axis("segments lost / packets", "linear"), lambda sample: _alone(sample, sample.lost)),
)
_CAPTION = "Against the payload that may be under way to one receiver at a time."


def _series(
    name: str, sweep: Sweep, unit: int, figure_of: Callable[[Sample], Optional[Figure]]
) -> Optional[Series]:
    known = [(one.bytes / unit, figure_of(one)) for one in sweep.samples]
    points = tuple(Point(x, figure, True) for x, figure in known if figure is not None)
    return Series(name, points) if points else None


def pictures(rows: Sequence[Row], buffer_bytes: Optional[int] = None) -> list[Picture]:
    """Goodput, tail and losses over the synchronised bytes, in units of the buffer if it is given."""
    sweeps = _named(rows)
    if not _is_worth_telling([sweep for _, sweep in sweeps], buffer_bytes):
        return []
    x = Axis("synchronised bytes / buffer" if buffer_bytes else "synchronised bytes", "log")
    benchmarks = dict.fromkeys(str(sweep.first.get("benchmark")) for _, sweep in sweeps)
    made = []
    for name, title, y, figure_of in _PICTURES:
        panels = []
        for benchmark in benchmarks:
            lines = (
                _series(what, sweep, buffer_bytes or 1, figure_of)
                for what, sweep in sweeps
                if sweep.first.get("benchmark") == benchmark
            )
            panels.append(Panel(benchmark_title(benchmark), tuple(filter(None, lines))))
        drawn = tuple(panel for panel in panels if panel.series)
        if drawn:
            picture = Picture(f"incast-{name}", SECTION, title, _CAPTION, x, y, drawn)
            made.append(thinned(picture, MAX_TECHNOLOGIES))
    return made
