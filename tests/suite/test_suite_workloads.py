#!/usr/bin/env python3
"""What predictions make of each benchmark's messages: times, limits and messages evaluated, as they
were before the programs themselves wrote the messages. And what is asked of the programs."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from stage import TOP

from combench.common import catalogue
from combench.common.errors import SuiteError
from combench.predict import trace
from combench.predict.case import Case
from combench.predict.emission import Content, Emissions, words
from combench.predict.model import Setting
from combench.predict.prediction import Effort, predict
from combench.predict.processes import Processes

BUILD = Path(os.environ.get("builddir", TOP / "build")).resolve()
catalogue.look_in(BUILD)

# A sender spends 2 us on a message, which takes 3 us besides and 1 us for 100 bytes.
CALIBRATION = """%calibration 1
line overhead_us=2 latency_us=3 us_per_byte=0.01
eager_bytes 1MiB
"""


@dataclass(frozen=True)
class Pin:
    case: Case
    step_us: float
    limit: str
    used: float
    evaluated: int
    block_steps: int = 0
    rate_hz: float = 0.0
    messages: int = Effort.messages


PINS = (
    Pin(Case("oneway", "pingpong", (2,), 64), 11.28, "source (rank 0): its processor", 0.177305, 96),
    Pin(Case("oneway", "stream", (2,), 1000, window=4), 11.8333333, "source (rank 0): its link, what it sends", 0.84507, 72),
    Pin(Case("oneway", "stream", (2,), 64, window=3), 3.45, "source (rank 0): its processor", 0.57971, 96),
    Pin(Case("oneway", "stream", (2,), 64, window=1), 10.64, "source (rank 0): its processor", 0.18797, 96),
    Pin(Case("oneway", "stream", (2,), 64, window=4), 3.792, "source (rank 0): its processor", 0.527426, 120, block_steps=10),
    Pin(Case("twoway", "exchange", (2,), 64), 5.64, "node (rank 0): its processor", 0.35461, 96),
    Pin(Case("alltoall", "round", (5,), 100), 12, "node (rank 0): its processor", 0.666667, 60),
    Pin(Case("alltoall", "round", (50,), 100), 102, "node (rank 0): its processor", 0.960784, 1050, messages=10240),
    Pin(Case("pairs", "stream", (6,), 64, window=5), 2.66, "source (rank 0): its processor", 0.75188, 216),
    Pin(Case("outfarm", "stream", (3,), 64, window=6), 6, "source (rank 0): its processor", 1, 216),
    Pin(Case("outfarm", "stream", (3,), 64, window=6), 6.432, "source (rank 0): its processor", 0.932836, 648, block_steps=20),
    Pin(Case("outfarm", "round", (2,), 0), 12, "source (rank 0): its processor", 0.333333, 192),
    Pin(Case("multicast", "stream", (3,), 64, window=6), 6, "source (rank 0): its processor", 1, 216),
    Pin(Case("multicast", "stream", (3,), 64, multicast="technology"), 2, "source (rank 0): its processor", 1, 210),
    Pin(Case("multicast", "stream", (5,), 64, window=6, multicast="tree"), 6, "source (rank 0): its processor", 1, 360),
    Pin(Case("multicast", "round", (2,), 8), 12.08, "source (rank 0): its processor", 0.331126, 192),
    Pin(Case("multicast", "round", (7,), 8, multicast="tree"), 20.24, "source (rank 0): its processor", 0.296443, 672),
    Pin(Case("funnel", "event", (3,), 64, window=4), 4.32, "destination (rank 0): its processor", 0.694444, 222),
    Pin(Case("funnel", "free", (3,), 64, window=4), 4.87333333, "destination (rank 0): its processor", 0.718194, 456, block_steps=12),
    Pin(Case("pushfarm", "closed", (3, 2), 64, algorithm_us=20, in_flight=5), 31, "destination (rank 4): its processor", 1, 1344),
    Pin(Case("pushfarm", "closed", (2, 3), 8, in_flight=99), 4, "supervisor (rank 0): its processor", 1, 2475),
    Pin(Case("pushfarm", "closed", (30, 30), 16, in_flight=60, multicast="technology"), 10, "supervisor (rank 0): its processor", 0.2, 10560, rate_hz=100000),
    Pin(Case("pushfarm", "closed", (150, 150), 16, in_flight=150), 300, "supervisor (rank 0): its processor", 1, 135450),
    Pin(Case("pullfarm", "closed", (2, 3), 64, algorithm_us=5, in_flight=3), 10.3733333, "destination (rank 3): its processor", 0.514139, 1164),
    Pin(Case("pullfarm", "closed", (2, 4), 64, algorithm_us=5, in_flight=2), 15.56, "destination (rank 3): its processor", 0.257069, 1152),
    Pin(Case("pullfarm", "closed", (4, 4), 64, algorithm_us=5, in_flight=16), 50, "destination (rank 5): its processor", 0.15, 1920, rate_hz=20000),
    Pin(Case("pipeline", "event", (4, 2, 1), 64, algorithm_us=5, window=4), 14, "stage 1 (rank 4): its processor", 1, 456),
    Pin(Case("pipeline", "event", (9, 3, 1), 64, window=7), 4, "stage 1 (rank 9): its processor", 1, 912),
)


class Predictions(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-workloads-"))
        self.addCleanup(shutil.rmtree, self.folder)
        calibration = self.folder / "made-up.cal"
        calibration.write_text(CALIBRATION, encoding="ascii")
        self.setting = Setting(BUILD, calibration, words=("--share", "bottleneck"))

    def test_are_what_they_were(self) -> None:
        for pin in PINS:
            with self.subTest(pin=pin):
                effort = Effort(seeds=1, messages=pin.messages)
                found = predict(pin.case, self.setting, effort, pin.rate_hz, pin.block_steps)
                self.assertAlmostEqual(found.step_us / pin.step_us, 1, places=7)
                self.assertEqual(found.limit.text if found.limit else "", pin.limit)
                self.assertAlmostEqual(found.used, pin.used, places=5)
                self.assertEqual(found.messages, pin.evaluated)

    def test_are_pinned_of_every_benchmark_that_is_predicted_by_itself(self) -> None:
        known = catalogue.known().benchmarks.values()
        scaled = (one for one in known if one.group in ("basic", "farm"))
        expected = {one.name for one in scaled if one.of_note}  # bare results have no scale
        self.assertEqual({pin.case.benchmark for pin in PINS}, expected)


def value(expression: str, index: int, rank: int, ranks: int) -> int:
    """Of an expression of a trace; division is floored in both languages."""
    names = {"i": index, "r": rank, "n": ranks}
    named = re.sub(r"%([irn])", r"\1", expression).replace("/", "//")
    return int(eval(named, {"__builtins__": {}}, names))  # what this project has written


def unrolled(records: list[str], rank: int, ranks: int, index: int = 0) -> Iterator[list[str]]:
    at = 0
    while at < len(records):
        action, *fields = records[at].split(maxsplit=2)
        at += 1
        if action == "@":
            depth, end = 1, at
            while depth:
                depth += {"@": 1, ";": -1}.get(records[end].split()[0], 0)
                end += 1
            for turn in range(value(" ".join(fields), index, rank, ranks)):
                yield from unrolled(records[at : end - 1], rank, ranks, turn)
            at = end
        elif action in ("is", "r") and fields[0] != "any":
            yield [action, str(value(fields[0], index, rank, ranks)), fields[1]]
        else:
            yield [action, *fields]


def of_each_rank(text: str) -> list[list[list[str]]]:
    """What every rank does, one record after the other."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    ranks = int(lines[0].split()[3])
    found: list[list[list[str]]] = [[] for _ in range(ranks)]
    heads = [at for at, line in enumerate(lines) if line.endswith(":")]
    for head, end in zip(heads, heads[1:] + [len(lines)]):
        for part in lines[head][:-1].split(","):
            first, _, last = part.partition("-")
            for rank in range(int(first), int(last or first) + 1):
                found[rank] += unrolled(lines[head + 1 : end], rank, ranks)
    return found


