#!/usr/bin/env python3
"""Documents with something wrong in them: each verb that reads any uses what it can, or says which
file it cannot read and where in it, and ends with a status of its own.

Mutants are made of fixed results, manifest, prediction and validation by a seed, so a failure comes
again: CB_FUZZ=FIRST:COUNT tries others. ccmod, which has tests of its own, answers without working.
"""

from __future__ import annotations

import functools
import io
import json
import os
import random
import re
import shutil
import signal
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any, Iterator, Optional
from unittest import mock

from documents import driver, entry

from combench.common import catalogue, documents
from combench.common.errors import SuiteError, is_missing
from combench.predict import model

HERE = Path(__file__).resolve().parent
FIRST, COUNT = map(int, os.environ.get("CB_FUZZ", "1:150").split(":"))
LIMIT_S = 20  # of one verb: it does not end is a failure too
JUNK: tuple[Any, ...] = (
    None,
    True,
    False,
    -1,
    0,
    1,
    0.5,
    -0.0,
    3,
    2**31,
    2**53,
    2**53 + 1,
    10**400,
    1e300,
    5e-324,
    "",
    "x",
    "0",
    "none",
    "open",
    "../../x",
    "a/b\n{c} %s <i>",
    "4-3",
    "4-2-1",
    "5000-1",
    "9" * 5000,
    [],
    {},
    [{}],
    {"x": [1]},
    [[1], "y"],
    [1, 2],
    ["a"] * 50,
)
# What JSON's text may have and no value of Python's: put in place of a mark.
TEXTS = (
    "NaN",
    "-Infinity",
    "1e400",
    "1" * 5000,
    "-" + "9" * 30,
    "64.0",
    "1e3",
    '"\\ud800"',
    '"\\udc00\\ud800 x"',
    '{"\\udfff": 1}',
    "[" * 50 + "]" * 50,
    "[" * 20000 + "]" * 20000,
    '{"a":' * 3000 + "1" + "}" * 3000,
    '{"a": 1, "a": 2}',
    '{"size_bytes": 1, "size_bytes": 2}',
    "",
    "]",
    '"\\x"',
    '"tab\there"',
)
MARK = "cut here 8d7f"
EVERYTHING = ("compare", "parkbench", "predict", "validate", "report")
# Who reads what else lies in the directory of a run.
READS = {
    "manifest.json": ("compare", "parkbench", "report"),
    "prediction.json": ("report",),
    "validation.json": ("report",),
}
TRACE = "%cct 1 ranks 2 unit us\n0:\nis 1 999983\n1:\nr 0 999983\n"
EVALUATION = {
    "end_us": 1000.0,
    "messages": 10,
    "network": {"name": "crossbar"},
    "processors": [],
    "links": [],
}


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with every key or index in it."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for key, part in inner:
        yield value, key
        yield from places(part)


def mutant(document: Any, draw: random.Random) -> str:
    """The text of the document with one to three places changed."""
    changed = json.loads(json.dumps(document))
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        every = list(places(changed))
        # As often near the top as far below, where most of a document is.
        near = [one for one in every if len(one[0]) < 40 and not isinstance(one[1], int)]
        container, key = draw.choice(near if draw.random() < 0.8 else every)
        how = draw.random()
        if how < 0.25:
            del container[key]
        elif how < 0.35 and isinstance(container[key], (int, float)):
            container[key] *= draw.choice((-1, 0, 1e-3, 7, 1e6, 1e12))
        elif how < 0.5:
            container[key] = MARK
        elif how < 0.6:
            container[key] = draw.choice(every)[0]
            changed = json.loads(json.dumps(changed, default=str)) if _is_tree(changed) else {}
        else:
            container[key] = draw.choice(JUNK)
        if not changed:
            break
    text = json.dumps(changed) if len(json.dumps(changed)) < 10**6 else "{}"
    while f'"{MARK}"' in text:
        text = text.replace(f'"{MARK}"', draw.choice(TEXTS), 1)
    return text[: draw.randrange(len(text))] if draw.random() < 0.02 and text else text


