"""The ten benchmarks as traces for ccmod, for any number of processors, in a few lines each.

WORKLOADS has a function for each benchmark: what its ranks do in so many steps, as sections of a
trace (docs/reference/trace-format.md has the grammar). Loops stay loops, so that a farm of a
thousand sources is as short as one of four. The programs write the same for a small number of processors with
--emit-trace; a test holds both against each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Callable, Iterator, Sequence

NOTE_BYTES = 16  # what a farm's supervisor exchanges with the others
WINDOW = 64  # unacknowledged packets of a stream, as of the programs

Records = list[str]


@dataclass(frozen=True)
class Case:
    """One measurement of one benchmark: what decides which messages are sent."""

    benchmark: str
    mode: str
    shape: tuple[int, ...]  # ranks of each role or stage, in order of the ranks
    size_bytes: int
    algorithm_us: float = 0.0  # on each packet; farms and the pipeline
    window: int = WINDOW
    in_flight: int = 0  # of a farm: events that are issued and not decided
    multicast: str = "loop"  # of cb_multicast and of a farm's supervisor: loop, technology, tree
    pace_us: float = 0.0  # of a farm: what the supervisor waits before it issues an event
    shifts: int = 0  # of an all-to-all: so many of a round's messages alone; 0 for all

    @property
    def processors(self) -> int:
        return sum(self.shape)


@dataclass(frozen=True)
class Section:
    """What some ranks do."""

    first: int
    last: int
    records: Records

    def text(self) -> str:
        ranks = f"{self.first}-{self.last}" if self.last > self.first else str(self.first)
        return "\n".join([f"{ranks}:", *self.records])


def loop(count: int | str, body: Records) -> Records:
    """The records so many times; a count may be an expression."""
    if count == 0 or not body:
        return []
    if count == 1 and not any("%i" in record for record in body):
        return body
    return [f"@ {count}", *body, ";"]


def paced(steps: int, window: int, step: Callable[[bool, bool], Records]) -> Records:
    """The steps of a stream, bounded by its window.

    `step(awaits, acknowledges)` is what is done in one: the sender awaits an acknowledgement before
    a packet where the window is full, the receiver acknowledges the last of each half window.
    """
    half = max(1, window // 2)

    def flags(index: int) -> tuple[bool, bool]:
        return index >= window and (index - window) % half == 0, (index + 1) % half == 0

    def part(first: int, count: int) -> Records:
        runs = groupby(flags(index) for index in range(first, first + count))
        made = [loop(len(list(run)), step(*flag)) for flag, run in runs]
        return [record for records in made for record in records]

    head = min(steps, window)
    periods, rest = divmod(steps - head, half)
    body = part(head, half) if periods else []
    return part(0, head) + loop(periods, body) + part(head + periods * half, rest)


def acknowledgements(steps: int, window: int) -> tuple[int, int]:
    """How many a receiver sends at its end, and for how many the sender waits at its end."""
    half = max(1, window // 2)
    awaited = (steps - 1 - window) // half + 1 if steps > window else 0
    return int(steps % half > 0), -(-steps // half) - awaited


def stream_out(steps: int, case: Case, peer: str, count: int = 1) -> Records:
    """Packets to `count` peers in turn, `peer` an expression of %i; with the wait for the last."""
    send, await_one = f"is {peer} {case.size_bytes}", f"r {peer} 0"

    def step(awaits: bool, _: bool) -> Records:
        return loop(count, [await_one, send] if awaits else [send])

    left = acknowledgements(steps, case.window)[1]
    return paced(steps, case.window, step) + loop(count, [await_one] * left)


def stream_in(steps: int, case: Case, peer: str) -> Records:
    """Packets from one peer, acknowledged."""
    take, answer = f"r {peer} {case.size_bytes}", f"is {peer} 0"

    def step(_: bool, acknowledges: bool) -> Records:
        return [take, answer] if acknowledges else [take]

    return paced(steps, case.window, step) + [answer] * acknowledgements(steps, case.window)[0]


def events_in(
    steps: int, case: Case, packets: Records, inputs: str, count: int, onward: str = ""
) -> Records:
    """Steps of `packets` that are taken together, from `count` inputs, and maybe sent onward."""
    answer_all = loop(count, [f"is {inputs} 0"])

    def step(awaits: bool, acknowledges: bool) -> Records:
        made = packets + (answer_all if acknowledges else [])
        if onward:
            made = made + ([f"r {onward} 0"] if awaits else [])
            made = made + [f"is {onward} {case.size_bytes}"]
        return made

    settled, awaited = acknowledgements(steps, case.window)
    end = answer_all * settled + ([f"r {onward} 0"] * awaited if onward else [])
    return paced(steps, case.window, step) + end


def worked_on(packet: str, case: Case) -> Records:
    return [packet, f"c {case.algorithm_us:.10g}"] if case.algorithm_us > 0 else [packet]


# Group 1


def oneway(case: Case, steps: int) -> Iterator[Section]:
    size = case.size_bytes
    if case.mode == "stream":
        yield Section(0, 0, stream_out(steps, case, "1"))
        yield Section(1, 1, stream_in(steps, case, "0"))
    else:
        yield Section(0, 0, loop(steps, [f"is 1 {size}", f"r 1 {size}"]))
        yield Section(1, 1, loop(steps, [f"r 0 {size}", f"is 0 {size}"]))


def twoway(case: Case, steps: int) -> Iterator[Section]:
    size = case.size_bytes
    yield Section(0, 1, loop(steps, [f"is 1-%r {size}", f"r 1-%r {size}"]))


def alltoall(case: Case, steps: int) -> Iterator[Section]:
    (ranks,) = case.shape
    others = ranks - 1
    count = case.shifts or others
    # Of a part of a round the shifts lie as far apart as they can.
    shift = "%i" if count == others else f"%i*{others}/{count}"
    send = f"is (%r+1+{shift})%{ranks} {case.size_bytes}"
    take = loop(count, [f"r any {case.size_bytes}"])
    yield Section(0, ranks - 1, loop(steps, loop(count, [send]) + take))


def pairs(case: Case, steps: int) -> Iterator[Section]:
    half = case.shape[0]
    yield Section(0, half - 1, stream_out(steps, case, f"%r+{half}"))
    yield Section(half, 2 * half - 1, stream_in(steps, case, f"%r-{half}"))


def outfarm(case: Case, steps: int) -> Iterator[Section]:
    count, size = case.shape[1], case.size_bytes
    if case.mode == "round":
        each = loop(count, [f"is 1+%i {size}"]) + loop(count, ["r 1+%i 0"])
        yield Section(0, 0, loop(steps, each))
        yield Section(1, count, loop(steps, [f"r 0 {size}", "is 0 0"]))
    else:
        yield Section(0, 0, stream_out(steps, case, "1+%i", count))
        yield Section(1, count, stream_in(steps, case, "0"))


def _group_sends(case: Case) -> Records:
    """One group send of the source, the whole or its own part of it."""
    count, size = case.shape[1], case.size_bytes
    if case.multicast == "technology":
        return [f"m 1-{count} {size}"]
    if case.multicast == "tree":
        return [f"is {peer} {size}" for peer in _powers(count) if peer <= count]
    return loop(count, [f"is 1+%i {size}"])


def _powers(limit: int) -> list[int]:
    return [1 << level for level in range(limit.bit_length())]


def _tree(count: int) -> Iterator[tuple[int, int, int, list[int]]]:
    """Of a binomial tree over ranks 0 to `count`: first and last rank, distance to whom they
    receive from, distances to whom they send. The root is left out."""
    for level in _powers(count):
        bounds = sorted({level, *(count - far + 1 for far in _powers(count) if far > level)})
        end = min(2 * level, count + 1)
        starts = [first for first in bounds if level <= first < end]
        for first, behind in zip(starts, starts[1:] + [end]):
            far = [one for one in _powers(count) if one > level and first + one <= count]
            yield first, behind - 1, level, far


def _acknowledged(steps: int, case: Case, step: Records) -> Records:
    """What a destination does in each step, and the acknowledgements to the source."""

    def one(_: bool, acknowledges: bool) -> Records:
        return step + (["is 0 0"] if acknowledges or case.mode == "round" else [])

    if case.mode == "round":
        return loop(steps, one(False, True))
    settled = acknowledgements(steps, case.window)[0]
    return paced(steps, case.window, one) + ["is 0 0"] * settled


def multicast(case: Case, steps: int) -> Iterator[Section]:
    count, size = case.shape[1], case.size_bytes
    send, await_all = _group_sends(case), loop(count, ["r 1+%i 0"])
    if case.mode == "round":
        yield Section(0, 0, loop(steps, send + await_all))
    else:
        left = acknowledgements(steps, case.window)[1]
        records = paced(steps, case.window, lambda awaits, _: (await_all if awaits else []) + send)
        yield Section(0, 0, records + loop(count, ["r 1+%i 0"] * left))
    if case.multicast != "tree":
        yield Section(1, count, _acknowledged(steps, case, [f"r 0 {size}"]))
        return
    for first, last, back, onward in _tree(count):
        step = [f"r %r-{back} {size}"] + [f"is %r+{far} {size}" for far in onward]
        yield Section(first, last, _acknowledged(steps, case, step))


def funnel(case: Case, steps: int) -> Iterator[Section]:
    count = case.shape[1]
    release = loop(count, ["is 1+%i 0"])
    take, answer = f"r any {case.size_bytes}", "is 1+%i 0"
    if case.mode == "event":
        records = events_in(steps, case, loop(count, [take]), "1+%i", count)
    else:

        def step(_: bool, acknowledges: bool) -> Records:
            return loop(count, [take, answer] if acknowledges else [take])

        settled = acknowledgements(steps, case.window)[0]
        records = paced(steps, case.window, step) + loop(count, [answer] * settled)
    yield Section(0, 0, release + records)
    yield Section(1, count, ["r 0 0"] + stream_out(steps, case, "0"))


# Group 2


def _supervise(case: Case, steps: int, issue: Callable[[str], Records]) -> Section:
    """Events are issued as far as the limit goes, and then one for each decision. `issue` is given
    an expression for the number of the event."""
    limit = min(case.in_flight, steps)
    pace = [f"c {case.pace_us:.10g}"] if case.pace_us > 0 else []
    decided = [f"r any {NOTE_BYTES}"]
    return Section(
        0,
        0,
        loop(limit, pace + issue("%i"))
        + loop(steps - limit, pace + decided + issue(f"(%i+{limit})"))
        + loop(limit, decided),
    )


def _assigned(events: int, case: Case) -> str:
    """How many of so many events a destination has, as an expression of its rank."""
    _, sources, destinations = case.shape
    return f"({events + destinations + sources}-%r)/{destinations}"


def pushfarm(case: Case, steps: int) -> Iterator[Section]:
    _, sources, destinations = case.shape
    first = 1 + sources
    # A source is told the destination of an event; who decides knows it by counting.
    tell = (
        [f"m 1-{sources} {NOTE_BYTES}"]
        if case.multicast == "technology"
        else loop(sources, [f"is 1+%i {NOTE_BYTES}"])
    )
    collect = loop(sources, worked_on(f"r any {case.size_bytes}", case))
    yield _supervise(case, steps, lambda _: tell)
    push = [f"r 0 {NOTE_BYTES}", f"is {first}+%i%{destinations} {case.size_bytes}"]
    yield Section(1, sources, ["@ " + str(steps), *push, ";"])
    decide = loop(_assigned(steps, case), collect + [f"is 0 {NOTE_BYTES}"])
    yield Section(first, sources + destinations, decide)


def pullfarm(case: Case, steps: int) -> Iterator[Section]:
    _, sources, destinations = case.shape
    first, size = 1 + sources, case.size_bytes
    # A destination fetches before it collects, even when others have all events that are in flight.
    at_first = _assigned(min(max(case.in_flight, destinations), steps), case)
    fetch = [f"r 0 {NOTE_BYTES}", *loop(sources, [f"is 1+%i {NOTE_BYTES}"])]
    collect = loop(sources, worked_on(f"r 1+%i {size}", case)) + [f"is 0 {NOTE_BYTES}"]
    yield _supervise(
        case, steps, lambda event: [f"is {first}+{event}%{destinations} {NOTE_BYTES}"]
    )
    asked = f"{first}+%i%{destinations}"
    yield Section(1, sources, [f"@ {steps}", f"r {asked} {NOTE_BYTES}", f"is {asked} {size}", ";"])
    yield Section(
        first,
        sources + destinations,
        loop(at_first, fetch)
        + loop(f"{_assigned(steps, case)}-{at_first}", collect + fetch)
        + loop(at_first, collect),
    )


def pipeline(case: Case, steps: int) -> Iterator[Section]:
    """One event fills the stages, and then come the steps."""
    events, first, size = steps + 1, 0, case.size_bytes
    for stage, count in enumerate(case.shape):
        behind = first + count
        last = stage + 1 == len(case.shape)
        # Of this stage so many feed one of the next.
        onward = 1 if last else count // case.shape[stage + 1]
        to = f"{behind}+(%r-{first})/{onward}"
        if stage == 0:
            yield Section(first, behind - 1, stream_out(events, case, to))
        else:
            inputs = case.shape[stage - 1] // count
            base = first - case.shape[stage - 1]
            feeder = f"{base}+(%r-{first})*{inputs}+%i"
            take = f"r any {size}" if last else f"r {feeder} {size}"
            packets = loop(inputs, worked_on(take, case))
            goal = "" if last else to
            yield Section(first, behind - 1, events_in(events, case, packets, feeder, inputs, goal))
        first = behind


WORKLOADS: dict[str, Callable[[Case, int], Iterator[Section]]] = {
    "oneway": oneway,
    "twoway": twoway,
    "alltoall": alltoall,
    "pairs": pairs,
    "outfarm": outfarm,
    "multicast": multicast,
    "funnel": funnel,
    "pushfarm": pushfarm,
    "pullfarm": pullfarm,
    "pipeline": pipeline,
}


def trace(case: Case, steps: int, skew_us: float = 0.0, blocks: int = 1) -> str:
    """The trace of so many steps, or events of a farm, as text; of so many blocks of them, one after
    the other.

    With a skew each rank starts up to so much later than the others, drawn from ccmod's --seed.
    """
    sections: Sequence[Section] = list(WORKLOADS[case.benchmark](case, steps))
    if blocks > 1:
        sections = [replace(one, records=loop(blocks, one.records)) for one in sections]
    head = f"%cct 1 ranks {case.processors} unit us\n"
    head += f"# {case.benchmark}, mode {case.mode}, {steps} steps of {case.size_bytes} bytes\n"
    if skew_us > 0:
        head += f"*:\nc uniform(0,{skew_us:.10g})\n"
    return head + "\n".join(section.text() for section in sections) + "\n"
