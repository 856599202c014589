#!/usr/bin/python3
"""docs/reproduction/ccmod: figure 2 has the article's numbers, documents are made of what ccmod and the
tracer write, and a page without LAMMPS says which package is missing."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("srcdir", ".")).resolve()
BUILD = Path(os.environ.get("builddir", "build")).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "docs/reproduction"))

importlib.import_module("reproduce")  # which finds the driver
ccmod = importlib.import_module("ccmod")
documents = importlib.import_module("ccmod_documents")
drawings = importlib.import_module("ccmod_drawings")
pages = importlib.import_module("page")


def run(*words: str | Path) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


class Figure2(unittest.TestCase):
    def setUp(self) -> None:
        trace = SOURCE / "docs/examples/two-messages.cct"
        self.document = documents.signals(run(BUILD / "ccmod", "signals", *ccmod.ARTICLE.split(), trace))

    def test_delays_are_those_of_the_article(self) -> None:
        for message in self.document["messages"]:
            self.assertEqual((message["quiet_us"], message["availability"], message["cost_us"]), (48.9, 0.5, 97.8))

    def test_the_contention_array_is_the_sum_of_the_routing_arrays(self) -> None:
        total: dict[str, int] = {}
        for message in self.document["messages"]:
            for cell in message["route"]:
                total[cell] = total.get(cell, 0) + 1
        self.assertEqual(total, self.document["contention"])
        self.assertEqual(max(total.values()), 2)

    def test_the_picture_has_the_number_of_messages_on_each_link(self) -> None:
        drawn = drawings.messages_on_links(self.document["contention"])
        self.assertEqual(drawn.count('class="count"'), len(self.document["contention"]))
        self.assertEqual(drawn.count('class="shared"'), 1)


class Documents(unittest.TestCase):
    def test_a_fit_has_its_lines_points_and_errors(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            measured, output = Path(folder) / "measured.txt", Path(folder) / "one.cal"
            measured.write_text("".join(f"{size} {5 + size / 100}\n" for size in range(100, 1100, 100)), "utf-8")
            run(BUILD / "ccmod", "calibrate", "--fit", "plain", "--segments", "1", "--output", output, measured)
            found = documents.fit(output.read_text(encoding="utf-8"))
        self.assertEqual(len(found["points"]), 10)
        self.assertEqual(found["points"][0], {"size_bytes": 100, "us": 6.0, "error_pct": 0.0})
        (line,) = found["lines"]
        self.assertAlmostEqual(line["start_us"], 5, places=4)
        self.assertAlmostEqual(line["us_per_byte"], 0.01, places=6)

    def trace(self, text: str) -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.cct"
            path.write_text(text, encoding="utf-8")
            return dict(documents.trace(path))

    def test_the_clock_of_a_trace_is_that_of_its_slowest_rank(self) -> None:
        found = self.trace(
            "%cct 1 ranks 2 unit us\n0:\nc 10.5\ns 1 100 t=2.5\n# MPI_Reduce of 4 bytes: 7.000 us\nr 1 4\n"
            "1:\nc 1\nr 0 100 t=4\n# MPI_Reduce of 4 bytes: 1.000 us\ns 0 4\n"
        )
        self.assertEqual((found["ranks"], found["records"], found["messages"]), (2, 6, 2))
        self.assertEqual((found["sent_bytes"], found["clock_us"]), (104, 20))
        self.assertEqual((found["compute_us"], found["communication_us"]), (5.75, 7.25))

    def test_a_trace_of_processor_time_has_no_clock(self) -> None:
        found = self.trace("%cct 1 ranks 2 unit us\n# Computing is\n0:\nc 10\ns 1 100\n1:\nc 2\nr 0 100\n")
        self.assertNotIn("clock_us", found)

    def test_speed_counts_records_and_messages(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "wave.cct"
            trace.write_bytes((SOURCE / "docs/examples/wavefront.cct").read_bytes())
            (found,) = documents.speed(str(BUILD / "ccmod"), [str(trace)], ccmod.ARTICLE.split()).values()
        self.assertEqual(found["messages"], 960)
        self.assertGreater(found["records"], 960)
        self.assertAlmostEqual(found["records_per_s"] * found["processor_s"], found["records"])


class WithoutLammps(unittest.TestCase):
    def test_each_step_that_needs_it_names_the_package(self) -> None:
        steps = [step for step in ccmod.steps(2) if "lmp" in step.words[-1]]
        self.assertGreater(len(steps), 3)
        for step in steps:
            ended = subprocess.run(
                ["/bin/sh", *step.words[1:]], env={"PATH": "/nowhere"}, capture_output=True, text=True, check=False
            )
            self.assertEqual(ended.returncode, 77, step.name)
            self.assertIn("package lammps is not installed (apt-get install lammps)", ended.stdout)

    def test_the_page_says_so_and_has_the_rest(self) -> None:
        kept = SOURCE / "docs/reproduction/results/ccmod"
        with tempfile.TemporaryDirectory() as folder:
            for path in kept.glob("*.json"):
                if path.stem == "figure2":
                    (Path(folder) / path.name).write_bytes(path.read_bytes())
            reason = "skipped: package lammps is not installed (apt-get install lammps)"
            entries = [{"name": name, "reason": reason} for name in ("lammps", "figure5", "background")]
            (Path(folder) / "steps.json").write_text(json.dumps({"steps": entries}), encoding="utf-8")
            text = str(pages.text_of("ccmod", ccmod, pages.Kept(Path(folder))))
        for what in ("knee of the traced application", "workload", "best case: no load", "drawn loads"):
            self.assertRegex(text, rf"\| {re.escape(what)} \|.*\| not reproduced: {re.escape(reason)} \|")
        self.assertIn("| delay of both | 97.8 us | 97.8 us | none |", text)
        self.assertNotIn("figure5.svg)", text)


if __name__ == "__main__":
    unittest.main()
