"""Pictures of the page ccmod that ccmod does not draw itself: figure 2, the links that two messages take
through the article's switch, and figure 3, measured times with the lines that are fitted to them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Sequence
from xml.sax.saxutils import escape

GROUPS, NODES_OF_GROUP, NODES = 4, 4, 16

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">
<style>
  .card {{ fill: #ffffff; stroke: #c8ccd0 }}
  text {{ font: 12px sans-serif; fill: #1b1f24; text-anchor: middle }}
  .start {{ text-anchor: start }}
  .end {{ text-anchor: end }}
  .part {{ fill: #dbe9f6; stroke: #1f5f99 }}
  .link {{ stroke: #c8ccd0; fill: none }}
  .used {{ stroke: #1b1f24; stroke-width: 2.5; fill: none }}
  .shared {{ stroke: #b4460a; stroke-width: 4; fill: none }}
  .count {{ fill: #ffffff; stroke: #1b1f24 }}
  .point {{ fill: #1b1f24 }}
  .one {{ stroke: #1f5f99; stroke-width: 1.6; stroke-dasharray: 6 4; fill: none }}
  .two {{ stroke: #b4460a; stroke-width: 1.6; fill: none }}
</style>
<title>{title}</title>
<rect class="card" x="0.5" y="0.5" width="{inner_width}" height="{inner_height}"/>"""


def _head(width: int, height: int, title: str) -> str:
    inner = {"inner_width": width - 1, "inner_height": height - 1}
    return _HEAD.format(width=width, height=height, title=escape(title), **inner)


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}"{attribute}>{escape(text)}</text>'


def _line(kind: str, points: Sequence[tuple[float, float]]) -> str:
    way = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path class="{kind}" d="M{way}"/>'


# Figure 2.

_NODE_Y, _GROUP_Y, _SWITCH_Y = 240, 150, 55
_CELL = re.compile(r"(?:node (\d+)|group (\d+) - switch (\d+)) (inward|outward)")


def _node_x(node: int) -> float:
    return 40 + node * 42 + (node // NODES_OF_GROUP) * 14


def _group_x(group: int) -> float:
    return (_node_x(group * NODES_OF_GROUP) + _node_x(group * NODES_OF_GROUP + 3)) / 2


def cell_place(cell: str) -> tuple[int, int]:
    """A cell's column and row in the article's routing array: columns 0 to 15 are the nodes' links, 16 to 31
    those between switches; row 0 leads towards the second level."""
    found = _CELL.fullmatch(cell)
    if not found:
        raise ValueError(f"'{cell}' is no link of the article's switch")
    node, group, switch, direction = found.groups()
    column = int(node) if node else NODES + int(group) * GROUPS + int(switch) - 1
    return column, int(direction == "outward")


def _ends(column: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """The lower and the upper end of a link."""
    if column < NODES:
        return (_node_x(column), _NODE_Y), (_group_x(column // NODES_OF_GROUP), _GROUP_Y)
    group, switch = divmod(column - NODES, GROUPS)
    return (_group_x(group), _GROUP_Y), (_group_x(switch), _SWITCH_Y)


def _box(x: float, y: float, width: float, text: str) -> list[str]:
    box = f'<rect class="part" x="{x - width / 2:g}" y="{y - 13:g}" width="{width:g}" height="26" rx="4"/>'
    return [box, _text(x, y + 4, text)]


def messages_on_links(contention: dict[str, Any]) -> str:
    """Figure 2: the links that messages take, with their number."""
    parts = [_head(780, 280, "Links that two messages take through the switch, and how many share each")]
    parts += [_line("link", _ends(column)) for column in range(NODES + GROUPS * GROUPS)]
    counts = []
    for cell, number in contention.items():
        column, row = cell_place(cell)
        (low_x, low_y), (high_x, high_y) = _ends(column)
        parts.append(_line("shared" if number > 1 else "used", _ends(column)))
        part = 0.65 if column >= NODES and row else 0.35  # crossing links have their numbers apart
        x, y = low_x + part * (high_x - low_x), low_y + part * (high_y - low_y)
        counts += [
            f'<circle class="count" cx="{x:g}" cy="{y:g}" r="12"/>',
            _text(x, y + 4, f"{number:g}{'↓' if row else '↑'}"),
        ]
    for group in range(GROUPS):
        parts += _box(_group_x(group), _GROUP_Y, 90, f"group {group}")
        parts += _box(_group_x(group), _SWITCH_Y, 90, f"switch {group + 1}")
    for node in range(NODES):
        parts += _box(_node_x(node), _NODE_Y, 32, str(node))
    return "\n".join([*parts, *counts, _text(390, 24, "second level"), "</svg>"]) + "\n"


# Figure 3.

_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 660, 30, 330


def _ticks(largest: float) -> Iterator[float]:
    """From 0 in steps of 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(largest / 4))
    step = next(power * factor for factor in (1, 2, 5, 10) if largest / (power * factor) <= 7)
    for index in range(int(largest / step) + 1):
        yield round(index * step, 9)


@dataclass(frozen=True)
class Axes:
    """Linear axes from 0."""

    largest_x: float
    largest_y: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        across = _LEFT + (_RIGHT - _LEFT) * x / self.largest_x
        return across, _BOTTOM - (_BOTTOM - _TOP) * y / self.largest_y

    def drawn(self) -> Iterator[str]:
        yield _line("link", [self.at(0, self.largest_y), self.at(0, 0), self.at(self.largest_x, 0)])
        for x in _ticks(self.largest_x):
            yield _text(self.at(x, 0)[0], _BOTTOM + 18, f"{x:g}")
        for y in _ticks(self.largest_y):
            yield _text(_LEFT - 8, self.at(0, y)[1] + 4, f"{y:g}", "end")
        yield _text((_LEFT + _RIGHT) / 2, _BOTTOM + 38, "bytes of the message")
        yield _text(_LEFT, _TOP - 10, "us")


def times_and_lines(
    points: Sequence[tuple[float, float]],
    one: Callable[[float], float],
    two: Callable[[float], float],
    packet: float,
) -> str:
    """Figure 3: measured points, one line and two lines, which meet at the size of a packet."""
    largest = max(size for size, _ in points)
    axes = Axes(largest, 1.05 * max(time for _, time in points))
    smallest = min(size for size, _ in points)
    after = packet * (1 + 1e-9)
    parts = [_head(690, 385, "Time of a message on the quiet network, with one line and with two")]
    parts += axes.drawn()
    parts.append(_line("one", [axes.at(size, max(one(size), 0)) for size in (smallest, largest)]))
    for sizes in ((smallest, packet), (after, largest)):
        parts.append(_line("two", [axes.at(size, two(size)) for size in sizes]))
    for size, time in points:
        x, y = axes.at(size, time)
        parts.append(f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="3.2"/>')
    for row, (kind, text) in enumerate((("one", "one line"), ("two", "two lines"))):
        y = _TOP + 12 + 20 * row
        parts += [_line(kind, [(_LEFT + 20, y), (_LEFT + 60, y)]), _text(_LEFT + 68, y + 4, text, "start")]
    return "\n".join([*parts, "</svg>"]) + "\n"
