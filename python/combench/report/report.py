"""Make a report of results: one HTML file with pictures, tables and a discussion.

PATH is a directory of `combench run`, any directory with result documents below it, or a result
document. The report begins with the fastest farm, its rate and what limits it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from combench.common import documents
from combench.common.errors import FAILED, MEASURED, require_modules
from combench.common.files import is_pipe, require_other
from combench.common.values import checked, rate_hz, size_bytes
from combench.report.discussion import POINTS
from combench.report.load import load

EXIT_STATUS = (
    "0 written (documents that cannot be read are listed and left out); 1 a Python module is "
    "missing, or the report cannot be written; 2 there is no result to report."
)
SEE_ALSO = ("combench-run", "combench-compare")
SECTIONS = (
    (
        "FILES",
        (
            (
                "DIR/discussion/*.md",
                "Your own texts for the report, in a small part of Markdown: summary for the first "
                f"section; {', '.join(POINTS[:-1])} and {POINTS[-1]} for these points of the "
                "discussion; others follow at its end.",
            ),
            ("DIR/report-pictures", "The pictures; the folder has the name of the report."),
        ),
    ),
)
_FORMS = ("svg", "png", "pdf")
_MODULES = ("matplotlib", "jinja2", "scipy", *documents.MODULES)


def _forms(text: str) -> tuple[str, ...]:
    forms = tuple(dict.fromkeys(form.strip() for form in text.split(",")))
    if unknown := [form for form in forms if form not in _FORMS]:
        raise argparse.ArgumentTypeError(
            f"'{unknown[0]}' is not a picture format; choose from svg, png, pdf"
        )
    return forms


def _buffer_bytes(text: str) -> int:
    known = size_bytes(text)
    if known == 0:
        raise ValueError("a buffer of 0 bytes holds nothing; give its size, such as 64KiB")
    return known


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("paths", metavar="PATH", nargs="+", type=Path, help="directory of results, or a document")
    add("--output", metavar="FILE", type=Path, help="report file (default DIR/report.html)")
    add("--title", metavar="TEXT", help="title of the report (default: title of the plan)")
    add(
        "--required-rate",
        type=checked(rate_hz),
        metavar="RATE",
        help="state for each farm whether it reaches this rate, such as 100kHz",
    )
    add(
        "--port-buffer",
        type=checked(_buffer_bytes),
        metavar="BYTES",
        help="buffer of a switch port, such as 64KiB: incast in units of it",
    )
    add(
        "--pictures",
        type=_forms,
        default=_FORMS,
        metavar="FORMS",
        help="formats of the separate picture files (default svg,png,pdf)",
    )


def _output(arguments: argparse.Namespace) -> Path:
    if arguments.output is not None:
        return Path(arguments.output)
    first: Path = arguments.paths[0]
    if is_pipe(first):
        return Path("report.html")
    return first / "report.html" if first.is_dir() else first.with_suffix(".report.html")


def main(arguments: argparse.Namespace) -> int:
    """Exit status: EXIT_STATUS."""
    require_modules(*_MODULES, status=FAILED)
    from combench.report.page import write_report  # needs the modules

    output = _output(arguments)
    require_other("--output", output, arguments.paths)
    found = load(arguments.paths)
    require_other("--output", output, found.files())
    for problem in found.problems:
        print(f"combench report: {problem}", file=sys.stderr)
    summary = write_report(
        found,
        output,
        arguments.pictures,
        arguments.title,
        arguments.required_rate,
        arguments.port_buffer,
    )
    print(summary)
    return MEASURED
