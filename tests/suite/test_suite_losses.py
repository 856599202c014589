#!/usr/bin/env python3
"""Losses at full buffers in predictions: where the rule applies, what it gives, and what is said where
it does not."""

from __future__ import annotations

import os
import shutil
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from stage import TOP

from combench.common import catalogue
from combench.predict.case import Case
from combench.predict.losses import Buffer, parse_buffer, predict_losses, refusal, withheld
from combench.predict.model import Setting
from combench.predict.prediction import Effort, predict
from combench.predict.table import MARKS, table

BUILD = Path(os.environ.get("builddir", TOP / "build")).resolve()
catalogue.look_in(BUILD)

# 12.5 MB/s; a sender spends 2 us on a message, which takes 20 us besides.
CALIBRATION = """%calibration 1
line overhead_us=2 latency_us=20 us_per_byte=0.08
"""
FUNNEL = Case("funnel", "event", (8,), 16384, window=1)
EFFORT = Effort(seeds=2, precision_pct=20, messages=20_000)


class Buffers(unittest.TestCase):
    def test_are_of_a_port_or_shared(self) -> None:
        self.assertEqual(parse_buffer("64KiB"), Buffer(65536))
        self.assertEqual(parse_buffer("1MB,shared:0.5"), Buffer(10**6, 0.5))
        for text in ("64KiB", "1MB,shared:0.5"):
            self.assertEqual(parse_buffer(parse_buffer(text).word), parse_buffer(text))

    def test_malformed_ones_are_refused(self) -> None:
        for text in ("", "0", "-1", "x", "1MB,", "1MB,shared:", "1MB,shared:0", "1MB,shared:nan"):
            with self.subTest(text), self.assertRaisesRegex(ValueError, "give 64KiB"):
                parse_buffer(text)
        with self.assertRaisesRegex(ValueError, "limits"):
            parse_buffer("1MB,shared:1e9")

    def test_a_queue_may_hold_alpha_times_what_is_free(self) -> None:
        self.assertEqual(Buffer(100).port_bytes, 100)
        self.assertEqual(Buffer(300, 0.5).port_bytes, 100)
        self.assertEqual(Buffer(300, 0.5).enough_bytes(100), 300)


