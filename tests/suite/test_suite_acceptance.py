#!/usr/bin/env python3
"""Thresholds of plans, verdicts on runs, their history, and bundles of runs."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import stat
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any, Sequence

import documents
from stage import TOP

from combench import main
from combench.common import bundles, catalogue, thresholds
from combench.common.errors import SuiteError
from combench.suite import judging, plan
from combench.suite.anonymous import anonymised

# A mistake in a threshold, and a part of what is said.
MISTAKES = {
    "frequency_Hz": "is not a threshold; write FIGURE RELATION NUMBER",
    "frequency_Hz => 5": "is not a threshold",
    "frequency_Hz >= -5": "is not a threshold",
    "frequency_Hz >= fast": "is not a threshold",
    "frequency_Hz >= 1e400": "is not a threshold",
    "frequenzy_Hz >= 5": "did you mean frequency_Hz?",
    "mode = 4": "is not a figure of results",
    "event_latency_us <= 5": "did you mean event_latency_us_",
    "frequency_Hz >= 10us": "'us' is not a unit of frequency_Hz; write one of Hz, kHz, MHz, GHz",
    "lost = 0%": "it has none; omit the unit",
    "lost = 0 if": "no condition follows if; write COLUMN=VALUE",
    "lost = 0 if stream": "is not a condition; write COLUMN=VALUE",
    "lost = 0 if lost=0": "'lost' is not a condition of rows",
    "lost = 0 if size_bytes=big": "is not a size",
    "lost = 0, lost = 0": "give each value once",
    "lost = 0,": "is not a threshold",
}


def row(**values: Any) -> dict[str, Any]:
    return {"mode": "pingpong", "size_bytes": 64, "processors": 2, "oversubscribed": False, **values}


class Runs(unittest.TestCase):
    """A folder with runs that never ran."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-acceptance-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_of(
        self, name: str, accept: str, rows: Sequence[Any], day: int = 1, **changes: Any
    ) -> Path:
        """A run of one section with these rows."""
        directory = self.folder / name
        (directory / "results").mkdir(parents=True)
        (directory / "tiny.plan").write_text(f"[oneway]\naccept = {accept}\n", encoding="utf-8")
        result = {"schema": "combench-result/1", "benchmark": "oneway", "id": "1.1",
                  "technology": "mpi", "complete": True, "results": list(rows),
                  "environment": {
                      "hosts": [{"name": "node07.site.org"}, {"name": "node08.site.org"}],
                      "ranks": [{"rank": 0, "network": "eth0 10.1.2.3"}]}}
        made = {**result, "command": ["cb_oneway"]}
        entry = {**documents.entry("oneway.mpi", made, "measured", "results/oneway.mpi.json"), **changes}
        manifest = documents.manifest([entry])
        manifest["started"] = f"2026-11-{day:02}T00:00:00Z"
        manifest["sessions"][0].update(host="node07.site.org", hostfile="/home/ada/hosts")
        (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        (directory / "results/oneway.mpi.json").write_text(json.dumps(result), encoding="utf-8")
        return directory

    def verdicts(self, directory: Path) -> list[judging.Verdict]:
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
        return list(judging.judge(plan.read(str(directory / "tiny.plan")), manifest, directory))

    def say(self, *words: object) -> tuple[int, str]:
        """Exit status and output of a verb."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = main.main([str(word) for word in words])
        return status, out.getvalue()


class Thresholds(unittest.TestCase):
    def test_mistakes_name_line_and_remedy(self) -> None:
        for text, said in MISTAKES.items():
            with self.subTest(text), self.assertRaises(SuiteError) as caught:
                plan.parse(f"# a line\n[oneway]\naccept = {text}\n", "site.plan")
            self.assertTrue(str(caught.exception).startswith("site.plan:3: accept: "))
            self.assertIn(said, str(caught.exception))

    def test_units_and_members(self) -> None:
        for text, path, needed in (
            ("frequency_Hz >= 10kHz", "frequency_Hz", 1e4),
            ("latency_us <= 0.5ms", "latency_us", 500),
            ("step_us_p99 < 7", "step_us.p99", 7),
            ("step_us.p99_9 < 7us", "step_us.p99_9", 7),
            ("throughput_MBps > 1.5 GB/s", "throughput_MBps", 1500),
            ("connections_retransmitted = 0", "connections.retransmitted", 0),
            ("verify_lost = 0", "verify.lost", 0),
            ("shortfall_pct <= 5", "shortfall_pct", 5),
            ("loss_pct <= 5 %", "shortfall_pct", 5),  # of older plans
        ):
            found = thresholds.parse(text)
            self.assertEqual((found.figure.path, found.needed), (path, needed), text)

    def test_conditions_choose_rows(self) -> None:
        found = thresholds.parse("latency_us <= 5 if size_bytes=1KiB mode=pingpong")
        self.assertEqual(found.value(row(size_bytes=1024, latency_us={"median": 4})), 4)
        self.assertIsNone(found.value(row(size_bytes=64, latency_us={"median": 4})))

    def test_the_head_has_no_thresholds(self) -> None:
        with self.assertRaisesRegex(SuiteError, "plan:1: 'accept' is not a key of a whole plan"):
            plan.parse("accept = lost = 0\n[oneway]\n", "plan")

    def test_shipped_plan_has_thresholds_in_each_section(self) -> None:
        for section in plan.read("acceptance").sections:
            self.assertTrue(section.values["accept"], section.name)


class Verdicts(Runs):
    def verdict(self, accept: str, *rows: Any, **changes: Any) -> judging.Verdict:
        return self.verdicts(self.run_of("run", accept, rows, **changes))[0]

    def test_the_worst_row_decides(self) -> None:
        rows = [row(latency_us={"median": 4}), row(size_bytes=128, latency_us={"median": 6})]
        found = self.verdict("latency_us <= 5", *rows)
        assert found.worst is not None
        self.assertEqual((found.verdict, found.worst.value, len(found.found)), ("missed", 6, 2))
        self.assertIn("128 B", found.worst.words)

    def test_a_missed_one_says_if_its_processes_shared_cores(self) -> None:
        for shared in (True, False):
            rows = [row(latency_us={"median": 6}, oversubscribed=shared)]
            (found,) = self.verdicts(self.run_of(f"run-{shared}", "latency_us <= 5", rows))
            self.assertEqual(found.verdict, "missed")
            self.assertEqual("share cores" in judging.lines([found])[0], shared)

    def test_limits_belong_to_them(self) -> None:
        for accept, verdict in (("lost <= 3", "met"), ("lost < 3", "missed"), ("lost = 3", "met"),
                                ("lost >= 3", "met"), ("lost > 3", "missed"), ("lost = 0", "missed")):
            with self.subTest(accept):
                self.assertEqual(self.verdict(accept, row(lost=3)).verdict, verdict)
            shutil.rmtree(self.folder / "run")

    def test_a_figure_that_no_row_has_is_untested(self) -> None:
        found = self.verdict("lost = 0", row(latency_us={"median": 4}))
        self.assertEqual((found.verdict, found.reason), ("untested", "no row has this figure"))

    def test_a_section_that_was_not_measured_whole_is_untested(self) -> None:
        for state in ("failed", "left out", "skipped", "planned", "timed out"):
            with self.subTest(state):
                found = self.verdict("lost = 0", row(lost=0), state=state, reason="no cable")
                self.assertEqual(found.verdict, "untested")
                self.assertIn(f"is {state}: no cable", found.reason)
            shutil.rmtree(self.folder / "run")

    def test_a_launch_that_was_not_needed_is_not_missing(self) -> None:
        found = self.verdict("lost = 0", row(lost=0), state="left out", reason="precise", launch=2)
        self.assertEqual(found.verdict, "met")

    def test_a_missed_threshold_is_missed_whatever_is_missing(self) -> None:
        found = self.verdict("lost = 0", row(lost=1), state="failed", reason="no cable")
        self.assertEqual(found.verdict, "missed")

    def test_values_that_are_no_numbers_are_no_figures(self) -> None:
        found = self.verdict("lost = 0", row(lost="0"), row(lost=False), row(lost=None), 7)
        self.assertEqual(found.verdict, "untested")


class History(Runs):
    ACCEPT = "latency_us <= 50"

    def latencies(self, *values: float) -> list[Path]:
        return [self.run_of(f"run{day}", self.ACCEPT, [row(latency_us={"median": value})], day)
                for day, value in enumerate(values, 1)]

    def test_met_thresholds_are_accepted(self) -> None:
        (run,) = self.latencies(4)
        status, said = self.say("acceptance", run)
        self.assertEqual(status, 0, said)
        self.assertIn("accepted", said)

    def test_a_missed_threshold_is_not(self) -> None:
        (run,) = self.latencies(51)
        status, said = self.say("acceptance", run)
        self.assertEqual(status, 1)
        self.assertIn("not accepted: 1 thresholds are not met, 0 figures are worse", said)

    def test_worse_than_all_earlier_runs_and_beyond_the_tolerance(self) -> None:
        *earlier, run = self.latencies(4, 5, 4.2, 6)
        status, said = self.say("acceptance", run, "--baseline", *earlier)
        self.assertEqual(status, 1, said)
        self.assertIn("+42.9 % of the median  WORSE", said)
        self.assertEqual(self.say("acceptance", run, "--tolerance", 43, "--baseline", *earlier)[0], 0)

    def test_no_worse_than_the_worst_earlier_run(self) -> None:
        *earlier, run = self.latencies(4, 4, 6, 6)
        self.assertEqual(self.say("acceptance", run, "--baseline", *earlier)[0], 0)

    def test_any_loss_after_none_is_worse(self) -> None:
        before = self.run_of("before", "lost <= 9", [row(lost=0)])
        run = self.run_of("run", "lost <= 9", [row(lost=1)], 2)
        self.assertEqual(self.say("acceptance", run, "--baseline", before)[0], 1)

    def test_runs_are_in_the_order_of_their_start(self) -> None:
        *earlier, run = self.latencies(4, 5, 4.5)
        said = self.say("acceptance", run, "--baseline", *reversed(earlier))[1]
        self.assertLess(said.index("2026-11-01"), said.index("2026-11-02"))

    def test_a_folder_of_runs_and_the_run_itself_among_them(self) -> None:
        runs = self.latencies(4, 5, 9)
        status, said = self.say("acceptance", runs[-1], "--baseline", self.folder)
        self.assertEqual(status, 1)
        self.assertIn("2 earlier runs", said)

    def test_copies_of_an_earlier_run_count_once(self) -> None:
        first, second, run = self.latencies(4, 5, 6)
        for name in ("bak", "bak2"):
            shutil.copytree(first, self.folder / name)
        again = shutil.copytree(run, self.folder / "again")
        status, said = self.say("acceptance", run, "--baseline", self.folder)
        self.assertEqual(status, 1)
        self.assertIn("2 earlier runs", said)
        self.assertIn("+33.3 % of the median", said)  # of 4 and 5, not of 4, 4, 4 and 5
        self.assertIn(f"{again} is a copy of {run}", said)
        self.assertIn(f"{self.folder / 'bak2'} is a copy of {self.folder / 'bak'}", said)

    def test_runs_of_one_second_are_no_copies(self) -> None:
        run = self.run_of("run", "latency_us <= 9", [row(latency_us={"median": 4})])
        other = self.run_of("other", "latency_us <= 9", [row(latency_us={"median": 5})])
        self.assertIn("1 earlier runs", self.say("acceptance", run, "--baseline", other)[1])

    def test_what_cannot_be_judged_is_refused(self) -> None:
        (run,) = self.latencies(4)
        for words, expected in (
            ((self.folder / "none",), "cannot read"),
            ((run, "--baseline", self.folder / "none"), "does not exist"),
            ((run, "--plot", self.folder / "x.txt"), "unknown format"),
        ):
            with self.subTest(expected):
                status, said = self.say("acceptance", *words)
                self.assertEqual(status, 2)
                self.assertIn(expected, said)
        (run / "tiny.plan").write_text("[oneway]\n", encoding="utf-8")
        self.assertIn("has no threshold", self.say("acceptance", run)[1])


class Bundles(Runs):
    def setUp(self) -> None:
        super().setUp()
        self.measured = self.run_of("run", "latency_us <= 5", [row(latency_us={"median": 4})])
        (self.measured / "logs").mkdir()
        self.log = self.measured / "logs/oneway.log"
        self.log.write_text(
            "node07: up\nnode08-ib0.site.org 10.1.2.3 fe80::1:2 02:fc:00:00:00:01 at 10:15:30, "
            "ada@node08, version 4.1.4, 127.0.0.1, node[07-08]\n", encoding="utf-8")

    def bundle(self, suffix: str, *words: str) -> Path:
        path = self.folder / f"bundle{suffix}"
        status, said = self.say("bundle", self.measured, "--output", path, *words)
        self.assertEqual(status, 0, said)
        return path

    def test_what_goes_in_comes_out(self) -> None:
        for suffix in bundles.SUFFIXES:
            into = self.folder / f"out{suffix}"
            status, said = self.say("bundle", "--extract", self.bundle(suffix), "--output", into)
            self.assertEqual(status, 0, said)
            for path in self.measured.rglob("*"):
                if path.is_file():
                    self.assertEqual((into / path.relative_to(self.measured)).read_bytes(),
                                     path.read_bytes())

    def test_equal_runs_make_equal_bundles(self) -> None:
        for suffix in bundles.SUFFIXES:
            first = self.bundle(suffix).read_bytes()
            os.utime(self.log, (1, 1))
            self.log.chmod(0o600)
            self.assertEqual(self.bundle(suffix).read_bytes(), first)

    def test_a_bundle_is_read_like_its_directory(self) -> None:
        path = self.bundle(".tar.gz")
        self.assertEqual(self.say("acceptance", path)[0], 0)
        self.assertEqual(self.say("acceptance", self.measured, "--baseline", path)[0], 0)

    def test_no_name_stays_in_an_anonymous_bundle(self) -> None:
        into = self.folder / "out"
        bundles.extract(self.bundle(".zip", "--anonymous"), into)
        texts = {path.name: path.read_text(encoding="utf-8") for path in into.rglob("*.*")}
        for name, text in texts.items():
            for word in ("node0", "site.org", "ada", "10.1.2.3", "fe80", "02:fc"):
                self.assertNotIn(word, text, name)
        self.assertEqual(
            texts["oneway.log"],
            "host001: up\nhost002-ib0 address003 address002 address001 at 10:15:30, "
            "user001@host002, version 4.1.4, 127.0.0.1, hosts\n")
        result = json.loads(texts["oneway.mpi.json"])
        self.assertEqual([one["name"] for one in result["environment"]["hosts"]],
                         ["host001", "host002"])
        self.assertEqual(result["technology"], "mpi")
        self.assertEqual(self.verdicts(into)[0].verdict, "met")

    def test_a_host_named_like_a_technology_changes_no_row(self) -> None:
        name = next(iter(catalogue.known().technologies))
        files = {"a.json": json.dumps({"environment": {"hosts": [{"name": name}]}, "technology": name,
                                       "results": [{"mode": name}]}).encode()}
        made, _ = anonymised(files)
        self.assertEqual(json.loads(made["a.json"])["technology"], name)
        self.assertEqual(json.loads(made["a.json"])["results"], [{"mode": name}])

    def test_names_in_rows_of_a_map_are_replaced(self) -> None:
        rows = [{"mode": "pairs", "linkmap": {"hosts": [{"name": "n1.site", "switch": "sw-a"}]},
                 "link_faults": [{"kind": "slow", "host": "n1.site", "peer": "n1.site"}]}]
        files = {"a.json": json.dumps({"environment": {"hosts": [{"name": "n1.site"}]},
                                       "results": rows}).encode()}
        made, _ = anonymised(files)
        (found,) = json.loads(made["a.json"])["results"]
        self.assertEqual(found["linkmap"]["hosts"], [{"name": "host001", "switch": "switch001"}])
        self.assertEqual(found["link_faults"],
                         [{"kind": "slow", "host": "host001", "peer": "host001"}])
        self.assertEqual(found["mode"], "pairs")

    def test_hidden_words_files_that_are_no_text_and_those_of_reports(self) -> None:
        files = {"a.log": b"project Zeus", "b.png": b"\xff\xfe", "report.html": b"n1"}
        made, left_out = anonymised(files, ["zeus"])
        self.assertEqual(made, {"a.log": b"project hidden001"})
        self.assertEqual(left_out, ["b.png", "report.html"])

    def test_links_are_left_out(self) -> None:
        os.symlink("/etc/passwd", self.measured / "logs/link")
        with tarfile.open(self.bundle(".tar.gz")) as archive:
            self.assertNotIn("logs/link", archive.getnames())

    def refuse(self, path: Path, expected: str) -> None:
        into = self.folder / "refused" / "out"
        with self.assertRaises(SuiteError) as caught:
            bundles.extract(path, into)
        self.assertIn(expected, str(caught.exception))
        outside = [one for one in (self.folder / "refused").rglob("*") if into not in one.parents]
        self.assertLessEqual(set(outside), {into})

    def test_paths_that_lead_out_are_refused(self) -> None:
        for name in ("../x", "/tmp/x", "a/../../x", "a\\..\\x", "C:/x", "a\nb"):
            with self.subTest(name):
                path = self.folder / "bad.zip"
                with zipfile.ZipFile(path, "w") as archive:
                    archive.writestr(zipfile.ZipInfo(name), "text")
                self.refuse(path, "leads out of the bundle")
                with tarfile.open(self.folder / "bad.tar.gz", "w:gz") as tar:
                    tar.addfile(tarfile.TarInfo(name))
                self.refuse(self.folder / "bad.tar.gz", "leads out of the bundle")

    def test_links_devices_and_names_that_occur_twice_are_refused(self) -> None:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            entry = tarfile.TarInfo("x")
            entry.type, entry.linkname = kind, "/etc/passwd"
            with tarfile.open(self.folder / "bad.tar.gz", "w:gz") as archive:
                archive.addfile(entry)
            self.refuse(self.folder / "bad.tar.gz", "is a link or a device")
        zipped = zipfile.ZipInfo("x")
        zipped.external_attr = (stat.S_IFLNK | 0o777) << 16
        with zipfile.ZipFile(self.folder / "bad.zip", "w") as other:
            other.writestr(zipped, "/etc/passwd")
        self.refuse(self.folder / "bad.zip", "is a link or a device")
        with tarfile.open(self.folder / "bad.tar.gz", "w:gz") as archive:
            archive.addfile(tarfile.TarInfo("x"))
            archive.addfile(tarfile.TarInfo("./x"))
        self.refuse(self.folder / "bad.tar.gz", "occurs twice")

    def test_damaged_bundles_are_refused(self) -> None:
        for suffix in bundles.SUFFIXES:
            whole = self.bundle(suffix).read_bytes()
            for length in range(0, len(whole) - 40, 97):
                path = self.folder / f"cut{suffix}"
                path.write_bytes(whole[:length])
                with self.subTest(suffix=suffix, length=length):
                    self.refuse(path, "cannot read")

    def test_wrong_words_are_refused(self) -> None:
        run, out = self.measured, self.folder / "b.zip"
        for words, expected in (
            ((self.folder, "--output", out), "there is no run in it"),
            ((run, "--output", self.folder / "b.rar"), "ends in .tar.gz or .zip"),
            ((run, "--output", out, "--hide", "word"), "--hide needs --anonymous"),
            ((run, "--output", out, "--anonymous", "--hide", "a"), "three letters"),
            ((run, "--extract", "--output", self.folder / "x"), "it is no file"),
            ((run, "--extract", "--anonymous", "--output", out), "exclude each other"),
            ((self.bundle(".zip"), "--extract", "--output", self.folder), "not an empty directory"),
        ):
            with self.subTest(expected):
                status, said = self.say("bundle", *words)
                self.assertEqual(status, 2, said)
                self.assertIn(expected, said)


if __name__ == "__main__":
    os.environ.setdefault("CB_BUILD", str(TOP / "build"))
    unittest.main()
