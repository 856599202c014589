#!/usr/bin/python3
"""Check timelines of trigger farms and event building: validate_trace.py FILE...

First by the rules of the format, as its readers apply them: phases and their keys, slices that do
not overlap, flows that are paired and begin and end within a slice. Then by what a farm is: every
event is issued once, every source sends its fragment of it and one destination takes them all, and
decides once; no rank passes on what it has not received, and no message arrives before it was sent
by more than the clocks are known to. Of event building: every readout but a builder's own sends its
fragment of each event once, and the builder takes them all. Every fault is printed as FILE: TEXT. Exit status: 0 all are
valid, 1 a trace has faults, 2 a file cannot be read or the arguments are wrong.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# What must stand in an event of each phase, and of which type, beside ph and pid.
PHASES: dict[str, dict[str, tuple[type, ...]]] = {
    "M": {"name": (str,), "args": (dict,)},
    "X": {"tid": (int,), "ts": (int, float), "dur": (int, float), "cat": (str,), "name": (str,),
          "args": (dict,)},
    "s": {"tid": (int,), "ts": (int, float), "id": (int,), "cat": (str,), "name": (str,)},
    "f": {"tid": (int,), "ts": (int, float), "id": (int,), "cat": (str,), "name": (str,),
          "bp": (str,)},
}  # fmt: skip

FACTS = ("benchmark", "events", "messages", "clock_bound_us", "messages_backwards")
FACTS_OF_FARMS = ("sources", "destinations", "algorithm_us")
FACTS_OF_UNITS = ("units", "pack", "folding")


def facts_due(facts: Json) -> tuple[str, ...]:
    return FACTS + (FACTS_OF_UNITS if "units" in facts else FACTS_OF_FARMS)


@dataclass(frozen=True)
class Slice:
    """One activity; times in ns."""

    tid: int
    begin: int
    end: int
    kind: str
    name: str
    event: int
    peer: str | None


def ns(time_us: float) -> int:
    """Times are written in us with three decimals."""
    return round(time_us * 1000)


def check_format(trace: Any) -> Iterator[str]:
    """Every event has what its phase needs, and every fact that the other checks need is there."""
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        yield "there is no list traceEvents"
        return
    for fact in facts_due(trace.get("otherData", {})):
        if fact not in trace.get("otherData", {}):
            yield f"otherData has no {fact}"
    for index, event in enumerate(trace["traceEvents"]):
        keys = PHASES.get(event.get("ph"))
        if keys is None:
            yield f"event {index} has the phase {event.get('ph')}"
            continue
        for key, types in {"pid": (int,), **keys}.items():
            if not isinstance(event.get(key), types):
                yield f"event {index}, phase {event['ph']}: {key} is {event.get(key)!r}"
        for key in ("pid", "tid"):
            if event.get(key) == 0:
                yield f"event {index} is of {key} 0, which viewers take for an idle processor"


def expected_tracks(facts: Json) -> list[str]:
    if "units" in facts:
        units = facts["units"]
        if facts["folding"] == "one":
            return [f"node {i} (rank {i})" for i in range(units)]
        readouts = [f"readout {i} (rank {i})" for i in range(units)]
        return readouts + [f"builder {i} (rank {units + i})" for i in range(units)]
    sources, destinations = facts["sources"], facts["destinations"]
    return [
        "supervisor",
        *(f"source {i} (rank {1 + i})" for i in range(sources)),
        *(f"destination {i} (rank {1 + sources + i})" for i in range(destinations)),
    ]


def names_of(trace: Json) -> dict[int, str]:
    return {
        event["tid"]: event["args"]["name"]
        for event in trace["traceEvents"]
        if event["ph"] == "M" and event["name"] == "thread_name"
    }


def slices_of(trace: Json) -> list[Slice]:
    return [
        Slice(
            event["tid"],
            ns(event["ts"]),
            ns(event["ts"]) + ns(event["dur"]),
            event["cat"],
            event["name"],
            event["args"]["event"],
            event["args"].get("peer"),
        )
        for event in trace["traceEvents"]
        if event["ph"] == "X"
    ]


def check_tracks(trace: Json) -> Iterator[str]:
    """One track a rank, in order, and none without a name."""
    names = names_of(trace)
    found = [names[tid] for tid in sorted(names)]
    if found != expected_tracks(trace["otherData"]):
        yield f"the tracks are {found}"
    for tid in sorted({event["tid"] for event in trace["traceEvents"] if "tid" in event}):
        if tid not in names:
            yield f"track {tid} has no name"


def check_slices(trace: Json) -> Iterator[str]:
    """A rank does one thing at a time, and each takes time."""
    tracks: dict[int, list[Slice]] = defaultdict(list)
    for one in slices_of(trace):
        tracks[one.tid].append(one)
        if one.end <= one.begin:
            yield f"slice '{one.name}' of track {one.tid} takes no time"
        if one.begin < 0:
            yield f"slice '{one.name}' of track {one.tid} is before the beginning"
    for tid, track in tracks.items():
        for before, after in pairwise(sorted(track, key=lambda one: one.begin)):
            if before.end > after.begin:
                yield f"slices '{before.name}' and '{after.name}' of track {tid} overlap"


def flows_of(trace: Json) -> dict[int, list[Json]]:
    flows: dict[int, list[Json]] = defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] in "sf":
            flows[event["id"]].append(event)
    return flows


def check_binding(trace: Json) -> Iterator[str]:
    """As a viewer does it: events in order of time, those of one time as they stand in the file; an
    end of a flow belongs to the slice that is open then."""
    timed = [event for event in trace["traceEvents"] if event["ph"] in "Xsf"]
    is_open: dict[int, Json] = {}
    for event in sorted(timed, key=lambda event: ns(event["ts"])):
        if event["ph"] == "X":
            is_open[event["tid"]] = event
            continue
        within = is_open.get(event["tid"])
        if within is None or ns(event["ts"]) >= ns(within["ts"]) + ns(within["dur"]):
            yield f"flow {event['id']}, phase {event['ph']}, is in no slice"


def check_flows(trace: Json) -> Iterator[str]:
    """Pairs, of one name, that go back in time no further than the clocks are known to."""
    facts = trace["otherData"]
    bound, backwards = ns(facts["clock_bound_us"]), 0
    flows = flows_of(trace)
    for number, ends in flows.items():
        if [end["ph"] for end in ends] != ["s", "f"]:
            yield f"flow {number} has the phases {[end['ph'] for end in ends]}"
            continue
        start, finish = ends
        if (start["cat"], start["name"]) != (finish["cat"], finish["name"]):
            yield f"the ends of flow {number} differ in their names"
        if finish["bp"] != "e":
            yield f"flow {number} would end in the slice that comes next"
        length = ns(finish["ts"]) - ns(start["ts"])
        backwards += length < 0
        if length < -bound:
            yield f"flow {number} arrives {-length} ns before it was sent"
    if len(flows) != facts["messages"]:
        yield f"there are {len(flows)} flows, and messages is {facts['messages']}"
    if backwards != facts["messages_backwards"]:
        yield f"{backwards} flows go back in time, not {facts['messages_backwards']}"


def activities_due(facts: Json) -> Counter[tuple[str, str]]:
    """What is done for one event, by kind and name without the event's number."""
    sources = facts["sources"]
    due = Counter(
        {
            ("issue", "issue"): 1,
            ("send", "send"): sources,
            ("take", "take fragment"): sources,
            ("decision", "decision"): 1,
            ("take", "take decision"): 1,
        }
    )
    if facts["algorithm_us"] > 0:
        due["algorithm", "algorithm"] = sources
    if facts["benchmark"] == "pullfarm":
        due["take", "take assignment"] = 1
        due["request", "request"] = due["take", "take request"] = sources
    else:
        due["take", "take assignment"] = sources
    return due


