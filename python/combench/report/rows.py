"""Rows of all documents: what each measures, which are repeats, and which are impossible because
the receiving processors cannot compute that much."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Iterable, Optional, Sequence

from combench.common import catalogue
from combench.common.catalogue import FARM, Benchmark
from combench.common.documents import Json
from combench.common.figures import at, technology_names
from combench.common.values import topology
from combench.report.figures import BEYOND, Figure, figure
from combench.report.load import Document

ORIGIN = ("benchmark", "technology", "machine")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def identity_paths() -> list[str]:
    """The paths that identify a measurement, beside benchmark, technology and machine."""
    return [one.path for one in catalogue.known().identifying]


def machine_of(document: Document) -> tuple[str, ...]:
    """The kinds of hosts in a document; equal nodes of a cluster are one kind."""
    hosts = document.data.get("environment", {}).get("hosts", [])
    kinds = {
        f"{host.get('cpu', 'unknown processor')}, {host.get('cores', '?')} cores, "
        f"{host.get('memory_MB', '?')} MB"
        for host in hosts
    }
    return tuple(sorted(kinds))


def machine_names(documents: Iterable[Document]) -> dict[tuple[str, ...], str]:
    """A letter for each machine, in order of appearance; a single machine has no name."""
    kinds = dict.fromkeys(machine_of(document) for document in documents)
    if len(kinds) == 1:
        return {kind: "" for kind in kinds}
    return {
        kind: f"machine {_LETTERS[i] if i < len(_LETTERS) else i + 1}"
        for i, kind in enumerate(kinds)
    }


@dataclass(frozen=True)
class Row:
    """One measurement. `get` takes the keys of its result, of identity_paths, ORIGIN, and the
    properties below."""

    data: Json
    document: Document
    machine: str
    technology: str  # with its settings where these differ
    earlier: tuple[Row, ...] = ()  # earlier repetitions of the same measurement

    @cached_property
    def _known(self) -> dict[str, Any]:
        """Cache of `get`."""
        return {}

    def get(self, key: str) -> Any:
        known = self._known
        if key not in known:
            known[key] = self._value(key)
        return known[key]

    def _value(self, key: str) -> Any:
        if key == "source":
            return self.data.get("source", "measured")
        if key in ("machine", "technology", "wait", "reading", "shape", "count"):
            return getattr(self, key)
        if key in ("benchmark", "id", "started"):
            return self.document.data.get(key)
        outer, _, inner = key.partition(".")
        value = self.data.get(outer)
        return value.get(inner) if inner and isinstance(value, dict) else value

    @cached_property
    def definition(self) -> Benchmark:
        """The definition of its benchmark; empty for an unknown benchmark."""
        return catalogue.known().benchmark(str(self.get("benchmark")))

    @cached_property
    def is_beyond(self) -> bool:
        return is_beyond(self)

    @property
    def launches(self) -> tuple[Row, ...]:
        """All launches of the measurement, the latest last."""
        return (*self.earlier, self)

    def figures(self, name: str) -> list[Figure]:
        """A figure in each launch that has it; launches beyond what can be computed only where there
        are no others."""
        every = [found for row in self.launches if (found := row.own_figure(name)) is not None]
        return [one for one in every if BEYOND not in one.marks] or every

    def figure(self, name: str) -> Optional[Figure]:
        """A figure of all launches."""
        every = self.figures(name)
        return Figure.of_launches(every) if every else None

    def own_figure(self, name: str) -> Optional[Figure]:
        """A figure of this launch."""
        known = figure(self.data, name)
        if known is None or not self.is_beyond:
            return known
        return replace(known, marks=known.marks + BEYOND)

    @property
    def wait(self) -> Any:
        """The requested wait policy; the effective one depends on the number of processes."""
        asked = at(self.document.data, "parameters.wait")
        return asked if isinstance(asked, str) else None

    @property
    def reading(self) -> str:
        """The relation of sources and destinations: the two readings of the note, or another."""
        sources, destinations = self.get("sources"), self.get("destinations")
        if sources is None or destinations is None:
            return ""
        if sources == destinations:
            return "n to n"
        return "n to 1" if destinations == 1 else f"{sources} to {destinations}"

    @cached_property
    def origin(self) -> tuple[Any, ...]:
        return tuple(self.get(key) for key in ORIGIN)

    @property
    def identity(self) -> tuple[Any, ...]:
        found = "found_Hz" in self.data  # then the offered rate is that of a trial
        paths = (path for path in identity_paths() if not (found and path == "offered_Hz"))
        return (*self.origin, *map(self.get, paths), found)

    @property
    def shape(self) -> str:
        """The count in words: 4 to 4, 4-2-1, 16."""
        if self.get("topology"):
            return str(self.get("topology"))
        if self.definition.count.is_farm:
            return f"{self.get('sources')} to {self.get('destinations')}"
        return str(self.count)

    @property
    def kind(self) -> str:
        """What has the rate: a farm, or a schedule of event building."""
        return "the farm" if self.definition.group == FARM else "the schedule"

    @property
    def packets_of_event(self) -> Optional[float]:
        """Of a farm: the sources that send data of an event; with two steps, their mean number."""
        sources, fetched = self.get("sources"), self.get("fetched")
        if not fetched or self.get("accept") is None:
            return fetched or sources
        decided = self.get("decided")
        accepted = self.get("accepted") / decided if decided else self.get("accept")
        return float(fetched + accepted * (sources - fetched))

    @property
    def count(self) -> Optional[int]:
        """The count that this benchmark varies: processors, destinations or sources."""
        counted = self.definition.count
        count = self.data.get("processors" if counted.is_topology else counted.column)
        return None if count is None else int(count)


# Upper bounds by computing.

TOLERANCE = 1.05  # of a bound: calibrations and measurements differ by a few per cent


@dataclass(frozen=True)
class Bound:
    what: str
    rate_hz: float


def cores_of(row: Row) -> Optional[int]:
    """The number of cores of all hosts of the row's document."""
    hosts = row.document.data.get("environment", {}).get("hosts", [])
    counts = [host.get("cores") for host in hosts]
    return sum(counts) if counts and all(counts) else None


