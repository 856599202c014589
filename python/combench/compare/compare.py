"""Compare runs: what became slower or faster, by how much, and whether that may be chance.

A side is the directory of a run, a result document, or several runs of one system with commas
between them: compare monday1,monday2,monday3 tuesday1,tuesday2,tuesday3. The first side is the
baseline. Runs are the unit of the tests where a side has several, else the blocks of the two runs.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from combench.common import inference
from combench.common.errors import FAILED, MEASURED, SuiteError
from combench.common.figures import describe
from combench.compare import plot as compare_plot
from combench.compare.comparison import BY_BLOCKS, Comparison, compare, worst_above
from combench.compare.sides import Side, read_side
from combench.compare.text import write_csv, write_text

EXIT_STATUS = (
    "0 compared; 1 with --fail-above: a significant regression exceeds it; 2 something cannot be "
    "read or compared."
)
SEE_ALSO = ("combench-run", "combench-parkbench")


def _per_cent(text: str) -> float:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?%?", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no percentage; give one like 5%")
    return float(text.rstrip("%"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("sides", metavar="SIDE", nargs="+", help="runs; several of one system with commas")
    add("--baseline", metavar="SIDE", help="what others are compared with, in place of the first")
    add(
        "--fail-above",
        type=_per_cent,
        metavar="PCT",
        help="end with status 1 if a significant regression is larger than this, 5%%",
    )
    add(
        "--correction",
        choices=tuple(inference.CORRECTIONS),
        default="benjamini-hochberg",
        help="for many comparisons: benjamini-hochberg (the default) bounds the share of false "
        "alarms, holm the probability of a single one",
    )
    add("--all", action="store_true", help="list all rows, also those that do not differ")
    add("--format", choices=("text", "csv"), default="text", help="tables, or a line per figure")
    add("--plot", metavar="FILE", type=Path, help="draw the changes too: .svg, .pdf or .png")


def _sides(arguments: argparse.Namespace) -> list[Side]:
    """The baseline first."""
    words: list[str] = list(arguments.sides)
    if arguments.baseline is not None:
        chosen = Path(arguments.baseline).resolve()
        others = [word for word in words if Path(word).resolve() != chosen]
        words = [arguments.baseline, *others]
    if len(words) < 2:
        raise SuiteError("there is nothing to compare with; name two sides or more")
    return [read_side(word) for word in words]


def _judge(comparison: Comparison, limit_pct: float) -> int:
    """What --fail-above says, on standard error, and the status."""
    found = worst_above(comparison, limit_pct)
    missing = sum(len(comparison.only_in(comparison.baseline, one)) for one in comparison.others)
    if missing:
        print(f"{missing} rows of the baseline are missing and were not compared", file=sys.stderr)
    if not found:
        print(f"no significant regression exceeds {limit_pct:g} %", file=sys.stderr)
        return MEASURED
    worst = found[0]
    by_blocks = sum(one.tested_by == BY_BLOCKS for one in found)
    caution = f"; {by_blocks} of them between single runs, see the caution" if by_blocks else ""
    print(
        f"combench compare: significant regressions above {limit_pct:g} %: {len(found)}{caution}; "
        f"the largest: {describe(worst.key)}, {worst.figure.name}: {worst.change_pct:+.1f} %",
        file=sys.stderr,
    )
    return FAILED


def main(arguments: argparse.Namespace) -> int:
    """Exit status 0: compared; 1: --fail-above is exceeded; 2: nothing can be compared."""
    pyplot = compare_plot.require(arguments.plot) if arguments.plot else None
    sides = _sides(arguments)
    for side in sides:
        for warning in side.warnings():
            print(f"combench compare: warning: {warning}", file=sys.stderr)
    comparison = compare(sides[0], sides[1:], arguments.correction)
    if arguments.format == "csv":
        write_csv(comparison, sys.stdout)
    else:
        write_text(comparison, arguments.all, sys.stdout)
    if arguments.plot:
        compare_plot.draw(comparison, arguments.plot, pyplot)
    return MEASURED if arguments.fail_above is None else _judge(comparison, arguments.fail_above)