def check_activities(facts: Json, event: int, activities: list[Slice]) -> Iterator[str]:
    """Everything is done as often as it is due, at one destination, for each source."""
    counted = Counter((one.kind, one.name.removesuffix(f" {event}")) for one in activities)
    del counted["delay", "delay"]
    if counted != activities_due(facts):
        yield f"event {event}: what was done is {dict(counted)}"
    at = {one.tid for one in activities if one.name.startswith(("take fragment", "decision"))}
    if len(at) != 1:
        yield f"event {event}: it is put together at {len(at)} destinations"
    from_whom = {one.peer for one in activities if one.name.startswith("take fragment")}
    by_whom = {one.tid for one in activities if one.kind == "send"}
    if (len(from_whom), len(by_whom)) != (facts["sources"],) * 2:
        yield f"event {event}: a source did not send its fragment, or it was not taken"


def check_sequence(event: int, activities: list[Slice]) -> Iterator[str]:
    """On each track what is done follows upon what was taken."""
    last_taken: dict[int, int] = {}
    first_decided: dict[int, int] = {}
    for one in sorted(activities, key=lambda one: one.begin):
        if one.kind == "take":
            last_taken[one.tid] = one.end
        elif one.kind == "decision":
            first_decided[one.tid] = one.begin
        elif one.kind in ("send", "request", "algorithm") and one.tid not in last_taken:
            yield f"event {event}: track {one.tid} does '{one.name}' before it has taken anything"
    for tid, decided in first_decided.items():
        if decided < last_taken.get(tid, sys.maxsize):
            yield f"event {event}: track {tid} decides before it has taken all"


