#!/usr/bin/env python3
"""`combench compare`: figures that differ by a known amount, or not at all; and input that is bad.

All draws have fixed seeds, so that rates of false alarms are the same whenever the tests run.
"""

from __future__ import annotations

import csv
import io
import json
import math
import random
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Callable
from unittest import mock

from documents import (
    ENVIRONMENT,
    TOP,
    Documents,
    Json,
    document,
    drawn,
    entry,
    manifest,
    row,
)

from combench.common import inference
from combench.common.figures import amount, describe, key_of, number


def correlated(draw: random.Random, count: int, likeness: float) -> list[float]:
    """Blocks of which neighbours are alike."""
    values = [draw.gauss(0, 1)]
    while len(values) < count:
        fresh = math.sqrt(1 - likeness**2) * draw.gauss(0, 1)
        values.append(likeness * values[-1] + fresh)
    return [math.exp(0.05 * value) for value in values]


def independent(draw: random.Random, count: int) -> list[float]:
    """Blocks with a hard lower end and a long tail, as times have."""
    return [1 + 0.1 * draw.expovariate(1) for _ in range(count)]


class Numbers(unittest.TestCase):
    def test_what_has_a_ratio_is_above_0_and_what_has_a_difference_is_finite(self) -> None:
        found = [(number(value), amount(value)) for value in (2, 0, -1, float("inf"), True, "2")]
        self.assertEqual(found, [(2, 2), (None, 0), (None, -1), (None, None), (None, None), (None, None)])


class Rates(unittest.TestCase):
    """How often a difference is found where there is none, and where there is one."""

    def rate(
        self, make: Callable[[random.Random], list[float]], shift: float, seed: int = 7
    ) -> float:
        """The share of pairs with a p below 0.05; intervals miss the true shift in at most 7 %."""
        draw, found, missed, count = random.Random(seed), 0, 0, 400
        for _ in range(count):
            second = [shift * value for value in make(draw)]
            difference = inference.compare_medians(make(draw), second)
            if difference is not None:
                found += difference.p < 0.05
                missed += not difference.low <= shift <= difference.high
        self.assertLess(missed / count, 0.07)
        return found / count

    def test_identical_draws_differ_in_no_more_than_1_of_20(self) -> None:
        self.assertLessEqual(self.rate(lambda draw: independent(draw, 20), 1), 0.05)
        self.assertLessEqual(self.rate(lambda draw: independent(draw, 100), 1), 0.05)

    def test_blocks_that_are_like_their_neighbours_raise_no_more_alarms(self) -> None:
        self.assertLessEqual(self.rate(lambda draw: correlated(draw, 60, 0.6), 1), 0.06)

    def test_a_shift_of_most_of_the_spread_is_found(self) -> None:
        """8 %, where blocks spread by 10 %."""
        self.assertGreater(self.rate(lambda draw: independent(draw, 60), 1.08), 0.9)

    def test_runs_of_one_system_differ_in_no_more_than_1_of_20(self) -> None:
        draw = random.Random(3)
        for first, second in ((3, 3), (5, 1), (2, 4)):
            found = 0
            for _ in range(1500):
                sides = ([draw.lognormvariate(0, 0.05) for _ in range(n)] for n in (first, second))
                found += inference.compare_runs(*sides).p < 0.05
            self.assertLessEqual(found / 1500, 0.065, f"{first} runs and {second}")

    def test_means_differ_in_no_more_than_1_of_20(self) -> None:
        draw, found = random.Random(5), 0
        for _ in range(400):
            difference = inference.compare_means(independent(draw, 12), independent(draw, 12))
            found += difference is not None and difference.p < 0.05
        self.assertLessEqual(found / 400, 0.065)

    def test_too_few_blocks_are_not_tested(self) -> None:
        self.assertIsNone(inference.compare_medians([1.0] * 5, [2.0] * 40))
        drifting = [1 + index / 40 for index in range(40)]
        self.assertIsNone(inference.compare_medians(drifting, drifting))


