"""The cases to predict: those that were measured, and the same benchmarks at other sizes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Callable, Iterable, Iterator, Sequence

from combench.common import catalogue, values
from combench.common.catalogue import CALIBRATION, Benchmark, Mode
from combench.common.documents import Json
from combench.common.errors import SuiteError
from combench.common.figures import at, number
from combench.common.files import is_inside
from combench.predict.case import WINDOW, Case
from combench.predict.columns import figure_of
from combench.predict.emission import Content

LARGEST_WINDOW = 10**6  # unacknowledged packets
LARGEST_COUNT = 10**6  # processors, sources or destinations
_AT_SCALE = ("basic", "farm")  # groups of the note that --scale predicts by default
_NEW_GROUPS = "new"  # the list whose group is made for each broadcast
# Options that a case has as members.
_OF_CASES = frozenset({"multicast", "list", "supervisor", "fetch", "accept"})


@dataclass(frozen=True)
class Asked:
    """A case, with the parameters that do not determine its messages."""

    case: Case
    rate_hz: float = 0.0  # offered rate of events; 0: as fast as possible
    measured_us: float | None = None  # the measured figure, if any
    measured_pct: float | None = None  # the reach of its 95 % interval; None: too few blocks
    oversubscribed: bool = False
    block_steps: int = 0  # steps of each timed block; 0: unknown

    def describe(self) -> str:
        case = self.case
        shape = "x".join(map(str, case.shape))
        fragments = f", fragments {case.fragments}" if case.fragments else ""
        own = f", {' '.join(case.own)}" if case.own else ""
        size = f"{case.size_bytes} bytes" if case.size_bytes else "mean size"
        return f"{case.mode}, {size}{fragments}, {shape} processors{own}"


class NotPredicted(Exception):
    """A row cannot be predicted; the text is the reason."""


def _mode(definition: Benchmark, row: Json) -> Mode:
    """The mode that a row measured. NotPredicted: the mode is unknown."""
    if "rate" in definition.options:
        return definition.modes[0]  # an open loop is the only mode, with a rate
    mode = definition.mode(str(row.get("mode", "")))
    if mode is None:
        raise NotPredicted("the installed programs have no such benchmark or mode")
    return mode


def _numbers(definition: Benchmark, row: Json) -> tuple[int, ...]:
    """The numbers of a row. NotPredicted: one is missing or too large."""
    count = definition.count
    try:
        if count.is_topology:
            return values.topology(str(row[count.column]))
        keys = count.options if count.is_farm else (count.column,)
        numbers = tuple(int(row[key]) for key in keys)
    except KeyError as error:
        raise NotPredicted(f"the row has no {error.args[0]}") from error
    except ValueError as error:
        raise NotPredicted(str(error)) from error
    if max(numbers) > LARGEST_COUNT:
        raise NotPredicted(f"{count.column}: more than the limit of {LARGEST_COUNT}")
    return numbers


def _candidates(row: Json) -> int:
    """The destinations that a changing list is chosen from: all but the source. Results of older
    versions record only their processors."""
    return int(row.get("candidates", row["processors"] - 1))


def group_send(technology: str) -> str:
    """The model of a technology's multicast: a tree if its members forward the message, else a copy
    by the network."""
    known = catalogue.known().technologies.get(technology)
    return "tree" if known is not None and known.multicast == "relayed" else "technology"


def _own_options(definition: Benchmark, document: Json, row: Json) -> tuple[str, ...]:
    """The command-line words of the given options that only this benchmark has."""
    words: list[str] = []
    for option in catalogue.known().options:
        found = row.get(option.key, at(document, f"parameters.{option.key}"))
        is_own = option.programs == (definition.program,) and option.name in definition.options
        if is_own and option.name not in _OF_CASES.union(definition.count.options):
            if isinstance(found, (str, int, float)) and not isinstance(found, bool):
                words += [f"--{option.name}", str(found)]
    return tuple(words)


def _fragments(row: Json) -> str:
    """The sizes of fragments. NotPredicted: the row names a file that is not in the current folder; a document may come
    from anybody, and its paths are not followed elsewhere."""
    text = str(row.get("fragments", ""))
    _, is_file, name = text.partition("file:")
    if is_file and not (is_inside(Path(), Path(name)) and Path(name).is_file()):
        raise NotPredicted(f"the file of its fragments, {name}, is not in the current folder")
    return text


def of_row(document: Json, row: Json) -> Asked:
    """The case that a row of a result document measured. NotPredicted: it has none."""
    definition = catalogue.known().benchmark(str(document["benchmark"]))
    if definition.names_others:
        raise NotPredicted("combench validate predicts victims beside aggressors")
    mode = _mode(definition, row)
    if row.get("occupation", "none") != "none":
        raise NotPredicted("the model has no concurrent computing task")
    if row.get("threads", 1) > 1:
        raise NotPredicted("the model has one sending thread in each rank")
    changing = str(row.get("list", "fixed"))
    if changing == _NEW_GROUPS:
        raise NotPredicted("the model has no time to make and to free a group")
    if not {"size_bytes", "processors"} <= row.keys():
        raise NotPredicted("the row has no size or no number of processors")
    multicast = str(row.get("multicast", "loop"))
    if multicast == "technology":
        multicast = group_send(str(document["technology"]))
    window = int(row.get("window") or number(at(document, "parameters.window")) or WINDOW)
    if window > LARGEST_WINDOW:
        raise NotPredicted(f"the window of {window} packets exceeds the limit of {LARGEST_WINDOW}")
    numbers = _numbers(definition, row)
    case = Case(
        benchmark=definition.name,
        mode=mode.name,
        numbers=numbers,
        size_bytes=int(row["size_bytes"]),
        algorithm_us=float(row.get("algorithm_us", 0.0)),
        window=window,
        in_flight=int(row.get("in_flight_limit", 0)),
        multicast=multicast,
        list_kind=changing,
        candidates=0 if changing == "fixed" else _candidates(row),
        fetched=int(row.get("fetched", 0)),
        fragments=_fragments(row),
        correlation=float(row.get("correlation", 0.0)),
        seed=int(at(document, "parameters.seed") or 0) if "fragments" in row else 1,
        accept=float(row["accept"]) if "accept" in row else None,
        own=_own_options(definition, document, row),
    )
    figure = row.get(figure_of(case)) or {}
    reach_pct = None
    if figure.get("ci95") and figure.get("median"):
        reach_pct = 100 * max(abs(end / figure["median"] - 1) for end in figure["ci95"])
    return Asked(
        case,
        rate_hz=float(row.get("offered_Hz", 0.0)),
        measured_us=figure.get("median"),
        measured_pct=reach_pct,
        oversubscribed=bool(row.get("oversubscribed", False)),
        block_steps=round(row["steps"] / row["blocks"]) if {"steps", "blocks"} <= row.keys() else 0,
    )


@dataclass
class Measured:
    """The cases of documents, and the rows without a case."""

    asked: list[Asked] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)


def only_calibrates(document: Json) -> bool:
    """Whether the benchmark of the document is used only to calibrate."""
    return catalogue.known().benchmark(str(document["benchmark"])).group == CALIBRATION


def of_documents(documents: Iterable[Json]) -> Measured:
    """The cases of all documents. Of repeated cases only the first row is used; documents that only
    calibrate are ignored."""
    made = Measured()
    seen: set[tuple[Case, float]] = set()
    reasons: set[tuple[str, str, str]] = set()
    for document in documents:
        if only_calibrates(document):
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


# Cases at other numbers


@dataclass(frozen=True)
class Wanted:
    """The cases to predict in addition to the measured ones."""

    sizes: tuple[int, ...]
    scales: tuple[int, ...] = ()
    benchmarks: tuple[str, ...] = ()  # names; if empty, all of the groups _AT_SCALE
    algorithms: tuple[float, ...] = (0.0,)
    farms: tuple[tuple[int, int], ...] = ()  # sources and destinations, in addition to scales
    topologies: tuple[tuple[int, ...], ...] = ()
    rate_hz: float = 0.0
    in_flight: int = 0  # 0: use `default_in_flight`
    window: int = WINDOW
    supervisors: tuple[str, ...] = ("loop",)  # notification of the sources: loop, technology
    fetch: str = "all"  # sources that have data of an event, where farms ask them
    accept: float | None = None  # fraction of events with a second step, where farms ask sources
    group_sends: tuple[str, ...] = ("loop", "technology")  # group sends of a benchmark
    schedules: tuple[str, ...] = ()  # of event building; if empty, the default of the program
    fragments: str = ""  # of benchmarks that take them, in place of the sizes
    correlation: float = 0.0
    seed: int = 1  # of the fragments

    def definitions(self) -> list[Benchmark]:
        known = [one for one in catalogue.known().benchmarks.values() if one.group != CALIBRATION]
        if self.benchmarks:
            return [one for one in known if one.name in self.benchmarks]
        return [one for one in known if one.group in _AT_SCALE and one.of_note]


def told_by(wanted: Wanted, technology: str | None) -> Wanted:
    """The same, with group sends as this technology makes them; None: by the network."""
    if technology is None:
        return wanted
    own = group_send(technology)
    told = tuple("loop" if way == "loop" else own for way in wanted.supervisors)
    return replace(wanted, group_sends=("loop", own), supervisors=told)


def _topology(scale: int) -> tuple[int, ...]:
    """Three stages, each half as wide as the previous one, as in 4-2-1."""
    last = max(1, scale // 4)
    return (4 * last, 2 * last, last)


def numbers_at(definition: Benchmark, mode: Mode, scale: int) -> tuple[int, ...]:
    """The numbers at scale N: N processors, sources or destinations, or the nearest valid number."""
    count = definition.count
    if count.is_topology:
        return _topology(scale)
    if count.is_farm:
        return (scale, scale)
    if count.options:
        return (max(count.least, scale - scale % count.multiple_of),)
    return (mode.processors or int(count.ranks),)


def _all_numbers(definition: Benchmark, mode: Mode, wanted: Wanted) -> list[tuple[int, ...]]:
    made = [numbers_at(definition, mode, scale) for scale in wanted.scales]
    if definition.count.is_farm:
        made += wanted.farms
    if definition.count.is_topology:
        made += wanted.topologies
    return list(dict.fromkeys(made))


def _ways(definition: Benchmark, wanted: Wanted) -> Sequence[str]:
    """The ways to send to a group."""
    if "supervisor" in definition.options:
        return wanted.supervisors
    return wanted.group_sends if "multicast" in definition.options else ("loop",)


def _fetched(definition: Benchmark, wanted: Wanted, numbers: tuple[int, ...]) -> int:
    """The number of sources that have data of an event; 0: all."""
    if "fetch" not in definition.options:
        return 0
    fetched = values.fetched(wanted.fetch, numbers[0])
    if fetched > numbers[0]:
        raise SuiteError(
            f"--fetch {wanted.fetch}: a farm has only {numbers[0]} sources; give at most that many"
        )
    if wanted.accept is not None and fetched == numbers[0]:
        raise SuiteError(
            f"--accept: the first step asks all {fetched} sources; use --fetch with fewer"
        )
    return fetched if fetched < numbers[0] else 0


def _cases(
    definition: Benchmark,
    mode: Mode,
    wanted: Wanted,
    default_in_flight: Callable[[int, int], int],
) -> Iterator[Case]:
    algorithms = wanted.algorithms if "algorithm" in definition.options else (0.0,)
    fragments = wanted.fragments if "fragments" in definition.options else ""
    sizes = (0,) if fragments else wanted.sizes  # the program tells the mean size of fragments
    owns: list[tuple[str, ...]] = [()]
    if "schedule" in definition.options and wanted.schedules:
        owns = [("--schedule", schedule) for schedule in wanted.schedules]
    for numbers in _all_numbers(definition, mode, wanted):
        in_flight = 0
        if "in-flight" in definition.options:
            in_flight = wanted.in_flight or default_in_flight(numbers[0], numbers[-1])
        fetched = _fetched(definition, wanted, numbers)
        for way in _ways(definition, wanted):
            if fetched and way != "loop":
                raise SuiteError("--fetch: a multicast asks all sources; use --supervisor loop")
            for algorithm_us, size, own in product(algorithms, sizes, owns):
                yield Case(
                    benchmark=definition.name,
                    mode=mode.name,
                    numbers=numbers,
                    size_bytes=size,
                    algorithm_us=algorithm_us,
                    window=wanted.window,
                    in_flight=in_flight,
                    multicast=way,
                    fetched=fetched,
                    fragments=fragments,
                    correlation=wanted.correlation if fragments else 0.0,
                    seed=wanted.seed if fragments else 1,
                    accept=wanted.accept if "accept" in definition.options else None,
                    own=own,
                )


def wanted_cases(wanted: Wanted, default_in_flight: Callable[[int, int], int]) -> Iterator[Asked]:
    """All wanted cases. `default_in_flight` maps sources and destinations to events in flight."""
    for definition in wanted.definitions():
        for mode in definition.modes:
            if mode.default:
                for case in _cases(definition, mode, wanted, default_in_flight):
                    yield Asked(case, wanted.rate_hz if case.takes("rate") else 0.0)


# Values of options, and checks of a case


def parse_benchmark(text: str) -> str:
    """The name of a benchmark, from its name or number. SuiteError lists the names."""
    known = catalogue.known()
    found = known.named(text)
    if found is None:
        names = ", ".join(known.benchmarks)
        raise SuiteError(f"'{text}' is no benchmark; give names of {names}, or numbers like 2.1")
    return found.name


def incast_bytes(case: Case, content: Content, window_bytes: int) -> int:
    """The maximum data in flight to one port: for each source, its unacknowledged packets, at most
    the window of its connection.

    `content` describes a whole step, in which each source sends one packet to that port.
    """
    packets = 1
    if case.is_farm:
        packets = -(-case.in_flight // case.numbers[-1])
    elif case.step.stream:
        packets = case.window
    sources = content.packets_in
    return sources * min(case.size_bytes * packets, window_bytes) if sources > 1 else 0


def outside(case: Case, sizes: tuple[int, int] | None, processors: int) -> list[str]:
    """The parameters of the case that are outside of the measured range."""
    found = []
    if sizes is not None and not sizes[0] <= case.size_bytes <= sizes[1]:
        found.append("size")
    if case.processors > processors:
        found.append("processors")
    return found


def algorithms_of(asked: Iterable[Asked]) -> tuple[float, ...]:
    return tuple(sorted({one.case.algorithm_us for one in asked if one.case.is_farm}))


def per_destination(asked: Iterable[Asked]) -> float | None:
    """The most events in flight per destination in the measured farms; None without farms."""
    flights: list[float] = [
        one.case.in_flight / one.case.numbers[-1]
        for one in asked
        if one.case.is_farm and one.case.in_flight
    ]
    return max(flights, default=None)
