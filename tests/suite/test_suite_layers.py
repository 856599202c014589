#!/usr/bin/env python3
"""Which module of the driver imports which: no circle, and one direction between its folders.

All imports count, those within functions and those for type checking too.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import unittest
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Iterator

TOP = Path(__file__).resolve().parent.parent.parent
PACKAGE = TOP / "python" / "combench"
# What a folder, or a module at the top, may import besides itself.
ALLOWED = {
    "common": frozenset[str](),
    "suite": frozenset({"common"}),
    "compare": frozenset({"common"}),
    "predict": frozenset({"common"}),
    "report": frozenset({"common"}),
    "manual": frozenset[str](),
    "main": frozenset({"common", "manual"}),
}


def modules() -> dict[str, Path]:
    """By their names: common.errors."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }


def imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [str(node.module), *(f"{node.module}.{one.name}" for one in node.names)]
        for name in names:
            short = name.removeprefix("combench.")
            if name.startswith("combench.") and short in known:
                yield short


class Layers(unittest.TestCase):
    def setUp(self) -> None:
        self.known = modules()
        self.graph = {
            name: set(imported(path, self.known)) - {name} for name, path in self.known.items()
        }

    def test_no_modules_import_each_other_in_a_circle(self) -> None:
        try:
            list(TopologicalSorter(self.graph).static_order())
        except CycleError as error:
            self.fail(f"a circle: {' <- '.join(error.args[1])}")

    def test_folders_use_what_is_below_them_alone(self) -> None:
        for name, others in self.graph.items():
            folder = name.partition(".")[0]
            for other in others:
                beside = other.partition(".")[0]
                with self.subTest(module=name, imports=other):
                    self.assertIn(beside, ALLOWED[folder] | {folder})

    def test_run_needs_only_the_standard_library(self) -> None:
        """In a python3 that has no other module at all, and without any of the other verbs."""
        probe = (
            "import sys; sys.path.insert(0, sys.argv[1]); import combench.suite.run;"
            "print(*(name for name in sys.modules if name.startswith('combench.')))"
        )
        said = subprocess.run(
            [sys.executable, "-I", "-S", "-c", probe, str(TOP / "python")],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        folders = {name.split(".")[1] for name in said.split()}
        self.assertEqual(folders, {"common", "suite"})


if __name__ == "__main__":
    unittest.main()
