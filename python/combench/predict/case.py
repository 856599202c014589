"""One measurement of one benchmark: the parameters that determine its messages.

The definition in benchmarks.json gives the roles of the ranks, the options of the benchmark, and
the column that reports the time of a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from combench.common import catalogue
from combench.common.catalogue import Benchmark, Mode, evaluate

WINDOW = 64  # unacknowledged packets of a stream, the default of the programs


@dataclass(frozen=True)
class Case:
    benchmark: str
    mode: str
    numbers: tuple[int, ...]  # processors; or sources, destinations; or ranks per stage
    size_bytes: int
    algorithm_us: float = 0.0  # work on each packet; farms and pipelines
    window: int = WINDOW
    in_flight: int = 0  # of a farm: events issued and not yet decided
    multicast: str = "loop"  # group sends: loop, technology (by the network), tree
    pace_us: float = 0.0  # of a farm: wait of the supervisor before each event
    shifts: int = 0  # of an all-to-all: messages of each rank per round; 0: all
    list_kind: str = "fixed"  # how the destinations of successive broadcasts change
    candidates: int = 0  # destinations that a changing list is chosen from; 0: those of the list
    fetched: int = 0  # of a farm: sources that have data of an event; 0: all
    fragments: str = ""  # specification of varying sizes, of which size_bytes is the mean
    correlation: float = 0.0
    seed: int = 1  # of the sizes, and of the accepted events
    accept: float | None = None  # of a pull farm: fraction of events whose other sources follow
    own: tuple[str, ...] = ()  # command-line words of options that only this benchmark has

    @property
    def definition(self) -> Benchmark:
        return catalogue.known().benchmark(self.benchmark)

    @cached_property
    def step(self) -> Mode:
        """The definition of the mode."""
        found = self.definition.mode(self.mode)
        if found is None:
            raise ValueError(f"{self.benchmark} has no mode {self.mode}")
        return found

    def takes(self, option: str) -> bool:
        """Whether the benchmark has this option."""
        return option in self.definition.options

    @property
    def is_farm(self) -> bool:
        """Whether its steps are events, with several in flight."""
        return self.takes("in-flight")

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of ranks with each role, or in each stage, in rank order."""
        if self.definition.count.is_topology:
            return self.numbers
        names: dict[str, Any] = {"count": self.candidates or self.numbers[0]}
        names |= {"sources": self.numbers[0], "destinations": self.numbers[-1]}
        return tuple(int(evaluate(one, **names)) for one in self.definition.roles.values())

    @property
    def processors(self) -> int:
        return sum(self.shape)

    @cached_property
    def packets(self) -> float:
        """Data packets that all destinations receive in a step / divisor; with two steps of an event,
        their mean number."""
        # Of a topology: the packets that the last stage receives.
        count = self.numbers[-2 if self.definition.count.is_topology else 0]
        if self.accept is not None:
            return self.fetched + self.accept * (count - self.fetched)
        return int(evaluate(self.step.packets, count=self.fetched or count, **self._own_numbers))

    @cached_property
    def events(self) -> int:
        """Events of a step, of benchmarks whose frequency counts them."""
        return int(evaluate(self.step.events, count=self.numbers[0], **self._own_numbers))

    @property
    def _own_numbers(self) -> dict[str, float]:
        """The options that only this benchmark has, as numbers in formulas: their value, or the
        place of a choice from 1 on."""
        given = {name[2:]: value for name, value in zip(self.own[::2], self.own[1::2])}
        return catalogue.known().own_numbers(self.definition, given)

    @property
    def count_text(self) -> str:
        """The numbers in the notation of plans and options: 4, 4x2, 4-2-1."""
        count = self.definition.count
        return ("x" if count.is_farm else "-").join(map(str, self.numbers))