class Formulas(unittest.TestCase):
    def test_t_has_the_values_of_its_tables(self) -> None:
        for freedom, critical in ((1, 12.7062), (2, 4.30265), (4, 2.77645), (30, 2.04227)):
            self.assertAlmostEqual(inference.t_quantile(freedom), critical, places=4)
            self.assertAlmostEqual(inference.t_two_sided(critical, freedom), 0.05, places=5)

    def test_runs_are_compared_as_in_a_worked_example(self) -> None:
        """Logarithms 0, 0.1, 0.2 and 0.3, 0.4, 0.5: t is 3.674 with 4 degrees of freedom."""
        sides = (
            [math.exp(value) for value in values] for values in ((0, 0.1, 0.2), (0.3, 0.4, 0.5))
        )
        found = inference.compare_runs(*sides)
        self.assertAlmostEqual(math.log(found.ratio), 0.3)
        self.assertAlmostEqual(found.p, 0.02131, places=5)
        self.assertAlmostEqual(math.log(found.low), 0.3 - 2.77645 * 0.0816497, places=5)
        self.assertAlmostEqual(math.log(found.high), 0.3 + 2.77645 * 0.0816497, places=5)

    def test_a_single_run_has_the_variance_of_the_other_side(self) -> None:
        """0, 0.1, 0.2 against 0.5: t is 0.4 / sqrt(0.01 / 3 + 0.01) with 2 degrees of freedom."""
        several, single = [math.exp(value) for value in (0, 0.1, 0.2)], [math.exp(0.5)]
        found = inference.compare_runs(several, single)
        self.assertAlmostEqual(found.p, inference.t_two_sided(0.4 / math.sqrt(0.04 / 3), 2))
        back = inference.compare_runs(single, several)
        self.assertAlmostEqual(back.ratio * found.ratio, 1)

    def test_corrections_are_those_of_a_worked_example(self) -> None:
        ps = [0.04, 0.01, 0.03, 0.005]
        self.assertEqual(inference.holm(ps), [0.06, 0.03, 0.06, 0.02])
        rounded = [round(p, 6) for p in inference.benjamini_hochberg(ps)]
        self.assertEqual(rounded, [0.04, 0.02, 0.04, 0.02])

    def test_the_median_of_independent_blocks_has_the_interval_of_the_binomial(self) -> None:
        """Against blocks that do not vary: the 6th and 15th of 20 enclose it at 95.9 %."""
        blocks = [1 + index / 100 for index in range(20)]
        random.Random(1).shuffle(blocks)
        difference = inference.compare_medians([1.0] * 20, blocks)
        assert difference is not None
        self.assertTrue(1.04 < difference.low < 1.07 and 1.13 < difference.high < 1.16)

    def test_more_alike_neighbours_count_for_less(self) -> None:
        draw = random.Random(2)
        alike = inference.effective_count(correlated(draw, 400, 0.8))
        self.assertTrue(20 < alike < 80, alike)
        self.assertGreater(inference.effective_count(independent(draw, 400)), 300)


class TwoRuns(Documents):
    """One run on each side: tests stand on their blocks."""

    def pair(self, factor: float) -> tuple[str, str]:
        made = []
        for name, seed, middle in (("a", 1, 1.0), ("b", 2, factor)):
            rows = [row(drawn(seed + size, middle), size) for size in (0, 64, 256)]
            made.append(self.run_of(name, document(rows)))
        return made[0], made[1]

    def test_a_regression_above_the_limit_is_status_1(self) -> None:
        said, error = self.driver("compare", *self.pair(1.2), "--fail-above", "5%", expect=1)
        self.assertIn("3 figures compared: 3 slower", said)
        self.assertIn("the largest: 1.1 oneway mpi pingpong", error)

    def test_a_regression_below_the_limit_is_status_0(self) -> None:
        self.driver("compare", *self.pair(1.2), "--fail-above", "30", expect=0)

    def test_an_improvement_is_no_regression(self) -> None:
        said, _ = self.driver("compare", *self.pair(0.8), "--fail-above", "5%", expect=0)
        self.assertIn("0 slower, 3 faster", said)

    def test_equal_systems_have_no_difference(self) -> None:
        said, _ = self.driver("compare", *self.pair(1.0), "--fail-above", "0", expect=0)
        self.assertIn("3 no difference larger than 5 %", said)

    def test_it_is_said_that_the_variation_between_runs_is_unknown(self) -> None:
        said, _ = self.driver("compare", *self.pair(1.2))
        self.assertIn("is unknown", said)

    def test_a_rate_that_falls_is_a_regression(self) -> None:
        counted = {"held": 3, "repeats": 3}
        found: Json = {"found_Hz": {"value": 1000, "interval": [990, 1010], **counted}}
        less: Json = {"found_Hz": {"value": 500, "interval": [490, 510], **counted}}
        made = [
            self.write(f"{index}.json", document([row(drawn(index, 1), **more)]))
            for index, more in enumerate((found, found, less, less))
        ]
        said, _ = self.driver("compare", ",".join(made[:2]), ",".join(made[2:]))
        line = next(line for line in said.splitlines() if "found_Hz" in line)
        self.assertIn("-50.0", line)
        self.assertLess(said.index("slower, largest"), said.index(line))

    def test_an_interval_beyond_a_factor_of_ten_has_no_digits(self) -> None:
        """One run against two that differ by a factor of 20 among themselves."""
        made = [document([row([value * scale for value in drawn(1, 1)])]) for scale in (4, 1, 20)]
        first, *others = (self.write(f"{index}.json", one) for index, one in enumerate(made))
        said, _ = self.driver("compare", first, ",".join(others))
        self.assertIn("intervals of more than a factor of 10 to either side", said)

    def test_beside_a_computing_task_the_mean_counts(self) -> None:
        """Two blocks of ten are long: the median does not move, the mean does."""
        calm = drawn(1, 1, 40)
        rare = [value * (3 if index % 5 == 0 else 1) for index, value in enumerate(drawn(2, 1, 40))]
        made = [document([row(blocks, occupation="both")]) for blocks in (calm, rare)]
        words = [self.write(f"{index}.json", one) for index, one in enumerate(made)]
        said, _ = self.driver("compare", *words)
        self.assertIn("1 slower", said)
        said, _ = self.driver("compare", *words, "--format", "csv")
        self.assertEqual([line["figure"] for line in csv.DictReader(io.StringIO(said))], ["latency_us.mean"])

    def test_the_median_beside_a_computing_task_of_earlier_documents_is_a_mean(self) -> None:
        """Up to 0.3 there was no key `mean`."""
        made = [document([row(drawn(seed, 1), occupation="both")]) for seed in (1, 2)]
        summary = made[0]["results"][0]["latency_us"]
        summary["median"] = summary.pop("mean")
        words = [self.write(f"{index}.json", one) for index, one in enumerate(made)]
        said, _ = self.driver("compare", *words, "--format", "csv")
        found = list(csv.DictReader(io.StringIO(said)))
        self.assertEqual([line["figure"] for line in found], ["latency_us.mean"])
        self.assertAlmostEqual(float(found[0]["before"]), summary["median"], 6)

    def test_a_bound_is_not_compared(self) -> None:
        exact: Json = {"slowdown_computing": {"source": 2.0, "destination": 3.0}}
        bounded: Json = {**exact, "slowdown_computing_at_least": {"source": True}}
        words = [
            self.write(f"{index}.json", document([row(drawn(index, 1), **more)]))
            for index, more in enumerate((exact, bounded))
        ]
        said, _ = self.driver("compare", *words, "--all")
        self.assertIn("slowdown_computing destination", said)
        self.assertNotIn("slowdown_computing source", said)

    def test_csv_has_a_line_for_each_figure(self) -> None:
        said, _ = self.driver("compare", *self.pair(1.2), "--format", "csv")
        found = list(csv.DictReader(io.StringIO(said)))
        self.assertEqual([line["verdict"] for line in found], ["slower"] * 3)
        for line in found:
            low, high = float(line["ci95_low_pct"]), float(line["ci95_high_pct"])
            self.assertTrue(low < float(line["change_pct"]) < high)


