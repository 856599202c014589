#!/usr/bin/env python3
"""Draw the messages of the benchmarks, one SVG each: patterns.py [DIRECTORY].

Without DIRECTORY the pictures are written beside this script. Solid arrows carry packets of the
measured size, dashed ones control messages of at most 16 bytes.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 420, 220
RADIUS = 17  # of a node

STYLE = """\
  .card { fill: #ffffff; stroke: #c8ccd0 }
  text { font: 13px sans-serif; fill: #1b1f24; text-anchor: middle }
  .title { font-weight: bold }
  .small { font-size: 11px; fill: #4a5159 }
  .node { fill: #dbe9f6; stroke: #1f5f99; stroke-width: 1.5 }
  .data { stroke: #1b1f24; stroke-width: 1.6; fill: none }
  .control { stroke: #b4460a; stroke-width: 1.4; stroke-dasharray: 5 3; fill: none }
  .data-head { fill: #1b1f24 }
  .control-head { fill: #b4460a }
  .control-text { fill: #b4460a }
  @media (prefers-color-scheme: dark) {
    .card { fill: #16191d; stroke: #4a5159 }
    text { fill: #e8eaed }
    .small { fill: #b7bdc4 }
    .node { fill: #17395a; stroke: #7fb5e6 }
    .data { stroke: #e8eaed }
    .control { stroke: #ff9a5c }
    .data-head { fill: #e8eaed }
    .control-head, .control-text { fill: #ff9a5c }
  }"""


@dataclass
class Node:
    """A process, with its short name inside and its role beside it."""

    x: float
    y: float
    name: str
    role: str = ""
    role_dy: float = RADIUS + 15  # of the role's text below the centre of the node


@dataclass
class Arrow:
    """A message; `shift` moves it sideways, to the right of its direction."""

    start: str
    end: str
    kind: str = "data"  # or control
    label: str = ""
    shift: float = 0
    label_at: float = 0.5  # of the way
    label_dx: float = 0
    label_dy: float = -5


@dataclass
class Picture:
    name: str
    title: str
    note: str  # one line below the picture
    nodes: list[Node]
    arrows: list[Arrow]
    extra: list[tuple[float, float, str]] = field(default_factory=list)  # text at a place


def column(x: float, names: list[str], role: str, top: float = 30, bottom: float = 160) -> list[Node]:
    """Nodes one below the other; the role is below the last one."""
    step = (bottom - top) / max(len(names) - 1, 1)
    places = [top + step * i for i in range(len(names))] if len(names) > 1 else [(top + bottom) / 2]
    return [
        Node(x, y, name, role if i == len(names) - 1 else "") for i, (name, y) in enumerate(zip(names, places))
    ]


def to_each(start: str, ends: list[str], **more: object) -> list[Arrow]:
    return [Arrow(start, end, **more) for end in ends]  # type: ignore[arg-type]


def pictures() -> list[Picture]:
    """The patterns, those of note 48 first."""
    sources, destinations = ["S0", "S1", "S2", "S3"], ["D0", "D1", "D2", "D3"]
    ring = {"N0": (210, 26), "N1": (300, 95), "N2": (210, 164), "N3": (120, 95)}
    two = [Node(90, 95, "S", "source"), Node(330, 95, "D", "destination")]
    farm = [
        Node(210, 36, "V", "supervisor", -22),
        *column(70, ["S0", "S1", "S2"], "sources", 80, 164),
        *column(350, ["D0", "D1", "D2"], "destinations", 80, 164),
    ]
    return [
        Picture(
            "oneway",
            "1.1 cb_oneway: one to one",
            "pingpong: the packet comes back; stream: acknowledgements come back",
            two,
            [
                Arrow("S", "D", label="packet", shift=-7),
                Arrow("D", "S", "control", "packet or acknowledgement", shift=-7, label_dy=18),
            ],
        ),
        Picture(
            "twoway",
            "1.2 cb_twoway: both ways at once",
            "a step ends when both packets have been received",
            [Node(90, 95, "N0"), Node(330, 95, "N1")],
            [
                Arrow("N0", "N1", label="packet", shift=-7),
                Arrow("N1", "N0", label="packet", shift=-7, label_dy=18),
            ],
        ),
        Picture(
            "alltoall",
            "1.3 cb_alltoall: every node to all others",
            "a round is P - 1 packets out and P - 1 packets in for each of P nodes",
            [Node(x, y, name) for name, (x, y) in ring.items()],
            [Arrow(a, b, shift=5) for a in ring for b in ring if a != b],
        ),
        Picture(
            "pairs",
            "1.4 cb_pairs: half of the nodes to the other half",
            "no two pairs share a node: only the network can make them slower",
            column(110, sources, "sources") + column(310, destinations, "destinations"),
            [Arrow(s, d) for s, d in zip(sources, destinations)],
        ),
        Picture(
            "outfarm",
            "1.5 cb_outfarm: different data to each",
            "one source sends packets a, b, c, d to a list of destinations in turn",
            [Node(110, 95, "S", "source"), *column(310, destinations, "destinations")],
            [
                Arrow("S", end, label=label, label_at=0.62)
                for end, label in zip(destinations, ["a", "b", "c", "d"])
            ],
        ),
        Picture(
            "multicast",
            "1.6 cb_multicast: the same data to each",
            "by a loop of sends, and by the technology's own multicast",
            [Node(110, 95, "S", "source"), *column(310, destinations, "destinations")],
            to_each("S", destinations, label="a", label_at=0.62),
        ),
        Picture(
            "funnel",
            "1.7 cb_funnel: many to one (event building, incast)",
            "an event is one packet from each source",
            [*column(110, sources, "sources"), Node(310, 95, "D", "destination")],
            [Arrow(s, "D") for s in sources],
        ),
        Picture(
            "pushfarm",
            "2.1 cb_pushfarm: trigger farm, sources push",
            "dashed: 16 bytes. Destinations take events in turn; here the event of D0",
            farm,
            [
                *to_each("V", ["S0", "S1", "S2"], kind="control"),
                *[Arrow(s, "D0") for s in ("S0", "S1", "S2")],
                Arrow("D0", "V", "control"),
            ],
            [(118, 46, "1 assign"), (255, 75, "2 fragments"), (306, 46, "3 decision")],
        ),
        Picture(
            "pullfarm",
            "2.2 cb_pullfarm: trigger farm, destinations fetch",
            "dashed: 16 bytes. Destinations take events in turn; here the event of D0",
            farm,
            [
                Arrow("V", "D0", "control", shift=-6),
                *[Arrow("D0", s, "control", shift=-4) for s in ("S0", "S1", "S2")],
                *[Arrow(s, "D0", shift=-4) for s in ("S0", "S1", "S2")],
                Arrow("D0", "V", "control", shift=-6),
            ],
            [(306, 42, "1 assign"), (136, 56, "2 requests, 3 fragments"), (246, 71, "4 decision")],
        ),
        Picture(
            "pipeline",
            "2.3 cb_pipeline: stages that wait for all inputs (4-2-1)",
            "a stage waits for a packet from each input, works, and sends one on",
            [
                *column(90, sources, "sources"),
                *column(220, ["T0", "T1"], "stage", 52, 138),
                Node(340, 95, "L", "last stage"),
            ],
            [
                Arrow("S0", "T0"),
                Arrow("S1", "T0"),
                Arrow("S2", "T1"),
                Arrow("S3", "T1"),
                Arrow("T0", "L"),
                Arrow("T1", "L"),
            ],
        ),
        Picture(
            "event-building",
            "cb_evb: event building, phase 1 of shift",
            "each node reads out and builds; in phase k node i sends to node i + k",
            [Node(x, y, name) for name, (x, y) in ring.items()],
            [Arrow(f"N{i}", f"N{(i + 1) % 4}") for i in range(4)],
        ),
        Picture(
            "ring",
            "cb_ring: neighbours in a random ring",
            "each node sends to both neighbours; here the ring is N0, N2, N1, N3",
            [Node(x, y, name) for name, (x, y) in ring.items()],
            [
                Arrow(a, b, shift=5)
                for one, other in (("N0", "N2"), ("N2", "N1"), ("N1", "N3"), ("N3", "N0"))
                for a, b in ((one, other), (other, one))
            ],
        ),
        Picture(
            "congestion",
            "cb_congest: a victim beside an aggressor",
            "the victim is timed alone, beside the aggressor, and alone again",
            [
                Node(70, 40, "V0", "victim"),
                Node(350, 40, "V1", "victim"),
                Node(70, 130, "A0", "aggressor"),
                Node(350, 130, "A1", "aggressor"),
                Node(210, 85, "N", "network"),
            ],
            [
                Arrow("V0", "N"),
                Arrow("N", "V1"),
                *[Arrow(a, b, shift=shift) for a, b in (("A0", "N"), ("N", "A1")) for shift in (-7, 0, 7)],
            ],
        ),
    ]


def number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def draw_arrow(arrow: Arrow, nodes: dict[str, Node]) -> list[str]:
    a, b = nodes[arrow.start], nodes[arrow.end]
    length = math.hypot(b.x - a.x, b.y - a.y)
    ux, uy = (b.x - a.x) / length, (b.y - a.y) / length
    px, py = -uy * arrow.shift, ux * arrow.shift
    gap = math.sqrt(RADIUS**2 - arrow.shift**2) + 2
    x1, y1 = a.x + ux * gap + px, a.y + uy * gap + py
    x2, y2 = b.x - ux * (gap + 2) + px, b.y - uy * (gap + 2) + py
    base_x, base_y = x2 - ux * 8, y2 - uy * 8
    head = " ".join(
        f"{number(x)},{number(y)}"
        for x, y in (
            (x2, y2),
            (base_x - uy * 4, base_y + ux * 4),
            (base_x + uy * 4, base_y - ux * 4),
        )
    )
    lines = [
        f'  <line class="{arrow.kind}" x1="{number(x1)}" y1="{number(y1)}" '
        f'x2="{number(base_x)}" y2="{number(base_y)}"/>',
        f'  <polygon class="{arrow.kind}-head" points="{head}"/>',
    ]
    if arrow.label:
        x = x1 + (x2 - x1) * arrow.label_at + arrow.label_dx
        y = y1 + (y2 - y1) * arrow.label_at + arrow.label_dy
        lines.append(f'  <text class="small" x="{number(x)}" y="{number(y)}">{escape(arrow.label)}</text>')
    return lines


def draw(picture: Picture) -> str:
    """The picture as SVG."""
    nodes = {node.name: node for node in picture.nodes}
    described = f"{picture.title}. {picture.note}."
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT + 26}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT + 26}" role="img">',
        f"  <title>{escape(described)}</title>",
        f"  <style>\n{STYLE}\n  </style>",
        f'  <rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT + 25}" rx="6"/>',
        f'  <text class="title" x="{WIDTH / 2:g}" y="20">{escape(picture.title)}</text>',
        '  <g transform="translate(0 22)">',
    ]
    for arrow in picture.arrows:
        lines += ["  " + line for line in draw_arrow(arrow, nodes)]
    for node in picture.nodes:
        lines.append(
            f'    <circle class="node" cx="{number(node.x)}" cy="{number(node.y)}" r="{RADIUS}"/>'
        )
        lines.append(f'    <text x="{number(node.x)}" y="{number(node.y + 5)}">{escape(node.name)}</text>')
        if node.role:
            lines.append(
                f'    <text class="small" x="{number(node.x)}" y="{number(node.y + node.role_dy)}">'
                f"{escape(node.role)}</text>"
            )
    for x, y, text in picture.extra:
        lines.append(f'    <text class="small" x="{number(x)}" y="{number(y)}">{escape(text)}</text>')
    lines += [
        "  </g>",
        f'  <text class="small" x="{WIDTH / 2:g}" y="{HEIGHT + 14}">{escape(picture.note)}</text>',
        "</svg>",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    if len(sys.argv) > 2:
        print("usage: patterns.py [DIRECTORY]", file=sys.stderr)
        return 2
    directory = Path(sys.argv[1]) if len(sys.argv) == 2 else Path(__file__).parent
    for picture in pictures():
        (directory / f"pattern-{picture.name}.svg").write_text(draw(picture), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
