#!/usr/bin/env python3
"""`combench validate`: errors of predictions against figures that are known, what is held out, and
what users do wrong."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from typing import Any

from stage import TOP

from combench.common import catalogue
from combench.common.errors import SuiteError
from combench.predict.calibration import Measurements, read_measurements
from combench.predict.cases import Asked, of_row
from combench.predict.impacts import Impact, compare_impacts, network
from combench.predict.model import Setting
from combench.predict.prediction import Effort, Prediction
from combench.predict.replays import Replay, compare_replays
from combench.predict.trace import ranks_of, together
from combench.predict.validation import (
    Validation,
    calibration_pct,
    compare,
    document_of,
    half_interval_pct,
    hold_out,
    sizes_to_hold_out,
    summarize,
    text_of,
)
from combench.suite import plan
from combench.suite.expand import Overrides, expand

BUILD = Path(os.environ.get("builddir", "build"))
SIZES = (0, 64, 256, 1024, 4096)
BENCHMARKS = catalogue.known().benchmarks
NOTE = tuple(name for name, one in BENCHMARKS.items() if one.of_note)
Json = dict[str, Any]


def quiet_us(size: int) -> float:
    """Of a network with 2 us of start-up and 250 MB/s."""
    return 2 + size / 250


def figure(time_us: float) -> Json:
    low, high = 0.99 * time_us, 1.01 * time_us
    return {"median": time_us, "ci95": [low, high], "min": low, "max": high}


def row(mode: str, size: int, key: str, time_us: float, **more: Any) -> Json:
    about = {"mode": mode, "size_bytes": size, "processors": 2, "occupation": "none"}
    return {**about, key: figure(time_us), "oversubscribed": False, **more}


def document(benchmark: str, rows: list[Json]) -> Json:
    about = {"schema": "combench-result/1", "benchmark": benchmark, "technology": "mpi"}
    about |= {"id": BENCHMARKS[benchmark].id, "started": "2026-11-21T10:15:30Z"}
    # The model's exchanges wait for each other where no message is eager.
    environment = {"hosts": [{"name": "a"}], "mpi_settings": {"btl_vader_eager_limit": "1048576"}}
    ended: Json = {"elapsed_s": 1, "complete": True, "command": ["cb"], "parameters": {}}
    ended |= {"environment": environment, "results": rows, "skipped": [], "fit": []}
    return {**about, **ended}


def oneway(sizes: tuple[int, ...] = SIZES) -> Json:
    return document("oneway", [row("pingpong", n, "latency_us", quiet_us(n)) for n in sizes])


def twoway(slower: float = 1.0) -> Json:
    """Whose exchanges take as long as a packet, or longer by a factor."""
    rows = [row("exchange", n, "round_us", slower * quiet_us(n)) for n in SIZES]
    return document("twoway", rows)


def check_schema(made: Json) -> None:
    try:
        import jsonschema
    except ImportError:
        return
    name = TOP / "docs/combench-validation-1.schema.json"
    jsonschema.validate(made, json.loads(name.read_text(encoding="utf-8")))


def predicted(one: Asked, factor: float) -> Prediction:
    assert one.measured_us is not None
    divisor = 2 if one.case.mode == "pingpong" else 1
    times = [factor * divisor * one.measured_us]
    return Prediction(one.case, times, None, 1, times[0], 1, None)


class Comparing(unittest.TestCase):
    def asked(self) -> list[Asked]:
        made = [of_row(one, each) for one in (oneway(), twoway()) for each in one["results"]]
        return made

    def test_the_error_is_what_is_too_long_in_per_cent_of_the_measured_time(self) -> None:
        made = compare(self.asked(), lambda one: predicted(one, 1.25), lambda one: False)
        self.assertEqual(len(made.rows), 2 * len(SIZES))
        for one in made.rows:
            self.assertAlmostEqual(one.error_pct, 25)

    def test_the_interval_is_that_of_calibration_and_seeds(self) -> None:
        one = self.asked()[0]
        alone = predicted(one, 1.0)
        self.assertAlmostEqual(half_interval_pct(alone, 0.0), 0)
        self.assertAlmostEqual(half_interval_pct(alone, 2.0), 2.0)
        alone.steps_us = [99.0, 100.0, 101.0]
        of_seeds = 2.920 * math.sqrt(4 / 3)  # t of 2 degrees of freedom, a further value
        self.assertAlmostEqual(half_interval_pct(alone, 0.0), of_seeds, places=2)
        self.assertAlmostEqual(half_interval_pct(alone, 2.0), math.hypot(2.0, of_seeds), places=2)
        made = compare([one], lambda _: alone, lambda _: False, 2.0)
        self.assertAlmostEqual(made.rows[0].row()["interval_pct"], half_interval_pct(alone, 2.0))

    def test_the_interval_of_a_calibration_is_that_of_its_residual_and_its_launches(self) -> None:
        self.assertAlmostEqual(calibration_pct(2.0), 2 * 1.645, places=2)
        of_launches = 2.920 * math.sqrt(4 / 3)
        self.assertAlmostEqual(calibration_pct(0.0, (99.0, 100.0, 101.0)), of_launches, places=2)
        both = math.hypot(3.29, of_launches)
        self.assertAlmostEqual(calibration_pct(2.0, (99.0, 100.0, 101.0)), both, places=2)

    def test_the_interval_of_a_measurement_is_that_of_its_median(self) -> None:
        figure = {"median": 200.0, "ci95": [190.0, 204.0], "min": 180.0, "max": 220.0}
        known = of_row(oneway(), {**oneway()["results"][0], "latency_us": figure})
        self.assertAlmostEqual(known.measured_pct or 0, 5)
        figure["ci95"] = None  # type: ignore[assignment]
        unknown = of_row(oneway(), {**oneway()["results"][0], "latency_us": figure})
        self.assertIsNone(unknown.measured_pct)
        made = compare([known, unknown], lambda one: predicted(one, 1.0), lambda _: False)
        self.assertAlmostEqual(made.rows[0].row()["measured_interval_pct"], 5)
        self.assertNotIn("measured_interval_pct", made.rows[1].row())

    def test_median_and_worst_are_of_errors_without_their_sign(self) -> None:
        factors = iter((1.01, 0.97, 1.02, 0.5, 1.1))
        asked = self.asked()[: len(SIZES)]
        made = compare(asked, lambda one: predicted(one, next(factors)), lambda one: False)
        summary = summarize(made.rows)
        assert summary is not None
        self.assertAlmostEqual(summary.median_pct, 3)
        self.assertAlmostEqual(summary.worst_pct, 50)
        self.assertEqual(summary.worst.asked.case.size_bytes, SIZES[3])

    def test_what_was_fitted_counts_in_no_error(self) -> None:
        def fitted(one: Asked) -> bool:
            return one.case.benchmark == "oneway"

        def prediction(one: Asked) -> Prediction:
            return predicted(one, 9 if fitted(one) else 1.1)

        made = compare(self.asked(), prediction, fitted)
        summary = summarize(made.rows)
        assert summary is not None
        self.assertEqual(summary.rows, len(SIZES))
        self.assertAlmostEqual(summary.worst_pct, 10)
        self.assertIsNone(summarize(made.of("oneway")))

    def test_what_is_refused_is_left_out_with_its_reason(self) -> None:
        def prediction(one: Asked) -> Prediction:
            if one.case.size_bytes == 64:
                raise SuiteError("it is too small")
            return predicted(one, 1)

        made = compare(self.asked(), prediction, lambda one: False)
        self.assertEqual({one["reason"] for one in made.left_out}, {"it is too small"})
        self.assertEqual(len(made.left_out), 2)
        self.assertIn("left out: oneway, pingpong, 64 bytes", text_of(made))

    def test_only_refusals_is_an_error(self) -> None:
        def prediction(one: Asked) -> Prediction:
            raise SuiteError("there is no such network")

        with self.assertRaisesRegex(SuiteError, "no such network"):
            compare(self.asked(), prediction, lambda one: False)


class HoldingOut(unittest.TestCase):
    def test_half_is_every_second_size_that_calibrates(self) -> None:
        self.assertEqual(sizes_to_hold_out([oneway(), twoway()], None), {64, 1024})

    def test_something_is_left_to_calibrate_with(self) -> None:
        with self.assertRaisesRegex(SuiteError, "nothing to calibrate with"):
            sizes_to_hold_out([oneway()], SIZES)

    def test_calibrating_documents_lose_the_sizes_and_others_keep_them(self) -> None:
        both = ((Path("a/oneway.json"), oneway()), (Path("twoway.json"), twoway()))
        with tempfile.TemporaryDirectory() as folder:
            kept = hold_out(Measurements("mpi", both, "mpi"), frozenset({64}), Path(folder))
            (path, calibrating), (other, rest) = kept.documents
            written = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(written, calibrating)
            sizes = [one["size_bytes"] for one in written["results"]]
            self.assertEqual(sizes, [0, 256, 1024, 4096])
            self.assertEqual(rest, twoway())
            self.assertEqual(other, Path("twoway.json"))


class Program(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def write(self, *documents: Json) -> None:
        for one in documents:
            (self.folder / f"{one['benchmark']}.json").write_text(json.dumps(one), "utf-8")

    def validate(self, *words: str) -> subprocess.CompletedProcess[str]:
        driver = [sys.executable, str(TOP / "scripts/combench"), "validate"]
        command = [*driver, "--programs", str(BUILD)]
        return subprocess.run(
            [*command, *words], capture_output=True, text=True, timeout=120, check=False
        )

    def test_an_exchange_that_takes_a_quarter_longer_is_predicted_a_fifth_too_short(self) -> None:
        """The model's links are full duplex: an exchange takes as long as a packet."""
        self.write(oneway(), twoway(slower=1.25))
        output = self.folder / "out.json"
        ended = self.validate(str(self.folder), "--seeds", "1", "--output", str(output))
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        made = json.loads(output.read_text(encoding="utf-8"))
        check_schema(made)
        self.assertEqual(made["summary"]["rows"], len(SIZES))
        self.assertAlmostEqual(made["summary"]["median_error_pct"], 20, delta=1)
        self.assertIn("twoway: median error", ended.stdout)
        fitted = {one["benchmark"] for one in made["results"] if one["fitted"]}
        self.assertEqual(fitted, {"oneway"})

    def test_a_copy_of_a_calibration_is_no_launch(self) -> None:
        self.write(oneway(), twoway())
        (self.folder / "oneway.copy.json").write_text(json.dumps(oneway()), "utf-8")
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr):
            found = read_measurements([str(self.folder)], None)
        self.assertEqual(len(found.documents), 2)
        self.assertIn("oneway.json is a copy of", stderr.getvalue())

    def test_held_out_sizes_are_predicted_from_the_others(self) -> None:
        self.write(oneway((0, 16, 64, 256, 512, 1024, 4096)), twoway())
        output = self.folder / "out.json"
        ended = self.validate(str(self.folder), "--hold-out", "256,1024", "--seeds", "1",
                              "--output", str(output))  # fmt: skip
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        made = json.loads(output.read_text(encoding="utf-8"))
        self.assertEqual({one["size_bytes"] for one in made["results"]}, {256, 1024})
        self.assertFalse(any(one["fitted"] for one in made["results"]))
        self.assertLess(made["summary"]["worst_error_pct"], 2)
        self.assertNotIn("# 256 ", made["calibration"]["text"].replace("#          ", "# "))

    def test_a_replay_is_compared_with_the_evaluation_of_its_file(self) -> None:
        trace = self.folder / "t.cct"
        trace.write_text("%cct 1 ranks 2 unit us\n0: s 1 1000\n1: r 0 1000\n", "ascii")
        played = replay(trace, quiet_us(1000), (quiet_us(1000), 2 * quiet_us(1000)))
        rows = [{"mode": "play", "occupation": "none", **one} for one in played["results"]]
        self.write(oneway(), {**document("replay", rows), "trace": played["trace"]})
        output = self.folder / "out.json"
        ended = self.validate(str(self.folder), "--output", str(output))
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        made = json.loads(output.read_text(encoding="utf-8"))
        check_schema(made)
        (one,) = made["replays"]
        self.assertAlmostEqual(one["error_pct"], 0, delta=1)
        self.assertAlmostEqual(one["ranks"][1]["error_pct"], -50, delta=1)
        self.assertEqual(made["left_out"], [])
        self.assertIn(f"replay of {trace}, 2 ranks: predicted", ended.stdout)
        trace.write_text(trace.read_text("ascii").replace("1000", "1001"), "ascii")
        self.refused(str(self.folder), says="play it again")

    def refused(self, *words: str, says: str) -> None:
        ended = self.validate(*words)
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(len(ended.stderr.splitlines()), 1, ended.stderr)
        self.assertIn(says, ended.stderr)

    def test_mistakes_are_reported_with_status_2(self) -> None:
        folder = str(self.folder)
        self.refused(folder, says="no results")
        self.write(twoway())
        self.refused(folder, says="cb_calibrate")
        self.write(oneway())
        self.refused(folder, "--hold-out", ",".join(map(str, SIZES)), says="nothing to calibrate")
        self.refused(folder, "--hold-out", "half", "--calibration", "x", says="remove one of them")
        self.refused(folder, "--calibration", "nothing.cal", says="nothing.cal")
        self.refused(folder, "--ranks", "3", says="--run")
        self.refused(folder, "--seeds", "0", says="--seeds")
        self.refused(folder, folder, "--run", "quick", says="one directory")
        self.refused(folder, "--output", folder, says=f"--output {folder}: it is a directory")
        missing = f"{folder}/missing/x.json"
        self.refused(folder, "--output", missing, says=f"--output {missing}: give a file in a folder")

    def test_a_network_that_no_prediction_can_use_is_reported_before_anything_is_measured(
        self,
    ) -> None:
        place = self.folder / "measured"
        words = ("--run", "quick", "--network", "ring")
        self.refused(str(place), *words, says="cannot predict with --network ring")
        self.assertFalse(place.exists())