class SeveralRuns(Documents):
    """Runs are the unit where a side has several."""

    def side(self, name: str, middles: list[float]) -> str:
        runs = [
            self.run_of(f"{name}{index}", document([row(drawn(index, middle))]))
            for index, middle in enumerate(middles)
        ]
        return ",".join(runs)

    def test_what_varies_from_run_to_run_is_no_regression(self) -> None:
        before = self.side("a", [1.0, 1.12, 0.95])
        after = self.side("b", [1.08, 0.97, 1.15])
        said, _ = self.driver("compare", before, after, "--fail-above", "1", expect=0)
        self.assertIn("0 no difference larger than 5 %, 1 cannot tell", said)
        self.assertNotIn("is unknown", said)

    def test_the_same_runs_one_by_one_look_like_regressions(self) -> None:
        before, after = self.side("a", [1.0]), self.side("b", [1.08])
        self.driver("compare", before, after, "--fail-above", "1", expect=1)

    def test_a_shift_beyond_the_variation_is_found(self) -> None:
        before = self.side("a", [1.0, 1.02, 0.99])
        after = self.side("b", [1.2, 1.22, 1.19])
        self.driver("compare", before, after, "--fail-above", "5%", expect=1)

    def test_a_single_run_is_held_against_the_variation_of_the_baseline(self) -> None:
        before = self.side("a", [1.0, 1.1, 0.92, 1.05])
        within, beyond = self.side("b", [1.1]), self.side("c", [2.0])
        self.driver("compare", before, within, "--fail-above", "1", expect=0)
        self.driver("compare", before, beyond, "--fail-above", "1", expect=1)

    def test_a_directory_of_runs_is_one_side(self) -> None:
        for index in range(2):
            self.run_of(f"many/{index}", document([row(drawn(index, 1))]))
        said, _ = self.driver("compare", str(self.folder / "many"), self.side("b", [1.0]))
        self.assertIn("many: 2 runs, 1 rows", said)

    def test_the_baseline_can_be_any_of_many_sides(self) -> None:
        sides = [self.side(name, [1.0]) for name in "abc"]
        said, _ = self.driver("compare", *sides, "--baseline", sides[1])
        self.assertEqual(said.count("baseline " + sides[1]), 2)
        self.assertEqual([said.count(f"against  {side}:") for side in sides], [1, 0, 1])

    def test_equal_sides_have_no_difference_larger_than_the_margin(self) -> None:
        sides = self.side("a", [1.0, 1.003, 0.998]), self.side("b", [1.001, 1.002, 0.997])
        said, _ = self.driver("compare", *sides)
        self.assertIn("1 no difference larger than 5 %, 0 cannot tell", said)
        said, _ = self.driver("compare", *sides, "--margin", "0.5%")
        self.assertIn("0 no difference larger than 0.5 %, 1 cannot tell", said)

    def test_two_modes_are_named_with_their_numbers_of_runs(self) -> None:
        before = self.side("a", [1.0, 1.004, 0.997, 1.3, 1.303, 1.296])
        said, _ = self.driver("compare", before, self.side("b", [1.0, 1.01, 0.99]))
        self.assertRegex(said, r"bimodal in the baseline: .* latency_us: 1\.\d+ in 3 and 1\.3\d+ in 3 runs")
        self.assertNotIn("bimodal in " + str(self.folder / "b"), said)

    def test_a_run_that_is_named_twice_is_refused(self) -> None:
        one = self.side("a", [1.0])
        _, error = self.driver("compare", f"{one},{one}", self.side("b", [1.0]), expect=2)
        self.assertIn("names a run twice", error)

    def test_a_row_of_several_starts_is_one_value_of_its_run(self) -> None:
        """Three starts in one run are not three runs."""
        starts = [document([row(drawn(index, 1 + index / 10))]) for index in range(3)]
        said, _ = self.driver(
            "compare", self.run_of("a", *starts), self.run_of("b", starts[0]), "--all"
        )
        self.assertIn("1 figures compared", said)
        self.assertNotIn("runs      ", said)


