"""Make a report of results: one HTML file that needs nothing else, and its pictures.

PATH is a directory that `combench run` has made, any directory with result documents below it, or
a result document. The answer stands first: which farm, at which rate, what limits it. Texts in
DIR/discussion/*.md stand in the report as the user's own words.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from combench.common import documents
from combench.common.errors import FAILED, MEASURED, require_modules
from combench.common.values import checked, rate_hz
from combench.report.load import load

EXIT_STATUS = (
    "0 written, if need be without documents that cannot be read, which it names; 1 a module is "
    "missing, or the report cannot be written; 2 there is nothing to report."
)
SEE_ALSO = ("combench-run", "combench-compare")
SECTIONS = (
    (
        "FILES",
        (
            (
                "DIR/discussion/*.md",
                "The user's own words, in a small part of Markdown: summary beside the answer; "
                "platform, language, system, communication, measuring, caching, users and scaling "
                "behind these points of the discussion; others at its end.",
            ),
            ("DIR/report-pictures", "The pictures, under the name of the report."),
        ),
    ),
)
_FORMS = ("svg", "png", "pdf")
_MODULES = ("matplotlib", "jinja2", *documents.MODULES)


def _forms(text: str) -> tuple[str, ...]:
    forms = tuple(dict.fromkeys(form.strip() for form in text.split(",")))
    if unknown := [form for form in forms if form not in _FORMS]:
        raise argparse.ArgumentTypeError(
            f"'{unknown[0]}' is no form of pictures; svg, png, pdf are"
        )
    return forms


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("paths", metavar="PATH", nargs="+", type=Path, help="directory of results, or a document")
    add("--output", metavar="FILE", type=Path, help="without it report.html in the directory")
    add("--title", metavar="TEXT", help="without it that of the plan")
    add(
        "--required-rate",
        type=checked(rate_hz),
        metavar="RATE",
        help="say of each farm whether it reaches this, 100kHz",
    )
    add(
        "--pictures",
        type=_forms,
        default=_FORMS,
        metavar="FORMS",
        help="forms in which pictures are also written beside the report; without it svg,png,pdf",
    )


def _output(arguments: argparse.Namespace) -> Path:
    if arguments.output is not None:
        return Path(arguments.output)
    first: Path = arguments.paths[0]
    return first / "report.html" if first.is_dir() else first.with_suffix(".report.html")


def main(arguments: argparse.Namespace) -> int:
    """Exit status: EXIT_STATUS."""
    require_modules(*_MODULES, status=FAILED)
    from combench.report.page import write_report  # needs the modules

    found = load(arguments.paths)
    output = _output(arguments)
    for problem in found.problems:
        print(f"combench report: {problem}", file=sys.stderr)
    summary = write_report(
        found, output, arguments.pictures, arguments.title, arguments.required_rate
    )
    print(summary)
    return MEASURED