def _is_tree(value: Any, above: tuple[int, ...] = ()) -> bool:
    """Whether nothing is within itself."""
    if id(value) in above:
        return False
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(_is_tree(one, (*above, id(value))) for one in inner)


def answer(
    _: model.Processes, command: list[str], text: str, limit_s: float | None = None
) -> tuple[int, str, str]:
    """In place of a ccmod, and of a program that writes a trace."""
    if "--emit-trace" in command:
        return 0, TRACE, ""
    if command[1] == "calibrate":
        made = Path(command[command.index("--output") + 1])
        made.write_text("%calibration 1\nline overhead_us=1 latency_us=1 bandwidth_MBps=1000\n")
    return 0, json.dumps(EVALUATION) if "--format" in command else "", ""


def undrawn(pictures: Any, forms: Any) -> list[dict[str, bytes]]:
    """In place of pictures, of which each would take a tenth of a second."""
    return [{form: b"" for form in forms} for _ in pictures]


def in_turn(pictures: Any, _: Any) -> list[dict[str, bytes]]:
    """Drawn in this process, and in one form."""
    from combench.report.draw import sheet_of, written

    svgs = [written(sheet_of(picture), "svg") for picture in pictures]
    return [{"svg": one, "png": one, "pdf": one} for one in svgs]


def can_report() -> bool:
    return not any(map(is_missing, ("matplotlib", "jinja2")))


def too_long(number: int, _: Optional[FrameType]) -> None:
    raise TimeoutError(f"it does not end within {LIMIT_S} s")