TRACE = """%cct 1 ranks 3 unit us
0:
c 100
s 1 1MB
1:
r 0 1MB
c exp(1000)
"""


def replay(trace: Path, play_us: float, ranks_us: tuple[float, ...], seed: int = 1) -> Json:
    content = trace.read_bytes()
    about = {"path": str(trace), "bytes": len(content), "crc32": f"{zlib.crc32(content):08x}"}
    about |= {"ranks": len(ranks_us), "lines": content.count(b"\n")}
    counts = ("records", "memory_bytes", "sent", "sent_bytes", "received", "received_bytes")
    ranks = [
        {"rank": rank, "time_us": time_us, **dict.fromkeys(counts, 0)}
        for rank, time_us in enumerate(ranks_us)
    ]
    row = {"play_us": figure(play_us), "per_rank": ranks, "oversubscribed": False}
    row |= {"size_bytes": 1000, "processors": len(ranks_us)}
    parameters = {"seed": seed}
    return {"benchmark": "replay", "trace": about, "parameters": parameters, "results": [row]}


class Replays(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.trace = self.folder / "t.cct"
        self.trace.write_text(TRACE, "ascii")
        self.setting = Setting(BUILD, TOP / "docs/examples/farm-100g.cal")

    def ends(self, seed: int = 1) -> list[float]:
        """Of the ranks, by the model."""
        said = subprocess.run(
            [BUILD / "ccmod", "run", "--format", "json", "--seed", str(seed), "--calibration",
             self.setting.calibration, self.trace],
            capture_output=True, text=True, check=True)  # fmt: skip
        return [one["clock_us"] for one in json.loads(said.stdout)["processors"]]

    def compared(self, document: Json) -> Replay:
        documents = [(self.folder / "r.json", oneway()), (self.folder / "p.json", document)]
        (made,) = compare_replays(documents, self.setting)
        return made

    def test_all_and_each_rank_stand_beside_the_evaluation_of_the_file(self) -> None:
        first, second, third = self.ends()
        made = self.compared(replay(self.trace, 1.25 * second, (first, 2 * second, third)))
        self.assertAlmostEqual(made.error_pct, -20)
        self.assertEqual(set(made.rank_errors()), {0, 1})
        self.assertAlmostEqual(made.rank_errors()[0], 0)
        self.assertAlmostEqual(made.rank_errors()[1], -50)
        self.assertIn("error -20.0 %", made.text())
        self.assertIn("median error 25.0 %, worst 50.0 % (rank 1)", made.text())

    def test_times_are_drawn_by_the_seed_of_the_replay(self) -> None:
        one, other = self.ends(1)[1], self.ends(7)[1]
        self.assertNotAlmostEqual(one, other)
        made = self.compared(replay(self.trace, other, tuple(self.ends(7)), seed=7))
        self.assertAlmostEqual(made.error_pct, 0)

    def test_a_trace_is_found_beside_the_result(self) -> None:
        document = replay(self.trace, 1, (1, 1, 0))
        document["trace"]["path"] = "elsewhere/t.cct"
        self.assertEqual(self.compared(document).trace, self.trace)

    def test_a_path_that_leads_out_of_the_folders_is_not_followed(self) -> None:
        with tempfile.TemporaryDirectory() as other:
            outside = Path(other) / "o.cct"
            outside.write_text(TRACE, "ascii")
            (self.folder / "link.cct").symlink_to(outside)
            for path in (outside, os.path.relpath(outside, self.folder), self.folder / "link.cct", "/dev/zero"):
                document = replay(self.trace, 1, (1, 1, 0))
                document["trace"]["path"] = str(path)
                with self.assertRaisesRegex(SuiteError, "cannot find the trace"):
                    self.compared(document)

    def test_a_trace_that_was_changed_is_refused(self) -> None:
        document = replay(self.trace, 1, (1, 1, 0))
        self.trace.write_text(TRACE.replace("1MB", "2MB"), "ascii")
        with self.assertRaisesRegex(SuiteError, r"t\.cct has the CRC-32 \w{8}, but .* play it again"):
            self.compared(document)

    def test_a_trace_that_is_missing_is_refused(self) -> None:
        document = replay(self.trace, 1, (1, 1, 0))
        self.trace.unlink()
        with self.assertRaisesRegex(SuiteError, r"cannot find the trace .*t\.cct .* copy the trace to"):
            self.compared(document)

    def test_the_document_and_the_text_have_replays_without_other_rows(self) -> None:
        made = Validation(replays=[self.compared(replay(self.trace, 1000, (1, 1000, 0)))])
        about = {"started": "", "command": [], "technology": "mpi", "network": "crossbar"}
        written = document_of(made, about | {"calibration": {"from": [], "text": ""}})
        self.assertEqual(written["replays"][0]["trace"]["path"], str(self.trace))
        self.assertEqual([one["rank"] for one in written["replays"][0]["ranks"]], [0, 1, 2])
        check_schema(written)
        self.assertTrue(text_of(made).startswith("replay of "), text_of(made))


STREAM = "oneway --mode stream --sizes 1000 --window 8"


def congestion(hosts: tuple[int, ...], **more: Any) -> Json:
    """A stream beside the same stream: the ranks 0 and 2 beside 1 and 3, on these hosts."""
    about = {"victim": STREAM, "aggressor": STREAM, "aggressor_placement": "interleaved", "aggressor_ranks": 2}
    about |= {"mode": "stream", "size_bytes": 1000, "processors": 2, "oversubscribed": False}
    figures = {"alone_us": {"mean": 10.0}, "beside_us": {"mean": 20.0}, "impact_mean": {"value": 2.0, "interval": [1.9, 2.1]}}
    steps = {"block_steps": {"alone": 100, "beside": 100}, "aggressor_turn_steps": 100, "aggressor_busy_pct": 99.5}
    made = document("congest", [{**about, **figures, **steps, **more}])
    made["environment"]["ranks"] = [
        {"rank": rank, "host": host, "role": ("victim", "aggressor")[rank % 2]} for rank, host in enumerate(hosts)
    ]
    return made


class BesideEachOther(unittest.TestCase):
    def setUp(self) -> None:
        if not (BUILD / "ccmod").is_file() or not (BUILD / "cb_oneway").is_file():
            self.skipTest("the programs are not built")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        calibration = Path(folder.name) / "c.cal"
        calibration.write_text(
            "%calibration 1\nline overhead_us=0.1 latency_us=5 us_per_byte=0.01\neager_bytes 1048576\n", "ascii"
        )
        self.setting = Setting(BUILD, calibration, words=("--share", "fifo"))

    def compared(self, document: Json) -> tuple[list[Impact], list[dict[str, str]]]:
        return compare_impacts([(Path("r.json"), oneway()), (Path("c.json"), document)], self.setting, Effort(seeds=1))

    def impact(self, *hosts: int) -> Impact:
        (made,), left_out = self.compared(congestion(hosts))
        self.assertEqual(left_out, [])
        return made

    def test_streams_on_links_of_their_own_do_not_meet(self) -> None:
        self.assertAlmostEqual(self.impact(0, 2, 1, 3).predicted, 1, delta=0.01)

    def test_streams_on_one_link_share_it(self) -> None:
        made = self.impact(0, 0, 1, 1)
        self.assertAlmostEqual(made.predicted_us[0], 10, delta=1)
        self.assertAlmostEqual(made.predicted, 2, delta=0.1)
        self.assertAlmostEqual(made.error_pct, 100 * (made.predicted / 2 - 1))

    def test_streams_in_opposite_directions_of_a_link_do_not_meet(self) -> None:
        self.assertAlmostEqual(self.impact(0, 1, 1, 0).predicted, 1, delta=0.05)

    def test_an_aggressor_that_ends_first_is_repeated_for_longer(self) -> None:
        others = congestion((0, 0, 1, 1), aggressor=STREAM.replace("window 8", "window 64"), aggressor_turn_steps=1000)
        (made,), _ = self.compared(others)
        self.assertGreater(made.predicted, 4)

    def test_an_aggressor_that_pauses_slows_the_victim_only_in_its_turns(self) -> None:
        steady = self.impact(0, 0, 1, 1).predicted
        (made,), _ = self.compared(congestion((0, 0, 1, 1), aggressor_busy_pct=75.0))
        never_pauses = 1 / (1 - (1 - 1 / steady) / 0.995)
        self.assertAlmostEqual(made.predicted, 1 / (0.75 / never_pauses + 0.25))

    def test_what_the_model_has_not_is_left_out_with_the_reason(self) -> None:
        for changed, reason in (
            ({"aggressor": "busy"}, "sends nothing"),
            ({"aggressor_rate_Hz": 100}, "at a rate"),
            ({"aggressor_busy_pct": 43.0}, "for 43 % of the time"),
            ({"aggressor_ranks": 3}, "one --aggressor-ranks"),
            ({"aggressor": "oneway --mode stream --sizes 8,64"}, "one measurement"),
            ({"impact_mean": {}}, "no impact on the mean"),
        ):
            made, (left_out,) = self.compared(congestion((0, 0, 1, 1), **changed))
            self.assertEqual(made, [])
            self.assertIn(reason, left_out["reason"])
        _, (left_out,) = self.compared(congestion((0, 1, 0, 1)))
        self.assertIn("share a host", left_out["reason"])

    def test_document_and_text_have_measured_and_predicted_figures(self) -> None:
        made = Validation(impacts=[self.impact(0, 0, 1, 1)])
        about = {"started": "", "command": [], "technology": "tcp", "network": "crossbar"}
        written = document_of(made, about | {"calibration": {"from": [], "text": ""}})
        check_schema(written)
        self.assertEqual(written["impacts"][0]["measured"]["interval"], [1.9, 2.1])
        self.assertIn("measured 2 (1.9 to 2.1), error", text_of(made))


class Together(unittest.TestCase):
    def test_ranks_of_the_second_trace_follow(self) -> None:
        one = "%cct 1 ranks 2 unit us\n0:\ns 1 8\n1:\nr any 8\n"
        other = "%cct 1 ranks 3 unit us\n# a ring\n*:\n@ 2\nis (%r+1)%%n 8\nir (%r-1)%%n *\nw\n;\n0-1,2:\nm 1,2 4\nc 1.5\n"
        made = together(one, other, 3)
        self.assertEqual(ranks_of(made), 5)
        for line in ("2-4:", "is (((%r-2)+1)%3)+2 8", "ir (((%r-2)-1)%3)+2 *", "2-3,4:", "m 3,4 4", "r any 8", "s (1)+0 8"):
            self.assertIn(line, made.splitlines())

    def test_what_concerns_all_ranks_is_refused(self) -> None:
        head = "%cct 1 ranks 2 unit us\n"
        for record in ("b", "m * 8"):
            with self.assertRaisesRegex(ValueError, "all ranks"):
                together(head, f"{head}*:\n{record}\n", 2)
        with self.assertRaisesRegex(ValueError, "2 ranks, not 3"):
            together(head, head, 3)
        with self.assertRaisesRegex(ValueError, "not a trace"):
            together(head, "farm", 3)

    def test_ranks_of_a_host_share_its_link(self) -> None:
        lines = network((4, 7), (4,)).splitlines()
        self.assertIn("nodes 3", lines)
        self.assertIn("switch host0 host1 center", lines)
        self.assertEqual([one for one in lines if "link 2 " in one], ["link 2 host0 bandwidth_MBps=1000"])


class Example(unittest.TestCase):
    def test_the_plan_of_the_page_has_all_ten_benchmarks_at_sizes_above_a_frame_too(self) -> None:
        text = (TOP / "docs/examples/validation.plan").read_text(encoding="utf-8")
        starts = list(expand(plan.parse(text, "validation.plan"), 17, Overrides()))
        self.assertEqual({one.benchmark for one in starts}, set(NOTE))
        self.assertTrue(all("500,1200,3000,10000" in one.words for one in starts))


class Document(unittest.TestCase):
    def test_errors_stand_for_each_benchmark_and_for_all(self) -> None:
        asked = Comparing().asked()
        made = compare(asked, lambda one: predicted(one, 1.1), lambda one: False)
        written = document_of(made, {"network": "crossbar"})
        self.assertEqual(set(written["benchmarks"]), {"oneway", "twoway"})
        self.assertEqual(written["summary"]["rows"], len(asked))


if __name__ == "__main__":
    unittest.main()
