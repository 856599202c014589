#!/usr/bin/python3
"""Measure the cost of evaluating a message against the size of the system, as a table and a picture.

    builddir=BUILD cost.py [PICTURE.svg]

Runs perf_model, and perf_simgrid where that was built, on the same traffic at growing sizes: 1 KiB to
random partners, a funnel of unequal messages, and looped exchanges. Times are of the processor, so
that others on the machine matter little.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log10
from pathlib import Path

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 440, 70, 170, 20, 50
STYLE = (
    "text{font:12px sans-serif} .grid{stroke:#ddd} .frame{fill:none;stroke:#333}"
    " polyline{fill:none;stroke-width:2}"
)


@dataclass
class Curve:
    """One kind of traffic, and who evaluates it."""

    title: str
    kind: str
    simgrid: bool
    nodes: tuple[int, ...]
    colour: str
    dashes: str = ""
    points: list[tuple[int, float]] = field(default_factory=list)


CURVES = (
    Curve("random partners", "random", False, (16, 128, 1024, 8192, 65536), "#0072b2"),
    Curve("unequal funnel", "funnel", False, (16, 128, 1024, 8192), "#009e73", "7 3"),
    Curve("looped exchange", "exchange", False, (1024, 8192, 65536, 1000000), "#56b4e9", "2 3"),
    Curve("SimGrid, random", "random", True, (16, 128, 1024), "#d55e00"),
    Curve("SimGrid, funnel", "funnel", True, (16, 128, 1024), "#cc79a7", "7 3"),
)


def messages_for(curve: Curve, nodes: int) -> int:
    """Enough to be timed; SimGrid takes a hundred times as long."""
    return max(10 * nodes, 20000) if curve.simgrid else max(3 * nodes, 300000)


def cost_ns(programs: Path, trace: Path, curve: Curve, nodes: int) -> float:
    make = [programs / "perf_model", "make", curve.kind, str(nodes), str(messages_for(curve, nodes)), trace]
    subprocess.run(make, check=True)
    if curve.simgrid:
        run = [programs / "perf_simgrid", trace, "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0"]
        run += ["--cfg=contexts/stack-size:32", "--log=root.thres:error"]
    else:
        run = [programs / "perf_model", "run", trace]
    text = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    found = re.search(r"\bMps ([0-9.]+)", text)
    if found is None:
        raise SystemExit(f"cost.py: {run[0]} printed no speed, but {text!r}")
    return 1000 / float(found.group(1))


def measure(programs: Path, curve: Curve) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for nodes in curve.nodes:
            cost = cost_ns(programs, Path(folder) / "trace.cct", curve, nodes)
            curve.points.append((nodes, cost))
            print(f"{curve.title:>16}  {nodes:>8} nodes  {cost:>10.0f} ns a message", flush=True)


class Axis:
    """Decades from `low` to `high`, between two pixels."""

    def __init__(self, low: int, high: int, begin: float, end: float) -> None:
        self.low, self.high, self.begin, self.end = low, high, begin, end

    def place(self, value: float) -> float:
        return self.begin + (log10(value) - self.low) / (self.high - self.low) * (self.end - self.begin)

    def decades(self) -> Iterator[tuple[int, float]]:
        return ((10**power, self.place(10**power)) for power in range(self.low, self.high + 1))


def with_unit(ns: int) -> str:
    return next(f"{ns // unit} {name}" for unit, name in ((10**6, "ms"), (10**3, "us"), (1, "ns")) if ns >= unit)


def draw_axes(across: Axis, up: Axis) -> Iterator[str]:
    for nodes, x in across.decades():
        yield f'<line class="grid" x1="{x:.1f}" y1="{up.begin}" x2="{x:.1f}" y2="{up.end}"/>'
        yield f'<text x="{x:.1f}" y="{up.begin + 18}" text-anchor="middle">{nodes}</text>'
    for cost, y in up.decades():
        yield f'<line class="grid" x1="{across.begin}" y1="{y:.1f}" x2="{across.end}" y2="{y:.1f}"/>'
        yield f'<text x="{across.begin - 8}" y="{y + 4:.1f}" text-anchor="end">{with_unit(cost)}</text>'
    middle = (across.begin + across.end) / 2
    yield f'<text x="{middle}" y="{up.begin + 40}" text-anchor="middle">nodes</text>'
    yield (
        f'<text transform="translate(16 {(up.begin + up.end) / 2}) rotate(-90)" '
        'text-anchor="middle">time of the processor for a message</text>'
    )
    yield (
        f'<rect class="frame" x="{across.begin}" y="{up.end}" width="{across.end - across.begin}" '
        f'height="{up.begin - up.end}"/>'
    )


def draw_curve(curve: Curve, number: int, across: Axis, up: Axis) -> Iterator[str]:
    places = [(across.place(nodes), up.place(cost)) for nodes, cost in curve.points]
    line = f'stroke="{curve.colour}" stroke-dasharray="{curve.dashes or "none"}"'
    x, y = across.end + 12, up.end + 14 + 22 * number
    yield f'<polyline {line} points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>'
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{curve.colour}"/>' for x, y in places)
    yield f'<polyline {line} points="{x},{y - 4} {x + 26},{y - 4}"/>'
    yield f'<text x="{x + 32}" y="{y}">{curve.title}</text>'


def picture(curves: list[Curve]) -> str:
    across = Axis(1, 6, LEFT, WIDTH - RIGHT)
    costs = [cost for curve in curves for _, cost in curve.points]
    low, high = int(log10(min(costs))), int(log10(max(costs))) + 1
    up = Axis(low, high, HEIGHT - BOTTOM, TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" role="img">',
        "<title>What the evaluation of a message costs, against the number of nodes</title>",
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>',
        *draw_axes(across, up),
    ]
    for number, curve in enumerate(curves):
        lines += draw_curve(curve, number, across, up)
    return "\n".join([*lines, "</svg>", ""])


def main() -> int:
    programs = Path(os.environ["builddir"]) / "tests/perf"
    curves = [c for c in CURVES if not c.simgrid or (programs / "perf_simgrid").exists()]
    for curve in curves:
        measure(programs, curve)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(picture(curves), encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
