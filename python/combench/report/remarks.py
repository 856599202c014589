"""Converts the user's own texts from a small part of Markdown to HTML.

Markup: headings, paragraphs, lists of `-`, code between lines of three backquotes; within a line
`code`, *emphasis* and **strong**. All other text is escaped.
"""

from __future__ import annotations

import html
import re
from typing import Iterator

_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
)
_FENCE = "```"
_HEADING = re.compile(r"(#+) +(.*)")


def _inline(text: str) -> str:
    made = html.escape(text, quote=False)
    for pattern, replacement in _INLINE:
        made = pattern.sub(replacement, made)
    return made


def _blocks(text: str) -> Iterator[list[str]]:
    """Blocks of lines: a heading, or separated by blank lines, or enclosed in fences."""
    block: list[str] = []
    fenced = False
    for line in text.splitlines():
        if line.startswith(_FENCE):
            if block and not fenced:
                yield block
                block = []
            block.append(line)
            fenced = not fenced
            if not fenced:
                yield block
                block = []
        elif not block and _HEADING.match(line):
            yield [line]
        elif line.strip() or fenced:
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def _list(lines: list[str]) -> str:
    items: list[str] = []
    for line in lines:
        if line.startswith("- "):
            items.append(line[2:])
        else:
            items[-1] += " " + line.strip()
    return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + "</ul>"


def _block(lines: list[str]) -> str:
    first = lines[0]
    if first.startswith(_FENCE):
        code = "\n".join(line for line in lines if not line.startswith(_FENCE))
        return f"<pre>{html.escape(code, quote=False)}</pre>"
    heading = _HEADING.match(first)
    if heading:
        return f"<h4>{_inline(heading[2])}</h4>"
    if first.startswith("- "):
        return _list(lines)
    return f"<p>{_inline(' '.join(line.strip() for line in lines))}</p>"


def as_html(text: str) -> str:
    return "\n".join(_block(lines) for lines in _blocks(text))
