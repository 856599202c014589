"""Compare runs: find what became slower or faster, and test whether the difference is chance.

A SIDE is the directory of a run, a result document, or several runs of one system separated by
commas: combench compare monday1,monday2,monday3 tuesday1,tuesday2,tuesday3. The first side is the
baseline. A run with --repeat counts as many runs as it has launches; a run with --variant, named alone,
has a side for each variant. If a side has several runs, the tests compare runs, else blocks of the two
runs.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from combench.common import inference
from combench.common.errors import FAILED, MEASURED, SuiteError
from combench.common.figures import describe
from combench.common.files import require_other
from combench.compare import plot as compare_plot
from combench.compare.comparison import BY_BLOCKS, Comparison, compare, worst_above
from combench.compare.links import compare_links, links_text
from combench.compare.sides import Side, read_sides
from combench.compare.text import write_csv, write_text

EXIT_STATUS = (
    "0 compared; 1 a significant regression exceeds --fail-above; 2 a document cannot be read, or "
    "the sides have nothing in common."
)
MORE = {
    "correction": "benjamini-hochberg bounds the share of false alarms among the differences that "
    "are reported; holm bounds the probability of a single false alarm.",
    "sides": "Several runs of one system are separated by commas.",
}
SEE_ALSO = ("combench-run", "combench-parkbench")


def _per_cent(text: str) -> float:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?%?", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a percentage; write one such as 5%")
    return float(text.rstrip("%"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("sides", metavar="SIDE", nargs="+", help="a run, or several runs of one system: A1,A2,A3")
    add("--baseline", metavar="SIDE", help="baseline (default: the first SIDE)")
    add(
        "--fail-above",
        type=_per_cent,
        metavar="PCT",
        help="exit with status 1 if a significant regression exceeds this, such as 5%%",
    )
    add(
        "--correction",
        choices=tuple(inference.CORRECTIONS),
        default="benjamini-hochberg",
        help="correction for many comparisons (default %(default)s)",
    )
    add(
        "--margin",
        type=_per_cent,
        default=5.0,
        metavar="PCT",
        help="differences up to this do not matter: say where an interval is within it (default 5%%)",
    )
    add("--all", action="store_true", help="also list rows that do not differ")
    add("--format", choices=("text", "csv"), default="text", help="tables, or a CSV line per figure")
    add("--plot", metavar="FILE", type=Path, help="plot the changes: .svg, .pdf or .png")


def _sides(arguments: argparse.Namespace) -> list[Side]:
    """All sides, the baseline first."""
    words: list[str] = list(arguments.sides)
    if len(words) == 1:
        return _variants(words[0], arguments.baseline)
    if arguments.baseline is not None:
        chosen = os.path.realpath(arguments.baseline)
        others = [word for word in words if os.path.realpath(word) != chosen]
        words = [arguments.baseline, *others]
    return read_sides(words)


def _variants(word: str, baseline: str | None) -> list[Side]:
    """The variants of a run, or the run and a baseline outside of it."""
    if baseline is not None and Path(baseline).exists():
        return read_sides([baseline, word])
    sides = read_sides([word])
    if len(sides) < 2:
        raise SuiteError(
            f"nothing to compare {word} with: it has no variants; name two sides or more, or measure "
            "with --variant"
        )
    known = [side.label for side in sides]
    if baseline is not None and baseline not in known:
        raise SuiteError(f"--baseline: {word} has no variant {baseline}; it has {', '.join(known)}")
    return sorted(sides, key=lambda side: side.label != (baseline or known[0]))


def _judge(comparison: Comparison, limit_pct: float) -> int:
    """Print the verdict of --fail-above on standard error. Returns the exit status."""
    found = worst_above(comparison, limit_pct)
    missing = sum(len(comparison.only_in(comparison.baseline, one)) for one in comparison.others)
    if missing:
        print(
            f"combench compare: {missing} rows of the baseline have no counterpart and were not "
            "compared",
            file=sys.stderr,
        )
    if comparison.steps:
        print(
            f"combench compare: {len(comparison.steps)} losses, errors or figures of 0 differ, and are not "
            "tested",
            file=sys.stderr,
        )
    links = [
        change
        for side in comparison.others
        for change in compare_links(comparison.baseline, side, comparison.correction)[0]
        if change.factor > 1 + limit_pct / 100
    ]
    if links:
        print(
            f"combench compare: {len(links)} hosts or links are significantly slower by more than "
            f"{limit_pct:g} %; the largest: {max(links, key=lambda one: one.factor).link}",
            file=sys.stderr,
        )
    if not found and links:
        return FAILED
    if not found:
        print(
            f"combench compare: no significant regression exceeds {limit_pct:g} %", file=sys.stderr
        )
        return MEASURED
    worst = found[0]
    by_blocks = sum(one.tested_by == BY_BLOCKS for one in found)
    caution = f"; {by_blocks} of them compare single runs, see the caution" if by_blocks else ""
    print(
        f"combench compare: significant regressions above {limit_pct:g} %: {len(found)}{caution}; "
        f"the largest: {describe(worst.key)}, {worst.figure.name}: {worst.change_pct:+.1f} %",
        file=sys.stderr,
    )
    return FAILED


def main(arguments: argparse.Namespace) -> int:
    """Exit status: EXIT_STATUS."""
    pyplot = compare_plot.require(arguments.plot) if arguments.plot else None
    if arguments.plot:
        named = (*arguments.sides, arguments.baseline or "")
        require_other("--plot", arguments.plot, (Path(one) for word in named for one in word.split(",")))
    sides = _sides(arguments)
    for side in sides:
        for warning in side.warnings():
            print(f"combench compare: warning: {warning}", file=sys.stderr)
    comparison = compare(sides[0], sides[1:], arguments.correction, arguments.margin)
    if arguments.format == "csv":
        write_csv(comparison, sys.stdout)
    else:
        write_text(comparison, arguments.all, sys.stdout)
        for side in sides[1:]:
            for line in links_text(sides[0], side, arguments.correction):
                print(line)
    if arguments.plot:
        compare_plot.draw(comparison, arguments.plot, pyplot)
    return MEASURED if arguments.fail_above is None else _judge(comparison, arguments.fail_above)