def receivers(records: list[list[str]]) -> list[int]:
    return [int(record[1]) for record in records if record[0] == "is"]


class Messages(unittest.TestCase):
    """As the programs write them."""

    def setUp(self) -> None:
        self.emissions = Emissions(BUILD, Processes())

    def test_of_a_tree_reach_each_destination_from_one_that_has_the_packet(self) -> None:
        for count in (1, 2, 3, 4, 7, 8, 13, 32, 39):
            tree = Case("multicast", "round", (count,), 64, multicast="tree")
            ranks = of_each_rank(self.emissions.trace(tree, 1))
            with self.subTest(count=count):
                sent = [number for rank in ranks for number in receivers(rank) if number]
                self.assertEqual(sorted(sent), list(range(1, count + 1)))
                for rank in range(1, count + 1):
                    parent = rank - (1 << (rank.bit_length() - 1))
                    self.assertEqual(ranks[rank][0], ["r", str(parent), "64"])
                    self.assertIn(["is", "0", "0"], ranks[rank][1:])

    def test_of_a_part_of_a_round_go_to_different_nodes_far_apart(self) -> None:
        part = Case("alltoall", "round", (100,), 8, shifts=9)
        ranks = of_each_rank(self.emissions.trace(part, 1))
        self.assertEqual(receivers(ranks[0]), [1, 12, 23, 34, 45, 56, 67, 78, 89])

    def test_of_a_large_farm_are_a_short_text(self) -> None:
        farm = Case("pullfarm", "closed", (200, 200), 8, in_flight=400)
        self.assertLess(len(self.emissions.trace(farm, 800)), 1 << 16)

    def test_are_counted_in_one_step(self) -> None:
        for case, content in (
            (Case("oneway", "pingpong", (2,), 8), Content(2, 1)),
            (Case("outfarm", "round", (7,), 8), Content(14, 1)),
            (Case("funnel", "event", (5,), 0), Content(5, 5)),
            (Case("pushfarm", "closed", (4, 2), 16, in_flight=9), Content(9, 4)),
            (Case("pushfarm", "closed", (4, 2), 16, multicast="technology"), Content(9, 4)),
            (Case("pipeline", "event", (9, 3, 1), 8), Content(12, 3)),
            (Case("alltoall", "round", (5,), 8), Content(20, 4)),
        ):
            with self.subTest(case=case):
                self.assertEqual(self.emissions.content(case), content)

    def test_that_are_refused_say_why(self) -> None:
        with self.assertRaisesRegex(SuiteError, "cannot emit the messages of pairs: "):
            self.emissions.trace(Case("pairs", "stream", (5,), 64), 1)

    def test_of_another_version_name_the_program(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="combench-programs-"))
        self.addCleanup(shutil.rmtree, folder)
        program = folder / "cb_twoway"
        head = "%cct 1 ranks 2 unit us"
        for written, reason in (
            (f"echo '{head}\n;'", "wrote a trace that cannot be read: a loop ends"),
            (f"echo '{head}\n0-1:\n@ 1/0\nr 0 8\n;'", "cannot be read: '1//0' has no value"),
            (f"echo '{head}\nall:'", "wrote a trace that cannot be read: .*'all'"),
            ("printf '\\377'", "wrote no trace"),
            ("exit 3", "ended with status 3 without a message"),
        ):
            program.write_text(f"#!/bin/sh\n{written}\n", encoding="utf-8")
            program.chmod(0o755)
            with self.subTest(written), self.assertRaisesRegex(SuiteError, f"{program}.*{reason}"):
                Emissions(folder, Processes()).content(Case("twoway", "exchange", (2,), 64))

    def test_that_do_not_end_are_stopped(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="combench-programs-"))
        self.addCleanup(shutil.rmtree, folder)
        program = folder / "cb_twoway"
        program.write_text("#!/bin/sh\nwhile :; do sleep 1; done\n", encoding="utf-8")
        program.chmod(0o755)
        with self.assertRaisesRegex(SuiteError, f"{program} did not end within 0.1 s.*--sizes"):
            Emissions(folder, Processes(), 0.1).trace(Case("twoway", "exchange", (2,), 64), 1)


