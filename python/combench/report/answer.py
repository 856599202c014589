"""The first section of the report: the fastest farm, its rate, and what limits it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence

from combench.common import catalogue
from combench.common.catalogue import FARM
from combench.common.figures import at
from combench.report.charts import benchmark_title, carried, grouped
from combench.report.figures import BEYOND, Figure, frequency, number, text
from combench.report.limits import limit_of
from combench.report.rows import Row, usual

_NEXT = 4  # farms that are listed after the fastest


def farm_name(row: Row) -> str:
    where = f", {row.machine}" if row.machine else ""
    part = f", {row.get('fetched')} sources an event" if row.get("fetched") else ""
    if row.get("accept") is not None:
        part += f", all of them for {row.get('accept'):g} of the events"
    if row.get("fragments"):
        part += f", fragments {row.get('fragments')}"
    return f"{row.definition.short_label} {row.shape}{_own(row)} over {row.get('technology')}{where}{part}"


def _own(row: Row) -> str:
    """The identifying values of options that only this benchmark has; of numbers and choices those
    that are not the default."""
    said = ""
    columns = catalogue.known().columns
    for option in catalogue.known().own_options(row.definition):
        column, value = columns.get(option.key), row.get(option.key)
        if column is None or not column.identifies or value is None:
            continue
        if option.type == "text" or f"{value}" != option.default:
            said += f", {column.phrase.format(value)}"
    return said


def _loaded_name(row: Row) -> str:
    """The farm, and how the events of its open loop fell due."""
    return f"{farm_name(row)}, {row.get('arrivals')} arrivals"


@dataclass(frozen=True)
class Candidate:
    """A farm with its highest frequency, which is that of the closed loop."""

    row: Row
    rate: Figure
    measured: tuple[Row, ...]  # all measurements of it

    @property
    def name(self) -> str:
        return farm_name(self.row)

    @property
    def repeated(self) -> str:
        """The range over launches, and the numbers of events in flight, which each launch of a closed
        loop chooses for itself."""
        if len(self.measured) < 2:
            return ""
        rates = [row.get("frequency_Hz") for row in self.measured]
        flights = sorted({row.get("in_flight_limit") for row in self.measured} - {None})
        said = f"{frequency(min(rates))} to {frequency(max(rates))}"
        if flights:
            said += f", with {' or '.join(f'{flight:g}' for flight in flights)} events in flight"
        return f"mean of {len(rates)} launches: {said}"


@dataclass(frozen=True)
class Task:
    """The farms of one packet size and one algorithm, the fastest first."""

    algorithm_us: float
    size_bytes: int
    best: Candidate
    others: tuple[Candidate, ...]
    lead: str  # rate of the best farm, compared with that of the next
    limit: str
    under_load: tuple[str, ...]
    verdict: str  # on the required rate

    @property
    def work(self) -> str:
        if not self.algorithm_us:
            return f"Packets of {self.size_bytes} bytes, no work on them"
        return f"Packets of {self.size_bytes} bytes, {self.algorithm_us:g} us of work on each"


@dataclass(frozen=True)
class Answer:
    tasks: tuple[Task, ...]
    missing: str  # why there is no answer; empty where there is one
    beyond: str  # warning about rates above what the processors can compute
    kind: str = "farm"  # what is compared: farms, or schedules of event building


def _largest_size(rows: Sequence[Row]) -> Optional[int]:
    sizes = [row.get("size_bytes") for row in rows]
    largest = max(catalogue.known().note_sizes_bytes)
    return max((size for size in sizes if size <= largest), default=min(sizes, default=None))


def _candidates(rows: Iterable[Row]) -> list[Candidate]:
    """The farms measured in a steady state, each with all its measurements."""
    found = []
    for row in rows:
        if row.get("mode") == "open":
            continue
        every = [one for one in (*row.earlier, row) if not one.is_beyond]
        rates = [(one, rate) for one in every if (rate := one.own_figure("frequency_Hz")) is not None]
        if rates:
            rate = Figure.of_launches([rate for _, rate in rates])
            found.append(Candidate(row, rate, tuple(one for one, _ in rates)))
    return sorted(found, key=lambda candidate: -candidate.rate.value)


def _lead(best: Candidate, others: Sequence[Candidate]) -> str:
    """Whether the best is faster than the next one, according to the intervals."""
    if not others:
        return "no other was measured with this packet size and work"
    following = others[0]
    times = f"{number(best.rate.value / following.rate.value)} times the rate of the next"
    overlap = best.rate.overlaps(following.rate)
    if overlap is None:
        return f"{times}; an interval is missing, so the difference may be chance"
    if overlap:
        return f"{times}, but the intervals overlap: the difference may be chance"
    return f"{times}; the intervals do not overlap"


def _deadline(row: Row) -> str:
    deadline_us = at(row.document.data, "parameters.deadline_us")
    within = f" within {deadline_us:g} us" if isinstance(deadline_us, (int, float)) else ""
    return f"{at(row.document.data, 'parameters.quantile') or 'p99'}{within}"


def _searched(rows: Iterable[Row]) -> list[str]:
    found = []
    for row in rows:
        known = row.figure("found_Hz")
        if known is not None:
            search = row.get("found_Hz")
            words = f"{_loaded_name(row)}: {_deadline(row)} up to {text(known, frequency)}"
            found.append(f"{words}, reached in {search['held']} of {search['repeats']} trials")
    return found


_OF_A_FARM = (
    "benchmark",
    "technology",
    "machine",
    "shape",
    "fragments",
    "fetched",
    "accept",
    "arrivals",
)


def _curves(rows: Sequence[Row]) -> list[list[Row]]:
    """The open loops of each farm by offered rate, without results of rate searches."""
    offered = [row for row in rows if row.get("mode") == "open" and not row.get("found_Hz")]
    offered.sort(key=lambda row: float(row.get("offered_Hz")))
    own = (catalogue.known().own_conditions(row.definition) for row in offered)
    return grouped(offered, tuple(dict.fromkeys(itertools.chain(_OF_A_FARM, *own))))


def _held(curve: Sequence[Row]) -> list[Row]:
    """The rows up to the first rate that the farm did not sustain."""
    return list(itertools.takewhile(carried, curve))


def _late(row: Row) -> str:
    known = row.figure("event_latency_us.p99")
    return f"p99 {text(known, unit='us')}" if known else "too few events for p99"


def _carried_rates(rows: Sequence[Row]) -> list[str]:
    """For each farm, the highest rate up to which it sustained all offered rates."""
    said = []
    for curve in _curves(rows):
        held, steady = _held(curve), [row for row in curve if carried(row)]
        if held:
            words = f"sustained all offered rates up to {_rate_text(held[-1])}, {_late(held[-1])}"
        else:
            words = f"did not sustain the lowest offered rate, {_rate_text(curve[0])}"
        if len(steady) > len(held):
            words += f"; sustained {_rate_text(steady[-1])}, but not all rates below"
        said.append(f"{_loaded_name(curve[0])}: {words}")
    return said


def _least_found(row: Row) -> float:
    """The rate that a search found to hold in all trials, in each launch."""
    return min(float(one.get("found_Hz")["interval"][0]) for one in row.launches)


def _rates(rows: Sequence[Row]) -> list[tuple[float, str]]:
    """Rates that were sustained at an offered load, and the farm and method of each."""
    found = [
        (_least_found(row), f"{_loaded_name(row)}, {_deadline(row)}")
        for row in rows
        if row.get("found_Hz")
    ]
    offered = [
        (
            held[-1].get("offered_Hz"),
            f"{_loaded_name(held[-1])}: sustained {_rate_text(held[-1])}",
        )
        for held in map(_held, _curves(rows))
        if held
    ]
    return [*sorted(found, reverse=True), *sorted(offered, reverse=True)]


def _rate_text(row: Row) -> str:
    return frequency(row.get("offered_Hz"))


def _verdict(rows: Sequence[Row], best: Candidate, required_hz: Optional[float]) -> str:
    if required_hz is None:
        return ""
    for rate, how in _rates(rows):
        if rate >= required_hz:
            return f"reached: {how}"
    if best.rate.low is not None and best.rate.low >= required_hz:
        return f"reached only in a closed loop, without an offered rate: {best.name}"
    return "not reached by any farm measured with this packet size and work"


def _task(
    rows: Sequence[Row], all_rows: Sequence[Row], required_hz: Optional[float]
) -> Optional[Task]:
    ranked = _candidates(rows)
    if not ranked:
        return None
    best, others = ranked[0], tuple(ranked[1 : 1 + _NEXT])
    return Task(
        algorithm_us=best.row.get("algorithm_us") or 0,
        size_bytes=best.row.get("size_bytes"),
        best=best,
        others=others,
        lead=_lead(best, others),
        limit=limit_of(best.row, all_rows),
        under_load=tuple(_searched(rows) + _carried_rates(rows)),
        verdict=_verdict(rows, best, required_hz),
    )


def answer_of(rows: Sequence[Row], required_hz: Optional[float] = None) -> Answer:
    """The answer for each amount of work: of trigger farms, of pipelines without farms, or of event
    building without both, among most nodes and with the largest fragments."""
    deciding = [row for row in rows if row.definition.group == FARM]
    farms = usual([row for row in deciding if row.definition.count.is_farm]) or usual(deciding)
    size, kind = _largest_size(farms), "farm"
    if not farms:
        farms = usual([row for row in rows if row.definition.bounds])
        most = max((row.get("processors") for row in farms), default=0)
        farms = [row for row in farms if row.get("processors") == most]
        size = max((row.get("size_bytes") for row in farms), default=None)
        kind = "schedule" if farms else kind
    chosen = [row for row in farms if row.get("size_bytes") == size]
    chosen.sort(key=lambda row: row.get("algorithm_us") or 0)
    tasks = [_task(group, rows, required_hz) for group in grouped(chosen, ("algorithm_us",))]
    missing = "" if any(tasks) else _why_missing(farms)
    found = tuple(task for task in tasks if task is not None)
    return Answer(found, missing, _beyond(rows), kind)


def _why_missing(farms: Sequence[Any]) -> str:
    if farms:
        return "No farm was measured in a steady state."
    known = catalogue.known().benchmarks.values()
    names = " and ".join(one.name for one in known if one.count.is_farm)
    return (
        "No trigger farm was measured, so this report cannot compare farms; it shows the network "
        f"only. To measure {names}, run the plan quick or note48."
    )


def _beyond(rows: Iterable[Row]) -> str:
    worked = [row for row in rows if row.get("algorithm_us") and row.get("frequency_Hz")]
    beyond = [row for row in worked if row.is_beyond]
    if not beyond:
        return ""
    names = ", ".join(dict.fromkeys(benchmark_title(row.get("benchmark")) for row in beyond))
    return (
        f"{len(beyond)} of {len(worked)} rates with work on packets ({names}) exceed what the "
        f"processors can compute (mark {BEYOND}). They are not steady rates and are not used in the "
        "first section. Probably some events were processed before the timed interval; measure "
        "longer (--max-time)."
    )
