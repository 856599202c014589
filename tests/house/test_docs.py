#!/usr/bin/python3
"""The documentation holds together: every link leads to a file and a heading that exist, every page is
reachable from docs/README.md, the tarball contains every file, and what is made of the code (tables of
options, parameters and counters; pictures) is up to date. UPDATE_GOLDEN=1 updates it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ.get("srcdir", ".")).resolve()
BUILD = Path(os.environ.get("builddir", "build"))
DOCS = SOURCE / "docs"
UPDATE = "UPDATE_GOLDEN=1 make check TESTS=tests/house/test_docs.py"
sys.dont_write_bytecode = True

Json = dict[str, Any]

PAGES = [SOURCE / name for name in ("README.md", "CONTRIBUTING.md", "CHANGES.md")]
PAGES += sorted(DOCS.rglob("*.md"))

# Where pages, examples and pictures are named in comments, messages and scripts.
FOLDERS = ("docs", "benchmarks", "man", "packaging", "python", "scripts", "src", "tests", "tools", ".ci", "m4")
NAMED = re.compile(r"\bdocs/[\w./-]+\.(?:md|json|svg|png|cct|cal|plan)\b")
# A source as pages name it: by its path, or by the path below src, a part of it, or the driver's package.
SOURCES = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)+[\w-]+\.(?:c|h|def|py|sh|mk|plan|cct|cal)\b")
ROOTS = (".", "src", "src/model", "src/model/include", "src/transport", "python/combench")
# What is released is never changed, and test_docs.py and its like name no page for people.
UNCHANGED = ("tests/suite/released/",)


def prose(path: Path) -> str:
    """A page without its code: blocks between fences, indented blocks and words between back quotes."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?<=\n\n)(?: {4,}[^\n]*\n|\n)+", "", text)
    return re.sub(r"`[^`\n]*`", "", text)


def links(path: Path) -> list[str]:
    """The targets of a page's links and pictures, but for those outside of the project."""
    found = re.findall(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)", prose(path))
    return [one for one in found if not re.match(r"[a-z]+:", one)]


