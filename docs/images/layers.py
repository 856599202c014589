#!/usr/bin/python3
"""Draw docs/images/layers.svg: the folders of the sources and which depends on which, from the table of
docs/development/architecture.md. Run it after a change of that table; tests/house/test_docs.py compares."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests/house"))
sys.dont_write_bytecode = True

import layering  # noqa: E402

# What each folder is for, in two lines. A folder of the table without a description is an error.
PURPOSE = {
    "benchmarks": ("definitions, step functions,", "main of all programs"),
    "src/bare": ("plain MPI in turn with", "the transport"),
    "src/base": ("status, log, options, units,", "clock, memory, Contexts"),
    "src/congest": ("a benchmark beside", "another one"),
    "src/control": ("ranks, teams, agreement,", "clocks; over MPI"),
    "src/world": ("a job in a model:", "ranks, clock, control plane"),
    "src/emit": ("a benchmark's messages", "as a trace, without MPI"),
    "src/engine": ("session, plan, measurements,", "passes, figures"),
    "src/evb": ("event building:", "schedules, units"),
    "src/farm": ("supervisor, sources,", "destinations, accounts"),
    "src/host": ("topology, environment,", "noise, calibrated work"),
    "src/linkmap": ("map of links: rounds,", "samples, outliers"),
    "src/model": ("the communication model:", "libccmod"),
    "src/occupation": ("computing task beside", "the communication"),
    "src/parkbench": ("check of the clock,", "Parkbench's parameters"),
    "src/rate": ("open loops: arrivals,", "loads, search"),
    "src/replay": ("a trace played on", "the network"),
    "src/report": ("columns, documents:", "text, CSV, JSON"),
    "src/sisci": ("SISCI over shared memory:", "libsisci-shm"),
    "src/stats": ("medians, intervals,", "histogram, fits"),
    "src/timeline": ("events of one run", "on one clock"),
    "src/tracer": ("traces of any MPI program:", "libcombench-trace"),
    "src/transport": ("Factory, Node, Group, Buffer;", "a folder per technology"),
    "tools": ("ccmod, sisci-shm-clean,", "combench-testbed"),
}
NOT_DRAWN = ("tests",)
WIDTH, HEIGHT, COLUMN, ROW, MARGIN = 176, 58, 192, 100, 12  # of boxes, their grid, and the edge
POINT = 40  # the width that a line needs where it passes a layer


def below() -> dict[str, set[str]]:
    """The folders that each folder may include directly."""
    names = [row.rstrip("/") for row in layering.MAY_INCLUDE if row.rstrip("/") not in NOT_DRAWN]
    if set(names) != PURPOSE.keys():
        sys.exit(f"layers.py: PURPOSE and the table differ: {set(names) ^ PURPOSE.keys()}")
    short = {name.removeprefix("src/"): name for name in names}
    found: dict[str, set[str]] = {}
    for name in names:
        included = {one.split("/")[0] for one in layering.MAY_INCLUDE[f"{name}/"]}
        found[name] = {short[one] for one in included if one in short}
    return found


def reach(graph: dict[str, set[str]], name: str) -> set[str]:
    """All that a folder depends on, directly or not."""
    found = set(graph[name])
    for one in graph[name]:
        found |= reach(graph, one)
    return found


def edges(graph: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The dependencies that do not follow from others."""
    return [
        (upper, lower)
        for upper, direct in sorted(graph.items())
        for lower in sorted(direct)
        if not any(lower in reach(graph, other) for other in direct - {lower})
    ]


def height(graph: dict[str, set[str]], name: str) -> int:
    """The number of layers below a folder."""
    return max((height(graph, one) + 1 for one in graph[name]), default=0)


