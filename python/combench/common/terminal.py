"""Texts of documents, plans and archives on a terminal, which obeys control characters."""

from __future__ import annotations

import re
import sys
from typing import Any, TextIO

# C0 but for tab and line feed, DEL, C1, and what changes the direction of text or ends a line.
_DIRECTIONS = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_CONTROL = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_DIRECTIONS}]")
_IN_LINE = re.compile(f"[\x00-\x08\x0a-\x1f\x7f-\x9f{_DIRECTIONS}]")


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def printable(text: str, lines: bool = False) -> str:
    """A text with control characters as \\x1b and so on; with `lines` it may have several lines."""
    return (_CONTROL if lines else _IN_LINE).sub(_escaped, text)


class _Printable:
    """A stream that escapes control characters, but for the carriage return of a progress line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        parts = (printable(part, lines=True) for part in text.split("\r"))
        return self._stream.write("\r".join(parts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def guard() -> None:
    """From now on the standard streams escape control characters."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, _Printable):
            setattr(sys, name, _Printable(stream))
