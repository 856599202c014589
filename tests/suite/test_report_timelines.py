#!/usr/bin/env python3
"""The timeline of one event in a report: which event is chosen, its times, and files that are no timelines."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any, Sequence
from unittest import mock

from documents import Json, document, row

from combench.report import load
from combench.report.gallery import gallery
from combench.report.rows import rows_of
from combench.common.documents import timeline_beside
from combench.report.timelines import event_of

NODES = 3
RECORDED = dict.fromkeys(("notes", "notes_dropped", "cost_pct", "cost_least_pct", "cost_most_pct", "clock_bound_us"), 0)


def message(event: int, sender: int, receiver: int, sent: float, arrived: float, read: float) -> list[Json]:
    """The entries of a message, as --timeline writes them."""
    number = 100 * event + sender
    args = {"event": event}
    named = {"pid": 1, "name": "fragment", "cat": "message", "id": number}
    return [
        {"ph": "X", "pid": 1, "tid": sender, "name": f"send {event}", "cat": "send", "ts": sent, "dur": 1, "args": args},
        {"ph": "X", "pid": 1, "tid": receiver, "name": f"take fragment {event}", "cat": "take", "ts": arrived,
         "dur": read - arrived, "args": args},
        {"ph": "s", "tid": sender, "ts": sent, **named},
        {"ph": "f", "bp": "e", "tid": receiver, "ts": arrived, **named},
    ]  # fmt: skip


def trace(messages: Sequence[list[Json]], size: int = 64) -> Json:
    names = [
        {"ph": "M", "pid": 1, "tid": i, "name": "thread_name", "args": {"name": f"node {i} (rank {i})"}}
        for i in range(NODES)
    ]
    entries = [entry for one in messages for entry in one]
    return {"otherData": {"mode": "closed", "size_bytes": size, "events": 3}, "traceEvents": names + entries}


# Three events of two messages, which take 20, 31 and 90 us, and one of which a message is missing.
MESSAGES = [
    *(message(0, 1, 0, 10, 12, 14), message(0, 2, 0, 20, 25, 30)),
    *(message(1, 2, 1, 110, 120, 131), message(1, 0, 1, 100, 115, 119)),
    *(message(2, 0, 2, 210, 280, 290), message(2, 1, 2, 200, 205, 210)),
    message(3, 1, 0, 300, 325, 330),
]


class Chosen(unittest.TestCase):
    def test_is_the_event_of_the_median_time_among_those_with_all_messages(self) -> None:
        event = event_of(trace(MESSAGES))
        assert event
        self.assertEqual((event.number, event.complete_us), (1, 31))

    def test_messages_are_in_the_order_of_senders_with_times_since_the_first(self) -> None:
        event = event_of(trace(MESSAGES))
        assert event
        times = [(one.sent_us, one.arrived_us, one.read_us) for one in event.messages]
        self.assertEqual(times, [(0, 15, 19), (10, 20, 31)])
        self.assertEqual(event.labels, ("node 0 (rank 0)", "node 2 (rank 2)"))
        self.assertEqual(event.goes_to, "to node 1 (rank 1)")

    def test_is_none_of_a_trace_without_messages(self) -> None:
        self.assertIsNone(event_of(trace([])))


class Report(unittest.TestCase):
    folder: Path

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-timelines-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def result(self, schedule: str, timeline: Any, size: int = 64, count: int = NODES) -> Path:
        """A result, and the text or the trace beside it."""
        path = self.folder / f"{schedule}.{count}.json"
        one = row([10.0] * 5, size, "round_us", mode="closed", schedule=schedule, processors=count)
        path.write_text(json.dumps(document([one], "evb", "evb", timeline={"events": 3, **RECORDED})), encoding="utf-8")
        text = timeline if isinstance(timeline, str) else json.dumps(timeline)
        timeline_beside(path).write_text(text, encoding="utf-8")
        return path

    def pictures(self) -> tuple[Any, list[str]]:
        found = load.load([self.folder])
        drawn = [one for one in gallery(rows_of(found.results).kept) if one.timelines]
        return drawn, found.problems

    def test_has_one_picture_with_each_schedule(self) -> None:
        self.result("none", trace(MESSAGES))
        self.result("shift", trace(MESSAGES[:2]))
        self.result("shift", trace(MESSAGES), count=2)
        (picture,), problems = self.pictures()
        self.assertEqual(problems, [])
        ends = {one.title.split(",")[0]: one.event.complete_us for one in picture.timelines}
        self.assertEqual(ends, {"none": 31, "shift": 20})

    def test_is_of_the_row_that_was_recorded(self) -> None:
        self.result("none", trace(MESSAGES, size=128))
        self.assertEqual(self.pictures(), ([], []))

    def test_says_which_file_is_no_timeline(self) -> None:
        for text in ("", "{", "[]", "{}", '{"traceEvents": [{"ph": "f"}]}', '{"traceEvents": 1}'):
            with self.subTest(text):
                path = timeline_beside(self.result("none", text))
                drawn, problems = self.pictures()
                self.assertEqual(drawn, [])
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(str(path), problems[0])

    def test_is_drawn_with_bars_in_order_and_the_completion(self) -> None:
        with mock.patch.dict(os.environ, {"MPLCONFIGDIR": str(self.folder)}):
            from combench.report.draw import sheet_of, written

        self.result("none", trace(MESSAGES))
        (picture,), _ = self.pictures()
        sheet = sheet_of(picture)
        (axes,) = sheet.axes
        bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
        self.assertEqual(bars, [(0, 15), (15, 19), (10, 20), (20, 31)])
        self.assertIn("complete: 31.0 us", [text.get_text() for text in axes.texts])
        self.assertEqual(written(sheet, "svg"), written(sheet_of(picture), "svg"))


if __name__ == "__main__":
    unittest.main()
