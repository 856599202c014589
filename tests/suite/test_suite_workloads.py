#!/usr/bin/env python3
"""The workloads of a prediction are what the programs do: each rank's messages, their sizes and
their order are those of --emit-trace. At sizes that no program could have they stay short."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Iterator

from stage import LIMIT_S, TOP

from combench.predict.workloads import WINDOW, WORKLOADS, Case, trace

BUILD = Path(os.environ.get("builddir", TOP / "build"))


def value(expression: str, index: int, rank: int, ranks: int) -> int:
    """Of an expression of a trace; division is floored in both languages."""
    names = {"i": index, "r": rank, "n": ranks}
    named = re.sub(r"%([irn])", r"\1", expression).replace("/", "//")
    return int(eval(named, {"__builtins__": {}}, names))  # what this package has written


def unrolled(records: list[str], rank: int, ranks: int, index: int = 0) -> Iterator[str]:
    at = 0
    while at < len(records):
        deed, *fields = records[at].split(maxsplit=2)
        at += 1
        if deed == "@":
            depth, end = 1, at
            while depth:
                depth += {"@": 1, ";": -1}.get(records[end].split()[0], 0)
                end += 1
            for turn in range(value(" ".join(fields), index, rank, ranks)):
                yield from unrolled(records[at : end - 1], rank, ranks, turn)
            at = end
        elif deed == "m":
            first, _, last = fields[0].partition("-")
            members = range(int(first), int(last) + 1) if last else fields[0].split(",")
            yield f"m {','.join(map(str, members))} {fields[1]}"
        elif deed in ("is", "r") and fields[0] != "any":
            yield f"{deed} {value(fields[0], index, rank, ranks)} {fields[1]}"
        elif deed != "w":
            yield " ".join([deed, *fields])


def of_each_rank(text: str) -> list[list[str]]:
    """What every rank does, one record after the other, without the last wait."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    ranks = int(lines[0].split()[3])
    found: list[list[str]] = [[] for _ in range(ranks)]
    heads = [at for at, line in enumerate(lines) if line.endswith(":")]
    for head, behind in zip(heads, heads[1:] + [len(lines)]):
        first, _, last = lines[head][:-1].partition("-")
        for rank in range(int(first), int(last or first) + 1):
            found[rank] += unrolled(lines[head + 1 : behind], rank, ranks)
    return found


# Each with the options that ask a program for the same.
CASES = (
    (Case("oneway", "pingpong", (1, 1), 64), ""),
    (Case("oneway", "stream", (1, 1), 1000, window=4), ""),
    (Case("oneway", "stream", (1, 1), 64, window=3), ""),
    (Case("oneway", "stream", (1, 1), 64, window=1), ""),
    (Case("twoway", "exchange", (2,), 64), ""),
    (Case("alltoall", "round", (5,), 100), "--processors 5"),
    (Case("pairs", "stream", (3, 3), 64, window=5), "--processors 6"),
    (Case("outfarm", "stream", (1, 3), 64, window=6), "--destinations 3"),
    (Case("outfarm", "round", (1, 2), 0), "--destinations 2"),
    (Case("multicast", "stream", (1, 3), 64, window=6), "--destinations 3 --multicast loop"),
    (
        Case("multicast", "stream", (1, 3), 64, multicast="technology"),
        "--destinations 3 --multicast technology",
    ),
    (Case("multicast", "round", (1, 2), 8), "--destinations 2 --multicast loop"),
    (Case("funnel", "event", (1, 3), 64, window=4), "--sources 3"),
    (Case("funnel", "free", (1, 3), 64, window=4), "--sources 3"),
    (Case("pushfarm", "closed", (1, 3, 2), 64, 20, in_flight=5), "--sources 3 --destinations 2"),
    (Case("pushfarm", "closed", (1, 2, 3), 8, in_flight=99), "--sources 2 --destinations 3"),
    (Case("pullfarm", "closed", (1, 2, 3), 64, 5, in_flight=3), "--sources 2 --destinations 3"),
    (Case("pullfarm", "closed", (1, 2, 4), 64, 5, in_flight=2), "--sources 2 --destinations 4"),
    (Case("pipeline", "event", (4, 2, 1), 64, 5, window=4), "--topology 4-2-1"),
    (Case("pipeline", "event", (9, 3, 1), 64, window=7), "--topology 9-3-1"),
)
LISTED = {"multicast": "--list fixed"}
SEVERAL_MODES = ("oneway", "outfarm", "multicast", "funnel")
FARMS = ("pushfarm", "pullfarm")
STEPS = (1, 7, 23)


