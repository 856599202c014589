"""Rows of result documents: the keys by which rows of two runs match, and their figures.

Both follow from the table of columns (catalogue.py); a new column needs no change here.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterable, Iterator, Optional

from combench.common import catalogue
from combench.common.catalogue import Catalogue, Column

Json = dict[str, Any]
Key = tuple[tuple[str, Any], ...]  # the names and values by which a row is found in another run

# The order of a key in words; other identifying columns follow.
_SAID_FIRST = (
    "mode size_bytes processors sources destinations topology occupation algorithm_us offered_Hz "
    "arrivals list multicast touch buffers"
).split()


@functools.lru_cache(maxsize=1)
def _identities(known: Catalogue) -> tuple[tuple[str, str], ...]:
    plain = [one.key for one in known.identifying if not one.identity]
    first = [key for key in _SAID_FIRST if key in plain]
    rest = [key for key in plain if key not in first]
    members = [(one.key, one.path) for one in known.identifying if one.identity]
    return tuple([*((key, key) for key in [*first, *rest]), *members])


def identities() -> tuple[tuple[str, str], ...]:
    """The keys in which matching rows agree, with their paths, such as `wait.effective`."""
    return _identities(catalogue.known())


def at(row: Any, path: str) -> Any:
    """The value at a path such as `wait.effective`; None where it is absent."""
    for name in path.split("."):
        if not isinstance(row, dict) or name not in row:
            return None
        row = row[name]
    return row


def _given_settings(document: Json) -> str:
    """The settings of the technology that the command line gave: 'note, max_outst_buffers=4'."""
    given = [at(document, f"parameters.{name}") for name in ("config", "parameter")]
    return ", ".join(one for one in given if isinstance(one, str))


def with_settings(document: Json) -> str:
    """A document's technology with the settings that the command line gave: 'sci (note)'."""
    name, given = str(document.get("technology")), _given_settings(document)
    return f"{name} ({given})" if given else name


# Options that select rows, or say how long and how exactly to measure. Measurements that differ in others are
# different ones.
_CHOOSE_ROWS = frozenset(
    "technology sizes_bytes sweep compute receivers rate_Hz load_curve find_rate output format "
    "verify".split()
)
_HOW_LONG = frozenset(
    "precision_pct max_time_s seed rounds deadline_us quantile timeline_events".split()
)


def options_beside_rows(document: Json) -> Iterator[tuple[str, Any]]:
    """The options of a document that neither select rows nor are columns that identify them."""
    in_rows = _CHOOSE_ROWS | {one.key for one in catalogue.known().identifying}
    for name, value in (document.get("parameters") or {}).items():
        if name not in in_rows:
            yield name, value


def _conditions(document: Json) -> dict[str, str]:
    """What is given beside what rows tell, by option: 'in_flight=4', and the technology's settings."""
    given = {"parameter": _given_settings(document)}
    for name, value in options_beside_rows(document):
        if name not in _HOW_LONG and name not in ("config", "parameter"):
            given[name] = f"{name}={value}"
    return given


def technology_names(*groups: Iterable[Json]) -> Callable[[Json], str]:
    """A function for the name of a document's technology: with the settings and options that its command
    line gave, where documents of the same benchmark and technology differ in them within a group."""

    def kind_of(document: Json) -> tuple[Any, Any]:
        return document.get("benchmark"), document.get("technology")

    mixed: dict[tuple[Any, Any], dict[str, None]] = {}
    for documents in groups:
        found: dict[tuple[Any, Any], list[dict[str, str]]] = {}
        for one in documents:
            found.setdefault(kind_of(one), []).append(_conditions(one))
        for kind, given in found.items():
            names = dict.fromkeys(name for one in given for name in one)
            differ = [name for name in names if len({one.get(name) for one in given}) > 1]
            mixed.setdefault(kind, {}).update(dict.fromkeys(differ))

    def name_of(document: Json) -> str:
        given = _conditions(document)
        words = [given[name] for name in mixed.get(kind_of(document), {}) if given.get(name)]
        name = str(document.get("technology"))
        return f"{name} ({', '.join(words)})" if words else name

    return name_of


