"""Thresholds of plans: what figures must reach for a network to be accepted.

A threshold is a text such as `frequency_Hz >= 10kHz` or `throughput_MBps >= 900 if mode=stream`.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Optional

from combench.common import catalogue
from combench.common.catalogue import Catalogue, nearest
from combench.common.documents import FORMER_KEYS
from combench.common.figures import at, summary_value
from combench.common.values import size_bytes

Json = dict[str, Any]

_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "=": lambda value, needed: math.isclose(value, needed, rel_tol=1e-9),
    ">": operator.gt,
    "<": operator.lt,
}
_SHAPE = re.compile(
    r"(?P<figure>[A-Za-z0-9_.]+)\s*(?P<relation>>=|<=|=|>|<)\s*(?P<number>[0-9]*\.?[0-9]+)\s*"
    r"(?P<unit>(?!if\b)[A-Za-z%/]*)(?:\s*\bif\b(?P<conditions>.*))?"
)
# Factors from what may be written to the unit of a column.
_UNITS: dict[str, dict[str, float]] = {
    "Hz": {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "us": {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6},
    "MB/s": {"kB/s": 1e-3, "MB/s": 1, "GB/s": 1e3},
    "bytes": {"bytes": 1, "B": 1, "kB": 1e3, "MB": 1e6, "KiB": 1024, "MiB": 1048576},
    "%": {"%": 1},
    "": {},
}
_TYPES = ("number", "summary", "distribution", "members", "counters")


@dataclass(frozen=True)
class Figure:
    path: str
    unit: str = ""


@functools.lru_cache(maxsize=1)
def _figures(known: Catalogue) -> Mapping[str, Figure]:
    """The figures of which thresholds may be given, by the names of CSV: step_us_p99, lost."""
    found: dict[str, Figure] = {}
    for column in known.columns.values():
        if column.type not in _TYPES or column.condition:
            continue
        if column.type == "summary":
            found[column.key] = Figure(column.key, column.unit)
        for name in column.csv:
            member = name[len(column.key) + 1 :]
            if column.type == "number":
                found[name] = Figure(name, column.unit)
            elif column.type != "counters" and not member.startswith("ci95"):
                found[name] = Figure(f"{column.key}.{member}", column.unit)
    for technology in known.technologies.values():
        for one in technology.counters:
            name = f"{one['group']}_{one['key']}"
            found[name] = Figure(f"{one['group']}.{one['key']}")
    return found


@dataclass(frozen=True)
class Threshold:
    """What each row of a section that meets the conditions must reach."""

    text: str
    figure: Figure
    relation: str
    needed: float
    conditions: tuple[tuple[str, str], ...] = ()  # column and value

    def __str__(self) -> str:
        return self.text

    @property
    def more_is_better(self) -> Optional[bool]:
        return None if self.relation == "=" else self.relation in (">=", ">")

    def value(self, row: Json) -> Optional[float]:
        """The figure of a row; None: the row has none, or does not meet the conditions."""
        if any(_said(at(row, name)) != value for name, value in self.conditions):
            return None
        found = at(row, self.figure.path)
        if isinstance(found, dict):
            found = summary_value(found)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            return None
        return float(found)

    def holds(self, value: float) -> bool:
        return _RELATIONS[self.relation](value, self.needed)

    def worst(self, values: Iterable[float]) -> float:
        """The value that is farthest on the wrong side."""
        if self.more_is_better is None:
            return max(values, key=lambda value: abs(value - self.needed))
        return min(values) if self.more_is_better else max(values)


def _said(value: Any) -> str:
    """The value of a column as a plan names it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _factor(text: str, figure: Figure) -> float:
    if not text:
        return 1.0
    units = _UNITS.get(figure.unit, {})
    if text not in units:
        one_of = f"write one of {', '.join(units)}" if units else "it has none; omit the unit"
        raise ValueError(f"'{text}' is not a unit of {figure.path}; {one_of}")
    return units[text]


def _conditions(text: str) -> tuple[tuple[str, str], ...]:
    known = {one.path for one in catalogue.known().identifying}
    found = []
    for part in text.split():
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise ValueError(f"'{part}' is not a condition; write COLUMN=VALUE after if, such as "
                             "mode=stream")
        if name not in known:
            raise ValueError(f"'{name}' is not a condition of rows; {nearest(name, known)}")
        found.append((name, str(size_bytes(value)) if name.endswith("_bytes") else value))
    if not found:
        raise ValueError("no condition follows if; write COLUMN=VALUE, such as mode=stream")
    return tuple(found)


def parse(text: str) -> Threshold:
    """The threshold that a text means. A ValueError names the mistake and the remedy."""
    found = _SHAPE.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"'{text}' is not a threshold; write FIGURE RELATION NUMBER, such as "
            "frequency_Hz >= 10kHz, and after it, for some rows only, if mode=stream"
        )
    figures = _figures(catalogue.known())
    name = found["figure"].replace(".", "_")
    name = FORMER_KEYS.get(name, name)
    if name not in figures:
        raise ValueError(f"'{found['figure']}' is not a figure of results; {nearest(name, figures)}")
    figure = figures[name]
    needed = float(found["number"]) * _factor(found["unit"], figure)
    conditions = _conditions(found["conditions"]) if found["conditions"] is not None else ()
    return Threshold(" ".join(text.split()), figure, found["relation"], needed, conditions)
