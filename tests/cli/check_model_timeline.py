#!/usr/bin/python3
"""The rules that the forms of a timeline must keep, and what they must have in common.

    check_model_timeline.py PERFETTO PAJE SVG RESULT

PERFETTO, PAJE and SVG are one evaluation in the three forms, RESULT is the document of ccmod run for
the same evaluation. Prints what is wrong, a line each.
"""

from __future__ import annotations

import json
import shlex
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from typing import Any

ACTIVITIES = ("compute", "send", "receive", "wait", "idle")
Event = dict[str, Any]


def nanoseconds(us: float) -> int:
    return round(us * 1000)


class Perfetto:
    """A document in Chrome's trace format."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="ascii") as stream:
            self.events: list[Event] = json.load(stream)["traceEvents"]
        self.slices = [event for event in self.events if event["ph"] == "X"]
        self.starts = [event for event in self.events if event["ph"] == "s"]
        self.ends = [event for event in self.events if event["ph"] == "f"]

    def durations(self, tid: int) -> dict[str, int]:
        sums: Counter[str] = Counter()
        for event in self.slices:
            if event["tid"] == tid:
                sums[event["name"]] += nanoseconds(event["dur"])
        return dict(sums)

    def faults(self, result: Event) -> Iterator[str]:
        yield from self.faults_of_names(result["ranks"])
        yield from self.faults_of_slices(result)
        yield from self.faults_of_arrows()
        for processor in result["processors"]:
            durations = self.durations(processor["rank"] + 1)
            for activity in ACTIVITIES[:4]:
                expected = processor[f"{activity}_us"] * 1000
                # an interval's ends are rounded to a nanosecond each
                if abs(durations.get(activity, 0) - expected) > len(self.slices):
                    yield f"rank {processor['rank']}: {activity} {durations} and not {expected} ns"

    def faults_of_names(self, ranks: int) -> Iterator[str]:
        names = {e["tid"]: e["args"]["name"] for e in self.events if e["name"] == "thread_name"}
        if names != {rank + 1: f"rank {rank}" for rank in range(ranks)}:
            yield f"threads are named {names}"

    def faults_of_slices(self, result: Event) -> Iterator[str]:
        """Slices of a thread follow each other from 0 to the end of all."""
        end = nanoseconds(result["end_us"])
        for tid in range(1, result["ranks"] + 1):
            at = 0
            for event in [e for e in self.slices if e["tid"] == tid]:
                if event["name"] not in ACTIVITIES:
                    yield f"thread {tid}: activity {event['name']}"
                if nanoseconds(event["ts"]) != at or event["dur"] <= 0:
                    yield f"thread {tid}: a slice begins at {event['ts']}, the last ended at {at}"
                at = nanoseconds(event["ts"]) + nanoseconds(event["dur"])
            if at != end and end > 0:
                yield f"thread {tid} ends at {at} ns, not {end}"

    def faults_of_arrows(self) -> Iterator[str]:
        """Each start has one end, not before it, and both lie in slices of their threads."""
        ends = {event["id"]: event for event in self.ends}
        if len(ends) != len(self.ends) or len(self.starts) != len(self.ends):
            yield f"{len(self.starts)} arrows start, {len(self.ends)} end, {len(ends)} numbers"
            return
        for start in self.starts:
            end = ends[start["id"]]
            if end["ts"] < start["ts"] or end.get("bp") != "e" or end["cat"] != start["cat"]:
                yield f"arrow {start['id']}: {start} to {end}"
        for event in self.starts + self.ends:
            if not any(self.holds(one, event) for one in self.slices):
                yield f"arrow {event['id']}: no slice of thread {event['tid']} at {event['ts']}"

    @staticmethod
    def holds(one: Event, event: Event) -> bool:
        begin = nanoseconds(one["ts"])
        at = nanoseconds(event["ts"])
        return one["tid"] == event["tid"] and begin <= at <= begin + nanoseconds(one["dur"])


class Paje:
    """A Paje trace: the definitions of its head, and the events after them."""

    def __init__(self, path: str) -> None:
        self.fields: dict[str, list[str]] = {}
        self.kinds: dict[str, str] = {}
        self.events: list[tuple[str, dict[str, str]]] = []
        self.broken: list[str] = []
        number = ""
        with open(path, encoding="ascii") as stream:
            for line in stream:
                words = shlex.split(line)
                if line.startswith("%"):
                    number = self.read_head(words, number)
                else:
                    self.read_event(words)

    def read_head(self, words: list[str], number: str) -> str:
        if words[0] == "%EventDef":
            self.kinds[words[2]] = words[1]
            self.fields[words[2]] = []
            return words[2]
        if words[0] == "%":
            self.fields[number].append(words[1])
        return number

    def read_event(self, words: list[str]) -> None:
        fields = self.fields.get(words[0])
        if fields is None or len(fields) != len(words) - 1:
            self.broken.append(f"no such event or wrong number of fields: {words}")
            return
        self.events.append((self.kinds[words[0]], dict(zip(fields, words[1:]))))

    def faults(self, result: Event) -> Iterator[str]:
        yield from self.broken
        yield from self.faults_of_order()
        yield from self.faults_of_names(result["ranks"])
        yield from self.faults_of_links()

    def faults_of_order(self) -> Iterator[str]:
        last = 0.0
        for kind, event in self.events:
            if float(event.get("Time", last)) < last:
                yield f"{kind} at {event['Time']} comes after {last}"
            last = float(event.get("Time", last))

    def faults_of_names(self, ranks: int) -> Iterator[str]:
        """What an event names was defined or created before it, and not destroyed."""
        known = {"0"}
        for kind, event in self.events:
            for field in ("Type", "Container", "Value", "StartContainer", "EndContainer"):
                if field in event and event[field] not in known:
                    yield f"{kind}: {field} {event[field]} is not known"
            if "Alias" in event:
                known.add(event["Alias"])
            if kind == "PajeDestroyContainer":
                known.discard(event["Name"])
        created = sum(kind == "PajeCreateContainer" for kind, _ in self.events)
        destroyed = sum(kind == "PajeDestroyContainer" for kind, _ in self.events)
        if created != ranks + 1 or destroyed != created:
            yield f"{created} containers created, {destroyed} destroyed, for {ranks} ranks"

    def links(self, kind: str) -> dict[str, dict[str, str]]:
        return {event["Key"]: event for name, event in self.events if name == kind}

    def faults_of_links(self) -> Iterator[str]:
        """A link ends after its start, once, with the same value."""
        open_links: dict[str, str] = {}
        for kind, event in self.events:
            if kind == "PajeStartLink":
                open_links[event["Key"]] = event["Value"]
            elif kind == "PajeEndLink" and open_links.pop(event["Key"], None) != event["Value"]:
                yield f"link {event['Key']} ends without having started"
        if open_links:
            yield f"links without end: {open_links}"


def faults_of_picture(path: str, arrows: int, slices: int) -> Iterator[str]:
    """Well formed, complete, and within its frame."""
    namespace = "{http://www.w3.org/2000/svg}"
    picture = ElementTree.parse(path).getroot()
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    lines = [e for e in picture.iter(f"{namespace}line") if e.attrib["class"].startswith("m")]
    boxes = [e for e in picture.iter(f"{namespace}rect") if "class" in e.attrib]
    # the legend has a line for each of four classes and a box for each activity
    if len(lines) != arrows + 4 or len(boxes) != slices + len(ACTIVITIES):
        yield f"{len(lines)} lines and {len(boxes)} boxes for {arrows} messages, {slices} intervals"
    for line in lines:
        for key in ("x1", "x2", "y1", "y2"):
            if not 0 <= float(line.attrib[key]) <= (width if key[0] == "x" else height):
                yield f"a line leaves the page: {line.attrib}"
    for box in boxes:
        if float(box.attrib["x"]) + float(box.attrib["width"]) > width + 0.01:
            yield f"a box leaves the page: {box.attrib}"


def all_faults(perfetto: Perfetto, paje: Paje, picture: str, result: Event) -> Iterator[str]:
    yield from perfetto.faults(result)
    yield from paje.faults(result)
    yield from faults_of_picture(picture, len(perfetto.starts), len(perfetto.slices))
    if len(paje.links("PajeStartLink")) != len(perfetto.starts):
        yield f"{len(paje.links('PajeStartLink'))} links, {len(perfetto.starts)} arrows"
    if len(perfetto.starts) < result["messages"]:
        yield f"{len(perfetto.starts)} arrows for {result['messages']} messages"


def main() -> int:
    with open(sys.argv[4], encoding="utf-8") as stream:
        result = json.load(stream)
    found = list(all_faults(Perfetto(sys.argv[1]), Paje(sys.argv[2]), sys.argv[3], result))
    print("\n".join(found[:20]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