class Copies(Documents):
    """Copies of a launch are one launch, wherever they are."""

    def setUp(self) -> None:
        super().setUp()
        self.one = self.run_of("week/mon", document([row(drawn(1, 1.0))]))
        self.week = str(self.folder / "week")
        self.other = self.run_of("other", document([row(drawn(2, 1.2))]))

    def assert_one(self, side: str, *more: str) -> None:
        said, error = self.driver("compare", side, self.other)
        self.assertRegex(said, r"baseline .*: 1 run, 1 rows")
        self.assertIn("tested by", said)
        self.assertNotIn(" runs  ", said)
        for words in (*more, "a launch counts once"):
            self.assertIn(words, error)

    def test_a_copy_of_a_run_does_not_count(self) -> None:
        shutil.copytree(self.one, f"{self.week}/mon.bak")
        self.assert_one(self.week, "mon.bak/results has a copy of results in", "week/mon/results")
        self.assert_one(f"{self.one},{self.week}/mon.bak")

    def test_a_bundle_of_a_run_does_not_count(self) -> None:
        bundle = str(self.folder / "mon.tar.gz")
        self.driver("bundle", self.one, "--output", bundle, "--anonymous")
        self.assert_one(f"{self.one},{bundle}", f"{bundle} has a copy")

    def test_a_copy_of_a_file_does_not_count(self) -> None:
        name = self.write("plain/a.json", document([row(drawn(1, 1.0))]))
        shutil.copy(name, self.folder / "plain/b.json")
        self.assert_one(str(self.folder / "plain"), "b.json is a copy of", "plain/a.json")

    def test_a_copy_of_the_first_launch_is_no_launch_of_a_run_with_two(self) -> None:
        shutil.copytree(self.one, self.folder / "more")
        self.write("more/results/second.json", document([row(drawn(3, 1.0), size=128)]))
        path = self.folder / "more/manifest.json"
        made = json.loads(path.read_text(encoding="utf-8"))
        second = {**made["measurements"][0], "name": "second", "result": "results/second.json"}
        path.write_text(json.dumps({**made, "measurements": [*made["measurements"], second]}))
        said, _ = self.driver("compare", f"{self.one},{self.folder / 'more'}", self.other)
        self.assertRegex(said, r"baseline .*: 2 runs, 2 rows")
        self.assertIn("tested by", said)
        self.assertNotIn(" runs  ", said.split("against", 1)[1])

    def test_what_started_at_another_time_is_no_copy(self) -> None:
        later = document([row(drawn(1, 1.0))], started="2026-11-21T22:00:01Z")
        self.run_of("week/tue", later)
        said, error = self.driver("compare", self.week, self.other)
        self.assertRegex(said, r"baseline .*: 2 runs, 1 rows")
        self.assertEqual(error, "")

    def test_results_in_both_sides_are_a_caution(self) -> None:
        copied = shutil.copytree(self.one, self.folder / "copied")
        said, _ = self.driver("compare", self.one, str(copied))
        self.assertIn("1 results are in both sides", said)


class WithoutRatio(Documents):
    """What has no ratio, such as losses, is shown as a difference."""

    def pair(self, *lost: tuple[int, ...]) -> list[str]:
        return [
            ",".join(
                self.run_of(f"{side}{run}", document([row(drawn(side * 9 + run, 1.0), lost=count)]))
                for run, count in enumerate(counts)
            )
            for side, counts in enumerate(lost)
        ]

    def test_losses_that_appear_or_disappear_are_listed(self) -> None:
        first, second = self.pair((0,), (37,))
        for words, before, after, line in (
            ((first, second), "0", "37", r"\+37 +0 +37  lost"),
            ((second, first), "37", "0", r"-37 +37 +0  lost"),
        ):
            said, _ = self.driver("compare", *words)
            self.assertRegex(said, line)
            said, _ = self.driver("compare", *words, "--format", "csv")
            found = next(one for one in csv.DictReader(io.StringIO(said)) if one["figure"] == "lost")
            self.assertEqual((found["before"], found["after"]), (before, after))
            self.assertEqual((found["change_pct"], found["verdict"]), ("", "no ratio"))

    def test_a_mean_includes_the_runs_without_losses(self) -> None:
        said, _ = self.driver("compare", *self.pair((0, 0), (0, 10)))
        self.assertRegex(said, r"\+5 +0 +5  lost")

    def test_a_figure_of_0_is_no_ratio_of_the_other_runs(self) -> None:
        for name, cpu_us in (("a", 0), ("b", 3), ("c", 3)):
            row_of = row(drawn(ord(name), 1.0), cpu_per_message_us=cpu_us)
            self.run_of(name, document([row_of]))
        sides = f"{self.folder / 'a'},{self.folder / 'b'}", str(self.folder / "c")
        said, _ = self.driver("compare", *sides, "--all")
        self.assertRegex(said, r"\+1.5 +1.5 +3  cpu_per_message_us")
        self.assertNotRegex(said, r"runs +cpu_per_message_us")

    def test_losses_of_datagrams_count(self) -> None:
        for name, lost in (("a", 0), ("b", 2)):
            self.run_of(name, document([row(drawn(1, 1.0), datagrams={"lost": lost})]))
        said, _ = self.driver("compare", str(self.folder / "a"), str(self.folder / "b"))
        self.assertRegex(said, r"\+2 +0 +2  datagrams lost")

    def test_nothing_lost_on_either_side_is_no_difference(self) -> None:
        said, _ = self.driver("compare", *self.pair((0,), (0,)))
        self.assertNotIn("lost", said)

    def test_fail_above_says_that_they_were_not_tested(self) -> None:
        _, error = self.driver("compare", *self.pair((0,), (37,)), "--fail-above", "5%")
        self.assertIn("1 losses, errors or figures of 0 differ", error)


