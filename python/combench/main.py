"""From the command line to a verb. A verb is a row of VERBS and a module.

The module has `add_arguments(parser)` and `main(arguments) -> exit status`; it is imported only
when its verb is asked for, so that one may need libraries that the others do without. What its
manual page has beside that is in manual.py.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
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
    Verb("run", "combench.suite.run", "measure what a plan lists, with mpirun or srun"),
    Verb("report", "combench.report.report", "make a report of results, with pictures"),
    Verb("compare", "combench.compare.compare", "regressions and improvements between runs"),
    Verb("parkbench", "combench.compare.parkbench", "1.1 to 1.3 beside COMMS1 to COMMS3 of Parkbench"),
    Verb("predict", "combench.predict.predict", "all benchmarks on any network, from measurements"),
    Verb("validate", "combench.predict.validate", "how far off predictions are of what was measured"),
)
_MANUAL = "--manual"
_MANUAL_HELP = "print the manual page's source and exit"


def general_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="combench",
        description="Drive the communication benchmarks of combench: run plans of measurements, "
        "and tell what their results say. Running plans needs Python 3.9 or later alone; what reads "
        "results needs fastjsonschema, tests and predictions SciPy, reports matplotlib and jinja2.",
        epilog="`combench VERB --help` lists the options of a verb.",
    )
    parser.add_argument(_MANUAL, action="store_true", help=_MANUAL_HELP)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in VERBS:
        verbs.add_parser(verb.name, help=verb.help, add_help=False)
    return parser


def parser_of(verb: Verb, module: ModuleType) -> argparse.ArgumentParser:
    """The parser of a verb, which is also the source of its manual page."""
    parser = argparse.ArgumentParser(
        prog=f"combench {verb.name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.add_argument(_MANUAL, action="store_true", help=_MANUAL_HELP)
    return parser


def manual_of(verb: Verb) -> str:
    module = importlib.import_module(verb.module)
    return manual.of_verb(parser_of(verb, module), module, verb.help)


def _run(verb: Verb, words: Sequence[str]) -> int:
    if _MANUAL in words:
        print(manual_of(verb), end="")
        return MEASURED
    module = importlib.import_module(verb.module)
    status: int = module.main(parser_of(verb, module).parse_args(words))
    return status


def main(words: Sequence[str]) -> int:
    """Run the verb that the words name; its exit status."""
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
        # Whoever read the output has enough; nor is there anybody for what is still buffered.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
