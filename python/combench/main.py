"""From the command line to a verb. A verb is a row of VERBS and a module.

The module has `add_arguments(parser)` and `main(arguments) -> exit status`; it is imported only
when its verb is asked for, so that one may need libraries that the others do without.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from dataclasses import dataclass
from typing import Sequence

from combench.errors import FAILED, SuiteError


@dataclass(frozen=True)
class Verb:
    name: str
    module: str
    help: str


VERBS = (
    Verb("run", "combench.run", "measure what a plan lists, with mpirun or srun"),
    Verb("compare", "combench.compare", "regressions and improvements between runs"),
    Verb("predict", "combench.predict", "all benchmarks on any network, from measurements"),
)


def general_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="combench",
        description="Drive the communication benchmarks of combench.",
        epilog="`combench VERB --help` lists the options of a verb.",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in VERBS:
        verbs.add_parser(verb.name, help=verb.help, add_help=False)
    return parser


def main(words: Sequence[str]) -> int:
    """Run the verb that the words name; its exit status."""
    chosen, rest = general_parser().parse_known_args(words[:1]), list(words[1:])
    verb = next(verb for verb in VERBS if verb.name == chosen[0].verb)
    module = importlib.import_module(verb.module)
    parser = argparse.ArgumentParser(
        prog=f"combench {verb.name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    try:
        status: int = module.main(parser.parse_args(rest))
    except SuiteError as error:
        print(f"combench {verb.name}: error: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return FAILED
    except BrokenPipeError:
        # Whoever read the output has enough; nor is there anybody for what is still buffered.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return status
