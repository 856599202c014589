"""Count the messages of each rank in a trace for ccmod, and put two traces together.

The grammar is in docs/reference/trace-format.md.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Callable, Iterator, Union

from combench.common.catalogue import evaluate

Weight = Callable[[list[str]], int]


@dataclass
class _Loop:
    count: str = "1"  # expression of %r (rank), %i (iteration of the enclosing loop), %n
    body: list[Union[list[str], _Loop]] = field(default_factory=list)

    def names(self, name: str) -> bool:
        """Whether the count of an inner loop uses this name."""
        inner = [one for one in self.body if isinstance(one, _Loop)]
        return any(name in one.count or one.names(name) for one in inner)

    def weigh(self, weight: Weight, of: dict[str, int]) -> int:
        """The weight of the records of one iteration."""
        return sum(
            one.total(weight, of) if isinstance(one, _Loop) else weight(one) for one in self.body
        )

    def total(self, weight: Weight, of: dict[str, int]) -> int:
        formula = re.sub(r"%([irn])", r"\1", self.count).replace("/", "//")
        turns = max(0, int(evaluate(formula, **of)))
        if self.names("%i"):
            return sum(self.weigh(weight, {**of, "i": turn}) for turn in range(turns))
        return turns * self.weigh(weight, of)


def _ranks(text: str) -> list[int]:
    """The ranks of a list such as 0-3,7."""
    ends = [part.partition("-") for part in text.split(",")]
    return [rank for first, _, last in ends for rank in range(int(first), int(last or first) + 1)]


def _sections(text: str) -> Iterator[tuple[list[int], _Loop]]:
    """The sections of a trace: ranks, and their records."""
    ranks: list[int] = []
    within = [_Loop()]  # the section, then its open loops
    for line in text.splitlines():
        fields = line.split()
        if not fields or line[0] in "#%":
            continue
        if line.endswith(":"):
            yield ranks, within[0]
            ranks, within = _ranks(line[:-1]), [_Loop()]
        elif fields[0] == "@":
            loop = _Loop(" ".join(fields[1:]))
            within[-1].body.append(loop)
            within.append(loop)
        elif fields[0] == ";":
            within.pop()
        else:
            within[-1].body.append(fields)
    yield ranks, within[0]


def weights(text: str, weight: Weight) -> Counter[int]:
    """What all records of each rank weigh. ValueError: the text is not a trace."""
    try:
        return _weights(text, weight)
    except IndexError as error:
        raise ValueError("a loop ends that did not begin") from error


def _weights(text: str, weight: Weight) -> Counter[int]:
    found: Counter[int] = Counter()
    for ranks, section in _sections(text):
        names = {"n": 0, "i": 0}
        alike = None if section.names("%r") else section.weigh(weight, {**names, "r": 0})
        for rank in ranks:
            own = section.weigh(weight, {**names, "r": rank}) if alike is None else alike
            found[rank] += own
    return found


@dataclass(frozen=True)
class Received:
    total: int
    most: int  # largest number of one rank


def received(text: str, size_bytes: int | None = None) -> Received:
    """The number of received messages; with `size_bytes`, only of this size."""

    def weight(fields: list[str]) -> int:
        alike = size_bytes is None or fields[-1] == str(size_bytes)
        return int(fields[0] in ("r", "ir") and alike)

    of_ranks = weights(text, weight).values()
    return Received(sum(of_ranks), max(of_ranks, default=0))


# Two traces as one

_HEAD = re.compile(r"%cct 1 ranks ([0-9]+) unit us\n?")
_PEERS = frozenset({"s", "is", "r", "ir"})


def ranks_of(text: str) -> int:
    """The number of ranks of an emitted trace. ValueError: the text is none."""
    head = _HEAD.match(text)
    if head is None:
        raise ValueError("the text is not a trace")
    return int(head[1])


def _moved(text: str, by: int) -> Iterator[str]:
    """The sections of a trace for ranks that are higher by a number, beside those of other ranks. ValueError: a
    record concerns all ranks."""
    ranks_there = ranks_of(text)
    for line in text.splitlines()[1:]:
        fields = line.split()
        if not fields or line[0] == "#":
            continue
        if line.endswith(":"):
            ranks = f"0-{ranks_there - 1}" if line == "*:" else line[:-1]
            yield re.sub(r"[0-9]+", lambda one: str(int(one[0]) + by), ranks) + ":"
            continue
        if fields[0] == "b" or (fields[0] == "m" and "*" in fields[1]):
            raise ValueError(f"'{line}' concerns all ranks of the trace")
        own = [one.replace("%n", str(ranks_there)).replace("%r", f"(%r-{by})") for one in fields]
        if fields[0] == "m":
            own[1] = re.sub(r"[0-9]+", lambda one: str(int(one[0]) + by), fields[1])
        elif fields[0] in _PEERS and fields[1] != "any":
            own[1] = f"({own[1]})+{by}"
        yield " ".join(own)


def together(one: str, other: str, more: int) -> str:
    """A trace of the ranks of `one` and of `more` ranks after them, which do what `other` says; empty:
    nothing. ValueError: they cannot be put together."""
    first = ranks_of(one)
    if other and ranks_of(other) != more:
        raise ValueError(f"the second trace has {ranks_of(other)} ranks, not {more}")
    lines = [f"%cct 1 ranks {first + more} unit us"]
    for text, by in ((one, 0), (other, first)):
        lines += _moved(text, by) if text else ()
    return "\n".join([*lines, ""])
