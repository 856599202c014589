#!/usr/bin/python3
"""One line for each target of a log of make perf: its figure, the bound, and what was reached.

A log has lines "target: NAME: FIGURE at most BOUND" or "... at least BOUND"; what was measured in
several starts stands several times, and its median counts.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

LINE = re.compile(
    r"target: (?P<name>.+): (?P<figure>[0-9.]+) at (?P<side>most|least) (?P<bound>[0-9.]+)"
)


@dataclass
class Target:
    side: str
    bound: float
    figures: list[float] = field(default_factory=list)

    def line(self, name: str, width: int) -> str:
        figure = median(self.figures)
        reached = figure <= self.bound if self.side == "most" else figure >= self.bound
        spread = f"[{min(self.figures):.3f}, {max(self.figures):.3f}]" * (len(self.figures) > 1)
        return (
            f"{name:{width}}  {figure:7.3f} {spread:16}  at {self.side:5} {self.bound:6.2f}  "
            f"{'reached' if reached else 'missed'}"
        )


def targets_of(log: str) -> dict[str, Target]:
    targets: dict[str, Target] = {}
    for line in log.splitlines():
        found = LINE.fullmatch(line)
        if found:
            target = targets.setdefault(found["name"], Target(found["side"], float(found["bound"])))
            target.figures.append(float(found["figure"]))
    return targets


def main() -> int:
    targets = targets_of(Path(sys.argv[1]).read_text(encoding="utf-8"))
    width = max((len(name) for name in targets), default=0)
    for name, target in targets.items():
        print(target.line(name, width))
    return 0


if __name__ == "__main__":
    sys.exit(main())