class WhatThePrograms(unittest.TestCase):
    def emitted(self, case: Case, steps: int, words: str, folder: str) -> str:
        name = Path(folder) / "emitted.cct"
        options = [*words.split(), *LISTED.get(case.benchmark, "").split()]
        if case.benchmark in FARMS:
            options += ["--in-flight", str(case.in_flight)]
        if case.window != WINDOW:
            options += ["--window", str(case.window)]
        if case.benchmark in SEVERAL_MODES:
            options += ["--mode", case.mode]
        if case.benchmark in (*FARMS, "pipeline"):
            options += ["--algorithm", f"{case.algorithm_us:g}"]
        command = [str(BUILD / f"cb_{case.benchmark}"), "--emit-trace", str(name), *options]
        command += ["--sizes", str(case.size_bytes), "--trace-steps", str(steps)]
        subprocess.run(command, check=True, timeout=LIMIT_S, stderr=subprocess.DEVNULL)
        return name.read_text("utf-8")

    def test_do_is_what_a_prediction_has_them_do(self) -> None:
        with tempfile.TemporaryDirectory(prefix="combench-workloads-") as folder:
            for case, words in CASES:
                for steps in STEPS:
                    with self.subTest(case=case, steps=steps):
                        there = of_each_rank(self.emitted(case, steps, words, folder))
                        here = of_each_rank(trace(case, steps))
                        self.assertEqual(here, there)

    def test_is_compared_for_every_benchmark(self) -> None:
        self.assertEqual({case.benchmark for case, _ in CASES}, set(WORKLOADS))


LARGE = 4096
LONGEST = 1 << 14
TREE = Case("multicast", "stream", (1, 3), 64, multicast="tree")
AT_ANY_SIZE = [case for case, _ in CASES] + [TREE]


def receivers(records: list[str]) -> list[int]:
    return [int(record.split()[1]) for record in records if record.startswith("is")]


class AtAnySize(unittest.TestCase):
    def test_a_trace_stays_short(self) -> None:
        for case in AT_ANY_SIZE:
            shape = tuple(LARGE * ranks if ranks > 1 else 1 for ranks in case.shape)
            with self.subTest(case=case):
                large = replace(case, shape=shape, in_flight=LARGE)
                self.assertLess(len(trace(large, 100 * LARGE)), LONGEST)

    def test_a_tree_reaches_each_destination_from_one_that_has_the_packet(self) -> None:
        for count in range(1, 40):
            tree = replace(TREE, mode="round", shape=(1, count))
            ranks = of_each_rank(trace(tree, 1))
            with self.subTest(count=count):
                sent = [receivers(rank[1:-1]) for rank in ranks[1:]]
                sent.append(receivers(ranks[0]))
                self.assertEqual(sorted(sum(sent, [])), list(range(1, count + 1)))
                for rank in range(1, count + 1):
                    parent = rank - (1 << (rank.bit_length() - 1))
                    self.assertEqual(ranks[rank][0], f"r {parent} 64")
                    self.assertEqual(ranks[rank][-1], "is 0 0")

    def test_a_part_of_a_round_goes_to_different_nodes_far_apart(self) -> None:
        ranks = of_each_rank(trace(Case("alltoall", "round", (100,), 8, shifts=9), 1))
        self.assertEqual(receivers(ranks[0]), [1, 12, 23, 34, 45, 56, 67, 78, 89])


if __name__ == "__main__":
    unittest.main()
