#!/usr/bin/python3
"""--help and the manual page of every program that is made of rows: all options stand there once, with
their defaults, ranges and choices, and both texts say the same. The form is that of one program,
tests/house/golden/help; UPDATE_GOLDEN=1 writes it again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import unittest
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(os.environ.get("srcdir", "."))
BUILD = Path(os.environ.get("builddir", "."))
CATALOGUE = json.loads((BUILD / "benchmarks.json").read_text(encoding="utf-8"))
GOLDEN = SOURCE / "tests/house/golden/help"
SHOWN = "cb_oneway"

COLUMNS = 79
LINES = 2  # of one option in --help

# Their text says what each technology says of itself.
OF_TECHNOLOGIES = ("technology", "interface")
TROFF = {r"\-": "-", r"\e": "\\", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\&": ""}


@dataclass
class Text:
    """The options of a text in their order, each with the lines of its entry."""

    whole: str
    entries: list[tuple[str, list[str]]]

    @property
    def words(self) -> list[tuple[str, str]]:
        return [(name, " ".join(" ".join(lines).split())) for name, lines in self.entries]


def output_of(program: str, option: str) -> str:
    words = program.split()
    return subprocess.run(
        [str(BUILD / words[0]), *words[1:], option],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    ).stdout


def section(text: str, begin: str, end: str) -> str:
    return text.split(begin, 1)[1].split(end, 1)[0]


def help_of(program: str) -> Text:
    """Options stand in column 3; their text in column 27, on the line of the name or below."""
    whole = output_of(program, "--help")
    entries: list[tuple[str, list[str]]] = []
    for line in section(whole, "\nOptions:\n", "\nExit status:").splitlines():
        begins = re.match(r"  (\S+(?: \S+)*)(?:  +(.*))?$", line)
        if begins:
            entries.append((begins[1], [begins[2]] if begins[2] else []))
        else:
            entries[-1][1].append(line.strip())
    return Text(whole, entries)


def manual_of(program: str) -> Text:
    whole = output_of(program, "--manual")
    options = section(whole, ".SH OPTIONS\n", '.SH "EXIT STATUS"')
    for escape, sign in TROFF.items():
        options = options.replace(escape, sign)
    entries = []
    for entry in options.split(".TP\n")[1:]:
        name, *lines = entry.splitlines()
        entries.append((re.sub(r"\\f[BIR]", "", name), lines))
    return Text(whole, entries)


def named(program: str) -> list[str]:
    """A program, and those of its subcommands that its synopsis lists."""
    synopsis = output_of(program, "--help").splitlines()[0]
    found = re.search(rf"{program} (\w+(?:\|\w+)+) ", synopsis)
    return [program] + ([f"{program} {word}" for word in found[1].split("|")] if found else [])


def number(row: dict, value: float) -> str:
    return f"{value:g}" if row["type"] == "real" else f"{value:.0f}"


def facts_of(row: dict) -> list[str]:
    """What the entry of a row must say. Sizes are written with units, which the unit tests check."""
    facts = [row["help"]]
    if "default" in row:
        facts.append(f"default {row['default']}")
    if row["type"] in ("count", "real", "count list") and "minimum" in row:
        facts.append(number(row, row["minimum"]))
        facts.append(f"to {number(row, row['maximum'])}" if "maximum" in row else "or more")
    if row["type"] in ("size", "size list") and "maximum" in row:
        facts.append(" to ")
    return facts + row.get("choices", [])


def form_of(text: str) -> str:
    """The text without what follows from the technologies and from the release."""
    for name in OF_TECHNOLOGIES:
        text = re.sub(rf"(?ms)^  --{name} .*?(?=^  --)", "", text)
        text = re.sub(rf"(?ms)^\.TP\n\\fB\\-\\-{name}\\fR .*?(?=^\.TP)", "", text)
    return re.sub(r"(?m)^(\.TH \w+ 1) .*$", r"\1", text)


class Help(unittest.TestCase):
    maxDiff = None

    def test_every_option_stands_once_and_fits(self) -> None:
        for program in PROGRAMS:
            with self.subTest(program):
                text = help_of(program)
                names = [name for name, _ in text.entries]
                self.assertIn("--help", names)
                self.assertCountEqual(names, set(names))
                wide = [line for line in text.whole.splitlines() if len(line) > COLUMNS]
                self.assertEqual(wide, [], f"lines of more than {COLUMNS} columns")
                long = [name for name, lines in text.entries if not 1 <= len(lines) <= LINES]
                self.assertEqual(long, [], f"options without a text or with more than {LINES} lines")

    def test_the_manual_says_what_help_says_and_may_say_more(self) -> None:
        for program in PROGRAMS:
            with self.subTest(program):
                shown, manual = help_of(program).words, manual_of(program).words
                self.assertEqual([name for name, _ in shown], [name for name, _ in manual])
                for (name, text), (_, longer) in zip(shown, manual):
                    self.assertIn(longer.removeprefix(text)[:2], ("", ". "), name)
                    self.assertEqual(longer[: len(text)], text)

    def test_a_benchmark_has_all_its_rows_with_their_facts(self) -> None:
        for benchmark in CATALOGUE["benchmarks"]:
            program = benchmark["program"]
            with self.subTest(program):
                rows = [row for row in CATALOGUE["options"] if program in row["programs"]]
                entries = help_of(program).words
                self.assertEqual(
                    [
                        row["argument"] if row["type"] == "operand" else f"--{row['name']} {row.get('argument', '')}".strip()
                        for row in rows
                    ],
                    [name for name, _ in entries],
                )
                for row, (name, text) in zip(rows, entries):
                    for fact in facts_of(row):
                        self.assertIn(" ".join(fact.split()), text, name)

    def test_the_technologies_are_named_with_their_summaries(self) -> None:
        text = dict(manual_of(SHOWN).words)["--technology NAME"]
        self.assertGreater(len(CATALOGUE["technologies"]), 1)
        for technology in CATALOGUE["technologies"]:
            self.assertIn(f"{technology['name']} ({technology['summary']})", text)

    def test_one_program_shows_the_form(self) -> None:
        for option, name in (("--help", f"{SHOWN}.txt"), ("--manual", f"{SHOWN}.1")):
            with self.subTest(option):
                text = form_of(output_of(SHOWN, option))
                if os.environ.get("UPDATE_GOLDEN"):
                    (GOLDEN / name).write_text(text, encoding="utf-8")
                self.assertMultiLineEqual(text, (GOLDEN / name).read_text(encoding="utf-8"))


PROGRAMS = [benchmark["program"] for benchmark in CATALOGUE["benchmarks"]]
PROGRAMS += named("ccmod") + named("combench-testbed")

if __name__ == "__main__":
    unittest.main()
