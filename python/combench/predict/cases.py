"""Which cases are predicted: those that were measured, and the same benchmarks at other sizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Iterable, Iterator, Sequence

from combench.common.benchmarks import BENCHMARKS, NOTE_SIZES
from combench.common.documents import Json
from combench.common.figures import at, number
from combench.predict.columns import FIGURES, figure_of
from combench.predict.workloads import WINDOW, Case

FARMS = ("pushfarm", "pullfarm")
LARGEST_WINDOW = 10**6  # of packets that are not acknowledged
CALIBRATES = "calibrate"  # the program that serves the model and is none of the ten
WITH_ALGORITHM = (*FARMS, "pipeline")
_ON_REQUEST = frozenset({("multicast", "round")})


@dataclass(frozen=True)
class Asked:
    """A case with what does not decide which messages it has."""

    case: Case
    rate_hz: float = 0.0  # of a farm's events; 0: as many as it can
    measured_us: float | None = None  # the figure, where it was measured
    oversubscribed: bool = False
    block_steps: int = 0  # of each block that was timed; 0: not known

    def describe(self) -> str:
        case = self.case
        shape = "x".join(map(str, case.shape))
        return f"{case.mode}, {case.size_bytes} bytes, {shape} processors"


class NotPredicted(Exception):
    """A row that has no case; says why."""


def _pair(row: Json) -> tuple[int, ...]:
    return (1, 1)


_SHAPES: dict[str, Callable[[Json], tuple[int, ...]]] = {
    "oneway": _pair,
    "twoway": lambda row: (2,),
    "alltoall": lambda row: (int(row["processors"]),),
    "pairs": lambda row: (int(row["processors"]) // 2,) * 2,
    "outfarm": lambda row: (1, int(row["destinations"])),
    "multicast": lambda row: (1, int(row["destinations"])),
    "funnel": lambda row: (1, int(row["sources"])),
    "pushfarm": lambda row: (1, int(row["sources"]), int(row["destinations"])),
    "pullfarm": lambda row: (1, int(row["sources"]), int(row["destinations"])),
    "pipeline": lambda row: tuple(int(stage) for stage in str(row["topology"]).split("-")),
}


def group_send(technology: str) -> str:
    """How a technology's own multicast is predicted. MPI sends a broadcast on from rank to rank;
    others have it from the network."""
    return "tree" if technology == "mpi" else "technology"


def of_row(document: Json, row: Json) -> Asked:
    """The case that a row of a result document measured. NotPredicted says why it has none."""
    benchmark, mode = str(document["benchmark"]), str(row.get("mode", ""))
    if benchmark in FARMS:
        mode = "closed"  # an open loop is one with a rate
    if (benchmark, mode) not in FIGURES:
        raise NotPredicted("there is no workload of it")
    if row.get("occupation", "none") != "none":
        raise NotPredicted("a computing task beside it is not in the model")
    if row.get("list", "fixed") != "fixed":
        raise NotPredicted("a list that changes is not in the model; see the fixed one")
    if not {"size_bytes", "processors"} <= row.keys():
        raise NotPredicted("its row has no size or no number of processors")
    multicast = str(row.get("multicast", "loop"))
    if multicast == "technology":
        multicast = group_send(str(document["technology"]))
    window = int(row.get("window") or number(at(document, "parameters.window")) or WINDOW)
    if window > LARGEST_WINDOW:
        raise NotPredicted(f"its window is of {window} packets, more than {LARGEST_WINDOW}")
    try:
        shape = _SHAPES[benchmark](row)
    except KeyError as error:
        raise NotPredicted(f"its row has no {error.args[0]}") from error
    case = Case(
        benchmark=benchmark,
        mode=mode,
        shape=shape,
        size_bytes=int(row["size_bytes"]),
        algorithm_us=float(row.get("algorithm_us", 0.0)),
        window=window,
        in_flight=int(row.get("in_flight_limit", 0)),
        multicast=multicast,
    )
    figure = row.get(figure_of(case).key) or {}
    return Asked(
        case,
        rate_hz=float(row.get("offered_Hz", 0.0)),
        measured_us=figure.get("median"),
        oversubscribed=bool(row.get("oversubscribed", False)),
        block_steps=round(row["steps"] / row["blocks"]) if {"steps", "blocks"} <= row.keys() else 0,
    )


@dataclass
class Measured:
    """What the documents have: cases, and rows that have none."""

    asked: list[Asked] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)


def of_documents(documents: Iterable[Json]) -> Measured:
    """The cases of all documents; of one that was measured twice the first row counts, of what only
    calibrates none."""
    made = Measured()
    seen: set[tuple[Case, float]] = set()
    reasons: set[tuple[str, str, str]] = set()
    for document in documents:
        if document["benchmark"] == CALIBRATES:
            continue
        for row in document["results"]:
            try:
                one = of_row(document, row)
            except NotPredicted as error:
                what = f"mode {row['mode']}" if "mode" in row else "a row"
                reasons.add((str(document["benchmark"]), what, str(error)))
                continue
            if (one.case, one.rate_hz) not in seen:
                seen.add((one.case, one.rate_hz))
                made.asked.append(one)
    for benchmark, what, reason in sorted(reasons):
        made.left_out.append({"benchmark": benchmark, "what": what, "reason": reason})
    return made


# At other numbers


@dataclass(frozen=True)
class Wanted:
    """What is asked for besides what was measured."""

    scales: tuple[int, ...] = ()
    benchmarks: tuple[str, ...] = tuple(BENCHMARKS)
    sizes: tuple[int, ...] = NOTE_SIZES
    algorithms: tuple[float, ...] = (0.0,)
    farms: tuple[tuple[int, int], ...] = ()  # sources and destinations, beside the scales
    topologies: tuple[tuple[int, ...], ...] = ()
    rate_hz: float = 0.0
    in_flight: int = 0  # 0: what `default_in_flight` says
    window: int = WINDOW
    supervisors: tuple[str, ...] = ("loop",)  # how 2.1 tells its sources: loop, technology
    group_sends: tuple[str, ...] = ("loop", "technology")  # of 1.6


def _topology(scale: int) -> tuple[int, ...]:
    """Three stages that each join two of the one before, as 4-2-1 does."""
    last = max(1, scale // 4)
    return (4 * last, 2 * last, last)


def shapes_at(benchmark: str, scale: int) -> tuple[int, ...]:
    """The shape of a benchmark at a scale: its processors, sources or destinations."""
    if benchmark in FARMS:
        return (1, scale, scale)
    return {
        "oneway": (1, 1),
        "twoway": (2,),
        "alltoall": (scale,),
        "pairs": (max(1, scale // 2),) * 2,
        "pipeline": _topology(scale),
    }.get(benchmark, (1, scale))


def _shapes(benchmark: str, wanted: Wanted) -> list[tuple[int, ...]]:
    made = [shapes_at(benchmark, scale) for scale in wanted.scales]
    if benchmark in FARMS:
        made += [(1, *farm) for farm in wanted.farms]
    if benchmark == "pipeline":
        made += wanted.topologies
    return list(dict.fromkeys(made))


def _ways(benchmark: str, wanted: Wanted) -> Sequence[str]:
    """How what goes to many is sent."""
    if benchmark == "pushfarm":
        return wanted.supervisors
    return wanted.group_sends if benchmark == "multicast" else ("loop",)


def wanted_cases(wanted: Wanted, default_in_flight: Callable[[int, int], int]) -> Iterator[Asked]:
    """All that is wanted. `default_in_flight` has it for sources and destinations."""
    for benchmark, mode in FIGURES:
        if benchmark not in wanted.benchmarks or (benchmark, mode) in _ON_REQUEST:
            continue
        algorithms = wanted.algorithms if benchmark in WITH_ALGORITHM else (0.0,)
        for shape in _shapes(benchmark, wanted):
            farm = benchmark in FARMS
            flight = wanted.in_flight or default_in_flight(shape[1], shape[2]) if farm else 0
            for way in _ways(benchmark, wanted):
                for algorithm_us in algorithms:
                    for size in wanted.sizes:
                        case = Case(
                            benchmark,
                            mode,
                            shape,
                            size,
                            algorithm_us,
                            wanted.window,
                            flight,
                            way,
                        )
                        yield Asked(case, wanted.rate_hz if farm else 0.0)


# What users write


def parse_benchmark(text: str) -> str:
    """A benchmark's name, from its name or its number. ValueError says what there is."""
    for benchmark in BENCHMARKS.values():
        if text in (benchmark.name, benchmark.number):
            return benchmark.name
    known = ", ".join(BENCHMARKS)
    raise ValueError(f"'{text}' is no benchmark; give names of {known}, or numbers like 2.1")