class Matching(Documents):
    """Which rows are compared, and what is said of the others."""

    def test_rows_of_one_side_only_are_listed(self) -> None:
        first = self.write("a.json", document([row(drawn(1, 1), size) for size in (0, 64)]))
        second = self.write("b.json", document([row(drawn(2, 1), size) for size in (64, 256)]))
        said, _ = self.driver("compare", first, second)
        for name, size in (("a", 0), ("b", 256)):
            self.assertRegex(said, rf"only in \S*{name}.json, not compared: 1 rows\n.* {size} B")

    def test_another_way_to_wait_is_another_measurement(self) -> None:
        waits = [{"requested": "auto", "effective": how} for how in ("spin", "yield")]
        words = [
            self.write(f"{index}.json", document([row(drawn(1, 1), wait=wait)]))
            for index, wait in enumerate(waits)
        ]
        _, error = self.driver("compare", *words, expect=2)
        self.assertIn("no measurement in common", error)

    def test_differing_environments_are_said(self) -> None:
        host = {**ENVIRONMENT["hosts"][0], "kernel": "6.9"}
        noise = {"quantum_us": 10, "stolen_pct": 40}
        clock = {**ENVIRONMENT["clock"], "source": "tsc"}
        other = {**ENVIRONMENT, "hosts": [host], "clock": clock, "noise": noise}
        rows = [row(drawn(1, 1))]
        first = self.write("a.json", document(rows))
        crowded = [row(drawn(1, 1), oversubscribed=True)]
        second = self.write("b.json", document(crowded, environment=other))
        said, _ = self.driver("compare", first, second)
        for sentence in (
            "kernel differs: 6.1",
            "clock differs: CLOCK_MONOTONIC",
            "oversubscribed in the other side only: 1 of the rows",
            "other processes used",
        ):
            self.assertIn(sentence, said)
        self.assertNotIn("governor differs", said)

    def test_hosts_with_other_names_are_a_caution(self) -> None:
        sides = []
        for side, names in enumerate((["n1", "n2"], ["n2", "n3"])):
            hosts = [{**ENVIRONMENT["hosts"][0], "name": name} for name in names]
            made = document([row(drawn(side, 1.0))], environment={**ENVIRONMENT, "hosts": hosts})
            sides.append(self.run_of(f"side{side}", made))
        said, _ = self.driver("compare", *sides)
        self.assertIn(
            "caution: names of hosts differ: only n1 in the baseline, only n3 in the other side", said
        )

    def test_of_settings_those_that_differ_are_said(self) -> None:
        words = []
        for index, settings in enumerate(
            ({"btl": "vader", "pml": "ob1"}, {"btl": "tcp", "pml": "ob1"})
        ):
            made = {**ENVIRONMENT, "mpi_settings": settings}
            one = document([row(drawn(index, 1))], environment=made)
            words.append(self.write(f"{index}.json", one))
        said, _ = self.driver("compare", *words)
        self.assertIn("MPI settings, btl differs: vader in ", said)
        self.assertNotIn("pml", said)

    def test_settings_have_their_names(self) -> None:
        words = []
        for index, value in enumerate(("1", "3")):
            made = {**ENVIRONMENT, "mpi_settings": {"btl_vader_single_copy_mechanism": value}}
            one = document([row(drawn(index, 1))], environment=made)
            words.append(self.write(f"{index}.json", one))
        said, _ = self.driver("compare", *words)
        self.assertRegex(said, "single_copy_mechanism differs: cma in .*, none in ")

    def test_repetitions_in_a_folder_without_a_manifest_are_reported(self) -> None:
        (self.folder / "five").mkdir()
        for index in range(5):
            self.write(f"five/{index}.json", document([row(drawn(index, 1))]))
        other = self.write("one.json", document([row(drawn(9, 1))]))
        _, error = self.driver("compare", str(self.folder / "five"), other)
        self.assertIn("has 5 documents of one measurement", error)

    def variants(self, folder: str, *settings: Json) -> str:
        """A directory with a document for each of these parameters."""
        (self.folder / folder).mkdir()
        for index, given in enumerate(settings):
            one = document([row(drawn(index, 1))], parameters={"max_time_s": 1.5, **given})
            self.write(f"{folder}/{index}.json", one)
        return str(self.folder / folder)

    def test_settings_that_differ_within_a_run_are_not_repetitions(self) -> None:
        both = ({"config": "note"}, {"config": "note", "parameter": "max_outst_buffers=4"})
        said, _ = self.driver("compare", *(self.variants(name, *both) for name in "ab"), "--all")
        self.assertIn("mpi (note)", said)
        self.assertIn("mpi (note, max_outst_buffers=4)", said)

    def test_settings_that_differ_between_runs_are_compared(self) -> None:
        words = [self.variants("a", {"parameter": "port=1"}), self.variants("b", {"parameter": "port=2"})]
        said, _ = self.driver("compare", *words, "--all")
        self.assertNotIn("(port=", said)
        self.assertIn("oneway", said)

    def test_sides_with_different_settings_have_a_caution(self) -> None:
        words = [self.variants("a", {"config": "note"}), self.variants("b", {})]
        said, _ = self.driver("compare", *words, "--all")
        self.assertIn("option config", said)

    def test_rows_of_several_settings_match_those_of_the_same_settings_only(self) -> None:
        both = self.variants("a", {}, {"config": "note"})
        said, _ = self.driver("compare", both, self.variants("b", {"config": "note"}), "--all")
        self.assertIn("all rows: mpi (note) ", said)
        self.assertIn("1 figures compared", said)
        self.assertRegex(said, r"only in \S*a, not compared: 1 rows\n *oneway mpi pingpong")

    def test_runs_of_a_side_with_different_settings_are_not_taken_for_repetitions(self) -> None:
        runs = ",".join([self.variants("a", {}), self.variants("b", {"config": "note"})])
        said, _ = self.driver("compare", runs, self.variants("c", {}), "--all")
        self.assertIn("1 figures compared", said)
        self.assertRegex(said, r"not compared: 1 rows\n *oneway mpi \(note\) pingpong")

    def test_a_trial_of_a_search_that_did_not_hold_has_a_mark_of_its_own(self) -> None:
        found: Json = {"value": 1000, "interval": [990, 1010], "held": 3, "repeats": 5}
        made = row(drawn(1, 1), mode="open", offered_Hz=1000, saturated=True, found_Hz=found)
        words = [self.write(f"{index}.json", document([made])) for index in range(2)]
        said, _ = self.driver("compare", *words, "--all")
        self.assertIn("t rate search: its last trial", said)
        self.assertNotIn("could not carry", said)

    def test_a_benchmark_whose_number_is_its_name_is_named_once(self) -> None:
        rows = [row(drawn(1, 1))]
        ring = document(rows, "ring", "calibration")
        ring["id"] = "ring"
        self.assertEqual(describe(key_of(ring, rows[0], "mpi")).count("ring"), 1)

    def test_the_same_environment_is_no_caution(self) -> None:
        words = [self.write(f"{i}.json", document([row(drawn(i, 1))])) for i in range(2)]
        said, _ = self.driver("compare", *words)
        self.assertEqual(said.count("caution:"), 1)  # of single runs


