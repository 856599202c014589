#!/usr/bin/python3
"""Benchmarks are known from their definitions: benchmarks.json is what the programs say of themselves,
no other list of them is left, and the tables that the driver still has agree with it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ.get("srcdir", ".")).resolve()
BUILD = Path(os.environ.get("builddir", "build"))
sys.path.insert(0, str(SOURCE / "python"))
sys.dont_write_bytecode = True

from combench.common import benchmarks  # noqa: E402
from combench.predict import cases, columns, workloads  # noqa: E402
from combench.report import charts, gallery, tables  # noqa: E402

KNOWN = json.loads((BUILD / "benchmarks.json").read_text(encoding="utf-8"))
BENCHMARKS: dict[str, Any] = {one["name"]: one for one in KNOWN["benchmarks"]}

# Where the name of a program may stand, beside the file of the benchmark itself.
ALLOWED = re.compile(
    r"benchmarks/(registry\.h|local\.mk)"
    r"|docs/.*|README\.md|CHANGES\.md|man/[a-z-]+\.[0-9]"
    r"|python/combench/.*"  # its tables follow; until then they are held against the definitions below
    r"|scripts/(quickstart|slurm/.*)"
    r"|tools/ccmod/(calibrate|measurements.*|tool)\.[ch]"  # about results of one benchmark
    r"|tests/.*"  # about a benchmark; that none has a list is looked for apart
)
FOLDERS = ("benchmarks", "docs", "m4", "man", "packaging", "python", "scripts", "src", "tools", "tests")
SUFFIXES = {".c", ".h", ".mk", ".am", ".ac", ".m4", ".in", ".sh", ".bash", ".py", ".json", ".md", ""}


def files() -> list[Path]:
    found = [SOURCE / "Makefile.am", SOURCE / "configure.ac", SOURCE / "README.md"]
    for folder in FOLDERS:
        found += [path for path in (SOURCE / folder).rglob("*") if path.suffix in SUFFIXES]
    return [path for path in found if path.is_file() and "__pycache__" not in path.parts]


def evaluate(formula: str, **names: Any) -> int:
    return int(eval(formula, {"__builtins__": {"sum": sum}}, names))


def ranks_of(one: Any, text: str) -> int:
    """By the formula of a benchmark, for a count or shape as plans write it."""
    numbers = [int(part) for part in re.split("[x-]", text)]
    return evaluate(
        one["count"]["ranks"],
        count=numbers[0],
        sources=numbers[0],
        destinations=numbers[-1],
        stages=numbers,
    )


def rows_of(one: Any, shape: benchmarks.Shape) -> int:
    """By the formula of a benchmark, for one count beside the one that ratios refer to."""
    modes = [mode for mode in one["modes"] if mode["default"]]
    reference = one.get("ratio", {}).get("reference")
    return evaluate(
        one["rows"],
        modes=sum(mode.get("processors", 0) <= shape.ranks for mode in modes),
        counts=1 if reference is None or shape.text == str(reference) else 2,
        sizes=len(one["sizes_bytes"]),
        algorithms=len(one.get("algorithms_us", ())),
        multicasts=2,
        changing_sizes=len(one.get("changing_sizes_bytes", ())),
    )


class Definitions(unittest.TestCase):
    def test_every_file_of_a_benchmark_is_one_and_the_other_way_round(self) -> None:
        sources = {path.stem.removeprefix("cb_") for path in (SOURCE / "benchmarks").glob("cb_*.c")}
        self.assertEqual(sources, set(BENCHMARKS))

    def test_a_file_defines_one_constant_and_nothing_else_that_is_global(self) -> None:
        beginning = re.compile(r"^(?!static|typedef|enum|struct|#|/\*| |\}|\{|$).*", re.MULTILINE)
        for name in BENCHMARKS:
            text = (SOURCE / f"benchmarks/cb_{name}.c").read_text(encoding="utf-8")
            text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            self.assertEqual(beginning.findall(text), [f"const benchmark cb_{name} = {{"], name)

    def test_a_program_says_of_itself_what_stands_in_the_list(self) -> None:
        for name, known in BENCHMARKS.items():
            command = [BUILD / f"cb_{name}", "--describe"]
            told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            self.assertEqual(told, {"schema": "combench-benchmarks/1", "benchmarks": [known]})

    def test_the_list_is_valid(self) -> None:
        try:
            import jsonschema
        except ImportError:
            self.skipTest("the module jsonschema is not here")
        path = SOURCE / "docs/combench-benchmarks-1.schema.json"
        jsonschema.Draft202012Validator(json.loads(path.read_text("utf-8"))).validate(KNOWN)

    def test_figures_and_plots_are_of_columns_of_results(self) -> None:
        columns_known = {one["key"] for one in KNOWN["columns"]}
        schema = SOURCE / "docs/combench-result-1.schema.json"
        fits = json.loads(schema.read_text("utf-8"))["$defs"]["fit"]["properties"]
        for name, known in BENCHMARKS.items():
            for figure in known["figures"]:
                self.assertIn(figure["column"], columns_known | fits.keys(), name)
            for plot in known["plots"]:
                self.assertLessEqual({plot["column"], plot["against"]}, columns_known, name)
            self.assertIn(known["count"]["column"], columns_known)

    def test_options_name_the_programs_that_take_them(self) -> None:
        for name, known in BENCHMARKS.items():
            taken = [row["name"] for row in KNOWN["options"] if f"cb_{name}" in row["programs"]]
            self.assertEqual(taken, known["options"], name)

    def test_options_that_are_times_take_units(self) -> None:
        times = [row for row in KNOWN["options"] if row.get("key", "").endswith(("_us", "_s"))]
        self.assertIn("deadline-us", {row["name"] for row in times})
        for row in times:
            self.assertEqual(row.get("unit"), row["key"].rsplit("_", 1)[1], row["name"])


class OneList(unittest.TestCase):
    def test_programs_are_named_in_few_places(self) -> None:
        for path in files():
            place = path.relative_to(SOURCE).as_posix()
            if ALLOWED.fullmatch(place):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            for name in BENCHMARKS:
                if place != f"benchmarks/cb_{name}.c" and re.search(rf"\bcb_{name}\b", text):
                    self.fail(f"{place} names cb_{name}: let it ask the definitions")

    def test_no_test_has_a_list(self) -> None:
        for path in files():
            place = path.relative_to(SOURCE).as_posix()
            if not place.startswith("tests/"):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            named = [name for name in BENCHMARKS if re.search(rf"\b(cb_)?{name}\b", text)]
            self.assertLess(len(named), len(BENCHMARKS) - 1, f"{place} names {named}")


class Driver(unittest.TestCase):
    """What python/combench has in tables of its own is what the definitions say. It may lack a new one."""

    def test_benchmarks(self) -> None:
        for name, table in benchmarks.BENCHMARKS.items():
            known = BENCHMARKS[name]
            modes = [mode for mode in known["modes"] if mode["default"]]
            of_two = [mode for mode in modes if mode.get("processors") == 2]
            with self.subTest(name):
                self.assertEqual(table.number, known["id"])
                self.assertEqual(table.modes, len(modes))
                self.assertEqual(table.modes_of_two, len(of_two))
                self.assertEqual(list(table.occupations), known["occupations"])
                self.assertEqual(table.algorithms, "algorithms_us" in known)
                self.assertEqual(table.fit, "fit" in known)
                self.assertEqual(table.reference, known.get("ratio", {}).get("reference", 0))
                self.assertEqual(table.lists, "lists" in known)
                self.assertEqual(list(table.counted.usual), known["count"]["usual"] or ["max"])

    def test_ranks_and_rows(self) -> None:
        for name, table in benchmarks.BENCHMARKS.items():
            known = BENCHMARKS[name]
            algorithms = len(known.get("algorithms_us", ()))
            for text in known["count"]["usual"] or ["2", "3"]:
                shape = table.counted.parse(text)
                with self.subTest(name, shape=text):
                    self.assertEqual(shape.ranks, ranks_of(known, text))
                    self.assertEqual(
                        table.rows(None, shape, "none", algorithms), rows_of(known, shape)
                    )

    def test_other_tables_name_benchmarks_alone(self) -> None:
        of_two_nodes = [*gallery._TWO_NODES, *gallery._PATTERNS]
        of_modes = [name for name, _ in columns.FIGURES]
        for names in (
            charts._TITLES, tables._SHAPES, tables._QUANTITIES, cases._SHAPES, workloads.WORKLOADS,
            of_two_nodes, of_modes,
        ):  # fmt: skip
            self.assertLessEqual(set(names), set(BENCHMARKS))

    def test_modes_with_figures_are_modes(self) -> None:
        for name, mode in columns.FIGURES:
            self.assertIn(mode, [one["name"] for one in BENCHMARKS[name]["modes"]])

    def test_tables_of_the_report_have_the_usual_counts(self) -> None:
        for name, (_, usual) in tables._SHAPES.items():
            if usual:
                told = [text.replace(" to ", "x") for text in usual]
                self.assertEqual(told, BENCHMARKS[name]["count"]["usual"], name)


if __name__ == "__main__":
    unittest.main()
