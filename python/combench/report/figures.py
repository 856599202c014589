"""A figure of a result row, with its interval and its marks.

A rate is a constant divided by the measured time, so its interval follows from that of the time.
A figure whose interval is unknown has the mark NO_INTERVAL.
"""

from __future__ import annotations

import bisect
import itertools
import math
import statistics
from dataclasses import dataclass, replace
from typing import Any, Callable, Mapping, Optional, Sequence

from combench.common import catalogue
from combench.common.inference import NORMAL_QUANTILE, quantile_ranks
from combench.common.variation import Launch, Variation, variation

Json = Mapping[str, Any]

NO_INTERVAL, BEYOND, COUNTED, BIMODAL = "°", "#", "&", "b"
# The marks of the text tables of all programs, in their order: mark, key, condition, meaning.
_MARKS: tuple[tuple[str, str, Callable[[Any], bool], str], ...] = (
    ("*", "oversubscribed", bool, "more busy processes than cores on a host"),
    ("/", "piece_bytes", lambda value: True, "packets sent in several pieces"),
    ("!", "saturated", bool, "saturated: the farm did not sustain the offered rate"),
    ("^", "limited_by", "supervisor".__eq__, "limited by the supervisor, not by the farm"),
    (
        "?",
        "generator_error_pct",
        lambda value: bool(value > 1),
        "disturbed: events issued more than 1 % off their schedule",
    ),
    (
        "~",
        "stopped_by",
        lambda value: bool(value != "precision"),
        "requested precision not reached",
    ),
    (
        "%",
        "hosts_with_faults",
        lambda value: bool(value > 0),
        "a host sent again, dropped, or got packets marked by a congested switch, maybe of other "
        "programs",
    ),
    ("m", "source", "model".__eq__, "predicted by the model; the bracket is the range over seeds"),
    ("x", "outside", bool, "predicted outside the measured range; the error is unknown"),
    (
        "i",
        "incast",
        lambda value: bool(value) and "dropped_pct" not in value,
        "incast: may overflow a switch buffer; predicted without losses",
    ),
    (
        "l",
        "incast",
        lambda value: bool(value) and value.get("dropped_pct", 0) > 0,
        "incast: predicted with losses at a full switch buffer",
    ),
)
MEANINGS = {mark: meaning for mark, _, _, meaning in _MARKS} | {
    COUNTED: "packets sent again, timed out, marked by ECN, doubled or foreign: see the counters in the result",
    ">": "bound, because little was computed: the slowdown is at least this, the computing left at most",
    BEYOND: "exceeds what the processors can compute: not a steady rate; do not use",
    BIMODAL: "bimodal: its launches have two modes, which the discussion lists",
    NO_INTERVAL: "no interval: a total, or a ratio of two figures",
}

_BOUND = "slowdown_computing_at_least"  # sides with the mark >
_OF_A_TRIAL = "!^?"
_TIMES = ("latency_us", "round_us")
_RATES = frozenset({"frequency_Hz", "throughput_MBps", "per_node_MBps"})
_PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}


@dataclass(frozen=True)
class Figure:
    value: float
    low: Optional[float]
    high: Optional[float]
    marks: str

    @classmethod
    def of_launches(cls, figures: Sequence[Figure]) -> Figure:
        """The mean of several launches, with an interval that has their variation."""
        if len(figures) == 1:
            return figures[0]
        marks = dict.fromkeys(mark for one in figures for mark in one.marks if mark != NO_INTERVAL)
        known = variation_of(figures)
        if known is None:  # a value that has no logarithm
            values = [one.value for one in figures]
            middle = statistics.median(values)
            return cls(middle, min(values), max(values), "".join(marks))
        marks.update(dict.fromkeys(BIMODAL if known.modes else ""))
        return cls(known.value, known.low, known.high, "".join(marks))

    def overlaps(self, other: Figure) -> Optional[bool]:
        """Whether the intervals overlap; None when one of them is unknown."""
        if self.low is None or other.low is None or self.high is None or other.high is None:
            return None
        return self.low <= other.high and other.low <= self.high


def _own_variance(one: Figure) -> Optional[float]:
    """The variance of the logarithm of a launch's figure, from its 95 % interval."""
    if one.low is None or one.high is None or one.low <= 0:
        return None
    return (math.log(one.high / one.low) / (2 * NORMAL_QUANTILE)) ** 2


def variation_of(figures: Sequence[Figure]) -> Optional[Variation]:
    """The variation of a figure of several launches; None for one launch, or values of 0 and less."""
    if any(one.value <= 0 for one in figures):
        return None
    return variation([Launch(one.value, _own_variance(one)) for one in figures])


def _has_marked_counter(row: Json) -> bool:
    return any(
        (row.get(str(one["group"])) or {}).get(one["key"], 0) > 0
        for technology in catalogue.known().technologies.values()
        for one in technology.counters
        if one.get("marked")
    )


def marks_of(row: Json) -> str:
    marks = "".join(mark for mark, key, applies, _ in _MARKS if key in row and applies(row[key]))
    return marks + (COUNTED if _has_marked_counter(row) else "")


def _figure(value: float, interval: Optional[tuple[float, float]], row: Json) -> Figure:
    marks = marks_of(row)
    if interval is None:
        return Figure(value, None, None, marks + NO_INTERVAL)
    return Figure(value, interval[0], interval[1], marks)