def _work_us(row: Row) -> float:
    """Work on one packet: the smaller of the requested and the measured time."""
    nominal = row.get("algorithm_us") or 0
    return min(nominal, row.get("algorithm_true_us") or nominal)


def computing_bounds(row: Row) -> list[Bound]:
    """The rates that the receiving processors can compute, with a core each and with all cores."""
    work_us, cores = _work_us(row), cores_of(row)
    stages = topology(row.get("topology")) if row.get("topology") else ()
    # Packets of one event that all receiving processors together work on.
    packets = sum(stages[:-1]) or row.packets_of_event
    if not work_us or not packets:
        return []
    slowest = max((a / b for a, b in zip(stages, stages[1:])), default=0)
    busiest = slowest or packets / (row.get("destinations") or 1)
    bounds = [Bound("work on packets, with a core per process", 1e6 / (busiest * work_us))]
    if cores:
        shared = cores * 1e6 / (packets * work_us)
        bounds.append(Bound(f"work on packets, on {cores} cores", shared))
    return bounds


def is_beyond(row: Row) -> bool:
    """Whether the rate exceeds what the processors can compute."""
    rate_hz = row.get("frequency_Hz")
    if not row.get("algorithm_us") or rate_hz is None:
        return False
    bounds = computing_bounds(row)
    return bool(bounds) and rate_hz > TOLERANCE * min(bound.rate_hz for bound in bounds)


@dataclass(frozen=True)
class Rows:
    """`kept` has the latest repetition of each measurement; `repeats` are pairs of an earlier row
    and the row that replaced it."""

    kept: list[Row]
    repeats: list[tuple[Row, Row]]
    machines: dict[tuple[str, ...], str]


def rows_of(documents: Sequence[Document]) -> Rows:
    machines = machine_names(documents)
    technology_of = technology_names(document.data for document in documents)
    kept: dict[tuple[Any, ...], Row] = {}
    repeats: list[tuple[Row, Row]] = []
    for document in sorted(documents, key=lambda one: str(one.data.get("started", ""))):
        name = machines[machine_of(document)]
        for data in document.data["results"]:
            over = technology_of(document.data)
            over += f" [{document.variant}]" if document.variant else ""
            row = Row(data, document, name, over)
            last = kept.pop(row.identity, None)
            if last is not None:
                repeats.append((last, row))
                row = replace(row, earlier=(*last.earlier, last))
            kept[row.identity] = row
    return Rows(list(kept.values()), repeats, machines)


# The values that charts prefer where several were measured; None: the key is absent.
_USUAL = {"touch": "all", "buffers": "hot", "list": "fixed", "wait": "auto", "threads": None}


def usual(rows: Sequence[Row], but: Sequence[str] = ()) -> list[Row]:
    """Rows without a computing task, with the preferred value of each key in _USUAL, or with all
    values for keys in `but`."""
    alone = [row for row in rows if row.get("occupation") in (None, "none")]
    for key, preferred in _USUAL.items():
        alone = alone if key in but else _preferring(alone, key, preferred)
    return alone


def _preferring(rows: list[Row], key: str, preferred: str) -> list[Row]:
    """For each benchmark and technology, the rows with the preferred value, else with the first."""
    wanted: dict[tuple[Any, ...], Any] = {}
    for row in rows:
        value = row.get(key)
        if row.origin not in wanted or value == preferred:
            wanted[row.origin] = value
    return [row for row in rows if row.get(key) == wanted[row.origin]]
