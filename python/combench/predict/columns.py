"""What the figures of each benchmark are, from the time of a step: the columns of a result.

docs/using/benchmarks.md has the table in words.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Callable, Sequence

from combench.predict.workloads import Case

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Figure:
    roles: tuple[str, ...]  # of the shape's stages; the last one is repeated
    packets: Callable[[Shape], int]  # that all destinations take in a step
    columns: tuple[str, ...]  # which stage is which column of the row
    key: str = "round_us"
    divisor: int = 1  # of the step's time, for the figure
    counts_packets: bool = False  # the frequency is of packets, else of steps


def _last(shape: Shape) -> int:
    return shape[-1]


_SENDER = ("source", "destination")
_FARM = Figure(
    ("supervisor", "source", "destination"),
    lambda shape: shape[1],
    ("", "sources", "destinations"),
)
_ONE_TO_MANY = Figure(_SENDER, _last, ("", "destinations"))
_PAIR_STREAM = Figure(_SENDER, lambda shape: 1, ())
_FUNNEL = Figure(("destination", "source"), _last, ("", "sources"))
FIGURES = {
    ("oneway", "pingpong"): Figure(_SENDER, lambda shape: 1, (), "latency_us", 2),
    ("oneway", "stream"): _PAIR_STREAM,
    ("twoway", "exchange"): Figure(("node",), lambda shape: 2, ()),
    ("alltoall", "round"): Figure(("node",), lambda shape: shape[0] * (shape[0] - 1), ()),
    ("pairs", "stream"): Figure(_SENDER, lambda shape: shape[0], (), counts_packets=True),
    ("outfarm", "stream"): _ONE_TO_MANY,
    ("outfarm", "round"): _ONE_TO_MANY,
    ("multicast", "stream"): _ONE_TO_MANY,
    ("multicast", "round"): _ONE_TO_MANY,
    ("funnel", "event"): _FUNNEL,
    ("funnel", "free"): _FUNNEL,
    ("pushfarm", "closed"): _FARM,
    ("pullfarm", "closed"): _FARM,
    ("pipeline", "event"): Figure(("source", "stage"), lambda shape: shape[-2], ()),
}


def figure_of(case: Case) -> Figure:
    return FIGURES[case.benchmark, case.mode]


def role_of(case: Case, rank: int) -> tuple[str, int]:
    """The role of a rank, and the first rank that has it."""
    roles, first = figure_of(case).roles, 0
    for stage, count in enumerate(case.shape):
        if rank < first + count:
            name = roles[min(stage, len(roles) - 1)]
            return (f"{name} {stage}" if name == "stage" else name), first
        first += count
    raise ValueError(f"no rank {rank} in {case.shape}")


def frequency_hz(case: Case, step_us: float) -> float:
    """The frequency that a step of so many microseconds is; 0 where it takes no time."""
    figure = figure_of(case)
    if step_us <= 0:
        return 0.0
    per_step = figure.packets(case.shape) if figure.counts_packets else 1
    return per_step * 1e6 / (step_us / figure.divisor)


def of_case(case: Case) -> dict[str, Any]:
    """What says which measurement a row is."""
    figure = figure_of(case)
    row: dict[str, Any] = {"size_bytes": case.size_bytes, "processors": case.processors}
    row |= {name: count for name, count in zip(figure.columns, case.shape) if name}
    row["mode"] = case.mode
    if case.benchmark == "pipeline":
        row["topology"] = "-".join(map(str, case.shape))
    if case.benchmark in ("pushfarm", "pullfarm", "pipeline"):
        row["algorithm_us"] = case.algorithm_us
    if case.in_flight:
        row["in_flight_limit"] = case.in_flight
    if case.benchmark == "multicast":
        row |= {"list": "fixed", "multicast": "loop" if case.multicast == "loop" else "technology"}
    if case.benchmark == "pushfarm":
        row["multicast"] = case.multicast
    return row


def of_steps(case: Case, steps_us: Sequence[float]) -> dict[str, Any]:
    """The figures of a row, from the times of a step with different seeds: median and range."""
    figure = figure_of(case)
    step_us = statistics.median(steps_us)
    times = [one / figure.divisor for one in steps_us]
    rates = sorted(frequency_hz(case, one) for one in steps_us)
    packets_us = step_us / figure.divisor
    payload = figure.packets(case.shape) * case.size_bytes
    throughput = payload / packets_us if packets_us > 0 else 0.0
    row: dict[str, Any] = {
        figure.key: {"median": statistics.median(times), "min": min(times), "max": max(times)},
        "frequency_Hz": frequency_hz(case, step_us),
        "frequency_range_Hz": [rates[0], rates[-1]],
        "throughput_MBps": throughput,
    }
    return row