def _pair(values: Sequence[float]) -> tuple[float, float]:
    low, high = values
    return low, high


def _summary(row: Json, key: str) -> Optional[Figure]:
    summary = row.get(key)
    if not summary:
        return None
    interval = summary.get("ci95")
    return _figure(summary["median"], _pair(interval) if interval else None, row)


def _rate(row: Json, key: str) -> Optional[Figure]:
    """A rate is a constant divided by time: its interval is the inverse of that of the time."""
    if key not in row:
        return None
    value = row[key]
    if key == "frequency_Hz" and "frequency_range_Hz" in row:
        return _figure(value, _pair(row["frequency_range_Hz"]), row)
    time: Json = next((row[key] for key in _TIMES if key in row), {})
    if "ci95" not in time or min(time["ci95"]) <= 0:
        return _figure(value, None, row)
    low, high = time["ci95"]
    return _figure(value, (value * time["median"] / high, value * time["median"] / low), row)


def _found(row: Json) -> Optional[Figure]:
    found = row.get("found_Hz")
    if not found:
        return None
    known = _figure(found["value"], _pair(found["interval"]), row)
    # The row is that of the last trial, whose marks do not apply to the rate that was found.
    return replace(known, marks="".join(mark for mark in known.marks if mark not in _OF_A_TRIAL))


def quantile_interval(histogram: Json, quantile: float) -> Optional[tuple[float, float]]:
    """The 95 % interval of a quantile from order statistics, rounded out to histogram cells.

    Assumes independent samples. None where there are too few samples beyond the quantile.
    """
    counts, bounds = histogram["counts"], histogram["bounds"]
    ranks = quantile_ranks(sum(counts), quantile)
    if ranks is None:
        return None
    below = list(itertools.accumulate(counts))
    cell = [bisect.bisect_left(below, rank) for rank in ranks]
    return bounds[cell[0]], bounds[cell[1] + 1]


def percentile(row: Json, key: str, name: str) -> Optional[Figure]:
    """`p50` to `p99_9` of the distribution `event_latency_us` or `step_us`."""
    distribution = row.get(key, {})
    if name not in distribution:
        return None
    value, interval = distribution[name], None
    if "histogram" in distribution:
        interval = quantile_interval(distribution["histogram"], _PERCENTILES[name])
    if interval is not None:
        interval = (min(interval[0], value), max(interval[1], value))
    return _figure(value, interval, row)


def _of_side(row: Json, key: str, side: str) -> Optional[Figure]:
    """A figure of the computing task on one side; one side may be a bound, the other not."""
    if side not in row.get(key, {}):
        return None
    is_bound = row.get(_BOUND, {}).get(side, False)
    known = _figure(row[key][side], None, row)
    return replace(known, marks=(">" if is_bound else "") + known.marks)


def figure(row: Json, name: str) -> Optional[Figure]:
    """The figure of a key, of a percentile (`event_latency_us.p99`), or of a side
    (`slowdown_computing.source`); None when it was not measured."""
    key, _, part = name.partition(".")
    if part in _PERCENTILES:
        return percentile(row, key, part)
    if part:
        return _of_side(row, key, part)
    if key == "time_us":
        return next((_summary(row, time) for time in _TIMES if time in row), None)
    if key in _TIMES:
        return _summary(row, key)
    if key == "found_Hz":
        return _found(row)
    if key in _RATES:
        return _rate(row, key)
    value = row.get(key)
    if isinstance(value, dict):  # with an interval of its own, such as impact_mean
        return _figure(value["value"], _pair(value["interval"]) if "interval" in value else None, row)
    return None if value is None else _figure(value, None, row)


def number(value: float) -> str:
    """Three significant digits, and all digits before the decimal point."""
    if value == 0:
        return "0"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    if decimals > 6:
        return f"{value:.2g}"
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text and abs(value) >= 1000 else text


def counted(count: int, noun: str) -> str:
    """1 run, 2 runs."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def _prefix(value: float) -> tuple[float, str]:
    """The prefix that leaves one to three digits before the decimal point."""
    return next((one for one in _PREFIXES if abs(value) >= one[0] * 0.9995), (1.0, ""))


def frequency(value: float) -> str:
    factor, prefix = _prefix(value)
    return f"{number(value / factor)} {prefix}Hz"


def round_frequency(value: float) -> str:
    """A rate that the user gave, with the digits that the user gave."""
    factor, prefix = _prefix(value)
    return f"{value / factor:g} {prefix}Hz"


def interval_text(known: Figure, as_text: Callable[[float], str] = number) -> str:
    """`[low, high]` in the unit of the figure; empty where there is no interval."""
    if known.low is None or known.high is None or known.value == 0:
        return ""
    factor = _prefix(known.value)[0] if as_text is frequency else 1.0
    return f"[{number(known.low / factor)}, {number(known.high / factor)}]"


def text(known: Figure, as_text: Callable[[float], str] = number, unit: str = "") -> str:
    """Figure, unit, interval and marks in one line."""
    parts = (as_text(known.value), unit, interval_text(known, as_text), known.marks)
    return " ".join(part for part in parts if part)
