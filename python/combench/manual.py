"""Makes the manual pages of the driver from the parsers and texts of its verbs.

The docstring of a verb's module is the description. The module may have EXIT_STATUS, a text;
SEE_ALSO, names of pages; MORE, texts that follow the help of an option; and SECTIONS, titles with
paragraphs and pairs of a term and its explanation.
"""

from __future__ import annotations

import argparse
from types import ModuleType
from typing import Iterable, Iterator, Mapping, Sequence, Union

Paragraph = Union[str, tuple[str, str]]
Section = tuple[str, Sequence[Paragraph]]

# Characters that troff would interpret, or print in a form that a shell does not accept.
_ESCAPES = {
    "-": "\\-",
    "\\": "\\e",
    "'": "\\(aq",
    "`": "\\(ga",
    "^": "\\(ha",
    "~": "\\(ti",
}


# How often an argument may occur, by argparse's nargs.
_OCCURRENCES = {"+": "{}...", "*": "[{}]...", "?": "[{}]"}


def escaped(text: str) -> str:
    """The text escaped for troff, with no line that begins a request."""
    plain = "".join(_ESCAPES.get(character, character) for character in text)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    return "\n".join(f"\\&{line}" if line.startswith(".") else line for line in lines)


def _bold(text: str) -> str:
    return f"\\fB{escaped(text)}\\fR"


def _italic(text: str) -> str:
    return f"\\fI{escaped(text)}\\fR"


def _paragraphs(parts: Iterable[Paragraph]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, tuple):
            yield f".TP\n{_bold(part[0])}\n{escaped(part[1])}"
        else:
            yield f".PP\n{escaped(part)}"


def _section(title: str, parts: Iterable[Paragraph]) -> str:
    body = "\n".join(_paragraphs(parts)).removeprefix(".PP\n")  # .SH has begun a paragraph
    return f'.SH "{title}"\n{body}'


def _value(action: argparse.Action) -> str:
    """The value in the syntax of an option: FILE, or a|b."""
    if action.nargs == 0:
        return ""
    if action.choices is not None:
        return "|".join(str(choice) for choice in action.choices)
    metavar = action.metavar if action.metavar is not None else action.dest.upper()
    return str(metavar)


def _help(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    """The help text as --help shows it, with the default filled in."""
    return parser._get_formatter()._expand_help(action) if action.help else ""


def _options(
    parser: argparse.ArgumentParser, more: Mapping[str, str] = {}
) -> Iterator[Paragraph]:
    """Positional arguments and options in the order of --help; `more` follows the help of some."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) or action.help == argparse.SUPPRESS:
            continue
        names = ", ".join(action.option_strings)
        texts = [_help(action, parser) or "See above.", *filter(None, [more.get(action.dest)])]
        yield f"{names} {_value(action)}".strip(), ". ".join(texts)


def _synopsis(parser: argparse.ArgumentParser) -> str:
    """The command, its arguments, and [OPTION]..."""
    words = [_bold(parser.prog)]
    for action in parser._actions:
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction):
            word = _italic(_value(action))
            words.append(_OCCURRENCES.get(str(action.nargs), "{}").format(word))
    return " ".join([*words, "[\\fIOPTION\\fR]..."])


def _page(name: str, summary: str, sections: Iterable[str]) -> str:
    head = f'.TH {escaped(name.upper())} 1 "" "combench" "User Commands"'
    title = f".SH NAME\n{escaped(name)} \\- {escaped(summary)}"
    return "\n".join([head, title, *sections, ""])


def of_verb(parser: argparse.ArgumentParser, module: ModuleType, summary: str) -> str:
    """The page of a verb."""
    name = parser.prog.replace(" ", "-")
    description = (module.__doc__ or "").split("\n\n")
    sections = [
        f".SH SYNOPSIS\n{_synopsis(parser)}",
        _section("DESCRIPTION", description),
        _section("OPTIONS", _options(parser, getattr(module, "MORE", {}))),
    ]
    own: Sequence[Section] = getattr(module, "SECTIONS", ())
    sections += [_section(title, parts) for title, parts in own]
    if hasattr(module, "EXIT_STATUS"):
        sections.append(_section("EXIT STATUS", [module.EXIT_STATUS]))
    also = ", ".join(f"{_bold(page)}(1)" for page in ("combench", *getattr(module, "SEE_ALSO", ())))
    return _page(name, summary, [*sections, f'.SH "SEE ALSO"\n{also}'])


def of_driver(parser: argparse.ArgumentParser, verbs: Iterable[tuple[str, str]]) -> str:
    """The page of the driver itself; `verbs` are names and summaries."""
    listed = list(verbs)
    sections = [
        f".SH SYNOPSIS\n{_bold(parser.prog)} \\fIVERB\\fR [\\fIOPTION\\fR]...",
        _section("DESCRIPTION", (parser.description or "").split("\n\n")),
        _section("VERBS", [(name, f"{what}: see combench-{name}(1).") for name, what in listed]),
        _section("OPTIONS", _options(parser)),
        '.SH "SEE ALSO"\n' + ", ".join(f"{_bold('combench-' + name)}(1)" for name, _ in listed),
    ]
    return _page(parser.prog, "drive the communication benchmarks", sections)