class Losses(unittest.TestCase):
    def setUp(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="combench-losses-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        calibration = folder / "made-up.cal"
        calibration.write_text(CALIBRATION, encoding="ascii")
        self.setting = Setting(BUILD, calibration, words=("--share", "fifo"))

    def test_apply_to_tcp_only(self) -> None:
        self.assertIsNone(refusal(FUNNEL, self.setting, "tcp"))
        self.assertIn("not for mpi", str(refusal(FUNNEL, self.setting, "mpi")))
        self.assertIn("not for ofi", str(refusal(FUNNEL, self.setting, "ofi method=write")))
        self.assertIn("not known", str(refusal(FUNNEL, self.setting, None)))
        part = Case("alltoall", "round", (16,), 1000, shifts=3)
        self.assertIn("in part", str(refusal(part, self.setting, "tcp")))
        for words in (("--mode", "paper"), ("--background", "0.3")):
            setting = replace(self.setting, words=words)
            self.assertIn("background", str(refusal(FUNNEL, setting, "tcp")))

    def test_a_buffer_that_is_enough_drops_nothing_and_a_smaller_one_slows_the_funnel(self) -> None:
        found, known = predict_losses(FUNNEL, self.setting, EFFORT, 0, Buffer(40_000), "tcp")
        self.assertIsNotNone(found, known)
        assert found is not None
        self.assertGreater(known["dropped_pct"], 0)
        self.assertGreater(found.step_us, 1.02 * known["without_us"])
        # All but the source that sends.
        self.assertAlmostEqual(known["enough_bytes"], 7 * 16384, delta=0.1 * 7 * 16384)
        enough = Buffer(known["enough_bytes"])
        self.assertEqual(
            predict_losses(FUNNEL, self.setting, EFFORT, 0, enough, "tcp"),
            (None, {"enough_bytes": enough.size_bytes, "dropped_pct": 0.0}),
        )
        without = predict(FUNNEL, self.setting, EFFORT).step_us
        self.assertAlmostEqual(known["without_us"] / without, 1, delta=0.05)

    def test_what_takes_too_long_to_evaluate_has_the_losses_of_a_shorter_time(self) -> None:
        few = replace(EFFORT, messages=2000)
        found, known = predict_losses(FUNNEL, self.setting, few, 0, Buffer(40_000), "tcp")
        self.assertIsNotNone(found, known)
        assert found is not None
        self.assertIn("2 s", found.cuts[-1])
        self.assertGreater(known["dropped_pct"], 0)
        self.assertGreater(found.step_us, 1.02 * known["without_us"])

    def test_a_figure_without_losses_is_not_printed_where_frames_are_dropped(self) -> None:
        self.assertIsNone(withheld({"enough_bytes": 2000, "dropped_pct": 1.0}, Buffer(1000)))
        self.assertIsNone(withheld({"why": "x"}, Buffer(1000)))
        self.assertIsNone(withheld({"enough_bytes": 1000, "why": "x"}, Buffer(1000)))
        reason = str(withheld({"enough_bytes": 2000, "why": "too long"}, Buffer(1000)))
        for text in ("buffer of 1000 bytes", "2000 bytes would be enough", "too long"):
            self.assertIn(text, reason)

    def test_what_the_model_refuses_is_said(self) -> None:
        setting = replace(self.setting, network="fattree:levels=2,radix=8")
        found, known = predict_losses(FUNNEL, setting, EFFORT, 0, Buffer(40_000, 1), "tcp")
        self.assertIsNone(found)
        self.assertIn("crossbar", known["why"])

    def test_marks_tell_figures_with_losses_from_those_without(self) -> None:
        small = {"dropped_pct": 0, "enough_bytes": 2, "buffer_bytes": 1}
        cases = (({"why": "x"}, "i"), ({"dropped_pct": 1.0}, "l"), ({"dropped_pct": 0}, ""), (small, "l"))
        for incast, expected in cases:
            marks = "".join(mark for mark, holds, _ in MARKS if mark in "il" and holds({"incast": incast}))
            self.assertEqual(marks, expected)

    def test_a_farm_that_does_not_reach_its_offered_rate_is_not_called_unsaturated(self) -> None:
        row = {
            "benchmark": "pushfarm", "id": "2.1", "mode": "open", "sources": 64, "destinations": 128,
            "processors": 193, "size_bytes": 4096, "multicast": "loop", "in_flight_limit": 512,
            "offered_Hz": 40000.0, "frequency_Hz": 854.0, "throughput_MBps": 224.0, "saturated": True,
            "latency_us": {"median": 9.0, "min": 9.0, "max": 9.0}, "knee_Hz": 50000.0, "outside": [],
            "limit": {"text": "a link", "used_pct": 2.0, "limits": False},
            "simulated": {"time_us": 2e6, "steps": 2000, "seeds": 3},
        }  # fmt: skip
        losses = {"bytes": 10**6, "buffer_bytes": 10**5, "enough_bytes": 3 * 10**5, "dropped_pct": 1.0}
        losses |= {"timeouts_per_step": 0.1, "without_us": 8.0}
        document = {"calibration": {"from": ["a"]}, "network": "crossbar", "left_out": []}
        for added, said in (
            ({"incast": losses}, "854 Hz, limited by losses at a full buffer; 300000 bytes would be enough"),
            ({}, "854 Hz, saturated; saturates first: a link"),
            ({"saturated": False}, "854 Hz, not saturated; saturates first: a link"),
        ):
            with self.subTest(said):
                self.assertIn(said, table({**document, "results": [{**row, **added}]}))


if __name__ == "__main__":
    unittest.main()
