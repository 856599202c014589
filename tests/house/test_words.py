#!/usr/bin/python3
"""Code, comments, strings and documentation are spelled correctly and use plain technical English.

    python3 tests/house/test_words.py              the test: FILE:LINE, the phrase, what to write instead
    python3 tests/house/test_words.py --counts     how often each phrase occurs, by folder, with all files

phrases.txt next to this file has the phrases, their exceptions, and how to change them. Spelling is
checked by codespell where it is installed.
"""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import unittest
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(os.environ.get("srcdir", "."))
LIST = Path(__file__).with_name("phrases.txt")

# What people write and read. Not here: LICENSE, recorded results, corpora of the fuzz tests.
FOLDERS = (".ci", "benchmarks", "docs", "man", "packaging", "python", "scripts", "src", "tests", "tools")
ENDINGS = {".1", ".5", ".7", ".ac", ".am", ".c", ".conf", ".css", ".def", ".h", ".html", ".in", ".m4", ".md"}
ENDINGS |= {".mk", ".plan", ".py", ".sbatch", ".sh", ""}
EXCLUDED = ("tests/fuzz/corpus/*", "tests/suite/released/*", "tests/house/phrases.txt", "tests/house/test_words.py")

# Between two words of a phrase: blanks, the break of a line in a comment or string, or an underscore.
BETWEEN = r'(?:[ \t_]+|[ \t]*"?\n[ \t]*(?:\*+|//|#+|")?[ \t]*)'


@dataclass
class Phrases:
    replacements: list[tuple[str, str]]  # phrase, replacement
    allowed: list[tuple[str, re.Pattern[str]]]  # glob of files, expression for the line
    spelling: list[str]
    later: list[str]  # globs of files that are not rewritten yet

    def is_later(self, name: str) -> bool:
        return any(fnmatch.fnmatch(name, files) for files in self.later)

    def accepts(self, name: str, line: str) -> bool:
        return any(fnmatch.fnmatch(name, files) and text.search(line) for files, text in self.allowed)


@dataclass(frozen=True)
class Finding:
    name: str
    line: int
    found: str
    phrase: str
    replacement: str

    def __str__(self) -> str:
        return f'{self.name}:{self.line}: "{self.found}"; write: {self.replacement}'


def read_phrases(text: str) -> Phrases:
    phrases = Phrases([], [], [], [])
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match line.split("\t"):
            case ["allow", files, expression]:
                phrases.allowed.append((files, re.compile(expression)))
            case ["spelling", word]:
                phrases.spelling.append(word)
            case ["later", files]:
                phrases.later.append(files)
            case [phrase, replacement] if phrase and replacement:
                phrases.replacements.append((phrase, replacement))
            case _:
                raise ValueError(f"{LIST.name}:{number}: not two fields, allow, later or spelling: {line!r}")
    return phrases


def compiled(*phrases: str) -> re.Pattern[str]:
    choice = "|".join(phrase.lower().replace(" ", BETWEEN) for phrase in phrases)
    return re.compile(rf"(?<![a-z])(?:{choice})(?![a-z])")


def occurrences(name: str, text: str, phrases: Phrases) -> Iterator[Finding]:
    """What a file has of the phrases, but for what is allowed. One expression for all phrases is ten
    times as fast as one after the other."""
    lowered = text.lower()
    starts = [0] + [found.end() for found in re.finditer("\n", text)]
    lines = text.split("\n")
    for found in compiled(*(phrase for phrase, _ in phrases.replacements)).finditer(lowered):
        line = bisect_right(starts, found.start())
        if phrases.accepts(name, lines[line - 1]):
            continue
        phrase, replacement = next(
            row for row in phrases.replacements if compiled(row[0]).match(lowered, found.start())
        )
        yield Finding(name, line, " ".join(found[0].split()), phrase, replacement)


