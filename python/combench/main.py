"""The command line of the driver. A verb is a row of VERBS and a module.

The module has `add_arguments(parser)` and `main(arguments) -> exit status`. It is imported only
for its verb, so other verbs do not need its libraries. manual.py makes its manual page.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import textwrap
from dataclasses import dataclass
from types import ModuleType
from typing import Sequence

from combench import manual
from combench.common.errors import FAILED, MEASURED, SuiteError


@dataclass(frozen=True)
class Verb:
    name: str
    module: str
    help: str


VERBS = (
    Verb("run", "combench.suite.run", "run the benchmarks of a plan with mpirun or srun"),
    Verb("acceptance", "combench.suite.acceptance", "judge a run by thresholds and by earlier runs"),
    Verb("bundle", "combench.suite.bundle", "put a run into one file, without names on request"),
    Verb("report", "combench.report.report", "make an HTML report of results, with pictures"),
    Verb("compare", "combench.compare.compare", "find regressions and improvements between runs"),
    Verb("parkbench", "combench.compare.parkbench", "compare 1.1 to 1.3 with Parkbench's COMMS1 to 3"),
    Verb("predict", "combench.predict.predict", "predict benchmarks on any network from a calibration"),
    Verb("validate", "combench.predict.validate", "compare predictions with measurements"),
)
_LAUNCH = "--launch"  # options for another program
_MANUAL = "--manual"
_MANUAL_HELP = "print the source of the manual page and exit"


def general_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="combench",
        description="Run the communication benchmarks of combench and evaluate their results. "
        "`combench run` needs only Python 3.9 or later; the other verbs also need fastjsonschema, "
        "compare, parkbench and predict SciPy, report matplotlib and jinja2.",
        epilog="`combench VERB --help` lists the options of a verb.",
    )
    parser.add_argument(_MANUAL, action="store_true", help=_MANUAL_HELP)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in VERBS:
        verbs.add_parser(verb.name, help=verb.help, add_help=False)
    return parser


class _Help(argparse.RawDescriptionHelpFormatter):
    """Does not break a name such as sci-note at its hyphen: the completion reads the names."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


def parser_of(verb: Verb, module: ModuleType) -> argparse.ArgumentParser:
    """The parser of a verb, from which its manual page is made."""
    parser = argparse.ArgumentParser(
        prog=f"combench {verb.name}",
        description=module.__doc__,
        formatter_class=_Help,
    )
    module.add_arguments(parser)
    parser.add_argument(_MANUAL, action="store_true", help=_MANUAL_HELP)
    return parser


def manual_of(verb: Verb) -> str:
    module = importlib.import_module(verb.module)
    return manual.of_verb(parser_of(verb, module), module, verb.help)


def _joined(words: Sequence[str]) -> list[str]:
    """--launch with its value as one word, since argparse takes one such as --oversubscribe for an option."""
    found, rest = [], iter(words)
    for word in rest:
        value = next(rest, None) if word == _LAUNCH else None
        found.append(word if value is None else f"{word}={value}")
    return found


def _run(verb: Verb, words: Sequence[str]) -> int:
    if _MANUAL in words:
        print(manual_of(verb), end="")
        return MEASURED
    module = importlib.import_module(verb.module)
    status: int = module.main(parser_of(verb, module).parse_args(_joined(words)))
    return status


def main(words: Sequence[str]) -> int:
    """Run the verb that the words name. Returns its exit status."""
    if list(words) == [_MANUAL]:
        known = ((verb.name, verb.help) for verb in VERBS)
        print(manual.of_driver(general_parser(), known), end="")
        return MEASURED
    chosen, rest = general_parser().parse_known_args(words[:1]), list(words[1:])
    verb = next(verb for verb in VERBS if verb.name == chosen[0].verb)
    try:
        return _run(verb, rest)
    except SuiteError as error:
        print(f"combench {verb.name}: error: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return FAILED
    except BrokenPipeError:
        # The reader of the output has exited: discard buffered output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
