"""What the receiving processors of group 2 can compute at most, by arithmetic: a rate beyond it is
no steady one, and is marked so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from combench.report.rows import Row

_BEYOND = 1.05  # calibrations of the work differ by some per cent


@dataclass(frozen=True)
class Bound:
    what: str
    rate_hz: float


def cores_of(row: Row) -> Optional[int]:
    """Of all hosts of the row's document."""
    hosts = row.document.data.get("environment", {}).get("hosts", [])
    counts = [host.get("cores") for host in hosts]
    return sum(counts) if counts and all(counts) else None


def _work_us(row: Row) -> float:
    """On one packet; of what was asked for and what was clocked the lesser."""
    nominal = row.get("algorithm_us") or 0
    return min(nominal, row.get("algorithm_true_us") or nominal)


def _stages(row: Row) -> list[int]:
    return [int(stage) for stage in str(row.get("topology") or "").split("-") if stage]


def _packets(row: Row) -> int:
    """That all receiving processors together work on for one event."""
    return sum(_stages(row)[:-1]) or row.get("sources") or 0


def computing_bounds(row: Row) -> list[Bound]:
    """By arithmetic: what the receiving processors can compute, with a core each and with what
    there is."""
    work_us, packets, cores = _work_us(row), _packets(row), cores_of(row)
    if not work_us or not packets:
        return []
    stages = _stages(row)
    slowest = max((a / b for a, b in zip(stages, stages[1:])), default=0)
    busiest = slowest or packets / (row.get("destinations") or 1)
    bounds = [Bound("the algorithms, on processors of their own", 1e6 / (busiest * work_us))]
    if cores:
        shared = cores * 1e6 / (packets * work_us)
        bounds.append(Bound(f"the algorithms, on {cores} cores together", shared))
    return bounds


def is_beyond(row: Row) -> bool:
    """Whether more events were counted than can have been worked on in the time."""
    rate_hz = row.get("frequency_Hz")
    if not row.get("algorithm_us") or rate_hz is None:
        return False
    bounds = computing_bounds(row)
    return bool(bounds) and rate_hz > _BEYOND * min(bound.rate_hz for bound in bounds)
