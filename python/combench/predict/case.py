"""One measurement of one benchmark, as a prediction sees it: what decides which messages are sent.

What a benchmark is comes from its definition in benchmarks.json: which ranks have which role, which
options it takes, what the time of a step is reported as.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from combench.common import catalogue
from combench.common.catalogue import Benchmark, Mode, evaluate

WINDOW = 64  # packets of a stream that are not acknowledged, as of the programs


@dataclass(frozen=True)
class Case:
    benchmark: str
    mode: str
    numbers: tuple[int, ...]  # of what is counted: processors; sources, destinations; stages
    size_bytes: int
    algorithm_us: float = 0.0  # on each packet; farms and pipelines
    window: int = WINDOW
    in_flight: int = 0  # of a farm: events that are issued and not decided
    multicast: str = "loop"  # of what goes to many: loop, technology (by the network), tree
    pace_us: float = 0.0  # of a farm: what the supervisor waits before it issues an event
    shifts: int = 0  # of an all-to-all: only that many of a round's messages; 0: all
    own: tuple[str, ...] = ()  # options that the benchmark alone has, as words

    @property
    def definition(self) -> Benchmark:
        return catalogue.known().benchmark(self.benchmark)

    @cached_property
    def step(self) -> Mode:
        """What its mode says of a step."""
        found = self.definition.mode(self.mode)
        if found is None:
            raise ValueError(f"{self.benchmark} has no mode {self.mode}")
        return found

    def takes(self, option: str) -> bool:
        """Whether the benchmark takes this option, and thereby has what it stands for."""
        return option in self.definition.options

    @property
    def is_farm(self) -> bool:
        """Whether its steps are events, of which several are in flight."""
        return self.takes("in-flight")

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many ranks have each role, or are in each stage; in order of the ranks."""
        if self.definition.count.is_topology:
            return self.numbers
        names: dict[str, Any] = {"count": self.numbers[0]}
        names |= {"sources": self.numbers[0], "destinations": self.numbers[-1]}
        return tuple(int(evaluate(one, **names)) for one in self.definition.roles.values())

    @property
    def processors(self) -> int:
        return sum(self.shape)

    @cached_property
    def packets(self) -> int:
        """Data packets that all destinations take in a step / divisor."""
        # Of a topology those that the last stage takes.
        count = self.numbers[-2 if self.definition.count.is_topology else 0]
        return int(evaluate(self.step.packets, count=count))

    @property
    def count_text(self) -> str:
        """Its numbers as plans and options write them: 4, 4x2, 4-2-1."""
        count = self.definition.count
        return ("x" if count.is_farm else "-").join(map(str, self.numbers))