def stretched(graph: dict[str, set[str]]) -> dict[str, list[str]]:
    """The drawn dependencies from layer to layer: a long one passes a point in each layer between. Points
    are named "upper>lower@layer"."""
    found: dict[str, list[str]] = {name: [] for name in graph}
    for upper, lower in edges(graph):
        last = upper
        for layer in range(height(graph, upper) - 1, height(graph, lower), -1):
            point = f"{upper}>{lower}@{layer}"
            found[last].append(point)
            found[point] = []
            last = point
        found[last].append(lower)
    return found


def places(graph: dict[str, set[str]], lines: dict[str, list[str]]) -> dict[str, tuple[float, float]]:
    """The upper centre of each box and point: a row for each layer, ordered so that few lines cross."""
    layers: dict[int, list[str]] = {}
    for name in sorted(lines):
        layer = int(name.rpartition("@")[2]) if "@" in name else height(graph, name)
        layers.setdefault(layer, []).append(name)
    above = {name: [one for one in lines if name in lines[one]] for name in lines}
    centre: dict[str, float] = {}
    place: dict[str, tuple[float, float]] = {}

    def arrange(layer: int, neighbours: dict[str, list[str]]) -> None:
        names = layers[layer]
        wish = {
            name: sum(centre[one] for one in neighbours[name]) / len(neighbours[name])
            if neighbours[name] and centre
            else 0.0
            for name in names
        }
        names.sort(key=lambda name: (wish[name], name))
        left = -sum(POINT if "@" in name else COLUMN for name in names) / 2
        for name in names:
            room = POINT if "@" in name else COLUMN
            centre[name] = left + room / 2
            place[name] = (centre[name], MARGIN + (max(layers) - layer) * ROW)
            left += room

    for layer in sorted(layers, reverse=True):
        arrange(layer, above)
    for _ in range(4):
        for layer in sorted(layers):
            arrange(layer, lines)
        for layer in sorted(layers, reverse=True):
            arrange(layer, above)
    return place


def curve(from_x: float, from_y: float, to_x: float, to_y: float) -> str:
    bend = (to_y - from_y) / 2
    return (
        f'<path d="M{from_x:g} {from_y:g} C{from_x:g} {from_y + bend:g} {to_x:g} {to_y - bend:g} '
        f'{to_x:g} {to_y:g}" fill="none" stroke="#7a8793" stroke-width="1.3"/>'
    )


def picture() -> str:
    """The text of the SVG."""
    graph = below()
    lines = stretched(graph)
    place = places(graph, lines)
    low = min(x for x, _ in place.values()) - WIDTH / 2 - MARGIN
    wide = max(x for x, _ in place.values()) + WIDTH / 2 + MARGIN - low
    high = max(y for _, y in place.values()) + HEIGHT + MARGIN
    texts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{low:g} 0 {wide:g} {high:g}" '
        'font-family="sans-serif" text-anchor="middle">',
        "<title>Folders of the sources; each may include those below that it is connected to, "
        "and what these depend on</title>",
        f'<rect x="{low:g}" width="{wide:g}" height="{high:g}" fill="#ffffff"/>',
    ]
    for upper in sorted(lines):
        x, y = place[upper]
        if "@" in upper:
            texts.append(curve(x, y, x, y + HEIGHT))
        texts += [curve(x, y + HEIGHT, *place[lower]) for lower in lines[upper]]
    for name in sorted(graph):
        x, y = place[name]
        first, second = PURPOSE[name]
        texts += [
            f'<rect x="{x - WIDTH / 2:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" '
            'fill="#eef3f8" stroke="#39597a"/>',
            f'<text x="{x:g}" y="{y + 19:g}" font-size="14" font-weight="bold">{name}</text>',
            f'<text x="{x:g}" y="{y + 35:g}" font-size="11">{escape(first)}</text>',
            f'<text x="{x:g}" y="{y + 49:g}" font-size="11">{escape(second)}</text>',
        ]
    return "\n".join([*texts, "</svg>"]) + "\n"


if __name__ == "__main__":
    (HERE / "layers.svg").write_text(picture(), encoding="utf-8")
