#!/usr/bin/env python3
"""What the driver knows of benchmarks and columns comes from benchmarks.json: those of which no
module has heard are planned, reported and compared; those that it lacks are shown as far as can be."""

from __future__ import annotations

import copy
import json
import unittest
from pathlib import Path
from typing import Any

from documents import Documents, Json, document, drawn, row

from combench.common import catalogue
from combench.common.errors import SuiteError
from combench.report.gallery import gallery
from combench.report.load import load
from combench.report.rows import rows_of
from combench.report.tables import as_text, tables_of
from combench.suite import plan
from combench.suite.expand import Overrides, expand

BUILT = catalogue.known().path
RING: Json = {
    "name": "ring",
    "program": "cb_ring",
    "id": "ring",
    "label": "ring",
    "title": "each sends to the next",
    "description": "Each rank sends to the next one.",
    "group": "basic",
    "pattern": "ring",
    "count": {
        "column": "processors",
        "options": ["processors"],
        "least": 3,
        "multiple_of": 1,
        "usual": ["4", "8"],
        "ranks": "count",
    },
    "roles": [{"name": "node", "ranks": "count"}],
    "modes": [
        {
            "name": "round",
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
    "sizes_bytes": [0, 64],
    "rows": "modes * counts * sizes",
    "figures": [
        {"column": "round_us", "formula": "time of a round"},
        {"column": "frequency_Hz", "formula": "1 / time of a round"},
    ],
    "plots": [
        {"column": "frequency_Hz", "against": "processors"},
        {"column": "warmth_us", "against": "size_bytes"},
    ],
    "options": ["processors"],
}
WARMTH: Json = {
    "key": "warmth_us",
    "type": "number",
    "unit": "us",
    "heading": "warmth",
    "schema": "amount",
    "required": False,
    "condition": False,
    "identifies": False,
    "better": "lower",
    "place": "cell",
    "tabled": "always",
    "members": [],
    "compared": [""],
    "follows": [],
    "meaning": "Time until it was warm.",
    "csv": ["warmth_us"],
}


def rounds(seed: int, benchmark: str = "ring", warmth_us: float = 5.0) -> Json:
    """A document with two numbers of processors and two sizes."""
    made = []
    for processors in (4, 8):
        for size in (64, 1024):
            blocks = drawn(seed + processors + size, processors)
            one = row(blocks, size, "round_us", processors=processors, mode="round")
            one.update(frequency_Hz=1e6 / processors, warmth_us=warmth_us)
            made.append(one)
    return document(made, benchmark, benchmark)


class Catalogue(Documents):
    def setUp(self) -> None:
        super().setUp()
        known: dict[str, Any] = json.loads(BUILT.read_text(encoding="utf-8"))
        known["benchmarks"].append(copy.deepcopy(RING))
        known["columns"].append(copy.deepcopy(WARMTH))
        self.write("benchmarks.json", known)
        catalogue.look_in(self.folder)
        self.addCleanup(catalogue.look_in, BUILT.parent)

    def tables(self, path: str) -> str:
        return "\n".join(map(as_text, tables_of(rows_of(load([Path(path)]).results).kept)))

    def test_a_benchmark_of_the_file_is_planned(self) -> None:
        found = list(expand(plan.parse("[ring]\nprocessors = 3, max", "a.plan"), 6, Overrides()))
        self.assertEqual([one.name for one in found], ["ring.mpi.3", "ring.mpi.6"])
        self.assertEqual([(one.ranks, one.rows) for one in found], [(3, 2), (6, 2)])
        self.assertIn("--processors 6", " ".join(found[1].words))
        with self.assertRaisesRegex(SuiteError, "a.plan:2: .*give 3 or more"):
            plan.parse("[ring]\nprocessors = 2", "a.plan")

    def test_its_rows_are_in_tables_with_a_column_of_the_file(self) -> None:
        said = self.tables(self.run_of("run", rounds(1))).splitlines()
        self.assertEqual(said[0], "ring")
        self.assertTrue(said[1].startswith("| processors | "), said[1])
        quantities = [line.split(" | ")[2] for line in said[2:5]]
        self.assertEqual(quantities, ["time, us", "frequency", "warmth, us"])
        self.assertIn("5.00 °", said[4])

    def test_what_its_definition_plots_is_drawn(self) -> None:
        rows = rows_of(load([Path(self.run_of("run", rounds(1)))]).results).kept
        pictures = {one.name: one for one in gallery(rows)}
        self.assertEqual(set(pictures), {"frequency-ring", "warmth-us-size-bytes"})
        frequency = pictures["frequency-ring"].panels[0]
        self.assertEqual(frequency.grid, [4, 8])
        self.assertEqual(pictures["warmth-us-size-bytes"].y.label, "warmth, us")

    def test_its_rows_are_compared_by_its_column_too(self) -> None:
        one, other = (self.run_of(name, rounds(seed)) for name, seed in (("one", 1), ("two", 2)))
        said, _ = self.driver("compare", one, other, "--all")
        self.assertIn("ring", said)
        self.assertRegex(said, r"(?m)warmth_us +.*4 procs")

    def test_a_benchmark_that_the_file_lacks_is_shown_with_what_rows_have(self) -> None:
        directory = self.run_of("run", rounds(1, "spiral"))
        said = self.tables(directory)
        self.assertTrue(said.startswith("spiral\n"), said)
        self.assertIn("mpi | 8 | frequency", said)
        self.driver("report", directory, "--pictures", "svg")
        self.driver("compare", directory, self.run_of("other", rounds(2, "spiral")))

    def test_a_file_that_cannot_be_used_is_named(self) -> None:
        for text in ("{}", '{"schema": "combench-benchmarks/1", "benchmarks": [{"name": "a"}]}'):
            path = self.folder / catalogue.FILE
            path.write_text(text, encoding="utf-8")
            with self.assertRaisesRegex(SuiteError, str(path)):
                catalogue.load(path)

    def test_a_formula_that_cannot_be_evaluated_is_named(self) -> None:
        def ring_of(change: dict[str, Any]) -> Json:
            return {**copy.deepcopy(RING), **change}

        mode, count = RING["modes"][0], RING["count"]
        for key, ring in (
            ("rows of ring", ring_of({"rows": "1 / (sizes - sizes)"})),
            ("modes.packets of ring", ring_of({"modes": [{**mode, "packets": "many"}]})),
            ("count.ranks of ring", ring_of({"count": {**count, "ranks": "sum(count)"}})),
            ("roles.ranks of ring", ring_of({"roles": [{"name": "node", "ranks": "count *"}]})),
        ):
            known: Json = json.loads(BUILT.read_text(encoding="utf-8"))
            known["benchmarks"].append(ring)
            path = self.folder / catalogue.FILE
            path.write_text(json.dumps(known), encoding="utf-8")
            with self.subTest(key), self.assertRaisesRegex(SuiteError, f"{path}: {key}: "):
                catalogue.load(path)


class Formulas(unittest.TestCase):
    def test_are_arithmetic_over_names(self) -> None:
        self.assertEqual(catalogue.evaluate("count * (count - 1) / 2", count=4), 6)
        self.assertEqual(catalogue.evaluate("1 + sum(stages)", stages=(4, 2, 1)), 8)

    def test_are_nothing_else(self) -> None:
        for formula in ("open('x')", "count.real", "other", "count **", "[1]", "2 ** 9", "1 / 0", "sum(1)"):
            with self.assertRaises(ValueError, msg=formula):
                catalogue.evaluate(formula, count=4)


if __name__ == "__main__":
    unittest.main()
