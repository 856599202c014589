"""The command line of the driver. A verb is a row of VERBS and a module.

The module has `add_arguments(parser)` and `main(arguments) -> exit status`. It is imported only
for its verb, so other verbs do not need its libraries. manual.py makes its manual page.
"""

from __future__ import annotations

import argparse
import atexit
import importlib
import locale
import os
import shutil
import signal
import sys
import tempfile
import textwrap
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Optional, Sequence

from combench import manual
from combench.common import interpreter, streams, terminal
from combench.common.errors import (
    FAILED,
    MEASURED,
    PACKAGES,
    SuiteError,
    of_system,
    remedy_of,
)

_SCHEMAS, _STATISTICS = ("fastjsonschema",), ("fastjsonschema", "scipy")


@dataclass(frozen=True)
class Verb:
    name: str
    module: str
    modules: tuple[str, ...]  # of PACKAGES, with which it does all that it can
    help: str


VERBS = (
    Verb("run", "combench.suite.run", _STATISTICS, "run the benchmarks of a plan with mpirun or srun"),
    Verb(
        "acceptance",
        "combench.suite.acceptance",
        (*_STATISTICS, "matplotlib"),
        "judge a run by thresholds and by earlier runs",
    ),
    Verb(
        "bundle",
        "combench.suite.bundle",
        _SCHEMAS,
        "put a run into one file, without names on request",
    ),
    Verb(
        "report",
        "combench.report.report",
        tuple(PACKAGES),
        "make an HTML report of results, with pictures",
    ),
    Verb(
        "compare",
        "combench.compare.compare",
        (*_STATISTICS, "matplotlib"),
        "find regressions and improvements between runs",
    ),
    Verb(
        "parkbench",
        "combench.compare.parkbench",
        _STATISTICS,
        "compare 1.1 to 1.3 with Parkbench's COMMS1 to 3",
    ),
    Verb(
        "predict",
        "combench.predict.predict",
        _STATISTICS,
        "predict benchmarks on any network from a calibration",
    ),
    Verb(
        "validate",
        "combench.predict.validate",
        _STATISTICS,
        "compare predictions with measurements",
    ),
)
_TRACEBACK = "CB_TRACEBACK"  # environment: print the traceback of an error that no verb expects
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


def _verb_of(words: Sequence[str]) -> Optional[Verb]:
    return next((verb for verb in VERBS if words and verb.name == words[0]), None)


def main(words: Sequence[str]) -> int:
    """Run the verb that the words name. Returns its exit status; unexpected errors are raised."""
    terminal.guard()
    if list(words) == [_MANUAL]:
        known = ((verb.name, verb.help) for verb in VERBS)
        print(manual.of_driver(general_parser(), known), end="")
        return MEASURED
    general_parser().parse_known_args(words[:1])
    verb = _verb_of(words)
    assert verb is not None, "the parser accepts only verbs"
    try:
        return _run(verb, list(words[1:]))
    except SuiteError as error:
        print(f"combench {verb.name}: error: {error}", file=sys.stderr)
        return error.status


# The process, with errors that no verb expects.


def _unexpected(error: BaseException) -> str:
    """One line for a fault of combench, with the place of its traceback."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({os.path.basename(last[0].filename)}:{last[0].lineno})" if last else ""
    words = " ".join(str(error).split())[:200]
    said = f"unexpected {type(error).__name__}{f': {words}' if words else ''}{place}"
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="combench-traceback-",
            suffix=".txt",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",
        ) as stream:
            traceback.print_exception(type(error), error, error.__traceback__, file=stream)
    except OSError:
        return f"{said}; please report it with the traceback that {_TRACEBACK}=1 prints"
    return f"{said}; please report it with the traceback in {stream.name}"


def _said_of(error: BaseException) -> str:
    """The message for an error that no verb has expected."""
    if isinstance(error, OSError):
        if error is streams.output_error():
            return f"cannot write standard output: {error.strerror}; {remedy_of(error)}"
        return str(of_system(error))
    if isinstance(error, MemoryError):
        return "not enough memory; free memory, or raise its limit (ulimit -v unlimited)"
    if isinstance(error, ImportError):
        return (
            f"{sys.executable} cannot load a module: {error}; install it again, or use another "
            "Python (PATH=/usr/bin:$PATH combench ...)"
        )
    if isinstance(error, UnicodeEncodeError):
        return (
            f"cannot use the name {ascii(error.object)[:200]}: the encoding of the locale is "
            f"{locale.getpreferredencoding(False)}; set LC_ALL=C.UTF-8"
        )
    return _unexpected(error)


def _require_folder() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise SuiteError(
            f"cannot use the current directory: {error.strerror}; change to one that exists"
        ) from error


def _provide_home() -> None:
    """matplotlib does not load without a home, which a user without a name may lack."""
    try:
        Path.home()
    except RuntimeError:
        folder = tempfile.mkdtemp(prefix="combench-matplotlib-")
        os.environ["MPLCONFIGDIR"] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


def start(words: Sequence[str]) -> int:
    """As `main`, for a process: whatever goes wrong is one line, and an exit status."""
    streams.prepare()
    verb = _verb_of(words)
    name = f"combench {verb.name}" if verb else "combench"
    try:
        if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        _require_folder()
        if verb:
            interpreter.continue_with(verb.modules)
            if "matplotlib" in verb.modules:
                _provide_home()
        try:
            status = main(words)
        except SystemExit as ending:  # of argparse
            status = int(ending.code or 0)
        sys.stdout.flush()
        unwritten = streams.output_error()
        if unwritten is not None:  # argparse ignores it
            raise unwritten
        return status
    except KeyboardInterrupt:
        print(f"{name}: stopped by SIGINT", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        streams.discard_output()  # its reader has ended
        return FAILED
    except SuiteError as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        return error.status
    except Exception as error:  # the last resort
        said = _said_of(error)
        streams.discard_output()
        if os.environ.get(_TRACEBACK):
            traceback.print_exc()
        print(f"{name}: error: {said}", file=sys.stderr)
        return FAILED
