#!/usr/bin/env python3
"""The report as a file: well-formed, without any reference to the outside, with every picture, and
shown by a browser. One report of the fixed results serves all tests."""

from __future__ import annotations

import base64
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Optional

from stage import HERE, TOP

LIMIT_S = 240
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
VOID = {"meta", "img", "br", "hr", "link", "input"}
SIGNATURES = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
WIDTH = 1100


class Reader(HTMLParser):
    """Elements that are not closed in their order, references, and pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.references: list[str] = []
        self.anchors: set[str] = set()
        self.pictures: list[dict[str, Optional[str]]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, Optional[str]]]) -> None:
        known = dict(attributes)
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "img":
            self.pictures.append(known)
        self.references += [known[key] or "" for key in ("src", "href") if key in known]
        if known.get("id"):
            self.anchors.add(known["id"] or "")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")


class Page(unittest.TestCase):
    folder: Path
    page: str
    reader: Reader

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="combench-report-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        shutil.copytree(HERE / "report", cls.folder / "run")
        command = [sys.executable, str(TOP / "scripts" / "combench"), "report"]
        environment = {**os.environ, "MPLCONFIGDIR": str(cls.folder)}
        ended = subprocess.run(
            [*command, str(cls.folder / "run"), "--required-rate", "100kHz"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LIMIT_S,
            env=environment,
        )
        if ended.returncode != 0:
            raise AssertionError(ended.stderr)
        cls.page = (cls.folder / "run" / "report.html").read_text(encoding="utf-8")
        cls.reader = Reader()
        cls.reader.feed(cls.page)

    def test_elements_are_closed_in_their_order(self) -> None:
        self.assertEqual((self.reader.faults, self.reader.open), ([], []))

    def test_nothing_refers_to_the_outside(self) -> None:
        for reference in self.reader.references:
            self.assertRegex(reference, r"^(#|data:image/svg\+xml;base64,)", reference[:80])
        for reference in self.reader.references:
            if reference.startswith("#"):
                self.assertIn(reference[1:], self.reader.anchors)
        style = self.page[: self.page.index("</style>")]
        self.assertNotRegex(style, r"url\(|@import|https?:")
        self.assertFalse(self.reader.tags & {"script", "link", "iframe", "object"})

    def test_every_picture_is_there_in_every_form(self) -> None:
        folder = self.folder / "run" / "report-pictures"
        names = sorted(path.stem for path in folder.glob("*.svg"))
        self.assertGreater(len(names), 10)
        drawn = [one for one in self.reader.pictures if one.get("class") != "diagram"]
        self.assertEqual(len(drawn), len(names))
        for name in names:
            for form, signature in SIGNATURES.items():
                drawing = (folder / f"{name}.{form}").read_bytes()
                self.assertTrue(drawing.startswith(signature), f"{name}.{form}")

    def test_every_picture_is_a_drawing_that_stands_alone(self) -> None:
        for picture in self.reader.pictures:
            self.assertTrue(picture["alt"])
            drawing = base64.b64decode((picture["src"] or "").partition(",")[2])
            for element in ElementTree.fromstring(drawing).iter():
                for key, value in element.attrib.items():
                    if key.endswith("href"):
                        self.assertTrue(value.startswith("#"), value)

    def test_the_words_of_the_user_stand_in_it_as_they_were(self) -> None:
        for words in (
            "We take the <strong>pull farm</strong> if <code>p99</code> &amp; the price",
            "&lt;script&gt;alert",
            "Switches of that kind cost less",
            "<title>Fixed results &lt;of a test&gt;</title>",
        ):
            self.assertTrue(words in self.page, f"the page lacks: {words}")

    def test_what_was_to_be_measured_and_was_not_is_named(self) -> None:
        for words in (
            "not measured: timed out: it did not end in time",
            "not measured: left out: 13 ranks, and there are 9 cores",
            "1 measurement of the plan failed",
            "Not measured: 1.2 two-way, 1.4 pairs, 1.5 outfarming, 1.6 multicasting.",
        ):
            self.assertTrue(words in self.page, f"the page lacks: {words}")

    def test_every_figure_of_the_tables_has_an_interval_or_a_mark(self) -> None:
        cells = re.findall(r'<td class="figure">(.*?)</td>', self.page, re.DOTALL)
        bare = [
            cell
            for cell in cells
            if re.match(r"[-0-9.]+( [kMG]?Hz)?$", cell.strip()) and cell.strip() not in ("-", "0")
        ]
        self.assertGreater(len(cells), 100)
        self.assertEqual([cell for cell in bare if cell not in self._fits()], [])

    def _fits(self) -> set[str]:
        """Parameters of fits have a residual in place of an interval."""
        head = self.page.index("rms residual, us</th>")
        return set(
            re.findall(
                r'<td class="figure">(.*?)</td>',
                self.page[head : self.page.index("</table>", head)],
            )
        )

    def test_each_benchmark_with_a_diagram_has_it_once_before_its_tables(self) -> None:
        diagrams = [one for one in self.reader.pictures if one.get("class") == "diagram"]
        files = {path.stem for path in (TOP / "docs/images").glob("pattern-*.svg")}
        measured = {path.stem.split("-")[0] for path in (HERE / "report").glob("*.json")}
        wanted = {name for name in measured if f"pattern-{name}" in files}
        self.assertEqual(len(diagrams), len(wanted))
        self.assertEqual(len({one["src"] for one in diagrams}), len(wanted))

    def test_a_browser_shows_all_pictures_and_nothing_is_too_wide(self) -> None:
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            self.skipTest("no Chromium is here")
        script = (
            "<script>addEventListener('load', () => { document.body.dataset.found = ["
            "[...document.images].filter(one => one.complete && one.naturalWidth > 0).length,"
            "performance.getEntriesByType('resource').filter(one => !one.name.startsWith('data:'))"
            ".length, document.documentElement.scrollWidth].join(' '); });</script>"
        )
        shown = self.folder / "shown.html"
        shown.write_text(self.page.replace("</body>", script + "</body>"), encoding="utf-8")
        ended = subprocess.run(
            [
                *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
                *(f"--user-data-dir={self.folder / 'browser'}", f"--window-size={WIDTH},900"),
                shown.as_uri(),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=LIMIT_S,
        )
        found = re.search(r'data-found="(\d+) (\d+) (\d+)"', ended.stdout)
        assert found is not None, ended.stdout[:2000]
        pictures, fetched, width = map(int, found.groups())
        self.assertEqual(pictures, len(self.reader.pictures))
        self.assertEqual(fetched, 0)
        self.assertLessEqual(width, WIDTH)


if __name__ == "__main__":
    for module, package in (("matplotlib", "python3-matplotlib"), ("jinja2", "python3-jinja2")):
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not here: install {package}", file=sys.stderr)
            sys.exit(77)
    unittest.main()