class BadInput(Documents):
    def test_a_byte_order_mark_is_skipped(self) -> None:
        made = json.dumps(document([row(drawn(1, 1))]))
        path = self.folder / "marked.json"
        path.write_text(made, encoding="utf-8-sig")
        said, _ = self.driver("compare", self.run_of("a", document([row(drawn(2, 1))])), str(path))
        self.assertIn("1 figures compared", said)

    def test_a_file_that_is_cut_off_is_status_2(self) -> None:
        whole = self.write("a.json", document([row(drawn(1, 1))]))
        cut = Path(self.folder, "cut.json")
        cut.write_text(Path(whole).read_text(encoding="utf-8")[:400], encoding="utf-8")
        _, error = self.driver("compare", whole, str(cut), expect=2)
        self.assertIn("cut off or damaged", error)

    def test_a_file_that_is_cut_off_in_a_run_leaves_the_others(self) -> None:
        documents = [document([row(drawn(1, 1))]), document([row(drawn(1, 1))], "twoway", "1.2")]
        first, second = self.run_of("a", *documents), self.run_of("b", *documents)
        damaged = Path(second, "results", "twoway-1.json")
        damaged.write_text(damaged.read_text(encoding="utf-8")[:400], encoding="utf-8")
        said, error = self.driver("compare", first, second)
        self.assertIn("twoway-1.json", error)
        self.assertRegex(said, r"only in \S*a, not compared: 1 rows")

    def test_a_document_that_was_cut_short_counts_as_far_as_it_goes(self) -> None:
        rows = [row(drawn(1, 1), size) for size in (0, 64)]
        first = self.write("a.json", document(rows))
        second = self.write("b.json", document(rows[:1], complete=False, reason="SIGTERM"))
        said, error = self.driver("compare", first, second, "--fail-above", "5%")
        self.assertIn("b.json is incomplete: SIGTERM", error)
        self.assertIn("1 rows of the baseline have no counterpart", error)
        self.assertIn("1 figures compared", said)

    def test_a_newer_schema_is_status_2(self) -> None:
        first = self.run_of("a", document([row(drawn(1, 1))]))
        newer = {**document([row(drawn(1, 1))]), "schema": "combench-result/2"}
        _, error = self.driver("compare", first, self.run_of("b", newer), expect=2)
        self.assertIn("its schema is combench-result/2", error)

    def test_a_run_with_failures_says_so(self) -> None:
        first = self.run_of("a", document([row(drawn(1, 1))]))
        second = self.run_of("b", document([row(drawn(1, 1))]), state="interrupted")
        _, error = self.driver("compare", first, second)
        self.assertIn("1 measurements are interrupted", error)

    def test_what_is_not_there_or_no_run_is_named(self) -> None:
        one = self.write("a.json", document([row(drawn(1, 1))]))
        _, error = self.driver("compare", one, "no/such", expect=2)
        self.assertIn("no/such", error)
        (self.folder / "empty").mkdir()
        _, error = self.driver("compare", one, str(self.folder / "empty"), expect=2)
        self.assertIn("no manifest and no readable result document", error)
        _, error = self.driver("compare", one, expect=2)
        self.assertIn("two sides or more", error)

    def test_a_document_with_a_damaged_row_is_left_out_and_the_row_is_named(self) -> None:
        sound = document([row(drawn(1, 1))], "twoway", "1.2")
        broken = row(drawn(1, 1), latency_us={"median": "fast", "min": 1, "max": 2})
        damaged = document([row(drawn(1, 1), 1), broken])
        first, second = self.run_of("a", sound, damaged), self.run_of("b", sound, damaged)
        said, error = self.driver("compare", first, second)
        self.assertIn("1 figures compared", said)
        self.assertIn("oneway-1.json: results[1].latency_us.median: must be number", error)

    def test_a_figure_that_is_not_finite_is_named_with_its_place(self) -> None:
        text = json.dumps(document([row(drawn(1, 1)), row(drawn(2, 1), 1)]))
        for odd in ("NaN", "-Infinity", "1e400"):
            path = self.folder / "odd.json"
            path.write_text(text.replace('"blocks_us": [', f'"blocks_us": [0.5, {odd}, ', 1))
            _, error = self.driver("compare", str(path), str(path), expect=2)
            self.assertIn("odd.json: results[0].blocks_us[1]: ", error)


