#!/usr/bin/python3
"""Traces of --emit-trace stay short at any number of ranks and steps, and the options that are
about traces alone have the messages that they say."""

from __future__ import annotations

import os
import subprocess
import unittest
from pathlib import Path

from trace_text import of_each_rank

BUILD = Path(os.environ.get("builddir", "build")).resolve()
LIMIT_S = 120

# Program, options, and how many lines the trace has at most.
LARGE = (
    ("oneway", "--mode stream --trace-steps 100000", 40),
    ("oneway", "--mode pingpong --trace-steps 20000", 20),
    ("pairs", "--processors 1024 --trace-steps 128", 40),
    ("outfarm", "--destinations 1000 --mode stream --trace-steps 128", 50),
    ("outfarm", "--destinations 1000 --mode round --trace-steps 20", 30),
    ("funnel", "--sources 1000 --mode event --trace-steps 128", 50),
    ("funnel", "--sources 1000 --mode free --trace-steps 128", 50),
    ("multicast", "--destinations 500 --mode stream --list fixed --multicast loop", 50),
    ("multicast", "--destinations 500 --mode stream --list fixed --multicast technology", 50),
    (
        "multicast",
        "--destinations 500 --mode stream --list fixed --multicast technology "
        "--trace-group-send tree",
        400,
    ),
    ("pipeline", "--topology 256-128-64 --algorithm 5 --trace-steps 500", 120),
    ("alltoall", "--processors 200 --trace-steps 4", 20),
    ("evb", "--processors 200 --schedule shift --trace-steps 4", 40),
    ("evb", "--processors 200 --schedule barrier --trace-steps 4", 60),
    ("alltoall", "--processors 200 --trace-steps 4 --trace-shifts 14", 30),
    (
        "pushfarm",
        "--sources 200 --destinations 200 --algorithm 5 --in-flight 300 --trace-steps 2000",
        100,
    ),
    (
        "pullfarm",
        "--sources 200 --destinations 200 --algorithm 5 --in-flight 400 --trace-steps 2000",
        120,
    ),
    (
        "pushfarm",
        "--sources 200 --destinations 200 --algorithm 0 --in-flight 64 --trace-steps 64 "
        "--supervisor multicast",
        60,
    ),
)


def emitted(program: str, words: str) -> str:
    command = [str(BUILD / f"cb_{program}"), "--emit-trace", "-", "--sizes", "64", *words.split()]
    done = subprocess.run(command, check=True, timeout=LIMIT_S, stdout=subprocess.PIPE, text=True)
    return done.stdout


def receivers(records: list[str]) -> list[int]:
    return [int(record.split()[1]) for record in records if record.startswith("is")]


