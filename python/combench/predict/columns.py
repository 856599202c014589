"""The columns of a result, computed from the time of a step.

docs/using/benchmarks.md has the formulas; benchmarks.json names the columns of each benchmark.
"""

from __future__ import annotations

import statistics
from typing import Any, Sequence

from combench.predict.case import Case


def figure_of(case: Case) -> str:
    """The column with the time of a step / divisor."""
    return case.step.figure or "round_us"


def role_of(case: Case, rank: int) -> tuple[str, int]:
    """The role of a rank, and the first rank with that role."""
    roles, first = list(case.definition.roles), 0
    if case.definition.count.is_topology:
        roles[1:] = [f"{roles[1]} {stage}" for stage in range(1, len(case.shape))]
    for role, count in zip(roles, case.shape):
        if rank < first + count:
            return role, first
        first += count
    raise ValueError(f"no rank {rank} in {case.shape}")


def frequency_hz(case: Case, step_us: float) -> float:
    """The frequency of steps of `step_us` microseconds; 0 if the time is 0."""
    if step_us <= 0:
        return 0.0
    counted = {"packets": case.packets, "events": case.events}
    per_step = counted.get(case.step.frequency, 1)
    return per_step * 1e6 / (step_us / case.step.divisor)


def of_case(case: Case) -> dict[str, Any]:
    """The columns that identify the measurement of a row."""
    count = case.definition.count
    row: dict[str, Any] = {"size_bytes": case.size_bytes, "processors": case.processors}
    if case.fragments:
        row["fragments"] = case.fragments
        if case.correlation > 0:
            row["correlation"] = case.correlation
    if count.is_farm:
        row |= dict(zip(count.options, case.numbers))
        if case.fetched:
            row["fetched"] = case.fetched
        if case.accept is not None:
            row["accept"] = case.accept
    else:
        row[count.column] = case.count_text if count.is_topology else case.numbers[0]
    row["mode"] = case.mode
    own = {name[2:]: value for name, value in zip(case.own[::2], case.own[1::2])}
    row |= {name: own[name] for name in ("schedule", "folding") if name in own}
    if case.takes("pack"):
        row["pack"] = int(own.get("pack", 1))
    if case.takes("algorithm"):
        row["algorithm_us"] = case.algorithm_us
    if case.in_flight:
        row["in_flight_limit"] = case.in_flight
    if case.takes("list"):
        row["list"] = case.list_kind
        row["candidates"] = case.candidates or case.numbers[0]
    if case.takes("multicast") or case.takes("supervisor"):
        row["multicast"] = "loop" if case.multicast == "loop" else "technology"
    return row


def of_steps(case: Case, steps_us: Sequence[float]) -> dict[str, Any]:
    """The figures of a row, median and range, from the step times of all seeds."""
    step_us = statistics.median(steps_us)
    times = [one / case.step.divisor for one in steps_us]
    rates = sorted(frequency_hz(case, one) for one in steps_us)
    packets_us = step_us / case.step.divisor
    payload = case.packets * case.size_bytes
    figure = {"median": statistics.median(times), "min": min(times), "max": max(times)}
    row: dict[str, Any] = {figure_of(case): figure}
    row["frequency_Hz"] = frequency_hz(case, step_us)
    row["frequency_range_Hz"] = [rates[0], rates[-1]]
    row["throughput_MBps"] = payload / packets_us if packets_us > 0 else 0.0
    return row