class Variants(Documents):
    """A run that launched two variants, and the control beside them."""

    def launched(self, factors: dict[str, float], control: Callable[[str, int], float]) -> str:
        """Three launches of each variant, whose figure is larger by its factor."""
        directory = self.folder / "run"
        entries = []
        for name, factor in factors.items():
            for launch in (1, 2, 3, 4):
                place = f"results/{name}" + (f"/launch-{launch}" if launch > 1 else "")
                (directory / place).mkdir(parents=True)
                made = {
                    "oneway.mpi": document([row(drawn(launch, factor))]),
                    "control.null": document(
                        [row(drawn(launch + 9, control(name, launch)))], technology="null"
                    ),
                }
                for section, one in made.items():
                    result = f"{place}/{section}.json"
                    (directory / result).write_text(json.dumps(one), encoding="utf-8")
                    known = entry(f"{section}.{name}.{launch}", one, "measured", result)
                    known.update(launch=launch, variant=name, section=section.split(".")[0])
                    entries.append(known)
        whole = manifest(entries)
        variants = [{"name": name, "environment": {}} for name in factors]
        whole["design"] = {"repeat": 4, "seed": 1, "variants": variants}
        (directory / "manifest.json").write_text(json.dumps(whole), encoding="utf-8")
        return str(directory)

    def test_a_run_alone_has_a_side_for_each_variant(self) -> None:
        run = self.launched({"plain": 1.0, "tuned": 1.2}, lambda name, launch: 1.0)
        said, _ = self.driver("compare", run)
        self.assertIn("baseline plain: 4 runs", said)
        self.assertIn("against  tuned: 4 runs", said)
        self.assertIn("1 figures compared: 1 slower", said)
        self.assertIn("control: 1 of 1 figures", said)
        self.assertNotIn("caution: the control", said)

    def test_any_variant_can_be_the_baseline(self) -> None:
        run = self.launched({"plain": 1.0, "tuned": 1.2}, lambda name, launch: 1.0)
        said, _ = self.driver("compare", run, "--baseline", "tuned")
        self.assertIn("1 figures compared: 0 slower, 1 faster", said)
        _, error = self.driver("compare", run, "--baseline", "other", expect=2)
        self.assertIn("no variant other; it has plain, tuned", error)

    def test_folders_of_variants_are_sides_with_their_launches(self) -> None:
        run = self.launched({"plain": 1.0, "tuned": 1.2}, lambda name, launch: 1.0)
        said, _ = self.driver("compare", f"{run}/results/plain", f"{run}/results/tuned")
        self.assertIn("plain: 4 runs", said)
        self.assertIn("1 figures compared: 1 slower", said)

    def test_a_control_that_differs_is_a_caution_and_no_figure(self) -> None:
        run = self.launched(
            {"plain": 1.0, "tuned": 1.0}, lambda name, launch: 1.3 if name == "tuned" else 1.0
        )
        said, _ = self.driver("compare", run, "--fail-above", "1%")
        self.assertIn("caution: the control differs", said)
        self.assertIn("1 figures compared: 0 slower", said)

    def test_a_control_that_rises_in_both_variants_has_drifted(self) -> None:
        run = self.launched({"plain": 1.0, "tuned": 1.0}, lambda name, launch: 1.0 + 0.1 * launch)
        said, _ = self.driver("compare", run)
        self.assertRegex(said, r"caution: the control drifted by \+2\d\.\d % from the first launch of plain")
        self.assertNotIn("caution: the control differs", said)

    def test_variants_beside_another_side_are_refused(self) -> None:
        run = self.launched({"plain": 1.0, "tuned": 1.0}, lambda name, launch: 1.0)
        other = self.run_of("other", document([row(drawn(1, 1.0))]))
        _, error = self.driver("compare", run, other, expect=2)
        self.assertIn("has the variants plain, tuned", error)

    def test_a_single_run_without_variants_has_nothing_to_compare(self) -> None:
        other = self.run_of("other", document([row(drawn(1, 1.0))]))
        _, error = self.driver("compare", other, expect=2)
        self.assertIn("it has no variants", error)