def key_of(document: Json, row: Json, technology: str) -> Key:
    """The key of a row. The rate that a search found is a figure, not a part of the key."""
    found: list[tuple[str, Any]] = [
        ("id", document["id"]),
        ("benchmark", document["benchmark"]),
        ("technology", technology),
    ]
    members = []
    for name, path in identities():
        if name != path:
            members.append((name, at(row, path)))
        elif name in row and not (name == "offered_Hz" and "found_Hz" in row):
            found.append((name, row[name]))
    if "found_Hz" in row:
        found.append(("search", "find-rate"))
    return tuple(found + members)


def number(value: Any) -> Optional[float]:
    """A figure that can be compared as a ratio."""
    known = amount(value)
    return known if known is not None and known > 0 else None


def amount(value: Any) -> Optional[float]:
    """A figure that can be compared, if only as a difference."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None


def summary_value(summary: Json) -> float:
    """The figure of a summary: the mean of the blocks if it has one, else their median."""
    value: float = summary.get("mean", summary["median"])
    return value


def is_beside(row: Json) -> bool:
    """Whether it was measured beside a computing task: its times are means."""
    return bool(row.get("occupation", "none") != "none")


@dataclass(frozen=True)
class Figure:
    path: str
    lower_is_better: bool = True
    unless: tuple[str, ...] = ()  # columns that determine it: not compared in rows with one of them
    blocks: bool = False  # `blocks_us` are its blocks
    bound: str = ""  # path of the flag that marks the figure as a bound, which is not compared
    is_count: bool = False  # of what shall not be: compared as a difference only
    of_mean: bool = False  # the mean of the blocks, the figure of rows beside a computing task

    @property
    def name(self) -> str:
        return self.path.replace(".median", "").replace(".value", "").replace(".", " ")


def _figures_of(column: Column, bounds: Optional[Column]) -> Iterator[Figure]:
    for member in column.compared:
        figure = Figure(
            f"{column.key}.{member}" if member else column.key,
            column.better == "lower",
            column.follows,
            blocks=column.type == "summary",
            bound=f"{bounds.key}.{member}" if bounds else "",
        )
        yield figure
        if figure.blocks:
            yield replace(figure, path=f"{column.key}.mean", of_mean=True)


# Their numbers grow with the time of measurement, so that ratios say nothing.
_LOSSES = tuple(
    Figure(path, is_count=True)
    for path in ("lost", "incomplete", "errors", "datagrams.lost", "verify.lost", "verify.errors")
)


def _kind(column: Column) -> int:
    """Times and rates come first, distributions after them, then ratios."""
    return 1 if column.type == "distribution" else 0 if column.unit else 2


@functools.lru_cache(maxsize=1)
def _figures(known: Catalogue) -> tuple[Figure, ...]:
    found = (
        figure
        for column in sorted(known.columns.values(), key=_kind)
        for figure in _figures_of(column, known.columns.get(f"{column.key}_at_least"))
    )
    return (*found, *_LOSSES)


def figures() -> tuple[Figure, ...]:
    """All figures that are compared. `KEY_at_least` marks KEY as a bound."""
    return _figures(catalogue.known())


@dataclass(frozen=True)
class Observation:
    """One figure of one row."""

    value: float
    blocks: tuple[float, ...] = ()
    of_mean: bool = False  # the figure is the mean of the blocks, not their median


def have_ratio(found: Iterable[Observation]) -> bool:
    """Whether these can be compared by ratios: losses of 0 cannot."""
    return all(one.value > 0 for one in found)


def _blocks(row: Json, figure: Figure) -> tuple[float, ...]:
    found = row.get("blocks_us") if figure.blocks else None
    blocks = [number(value) for value in found] if isinstance(found, list) else []
    return tuple(value for value in blocks if value is not None)


def _value(row: Json, figure: Figure) -> Any:
    """Up to combench 0.3, `median` was the mean in rows beside a computing task."""
    found = at(row, figure.path)
    return at(row, figure.path.replace(".mean", ".median")) if found is None and figure.of_mean else found


def observations(row: Json) -> Iterator[tuple[Figure, Observation]]:
    """All figures of a row, also those of 0. Beside a computing task, times are means."""
    beside = is_beside(row)
    for figure in figures():
        if figure.blocks and figure.of_mean != beside:
            continue
        value = amount(_value(row, figure))
        bounded = figure.bound and at(row, figure.bound)
        if value is not None and not bounded and not any(other in row for other in figure.unless):
            yield figure, Observation(value, _blocks(row, figure), beside)


# The marks of rows, as in the tables of the programs, and their meanings.
MARKS = {
    "*": "oversubscribed: more busy ranks than cores",
    "/": "packets sent in several pieces",
    "!": "saturated: the farm did not sustain the offered rate",
    "t": "rate search: its last trial did not sustain the rate",
    "?": "disturbed: events issued off their schedule",
    ">": "the slowdown of computing is a lower bound and is not compared",
    "~": "requested precision not reached within --max-time or --messages",
    "<": "something was lost or waited for: rates are totals, times are medians",
    "L": "events or messages lost",
    "E": "errors: unexpected or wrong messages",
}
_ISSUED_OFF_PCT = 1.0  # as in the tables of the programs


def marks(row: Json) -> frozenset[str]:
    """The marks of a row."""
    found = {
        "*": row.get("oversubscribed"),
        "/": row.get("piece_bytes"),
        "!": row.get("saturated") and "found_Hz" not in row,
        "t": row.get("saturated") and "found_Hz" in row,
        "?": (number(row.get("generator_error_pct")) or 0) > _ISSUED_OFF_PCT,
        ">": any((row.get("slowdown_computing_at_least") or {}).values()),
        "~": row.get("stopped_by") in ("max-time", "messages"),
        "<": row.get("rates_from") == "totals",
        "L": row.get("lost") or at(row, "datagrams.lost") or at(row, "verify.lost"),
        "E": row.get("errors"),
    }
    return frozenset(mark for mark, there in found.items() if there)


# Words for a key, shorter than the phrases of the columns.

_WORDS = {
    "processors": "{} procs",
    "sources": "{} sources",
    "destinations": "{} dests",
    "occupation": "compute {}",
    "list": "list {}",
    "multicast": "by {}",
    "touch": "touch {}",
    "buffers": "buffers {}",
    "wait": "wait {}",
    "algorithm_us": "algorithm {} us",
    "offered_Hz": "offered {:.6g} Hz",
    "size_bytes": "{} B",
}


def _phrase(name: str) -> str:
    column = catalogue.known().columns.get(name)
    return _WORDS.get(name) or (column.phrase if column else "{}")


def describe(key: Key, without: frozenset[str] = frozenset()) -> str:
    """A key in words, without the names in `without`."""
    words = []
    known = dict(key)
    if known.get("id") == known.get("benchmark"):
        without |= {"id"}
    for name, value in key:
        if name not in without and value is not None:
            words.append(_phrase(name).format(value))
    return " ".join(words)


def shared(keys: list[Key]) -> dict[str, Any]:
    """The conditions of measurement in which all keys agree."""
    if not keys:
        return {}
    common = set(keys[0]).intersection(*keys[1:])
    names = ("occupation", "touch", "buffers", "wait", "list", "multicast", "technology")
    return {name: value for name, value in keys[0] if name in names and (name, value) in common}


_FIRST = ("id", "technology", "mode", "occupation")
_COUNTS = ("processors", "sources", "destinations")
_LAST = ("algorithm_us", "offered_Hz", "size_bytes")


def order(key: Key) -> tuple[Any, ...]:
    """A sort key: benchmarks by id, sizes last."""
    known = dict(key)
    words = [str(known.get(name, "")) for name in _FIRST]
    counts = [known.get(name, 0) for name in _COUNTS]
    rest = sorted(
        (name, str(value)) for name, value in key if name not in (*_FIRST, *_COUNTS, *_LAST)
    )
    return (words, counts, rest, [known.get(name, 0) for name in _LAST])
