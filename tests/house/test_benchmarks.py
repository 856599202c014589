#!/usr/bin/python3
"""Benchmarks are known from their definitions: benchmarks.json is what the programs say of
themselves, and no other list of them is left, neither in the driver nor in a test."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import unittest
from pathlib import Path
from typing import Any, Iterator

SOURCE = Path(os.environ.get("srcdir", ".")).resolve()
BUILD = Path(os.environ.get("builddir", "build"))
KNOWN = json.loads((BUILD / "benchmarks.json").read_text(encoding="utf-8"))
BENCHMARKS: dict[str, Any] = {one["name"]: one for one in KNOWN["benchmarks"]}

# Where the name of a program may stand, beside the file of the benchmark itself.
ALLOWED = re.compile(
    r"benchmarks/(registry\.h|local\.mk)"
    r"|docs/.*|README\.md|CHANGES\.md|man/[a-z-]+\.[0-9]"
    r"|python/combench/predict/validate\.py"  # its manual page says what to measure with
    r"|packaging/(package\.py\.in|easyconfig\.eb\.in|debian/tests/.*)"  # a smoke test of one program
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


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The strings of a Python module, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


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
    """No module of python/combench has a table of benchmarks or of technologies."""

    def names_in(self, names: set[str]) -> list[str]:
        """Where a string is a name, or a list of names."""
        return [
            f"{path.relative_to(SOURCE)}:{line}: {text}"
            for path in sorted((SOURCE / "python/combench").rglob("*.py"))
            for line, text in texts(path)
            if text.split() and set(re.split(r"[\s,]+", text.strip())) <= names
        ]

    def test_names_no_benchmark(self) -> None:
        names = set(BENCHMARKS) | {f"cb_{name}" for name in BENCHMARKS}
        names |= {known[key] for known in BENCHMARKS.values() for key in ("id", "label")}
        # What is also something else: the column multicast, the group calibration, a verb of ccmod.
        keys = {one["key"] for one in KNOWN["columns"]} | {"calibrate"}
        keys |= {known["group"] for known in BENCHMARKS.values()}
        self.assertEqual(self.names_in(names - keys), [])

    def test_names_no_technology(self) -> None:
        known = {one["name"] for one in KNOWN["technologies"]}
        # MPI is also the library under all programs, which environments name, and the usual one.
        self.assertEqual(self.names_in(known - {"mpi"}), [])


if __name__ == "__main__":
    unittest.main()