def anchors(path: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", text, re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        same = sum(1 for one in found if re.fullmatch(re.escape(name) + r"(-\d+)?", one))
        found.add(f"{name}-{same}" if name in found else name)
    return found


def target(page: Path, link: str) -> tuple[Path, str]:
    """The file and the anchor of a link."""
    file, _, anchor = link.partition("#")
    return ((page.parent / file).resolve() if file else page), anchor


def references() -> Iterator[tuple[Path, str]]:
    """The files of docs that are named in plain text, each with the file that names it."""
    for folder in FOLDERS:
        for path in sorted((SOURCE / folder).rglob("*")):
            name = path.relative_to(SOURCE).as_posix()
            if not path.is_file() or "__pycache__" in name or name.startswith(UNCHANGED):
                continue
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            for found in NAMED.findall(text):
                yield path, found


class Links(unittest.TestCase):
    def test_links_lead_to_files_and_headings(self) -> None:
        wrong = []
        for page in PAGES:
            for link in links(page):
                file, anchor = target(page, link)
                if not file.exists():
                    wrong.append(f"{page.relative_to(SOURCE)}: {link}: no such file")
                elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                    wrong.append(f"{page.relative_to(SOURCE)}: {link}: no such heading")
        self.assertEqual(wrong, [])

    def test_every_page_is_reachable_from_the_index(self) -> None:
        found, open_ones = set(), [DOCS / "README.md"]
        while open_ones:
            page = open_ones.pop()
            if page in found or not page.is_file():
                continue
            found.add(page)
            files = (target(page, link)[0] for link in links(page))
            open_ones += [one for one in files if one.suffix == ".md" and one.is_relative_to(DOCS)]
        self.assertEqual(set(DOCS.rglob("*.md")) - found, set())

    def test_schemas_are_linked(self) -> None:
        linked = {target(page, link)[0] for page in PAGES for link in links(page)}
        self.assertEqual(set(DOCS.glob("*.schema.json")) - linked, set())

    def test_files_of_docs_that_are_named_in_text_exist(self) -> None:
        wrong = [
            f"{path.relative_to(SOURCE)}: {name}"
            for path, name in references()
            if not (SOURCE / name).is_file()
        ]
        self.assertEqual(wrong, [])

    def test_sources_that_pages_name_exist(self) -> None:
        wrong = [
            f"{page.relative_to(SOURCE)}: {name}"
            for page in PAGES
            if page.name != "CHANGES.md"  # older releases had other files
            for name in SOURCES.findall(page.read_text(encoding="utf-8"))
            if "NAME" not in name and not any((SOURCE / root / name).is_file() for root in ROOTS)
        ]
        self.assertEqual(wrong, [])

    def test_links_and_headings_of_a_page_are_found_and_code_is_not(self) -> None:
        text = (
            "# Any page\n\n[a](b.md#c) and ![p](d.svg \"t\"), [w](https://x.org)\nand `[no](e.md)`\n\n"
            "    [no](f.md)\n\n```\n# no\n[no](g.md)\n```\n\n## Two `words`, once\n\n## Any page\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text(text, encoding="utf-8")
            self.assertEqual(links(page), ["b.md#c", "d.svg"])
            self.assertEqual(anchors(page), {"any-page", "two-words-once", "any-page-1"})
            self.assertEqual(target(page, "b.md#c"), (page.parent.resolve() / "b.md", "c"))


class Readme(unittest.TestCase):
    text = (SOURCE / "README.md").read_text(encoding="utf-8")

    def test_it_has_at_most_1200_words(self) -> None:
        self.assertLessEqual(len(self.text.split()), 1200)

    def test_rows_of_its_example_are_those_of_the_page(self) -> None:
        rows = re.findall(r"^ +\d[\d. ]+[*!?~]+$", self.text, re.MULTILINE)
        self.assertGreater(len(rows), 3)
        page = (DOCS / "using/benchmarks.md").read_text(encoding="utf-8").splitlines()
        self.assertEqual([row for row in rows if row not in page], [])


class Tarball(unittest.TestCase):
    def test_local_mk_lists_every_file_and_nothing_else(self) -> None:
        text = (DOCS / "local.mk").read_text(encoding="utf-8").replace("%D%", "docs")
        patterns = re.findall(r"(?:\$\(srcdir\)/)?(docs/[\w./*-]+)", text)
        listed: set[Path] = set()
        for pattern in patterns:
            files = set(SOURCE.glob(pattern))
            self.assertTrue(files, f"docs/local.mk: {pattern}: no such file")
            listed |= files
        files = {one for one in DOCS.rglob("*") if one.is_file() and "__pycache__" not in one.parts}
        self.assertEqual(files - listed - {DOCS / "local.mk"}, set(), "not in docs/local.mk")


def quoted(text: str) -> str:
    """A cell of a table."""
    return text.replace("|", "\\|")


def table(heads: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:]]) + "\n"


def size_text(value: int) -> str:
    """A size in the units of configuration files."""
    for factor, unit in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if value >= factor and value % factor == 0:
            return f"{value // factor} {unit}"
    return f"{value} bytes" if value else "0"


def value_text(row: Json, key: str) -> str:
    """A limit or default of a parameter."""
    if key not in row:
        return ""
    if row["type"] == "size":
        return size_text(row[key])
    return f"{row[key]}{' ' + row['unit'] if row.get('unit') else ''}"


def parameters(known: Json, technology: str) -> str:
    rows = []
    for one in next(tech for tech in known["technologies"] if tech["name"] == technology)["parameters"]:
        least, most = value_text(one, "minimum"), value_text(one, "maximum")
        limits = f"{least} to {most}"
        if one["type"] == "flag":
            limits = "0, 1"
        elif one["type"] == "choice":
            limits = ", ".join(f"`{choice}`" for choice in one["choices"])
        elif one["type"] == "text":
            limits = "text"
        rows.append([f"`{one['name']}`", value_text(one, "default"), limits, quoted(one["help"])])
    return table(["parameter", "default", "range", "meaning"], rows)


def counters(known: Json, technology: str) -> str:
    found = next(tech for tech in known["technologies"] if tech["name"] == technology)["counters"]
    rows = [[f"`{one['key']}`", one["unit"], quoted(one["meaning"])] for one in found]
    return table(["key", "unit", "meaning"], rows)


def host_counters(known: Json) -> str:
    rows = [
        [f"`{one['key']}`", one["unit"], "%" if one.get("marked") else "", quoted(one["meaning"])]
        for one in known["host_counters"]
    ]
    return table(["key", "unit", "mark", "meaning"], rows)