class Fuzz(unittest.TestCase):
    """One folder for all mutants: sound documents, among which one is replaced at a time."""

    sources: list[Path]

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-fuzz-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        for name in ("cb_oneway", "ccmod"):
            (self.programs / name).write_text("", encoding="ascii")
            (self.programs / name).chmod(0o755)
        self.run_ = self.folder / "run"
        shutil.copytree(HERE / "released/1/run", self.run_)
        fixed, manifest = HERE / "report", self.run_ / documents.MANIFEST
        known = json.loads(manifest.read_text(encoding="utf-8"))
        for path in sorted(fixed.glob("*.json")):
            if path.name not in ("manifest.json", "prediction.json"):
                shutil.copy(path, self.run_ / "results" / path.name)
                made = json.loads(path.read_text(encoding="utf-8"))
                result = f"results/{path.name}"
                known["measurements"].append(entry(path.stem, made, "measured", result))
        manifest.write_text(json.dumps(known), encoding="utf-8")
        (self.run_ / "prediction.json").write_bytes((fixed / "prediction.json").read_bytes())
        shutil.copy(HERE / "released/1/validation.json", self.run_)
        self.sound = self.folder / "sound"
        shutil.copytree(self.run_, self.sound)
        self.sources = sorted(self.sound.rglob("*.json"))
        before = signal.signal(signal.SIGALRM, too_long)
        self.addCleanup(signal.signal, signal.SIGALRM, before)

    def said(self, *words: str) -> tuple[Any, str]:
        """Status and standard error of a verb; a traceback fails the test."""
        out, error = io.StringIO(), io.StringIO()
        signal.alarm(LIMIT_S)
        try:
            with redirect_stdout(out), redirect_stderr(error):
                status = driver.main(words)
        finally:
            signal.alarm(0)
        out.getvalue().encode("utf-8")
        return status, error.getvalue()

    def verbs(self, mutated: Path) -> Iterator[tuple[str, ...]]:
        """What is tried, in this order: the document alone where it is a result, then a run. A run
        with a wrong result is compared with the sound one of that name."""
        programs = ("--programs", str(self.programs))
        run, sound = str(self.run_), str(self.sound)
        is_result = mutated.parent.name == "results"
        other = str(self.sound / mutated.relative_to(self.run_)) if is_result else sound
        one = str(mutated) if is_result else run
        yield "compare", other, run, "--all"
        yield "parkbench", one
        yield "predict", one, "--technology", "mpi", "--scale", "4", "--sizes", "64", *programs
        yield "validate", one, "--technology", "mpi", *programs
        if can_report():
            output = ("--output", str(self.folder / "report.html"), "--pictures", "svg")
            parts = (str(mutated),) if is_result else (run,)
            yield "report", *parts, *output

    def expected(self, path: Path) -> str:
        """What is wrong with a document, as whoever reads it has to say; nothing is maybe wrong."""
        kind = next(
            kind
            for kind in (
                documents.RESULT,
                documents.RUN,
                documents.PREDICTION,
                documents.VALIDATION,
            )
            if json.loads(self.original(path))["schema"].startswith(kind)
        )
        try:
            documents.read_checked(path, kind)
        except SuiteError as error:
            return str(error)
        return ""

    def original(self, path: Path) -> str:
        return (self.sound / path.relative_to(self.run_)).read_text(encoding="utf-8")

    def test_no_document_stops_a_verb_without_words(self) -> None:
        # The catalogue and the page's template are read once, not by each verb again.
        patches = [
            mock.patch.object(model.Processes, "run", answer),
            mock.patch.object(catalogue, "load", functools.lru_cache(catalogue.load)),
        ]
        if can_report():
            from combench.report import page

            patches += [
                mock.patch.object(page, "_drawn", undrawn),
                mock.patch.object(page, "_environment", functools.lru_cache(page._environment)),
            ]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)
        refused = 0
        for number in range(FIRST, FIRST + COUNT):
            draw = random.Random(number)
            source = draw.choice(self.sources)
            path = self.run_ / source.relative_to(self.sound)
            path.write_text(mutant(json.loads(self.original(path)), draw), encoding="utf-8")
            wrong = self.expected(path)
            refused += bool(wrong)
            with self.subTest(mutant=number, of=path.name):
                if wrong:
                    self.assertRegex(wrong, rf"^cannot read \S*{re.escape(path.name)}: \S.*: \S")
                for words in self.verbs(path):
                    if words[0] in READS.get(path.name, EVERYTHING):
                        self.check(words, wrong)
            path.write_text(self.original(path), encoding="utf-8")
        if COUNT >= 100:
            self.assertTrue(COUNT / 4 < refused < COUNT, f"{refused} of {COUNT} are refused")

    def check(self, words: tuple[str, ...], wrong: str) -> None:
        status, error = self.said(*words)
        with self.subTest(verb=words[0]):
            self.assertIn(status, (0, 1, 2), error)
            self.assertTrue(status == 0 or error.startswith("combench "), error)
            if wrong and "its schema is" not in wrong and "it is not a document" not in wrong:
                self.assertIn(wrong, error)

    @unittest.skipUnless(can_report(), "matplotlib or jinja2 is missing")
    def test_what_can_be_read_can_be_drawn(self) -> None:
        with mock.patch("combench.report.page._drawn", in_turn):
            for number in range(FIRST, FIRST + COUNT // 10):
                draw = random.Random(f"drawn {number}")
                source = draw.choice([one for one in self.sources if one.parent.name == "results"])
                path = self.run_ / source.relative_to(self.sound)
                path.write_text(mutant(json.loads(self.original(path)), draw), encoding="utf-8")
                if not self.expected(path):
                    with self.subTest(mutant=number, of=path.name):
                        output = str(self.folder / "report.html")
                        status, error = self.said("report", str(path), "--output", output)
                        self.assertEqual(status, 0, error)
                path.write_text(self.original(path), encoding="utf-8")


class Pictures(unittest.TestCase):
    def test_a_name_from_a_document_is_no_path(self) -> None:
        from combench.report import charts

        for name in ("../../x", "/etc/passwd", "a b", "x" * 500, "..", "\u00e4\u2028"):
            made = charts.file_name("distribution", (name,))
            self.assertRegex(made, r"\A[a-z0-9-]{1,100}\Z", name)


if __name__ == "__main__":
    unittest.main()
