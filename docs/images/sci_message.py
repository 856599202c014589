#!/usr/bin/python3
"""Draw docs/images/sci-message.svg: the life of a message in the technology sci, as a sequence diagram
(docs/reference/sci.md). tests/house/test_docs.py compares the file with what this script draws."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent

SENDER, RECEIVER, WIDE = 370, 660, 1040
# Side, height, text: what a process does.
STEPS = (
    ("receiver", 86, "takes a free buffer b"),
    ("sender", 136, "1  finds the credit in its header: buffer b"),
    ("sender", 176, "2  writes the data into b"),
    ("sender", 226, "SCICheckSequence: fault? write the data again"),
    ("sender", 266, "3  writes the notification: size, number"),
    ("sender", 316, "SCICheckSequence: fault? write it again"),
    ("receiver", 316, "4  polls the notification: number is the next one"),
    ("receiver", 346, "hands b to the user, in place"),
    ("receiver", 396, "5  takes another free buffer c"),
    ("sender", 456, "may send one more message"),
)
# From, to, height at both ends, text above the arrow.
ARROWS = (
    ("receiver", "sender", 90, 130, "credit: b"),
    ("sender", "receiver", 180, 200, "data, into b"),
    ("sender", "receiver", 270, 306, "notification"),
    ("receiver", "sender", 400, 450, "credit: c"),
)
HEIGHT = 490


def x_of(side: str) -> int:
    return SENDER if side == "sender" else RECEIVER


def arrow(start: str, end: str, y1: int, y2: int, text: str) -> list[str]:
    """A remote write, with its name above it."""
    x1, x2 = x_of(start), x_of(end)
    gap = 8 if x2 > x1 else -8
    middle, height = (x1 + x2) / 2, (y1 + y2) / 2 - 14
    return [
        f'<line x1="{x1 + gap}" y1="{y1}" x2="{x2 - gap}" y2="{y2}" stroke="#b3541e" '
        'stroke-width="2" marker-end="url(#head)"/>',
        f'<text x="{middle:g}" y="{height:g}" text-anchor="middle" fill="#8a3d12">{escape(text)}</text>',
    ]


def step(side: str, y: int, text: str) -> list[str]:
    """What one side does, beside its line of time."""
    x = x_of(side)
    anchor, place = ("end", x - 14) if side == "sender" else ("start", x + 14)
    return [
        f'<circle cx="{x}" cy="{y}" r="4" fill="#39597a"/>',
        f'<text x="{place}" y="{y + 4}" text-anchor="{anchor}">{escape(text)}</text>',
    ]


def picture() -> str:
    """The text of the SVG."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HEIGHT}" '
        'font-family="sans-serif" font-size="14">',
        "<title>A message in sci: credit, data, check, notification, check, credit</title>",
        '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#b3541e"/></marker></defs>',
        f'<rect width="{WIDE}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for side in ("sender", "receiver"):
        x = x_of(side)
        lines += [
            f'<text x="{x}" y="30" text-anchor="middle" font-weight="bold" font-size="16">{side}</text>',
            f'<line x1="{x}" y1="44" x2="{x}" y2="{HEIGHT - 16}" stroke="#39597a" stroke-width="1.5"/>',
        ]
    for one in ARROWS:
        lines += arrow(*one)
    for what in STEPS:
        lines += step(*what)
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    (HERE / "sci-message.svg").write_text(picture(), encoding="utf-8")