def programs_text(known: Json, programs: list[str]) -> str:
    """The programs that take an option: all, all but a few, or a list."""
    others = [one["program"] for one in known["benchmarks"] if one["program"] not in programs]
    if not others:
        return "all"
    if len(others) < len(programs):
        return "all but " + ", ".join(f"`{one}`" for one in others)
    return ", ".join(f"`{one}`" for one in programs)


def options(known: Json) -> str:
    rows = []
    for one in known["options"]:
        name = f"{one['name']}{' ' + one['argument'] if 'argument' in one else ''}"
        name = f"`{one['argument']}`" if one["type"] == "operand" else f"`--{name}`"
        values = ", ".join(f"`{choice}`" for choice in one.get("choices", []))
        default = one.get("default", "")
        unit = f" {one['unit']}" if default and "unit" in one else ""
        parts = [one["help"], one.get("more", "").rstrip("."), f"One of {values}" if values else ""]
        meaning = quoted(". ".join(filter(None, parts)))
        key = f"`{one['key']}`" if "key" in one else ""
        rows.append([name, programs_text(known, one["programs"]), default + unit, meaning, key])
    return table(["option", "programs", "default", "meaning", "key"], rows)


def marks(known: Json) -> str:
    rows = [[f"`{one['sign']}`", quoted(one["meaning"]), quoted(one["remedy"])] for one in known["marks"]]
    return table(["mark at the end of a row", "meaning", "what to do"], rows)


MADE: dict[str, Callable[..., str]] = {
    "options": options,
    "parameters": parameters,
    "counters": counters,
    "host_counters": host_counters,
    "marks": marks,
}
MARKS = re.compile(r"<!-- generated: (?P<what>[^\n]*) -->\n(?P<text>.*?)<!-- end -->\n", re.DOTALL)


class Made(unittest.TestCase):
    maxDiff = None

    def assert_made(self, path: Path, text: str) -> None:
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(text, encoding="utf-8")
        self.assertMultiLineEqual(
            path.read_text(encoding="utf-8"), text, f"{path.name} is not up to date: {UPDATE}"
        )

    def test_tables_are_those_of_the_code(self) -> None:
        known = json.loads((BUILD / "benchmarks.json").read_text(encoding="utf-8"))

        def written(found: re.Match[str]) -> str:
            what, *arguments = found["what"].split()
            text = "\n" + MADE[what](known, *arguments) + "\n"
            return f"<!-- generated: {found['what']} -->\n{text}<!-- end -->\n"

        count = 0
        for page in sorted(DOCS.rglob("*.md")):
            text = page.read_text(encoding="utf-8")
            count += len(MARKS.findall(text))
            self.assert_made(page, MARKS.sub(written, text))
        self.assertGreaterEqual(count, 5)

    def test_every_technology_with_parameters_has_its_table(self) -> None:
        known = json.loads((BUILD / "benchmarks.json").read_text(encoding="utf-8"))
        text = (DOCS / "reference/technologies.md").read_text(encoding="utf-8")
        for one in known["technologies"]:
            if one["parameters"]:
                self.assertIn(f"<!-- generated: parameters {one['name']} -->", text)
            # Technologies that share their counters share the table.
            if one["counters"]:
                sharing = [other["name"] for other in known["technologies"] if other["counters"] == one["counters"]]
                self.assertRegex(text, f"<!-- generated: counters ({'|'.join(sharing)}) -->")

    def module(self, script: str) -> Any:
        """A script of docs/images, which knows its pictures."""
        spec = importlib.util.spec_from_file_location(script, DOCS / "images" / f"{script}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[script] = module  # dataclasses look for it there
        spec.loader.exec_module(module)
        return module

    def test_pictures_are_those_of_their_scripts(self) -> None:
        for script, picture in (("layers", "layers"), ("sci_message", "sci-message")):
            text = self.module(script).picture()
            self.assert_made(DOCS / "images" / f"{picture}.svg", text)
        patterns = self.module("patterns")
        for one in patterns.pictures():
            self.assert_made(DOCS / "images" / f"pattern-{one.name}.svg", patterns.draw(one))


if __name__ == "__main__":
    unittest.main()
