#!/usr/bin/python3
"""Files for packaging tools that are not in Debian: each is expanded and loaded with a stand-in for its tool,
and reads the figures of a real result."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).parent))
from test_tables import configured, output_of

SOURCE = Path(os.environ.get("srcdir", "."))
BUILD = Path(os.environ.get("builddir", "."))
PACKAGING = SOURCE / "packaging"
CATALOGUE = json.loads((BUILD / "benchmarks.json").read_text(encoding="utf-8"))
BENCHMARKS = {one["name"] for one in CATALOGUE["benchmarks"]}
VALUES = {
    "VERSION": "1.2.3", "URL": "https://localhost/c", "SOURCE_URL": "file:///t", "TARBALL": "c.tar.xz",
    "SHA256": "0" * 64,
}  # fmt: skip


def expanded(template: str, **values: str) -> subprocess.CompletedProcess[str]:
    words = [f"{name}={value}" for name, value in values.items()]
    command = [sys.executable, PACKAGING / "definitions.py", BUILD / "benchmarks.json", PACKAGING / template]
    return subprocess.run([*map(str, command), *words], capture_output=True, text=True, check=False)


def loaded(template: str, names: dict[str, Any]) -> dict[str, Any]:
    text = expanded(template, **VALUES).stdout
    exec(compile(re.sub(r"^from .* import .*$", "", text, flags=re.MULTILINE), template, "exec"), names)
    return names


def ignored(*_: Any, **__: Any) -> None:
    pass


class Directives:
    """Calls of a directive, by the first argument or `name`."""

    def __init__(self) -> None:
        self.calls: dict[str, dict[str, Any]] = {}

    def __call__(self, *words: str, **named: Any) -> None:
        self.calls[words[0] if words else named["name"]] = named


class Context:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class Packaging(unittest.TestCase):
    folder: ClassVar[Any]
    text: ClassVar[str]
    rows: ClassVar[list[dict[str, Any]]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        path = Path(cls.folder.name) / "result.json"
        output_of(2, "cb_oneway", "--sizes", "64,1024", "--max-time", "0.1", "--output", str(path))
        cls.text = path.read_text(encoding="utf-8")
        cls.rows = json.loads(cls.text)["results"]

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def test_a_value_that_is_not_set_is_named(self) -> None:
        found = expanded("package.py.in", VERSION="1")
        self.assertEqual(found.returncode, 2)
        self.assertIn("@SHA256@, which nothing sets", found.stderr)

    def test_the_recipe_of_spack_has_its_source_and_two_tests(self) -> None:
        names: dict[str, Any] = {"AutotoolsPackage": object}
        versions = Directives()
        names |= {name: ignored for name in ("license", "variant", "depends_on")} | {"version": versions}
        recipe = loaded("package.py.in", names)["Combench"]
        self.assertEqual(recipe.url, "file:///t/c.tar.xz")
        self.assertEqual(versions.calls["1.2.3"]["sha256"], "0" * 64)
        self.assertEqual(sorted(one for one in vars(recipe) if one.startswith("test_")), ["test_model", "test_two_ranks"])

    def test_the_configuration_of_easybuild_lists_all_programs(self) -> None:
        found = loaded("easyconfig.eb.in", {"SOURCELOWER_TAR_XZ": ""})
        programs = {one["program"] for one in CATALOGUE["benchmarks"]}
        self.assertLessEqual({f"bin/{one}" for one in programs}, set(found["sanity_check_paths"]["files"]))
        self.assertEqual(found["checksums"], ["0" * 64])

    def test_figures_of_merit_of_ramble_are_those_of_the_rows(self) -> None:
        executables, merits, contexts, workloads = (Directives() for _ in range(4))
        loaded(
            "ramble_application.py.in",
            {
                "ExecutableApplication": object, "executable": executables, "workload": workloads,
                "figure_of_merit": merits, "figure_of_merit_context": contexts, "when": lambda *_: Context(),
                "tags": ignored, "software_spec": ignored, "required_package": ignored,
                "workload_variable": ignored, "success_criteria": ignored,
            },
        )  # fmt: skip
        self.assertEqual(set(workloads.calls), BENCHMARKS)
        lines = [line for line in self.text.splitlines() if re.match(contexts.calls["row"]["regex"], line)]
        self.assertEqual(len(lines), len(self.rows))
        for line, row in zip(lines, self.rows, strict=True):
            shown = re.match(contexts.calls["row"]["regex"], line)
            assert shown is not None
            self.assertEqual((int(shown["size"]), shown["mode"]), (row["size_bytes"], row["mode"]))
            for name, merit in merits.calls.items():
                found = re.match(merit["fom_regex"], line)
                value = row.get(name)
                if isinstance(value, dict):
                    value = value.get("median", value.get("p50"))
                self.assertEqual(found and float(found["value"]), value and float(value), name)

    def test_figures_of_reframe_are_those_of_the_rows(self) -> None:
        module = types.ModuleType("reframe")
        names = {
            "_document": None, "json": json, "os": os, "Path": Path, "sn": None,
            "rfm": types.SimpleNamespace(RunOnlyRegressionTest=object, simple_test=lambda one: one),
            "parameter": list, "performance_function": None, "sanity_function": lambda one: one,
            "run_before": lambda _: lambda one: one, "variable": lambda _, value: value,
            "__file__": str(BUILD / "reframe_checks.py"), "__name__": module.__name__,
        }  # fmt: skip
        text = (PACKAGING / "reframe_checks.py").read_text(encoding="utf-8")
        text = re.sub(r"^(import reframe.*|from reframe.*)$", "", text, flags=re.MULTILINE)
        exec(compile(text, "reframe_checks.py", "exec"), names)
        test: Any = names["combench_check"]
        self.assertLessEqual(set(test.benchmark), BENCHMARKS)
        one = test()
        one.benchmark = test.benchmark[0]
        one.set_command()
        self.assertIn(one.executable, {each["program"] for each in CATALOGUE["benchmarks"]})
        figures: Any = names["figures"]
        found = figures(json.loads(self.text))
        values = {value for value, _ in found.values()}
        for row in self.rows:
            self.assertIn(row["frequency_Hz"], values)
        self.assertEqual(len([name for name in found if name.startswith("frequency_Hz_")]), len(self.rows))

    def test_the_citation_has_the_version_and_the_date_of_the_release(self) -> None:
        citation = (SOURCE / "CITATION.cff").read_text(encoding="utf-8")
        configure = (SOURCE / "configure.ac").read_text(encoding="utf-8")
        for key, pattern in {"version": r"AC_INIT\(\[combench\], \[(.*?)\]", "date-released": r"cb_release_date\], \[(.*?)\]"}.items():
            stated = re.search(pattern, configure)
            assert stated is not None
            self.assertIn(f"\n{key}: {stated[1]}\n", citation)


if __name__ == "__main__":
    if not configured().get("MPIRUN"):
        print("skipped: no launcher for MPI programs was found")
        sys.exit(77)
    unittest.main(verbosity=2)