def incast_bytes(case: Case, window_bytes: int) -> int:
    """The most that may be under way to one port at once: from each source that sends there its
    packets that are not acknowledged, and at most the window of its connection."""
    shape = case.shape
    of_benchmark: dict[str, Callable[[], tuple[int, int]]] = {
        "alltoall": lambda: (shape[0] - 1, 1),
        "funnel": lambda: (shape[1], case.window),
        "pushfarm": lambda: (shape[1], -(-case.in_flight // shape[2])),
        "pullfarm": lambda: (shape[1], -(-case.in_flight // shape[2])),
        "pipeline": lambda: (max(a // b for a, b in zip(shape, shape[1:])), case.window),
    }
    sources, packets = of_benchmark.get(case.benchmark, lambda: (1, 1))()
    return sources * min(case.size_bytes * packets, window_bytes) if sources > 1 else 0


def outside(case: Case, sizes: tuple[int, int] | None, processors: int) -> list[str]:
    """What of the case lies outside of what was measured."""
    found = []
    if sizes is not None and not sizes[0] <= case.size_bytes <= sizes[1]:
        found.append("size")
    if case.processors > processors:
        found.append("processors")
    return found


def algorithms_of(asked: Iterable[Asked]) -> tuple[float, ...]:
    return tuple(sorted({one.case.algorithm_us for one in asked if one.case.benchmark in FARMS}))


def per_destination(asked: Iterable[Asked]) -> float | None:
    """Events in flight for each destination of the measured farms, the most; None without any."""
    flights: list[float] = [
        one.case.in_flight / one.case.shape[2]
        for one in asked
        if one.case.benchmark in FARMS and one.case.in_flight
    ]
    return max(flights, default=None)

