#!/usr/bin/python3
"""docs/reproduction: its pages follow from the kept results, and every figure in a column "here" is
one of them; a run that fails or is interrupted keeps what it should."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ.get("srcdir", ".")).resolve()
FOLDER = SOURCE / "docs/reproduction"
UPDATE = "scripts/reproduce --tables"
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))

reproduce = importlib.import_module("reproduce")  # which finds the others and the driver
pages = importlib.import_module("page")
measuring = importlib.import_module("steps")


def written(name: str, results: Path) -> dict[str, str]:
    """The page and the pictures that the kept results give, by their names."""
    made = pages.text_of(name, importlib.import_module(name), pages.Kept(results))
    return {f"{name}.md": str(made), **made.pictures}


def cells_here(text: str) -> list[str]:
    """The cells of the columns "here" of a page's tables, in order."""
    found, columns = [], []
    for line in text.splitlines():
        if not line.startswith("| "):
            columns = []
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not columns:
            columns = [index for index, head in enumerate(cells) if re.match(r"here\b", head)]
        else:
            found += [cells[index] for index in columns if not set(cells[index]) <= {"-"}]
    return found


# Numbers that name what was measured; all others are figures. What names a row is in the schema.
_SCHEMA = json.loads((SOURCE / "docs/combench-result-1.schema.json").read_text(encoding="utf-8"))
NAMES = {key for key, one in _SCHEMA["$defs"]["row"]["properties"].items() if one.get("x-identity")}
NAMES |= {"from_bytes", "to_bytes", "processors", "sources", "destinations"}


def _has_rows(value: Any) -> bool:
    """As `processors` of a document of ccmod, which elsewhere is a number."""
    return isinstance(value, list) and any(isinstance(one, dict) for one in value)


