"""The environment of all documents: what was the same in all of them, and what was not."""

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
    values: tuple[tuple[str, int], ...]  # what it was, and in how many documents


_HOST = (
    ("hosts", "name"),
    ("operating system", "os"),
    ("kernel", "kernel"),
    ("processor", "cpu"),
    ("cores of a host", "cores"),
    ("hardware threads", "hardware_threads"),
    ("NUMA nodes", "numa_nodes"),
    ("first level cache, bytes", "l1d_bytes"),
    ("second level cache, bytes", "l2_bytes"),
    ("third level cache, bytes", "l3_bytes"),
    ("memory, MB", "memory_MB"),
    ("topology", "topology"),
    ("governor of the clock frequency", "governor"),
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
    "Settings of MPI",
    "Settings of the technology",
    "Clock and other users",
)


def _hosts(document: Document) -> list[Json]:
    found: list[Json] = document.data.get("environment", {}).get("hosts", [])
    return found


def _distinct(values: Iterable[Any]) -> str:
    """Of several hosts of one document."""
    return ", ".join(dict.fromkeys(str(value) for value in values if value is not None))


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
    """One fact for each name that appears in any of the documents."""
    names = dict.fromkeys(name for one in of_documents for name in one)
    return [
        _counted(group, name, (str(one[name]) for one in of_documents if name in one))
        for name in names
    ]


def _bindings(document: Document) -> str:
    """Whether ranks had cores of their own, or were moved about."""
    ranks = document.data.get("environment", {}).get("ranks", [])
    bound = sum(rank.get("cores") not in (None, "unbound") for rank in ranks)
    if not ranks:
        return ""
    if bound in (0, len(ranks)):
        return "each bound to cores" if bound else "unbound"
    return "bound in part"


def _range(name: str, values: Sequence[float]) -> list[Fact]:
    """From the least to the largest of all documents."""
    if not values:
        return []
    least, most = min(values), max(values)
    text = number(least) if least == most else f"{number(least)} to {number(most)}"
    return [Fact(CLOCK, name, ((text, len(values)),))]


def values_of(documents: Iterable[Document], *path: str) -> list[Any]:
    """What stands at a place in the environment, of all documents that have it."""
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
        *_range("cost of a reading, ns", values_of(documents, "clock", "cost_ns")),
        *_range("time taken by others, %", values_of(documents, "noise", "stolen_pct")),
        *_range("longest gap, us", values_of(documents, "noise", "longest_us")),
    ]


def facts_of(documents: Sequence[Document]) -> list[Fact]:
    """All that is known, in groups."""
    environments = [document.data.get("environment", {}) for document in documents]
    hosts = [_hosts(document) for document in documents]
    made = [
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
    """By their group, in the order in which groups come."""
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(fact.group, []).append(fact)
    return groups


# What has to be the same in all documents for their figures to be compared.
_COMPARED = (
    "processor",
    "cores of a host",
    "memory, MB",
    "kernel",
    "combench",
    "revision",
    "MPI library",
)


def _apart(hosts: Fact) -> str:
    """Whether some documents have no host in common: those of smaller jobs may have fewer."""
    groups = [frozenset(names.split(", ")) for names, _ in hosts.values]
    for group in groups:
        for other in groups:
            if not group & other:
                some, others = sorted(map(", ".join, (sorted(group), sorted(other))))
                return f"Some results were measured on {some}, others on {others}."
    return ""


def differences(facts: Sequence[Fact]) -> list[str]:
    """Sentences on what was not the same in all documents."""
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
