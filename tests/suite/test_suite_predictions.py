#!/usr/bin/env python3
"""Predictions: what figures are made of steps, which cases are made of results, what comes out where
it can be said beforehand, and what is said to wrong input."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any, Sequence

from stage import LIMIT_S, TOP, heed_signals, thorough

from combench import main as driver
from combench.common import catalogue, programs, values
from combench.common.errors import SuiteError
from combench.common.inference import interval_pct
from combench.predict import cases, columns, ending
from combench.predict.calibration import measured_sizes
from combench.predict.case import Case
from combench.predict.emission import Emissions, words
from combench.predict.model import Setting
from combench.predict.prediction import Effort, cut_steps, predict, whole_content
from combench.predict.processes import Processes

BUILD = Path(os.environ.get("builddir", TOP / "build")).resolve()
Json = dict[str, Any]
catalogue.look_in(BUILD)

# A sender spends 2 us on a message, which takes 3 us besides and 1 us for 100 bytes.
CALIBRATION = """%calibration 1
line overhead_us=2 latency_us=3 us_per_byte=0.01
eager_bytes 1MiB
# 0 to 4096 bytes: as it was made up for this test
"""


def oneway_rows() -> list[Json]:
    """Half round trips of 5 us and 0.01 us a byte."""
    sizes = [0, 64, 256, 1024, 4096, 16384]
    return [
        {
            "size_bytes": size,
            "processors": 2,
            "mode": "pingpong",
            "occupation": "none",
            "oversubscribed": False,
            "latency_us": {"median": us, "ci95": [us, us], "min": us, "max": us},
        }
        for size, us in ((size, 5 + 0.01 * size) for size in sizes)
    ]


def result(benchmark: str, number: str, rows: list[Json], technology: str = "tcp") -> Json:
    return {
        "schema": "combench-result/1",
        "benchmark": benchmark,
        "id": number,
        "technology": technology,
        "started": "2026-11-21T10:15:30Z",
        "elapsed_s": 1,
        "complete": True,
        "command": ["cb"],
        "parameters": {},
        "environment": {},
        "results": rows,
        "skipped": [],
        "fit": [],
    }


FARM_ROW: Json = {
    "size_bytes": 100,
    "processors": 5,
    "sources": 2,
    "destinations": 2,
    "mode": "open",
    "algorithm_us": 50,
    "in_flight_limit": 8,
    "offered_Hz": 1000,
    "oversubscribed": False,
    "round_us": {"median": 1000, "min": 999, "max": 1001},
}


class Figures(unittest.TestCase):
    def test_are_those_of_the_methodology(self) -> None:
        # A step of 10 us with 100 bytes: the frequency in Hz, and the payload in MB/s.
        expected = {
            Case("oneway", "pingpong", (2,), 100): (2e5, 20),
            Case("oneway", "stream", (2,), 100): (1e5, 10),
            Case("twoway", "exchange", (2,), 100): (1e5, 20),
            Case("alltoall", "round", (4,), 100): (1e5, 120),
            Case("pairs", "stream", (6,), 100): (3e5, 30),
            Case("outfarm", "round", (7,), 100): (1e5, 70),
            Case("multicast", "stream", (7,), 100): (1e5, 70),
            Case("funnel", "free", (5,), 100): (1e5, 50),
            Case("pushfarm", "closed", (4, 2), 100): (1e5, 40),
            Case("pipeline", "event", (9, 3, 1), 100): (1e5, 30),
        }
        for case, (frequency_hz, throughput) in expected.items():
            with self.subTest(case.benchmark):
                row = columns.of_steps(case, [9.0, 10.0, 12.0])
                self.assertAlmostEqual(row["frequency_Hz"], frequency_hz)
                self.assertAlmostEqual(row["throughput_MBps"], throughput)

    def test_have_the_range_of_the_seeds(self) -> None:
        row = columns.of_steps(Case("oneway", "pingpong", (2,), 0), [8.0, 10.0, 20.0])
        self.assertEqual(row["latency_us"], {"median": 5.0, "min": 4.0, "max": 10.0})
        self.assertEqual(row["frequency_range_Hz"], [1e5, 2.5e5])

    def test_name_the_role_of_a_rank(self) -> None:
        farm = Case("pushfarm", "closed", (4, 2), 0)
        self.assertEqual(columns.role_of(farm, 4), ("source", 1))
        self.assertEqual(columns.role_of(farm, 5), ("destination", 5))
        self.assertEqual(columns.role_of(Case("pipeline", "event", (4, 2, 1), 0), 6)[0], "stage 2")

    def test_know_the_interval_of_a_mean(self) -> None:
        self.assertIsNone(interval_pct([1.0]))
        self.assertEqual(interval_pct([3.0, 3.0, 3.0]), 0)
        # Standard deviation 1, three values: 4.303 / sqrt(3) of a mean of 10.
        self.assertAlmostEqual(interval_pct([9.0, 10.0, 11.0]) or 0, 24.84, places=2)


class Cases(unittest.TestCase):
    def test_of_a_farms_row_have_its_rate_and_its_limit(self) -> None:
        one = cases.of_row(result("pullfarm", "2.2", []), FARM_ROW)
        self.assertEqual(one.case, Case("pullfarm", "closed", (2, 2), 100, 50, in_flight=8))
        self.assertEqual((one.rate_hz, one.measured_us), (1000, 1000))

    def test_have_the_window_and_the_blocks_of_their_row(self) -> None:
        row = {"size_bytes": 8, "processors": 3, "topology": "1-1-1", "mode": "event"}
        row |= {"window": 2, "steps": 640, "blocks": 20}
        one = cases.of_row(result("pipeline", "2.3", []), row)
        self.assertEqual((one.case.window, one.block_steps), (2, 32))

    def test_of_what_the_model_has_not_are_none(self) -> None:
        row = {"size_bytes": 0, "processors": 3, "destinations": 2, "mode": "stream"}
        for added in ({"occupation": "both"}, {"list": "new"}, {"mode": "unknown"}):
            with self.subTest(added), self.assertRaises(cases.NotPredicted):
                cases.of_row(result("multicast", "1.6", []), {**row, **added})

    def test_of_a_changing_list_have_all_its_candidates(self) -> None:
        row = {"size_bytes": 0, "processors": 9, "destinations": 4, "mode": "stream"}
        row |= {"list": "rotate", "multicast": "loop"}
        for added in ({}, {"candidates": 8}):  # older documents have only the processors
            case = cases.of_row(result("multicast", "1.6", []), {**row, **added}).case
            self.assertEqual((case.list_kind, case.shape, case.packets), ("rotate", (1, 8), 4))
            self.assertIn("--list rotate", " ".join(words(case)))
            self.assertIn("--trace-ranks 9", " ".join(words(case)))
            made = columns.of_case(case)
            self.assertEqual((made["list"], made["candidates"]), ("rotate", 8))

    def test_of_several_sending_threads_are_none(self) -> None:
        row = {"size_bytes": 64, "processors": 2, "mode": "stream"}
        self.assertEqual(cases.of_row(result("pairs", "1.4", []), row).case.benchmark, "pairs")
        with self.assertRaisesRegex(cases.NotPredicted, "one sending thread"):
            cases.of_row(result("pairs", "1.4", []), {**row, "threads": 2})

    def test_of_varying_fragments_have_their_specification(self) -> None:
        row = {"size_bytes": 2000, "processors": 5, "sources": 2, "destinations": 2, "mode": "closed"}
        row |= {"fragments": "gamma:2000,2", "correlation": 0.5, "algorithm_us": 0, "in_flight_limit": 4}
        document = result("pushfarm", "2.1", [row])
        document["parameters"] = {"seed": 7, "fragments": "gamma:2000,2", "correlation": 0.5}
        case = cases.of_row(document, row).case
        given = words(case)
        self.assertNotIn("--sizes", given)
        for name, value in (("fragments", "gamma:2000,2"), ("correlation", "0.5"), ("seed", "7")):
            self.assertEqual(given[given.index(f"--{name}") + 1], value)
        self.assertEqual(columns.of_case(case)["fragments"], "gamma:2000,2")
        for name in ("/etc/passwd", "/dev/zero", "../sizes", "not-here"):
            with self.assertRaisesRegex(cases.NotPredicted, "is not in the current folder"):
                cases.of_row(document, {**row, "fragments": f"file:{name}"})
        self.assertNotEqual(case, replace(case, seed=8))

    def test_of_a_row_that_was_cut_are_none(self) -> None:
        with self.assertRaisesRegex(cases.NotPredicted, "no destinations"):
            row = {"size_bytes": 0, "processors": 3, "mode": "stream"}
            cases.of_row(result("outfarm", "1.5", []), row)

    def test_that_were_measured_twice_are_one(self) -> None:
        twice = [result("pullfarm", "2.2", [FARM_ROW]), result("pullfarm", "2.2", [FARM_ROW])]
        self.assertEqual(len(cases.of_documents(twice).asked), 1)

    def test_tell_sources_as_the_measured_technology_does(self) -> None:
        for technology, way in (("mpi", "tree"), ("udp", "technology"), (None, "technology")):
            asked = cases.Wanted(sizes=(64,), supervisors=("loop", "technology"))
            self.assertEqual(cases.told_by(asked, technology).supervisors, ("loop", way), technology)

    def test_of_a_farm_that_fetches_a_part_have_the_packets_of_that_part(self) -> None:
        wanted = cases.Wanted(
            sizes=(64,), benchmarks=("pullfarm", "pushfarm"), farms=((40, 4),), fetch="0.25"
        )
        by_name = {
            one.case.benchmark: one.case for one in cases.wanted_cases(wanted, lambda *of: 4)
        }
        self.assertEqual(by_name["pullfarm"].packets, 10)
        self.assertEqual(columns.of_case(by_name["pullfarm"])["fetched"], 10)
        self.assertEqual(by_name["pushfarm"].packets, 40)
        self.assertIn("--fetch", words(by_name["pullfarm"]))
        with self.assertRaisesRegex(SuiteError, "only 40"):
            list(cases.wanted_cases(replace(wanted, fetch="41"), lambda *of: 4))

    def test_of_a_farm_with_two_steps_have_the_mean_packets_of_both(self) -> None:
        wanted = cases.Wanted(
            sizes=(64,), benchmarks=("pullfarm", "pushfarm"), farms=((40, 4),), fetch="10", accept=0.2
        )
        by_name = {
            one.case.benchmark: one.case for one in cases.wanted_cases(wanted, lambda *of: 4)
        }
        self.assertAlmostEqual(by_name["pullfarm"].packets, 10 + 0.2 * 30)
        self.assertEqual(columns.of_case(by_name["pullfarm"])["accept"], 0.2)
        self.assertIn("--accept", words(by_name["pullfarm"]))
        self.assertIsNone(by_name["pushfarm"].accept)
        with self.assertRaisesRegex(SuiteError, "--accept: .* use --fetch with fewer"):
            list(cases.wanted_cases(replace(wanted, fetch="all"), lambda *of: 4))
        measured = {**FARM_ROW, "sources": 4, "fetched": 1, "accept": 0.5}
        self.assertEqual(cases.of_row(result("pullfarm", "2.2", []), measured).case.accept, 0.5)
        for text in ("1.5", "-0.1", "half", ""):
            with self.assertRaises(ValueError):
                values.share(text)
        self.assertEqual([values.share(text) for text in ("0", "0.25", ".5", "1")], [0, 0.25, 0.5, 1])

    def test_of_two_steps_draw_other_events_with_each_seed(self) -> None:
        emissions = Emissions(BUILD, Processes())
        case = Case("pullfarm", "closed", (4, 2), 64, in_flight=4, fetched=1, accept=0.5)
        one, other = (emissions.trace(replace(case, seed=seed), 40) for seed in (1, 2))
        self.assertNotEqual(one, other)
        self.assertEqual(one, emissions.trace(case, 40))

    def test_of_a_multicast_ask_all_sources(self) -> None:
        wanted = cases.Wanted(
            sizes=(64,), benchmarks=("pullfarm",), farms=((8, 2),), supervisors=("loop", "tree")
        )
        for fetch in ("all", "8"):
            asked = cases.wanted_cases(replace(wanted, fetch=fetch), lambda *of: 4)
            self.assertEqual([one.case.multicast for one in asked], ["loop", "tree"], fetch)
        with self.assertRaisesRegex(SuiteError, "--fetch: .* use --supervisor loop"):
            list(cases.wanted_cases(replace(wanted, fetch="3"), lambda *of: 4))
        loop = replace(wanted, fetch="3", supervisors=("loop",))
        self.assertEqual(len(list(cases.wanted_cases(loop, lambda *of: 4))), 1)

    def test_the_number_of_fetched_sources_is_that_of_the_programs(self) -> None:
        for text, sources, fetched in (("all", 7, 7), ("3", 7, 3), ("0.5", 7, 4), (".1", 4, 1)):
            self.assertEqual(values.fetched(values.fetch(text), sources), fetched)
        for text in ("0", "1.5", "-1", "0.0", "some", ""):
            with self.assertRaises(ValueError):
                values.fetch(text)

    def test_at_a_scale_are_of_all_benchmarks(self) -> None:
        wanted = cases.Wanted(scales=(100,), sizes=(64,))
        asked = list(cases.wanted_cases(wanted, lambda sources, destinations: 7))
        self.assertEqual(len({one.case.benchmark for one in asked}), 10)
        farms = [one.case for one in asked if one.case.benchmark == "pullfarm"]
        self.assertEqual([(farm.shape, farm.in_flight) for farm in farms], [((1, 100, 100), 7)])

    def incast_bytes(self, case: Case, window_bytes: int = 1 << 20) -> int:
        emissions = Emissions(BUILD, Processes())
        content = whole_content(cut_steps(case, Effort(messages=40000)), emissions)
        return cases.incast_bytes(case, content, window_bytes)

    def test_have_incast_where_many_send_to_one(self) -> None:
        funnel = Case("funnel", "free", (16,), 1000)
        self.assertEqual(self.incast_bytes(funnel), 16 * 64 * 1000)
        self.assertEqual(self.incast_bytes(funnel, 4096), 16 * 4096)
        farm = Case("pushfarm", "closed", (10, 4), 500, in_flight=9)
        self.assertEqual(self.incast_bytes(farm), 10 * 3 * 500)
        self.assertEqual(self.incast_bytes(Case("pairs", "stream", (18,), 500)), 0)
        self.assertEqual(self.incast_bytes(Case("pipeline", "event", (8, 4, 1), 10)), 4 * 64 * 10)

    def test_have_the_incast_of_a_whole_round_where_a_part_is_evaluated(self) -> None:
        self.assertEqual(self.incast_bytes(Case("alltoall", "round", (101,), 500)), 100 * 500)

    def test_lie_outside_of_what_was_measured(self) -> None:
        case = Case("twoway", "exchange", (2,), 5000)
        self.assertEqual(cases.outside(case, (0, 4096), 2), ["size"])
        self.assertEqual(cases.outside(case, (0, 8192), 1), ["processors"])
        self.assertEqual(cases.outside(case, None, 2), [])

    def test_have_the_sizes_of_a_calibration_from_its_comments(self) -> None:
        text = "# 0 to 128 bytes: 1 us\n# 256 to 65536 bytes: 2 us\n"
        self.assertEqual(measured_sizes(text), (0, 65536))
        self.assertIsNone(measured_sizes("%calibration 1\n"))


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-predictions-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.calibration = self.folder / "made-up.cal"
        self.calibration.write_text(CALIBRATION, encoding="ascii")
        self.setting = Setting(BUILD, self.calibration)

    def write(self, name: str, document: Json | str) -> str:
        path = self.folder / name
        text = document if isinstance(document, str) else json.dumps(document)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def predict(self, *words: str, expect: int) -> subprocess.CompletedProcess[str]:
        return self.drive("predict", *words, expect=expect)

    def drive(self, verb: str, *words: str, expect: int) -> subprocess.CompletedProcess[str]:
        """To its end, in this process and this folder: most of the time of one of its own is spent on imports."""
        command = [verb, *words, *(() if "--programs" in words else ("--programs", str(BUILD)))]
        said, printed, before = io.StringIO(), io.StringIO(), os.getcwd()
        self.addCleanup(catalogue.look_in, BUILD)
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(printed):
                status = driver.main(command)
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            os.chdir(before)
        self.assertEqual(status, expect, printed.getvalue() + said.getvalue())
        return subprocess.CompletedProcess(command, status, printed.getvalue(), said.getvalue())


class WhatIsKnownBeforehand(Folder):
    """With the calibration of this test."""

    def step_us(self, case: Case, rate_hz: float = 0) -> float:
        return predict(case, self.setting, Effort(), rate_hz).step_us

    def test_a_half_round_trip_is_the_quiet_time(self) -> None:
        self.assertAlmostEqual(self.step_us(Case("oneway", "pingpong", (2,), 100)) / 2, 6)

    def test_a_stream_is_as_fast_as_its_sender(self) -> None:
        self.assertAlmostEqual(self.step_us(Case("oneway", "stream", (2,), 100)), 2, places=1)

    def test_a_stream_of_large_packets_is_as_fast_as_its_link(self) -> None:
        self.assertAlmostEqual(self.step_us(Case("oneway", "stream", (2,), 1000)), 10, places=1)

    def test_a_funnel_is_as_fast_as_the_link_of_its_destination(self) -> None:
        found = predict(Case("funnel", "event", (8,), 1000), self.setting)
        self.assertAlmostEqual(found.step_us, 80, delta=0.5)
        self.assertIn("destination (rank 0)", found.limit.text if found.limit else "")
        self.assertGreater(found.used, 0.99)

    def test_a_funnel_of_varying_fragments_takes_the_time_of_their_mean(self) -> None:
        case = Case("funnel", "event", (8,), 1000, fragments="uniform:500-1500")
        # Of some hundred events of eight fragments, which deviate by 290 bytes.
        self.assertAlmostEqual(predict(case, self.setting).step_us, 80, delta=3)

    def test_a_block_of_a_stream_ends_with_its_last_acknowledgement(self) -> None:
        case = Case("oneway", "stream", (2,), 1000)
        found = predict(case, self.setting, block_steps=4)
        # The first packet's whole way, three times its link, and the way of a message of 0 bytes.
        self.assertAlmostEqual(found.step_us, (15 + 3 * 10 + 5) / 4, delta=0.1)
        self.assertEqual(found.steps % 4, 0)

    def test_a_funnel_in_blocks_releases_its_sources_in_each(self) -> None:
        case = Case("funnel", "event", (8,), 1000)
        found = predict(case, self.setting, block_steps=1)
        # To release the last one costs eight sends, and as many told the end of the block before.
        self.assertGreater(found.step_us, 80 + 5 + 2)
        self.assertLess(found.step_us, 80 + 2 * 8 * 2 + 2 * 5)

    def test_a_round_is_the_same_in_blocks(self) -> None:
        case = Case("alltoall", "round", (4,), 1000)
        found = predict(case, self.setting, block_steps=1)
        self.assertAlmostEqual(found.step_us, self.step_us(case))

    def test_turns_of_event_building_overlap_except_at_the_end_of_a_block(self) -> None:
        case = Case("evb", "closed", (6,), 1000, own=("--schedule", "none"))
        effort = Effort(seeds=3, precision_pct=5)
        alone, several, whole = (
            predict(case, self.setting, effort, block_steps=steps) for steps in (1, 8, 0)
        )
        self.assertLess(several.step_us, 0.95 * alone.step_us)
        self.assertLess(whole.step_us, 0.95 * alone.step_us)

    def test_turns_of_event_building_have_another_order_with_each_seed(self) -> None:
        case = Case("evb", "closed", (6,), 100_000, own=("--schedule", "none"))
        found = predict(case, self.setting, Effort(seeds=3, precision_pct=100))
        self.assertGreater(max(found.steps_us), 1.001 * min(found.steps_us))
        emissions = self.setting.emissions
        drawn = [replace(case, seed=seed) for seed in (1, 2)]
        self.assertNotEqual(*(emissions.trace(one, 8) for one in drawn))
        self.assertEqual(emissions.trace(case, 8), emissions.trace(drawn[0], 8))

    def test_fewer_turns_are_evaluated_where_one_has_many_messages(self) -> None:
        case = Case("evb", "closed", (6,), 1000, own=("--schedule", "shift"))
        whole = predict(case, self.setting, Effort(seeds=1))
        of_turn = 3 * 6 * 5  # a grant, the message and its acknowledgement
        part = predict(case, self.setting, Effort(seeds=1, messages=8 * of_turn))
        self.assertEqual((part.steps, part.messages), (4, (2 + 2 + 4) * of_turn))
        self.assertAlmostEqual(part.step_us / whole.step_us, 1, delta=0.02)
        self.assertIn("4 turns after the first 2", part.cuts[0])
        with self.assertRaisesRegex(SuiteError, f"needs {4 * of_turn} messages.*the processors"):
            predict(case, self.setting, Effort(seeds=1, messages=3 * of_turn))

    def test_a_farm_with_an_algorithm_is_limited_by_its_destinations(self) -> None:
        found = predict(Case("pushfarm", "closed", (4, 2), 16, 50, in_flight=8), self.setting)
        # Four packets and the decision, in each of two destinations.
        self.assertAlmostEqual(found.step_us, (4 * 50 + 2) / 2, delta=0.5)
        self.assertEqual(found.limit.place.kind if found.limit else "", "processor")
        self.assertTrue(found.row()["limit"]["limits"])

    def test_a_supervisor_that_tells_each_source_limits_a_farm(self) -> None:
        case = Case("pushfarm", "closed", (30, 30), 16, in_flight=60)
        found = predict(case, self.setting, Effort(), rate_hz=100e3)
        self.assertAlmostEqual(found.step_us, 30 * 2, delta=0.5)
        self.assertIn("supervisor (rank 0)", found.limit.text if found.limit else "")
        self.assertTrue(found.row()["saturated"])

    def test_with_multicast_the_same_farm_holds_its_rate(self) -> None:
        case = Case("pushfarm", "closed", (30, 30), 16, in_flight=60, multicast="technology")
        row = predict(case, self.setting, Effort(), rate_hz=100e3).row()
        self.assertAlmostEqual(row["frequency_Hz"], 100e3, delta=500)
        self.assertFalse(row["saturated"])
        self.assertEqual(row["mode"], "open")
        # Two microseconds for a multicast; the decisions of 16 bytes take less.
        self.assertAlmostEqual(row["knee_Hz"], 5e5, delta=1e4)

    def test_a_crowded_farm_keeps_its_knee(self) -> None:
        """Where its supervisor is paced for the sake of the evaluation."""
        case = Case("pushfarm", "closed", (20, 20), 1000, in_flight=1200, multicast="technology")
        found = predict(case, self.setting, Effort(seeds=1))
        self.assertTrue(found.cuts)
        # Each source sends 10 us for an event.
        self.assertAlmostEqual(found.step_us, 10, delta=0.3)

    def test_a_part_of_a_round_takes_its_part_of_the_time(self) -> None:
        effort = Effort(seeds=1, messages=40 * 4 * 64)
        found = predict(Case("alltoall", "round", (40,), 1000), self.setting, effort)
        self.assertEqual(found.case.shifts, 8)
        self.assertAlmostEqual(found.step_us, 39 * 10, delta=39)

    def test_a_part_of_a_round_has_once_what_a_round_has_once(self) -> None:
        """The way of the last message, which is a fifth of the time of eight small ones."""
        case = Case("alltoall", "round", (40,), 100)
        part = predict(case, self.setting, Effort(seeds=1, messages=40 * 4 * 64))
        whole = predict(case, self.setting, Effort(seeds=1))
        self.assertEqual((part.case.shifts, whole.case.shifts), (8, 0))
        self.assertAlmostEqual(part.step_us / whole.step_us, 1, delta=0.03)

    def test_what_is_too_large_says_so(self) -> None:
        case = Case("pushfarm", "closed", (1000, 1000), 16, in_flight=1000)
        with self.assertRaisesRegex(SuiteError, "--messages"):
            predict(case, self.setting, Effort(messages=100000))

    @thorough
    def test_a_window_of_multicasts_to_thousands_is_as_fast_as_their_links(self) -> None:
        """Which are slower than the sender, so that all of the window waits at each."""
        case = Case("multicast", "stream", (2000,), 100, multicast="technology")
        setting = replace(self.setting, words=("--gap-us", "6"))
        found = predict(case, setting, Effort(seeds=1))
        # Acknowledgements of half a window come to the source's link: 2000 of 6 us.
        self.assertAlmostEqual(found.step_us, 2000 * 6 / 32, delta=10)
        self.assertIn("source (rank 0)", found.limit.text if found.limit else "")


# What is wrong: the words, and a part of what is said. Names are files of the test.
WRONG = {
    "nothing to calibrate with": ((), "name results"),
    "no such directory": (("nowhere",), "nowhere"),
    "no results in it": ((".",), "there are no results"),
    "results without a calibration": (("farm.json",), "no measurement of cb_calibrate"),
    "a result that is cut off": (("cut.json",), "cut off or damaged"),
    "a newer result": (("newer.json",), "combench-result/2"),
    "several technologies": (("oneway.json", "sci.json"), "--technology"),
    "several settings of a technology": (
        ("message.json", "write.json"),
        "'ofi method=message' and 'ofi method=write'",
    ),
    "the remedy for several settings": (
        ("message.json", "write.json", "--technology", "ofi"),
        "select it with --technology 'ofi method=write'",
    ),
    "settings that are not there": (
        ("message.json", "--technology", "ofi method=write"),
        "with method=write, only with method=message",
    ),
    "a technology that is not there": (("oneway.json", "--technology", "sci"), "over sci"),
    "nothing left": (("oneway.json", "--benchmarks", "funnel"), "give numbers with --scale"),
    "no such calibration": (("--calibration", "none", "--scale", "4"), "none"),
    "a calibration that is none": (("--calibration", "cut.json", "--scale", "4"), "cut.json"),
    "a residual of what is fitted": (
        ("--calibration", "none", "--scale", "4", "--residual-pct", "50"),
        "remove one of them",
    ),
    "an unknown benchmark": (("oneway.json", "--benchmarks", "onway"), "is no benchmark"),
    "a farm without destinations": (("oneway.json", "--farm", "4x0"), "is not a farm"),
    "an impossible shape": (("oneway.json", "--topology", "4-3-1"), "does not divide"),
    "a scale of one": (("oneway.json", "--scale", "1"), "from 2"),
    "a rate of nothing": (("oneway.json", "--rate", "0kHz"), "is not a rate"),
    "a network too small": (
        ("oneway.json", "--scale", "9", "--benchmarks", "funnel", "--network", "crossbar:4"),
        "has 4 nodes",
    ),
    "an unknown rule of sharing": (("oneway.json", "--share", "best"), "--share: invalid choice"),
    "output to nowhere": (("oneway.json", "--output", "none/p.json"), "none/p.json"),
}

# What no case can be predicted with: the words, and parts of the one line that is said.
WRONG_FOR_ALL = {
    "an unknown network": (("--network", "ring"), ("--network ring", "crossbar[:NODES]")),
    "a network with an unknown parameter": (
        ("--network", "fattree:leafs=3"),
        ("--network fattree:leafs=3", "'leafs'", "levels=L"),
    ),
    "no such topology": (("--network", "file:none"), ("--network file:none", "No such file")),
    "a network with one node": (("--network", "crossbar:1"), ("--network crossbar:1", "larger")),
    "a line without its rate": (("--calibration", "short.cal"), ("--calibration short.cal", ":2:")),
}
WRONG_LOADS = (
    (("--background", "1.5"), ("--background 1.5", "exp:0.3")),
    (("--background-interval", "often"), ("--background-interval often", "evaluation")),
)


class WrongInput(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.write("short.cal", "%calibration 1\nline overhead_us=2 latency_us=3\n")
        self.write("oneway.json", result("oneway", "1.1", oneway_rows()))
        self.write("sci.json", result("oneway", "1.1", oneway_rows(), "sci"))
        for method in ("message", "write"):
            document = result("oneway", "1.1", oneway_rows(), "ofi")
            document["parameters"] = {"parameter": f"method={method}"}
            self.write(f"{method}.json", document)
        self.write("farm.json", result("pullfarm", "2.2", [FARM_ROW]))
        self.write("cut.json", '{"schema": "combench-res')
        self.write("newer.json", {"schema": "combench-result/2", "results": []})

    def refused(self, verb: str, *words: str) -> str:
        """What the driver says on stderr alone."""
        ended = self.drive(verb, *words, expect=2)
        self.assertEqual(ended.stdout, "")
        return ended.stderr

    def test_is_refused_with_status_2_and_a_remedy(self) -> None:
        for name, (words, said) in WRONG.items():
            if words == (".",):
                words = (tempfile.mkdtemp(dir=self.folder),)
            with self.subTest(name):
                self.assertIn(said, self.refused("predict", *words))

    def test_that_no_case_can_do_with_is_said_once_and_before_any(self) -> None:
        wrong = [(verb, *one) for verb in ("predict", "validate") for one in WRONG_FOR_ALL.values()]
        for verb, words, texts in [*wrong, *(("predict", *one) for one in WRONG_LOADS)]:
            with self.subTest(verb=verb, words=words):
                (line,) = self.refused(verb, "oneway.json", *words).splitlines()
                for text in texts:
                    self.assertIn(text, line)

    def test_is_found_before_the_results_are_read(self) -> None:
        words = ("--network", "moebius")
        said = self.refused("predict", "cut.json", *words)
        self.assertIn("--network moebius", said)
        self.assertNotIn("cut.json", said)

    def test_a_network_may_be_too_small_for_every_case(self) -> None:
        words = ("--network", "crossbar:3", "--benchmarks", "1.3", "--scale", "8")
        (line,) = self.refused("predict", "oneway.json", *words).splitlines()
        self.assertIn("--network crossbar:3", line)


def calibrate_rows(three: bool, shared: bool) -> list[Json]:
    """Of cb_calibrate: the quiet network of `oneway_rows`, a stream of 4 us a packet, and, of three
    ranks, flows from a node that share nothing. Rows of three may have shared cores."""
    rows = [{**row, "wait": {"requested": "auto", "effective": "yield"}} for row in oneway_rows()]
    flows = [("stream", 2, 4.0, 1)] + ([("fan-out", 3, 2.0, 2)] if three else [])
    for mode, processors, each_us, packets in flows:
        for row in oneway_rows()[:5]:
            quiet_us = row["latency_us"]["median"] + 5
            # A block of a hundred steps: its first packet and the last acknowledgement are alone.
            us = (quiet_us + (100 * packets - 1) * each_us) / 100
            figure = {"median": us, "ci95": [us, us], "min": us, "max": us}
            added = {"mode": mode, "processors": processors, "round_us": figure}
            single = {"p50": 1.0, "samples": 9, "dropped": 0}
            added |= {"steps": 1000, "blocks": 10, "step_us": single}
            added["oversubscribed"] = shared and processors == 3
            kept = {key: value for key, value in row.items() if key != "latency_us"}
            rows.append({**kept, "wait": {"effective": "yield"}, **added})
    return rows


class Foundations(Folder):
    """What a prediction says of the calibration that it made."""

    def rests_on(self, *documents: Json, more: Sequence[str] = ()) -> tuple[str, Json]:
        """The lines below the first one, and the document."""
        places = [self.write(f"{at}.json", one) for at, one in enumerate(documents)]
        words = ["--benchmarks", "1.1", "--scale", "2", "--sizes", "64", "--seeds", "1"]
        words += ["--output", "p.json", *more]
        ended = self.predict(*places, *words, expect=0)
        document: Json = json.loads((self.folder / "p.json").read_text("utf-8"))
        said = ended.stdout.split("\n\n")[0].split("\n")[1:]
        self.assertEqual(said, document["calibration"]["rests_on"])
        return "\n".join(said), document

    def test_are_those_of_cb_calibrate_where_it_was_measured(self) -> None:
        oneway = result("oneway", "1.1", oneway_rows())
        rows = calibrate_rows(three=True, shared=False)
        said, document = self.rests_on(oneway, result("calibrate", "calibration", rows))
        self.assertIn("calibrated with cb_calibrate", said)
        self.assertNotIn("refused", said)
        self.assertIn("out_contention 1", document["calibration"]["text"])
        self.assertIn("hold us=4", document["calibration"]["text"])

    def test_are_those_of_the_settings_that_are_selected(self) -> None:
        message, write = (result("oneway", "1.1", oneway_rows(), "ofi") for _ in range(2))
        message["parameters"] = {"parameter": "method=message,tx_depth=8"}
        write["parameters"] = {"parameter": "method=write"}
        for row in write["results"]:
            row["latency_us"] = {key: 1000 for key in ("median", "min", "max")}
            row["latency_us"]["ci95"] = [1000, 1000]
        more = ("--technology", "ofi method=message tx_depth=8")
        _, document = self.rests_on(message, write, more=more)
        (row,) = (row for row in document["results"] if row["mode"] == "pingpong")
        self.assertAlmostEqual(row["latency_us"]["median"], 5.64, delta=0.1)
        self.assertEqual(document["calibration"]["technology"], "ofi (method=message,tx_depth=8)")

    def launches(self) -> list[Json]:
        """Three launches of a calibration, the second one slowest and the third in the middle."""
        made = [result("calibrate", "calibration", calibrate_rows(three=True, shared=False)) for _ in range(3)]
        for document, factor in zip(made, (1.0, 1.2, 1.1)):
            for row in document["results"]:
                if "latency_us" in row:
                    row["latency_us"]["median"] *= factor
        return made

    def assert_middle_launch(self, said: str, document: Json, of: str) -> None:
        times_us = [5 + 0.01 * row["size_bytes"] for row in oneway_rows()]
        mean_us = math.prod(times_us) ** (1 / len(times_us))
        self.assertIn(f"the middle one of 3 launches, with {mean_us:.3g} to {1.2 * mean_us:.3g} us", said)
        self.assertEqual(document["calibration"]["from"], [str(self.folder / of)])
        (row,) = (row for row in document["results"] if row["mode"] == "pingpong")
        self.assertAlmostEqual(row["latency_us"]["median"], 1.1 * 5.64, delta=0.1)

    def test_are_the_middle_launch_of_several(self) -> None:
        said, document = self.rests_on(*self.launches())
        self.assert_middle_launch(said, document, "2.json")

    def test_are_all_launches_of_a_run(self) -> None:
        names = ("c.json", "launch-2/c.json", "launch-3/c.json")
        for name, launch in zip(names, self.launches()):
            (self.folder / "run/results" / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(f"run/results/{name}", launch)
        words = ["--benchmarks", "1.1", "--scale", "2", "--sizes", "64", "--seeds", "1", "--output", "p.json"]
        ended = self.predict(str(self.folder / "run"), *words, expect=0)
        document = json.loads((self.folder / "p.json").read_text("utf-8"))
        self.assert_middle_launch(ended.stdout, document, "run/results/launch-3/c.json")

    def test_need_times_above_zero(self) -> None:
        rows = calibrate_rows(three=True, shared=False)
        for row in rows:
            row.get("latency_us", {})["median"] = 0
        place = self.write("c.json", result("calibrate", "calibration", rows))
        words = ["--benchmarks", "1.1", "--scale", "2", "--sizes", "64", "--seeds", "1"]
        ended = self.predict(place, *words, expect=2)
        self.assertIn("cannot make a calibration of", ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)

    def test_are_half_of_it_for_two_ranks(self) -> None:
        rows = calibrate_rows(three=False, shared=False)
        said, _ = self.rests_on(result("calibrate", "calibration", rows))
        self.assertIn("needs three ranks", said)

    def test_refuse_what_was_measured_in_turns(self) -> None:
        rows = calibrate_rows(three=True, shared=True)
        said, document = self.rests_on(result("calibrate", "calibration", rows))
        self.assertIn("rejected: 5 rows", said)
        self.assertNotIn("out_contention", document["calibration"]["text"])

    def test_take_what_ranks_measured_that_slept(self) -> None:
        rows = calibrate_rows(three=True, shared=True)
        asleep = [{**row, "wait": {"effective": "block"}} for row in rows]
        said, document = self.rests_on(result("calibrate", "calibration", asleep))
        self.assertNotIn("refused", said)
        self.assertIn("out_contention 1", document["calibration"]["text"])

    def test_are_turns_where_there_is_nothing_else(self) -> None:
        shared = [{**row, "oversubscribed": True} for row in calibrate_rows(True, True)]
        said, _ = self.rests_on(result("calibrate", "calibration", shared))
        self.assertIn("caution: all rows were measured by polling", said)

    def test_may_miss_what_was_measured_where_that_is_allowed(self) -> None:
        rows = oneway_rows()[:3]
        for row, us in zip(rows, (1.0, 4.0, 2.0)):
            row["latency_us"] = {"median": us, "ci95": [us, us], "min": us, "max": us}
        jagged = result("oneway", "1.1", rows)
        ended = self.predict(self.write("jagged.json", jagged), expect=2)
        self.assertIn("no line describes the times", ended.stderr)
        said, _ = self.rests_on(jagged, more=("--residual-pct", "100"))
        self.assertIn("residuals up to 100 % (rms) were accepted", said)

    def test_are_the_lines_of_the_article_in_its_mode(self) -> None:
        rows = calibrate_rows(three=True, shared=False)
        measured = result("calibrate", "calibration", rows)
        _, document = self.rests_on(measured, more=("--mode", "paper"))
        text = document["calibration"]["text"]
        self.assertIn("# fit plain", text)
        self.assertNotIn("hold", text)
        _, document = self.rests_on(measured, more=("--mode", "split"))
        self.assertNotIn("# fit plain", document["calibration"]["text"])

    def test_are_less_of_cb_oneway(self) -> None:
        said, _ = self.rests_on(result("oneway", "1.1", oneway_rows()))
        self.assertIn("calibrated with cb_oneway only", said)
        self.assertIn("needs cb_calibrate", said)


class Words(Folder):
    """What the table says beside its rows."""

    def said(self, *words: str, hosts: int = 1, expect: int = 0) -> str:
        made = result("oneway", "1.1", oneway_rows())
        made["environment"] = {"hosts": [{"name": f"node{host}"} for host in range(hosts)]}
        place = self.write("oneway.json", made)
        small = ("--sizes", "64", "--seeds", "2")
        return self.predict(place, *small, *words, expect=expect).stdout

    def test_a_calibration_of_one_host_is_not_of_a_network(self) -> None:
        wanted = ("--benchmarks", "1.3", "--scale", "8")
        self.assertIn("caution: the calibration was measured on one host", self.said(*wanted))
        self.assertNotIn("caution", self.said(*wanted, hosts=2))
        self.assertNotIn("caution", self.said("--benchmarks", "1.1"))

    def test_what_the_network_chose_is_reported(self) -> None:
        said = self.said("--benchmarks", "1.3", "--scale", "8", "--network", "fattree")
        self.assertIn("network for up to 8 processors: fattree:levels=2,radix=4", said)

    def test_what_was_cut_is_reported_and_seeds_are_no_accuracy(self) -> None:
        wanted = ("--benchmarks", "1.3", "--scale", "200", "--messages", "20000")
        said = self.said(*wanted)
        self.assertIn("alltoall 200: 5 of the 199 messages of a node in a round", said)
        self.assertIn("it is not the error of the model", said)

    def test_too_few_points_name_the_program_that_has_them(self) -> None:
        place = self.write("oneway.json", result("oneway", "1.1", oneway_rows()[:2]))
        self.assertIn("run it with 3 ranks", self.predict(place, expect=2).stderr)


# A ccmod that does not end while a test waits; its number stands in a file of that name.
ENDLESS = """#!/bin/sh
: >"$MARKS/$$"
exec sleep 150
"""
# The same, but that it finds nothing wrong with what it is to look at beforehand.
ENDLESS_EVALUATION = ENDLESS.replace("\n", '\n[ "$2" != --check ] || exit 0\n', 1)


class Interruption(Folder):
    """Of a verb that waits for ccmod: in threads, or in its own when it makes a calibration."""

    def setUp(self) -> None:
        super().setUp()
        self.marks, self.temporary = self.folder / "marks", self.folder / "tmp"
        for folder in (self.marks, self.temporary):
            folder.mkdir()
        for name in ("ccmod", "cb_oneway"):  # the folder of programs is where the second one is
            self.write_program(name, ENDLESS_EVALUATION)
        self.write("oneway.json", result("oneway", "1.1", oneway_rows()))

    def write_program(self, name: str, text: str) -> None:
        Path(self.write(name, text)).chmod(0o755)

    def start(self, verb: str, words: Sequence[str]) -> subprocess.Popen[str]:
        driver = [sys.executable, str(TOP / "scripts" / "combench"), verb, *words]
        places = {"TMPDIR": str(self.temporary), "MARKS": str(self.marks)}
        places["CB_BUILD"] = str(BUILD)  # for benchmarks.json
        return subprocess.Popen(
            [*driver, "--programs", str(self.folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, **places},
            preexec_fn=heed_signals,
        )

    def await_evaluations(self, process: subprocess.Popen[str], count: int) -> list[int]:
        """The process ids, once that many processes exist."""
        deadline = time.monotonic() + LIMIT_S
        while len(list(self.marks.iterdir())) < count:
            self.assertIsNone(process.poll(), "the driver ended by itself")
            self.assertLess(time.monotonic(), deadline, "no program was started")
            time.sleep(0.01)
        return [int(mark.name) for mark in self.marks.iterdir()]

    def check(
        self, verb: str, words: Sequence[str], evaluations: int, number: int, folders: int = 1
    ) -> None:
        process = self.start(verb, words)
        self.addCleanup(process.kill)
        running = self.await_evaluations(process, evaluations)
        self.assertEqual(len(list(self.temporary.iterdir())), folders)
        process.send_signal(number)
        said, errors = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn(f"terminated by {signal.Signals(number).name}", errors)
        self.assertNotIn("Traceback", errors)
        self.assertNotIn("left out", errors)
        self.assertEqual(said, "")
        self.assertEqual(list(self.temporary.iterdir()), [])
        for one in running:
            self.assertFalse(Path(f"/proc/{one}").exists(), f"ccmod {one} still runs")

    def test_of_a_prediction_leaves_neither_folder_nor_process(self) -> None:
        words = ["--calibration", str(self.calibration), "--scale", "4", "--sizes", "64"]
        words += ["--jobs", "2"]
        self.check("predict", words, 2, signal.SIGTERM)

    def test_from_the_keyboard_does_neither(self) -> None:
        words = ["--calibration", str(self.calibration), "--scale", "4,8", "--jobs", "1"]
        self.check("predict", words, 1, signal.SIGINT)

    def test_of_a_calibration_does_neither(self) -> None:
        self.check("predict", ["oneway.json"], 1, signal.SIGHUP)

    def test_before_any_evaluation_does_neither(self) -> None:
        self.write_program("ccmod", ENDLESS)
        self.check("predict", ["oneway.json"], 1, signal.SIGTERM, folders=0)

    def test_of_a_validation_does_neither(self) -> None:
        words = ["oneway.json", "--calibration", str(self.calibration)]
        self.check("validate", words, 1, signal.SIGTERM)


class Waiting(unittest.TestCase):
    def test_ends_when_a_signal_meets_another_thread(self) -> None:
        over = threading.Event()

        def work() -> bool:
            waiter = Path(f"/proc/self/task/{os.getpid()}/status")
            looks = 0
            while looks < 20:  # a look gives the interpreter away, which is all that it may lack
                looks = looks + 1 if "State:\tS" in waiter.read_text("utf-8") else 0
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
            os.kill(os.getpid(), signal.SIGTERM)
            return over.wait(LIMIT_S)

        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        self.addCleanup(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        with self.assertRaises(ending.Interrupted), ending.on_signals() as watch:
            watch.beside(work, over.set)
        self.assertTrue(over.is_set())


class Documents(Folder):
    def test_have_a_row_for_each_case_and_say_what_is_left_out(self) -> None:
        one = self.write("oneway.json", result("oneway", "1.1", oneway_rows()))
        farm = self.write("farm.json", result("pullfarm", "2.2", [FARM_ROW]))
        occupied = {**FARM_ROW, "occupation": "both"}
        task = self.write("task.json", result("pushfarm", "2.1", [occupied]))
        words = [one, farm, task, "--scale", "4", "--sizes", "64,20000", "--seeds", "1", "--messages", "20000"]
        self.predict(*words, "--buffer", "1GB", "--output", "p.json", expect=0)
        document = json.loads((self.folder / "p.json").read_text("utf-8"))
        self.check_schema(document)
        made_by = programs.identity(BUILD)
        self.assertIn("combench", made_by)
        self.assertEqual({key: document.get(key) for key in made_by}, made_by)
        rows = document["results"]
        self.assertEqual(len({row["benchmark"] for row in rows}), 10)
        left_out = [left["benchmark"] for left in document["left_out"]]
        self.assertEqual(left_out, ["pushfarm"], document["left_out"])
        # The calibration is of these measurements: it meets them.
        measured = [row for row in rows if "measured" in row and row["benchmark"] == "oneway"]
        self.assertLess(abs(measured[0]["measured"]["error_pct"]), 0.1)
        largest = [row for row in rows if row["size_bytes"] == 20000]
        self.assertTrue(largest and all("size" in row["outside"] for row in largest))
        self.assertFalse(any("incast" in row for row in rows))

    def test_have_the_incast_of_what_may_exceed_a_buffer(self) -> None:
        words = ["--benchmarks", "2.2", "--scale", "4", "--sizes", "64,20000", "--seeds", "1", "--buffer", "100kB"]
        for technology, key, said in (("tcp", "dropped_pct", ""), ("mpi", "why", "at risk of incast")):
            one = self.write("oneway.json", result("oneway", "1.1", oneway_rows(), technology))
            ended = self.predict(one, *words, "--output", "p.json", expect=0)
            document = json.loads((self.folder / "p.json").read_text("utf-8"))
            self.check_schema(document)
            at_risk = {row["size_bytes"]: row["incast"] for row in document["results"] if "incast" in row}
            self.assertEqual(list(at_risk), [20000])
            self.assertIn(key, at_risk[20000])
            self.assertIn(said, ended.stdout)

    def check_schema(self, document: Json) -> None:
        try:
            import jsonschema
        except ImportError:
            return
        schema = (TOP / "docs" / "combench-prediction-1.schema.json").read_text("utf-8")
        jsonschema.validate(document, json.loads(schema))


# A benchmark that is known by its definition alone, and its program: each rank sends to the next one.
RING: Json = {
    "name": "ring",
    "program": "cb_ring",
    "id": "ring",
    "label": "ring",
    "title": "each to the next",
    "description": "Each sends to the next.",
    "pattern": "ring",
    "roles": [{"name": "node", "ranks": "count"}],
    "modes": [
        {
            "name": "pass",
            "summary": "a packet to the next",
            "default": True,
            "stream": False,
            "packets": "count",
            "frequency": "steps",
            "figure": "round_us",
            "divisor": 1,
        }
    ],
    "occupations": [],
    "figures": [{"column": "round_us", "formula": "time of a step"}],
    "plots": [{"column": "round_us", "against": "processors"}],
    "options": ["processors", "sizes", "mode", "hops"],
}
HOPS: Json = {"name": "hops", "type": "count", "help": "h", "key": "hops", "programs": ["cb_ring"]}
CB_RING = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --processors) n=$2 ;; --sizes) size=$2 ;; --trace-steps) steps=$2 ;; --hops) hops=$2 ;;
    --mode | --emit-trace) ;; *) echo "cb_ring: error: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
echo "%cct 1 ranks $n unit us
0-$((n - 1)):
@ $steps
@ ${hops:-1}
is (%r+1)%$n $size
r (%r+$n-1)%$n $size
;
;"
"""


