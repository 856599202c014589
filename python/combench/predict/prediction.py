"""One case predicted: its trace evaluated at two lengths and with several seeds.

The difference of the two times is the time of the additional steps, without the start and the end
of the run. For a measurement in blocks it is the time of the additional blocks, each with its own
start and end. `predict` is the entry point; its result has the figures of a result row.
"""

from __future__ import annotations

import math
import statistics
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from combench.common.errors import SuiteError
from combench.common.inference import interval_pct
from combench.predict import columns
from combench.predict.case import Case
from combench.predict.emission import Content, Emissions
from combench.predict.model import (
    BOTH,
    INWARD,
    OUTWARD,
    PROCESSOR,
    Evaluation,
    Place,
    Setting,
    evaluate,
)

_FEW_STEPS = 16
_FEWEST_STEPS = 4  # of large steps: one, and one and two more
_FEW_EVENTS = 64
_DRAWS = 12  # seeds, where the seed draws the events with a second step
_FEW_BLOCKS = (2, 4)
_CROWD = 20_000  # fragments in flight above which the supervisor is paced
_OF_NETWORK = 0.95  # largest load of a link in the network: above it queues grow without bound
_SKEW_US = 1.0  # largest skew between the starts of ranks; drawn from the seed
_FULL = 0.9  # a resource with this utilisation is the limit
_SHRINKS = 0.9  # an interval that twice the length does not shrink to this part is lasting
_SUSTAINED = 0.99  # the offered rate is reached from this part of it on
_FIRST = Place("rank 0", PROCESSOR, 0)


@dataclass(frozen=True)
class Effort:
    """The limits of an evaluation."""

    seeds: int = 3
    precision_pct: float = 1.0  # half width of the 95 % interval of the frequency, in %
    messages: int = 16_000_000  # maximum per seed
    least_us: float = 0.0  # time to simulate, unless it takes more messages


@dataclass(frozen=True)
class Limit:
    """The resource that saturates first when the load grows."""

    place: Place
    busy_us: float  # per step
    text: str


@dataclass
class Prediction:
    case: Case  # as evaluated, possibly in part
    steps_us: list[float]  # the time of a step, for each seed
    interval_pct: float | None  # of the mean over the seeds; None with one seed
    steps: int  # timed steps per seed
    simulated_us: float  # time of these steps, median over the seeds
    messages: int  # total number of evaluated messages
    limit: Limit | None
    network: str = ""  # with the parameters that ccmod chose
    rate_hz: float = 0.0  # offered rate of events; 0: closed loop
    cuts: list[str] = field(default_factory=list)  # descriptions of what was not evaluated
    # With share rule tcp: frames, drops and timeouts of all seeds, in `steps`; the largest queue.
    losses: dict[str, int] = field(default_factory=dict)

    @property
    def step_us(self) -> float:
        return statistics.median(self.steps_us)

    @property
    def knee_hz(self) -> float | None:
        """The saturation rate of the resource that saturates first."""
        if self.limit is None:
            return None
        return columns.frequency_hz(self.case, self.limit.busy_us)

    @property
    def used(self) -> float:
        """The utilisation of the resource that saturates first, 0 to 1."""
        return min(1.0, self.limit.busy_us / self.step_us) if self.limit and self.step_us else 0.0

    def row(self) -> dict[str, Any]:
        """A row of a result, with the members of docs/combench-prediction-1.schema.json."""
        case = self.case
        row: dict[str, Any] = {"benchmark": case.benchmark, "id": case.definition.id}
        row |= {"source": "model", **columns.of_case(case)}
        if self.rate_hz:
            row |= {"mode": "open", "offered_Hz": self.rate_hz}
        row |= columns.of_steps(case, self.steps_us)
        if self.rate_hz:
            row["saturated"] = row["frequency_Hz"] < _SUSTAINED * self.rate_hz
        row["simulated"] = {
            "seeds": len(self.steps_us),
            "steps": self.steps,
            "time_us": self.simulated_us,
            "messages": self.messages,
        }
        if self.interval_pct is not None:
            row["simulated"]["interval_pct"] = self.interval_pct
        if self.limit is not None:
            row["knee_Hz"] = self.knee_hz
            row["limit"] = {
                "place": self.limit.place.name,
                "kind": self.limit.place.kind,
                "text": self.limit.text,
                "used_pct": 100 * self.used,
                "limits": self.used >= _FULL,
            }
        if self.network:
            row["network"] = self.network
        if self.cuts:
            row["cut"] = list(self.cuts)
        return row


