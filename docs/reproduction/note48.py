"""The page note48.md: R. Bock, F. Chantemargue, R. Dobinson, R. Hauser, "Benchmarking communication
systems for trigger applications", ATLAS DAQ note 48 (1995)."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Callable, Iterator

from discussion import KILO, SIZES, comments, discussion
from page import Json, Kept, Line, Missing, Page, Row, figure, joined, number, ratio, value
from steps import Step, plan, start

TITLE = "DAQ note 48: what it asks for and what is measured here"

COUNTS = (4, 8, 16)
FARMS = (4, 6, 8)
ALGORITHMS_US = (0, 50, 500)
TOPOLOGIES = ("4-2-1", "6-2-1", "9-3-1")


def steps(cores: int) -> list[Step]:
    """The plan note48, and 1.3 beside COMMS3 with two processors that have a core each."""
    few = ("--max-time", "0.6")
    return [
        plan("note48", "note48", seconds=1380),
        start("alltoall-2", cores, 2, "cb_alltoall", "--processors", "2", "--sizes", "0,64,256,1024",
              *few, seconds=8),
        start("comms3-2", cores, 2, "cb_comms3", "--processors", "2", "--sizes", "0,64,256,1024",
              *few, seconds=8),
    ]  # fmt: skip


@dataclass(frozen=True)
class Basic:
    """A benchmark of the first group."""

    id: str
    benchmark: str
    count_key: str  # the key of its rows that the note's numbers are for
    counts: tuple[int, ...]
    asked: str  # the note's own words, shortened
    figures: tuple[tuple[str, str, str, float], ...]  # mode, what, key, scale
    sides: tuple[str, ...]
    difference: str


TIME, RATE = ("round_us", 1.0), ("frequency_Hz", KILO)
ROUND = ("time of a round, us", *TIME)
ROUNDS = ("frequency, kHz", *RATE)
BYTES = ("throughput of all destinations, MB/s", "throughput_MBps", 1.0)
FROM_ONE_SIDE = ("source", "destination")

GROUP_1 = (
    Basic(
        "1.1", "oneway", "processors", (2,),
        "one sender, one receiver; the message is bounced back, the time divided by two",
        (
            ("pingpong", "half of a ping-pong, us", "latency_us", 1.0),
            ("pingpong", *ROUNDS),
            ("stream", "stream: time of a packet, us", *TIME),
            ("stream", "stream: throughput, MB/s", "throughput_MBps", 1.0),
        ),
        FROM_ONE_SIDE,
        "the note has one figure by ping-pong; the stream beside it is ours, since the figures of"
        " the other benchmarks are streams and compare with it.",
    ),
    Basic(
        "1.2", "twoway", "processors", (2,),
        "two identical nodes, both acting as sender and receiver",
        (
            ("exchange", "exchange: time, us", *TIME),
            ("exchange", "exchange: throughput of both directions, MB/s", "throughput_MBps", 1.0),
            ("stream", "stream in both directions: time of a packet each way, us", *TIME),
            ("stream", "stream in both directions: throughput, MB/s", "throughput_MBps", 1.0),
        ),
        ("both",),
        "an exchange waits for the other node in each step, so it compares with the ping-pong of"
        " 1.1, and the stream in both directions with its stream.",
    ),
    Basic(
        "1.3", "alltoall", "processors", COUNTS,
        "all processors are simultaneously senders and receivers; at least 4, 8 and 16",
        (("round", *ROUND), ("round", *ROUNDS), ("round", *BYTES),
         ("round", "congestion: time of a packet against two nodes", "congestion_ratio", 1.0)),
        ("both",),
        "processors beyond the number of cores share them, so the congestion here is that of the"
        " cores and of one memory, and no switch is measured.",
    ),
    Basic(
        "1.4", "pairs", "processors", COUNTS,
        "half of the processors send, half receive; at least 4, 8 and 16",
        (("stream", "time of a packet in each pair, us", *TIME), ("stream", "packets of all pairs, kHz", *RATE),
         ("stream", *BYTES), ("stream", "efficiency: time of one pair / time", "scaling_efficiency", 1.0)),
        FROM_ONE_SIDE,
        "the note measures the scaling of a switch without contention; here pairs share cores,"
        " and the efficiency is about cores / processors where one pair keeps two cores busy.",
    ),
    Basic(
        "1.5", "outfarm", "destinations", COUNTS,
        "one sender, different data to multiple receivers, defined by a list; at least 4, 8 and 16",
        (("stream", *ROUND), ("stream", *ROUNDS), ("stream", *BYTES),
         ("round", "time to the last arrival, us", *TIME)),
        FROM_ONE_SIDE,
        "each destination's packet has its own memory and content; the note does not say when a"
        " distribution ends; both the rate of the sender (stream) and"
        " the time to the last arrival (with an acknowledgement) are given.",
    ),
    Basic(
        "1.6", "multicast", "destinations", COUNTS,
        "one sender, identical data to multiple receivers, defined by a list; at least 4, 8 and 16",
        (),  # by loop and by technology, below
        FROM_ONE_SIDE,
        "the note leaves open how a broadcast is made: a loop of sends is there as the reference,"
        " and MPI's own broadcast is relayed by the receivers, which share cores here.",
    ),
    Basic(
        "1.7", "funnel", "sources", COUNTS,
        "multiple senders, one receiver; at least 4, 8 and 16",
        (("event", "time of an event, us", *TIME), ("event", "events, kHz", *RATE), ("event", *BYTES),
         ("event", "shortfall against one source, %", "shortfall_pct", 1.0),
         ("free", "sources not synchronised: throughput, MB/s", "throughput_MBps", 1.0)),
        FROM_ONE_SIDE,
        "an event here is complete when one packet of each source has arrived, as in event"
        " building; the note does not say whether senders are synchronised, so both are given.",
    ),
)  # fmt: skip


def _counted(basic: Basic, count: int) -> str:
    return f"{count} {basic.count_key}"


def _lines(basic: Basic) -> list[Line]:
    return [
        Line(
            f"{_counted(basic, count)}, {what}",
            f"asked: {count}" if len(basic.counts) > 1 else "asked",
            key,
            {"benchmark": basic.benchmark, "mode": mode, basic.count_key: count},
            scale,
        )
        for count in basic.counts
        for mode, what, key, scale in basic.figures
    ]


def _multicast_lines(basic: Basic) -> list[Line]:
    """1.6: by a loop of sends and by the technology."""
    return [
        Line(
            f"{_counted(basic, count)}, by {way}: {what}",
            f"asked: {count}",
            key,
            {"benchmark": basic.benchmark, "mode": "stream", "destinations": count, "multicast": way},
            scale,
        )
        for count in basic.counts
        for way in ("loop", "technology")
        for what, key, scale in (ROUND, ROUNDS)
    ]


def _slowdowns(row: Row) -> str:
    """Slowdown of communication / of computing, by side; with > where it is a lower bound."""
    if isinstance(row, Missing):
        return str(row)
    bounds = row.get("slowdown_computing_at_least", {})
    sides = [
        ("> " if bounds.get(side) else "") + number(one)
        for side, one in (row.get("slowdown_computing") or {}).items()
    ]
    found = value(row, "slowdown_communication")
    if found is None:
        return str(Missing("the row has no slowdown"))
    return f"{number(found)} / {' and '.join(sides) or 'too few turns'}"


def _occupation(kept: Kept, page: Page, basic: Basic) -> None:
    page.text(
        "With a continuous computing task of lower priority: slowdown of the communication /"
        " slowdown of the computing (1 is none; `>`: a lower bound; too few turns of the task: no"
        " figure). The note asks for both figures and for sending and receiving processors apart."
    )
    mode = basic.figures[0][0] if basic.figures else "stream"
    smallest = 2 if basic.count_key == "processors" else 1  # what each rank has a core for
    rows = []
    for side in basic.sides:
        for wait in ("yield", "spin"):
            where = f"task on {'all' if side == 'both' else 'each ' + side}, ranks {wait}"
            wanted = {"benchmark": basic.benchmark, "mode": mode, "occupation": side, "requested": wait}
            absent = []
            for count in dict.fromkeys((smallest, *basic.counts)):
                found = [kept.row(size_bytes=size, **wanted, **{basic.count_key: count}) for size in SIZES]
                if not all(isinstance(row, Missing) for row in found):
                    asked = "asked" if count in basic.counts else "not asked"
                    rows.append([f"{_counted(basic, count)}, {where}", asked, *map(_slowdowns, found)])
                elif count in basic.counts:
                    absent.append(str(count))
            if absent:
                reason = str(Missing(kept.reason(**wanted)))
                rows.append([f"{joined(absent)} {basic.count_key}, {where}", "asked", *[reason] * len(SIZES)])
    page.table(["processors and task", "seed", *(f"here: {size} bytes" for size in SIZES)], rows)


def _diagram(page: Page, benchmark: str) -> None:
    """The note has a diagram of each benchmark."""
    page.text(f"![The messages of {benchmark}](../images/pattern-{benchmark}.svg)")


def _group_1(kept: Kept, page: Page) -> None:
    for basic in GROUP_1:
        page.heading(f"{basic.id} {basic.benchmark}")
        page.text(f"Seed: {basic.asked}.")
        _diagram(page, basic.benchmark)
        if basic.benchmark == "multicast":
            page.sized(kept, "list and figure", SIZES, _multicast_lines(basic))
            _changing_lists(kept, page)
        else:
            page.sized(kept, "processors and figure", SIZES, _lines(basic))
        if basic.benchmark in PARKBENCH:
            _parkbench(kept, page, basic)
        _occupation(kept, page, basic)
        page.text(f"Difference: {basic.difference}")


# 1.6: lists that change.

LISTS = (("fixed", "the same list"), ("rotate", "prepared lists by turns"), ("random", "prepared lists at random"),
         ("new", "a new list for each broadcast"))  # fmt: skip


def _changing_lists(kept: Kept, page: Page) -> None:
    page.text("Seed: \"Comments desirable on the effect of changing the list for each broadcast.\"")
    lines = []
    for way in ("loop", "technology"):
        for kind, what in LISTS:
            wanted = {"benchmark": "multicast", "mode": "stream", "list": kind, "multicast": way}
            lines += [
                Line(f"{count} destinations, {what}, by {way}: time of a round, us", "comments", "round_us",
                     {**wanted, "destinations": count})
                for count in COUNTS
            ]  # fmt: skip
    page.sized(kept, "list", SIZES, lines)
    costs = (_cost(kept, what, key) for what, key in GROUP_COSTS)
    text = " ".join(filter(None, (_candidates(kept), *costs)))
    said = [text, *_new_lists(kept)] if text else list(_new_lists(kept))
    if said:
        page.text(f"Here: {' '.join(said)}")


GROUP_COSTS = (("make", "group_create_us"), ("free", "group_free_us"))


def _cost(kept: Kept, what: str, key: str) -> str:
    """What a group costs, for each number of destinations."""
    found = []
    for count in COUNTS:
        known = _all_with(
            kept, key, benchmark="multicast", destinations=count, multicast="technology", occupation="none"
        )
        found += [f"{number(statistics.median(known))} us for {count}"] if known else []
    return f"To {what} a group of MPI takes {joined(found)} destinations." if found else ""


def _candidates(kept: Kept) -> str:
    """What lists are chosen from."""
    found = []
    for count in COUNTS:
        known = _all_with(kept, "candidates", benchmark="multicast", destinations=count, list="random")
        found += [f"{count} of {number(known[0])}"] if known else []
    return f"Lists have {joined(found)} destinations; of as many only the order changes." if found else ""


def _new_lists(kept: Kept) -> Iterator[str]:
    """What a list for a single broadcast costs."""
    found = {
        (way, kind): value(
            kept.row(benchmark="multicast", mode="stream", multicast=way, list=kind, destinations=4,
                     size_bytes=64), "round_us")
        for way in ("loop", "technology") for kind in ("fixed", "new")
    }  # fmt: skip
    group, loop = found["technology", "new"], found["loop", "new"]
    if group is None or loop is None:
        return
    yield (
        "A new list for each broadcast of 64 bytes to four takes"
        f" {ratio(group, found['technology', 'fixed'])} times as long as the fixed one by the"
        f" technology's broadcast, and {ratio(loop, found['loop', 'fixed'])} times as long by the"
        " loop."
    )
    if group > loop:
        yield (
            "The group costs more than the broadcast saves: prepare lists that are known in"
            " advance, and send to others by the loop."
        )


def _all_with(kept: Kept, key: str, **wanted: Any) -> list[float]:
    """The values of a figure in all rows that have it."""
    found = (value(row, key) for row in kept.rows(**wanted))
    return [one for one in found if one is not None]


# 1.1 to 1.3 beside Parkbench.

PARKBENCH = {"oneway": ("comms1", "pingpong"), "twoway": ("comms2", "exchange"), "alltoall": ("comms3", "saturate")}


def _messages(basic: Basic, count: int) -> int:
    """Messages of a step, by which Parkbench divides its time."""
    return {"oneway": 1, "twoway": 2}.get(basic.benchmark, count * (count - 1))


def _parkbench(kept: Kept, page: Page, basic: Basic) -> None:
    other, mode = PARKBENCH[basic.benchmark]
    key = "latency_us" if basic.benchmark == "oneway" else "round_us"
    same = f"{basic.id} = {other.upper()}"
    lines = []
    for count in (2, *basic.counts) if len(basic.counts) > 1 else basic.counts:
        each = 1 / _messages(basic, count)
        own = {"benchmark": basic.benchmark, "mode": basic.figures[0][0], "processors": count}
        if basic.benchmark == "alltoall" and count == 2:
            own["document"] = "alltoall-2"  # other rows of two processors are of larger jobs
        theirs = {"benchmark": other, "mode": mode, "processors": count}
        their_key, their_scale = ("round_us", each) if other == "comms3" else ("latency_us", 1.0)
        lines += [
            Line(f"{count} processors, {basic.id}", same, key, own, each),
            Line(f"{count} processors, {other.upper()}", same, their_key, theirs, their_scale),
        ]
    page.text(f"Seed: \"this benchmark corresponds to Parkbench COMM{basic.id[-1]}\". Time of one message, in us:")
    page.sized(kept, "processors and definition", SIZES, lines)


# Group 2.


@dataclass(frozen=True)
class Farm:
    id: str
    benchmark: str
    name: str


PUSH, PULL = Farm("2.1", "pushfarm", "push"), Farm("2.2", "pullfarm", "pull")
READINGS = [(count, count) for count in FARMS] + [(count, 1) for count in FARMS]


def _farm_row(kept: Kept, farm: Farm, shape: tuple[int, int], algorithm_us: int, size: int, mode: str) -> Row:
    wanted = {"benchmark": farm.benchmark, "mode": mode, "size_bytes": size, "algorithm_us": algorithm_us}
    return kept.row(**wanted, sources=shape[0], destinations=shape[1])


def _rate(row: Row) -> str:
    """Decisions in kHz; ! marks a farm that is saturated."""
    return figure(row, "frequency_Hz", scale=KILO, interval=False) + (" !" if row.get("saturated") else "")


def _latency(row: Row) -> str:
    """Median and 99 % quantile; a quantile needs ten events beyond it."""
    known = row.get("event_latency_us")
    if not known:
        return str(row) if isinstance(row, Missing) else str(Missing("the row has no latency"))
    return " / ".join(number(known[key]) if known.get(key) is not None else "-" for key in ("p50", "p99"))


def _farm_table(kept: Kept, page: Page, mode: str, text_of: Callable[[Row], str]) -> None:
    heads = ["sources to destinations", "algorithm, us", "seed"]
    heads += [f"here: {farm.name}, {size} bytes" for farm in (PUSH, PULL) for size in SIZES]
    rows = []
    for shape in READINGS:
        for algorithm_us in ALGORITHMS_US:
            found = [_farm_row(kept, farm, shape, algorithm_us, size, mode) for farm in (PUSH, PULL) for size in SIZES]
            rows.append([f"{shape[0]} to {shape[1]}", str(algorithm_us), "asked", *map(text_of, found)])
    page.table(heads, rows)


def _farms(kept: Kept, page: Page) -> None:
    page.heading("2.1 push farm and 2.2 pull farm")
    page.text(
        "Seed: a supervisor tells all sources a destination (2.1), or a destination its sources"
        " (2.2), round-robin; destinations collect the packets and send a decision; \"4, 6 and 8"
        " sources are combined with one destination each\"; packets of the supervisor have 16"
        " bytes; algorithms of 'zero', 50 and 500 us a packet. The sentence has two readings, as"
        " many destinations as sources and one destination: both are here."
    )
    for farm in (PUSH, PULL):
        _diagram(page, farm.benchmark)
    page.heading("Decisions in kHz, closed loop", 3)
    _farm_table(kept, page, "closed", _rate)
    page.text(
        "Difference: in the closed loop a decision lets the supervisor issue the next event, which"
        " gives the highest rate; in the note \"no action ensues in the supervisor\", which is the"
        " open loop below, where events fall due by a clock. Processes share cores here: S packets"
        " of the algorithm's time bound the rate at cores / (S x algorithm), whatever the network"
        " does."
    )
    page.heading("Decisions in kHz, open loop", 3)
    page.text(
        "Events fall due at nine tenths of the rate of the closed loop. `!`: the farm is saturated,"
        " because it issued or decided events ever later than they were due; processes that wait for"
        " a core take what one tenth leaves."
    )
    _farm_table(kept, page, "open", _rate)
    page.heading("Time from due to decided in us, open loop: median / 99 % of the events", 3)
    page.text("`-`: too few events for that quantile. The times of a saturated farm are those of its backlog.")
    _farm_table(kept, page, "open", _latency)
    _push_and_pull(kept, page)


def _push_and_pull(kept: Kept, page: Page) -> None:
    page.heading("Push beside pull, and how the supervisor talks", 3)
    rows = []
    for shape in ((4, 4), (8, 8), (8, 1)):
        for algorithm_us in ALGORITHMS_US:
            both = [
                value(_farm_row(kept, farm, shape, algorithm_us, 1024, "closed"), "frequency_Hz")
                for farm in (PUSH, PULL)
            ]
            rows.append((
                f"{shape[0]} to {shape[1]}, {algorithm_us} us, 1024 bytes: rate of push / rate of"
                " pull",
                "both asked, no comparison",
                ratio(both[0], both[1]),
                "a pulled event passes one message more"
                if algorithm_us == 0
                else "the algorithm takes most of the cores in both",
            ))  # fmt: skip
    loop = _farm_row(kept, PUSH, (4, 4), 0, 64, "closed")
    four: Json = {"mode": "closed", "size_bytes": 64, "sources": 4, "destinations": 4}
    told = kept.row(benchmark="pushfarm", multicast="technology", **four)
    asked = kept.row(benchmark="pullfarm", multicast="technology", **four)
    some = kept.row(benchmark="pullfarm", fetched=2, **four)
    rows += [
        (
            "2.1, 4 to 4, 64 bytes: the supervisor tells the sources",
            "\"communicates to all sources\"",
            f"by a loop {figure(loop, 'frequency_Hz', 'kHz', KILO)}, by a multicast"
            f" {figure(told, 'frequency_Hz', 'kHz', KILO)}",
            "the note does not say how; over MPI the sources relay the broadcast, on shared cores",
        ),
        (
            "2.2, 4 to 4, 64 bytes: a destination asks the sources",
            "\"the destination processors fetch their data from the sources\"",
            f"by a loop {figure(_farm_row(kept, PULL, (4, 4), 0, 64, 'closed'), 'frequency_Hz', 'kHz', KILO)},"
            f" by a multicast {figure(asked, 'frequency_Hz', 'kHz', KILO)}",
            "the note does not say how; the supervisor talks to one destination, so only requests can"
            " be a multicast",
        ),
        (
            "2.2, 4 to 4, 64 bytes: the addresses of two sources of four",
            "\"communicates to the destinations the source addresses\"",
            f"{figure(some, 'frequency_Hz', 'kHz', KILO)} with two drawn for each event,"
            f" {figure(_farm_row(kept, PULL, (4, 4), 0, 64, 'closed'), 'frequency_Hz', 'kHz', KILO)} with all",
            "which sources an event needs is drawn by a seed, since events have no physics here",
        ),
    ]
    page.compare(rows, "farm")


def _pipelines(kept: Kept, page: Page) -> None:
    page.heading("2.3 pipeline")
    page.text(
        "Seed: sources send to destinations in a data-driven pattern through two levels;"
        " topologies 4-2-1, 6-2-1 and 9-3-1; only the overall frequency is measured, with"
        " different packet sizes and processor occupations; fed by data-driven 100 kHz processors."
    )
    _diagram(page, "pipeline")
    page.sized(
        kept,
        "topology and algorithm",
        SIZES,
        [
            Line(
                f"{topology}, {algorithm_us} us: events, kHz",
                f"asked: {topology}",
                "frequency_Hz",
                {"benchmark": "pipeline", "mode": "event", "topology": topology, "algorithm_us": algorithm_us},
                KILO,
            )
            for topology in TOPOLOGIES
            for algorithm_us in ALGORITHMS_US
        ],
    )
    page.sized(
        kept,
        "sources at 100 kHz",
        SIZES,
        [
            Line(
                f"{topology}, 0 us: {what}",
                "100 kHz",
                key,
                {"benchmark": "pipeline", "mode": "open", "topology": topology, "algorithm_us": 0},
                scale,
            )
            for topology in TOPOLOGIES
            for what, key, scale in (
                ("events, kHz", "frequency_Hz", KILO),
                ("half of the events at the last stage within, us", "event_latency_us.p50", 1),
                ("saturated", "saturated", 1),
            )
        ],
    )
    page.text(
        "Difference: 7 to 13 processes share the cores of one host, so a stage's algorithm takes"
        " time from all others: with one core for each process the slowest stage would set the"
        " rate, at 1 / (inputs x algorithm)."
    )


def write(kept: Kept, page: Page) -> None:
    page.text(
        "The note defines benchmarks and has no figures of its own: \"asked\" in the column"
        " \"seed\" means that it asks for the figure. Processes on more ranks than cores share"
        " them (mark `*` of combench), here all with more than two."
        " [benchmarks](../using/benchmarks.md) says what each program does."
    )
    comments(kept, page)
    _group_1(kept, page)
    _farms(kept, page)
    _pipelines(kept, page)
    discussion(kept, page)
