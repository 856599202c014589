#!/usr/bin/python3
"""The tables of programs over the technology null have the form of tests/house/golden/tables: heads,
units, columns, titles. Figures are masked. UPDATE_GOLDEN=1 rewrites the golden files. A terminal
is shown what is being measured."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("srcdir", "."))
BUILD = Path(os.environ.get("builddir", "."))
GOLDEN = SOURCE / "tests/house/golden/tables"
SECONDS = 120

# Any precision will do: what is compared has no figures.
QUICK = ["--technology", "null", "--wait", "spin", "--precision", "100", "--max-time", "0.2"]
LAUNCHER_OPTIONS = {"openmpi": ["-q", "--oversubscribe"]}


def configured() -> dict[str, str]:
    """What configure found: a shell script of assignments."""
    text = (BUILD / "tests/environment.sh").read_text(encoding="utf-8")
    return dict(re.findall(r"^(\w+)='(.*)'$", text, re.MULTILINE))


def output_of(ranks: int, program: str, *options: str, stderr: int | None = None) -> str:
    found = configured()
    launcher = [found["MPIRUN"], *LAUNCHER_OPTIONS.get(found["MPI_KIND"], []), "-np", str(ranks)]
    environment = os.environ | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "ASAN_OPTIONS": "detect_leaks=0",  # the MPI library's own
    }
    command = [*launcher, str(BUILD / program), *QUICK, *options]
    return subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        timeout=SECONDS,
        check=True,
    ).stdout


def progress_of(ranks: int, program: str, *options: str) -> str:
    """What a person sees on a terminal while the program measures: a line at most, over itself."""
    terminal, end = pty.openpty()
    try:
        output_of(ranks, program, *options, stderr=end)
        return os.read(terminal, 65536).decode()
    finally:
        os.close(end)
        os.close(terminal)


def masked(table: str) -> str:
    """A figure or its absence becomes 9 and keeps the column where it ends; the machine has a name
    only; marks of rows, and what they mean, depend on how the run went."""
    lines = []
    for line in table.splitlines():
        if re.match(r"[*~<] ", line):
            continue
        line = re.sub(r"^\d+ hosts?(, the first)?: .*", "HOST", line)
        line = re.sub(r"^clock .*", "CLOCK", line)
        if re.match(r" +\d", line):
            line = re.sub(r" [*~<]+$", "", line)
            line = re.sub(r"(?<= )(\d\S*|-)(?= |$)", lambda cell: "9".rjust(len(cell[0])), line)
        lines.append(line + "\n")
    return "".join(lines)


def mask_of_maximum(line: re.Match[str]) -> str:
    return re.sub(r"\d\S*", "9", line[0])


class Tables(unittest.TestCase):
    maxDiff = None

    def assert_golden(self, name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("UPDATE_GOLDEN"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.assertMultiLineEqual(text, path.read_text(encoding="utf-8"))

    def test_oneway_as_text(self) -> None:
        self.assert_golden("oneway.txt", masked(output_of(2, "cb_oneway", "--sizes", "0,64")))

    def test_comms3_as_text(self) -> None:
        table = masked(output_of(3, "cb_comms3", "--sizes", "64,1024"))
        self.assert_golden("comms3.txt", re.sub(r"(?m)^    maximum .*$", mask_of_maximum, table))

    def test_multicast_as_text(self) -> None:
        self.assert_golden("multicast.txt", masked(output_of(3, "cb_multicast", "--sizes", "64")))

    def test_the_head_of_a_csv_is_that_of_the_table_of_columns(self) -> None:
        table = output_of(2, "cb_oneway", "--sizes", "64", "--format", "csv")
        text = (BUILD / "benchmarks.json").read_text(encoding="utf-8")
        names = [name for column in json.loads(text)["columns"] for name in column["csv"]]
        self.assertEqual(table.splitlines()[0], ",".join(names))

    @unittest.skipUnless(
        configured().get("MPI_KIND") == "openmpi", "another launcher hides its terminal"
    )
    def test_progress_names_what_is_measured(self) -> None:
        shown = progress_of(3, "cb_outfarm", "--sizes", "1024", "--mode", "round")
        self.assertIn("[1/1] cb_outfarm round, 3 processors, 1024 bytes; about 0 s left", shown)

    def test_a_mask_keeps_where_figures_end(self) -> None:
        self.assertEqual(masked("     64  1.25     -  12345 *~\n"), "      9     9     9      9\n")


if __name__ == "__main__":
    if not configured().get("MPIRUN"):
        print("no launcher for MPI programs was found", file=sys.stderr)
        sys.exit(77)
    unittest.main()
