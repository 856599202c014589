"""The answer that stands first: which farm, at which rate, and what limits it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence

from combench.report.charts import benchmark_title, carried, grouped
from combench.report.figures import BEYOND, Figure, frequency, number, text
from combench.report.limits import limit_of
from combench.report.rows import Row, usual

_FARMS = ("pushfarm", "pullfarm")
_LARGEST_NOTE_BYTES = 1024
_NEXT = 4  # farms that are listed behind the best


def farm_name(row: Row) -> str:
    kind = benchmark_title(row.get("benchmark")).split(" ", 1)[1]
    where = f", {row.machine}" if row.machine else ""
    return f"{kind} {row.shape} over {row.get('technology')}{where}"


@dataclass(frozen=True)
class Candidate:
    """A farm with its highest frequency: that of the closed loop."""

    row: Row
    rate: Figure

    @property
    def name(self) -> str:
        return farm_name(self.row)


@dataclass(frozen=True)
class Task:
    """What farms of one packet size and one algorithm did, the fastest first."""

    algorithm_us: float
    size_bytes: int
    best: Candidate
    others: tuple[Candidate, ...]
    lead: str  # of the best one before the next
    limit: str
    under_load: tuple[str, ...]
    verdict: str  # on a rate that is required

    @property
    def work(self) -> str:
        if not self.algorithm_us:
            return f"no work on packets of {self.size_bytes} bytes"
        return f"{self.algorithm_us:g} us of work on each packet of {self.size_bytes} bytes"


@dataclass(frozen=True)
class Answer:
    tasks: tuple[Task, ...]
    missing: str  # why there is no answer, where there is none
    beyond: str  # on rates that are more than processors can compute


def _largest_size(rows: Sequence[Row]) -> Optional[int]:
    sizes = [row.get("size_bytes") for row in rows]
    return max(
        (size for size in sizes if size <= _LARGEST_NOTE_BYTES), default=min(sizes, default=None)
    )


def _candidates(rows: Iterable[Row]) -> list[Candidate]:
    found = []
    for row in rows:
        rate = row.figure("frequency_Hz")
        if rate is not None and row.get("mode") != "open":
            found.append(Candidate(row, rate))
    return sorted(found, key=lambda candidate: -candidate.rate.value)


def _lead(best: Candidate, others: Sequence[Candidate]) -> str:
    """Whether the best is better than the next, as far as intervals tell."""
    if not others:
        return "no other farm was measured with this work"
    following = others[0]
    times = f"{number(best.rate.value / following.rate.value)} times the rate of the next"
    overlap = best.rate.overlaps(following.rate)
    if overlap is None:
        return f"{times}; an interval is missing, so that nothing says whether this is by chance"
    if overlap:
        return f"{times}, but the intervals overlap: these measurements do not tell which is faster"
    return f"{times}; the intervals do not overlap"


def _deadline(row: Row) -> str:
    parameters = row.document.data.get("parameters", {})
    return f"{parameters.get('quantile', 'p99')} within {parameters['deadline_us']:g} us"


def _searched(rows: Iterable[Row]) -> list[str]:
    found = []
    for row in rows:
        known = row.figure("found_Hz")
        if known is not None:
            found.append(f"{farm_name(row)}: {_deadline(row)} up to {text(known, frequency)}")
    return found


def _highest_carried(rows: Sequence[Row]) -> list[str]:
    """For each farm the highest rate at which it was in a steady state."""
    said = []
    curves = [row for row in rows if row.get("mode") == "open" and not row.get("found_Hz")]
    for group in grouped(curves, ("benchmark", "technology", "machine", "shape")):
        steady = [row for row in group if carried(row)]
        if not steady:
            said.append(f"{farm_name(group[0])}: no rate was carried")
            continue
        row = max(steady, key=lambda row: float(row.get("offered_Hz")))
        late = row.figure("event_latency_us.p99")
        tail = f", p99 {text(late, unit='us')}" if late else ", too few events for a p99"
        below = [other for other in group if other.get("offered_Hz") < row.get("offered_Hz")]
        gaps = "" if all(carried(one) for one in below) else "; not all lower rates were carried"
        said.append(f"{farm_name(row)}: carried {_rate_text(row)}{tail}{gaps}")
    return said


def _rates(rows: Sequence[Row], best: Candidate) -> list[tuple[float, str]]:
    """By which measurements a rate can be called reached, the strictest first."""
    found, offered = [], []
    for row in rows:
        if row.get("found_Hz"):
            found.append(
                (row.get("found_Hz")["interval"][0], f"{farm_name(row)}, {_deadline(row)}")
            )
        elif row.get("mode") == "open" and carried(row):
            offered.append((row.get("offered_Hz"), f"{farm_name(row)} carried {_rate_text(row)}"))
    closed = (best.rate.low or 0.0, f"{best.name}, in a closed loop, which has no schedule to keep")
    return [*sorted(found, reverse=True), *sorted(offered, reverse=True), closed]


def _rate_text(row: Row) -> str:
    return frequency(row.get("offered_Hz"))


def _verdict(rows: Sequence[Row], best: Candidate, required_hz: Optional[float]) -> str:
    if required_hz is None:
        return ""
    reached = [how for rate, how in _rates(rows, best) if rate >= required_hz]
    if reached:
        return f"reached: {reached[0]}"
    return "not reached by any farm that was measured with this work"


def _task(
    rows: Sequence[Row], all_rows: Sequence[Row], required_hz: Optional[float]
) -> Optional[Task]:
    ranked = [one for one in _candidates(rows) if not one.row.is_beyond]
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
        under_load=tuple(_searched(rows) + _highest_carried(rows)),
        verdict=_verdict(rows, best, required_hz),
    )


def _of_kind(rows: Sequence[Row], names: tuple[str, ...]) -> list[Row]:
    return usual([row for row in rows if row.get("benchmark") in names])


def answer_of(rows: Sequence[Row], required_hz: Optional[float] = None) -> Answer:
    """The trigger farms, by how much they work on a packet; pipelines where there are no farms."""
    farms = _of_kind(rows, _FARMS) or _of_kind(rows, ("pipeline",))
    size = _largest_size(farms)
    chosen = [row for row in farms if row.get("size_bytes") == size]
    chosen.sort(key=lambda row: row.get("algorithm_us") or 0)
    tasks = [_task(group, rows, required_hz) for group in grouped(chosen, ("algorithm_us",))]
    missing = "" if any(tasks) else _why_missing(farms)
    return Answer(tuple(task for task in tasks if task is not None), missing, _beyond(rows))


def _why_missing(farms: Sequence[Any]) -> str:
    if farms:
        return "No farm was measured in a steady state."
    return (
        "No trigger farm was measured here, so this report cannot say which one to take; it has what "
        "the network does. Measure pushfarm and pullfarm, as the plans quick and note48 do."
    )


def _beyond(rows: Iterable[Row]) -> str:
    worked = [row for row in rows if row.get("algorithm_us") and row.get("frequency_Hz")]
    beyond = [row for row in worked if row.is_beyond]
    if not beyond:
        return ""
    names = ", ".join(dict.fromkeys(benchmark_title(row.get("benchmark")) for row in beyond))
    return (
        f"{len(beyond)} of {len(worked)} rates with work on the packets ({names}) are more than the "
        f"processors can compute, and have the mark {BEYOND}: they are no steady rates, and the "
        "answer does not use them. Presumably events were counted that had been worked on before "
        "the time began; measure them for longer (--max-time)."
    )