class AnotherBenchmark(Folder):
    """Whose name stands nowhere in the driver."""

    def setUp(self) -> None:
        super().setUp()
        known = json.loads((BUILD / "benchmarks.json").read_text("utf-8"))
        alltoall = next(one for one in known["benchmarks"] if one["name"] == "alltoall")
        unlike = ("ratio", "bounds", "table", "counterpart")
        like = {key: value for key, value in alltoall.items() if key not in unlike}
        known["benchmarks"].append({**like, **RING})
        known["options"].append(HOPS)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        (self.programs / "ccmod").symlink_to(BUILD / "ccmod")
        (self.programs / "benchmarks.json").write_text(json.dumps(known), "utf-8")
        program = self.programs / "cb_ring"
        program.write_text(CB_RING, "ascii")
        program.chmod(0o755)
        # 2 us of the sender and 3.64 of the message; a step of two hops has that twice.
        times = {"median": 5.64, "ci95": [5.64, 5.64], "min": 5.64, "max": 5.64}
        row = {"size_bytes": 64, "processors": 4, "mode": "pass", "round_us": times}
        ring = result("ring", "ring", [{**row, "oversubscribed": False}])
        ring["parameters"] = {"hops": 2}
        self.write("ring.json", ring)

    def drive(self, verb: str, *words: str, expect: int) -> subprocess.CompletedProcess[str]:
        given = ("--programs", str(self.programs), "--calibration", str(self.calibration))
        return super().drive(verb, "ring.json", *words, *given, expect=expect)

    def test_is_predicted_where_it_was_measured_and_at_other_numbers(self) -> None:
        words = ("--benchmarks", "ring", "--scale", "6", "--output", "p.json")
        self.drive("predict", *words, expect=0)
        document = json.loads((self.folder / "p.json").read_text("utf-8"))
        self.assertEqual(document["left_out"], [])
        measured, other = document["results"]
        self.assertEqual((measured["processors"], other["processors"]), (4, 6))
        self.assertAlmostEqual(measured["round_us"]["median"], 2 * 5.64, places=2)
        self.assertAlmostEqual(other["round_us"]["median"], 5.64, places=2)
        self.assertAlmostEqual(other["throughput_MBps"], 6 * 64 / 5.64, places=0)
        self.assertEqual(other["limit"]["text"], "node (rank 0): its processor")

    def test_is_validated(self) -> None:
        self.drive("validate", "--output", "v.json", expect=0)
        document = json.loads((self.folder / "v.json").read_text("utf-8"))
        (row,) = document["results"]
        self.assertEqual((row["benchmark"], row["shape"]), ("ring", [4]))
        self.assertAlmostEqual(row["error_pct"], 100, places=1)


if __name__ == "__main__":
    unittest.main()
