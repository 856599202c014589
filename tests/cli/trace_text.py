"""What the ranks of a trace do: loops unrolled, expressions evaluated. Of the trace format it knows
what --emit-trace writes, and a skew before it."""

from __future__ import annotations

import re
from typing import Iterator

_EXPRESSION = re.compile(r"[-+*/%()0-9irn]+")


def _value(expression: str, index: int, rank: int, ranks: int) -> int:
    """Of an expression of a trace; division is floored in both languages."""
    if expression.isdigit():
        return int(expression)
    assert _EXPRESSION.fullmatch(expression), expression
    named = re.sub(r"%([irn])", r"\1", expression).replace("/", "//")
    return int(eval(named, {"__builtins__": {}}, {"i": index, "r": rank, "n": ranks}))


def _members(text: str) -> str:
    """A list of ranks, one by one."""
    ranks: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        ranks += range(int(first), int(last or first) + 1)
    return ",".join(map(str, ranks))


def _unrolled(records: list[list[str]], rank: int, ranks: int, index: int = 0) -> Iterator[str]:
    at = 0
    while at < len(records):
        kind, *fields = records[at]
        at += 1
        if kind == "@":
            depth, end = 1, at
            while depth:
                depth += {"@": 1, ";": -1}.get(records[end][0], 0)
                end += 1
            for turn in range(_value(fields[0], index, rank, ranks)):
                yield from _unrolled(records[at : end - 1], rank, ranks, turn)
            at = end
        elif kind == "m":
            yield f"m {_members(fields[0])} {fields[1]}"
        elif kind in ("is", "r") and fields[0] != "any":
            yield f"{kind} {_value(fields[0], index, rank, ranks)} {fields[1]}"
        else:
            yield " ".join([kind, *fields])


def of_each_rank(text: str) -> list[list[str]]:
    """What every rank does, one record after the other."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    ranks = int(lines[0].split()[3])
    found: list[list[str]] = [[] for _ in range(ranks)]
    heads = [at for at, line in enumerate(lines) if line.endswith(":")]
    for head, following in zip(heads, heads[1:] + [len(lines)]):
        records = [line.split() for line in lines[head + 1 : following]]
        for rank in map(int, _members(lines[head][:-1]).split(",")):
            found[rank] += _unrolled(records, rank, ranks)
    return found
