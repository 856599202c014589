"""What the driver has to know of each benchmark: how many ranks it takes, how many rows it gives.

The programs know this too; that both agree is tested. Rows are counted for the time that a plan
takes, so an upper bound serves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Optional

from combench.common import values

NOTE_SIZES = (0, 64, 256, 1024)
FIT_SIZES = frozenset(NOTE_SIZES) | {1 << power for power in range(21)}
SWEEP_SIZES = frozenset(NOTE_SIZES) | {
    (1 << power) + beside for power in range(23) for beside in (-1, 0, 1)
}
CHANGING_LIST_BYTES = 64  # where cb_multicast measures lists that change


@dataclass(frozen=True)
class Shape:
    """How many processes take part, and the words that tell the program so."""

    text: str
    ranks: int
    words: tuple[str, ...]


def _number(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,5}", text):
        raise ValueError(f"'{text}' is no number of ranks; give one like 4, or max")
    return int(text)


def _pair(text: str) -> Shape:
    return Shape(text, 2, ())


def _two_or_three(text: str) -> Shape:
    if text not in ("2", "3"):
        raise ValueError(f"'{text}' is no number of ranks that calibrate; give 2, 3, or max")
    return Shape(text, int(text), ())


def _processors(text: str) -> Shape:
    if _number(text) < 2:
        raise ValueError(f"{text} processors cannot communicate; give 2 or more")
    return Shape(text, int(text), ("--processors", text))


def _pairs(text: str) -> Shape:
    if _number(text) % 2:
        raise ValueError(f"{text} processors do not make pairs; give an even number")
    return _processors(text)


def _destinations(text: str) -> Shape:
    return Shape(text, _number(text) + 1, ("--destinations", text))


def _sources(text: str) -> Shape:
    return Shape(text, _number(text) + 1, ("--sources", text))


def _farm(text: str) -> Shape:
    """A supervisor, sources and destinations: 4x1."""
    sources, destinations = values.farm(text)
    words = ("--sources", str(sources), "--destinations", str(destinations))
    return Shape(text, 1 + sources + destinations, words)


def _topology(text: str) -> Shape:
    return Shape(text, sum(values.topology(text)), ("--topology", text))


@dataclass(frozen=True)
class Counted:
    """What of a benchmark there may be a number of: the key of a plan, and what its values mean."""

    key: str
    parse: Callable[[str], Shape]
    usual: tuple[str, ...]  # the numbers of DAQ note 48
    largest: Callable[[int], Optional[str]]  # for a number of ranks; None where there is none
    own_cores: bool = False  # the largest is never one for which ranks have to share cores


def _at_least(least: int, count: int) -> str | None:
    return str(count) if count >= least else None


def _most_that_calibrate(cores: int) -> str:
    """Two on a single core: less cannot communicate."""
    return "3" if cores >= 3 else "2"


def _largest_farm(ranks: int) -> str | None:
    side = (ranks - 1) // 2
    return f"{side}x{side}" if side >= 1 else None


_COUNTS = ("4", "8", "16")
PAIR = Counted("", _pair, ("2",), lambda ranks: None)
CALIBRATING = Counted("processors", _two_or_three, ("max",), _most_that_calibrate, own_cores=True)
PROCESSORS = Counted("processors", _processors, _COUNTS, lambda ranks: _at_least(2, ranks))
PAIRS = Counted("processors", _pairs, _COUNTS, lambda ranks: _at_least(2, ranks // 2 * 2))
DESTINATIONS = Counted("destinations", _destinations, _COUNTS, lambda r: _at_least(1, r - 1))
SOURCES = Counted("sources", _sources, _COUNTS, lambda ranks: _at_least(1, ranks - 1))
FARMS = Counted("farms", _farm, ("4x4", "6x6", "8x8"), _largest_farm)
TOPOLOGIES = Counted("topologies", _topology, ("4-2-1", "6-2-1", "9-3-1"), lambda ranks: None)

BOTH_SIDES = ("none", "source", "destination", "both")
NODES = ("none", "both")


@dataclass(frozen=True)
class Benchmark:
    name: str
    number: str  # in DAQ note 48, in Parkbench, or of neither
    counted: Counted
    modes: int = 1  # that are measured unless others are asked for
    occupations: tuple[str, ...] = ()  # of group 1
    algorithms: bool = False  # of group 2
    fit: bool = False  # adds sizes of its own for Hockney's parameters
    reference: int = 0  # the count that is measured beside each other one
    lists: bool = False  # of destinations, that may change
    modes_of_two: int = 0  # that are measured where two ranks are too few for all; 0: all are

    def rows(
        self, sizes: frozenset[int] | None, shape: Shape, occupation: str, algorithms: int
    ) -> int:
        """How many measurements one start of the program makes, at most; sizes None: its own."""
        if sizes is None:
            fitted = self.fit and occupation in ("", "none")
            sizes = FIT_SIZES if fitted else frozenset(NOTE_SIZES)
        if self.algorithms:
            return len(sizes) * algorithms
        if self.lists:
            changing = 2 if CHANGING_LIST_BYTES in sizes else 0
            return 2 * self.modes * (len(sizes) + changing)
        counts = 2 if self.reference and shape.text != str(self.reference) else 1
        modes = self.modes_of_two if self.modes_of_two and shape.ranks == 2 else self.modes
        return modes * counts * len(sizes)


_ALL = (
    Benchmark("oneway", "1.1", PAIR, 2, BOTH_SIDES, fit=True),
    Benchmark("twoway", "1.2", PAIR, 1, NODES, fit=True),
    Benchmark("alltoall", "1.3", PROCESSORS, 1, NODES, reference=2),
    Benchmark("pairs", "1.4", PAIRS, 1, BOTH_SIDES, reference=2),
    Benchmark("outfarm", "1.5", DESTINATIONS, 2, BOTH_SIDES),
    Benchmark("multicast", "1.6", DESTINATIONS, 1, BOTH_SIDES, lists=True),
    Benchmark("funnel", "1.7", SOURCES, 2, BOTH_SIDES, reference=1),
    Benchmark("pushfarm", "2.1", FARMS, algorithms=True),
    Benchmark("pullfarm", "2.2", FARMS, algorithms=True),
    Benchmark("pipeline", "2.3", TOPOLOGIES, algorithms=True),
    Benchmark("calibrate", "calibration", CALIBRATING, 7, fit=True, modes_of_two=3),
    Benchmark("comms1", "COMMS1", PAIR, fit=True),
    Benchmark("comms2", "COMMS2", PAIR, fit=True),
    Benchmark("comms3", "COMMS3", PROCESSORS, fit=True),
)
BENCHMARKS = {benchmark.name: benchmark for benchmark in _ALL}