def check_building(facts: Json, activities: dict[int, list[Slice]]) -> Iterator[str]:
    """Each message of `pack` events: one from every other readout, and all of them at one builder."""
    if sorted(activities) != list(range(0, facts["events"], facts["pack"])):
        yield f"the events are {sorted(activities)}, not {facts['events']} from 0 on"
    senders = facts["units"] - (facts["folding"] == "one")
    for event, done in sorted(activities.items()):
        sent = {one.tid: one for one in done if one.kind == "send"}
        taken = [one for one in done if one.kind == "take"]
        if len(sent) != senders or len(taken) != senders or len(done) != 2 * senders:
            yield f"event {event}: {len(sent)} of {senders} sent, {len(taken)} taken"
        if len({one.tid for one in taken}) > 1 or len({one.peer for one in taken}) != len(taken):
            yield f"event {event}: it is not put together at one builder, once from each"


def check_events(trace: Json) -> Iterator[str]:
    """The events that were asked for, all of them, and each from its issue to its decision."""
    facts = trace["otherData"]
    activities: dict[int, list[Slice]] = defaultdict(list)
    for one in slices_of(trace):
        activities[one.event].append(one)
    if "units" in facts:
        yield from check_building(facts, activities)
        return
    if sorted(activities) != list(range(facts["events"])):
        yield f"the events are {sorted(activities)}, not {facts['events']} from 0 on"
    for event in sorted(activities):
        yield from check_activities(facts, event, activities[event])
        yield from check_sequence(event, activities[event])


def faults(trace: Any) -> list[str]:
    """Faults of the format or, where there are none, of what it tells."""
    checks = (check_tracks, check_slices, check_binding, check_flows, check_events)
    return list(check_format(trace)) or [text for check in checks for text in check(trace)]


def main(arguments: list[str]) -> int:
    if not arguments:
        print("usage: validate_trace.py FILE...", file=sys.stderr)
        return 2
    status = 0
    for path in arguments:
        try:
            trace = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            print(f"validate_trace.py: cannot check {path}: {error}", file=sys.stderr)
            return 2
        for text in faults(trace):
            print(f"{path}: {text}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