class Links(Documents):
    """Changes of single links and hosts between two maps."""

    hosts = 10

    def map_of(self, seed: int, times: Callable[[int, int], float], prefix: str = "host") -> Json:
        """A document with a map whose times are `times`, beside noise of 5 %."""
        draw, count = random.Random(seed), self.hosts

        def matrix(value: Callable[[int, int], float]) -> list[list[float | None]]:
            return [
                [None if i == k else value(i, k) for k in range(count)] for i in range(count)
            ]

        known = {
            "cycles": 20,
            "packets": 4,
            "faults": 0,
            "hosts": [{"name": f"{prefix}{i}", "rank": i} for i in range(count)],
            "one_way_us": matrix(lambda i, k: 1000 * times(i, k) * math.exp(draw.gauss(0, 0.05))),
            "latency_us": matrix(lambda i, k: 100 * math.exp(draw.gauss(0, 0.05))),
            "spread": matrix(lambda i, k: 0.1),
            "stalls": matrix(lambda i, k: 0),
            "samples": matrix(lambda i, k: 20),
        }
        made = row(drawn(seed, 5), figure="round_us", mode="pairs", linkmap=known)
        return document([made], "linkmap", "linkmap")

    def compared(self, before: Json, after: Json, *words: str, expect: int = 0) -> tuple[str, str]:
        sides = [self.write("a.json", before), self.write("b.json", after)]
        return self.driver("compare", *sides, *words, expect=expect)

    def test_maps_that_differ_by_noise_have_no_change(self) -> None:
        alarms = 0
        for seed in range(0, 60, 2):
            out, _ = self.compared(
                self.map_of(seed, lambda i, k: 1), self.map_of(seed + 1, lambda i, k: 1)
            )
            alarms += "links: 0 changes in 1 maps" not in out
        self.assertLessEqual(alarms, 3)  # 1.5 are expected at 5 %

    def test_a_host_that_became_slow_is_named_with_its_direction(self) -> None:
        out, _ = self.compared(
            self.map_of(1, lambda i, k: 1), self.map_of(2, lambda i, k: 4 if i == 3 else 1)
        )
        self.assertIn("links: 1 changes", out)
        self.assertRegex(out, r"host3, out: slower by a factor of (3\.[5-9]|4)")

    def test_a_link_that_became_fast_is_named(self) -> None:
        slow = self.map_of(1, lambda i, k: 3 if (i, k) == (2, 7) else 1)
        out, _ = self.compared(slow, self.map_of(2, lambda i, k: 1))
        self.assertIn("links: 1 changes", out)
        self.assertIn("host2 to host7: faster", out)

    def test_fail_above_counts_links(self) -> None:
        before = self.map_of(1, lambda i, k: 1)
        slow = self.map_of(2, lambda i, k: 3 if (i, k) == (2, 7) else 1)
        _, error = self.compared(before, slow, "--fail-above", "50%", expect=1)
        self.assertIn("host2 to host7", error)
        self.compared(slow, before, "--fail-above", "50%")

    def test_maps_of_other_hosts_are_not_compared(self) -> None:
        out, _ = self.compared(
            self.map_of(1, lambda i, k: 1), self.map_of(2, lambda i, k: 1, prefix="node")
        )
        self.assertIn("the maps have other hosts", out)
        self.assertNotIn("links:", out)


class Pictures(Documents):
    def words(self, name: str) -> list[str]:
        made = [self.write(f"{i}.json", document([row(drawn(i, 1 + i / 5))])) for i in range(3)]
        return ["compare", *made, "--plot", str(self.folder / name)]

    def test_without_matplotlib_the_remedy_is_said(self) -> None:
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            _, error = self.driver(*self.words("x.svg"), expect=2)
        self.assertIn("install python3-matplotlib", error)

    def test_an_unknown_form_is_refused(self) -> None:
        _, error = self.driver(*self.words("x.doc"), expect=2)
        self.assertIn(".svg, .pdf or .png", error)

    def test_a_picture_is_drawn(self) -> None:
        for python in (sys.executable, "/usr/bin/python3"):
            probe = subprocess.run([python, "-c", "import matplotlib"], capture_output=True)
            if probe.returncode == 0:
                break
        else:
            self.skipTest("no python3 with matplotlib")
        words = self.words("x.svg")
        subprocess.run(
            [python, str(TOP / "scripts" / "combench"), *words],
            check=True,
            stdout=subprocess.PIPE,
            timeout=120,
        )
        picture = (self.folder / "x.svg").read_text(encoding="utf-8")
        self.assertIn("slower", picture)


if __name__ == "__main__":
    unittest.main()