class Traces(unittest.TestCase):
    def test_stay_short(self) -> None:
        for program, words, most in LARGE:
            with self.subTest(program=program, words=words):
                self.assertLessEqual(len(emitted(program, words).splitlines()), most)

    def test_of_a_tree_reach_each_destination_from_one_that_has_the_packet(self) -> None:
        words = "--mode round --list fixed --multicast technology --trace-group-send tree"
        for count in (1, 2, 3, 7, 8, 9, 39):
            text = emitted("multicast", f"{words} --destinations {count} --trace-steps 1")
            ranks = of_each_rank(text)
            with self.subTest(count=count):
                # The last send of a destination is its acknowledgement; w ends every rank.
                sent = receivers(ranks[0])
                for rank in range(1, count + 1):
                    parent = rank - (1 << (rank.bit_length() - 1))
                    self.assertEqual(ranks[rank][0], f"r {parent} 64")
                    self.assertEqual(ranks[rank][-2:], ["is 0 0", "w"])
                    sent += receivers(ranks[rank])[:-1]
                self.assertEqual(sorted(sent), list(range(1, count + 1)))

    def test_of_a_part_of_a_round_go_to_nodes_far_apart(self) -> None:
        ranks = of_each_rank(emitted("alltoall", "--processors 100 --trace-steps 1 --trace-shifts 9"))
        self.assertEqual(receivers(ranks[0]), [1, 12, 23, 34, 45, 56, 67, 78, 89])
        self.assertEqual(receivers(ranks[99]), [0, 11, 22, 33, 44, 55, 66, 77, 88])
        self.assertEqual(ranks[5].count("r any 64"), 9)

    def test_have_the_pace_of_a_supervisor_before_each_event(self) -> None:
        words = "--sources 1 --destinations 2 --algorithm 0 --trace-steps 4 --in-flight 2"
        ranks = of_each_rank(emitted("pullfarm", f"{words} --trace-pace-us 12.5"))
        first, later = ["c 12.5"], ["c 12.5", "r any 16"]
        issued = [*first, "is 2 16", *first, "is 3 16", *later, "is 2 16", *later, "is 3 16"]
        self.assertEqual(ranks[0], issued + 2 * ["r any 16"] + ["w"])

    def test_have_the_pace_of_each_source_of_a_pipeline(self) -> None:
        words = "--topology 2-1 --algorithm 3 --trace-steps 3 --trace-pace-us 7"
        ranks = of_each_rank(emitted("pipeline", words))
        for source in (0, 1):
            sent = 4 * ["c 7", "is 2 64"]
            self.assertEqual(ranks[source], sent + ["r 2 0", "w"])
        self.assertEqual(ranks[2].count("c 3"), 8)

    def test_have_the_release_and_the_last_acknowledgements_of_each_block(self) -> None:
        words = "--sources 2 --mode event --trace-steps 3 --window 4 --trace-blocks 2"
        ranks = of_each_rank(emitted("funnel", words))
        acknowledged = ["is 1 0", "is 2 0"]
        block = 4 * ["r any 64"] + acknowledged + 2 * ["r any 64"] + acknowledged
        # Another source is the first in each block.
        released = ["is 1 0", "is 2 0", *block, "is 2 0", "is 1 0", *block]
        self.assertEqual(ranks[0], released + ["w"])
        self.assertEqual(ranks[1], 2 * (["r 0 0"] + 3 * ["is 0 64"] + 2 * ["r 0 0"]) + ["w"])

    def test_of_a_pull_farm_fetch_ahead_and_serve_events_in_turn(self) -> None:
        words = "--sources 2 --destinations 3 --algorithm 0 --trace-steps 30 --in-flight 6"
        ranks = of_each_rank(emitted("pullfarm", words))
        fetch = ["r 0 16", "is 1 16", "is 2 16"]
        collect = ["r 1 64", "r 2 64", "is 0 16"]
        serve = [record for rank in (3, 4, 5) for record in (f"r {rank} 16", f"is {rank} 64")]
        self.assertEqual(ranks[1], 10 * serve + ["w"])
        self.assertEqual(ranks[3], 2 * fetch + 8 * (collect + fetch) + 2 * collect + ["w"])

    def test_of_a_pull_farm_name_32_sources_in_a_message(self) -> None:
        words = "--destinations 1 --algorithm 0 --trace-steps 3 --in-flight 1"
        for sources, messages in ((32, 1), (33, 2), (100, 4)):
            ranks = of_each_rank(emitted("pullfarm", f"{words} --sources {sources}"))
            with self.subTest(sources=sources):
                self.assertEqual(ranks[0].count(f"is {sources + 1} 16"), 3 * messages)
                self.assertEqual(ranks[sources + 1].count("r 0 16"), 3 * messages)

    def test_of_a_pull_farm_fetch_from_the_drawn_sources_only(self) -> None:
        words = "--sources 8 --destinations 2 --algorithm 0 --trace-steps 40 --in-flight 4"
        ranks = of_each_rank(emitted("pullfarm", f"{words} --fetch 3"))
        asked = [ranks[source].count("r 9 16") + ranks[source].count("r 10 16") for source in range(9)]
        self.assertEqual(sum(asked), 40 * 3)
        self.assertGreater(min(asked[1:]), 0)
        for source in range(1, 9):
            self.assertEqual(sum(one.endswith(" 64") for one in ranks[source]), asked[source])
        self.assertEqual(emitted("pullfarm", f"{words} --fetch 3").splitlines()[1:],
                         emitted("pullfarm", f"{words} --fetch 0.4").splitlines()[1:])
        self.assertNotEqual(emitted("pullfarm", f"{words} --fetch 3"),
                            emitted("pullfarm", f"{words} --fetch 3 --seed 2"))

    def test_of_a_pull_farm_with_two_steps_ask_all_sources_of_accepted_events(self) -> None:
        words = "--sources 8 --destinations 2 --algorithm 0 --trace-steps 40 --in-flight 4 --fetch 3"
        asked = {}
        for accept in ("0", "0.5", "1"):
            ranks = of_each_rank(emitted("pullfarm", f"{words} --accept {accept}"))
            sent = [sum(one.endswith(" 64") for one in ranks[source]) for source in range(1, 9)]
            asked[accept] = sum(sent)
            self.assertEqual(sum(one.startswith("r") and one.endswith(" 64")
                                 for rank in (9, 10) for one in ranks[rank]), sum(sent))
        self.assertEqual(asked["0"], 40 * 3)
        self.assertEqual(asked["1"], 40 * 8)
        self.assertEqual((asked["0.5"] - 40 * 3) % 5, 0)
        self.assertTrue(asked["0"] < asked["0.5"] < asked["1"], asked)
        self.assertEqual(emitted("pullfarm", f"{words} --accept 0"), emitted("pullfarm", words))

    def test_pause_for_the_intervals_of_the_arrivals(self) -> None:
        words = "--sources 1 --destinations 1 --algorithm 0 --trace-steps 6 --trace-pace-us 100"
        pauses = {}
        for arrivals in ("bursts:2,3us", "poisson", "poisson --seed 2"):
            ranks = of_each_rank(emitted("pushfarm", f"{words} --arrivals {arrivals}"))
            pauses[arrivals] = [one for one in ranks[0] if one.startswith("c ")]
        self.assertEqual(pauses["bursts:2,3us"],
                         ["c 100", "c 3", "c 197", "c 3", "c 197", "c 3"])
        self.assertEqual(len(set(pauses["poisson"])), 6)
        self.assertNotEqual(pauses["poisson"], pauses["poisson --seed 2"])
        topology = "--topology 2-1 --algorithm 0 --trace-steps 4 --trace-pace-us 10"
        ranks = of_each_rank(emitted("pipeline", f"{topology} --arrivals gamma:2"))
        drawn = [[one for one in rank if one.startswith("c ")] for rank in ranks[:2]]
        self.assertEqual(drawn[0], drawn[1])
        self.assertGreater(len(set(drawn[0])), 1)

    def test_of_a_pull_farm_with_a_multicast_ask_all_sources_by_one_record(self) -> None:
        words = "--sources 3 --destinations 2 --algorithm 0 --trace-steps 8 --in-flight 2"
        ranks = of_each_rank(emitted("pullfarm", f"{words} --supervisor multicast"))
        event = ["r 0 16", "m 1,2,3 16", "r 1 64", "r 2 64", "r 3 64", "is 0 16"]
        self.assertEqual(ranks[4], 4 * event + ["w"])
        self.assertEqual(ranks[1], 4 * ["r 4 16", "is 4 64", "r 5 16", "is 5 64"] + ["w"])

    def test_name_senders_of_a_pull_farm_also_where_all_sizes_are_equal(self) -> None:
        words = "--sources 2 --destinations 1 --algorithm 0 --trace-steps 1 --sizes 16"
        ranks = of_each_rank(emitted("pullfarm", words))
        self.assertEqual(
            ranks[3], ["r 0 16", "is 1 16", "is 2 16", "r 1 16", "r 2 16", "is 0 16", "w"]
        )


if __name__ == "__main__":
    unittest.main()