def shaken(value: Any, chance: random.Random, texts: bool = False) -> Any:
    """A document with every figure multiplied by a number of its own, and other texts of the machine."""
    if isinstance(value, dict):
        return {
            key: one
            if key in NAMES and not _has_rows(one)
            else shaken(one, chance, texts or key == "environment")
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [shaken(one, chance, texts) for one in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (value + 1) * chance.uniform(2, 50)
    return f"another {value}" if texts and isinstance(value, str) else value


def other(path: Path) -> Any:
    """A kept document with other figures; a result also has one row more."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if path.name == measuring.STEPS or not isinstance(document, dict):
        return document
    changed = shaken(document, random.Random(path.name))
    rows = changed.get("results")
    return {**changed, "results": rows + rows[-1:]} if isinstance(rows, list) else changed


class Pages(unittest.TestCase):
    def test_pages_follow_from_the_kept_results(self) -> None:
        for name in reproduce.PAGES:
            with self.subTest(page=name), tempfile.TemporaryDirectory() as folder:
                reproduce.main(["--tables", name, "--into", folder])
                made = {path.relative_to(folder): path for path in Path(folder).rglob("*") if path.is_file()}
                self.assertIn(Path(f"{name}.md"), made)
                for file, path in made.items():
                    kept = (FOLDER / file).read_text(encoding="utf-8")
                    self.assertEqual(path.read_text(encoding="utf-8"), kept, f"{file} is not up to date: {UPDATE}")

    def test_every_figure_here_comes_from_a_kept_document(self) -> None:
        """When all figures of the documents change, so does every cell that has one."""
        for name in reproduce.PAGES:
            before = cells_here(written(name, FOLDER / "results" / name)[f"{name}.md"])
            self.assertGreater(len([cell for cell in before if re.search(r"\d", cell)]), 10, name)
            with tempfile.TemporaryDirectory() as folder:
                for path in (FOLDER / "results" / name).glob("*.json"):
                    (Path(folder) / path.name).write_text(json.dumps(other(path)), encoding="utf-8")
                after = cells_here(written(name, Path(folder))[f"{name}.md"])
            self.assertEqual(len(before), len(after), name)
            same = [old for old, new in zip(before, after) if old == new and re.search(r"\d", old)]
            self.assertEqual([cell for cell in same if not cell.startswith("not reproduced: ")], [], name)

    def test_a_page_without_results_says_so_in_every_cell(self) -> None:
        for name in reproduce.PAGES:
            with self.subTest(page=name), tempfile.TemporaryDirectory() as folder:
                cells = cells_here(written(name, Path(folder))[f"{name}.md"])
                self.assertTrue(cells)
                self.assertEqual([cell for cell in cells if "not reproduced" not in cell], [])

    def test_a_document_of_another_launch_is_named(self) -> None:
        kept = pages.Kept(FOLDER / "results/note48")
        name, document = next(kept.results())
        self.assertNotIn("2001-02-03", str(pages.text_of("note48", importlib.import_module("note48"), kept)))
        document["started"] = "2001-02-03T04:05:06Z"
        made = str(pages.text_of("note48", importlib.import_module("note48"), kept))
        self.assertIn(f"In another launch, on 2001-02-03: `{name}`", made)

    def test_kept_results_conform_to_their_schema(self) -> None:
        try:
            documents = importlib.import_module("combench.common.documents")
            importlib.import_module("fastjsonschema")
        except ImportError:
            self.skipTest("the module fastjsonschema is not here")
        for path in sorted(FOLDER.glob("results/*/*.json")):
            kind = json.loads(path.read_text(encoding="utf-8")).get("schema", "").partition("/")[0]
            if (SOURCE / f"docs/{kind}-1.schema.json").is_file():
                documents.read_checked(path, kind)

    def test_every_step_has_a_name_of_its_own(self) -> None:
        for name in reproduce.PAGES:
            names = [step.name for step in importlib.import_module(name).steps(2)]
            self.assertEqual(len(names), len(set(names)), name)

    def test_all_pages_take_less_than_45_minutes(self) -> None:
        seconds = [step.seconds for name in reproduce.PAGES for step in importlib.import_module(name).steps(2)]
        self.assertLess(sum(seconds), 45 * 60)


def trial(*steps: Any) -> Any:
    """A page of one table, with these steps."""

    def write(kept: Any, page: Any) -> None:
        page.table(["what", "here"], [["a", str(kept.document("a"))], ["b", str(kept.document("b"))]])

    return types.SimpleNamespace(TITLE="Trial", steps=lambda cores: list(steps), write=write)


class Measuring(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.addCleanup(sys.modules.pop, "trial", None)

    def measure(self, *steps: Any) -> int:
        sys.modules["trial"] = trial(*steps)
        with contextlib.redirect_stderr(io.StringIO()):
            return int(reproduce.measure_pages(["trial"], self.folder / "build", self.folder, self.folder))

    def page(self) -> str:
        return (self.folder / "trial.md").read_text(encoding="utf-8")

    def step(self, name: str, text: str) -> Any:
        return measuring.shell(name, text, seconds=1)

    def test_a_failed_step_leaves_the_others_and_its_reason(self) -> None:
        status = self.measure(
            self.step("a", "echo 'error: no such card' >&2; exit 3"),
            self.step("b", "echo '{\"schema\": \"any/1\", \"here\": 5}' >$keep/b.json"),
        )
        self.assertEqual(status, 1)
        self.assertIn("not reproduced: exit status 3: error: no such card", self.page())
        self.assertIn("'here': 5", self.page())

    def test_a_damaged_document_is_a_reason(self) -> None:
        status = self.measure(self.step("a", "echo '{' >$keep/a.json"), self.step("b", "true"))
        self.assertEqual(status, 1)
        self.assertIn("not reproduced: its document is damaged", self.page())

    def test_an_interrupted_run_leaves_the_kept_results(self) -> None:
        self.assertEqual(self.measure(self.step("a", "echo '{\"first\": 1}' >$keep/a.json")), 0)
        before = self.page()
        again = self.step("a", "echo '{\"second\": 2}' >$keep/a.json")
        with self.assertRaises(measuring.Interrupted):
            self.measure(again, self.step("b", f"kill -TERM {os.getpid()}; sleep 60"))
        self.assertEqual(self.page(), before)
        self.assertEqual(json.loads((self.folder / "trial/a.json").read_text(encoding="utf-8")), {"first": 1})

    def test_documents_have_no_folders_of_this_machine(self) -> None:
        self.measure(self.step("a", "echo \"{\\\"file\\\": \\\"$keep/a.json\\\"}\" >$keep/a.json"), self.step("b", "$build/no"))
        for path in (self.folder / "trial").iterdir():
            self.assertNotIn(str(self.folder), path.read_text(encoding="utf-8"))


class Usage(unittest.TestCase):
    def test_an_unknown_page_is_refused_with_the_known_ones(self) -> None:
        ended = subprocess.run([SOURCE / "scripts/reproduce", "any"], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn(f"no page 'any'; use {pages.joined(reproduce.PAGES, 'or')}", ended.stderr)

    def test_figures_are_written_with_their_intervals(self) -> None:
        row = {"t": {"median": 12.345, "ci95": [12.1, 12.5]}, "rate": 17980.4, "small": 0.0042}
        self.assertEqual(pages.figure(row, "t", "us"), "12.3 ± 0.2 us")
        self.assertEqual(pages.figure(row, "rate"), "17980")
        self.assertEqual(pages.figure(row, "small"), "0.00420")
        self.assertEqual(pages.figure({"count": 7}, "count"), "7")
        self.assertEqual(pages.figure(row, "none"), "not reproduced: the row has no none")
        self.assertEqual(pages.figure(pages.Missing("no card"), "t"), "not reproduced: no card")


if __name__ == "__main__":
    unittest.main()