def _whole(steps: int, of: int) -> int:
    """`steps` rounded up to a multiple of `of`."""
    return -(-steps // of) * of


def _is_crowded(case: Case) -> bool:
    """Whether a farm is so large that its supervisor is paced to shorten the evaluation."""
    return case.is_farm and case.in_flight * case.packets > _CROWD


def spans(case: Case) -> tuple[int, int]:
    """The minimum numbers of lead-in steps and timed steps."""
    if case.is_farm:
        timed = _whole(max(case.in_flight, _FEW_EVENTS), case.numbers[-1])
        # A paced farm reaches its steady state sooner.
        turns = 1 if _is_crowded(case) else 2
        return max(turns * case.in_flight, _FEW_EVENTS), timed
    if case.step.stream:
        # Multiples of half a window: both lengths have the same acknowledgements per step.
        timed = _whole(max(case.window, _FEW_STEPS), max(1, case.window // 2))
        return timed, timed
    return (1, 1) if _has_parts(case) else (_FEW_STEPS, _FEW_STEPS)


def _has_blocks(case: Case) -> bool:
    """Whether a block takes longer than its steps: a stream ends with a wait for its last
    acknowledgements, except if it has a lead-in and is timed from event to event; event building
    ends with the completion of all turns, which otherwise overlap."""
    return (case.step.stream and not case.step.led_in) or _is_in_turns(case)


def _is_in_turns(case: Case) -> bool:
    """Whether a step is a turn of event building."""
    return bool(case.step.frequency == "events")


def _has_parts(case: Case) -> bool:
    """Whether a part of a step can be evaluated instead of the whole step."""
    return case.takes("trace-shifts")


def in_flight(sources: int, destinations: int, effort: Effort = Effort()) -> int:
    """The default of events in flight: four per destination, limited by `effort`."""
    most = effort.messages // (6 * (2 * sources + 2))
    return max(1, min(4 * destinations, most))


def whole_content(case: Case, emissions: Emissions) -> Content:
    """The messages of a whole step of a case that is evaluated in part."""
    content = emissions.content(case)
    parts = (case.processors - 1) / case.shifts if case.shifts else 1
    return Content(round(content.messages * parts), round(content.packets_in * parts))


def cut_steps(case: Case, effort: Effort) -> Case:
    """The case, with steps reduced to the limits of `effort`."""
    if not _has_parts(case):
        return case
    # All messages of a node are in flight together: the cost grows with the square of their number.
    shifts = max(1, math.isqrt(effort.messages // (4 * case.processors)))
    return replace(case, shifts=shifts) if shifts < case.processors - 1 else case


def _cut(case: Case, effort: Effort, of_step: int) -> tuple[list[str], tuple[int, int]]:
    """Descriptions of what is not evaluated, and the lengths; `of_step` is messages per step."""
    lead, timed = spans(case)
    cuts = []
    room = effort.messages // of_step
    if case.shifts:
        others = case.processors - 1
        cuts.append(f"{case.shifts} of the {others} messages of a node in a round")
    if _has_parts(case):
        return cuts, (lead, timed)
    if case.is_farm and 2 * lead + timed > room:
        timed = max(case.in_flight, _FEW_EVENTS)
        if timed < case.numbers[-1]:
            cuts.append(f"{timed} events, fewer than one per destination")
    if _is_in_turns(case) and _FEWEST_STEPS <= room < 2 * lead + timed:
        lead = room // _FEWEST_STEPS
        timed = room - 2 * lead
        cuts.append(f"{timed} turns after the first {lead}, which may take longer or less than later ones")
    if 2 * lead + timed > room:
        least, fewer = 2 * lead + timed, "--in-flight"
        if _is_in_turns(case):
            least, fewer = _FEWEST_STEPS, "the processors"
        raise SuiteError(
            f"the evaluation needs {least * of_step} messages, the limit is {effort.messages}; increase "
            f"--messages, or reduce {fewer}"
        )
    return cuts, (lead, timed)


def cost(case: Case, emissions: Emissions, effort: Effort) -> float:
    """Estimate of the messages evaluated per seed, for the display of progress."""
    lead, timed = spans(case)
    of_step = emissions.content(cut_steps(case, effort)).messages
    return float(min((2 * lead + timed) * of_step, effort.messages))


def _is_drawn(case: Case) -> bool:
    """Whether each seed has a trace of its own, in which it draws the accepted events, or the times at
    which the ranks of event building start. A seed that draws fragments is that of the measurement."""
    return case.accept is not None or (_is_in_turns(case) and not case.fragments)


def _skewed(case: Case, setting: Setting, length: int, block_steps: int = 0) -> str:
    """A trace of `length` steps or blocks in which each rank starts with a random delay, drawn from
    ccmod's --seed."""
    steps, blocks = (block_steps, length) if block_steps else (length, 1)
    head, rest = setting.emissions.trace(case, steps, blocks).split("\n", 1)
    return f"{head}\n*:\nc uniform(0,{_SKEW_US:.10g})\n{rest}"


def _evaluate_all(
    case: Case, setting: Setting, effort: Effort, lengths: tuple[int, int], block_steps: int = 0
) -> list[tuple[Evaluation, Evaluation]]:
    """The evaluations of both lengths, in steps or blocks, for each seed. The seed also draws the
    events with a second step."""
    seeds = range(1, effort.seeds + 1)

    def skewed(seed: int) -> list[str]:
        drawn = replace(case, seed=seed) if _is_drawn(case) else case
        return [_skewed(drawn, setting, length, block_steps) for length in lengths]

    with ThreadPoolExecutor(max_workers=setting.processes.at_a_time) as pool:
        drawn = seeds if _is_drawn(case) else (1,)
        texts = dict(zip(drawn, pool.map(skewed, drawn)))
        asked = [
            [pool.submit(evaluate, setting, text, seed) for text in texts.get(seed, texts[1])]
            for seed in seeds
        ]
        return [(short.result(), long.result()) for short, long in asked]


def _issuers(case: Case) -> set[Place]:
    """The processors that wait before each event: the supervisor of a farm, or all sources."""
    return {Place(f"rank {rank}", PROCESSOR, rank) for rank in range(case.shape[0])}


def _busy(case: Case, pair: tuple[Evaluation, Evaluation], steps: int) -> dict[Place, float]:
    """The busy time of each place per step. Farms: the mean over the ranks of a role, because the
    destinations may have different numbers of events."""
    short, long = pair
    busy = {
        place: max(0.0, work - short.work_us.get(place, 0.0)) / steps
        for place, work in long.work_us.items()
    }
    # The trace has the wait for the next event as computing; subtract it.
    for place in busy.keys() & _issuers(case):
        busy[place] = max(0.0, busy[place] - case.pace_us)
    if not case.is_farm:
        return busy
    groups: dict[tuple[str, int], list[Place]] = {}
    for place in busy:
        if place.node is not None and place.node < case.processors:
            groups.setdefault((place.kind, columns.role_of(case, place.node)[1]), []).append(place)
    for places in groups.values():
        mean = sum(busy[place] for place in places) / len(places)
        busy |= {place: mean for place in places}
    return busy


_RESOURCES = {
    PROCESSOR: "processor",
    INWARD: "link, what it sends",
    OUTWARD: "link, what it receives",
    BOTH: "link, what it sends and receives",
}


def _limit(case: Case, busy: dict[Place, float]) -> Limit | None:
    # Round, so that ties resolve to the first place and not by the last digit.
    place = max(busy, key=lambda one: round(busy[one], 9), default=None)
    if place is None or busy[place] <= 0:
        return None
    if place.node is None:
        return Limit(place, busy[place], f"network's link {place.name}")
    role, _ = columns.role_of(case, place.node)
    return Limit(place, busy[place], f"{role} (rank {place.node}): its {_RESOURCES[place.kind]}")


def _probe(
    case: Case, setting: Setting, effort: Effort, of_step: int
) -> tuple[dict[Place, float], bool]:
    """The busy time of each place per event with one event in flight, and whether all destinations
    had the same number of events."""
    alone = replace(case, in_flight=1, pace_us=0.0)
    lead, timed = _FEW_EVENTS, _whole(_FEW_EVENTS, case.numbers[-1])
    even = (2 * lead + timed) * of_step <= effort.messages
    if not even:
        timed = _FEW_EVENTS
    lengths = (lead, lead + timed)
    traces = (setting.emissions.trace(alone, length) for length in lengths)
    short, long = (evaluate(setting, one, 1) for one in traces)
    return _busy(alone, (short, long), timed), even


def _paced(
    case: Case, setting: Setting, effort: Effort, rate_hz: float, of_step: int
) -> tuple[Case, list[str]]:
    """The farm with a supervisor, or the pipeline with sources, that issue events at a rate.

    In a large farm, events are issued no faster than the saturation rate, even in a closed loop:
    a higher rate changes little, and queued messages make the evaluation longer.
    """
    crowded = _is_crowded(case)
    if not rate_hz and not crowded:
        return case, []
    busy, even = _probe(case, setting, effort, of_step)
    issue_us = busy.get(_FIRST, 0.0)
    due_us = 1e6 / rate_hz if rate_hz else 0.0
    periods = [(0.0, 1.0)]
    for place, one in busy.items():
        part = 1.0 if place.node is not None else _OF_NETWORK
        if even or place.node is not None:
            periods.append((one / part, part))
    period_us, part = max(periods)
    cuts = []
    if crowded and period_us > due_us:
        cuts = [f"events are issued at {100 * part:g} % of the saturation rate"]
    else:
        period_us = due_us
    return replace(case, pace_us=max(0.0, period_us - issue_us)), cuts


def _of_whole_rounds(
    case: Case, parts_us: list[float], setting: Setting, effort: Effort, lengths: tuple[int, int]
) -> list[float]:
    """The time of a whole round for each seed, extrapolated from the time of a part.

    A round has a constant time and a time per message of a node. Evaluating half of the part
    separates the two. A part of one message cannot be halved and is scaled.
    """
    others = case.processors - 1
    half = replace(case, shifts=case.shifts // 2)
    if half.shifts == 0:
        return [one * others / case.shifts for one in parts_us]
    pairs = _evaluate_all(half, setting, effort, lengths)
    halves_us = [(long.end_us - short.end_us) / (lengths[1] - lengths[0]) for short, long in pairs]
    rest = (others - case.shifts) / (case.shifts - half.shifts)
    return [part + (part - less) * rest for part, less in zip(parts_us, halves_us)]


def _losses(pairs: list[tuple[Evaluation, Evaluation]], steps: int) -> dict[str, int]:
    """What was lost in the timed steps of all seeds."""
    if not pairs[0][1].losses:
        return {}
    found = {
        name: max(0, sum(long.losses[name] - short.losses[name] for short, long in pairs))
        for name in ("frames", "dropped", "timeouts")
    }
    found["queue_bytes"] = max(long.losses["queue_bytes"] for _, long in pairs)
    return {**found, "steps": steps * len(pairs)}


def predict(
    case: Case,
    setting: Setting,
    effort: Effort = Effort(),
    rate_hz: float = 0.0,
    block_steps: int = 0,
) -> Prediction:
    """Predict the time of a step, its limit, and the saturation rate (knee).

    Lengths are doubled until the interval over the seeds meets the precision of `effort`, or its
    messages are used up. `rate_hz` is the offered rate of a farm; 0 is a closed loop. With
    `block_steps` streams and event building are timed in blocks of this length, as measured, else in
    steady state.
    SuiteError: the evaluation exceeds the message limit, or ccmod rejects the network or the
    calibration.
    """
    case = cut_steps(case, effort)
    drawn = case.accept is not None
    if drawn:
        effort = replace(effort, seeds=max(effort.seeds, _DRAWS))
    of_step = setting.emissions.content(case).messages
    cuts, (lead, timed) = _cut(case, effort, of_step)
    in_turns = _is_in_turns(case)
    if not _has_blocks(case) or (in_turns and rate_hz):
        block_steps = 0
    if block_steps and in_turns:  # blocks of about as many turns, one after the other
        lead, timed = (max(1, length // block_steps) for length in (lead, timed))
    elif block_steps:
        lead, timed = _FEW_BLOCKS
    unit = block_steps or 1
    if case.is_farm or (rate_hz and not in_turns):
        case, notes = _paced(case, setting, effort, rate_hz, of_step)
        cuts += notes
    # The mean of a random background load converges slowly: limit its cost.
    loaded = "--background" in setting.words
    most = effort.messages // of_step // unit // (8 if loaded else 1)
    evaluated = 0
    before: float | None = None  # the interval at half the length
    while True:
        pairs = _evaluate_all(case, setting, effort, (lead, lead + timed), block_steps)
        evaluated += sum(short.messages + long.messages for short, long in pairs)
        spent_us = [long.end_us - short.end_us for short, long in pairs]
        interval = interval_pct(spent_us)
        narrow = interval is None or interval <= effort.precision_pct
        # A lasting difference between seeds does not shrink with the length.
        lasting = False
        if interval is not None and before is not None:
            lasting = not loaded and interval > _SHRINKS * before
        # A long trace has stalls, since the order in which its sources answer is fixed.
        enough = statistics.median(spent_us) >= effort.least_us
        if (enough and (narrow or lasting or drawn)) or 2 * (2 * lead + timed) > most:
            break
        lead, timed, before = 2 * lead, 2 * timed, interval
    steps = timed * unit
    steps_us = [one / steps for one in spent_us]
    if in_turns and rate_hz:  # a turn begins when its last event is due, and the one before is complete
        steps_us = [max(one, 1e6 * case.events / rate_hz) for one in steps_us]
    busy = _busy(case, pairs[len(pairs) // 2], steps)
    if case.shifts:
        lengths = (lead, lead + timed)
        steps_us = _of_whole_rounds(case, steps_us, setting, effort, lengths)
        part = case.shifts / (case.processors - 1)
        busy = {place: one / part for place, one in busy.items()}
    return Prediction(
        case=case,
        steps_us=[max(0.0, one) for one in steps_us],
        interval_pct=interval,
        steps=steps,
        simulated_us=statistics.median(spent_us),
        messages=evaluated,
        limit=_limit(case, busy),
        network=pairs[0][1].network,
        rate_hz=rate_hz,
        cuts=cuts,
        losses=_losses(pairs, steps),
    )
