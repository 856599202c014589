"""The conditions of runs, and in which of them two sides differ, which may cause differences."""

from __future__ import annotations

import statistics
from typing import Any, Callable, Iterator

from combench.common import settings
from combench.common.documents import Json, launch_of
from combench.common.figures import at, number, options_beside_rows
from combench.compare.sides import Side, text_of

Facts = dict[tuple[str, str, str], set[str]]  # of benchmark, technology and name

_SIDES = ("the baseline", "the other side")
_ABSENT = "nothing"  # shown where a document does not have the fact

_SETTINGS = "MPI settings"
_FACTS = {
    "combench": "environment.combench",
    "commit": "environment.commit",
    "compiler": "environment.compiler",
    "MPI": "environment.mpi",
    _SETTINGS: "environment.mpi_settings",
    "technology settings": "environment.technology_settings",
    "clock": "environment.clock.source",
}
_HOST_FACTS = {
    "CPU": "cpu",
    "cores": "cores",
    "memory, MB": "memory_MB",
    "O/S": "os",
    "kernel": "kernel",
    "governor": "governor",
    "tuning": "tuning",
}


def _single(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """A fact, or each member of an object."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield f"{name}, {key}", text_of(part)
    elif value is not None:
        yield name, text_of(value)


def _of_hosts(document: Json) -> Iterator[tuple[str, str]]:
    """The facts of the hosts of a document."""
    hosts = at(document, "environment.hosts") or []
    yield "hosts", str(len(hosts))
    found: dict[str, set[str]] = {}
    for host in hosts:
        for name, path in _HOST_FACTS.items():
            for fact, value in _single(name, at(host, path)):
                found.setdefault(fact, set()).add(value)
    for fact, values in found.items():
        yield fact, ", ".join(sorted(values))


def _of_document(document: Json) -> Iterator[tuple[str, str]]:
    for name, path in _FACTS.items():
        value = at(document, path)
        yield from _single(name, settings.named(value or {}) if name == _SETTINGS else value)
    yield from _of_hosts(document)
    for name, value in options_beside_rows(document):
        yield f"option {name}", text_of(value)


def _facts(side: Side) -> Facts:
    found: Facts = {}
    for run in side.runs:
        for document in run.documents:
            for name, value in _of_document(document):
                place = (document["benchmark"], document["technology"], name)
                found.setdefault(place, set()).add(value)
    return found


def _noise(side: Side) -> list[float]:
    """CPU time of other processes before the runs, in per cent."""
    return [
        number(at(document, "environment.noise.stolen_pct")) or 0.0
        for run in side.runs
        for document in run.documents
        if at(document, "environment.noise.stolen_pct") is not None
    ]


_NOISY_PCT = 5.0


def _of_noise(first: Side, second: Side) -> Iterator[str]:
    for name, side in zip(_SIDES, (first, second)):
        noise = _noise(side)
        middle = statistics.median(noise) if noise else 0.0
        if middle > _NOISY_PCT:
            yield (
                f"other processes used {middle:.3g} % of the CPU time in {name} (median of the probes "
                "before its measurements)"
            )


def _of_marks(first: Side, second: Side) -> Iterator[str]:
    common = first.keys() & second.keys()
    for mark, what in (("*", "oversubscribed"), ("L", "with losses"), ("!", "saturated")):
        for name, side, other in zip(_SIDES, (first, second), (second, first)):
            count = sum(mark in side.marks[key] - other.marks[key] for key in common)
            if count:
                yield f"{what} in {name} only: {count} of the rows compared"


def _of_limits(first: Side, second: Side) -> Iterator[str]:
    """Rows match even if the search of a farm chose another number of events in flight."""
    common = first.limits.keys() & second.limits.keys()
    count = sum(first.limits[key] != second.limits[key] for key in common)
    if count:
        yield f"{count} rows of farms have different numbers of events in flight on the two sides"


def _of_facts(first: Side, second: Side) -> Iterator[str]:
    one, other = _facts(first), _facts(second)
    pairs: dict[str, tuple[set[str], set[str]]] = {}
    documents = [{place[:2] for place in facts} for facts in (one, other)]
    for place in one.keys() | other.keys():
        mine, theirs = one.get(place, {_ABSENT}), other.get(place, {_ABSENT})
        if mine != theirs and all(place[:2] in known for known in documents):
            both = pairs.setdefault(place[2], (set(), set()))
            both[0].update(mine)
            both[1].update(theirs)
    for name in sorted(pairs):
        ours, others = (" or ".join(sorted(values)) for values in pairs[name])
        yield f"{name} differs: {ours} in {_SIDES[0]}, {others} in {_SIDES[1]}"


_MOST_NAMES = 4


def _names(names: set[str]) -> str:
    every = sorted(names)
    more = f" and {len(every) - _MOST_NAMES} more" if len(every) > _MOST_NAMES else ""
    return (", ".join(every[:_MOST_NAMES]) or _ABSENT) + more


def _hosts(side: Side) -> set[str]:
    return {
        host.get("name", "unknown")
        for run in side.runs
        for document in run.documents
        for host in at(document, "environment.hosts") or []
    }


def _of_names(first: Side, second: Side) -> Iterator[str]:
    """Other hosts are another system, however alike they are."""
    ours, others = _hosts(first), _hosts(second)
    if ours != others:
        yield (
            f"names of hosts differ: only {_names(ours - others)} in {_SIDES[0]}, only "
            f"{_names(others - ours)} in {_SIDES[1]}"
        )


def _of_copies(first: Side, second: Side) -> Iterator[str]:
    ours, others = (
        {launch_of(document) for run in side.runs for document in run.documents}
        for side in (first, second)
    )
    if common := len(ours & others):
        yield f"{common} results are in both sides: a launch cannot differ from itself"


_CHECKS: tuple[Callable[[Side, Side], Iterator[str]], ...] = (
    _of_copies,
    _of_names,
    _of_facts,
    _of_marks,
    _of_limits,
    _of_noise,
)


def differences(first: Side, second: Side) -> list[str]:
    """A sentence for each condition in which the sides differ, or that disturbs one of them."""
    return [sentence for check in _CHECKS for sentence in check(first, second)]
