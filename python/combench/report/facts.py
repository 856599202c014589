"""The environment of all documents, and in what they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Sequence

from combench.common import settings
from combench.common.documents import Json
from combench.report.figures import counted, number
from combench.report.load import Document


@dataclass(frozen=True)
class Fact:
    group: str
    name: str
    values: tuple[tuple[str, int], ...]  # value, number of documents


_HOST = (
    ("operating system", "os"),
    ("kernel", "kernel"),
    ("processor", "cpu"),
    ("cores per host", "cores"),
    ("hardware threads", "hardware_threads"),
    ("NUMA nodes", "numa_nodes"),
    ("level 1 data cache, bytes", "l1d_bytes"),
    ("level 2 cache, bytes", "l2_bytes"),
    ("level 3 cache, bytes", "l3_bytes"),
    ("memory, MB", "memory_MB"),
    ("topology", "topology"),
    ("CPU frequency governor", "governor"),
)
_PROGRAM = (
    ("combench", "combench"),
    ("revision", "commit"),
    ("language", "language"),
    ("compiler", "compiler"),
    ("MPI library", "mpi"),
)
PLATFORM, SYSTEM, PROGRAM, MPI, TECHNOLOGY, CLOCK = (
    "Hosts",
    "Kernel settings",
    "Programs",
    "MPI settings",
    "Technology settings",
    "Clock and other processes",
)


def _hosts(document: Document) -> list[Json]:
    found: list[Json] = document.data.get("environment", {}).get("hosts", [])
    return found


def _distinct(values: Iterable[Any]) -> str:
    """The distinct values of the hosts of a document."""
    return ", ".join(dict.fromkeys(str(value) for value in values if value is not None))


def _names(document: Document) -> str:
    """The hosts of a document; several machines may have one name."""
    names = [str(host["name"]) for host in _hosts(document) if "name" in host]
    counts = ((name, names.count(name)) for name in dict.fromkeys(names))
    return ", ".join(f"{name} ({count} hosts)" if count > 1 else name for name, count in counts)


def _tunings(document: Document) -> dict[str, str]:
    names = dict.fromkeys(name for host in _hosts(document) for name in host.get("tuning", {}))
    return {
        name: _distinct(host.get("tuning", {}).get(name) for host in _hosts(document))
        for name in names
    }


def _counted(group: str, name: str, values: Iterable[str]) -> Fact:
    counts: dict[str, int] = {}
    for value in values:
        if value:
            counts[value] = counts.get(value, 0) + 1
    return Fact(group, name, tuple(counts.items()))


def _named(group: str, of_documents: Sequence[dict[str, Any]]) -> list[Fact]:
    """One fact for each name in any of the documents."""
    names = dict.fromkeys(name for one in of_documents for name in one)
    return [
        _counted(group, name, (str(one[name]) for one in of_documents if name in one))
        for name in names
    ]


def _bindings(document: Document) -> str:
    """Whether ranks were bound to cores."""
    ranks = document.data.get("environment", {}).get("ranks", [])
    bound = sum(rank.get("cores") not in (None, "unbound") for rank in ranks)
    if not ranks:
        return ""
    if bound in (0, len(ranks)):
        return "each bound to cores" if bound else "unbound"
    return "partly bound"


def _range(name: str, values: Sequence[float]) -> list[Fact]:
    """The range of a value over all documents."""
    if not values:
        return []
    least, most = min(values), max(values)
    text = number(least) if least == most else f"{number(least)} to {number(most)}"
    return [Fact(CLOCK, name, ((text, len(values)),))]


def values_of(documents: Iterable[Document], *path: str) -> list[Any]:
    """The values at a path in the environment, of all documents that have one."""
    found = []
    for document in documents:
        place: Any = document.data.get("environment", {})
        for key in path:
            place = place.get(key) if isinstance(place, dict) else None
        if place is not None:
            found.append(place)
    return found


def _clock(documents: Sequence[Document]) -> list[Fact]:
    return [
        _counted(CLOCK, "clock", values_of(documents, "clock", "source")),
        *_range("resolution, ns", values_of(documents, "clock", "resolution_ns")),
        *_range("cost of reading, ns", values_of(documents, "clock", "cost_ns")),
        *_range("CPU time of other processes, %", values_of(documents, "noise", "stolen_pct")),
        *_range("longest gap, us", values_of(documents, "noise", "longest_us")),
    ]


def facts_of(documents: Sequence[Document]) -> list[Fact]:
    """All facts, by group."""
    environments = [document.data.get("environment", {}) for document in documents]
    hosts = [_hosts(document) for document in documents]
    made = [
        _counted(PLATFORM, "hosts", map(_names, documents)),
        *(
            _counted(PLATFORM, name, [_distinct(host.get(key) for host in one) for one in hosts])
            for name, key in _HOST
        ),
        _counted(PLATFORM, "processes", (_bindings(document) for document in documents)),
        *(
            _counted(PROGRAM, name, (str(one.get(key, "")).strip() for one in environments))
            for name, key in _PROGRAM
        ),
        *_clock(documents),
        *_named(MPI, [settings.named(one.get("mpi_settings", {})) for one in environments]),
        *_named(TECHNOLOGY, [one.get("technology_settings", {}) for one in environments]),
        *_named(SYSTEM, [_tunings(document) for document in documents]),
    ]
    return [fact for fact in made if fact.values]


def grouped_facts(facts: Sequence[Fact]) -> dict[str, list[Fact]]:
    """Facts by group, in order of appearance."""
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(fact.group, []).append(fact)
    return groups


# Facts that must be equal in all documents for a comparison of their figures.
_COMPARED = (
    "processor",
    "cores per host",
    "memory, MB",
    "kernel",
    "combench",
    "revision",
    "MPI library",
)


def _apart(hosts: Fact) -> str:
    """A sentence where some documents have no host in common; smaller jobs may have fewer hosts."""
    groups = [frozenset(names.split(", ")) for names, _ in hosts.values]
    for group in groups:
        for other in groups:
            if not group & other:
                some, others = sorted(map(", ".join, (sorted(group), sorted(other))))
                return f"Some results were measured on {some}, others on {others}."
    return ""


def differences(facts: Sequence[Fact]) -> list[str]:
    """A sentence for each fact in which the documents differ."""
    said = []
    for fact in facts:
        if fact.name == "hosts" and _apart(fact):
            said.append(_apart(fact))
        if fact.name in _COMPARED and len(fact.values) > 1:
            values = "; ".join(
                f"{value} ({counted(count, 'document')})" for value, count in fact.values
            )
            said.append(f"The results differ in {fact.name}: {values}.")
    return said