class Words(unittest.TestCase):
    def test_are_those_that_the_benchmark_takes(self) -> None:
        for case, said in (
            (Case("twoway", "exchange", (2,), 64), "--sizes 64 --mode exchange"),
            (
                Case("pullfarm", "closed", (4, 2), 64, 2.5, in_flight=7),
                "--sizes 64 --sources 4 --destinations 2 --algorithm 2.5 --in-flight 7 --supervisor loop",
            ),
            (
                Case("pipeline", "event", (4, 2, 1), 64, window=8),
                "--sizes 64 --topology 4-2-1 --window 8 --algorithm 0",
            ),
            (
                Case("multicast", "stream", (3,), 64, multicast="tree"),
                "--sizes 64 --destinations 3 --mode stream --window 64 --list fixed "
                "--multicast technology --trace-group-send tree",
            ),
        ):
            with self.subTest(case=case):
                self.assertEqual(" ".join(words(case)), said)


class Counting(unittest.TestCase):
    def test_goes_through_loops_that_depend_on_rank_and_turn(self) -> None:
        text = "%cct 1 ranks 4 unit us\n1-3:\n@ %r\n@ (%i+1)*2\nr any 8\n;\n;\n0,2:\n@ 5/2\nr any 8\n;\n"
        # Of ranks 1 to 3: 2, 2 + 4, 2 + 4 + 6; of 0 and 2 two more.
        self.assertEqual(trace.received(text), trace.Received(2 + 6 + 12 + 2 + 2, 12))
        self.assertEqual(trace.received(text, 9), trace.Received(0, 0))


if __name__ == "__main__":
    unittest.main()
