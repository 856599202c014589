"""One event of a timeline (docs/reference/results.md#the-timeline-file): when each of its messages was sent, had
arrived, and had been read."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional

from combench.common.documents import load_json, timeline_beside
from combench.common.errors import SuiteError

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Message:
    """Times in us since the first message of the event was sent."""

    name: str
    sender: str
    receiver: str
    sent_us: float
    arrived_us: float
    read_us: float


@dataclass(frozen=True)
class Event:
    """The messages are in the order of their senders."""

    number: int  # among those of the timeline
    conditions: Json  # of the measurement: mode, size_bytes and others
    messages: tuple[Message, ...]

    @property
    def complete_us(self) -> float:
        return max(one.read_us for one in self.messages)

    @property
    def goes_to(self) -> str:
        """In words: the receiver of all messages; empty if they have several."""
        found = {one.receiver for one in self.messages}
        return f"to {found.pop()}" if len(found) == 1 else ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The sender of each message, and what it is where they differ."""
        alike = len({one.name for one in self.messages}) == 1
        return tuple(one.sender if alike else f"{one.sender}: {one.name}" for one in self.messages)


def _arrows(entries: Iterable[Json]) -> dict[int, list[tuple[Json, Json]]]:
    """The starts of the messages of each event, and the slices that take them. An arrow ends where a slice of its
    track begins."""
    phases: dict[str, list[Json]] = defaultdict(list)
    for entry in entries:
        phases[entry["ph"]].append(entry)
    slices = {(one["tid"], one["ts"]): one for one in phases["X"]}
    starts = {one["id"]: one for one in phases["s"]}
    found: dict[int, list[tuple[Json, Json]]] = defaultdict(list)
    for arrow in phases["f"]:
        taken = slices[arrow["tid"], arrow["ts"]]
        found[taken["args"]["event"]].append((starts[arrow["id"]], taken))
    return found


def _end_us(taken: Json) -> float:
    return float(taken["ts"] + taken["dur"])


def _typical(arrows: Mapping[int, list[tuple[Json, Json]]]) -> int:
    """Of the events with the most messages, the one of the median time."""
    most = max(map(len, arrows.values()))
    times = {
        event: max(_end_us(taken) for _, taken in pairs) - min(start["ts"] for start, _ in pairs)
        for event, pairs in arrows.items()
        if len(pairs) == most
    }
    middle = statistics.median_low(times.values())
    return next(event for event, time in times.items() if time == middle)


def event_of(trace: Json) -> Optional[Event]:
    """A typical event of a trace; None if it has no message. KeyError, TypeError or ValueError if it is no timeline."""
    entries = trace["traceEvents"]
    arrows = _arrows(entries)
    if not arrows:
        return None
    tracks = {one["tid"]: str(one["args"]["name"]) for one in entries if one.get("name") == "thread_name"}
    number = _typical(arrows)
    pairs = sorted(arrows[number], key=lambda pair: (pair[0]["tid"], pair[0]["ts"]))
    first_us = min(start["ts"] for start, _ in pairs)
    messages = tuple(
        Message(
            str(start["name"]),
            tracks[start["tid"]],
            tracks[taken["tid"]],
            start["ts"] - first_us,
            taken["ts"] - first_us,
            _end_us(taken) - first_us,
        )
        for start, taken in pairs
    )
    return Event(number, trace["otherData"], messages)


def read(result: Path) -> Optional[Event]:
    """A typical event of the timeline beside a result; None if there is no timeline, or nothing in it.
    Raises SuiteError."""
    path = timeline_beside(result)
    if not path.is_file():
        return None
    try:
        return event_of(load_json(path))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SuiteError(f"cannot read {path}: it is not a timeline of combench; measure again") from error
