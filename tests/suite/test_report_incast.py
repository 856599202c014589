#!/usr/bin/env python3
"""The section "Incast" of a report: the onset of loss, the goodput that remains, and pictures, with figures computed by
hand."""

from __future__ import annotations

import argparse
import io
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, Sequence

from documents import Json, document, row

from combench.report import report
from combench.report.gallery import gallery
from combench.report.incast import incast_of, sweeps_of
from combench.report.load import Document
from combench.report.rows import Row, rows_of

SOURCES = 4


def funnel_row(size: int, blocks_us: Sequence[float], again: int, spurious: int = 0, **more: Any) -> Json:
    """Of a funnel, one packet of each source at a time; a block is one event."""
    made = row(list(blocks_us), size, "round_us", mode="event", sources=SOURCES, processors=SOURCES + 1)
    middle = sorted(blocks_us)[len(blocks_us) // 2]
    counts = {"retransmitted": again, "spurious": spurious}
    figures = {"throughput_MBps": SOURCES * size / middle, "steps": len(blocks_us), "connections": counts}
    return {**made, **figures, "synchronised_bytes": SOURCES * size, **more}


def kept(*rows: Json, **about: Any) -> list[Row]:
    made = {**document(list(rows), "funnel"), "technology": "tcp", **about}
    return rows_of([Document(Path("funnel.json"), made)]).kept


CLEAN = [funnel_row(size, [size / 1000] * 5, 2, 2) for size in (1000, 2000)]
LOSSY = [funnel_row(3000, [3, 3, 3, 3, 18], 7, 1), funnel_row(4000, [4] * 5, 10)]


class Onset(unittest.TestCase):
    def test_is_the_least_size_from_which_on_all_lose(self) -> None:
        (sweep,) = sweeps_of(kept(*CLEAN, *LOSSY))
        self.assertEqual((sweep.clean_bytes, sweep.onset_bytes), (8000, 12000))

    def test_does_not_count_losses_that_larger_sizes_do_not_have(self) -> None:
        early = funnel_row(500, [0.5] * 5, 3)
        (sweep,) = sweeps_of(kept(early, *CLEAN, *LOSSY))
        self.assertEqual(sweep.onset_bytes, 12000)

    def test_is_unknown_where_the_largest_size_loses_nothing(self) -> None:
        rows = kept(*CLEAN, funnel_row(3000, [3] * 5, 4, 4))
        (sweep,) = sweeps_of(rows)
        self.assertEqual((sweep.clean_bytes, sweep.onset_bytes), (12000, None))
        self.assertIsNone(incast_of(rows))
        self.assertEqual([one for one in gallery(rows) if one.name.startswith("incast")], [])

    def test_needs_counters_and_several_sizes(self) -> None:
        uncounted = [{key: value for key, value in one.items() if key != "connections"} for one in LOSSY]
        self.assertEqual(sweeps_of(kept(*CLEAN, *uncounted)), [])


class Goodput(unittest.TestCase):
    def test_is_over_all_events_and_not_that_of_the_median(self) -> None:
        (sweep,) = sweeps_of(kept(*CLEAN, *LOSSY))
        assert sweep.best and sweep.worst and sweep.worst.goodput
        self.assertEqual(sweep.worst.bytes, 12000)
        # 5 events of 4 packets of 3000 bytes in 30 us
        self.assertAlmostEqual(sweep.worst.goodput.value, 5 * 12000 / 30)
        self.assertAlmostEqual(sweep.kept_goodput or 0, 0.5)

    def test_beside_a_computing_task_is_that_of_the_row(self) -> None:
        """The throughput there follows from the mean."""
        beside = [{**one, "occupation": "both", "throughput_MBps": 2000.0} for one in (*CLEAN, *LOSSY)]
        (sweep,) = sweeps_of(kept(*beside))
        assert sweep.worst and sweep.worst.goodput
        self.assertEqual(sweep.worst.goodput.value, 2000.0)


class Sweeps(unittest.TestCase):
    def test_differ_in_their_burst(self) -> None:
        rows = [*CLEAN, *LOSSY]
        bursts = [{**one, "synchronised_bytes": 4 * one["synchronised_bytes"]} for one in rows]
        both = [
            Document(Path(f"{i}.json"), {**document(some, "funnel"), "technology": "tcp"})
            for i, some in enumerate((rows, bursts))
        ]
        found = sweeps_of(rows_of(both).kept)
        self.assertEqual(sorted(one.onset_bytes or 0 for one in found), [12000, 48000])


class Section(unittest.TestCase):
    def test_has_the_onset_over_the_buffer(self) -> None:
        section = incast_of(kept(*CLEAN, *LOSSY), 10000)
        assert section
        (line,) = section.lines
        self.assertEqual(dict(zip(section.heads, line.cells))["over the buffer"], "1.20")
        self.assertIn("10000 bytes", section.about)

    def test_has_pictures_in_units_of_the_buffer(self) -> None:
        made = {one.name: one for one in gallery(kept(*CLEAN, *LOSSY), buffer_bytes=10000)}
        for name in ("incast-goodput", "incast-p99", "incast-lost"):
            (line,) = made[name].lines
            self.assertEqual([point.x for point in line.points], [0.4, 0.8, 1.2, 1.6], name)


class Buffer(unittest.TestCase):
    def test_is_a_size_above_0(self) -> None:
        parser = argparse.ArgumentParser()
        report.add_arguments(parser)
        self.assertEqual(parser.parse_args(["run", "--port-buffer", "64KiB"]).port_buffer, 65536)
        for text, words in (("0", "holds nothing"), ("64 apples", "is not a size"), ("-1", "is not a size")):
            message = io.StringIO()
            with self.assertRaises(SystemExit) as ended, redirect_stderr(message):
                parser.parse_args(["run", f"--port-buffer={text}"])
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(words, message.getvalue())


if __name__ == "__main__":
    unittest.main()
