#!/usr/bin/env python3
"""Variation between launches: intervals cover the truth, and figures of one mode raise no alarm.

All draws have fixed seeds, so that rates are the same whenever the tests run.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import unittest
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from combench.common.figures import Observation
from combench.common.inference import FLOOR, resampled_median_weights, trend
from combench.common.variation import (
    Launch,
    launches_of,
    modes_of,
    own_variance,
    variation,
)


def launch(draw: random.Random, between: float, within: float, blocks: int = 20) -> Observation:
    """A launch with its own deviation, and blocks that scatter about it."""
    middle = draw.gauss(0, between)
    times = tuple(math.exp(middle + draw.gauss(0, within)) for _ in range(blocks))
    return Observation(statistics.median(times), times)


def plain(values: list[float]) -> list[Launch]:
    return [Launch(value, None) for value in values]


class Intervals(unittest.TestCase):
    def missed(self, count: int, between: float, within: float, trials: int = 500) -> float:
        """The share of intervals without the true value, 1."""
        draw, missed = random.Random(11), 0
        for _ in range(trials):
            found = variation(launches_of([launch(draw, between, within) for _ in range(count)]))
            assert found is not None
            missed += not found.low <= 1 <= found.high
        return missed / trials

    def test_they_cover_the_truth_whatever_varies(self) -> None:
        for count in (2, 3, 5, 8):
            for between, within in ((0.1, 0.02), (0.05, 0.05), (0.0, 0.1)):
                missed = self.missed(count, between, within)
                self.assertLessEqual(missed, 0.08, f"{count} launches, {between}, {within}")

    def test_the_interval_of_one_launch_misses_what_launches_vary_by(self) -> None:
        """Why the launch is the unit: the binomial interval of 20 blocks, of one launch of such."""
        draw, missed = random.Random(5), 0
        for _ in range(300):
            ordered = sorted(launch(draw, 0.1, 0.02).blocks)
            missed += not ordered[5] <= 1 <= ordered[14]
        self.assertGreater(missed / 300, 0.8)

    def test_the_closed_form_is_the_variance_of_a_hierarchical_bootstrap(self) -> None:
        """Launches are drawn first, then the blocks of each. Drawing blocks adds the variation that
        the launches contain already, so that it is taken out of their deviations before."""
        draw = random.Random(3)
        launches = [launch(draw, 0.08, 0.06, 15) for _ in range(6)]
        known = launches_of(launches)
        own = statistics.fmean(one.own_variance or 0.0 for one in known)
        logs = [math.log(one.value) for one in launches]
        mean, scatter = statistics.fmean(logs), statistics.variance(logs)
        shrunk = math.sqrt((scatter - own) / scatter * 6 / 5)
        means = []
        for _ in range(6000):
            drawn = []
            for at in draw.choices(range(6), k=6):
                blocks = draw.choices(launches[at].blocks, k=15)
                of_blocks = math.log(statistics.median(blocks)) - logs[at]
                drawn.append(mean + shrunk * (logs[at] - mean) + of_blocks)
            means.append(statistics.fmean(drawn))
        found = variation(known)
        assert found is not None
        reach = math.log(found.high / found.low) / 2
        self.assertAlmostEqual(reach / (2.5706 * statistics.stdev(means)), 1, delta=0.1)

    def test_launches_that_agree_by_chance_vary_by_the_floor(self) -> None:
        found = variation(plain([1.0, 1.0, 1.0]))
        assert found is not None
        self.assertAlmostEqual(found.high, math.exp(4.30265 * FLOOR / math.sqrt(3)), places=6)

    def test_a_single_launch_says_nothing_of_others(self) -> None:
        self.assertIsNone(variation(plain([1.0])))

    def test_variation_between_launches_and_within_are_separated(self) -> None:
        draw = random.Random(2)
        for between, within, least, most in ((0.1, 0.01, 0.95, 1.0), (0.0, 0.1, 0.0, 0.5)):
            shares = []
            for _ in range(40):
                found = variation(launches_of([launch(draw, between, within) for _ in range(6)]))
                assert found is not None and found.between_share is not None
                shares.append(found.between_share)
            self.assertTrue(least <= statistics.median(shares) <= most, shares)

    def test_the_weights_of_a_resampled_median_are_those_of_drawing(self) -> None:
        draw, counts = random.Random(4), [0] * 7
        for _ in range(20000):
            counts[sorted(draw.choices(range(7), k=7))[3]] += 1
        for weight, count in zip(resampled_median_weights(7), counts):
            self.assertAlmostEqual(weight, count / 20000, delta=0.012)

    def test_few_blocks_say_nothing_of_their_variation(self) -> None:
        self.assertIsNone(own_variance(Observation(1.0, (1.0, 1.1, 0.9))))


class Modes(unittest.TestCase):
    def rate(self, make: Callable[[random.Random], float], count: int) -> float:
        draw, found, trials = random.Random(9), 0, 2000
        for _ in range(trials):
            found += bool(modes_of(plain([make(draw) for _ in range(count)])))
        return found / trials

    def test_one_mode_is_taken_for_two_in_no_more_than_1_of_50(self) -> None:
        """Of figures that vary by tens of per cent, whatever their distribution."""
        shapes: dict[str, Callable[[random.Random], float]] = {
            "normal": lambda draw: math.exp(draw.gauss(0, 0.3)),
            "uniform": lambda draw: math.exp(draw.uniform(0, 1)),
            "a long tail": lambda draw: math.exp(draw.expovariate(2)),
            "two long tails": lambda draw: math.exp(
                0.1 * draw.gauss(0, 1) / math.sqrt(draw.gammavariate(1.5, 2) / 3)
            ),
        }
        for name, make in shapes.items():
            for count in (5, 6, 8, 12, 20):
                self.assertLessEqual(self.rate(make, count), 0.02, f"{name}, {count} launches")

    def test_two_modes_that_stand_apart_are_found(self) -> None:
        """30 % apart, with 1 % of scatter in each; with eight launches a mode may have only one."""

        def make(draw: random.Random) -> float:
            return (1.3 if draw.random() < 0.5 else 1.0) * math.exp(draw.gauss(0, 0.01))

        self.assertGreater(self.rate(make, 8), 0.8)
        found = modes_of(plain([1.0, 1.01, 1.3, 0.99, 1.31, 1.29]))
        self.assertEqual([one.launches for one in found], [3, 3])
        self.assertAlmostEqual(found[0].value, 1.0)
        self.assertAlmostEqual(found[1].value, 1.3)

    def test_one_launch_apart_is_no_mode(self) -> None:
        self.assertEqual(modes_of(plain([1.0, 1.01, 0.99, 1.0, 1.005, 3.0])), ())

    def test_too_few_launches_have_no_modes(self) -> None:
        self.assertEqual(modes_of(plain([1.0, 1.0001, 2.0, 2.0001])), ())

    def test_a_gap_within_what_blocks_vary_by_is_no_mode(self) -> None:
        launches = [Launch(value, 0.02**2) for value in (1.0, 1.0, 1.0, 1.06, 1.06, 1.06)]
        self.assertEqual(modes_of(launches), ())
        self.assertEqual(len(modes_of(plain([one.value for one in launches]))), 2)


class Trends(unittest.TestCase):
    def test_a_figure_that_rises_steadily_is_found(self) -> None:
        found = trend([1.0, 1.1, 1.2, 1.31])
        assert found is not None
        self.assertAlmostEqual(found.ratio, 1.31, delta=0.01)
        self.assertLess(found.p, 0.01)

    def test_scatter_is_taken_for_a_trend_in_no_more_than_1_of_20(self) -> None:
        draw, found = random.Random(6), 0
        for _ in range(2000):
            test = trend([math.exp(draw.gauss(0, 0.1)) for _ in range(5)])
            found += test is not None and test.p < 0.05
        self.assertLessEqual(found / 2000, 0.06)

    def test_three_launches_have_none(self) -> None:
        self.assertIsNone(trend([1.0, 2.0, 3.0]))


if __name__ == "__main__":
    unittest.main()
