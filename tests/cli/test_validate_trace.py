#!/usr/bin/python3
"""Each check of validate_trace.py finds the fault that it is for, in an otherwise valid timeline."""

from __future__ import annotations

import copy
import unittest
from typing import Any

import validate_trace

Json = dict[str, Any]

TRACKS = ["supervisor", "source 0 (rank 1)", "source 1 (rank 2)", "destination 0 (rank 3)"]
SUPERVISOR, SOURCE_0, SOURCE_1, DESTINATION = range(4)


class Trace:
    """A timeline of one event in a push farm of two sources and a destination."""

    def __init__(self) -> None:
        self.events: list[Json] = []
        self.flows = 0
        for track, name in enumerate(TRACKS):
            self.add("M", track, name="thread_name", args={"name": name})
        self.slice(SUPERVISOR, 0, "issue", "issue")
        for source, begin in ((SOURCE_0, 10), (SOURCE_1, 11)):
            self.slice(source, begin, "take", "take assignment", SUPERVISOR)
            self.flow("assignment", SUPERVISOR, 0, source, begin)
            self.slice(source, begin + 2, "send", "send", DESTINATION)
            self.slice(DESTINATION, begin + 20, "take", "take fragment", source)
            self.flow("fragment", source, begin + 2, DESTINATION, begin + 20)
        self.slice(DESTINATION, 40, "decision", "decision", SUPERVISOR)
        self.slice(SUPERVISOR, 50, "take", "take decision", DESTINATION)
        self.flow("decision", DESTINATION, 40, SUPERVISOR, 50)
        self.json: Json = {
            "otherData": {
                "benchmark": "pushfarm",
                "sources": 2,
                "destinations": 1,
                "events": 1,
                "messages": 5,
                "algorithm_us": 0,
                "clock_bound_us": 0,
                "messages_backwards": 0,
            },
            "traceEvents": self.events,
        }

    def add(self, phase: str, track: int, **keys: Any) -> None:
        self.events.append({"ph": phase, "pid": 1, "tid": track + 1, **keys})

    def slice(
        self, track: int, begin: float, kind: str, name: str, peer: int | None = None
    ) -> None:
        args: Json = {"event": 0} if peer is None else {"event": 0, "peer": TRACKS[peer]}
        self.add("X", track, ts=begin, dur=0.5, cat=kind, name=f"{name} 0", args=args)

    def flow(self, name: str, source: int, sent: float, destination: int, taken: float) -> None:
        self.flows += 1
        self.add("s", source, ts=sent, id=self.flows, cat="message", name=name)
        self.add("f", destination, ts=taken, id=self.flows, cat="message", name=name, bp="e")


def place(phase: str, name: str, nth: int = 0) -> int:
    """Where the nth event of a phase and a name stands in the list."""
    events = Trace().events
    return [i for i, e in enumerate(events) if (e["ph"], e["name"]) == (phase, name)][nth]


# What is changed in the timeline (path, new value; None: removed), and a part of the fault's text.
CASES: dict[str, tuple[tuple[str | int, ...], Any, str]] = {
    "no list": (("traceEvents",), {}, "no list"),
    "missing fact": (("otherData", "sources"), None, "no sources"),
    "unknown phase": (("traceEvents", 5, "ph"), "Z", "the phase Z"),
    "slice without duration": (("traceEvents", place("X", "issue 0"), "dur"), None, "dur is None"),
    "text for a time": (("traceEvents", place("X", "issue 0"), "ts"), "0", "ts is '0'"),
    "thread 0": (("traceEvents", place("X", "issue 0"), "tid"), 0, "of tid 0"),
    "track without a name": (
        ("traceEvents", place("X", "issue 0"), "tid"),
        9,
        "track 9 has no name",
    ),
    "wrong name of a track": (
        ("traceEvents", 1, "args", "name"),
        "source 5 (rank 1)",
        "the tracks are",
    ),
    "missing track": (("otherData", "destinations"), 2, "the tracks are"),
    "slice without length": (("traceEvents", place("X", "issue 0"), "dur"), 0, "takes no time"),
    "slice before the beginning": (
        ("traceEvents", place("X", "issue 0"), "ts"),
        -0.1,
        "before the beginning",
    ),
    "slices that overlap": (("traceEvents", place("X", "take assignment 0"), "dur"), 3, "overlap"),
    "flow in no slice": (("traceEvents", place("s", "decision"), "ts"), 45, "is in no slice"),
    "flow without an end": (("traceEvents", place("f", "decision")), None, "has the phases ['s']"),
    "flow with two beginnings": (
        ("traceEvents", place("s", "decision"), "id"),
        1,
        "['s', 'f', 's']",
    ),
    "flow with two names": (
        ("traceEvents", place("f", "decision"), "name"),
        "fragment",
        "differ in their names",
    ),
    "flow that ends elsewhere": (("traceEvents", place("f", "decision"), "bp"), "x", "comes next"),
    "number of messages": (("otherData", "messages"), 6, "messages is 6"),
    "number of messages backwards": (("otherData", "messages_backwards"), 1, "back in time, not 1"),
    "missing event": (("otherData", "events"), 2, "not 2 from 0 on"),
    "algorithm that did not run": (("otherData", "algorithm_us"), 50, "what was done"),
    "activity of another farm": (("otherData", "benchmark"), "pullfarm", "what was done"),
    "fragment taken at a source": (
        ("traceEvents", place("X", "take fragment 0"), "tid"),
        SOURCE_0 + 1,
        "at 2 destinations",
    ),
    "fragment of one source twice": (
        ("traceEvents", place("X", "take fragment 0"), "args", "peer"),
        TRACKS[SOURCE_1],
        "a source did not send",
    ),
    "send before the assignment": (
        ("traceEvents", place("X", "send 0"), "ts"),
        5,
        "before it has taken anything",
    ),
    "decision before the last fragment": (
        ("traceEvents", place("X", "decision 0"), "ts"),
        30.6,
        "decides before",
    ),
}


def changed(path: tuple[str | int, ...], value: Any) -> Json:
    """The valid timeline with one value set or removed."""
    trace = copy.deepcopy(Trace().json)
    node: Any = trace
    for key in path[:-1]:
        node = node[key]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return trace


def late_fragment(bound_us: float, backwards: int) -> Json:
    """A fragment that arrives 0.25 us before it was sent."""
    trace = Trace().json
    facts, events = trace["otherData"], trace["traceEvents"]
    facts |= {"clock_bound_us": bound_us, "messages_backwards": backwards}
    for phase, name in (("X", "send 0"), ("s", "fragment")):
        events[place(phase, name)]["ts"] = 30.25
    return trace


class ValidateTrace(unittest.TestCase):
    """validate_trace.faults."""

    def test_a_valid_timeline_has_no_faults(self) -> None:
        self.assertEqual(validate_trace.faults(Trace().json), [])

    def test_each_fault_is_found(self) -> None:
        for name, (path, value, text) in CASES.items():
            with self.subTest(name):
                found = validate_trace.faults(changed(path, value))
                self.assertTrue(any(text in fault for fault in found), found)

    def test_an_arrow_back_in_time_is_a_fault(self) -> None:
        found = validate_trace.faults(late_fragment(0, 1))
        self.assertTrue(any("arrives 250 ns before" in fault for fault in found), found)

    def test_but_not_within_what_the_clocks_are_known_to(self) -> None:
        self.assertEqual(validate_trace.faults(late_fragment(0.25, 1)), [])


if __name__ == "__main__":
    unittest.main()