def files_of(top: Path) -> Iterator[str]:
    found = [path for path in top.iterdir() if path.suffix == ".md"] + [top / "configure.ac", top / "Makefile.am"]
    for folder in FOLDERS:
        found += (top / folder).rglob("*")
    for path in sorted(found):
        name = path.relative_to(top).as_posix()
        if path.suffix not in ENDINGS or not path.is_file() or "__pycache__" in name:
            continue
        if not any(fnmatch.fnmatch(name, excluded) for excluded in EXCLUDED):
            yield name


def findings_of(top: Path, phrases: Phrases) -> list[Finding]:
    found: list[Finding] = []
    for name in files_of(top):
        try:
            text = (top / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:  # a program, built in this tree
            continue
        found += occurrences(name, text, phrases)
    return found


def folder_of(name: str) -> str:
    parts = name.split("/")
    return "/".join(parts[: 2 if parts[0] in ("src", "tests", "python") else 1]) if len(parts) > 1 else "."


def print_counts(found: list[Finding]) -> None:
    for title, counts in (
        ("by phrase", Counter(finding.phrase for finding in found)),
        ("by folder", Counter(folder_of(finding.name) for finding in found)),
    ):
        print(title)
        for key, count in counts.most_common():
            print(f"{count:6} {key}")
    print(f"{len(found):6} in all")


CODESPELL_FOUND = 65  # its exit status


def misspelled(top: Path, ignored: list[str]) -> list[str]:
    """The lines of codespell: FILE:LINE: WORD ==> CORRECTION."""
    command = ["codespell", "--ignore-words-list", ",".join(ignored) or "-", *files_of(top)]
    ended = subprocess.run(command, cwd=top, stdout=subprocess.PIPE, text=True, check=False)
    found = [line for line in ended.stdout.splitlines() if "==>" in line]
    if ended.returncode != (CODESPELL_FOUND if found else 0):
        raise RuntimeError(f"codespell ended with {ended.returncode}")
    return found


class Words(unittest.TestCase):
    def found(self, text: str, phrases: str) -> list[str]:
        return [str(finding) for finding in occurrences("src/x.c", text, read_phrases(phrases))]

    def test_no_file_has_a_phrase_of_the_list(self) -> None:
        phrases = read_phrases(LIST.read_text(encoding="utf-8"))
        found = [finding for finding in findings_of(SOURCE, phrases) if not phrases.is_later(finding.name)]
        self.assertEqual(found, [], "\n" + "\n".join(str(finding) for finding in found))

    @unittest.skipUnless(shutil.which("codespell"), "codespell is not installed")
    def test_words_are_spelled_correctly(self) -> None:
        found = misspelled(SOURCE, read_phrases(LIST.read_text(encoding="utf-8")).spelling)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_a_phrase_is_found_with_line_and_replacement(self) -> None:
        self.assertEqual(
            self.found("one\n two: So Many\n", "so many\tN\n"), ['src/x.c:2: "so many"; write: N']
        )

    def test_a_phrase_is_found_across_a_line_break_and_in_a_name(self) -> None:
        comment = "/* waits for so\n * many events */\nvoid peer_take_leave(void);\n"
        found = self.found(comment, "so many\tN\ntake leave\tshut down\n")
        self.assertEqual([text.split(":")[1] for text in found], ["1", "3"])

    def test_a_phrase_is_not_found_inside_a_word(self) -> None:
        self.assertEqual(self.found("amended recommend", "mend(ed)?\tfix\n"), [])

    def test_an_exception_allows_its_lines_in_its_files_only(self) -> None:
        text = "a switch behind a switch\nbehind the first run\n"
        phrases = "behind\tafter\nallow\tsrc/*\tbehind a switch\n"
        self.assertEqual(self.found(text, phrases), ['src/x.c:2: "behind"; write: after'])
        self.assertEqual(len(self.found(text, phrases.replace("src/*", "docs/*"))), 2)

    def test_a_line_that_is_none_of_the_forms_is_an_error(self) -> None:
        self.assertRaises(ValueError, read_phrases, "behind after\n")


if __name__ == "__main__":
    if "--counts" in sys.argv[1:]:
        print_counts(findings_of(SOURCE, read_phrases(LIST.read_text(encoding="utf-8"))))
        sys.exit(0)
    unittest.main()
