"""Tests whether two sets of times differ, with the ratio and its confidence interval.

Pure functions over positive numbers. All calculations use logarithms: a difference is a ratio, and
a factor has the same weight in both directions. docs/using/compare.md has the reasons.

Student's t is SciPy's. This module has what the libraries lack: the interval of a ratio of medians
of correlated blocks, Welch's test of ratios with a minimum variance, and corrections for many
comparisons, which SciPy has from 1.11 on (Debian 12 has 1.10).
"""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence

from combench.common.errors import require_modules

CONFIDENCE = 0.95
# Minimum relative standard deviation, as in the fits of the programs: without it, two or three runs
# that agree by chance would make a tiny difference significant.
FLOOR = 0.005
_LEAST_BLOCKS = 6  # with fewer the 95 % interval of a median is infinite
_NEGLIGIBLE = 1e-12
NORMAL_QUANTILE = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Difference:
    """The ratio second / first of two sides, its 95 % interval, and the p value of the difference.
    The interval is open (0 or inf) where the values do not bound it."""

    ratio: float
    low: float
    high: float
    p: float


def effective_count(values: Sequence[float]) -> int:
    """The number of independent values with the same information, in the order of measurement.

    n (1 - r) / (1 + r), where r is the rank correlation of neighbours. Ranks are robust against
    single interruptions.
    """
    count = len(values)
    ordered = sorted(values)
    middle = (count - 1) / 2
    ranks = [bisect_left(ordered, value) for value in values]
    ties = {rank: ordered.count(ordered[rank]) for rank in set(ranks)}
    centred = [rank + (ties[rank] - 1) / 2 - middle for rank in ranks]
    square = sum(rank * rank for rank in centred)
    if square == 0:
        return count
    r = sum(one * next_one for one, next_one in zip(centred, centred[1:])) / square
    return max(1, round(count * (1 - r) / (1 + r))) if r > 0 else count


def thinned(values: Sequence[float], count: int) -> list[float]:
    """`count` values with the distribution of these, in ascending order."""
    ordered = sorted(values)
    if count == len(ordered):
        return ordered
    last = len(ordered) - 1
    chosen = []
    for index in range(count):
        place = min(max((index + 0.5) * len(ordered) / count - 0.5, 0), last)
        below = int(place)
        share = place - below
        chosen.append(ordered[below] * (1 - share) + ordered[min(below + 1, last)] * share)
    return chosen


class _Median:
    """The distribution of the true median, given the blocks of a run.

    It lies between the k-th and the next of n sorted blocks with the binomial probability of k of n
    at 1/2, for any distribution of the blocks. The intervals of the programs are made the same way.
    """

    def __init__(self, blocks: Sequence[float]) -> None:
        logs = [math.log(value) for value in blocks]
        points = thinned(logs, effective_count(logs))
        count = len(points)
        ends = [-math.inf, *points, math.inf]
        # Unbounded beyond the outermost blocks; between two blocks, the middle represents the gap.
        places = [(low + high) / 2 for low, high in zip(ends, ends[1:])]
        weights = [_half_binomial(count, k) for k in range(count + 1)]
        kept = [
            (place, weight)
            for k, (place, weight) in enumerate(zip(places, weights))
            if weight > _NEGLIGIBLE or k in (0, count)
        ]
        self.count = count
        self.places = [place for place, _ in kept]
        self.weights = [weight for _, weight in kept]
        self.from_place = list(itertools.accumulate(reversed(self.weights)))[::-1] + [0.0]

    def at_least(self, place: float) -> float:
        return self.from_place[bisect_left(self.places, place)]

    def at_most(self, place: float) -> float:
        return 1 - self.from_place[bisect_right(self.places, place)]


def _half_binomial(count: int, chosen: int) -> float:
    """The binomial probability of `chosen` of `count` at 1/2."""
    ways = math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)
    return math.exp(ways - count * math.log(2))


def _solve(rising: Callable[[float], float], wanted: float, start: float) -> float:
    """Where a rising function reaches a value, within 1e-4; infinite where it does not."""
    step = 0.05
    low, high = start - step, start + step
    while rising(low) > wanted:
        step *= 2
        low -= step
        if step > 100:
            return -math.inf
    while rising(high) < wanted:
        step *= 2
        high += step
        if step > 100:
            return math.inf
    while high - low > 1e-4:
        half = (low + high) / 2
        low, high = (half, high) if rising(half) < wanted else (low, half)
    return (low + high) / 2


def compare_medians(first: Sequence[float], second: Sequence[float]) -> Optional[Difference]:
    """Compare two runs by the medians of their blocks, in the order of measurement.

    None where too few blocks are independent. Blocks do not contain the variation between runs.
    """
    one, other = _Median(first), _Median(second)
    if min(one.count, other.count) < _LEAST_BLOCKS:
        return None
    observed = math.log(statistics.median(second) / statistics.median(first))

    def at_most(limit: float) -> float:
        """The probability of a difference of at most `limit`."""
        pairs = zip(other.places, other.weights)
        return sum(weight * one.at_least(place - limit) for place, weight in pairs)

    below = at_most(0.0)
    above = sum(weight * one.at_most(place) for place, weight in zip(other.places, other.weights))
    tail = (1 - CONFIDENCE) / 2
    low, high = _solve(at_most, tail, observed), _solve(at_most, 1 - tail, observed)
    return Difference(math.exp(observed), _exp(low), _exp(high), min(1.0, 2 * min(below, above)))


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


def quantile_ranks(count: int, quantile: float) -> Optional[tuple[float, float]]:
    """The ranks of `count` independent samples between which a quantile lies with 95 %.

    Uses the normal approximation of the binomial distribution. None where a rank is out of range.
    """
    middle = count * quantile
    half = NORMAL_QUANTILE * math.sqrt(middle * (1 - quantile))
    return (middle - half, middle + half) if half <= middle <= count - half else None


# Student's t


def _special() -> Any:
    """scipy.special, loaded on demand: comparing blocks of two runs does not need it, and
    scipy.stats takes twice as long to load."""
    require_modules("scipy")
    from scipy import special

    return special


def t_two_sided(t: float, freedom: float) -> float:
    """The two-sided p value of t."""
    return 2 * float(_special().stdtr(freedom, -abs(t)))


def t_quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    """The two-sided quantile of t: of 5 % with the default confidence."""
    return float(_special().stdtrit(freedom, (1 + confidence) / 2))


def interval_pct(values: Sequence[float]) -> Optional[float]:
    """Half of the 95 % interval of the mean by Student's t, in per cent of the mean. None for a
    single value."""
    if len(values) < 2:
        return None
    mean = statistics.fmean(values)
    if mean <= 0:
        return 0.0
    error = statistics.stdev(values) / math.sqrt(len(values))
    return 100 * t_quantile(len(values) - 1) * error / mean


def next_value_share(values: Sequence[float], confidence: float) -> float:
    """Half of the interval in which one more value lies with this confidence, as a share of the mean;
    0 for a single value."""
    mean = statistics.fmean(values)
    if len(values) < 2 or mean <= 0:
        return 0.0
    error = statistics.stdev(values) * math.sqrt(1 + 1 / len(values))
    return t_quantile(len(values) - 1, confidence) * error / mean


@dataclass(frozen=True)
class _Mean:
    """The mean of one side: its logarithm, its variance, and the degrees of freedom."""

    log: float
    variance: float
    freedom: int


def _by_t(first: _Mean, second: _Mean, freedom: float) -> Difference:
    observed = second.log - first.log
    error = math.sqrt(first.variance + second.variance)
    reach = t_quantile(freedom) * error
    return Difference(
        math.exp(observed),
        _exp(observed - reach),
        _exp(observed + reach),
        t_two_sided(observed / error, freedom),
    )


def _welch(first: _Mean, second: _Mean) -> Difference:
    """Welch's t test, for sides with different variances."""
    squares = sum(side.variance**2 / side.freedom for side in (first, second))
    return _by_t(first, second, (first.variance + second.variance) ** 2 / squares)


def _mean_of_blocks(blocks: Sequence[float]) -> Optional[_Mean]:
    count = effective_count(blocks)
    if count < _LEAST_BLOCKS:
        return None
    mean = math.fsum(blocks) / len(blocks)
    scatter = math.fsum((value - mean) ** 2 for value in blocks) / (len(blocks) - 1)
    return _Mean(math.log(mean), max(scatter / mean**2, FLOOR**2) / count, count - 1)


def compare_means(first: Sequence[float], second: Sequence[float]) -> Optional[Difference]:
    """Compare two runs by the means of their blocks: for rows beside a computing task, whose figure
    is a mean. None where too few blocks are independent."""
    one, other = _mean_of_blocks(first), _mean_of_blocks(second)
    return _welch(one, other) if one and other else None


def _mean_of_runs(values: Sequence[float], own_variance: float) -> _Mean:
    """The mean of several runs. They do not vary less than the blocks within them say."""
    logs = [math.log(value) for value in values]
    mean, freedom = math.fsum(logs) / len(logs), len(logs) - 1
    scatter = math.fsum((value - mean) ** 2 for value in logs) / freedom
    return _Mean(mean, max(scatter, own_variance, FLOOR**2) / len(logs), freedom)


def compare_runs(
    first: Sequence[float], second: Sequence[float], own_variance: float = 0.0
) -> Difference:
    """Compare two sides by their runs, with one value per run and three or more runs in all.

    A single run on one side is assumed to vary as the runs of the other side. `own_variance`: of the
    logarithm of one run's value, given its blocks.
    """
    if len(first) > 1 and len(second) > 1:
        return _welch(_mean_of_runs(first, own_variance), _mean_of_runs(second, own_variance))
    several = _mean_of_runs(first if len(first) > 1 else second, own_variance)
    of_one = several.variance * (several.freedom + 1)
    single = _Mean(math.log((second if len(first) > 1 else first)[0]), of_one, 0)
    sides = (several, single) if len(first) > 1 else (single, several)
    return _by_t(*sides, several.freedom)


@functools.lru_cache(maxsize=512)
def resampled_median_weights(count: int) -> list[float]:
    """The probability that each of `count` sorted values is the median of a resample of that many
    with replacement (Maritz and Jarrett)."""
    half = (count + 1) / 2
    below = [float(_special().betainc(half, half, k / count)) for k in range(count + 1)]
    return [high - low for low, high in zip(below, below[1:])]


def trend(values: Sequence[float]) -> Optional[Difference]:
    """The change from the first of these values, in their order, to the last, by a straight line
    through their logarithms; its interval and p by Student's t. None for fewer than four."""
    count = len(values)
    if count < 4:
        return None
    logs = [math.log(value) for value in values]
    middle, mean = (count - 1) / 2, math.fsum(logs) / count
    square = math.fsum((place - middle) ** 2 for place in range(count))
    slope = math.fsum((place - middle) * (log - mean) for place, log in enumerate(logs)) / square
    left = math.fsum(
        (log - mean - slope * (place - middle)) ** 2 for place, log in enumerate(logs)
    )
    variance = max(left / (count - 2), FLOOR**2) * (count - 1) ** 2 / square
    return _by_t(_Mean(0.0, 0.0, 0), _Mean(slope * (count - 1), variance, 0), count - 2)


# Corrections for many comparisons: adjusted p values, in the order of the given ones.


def _adjusted(ps: Sequence[float], factor: Callable[[int], float], descending: bool) -> list[float]:
    order = sorted(range(len(ps)), key=lambda index: ps[index], reverse=descending)
    adjusted = [1.0] * len(ps)
    bound = 1.0 if descending else 0.0
    for place, index in enumerate(order):
        rank = len(ps) - place if descending else place + 1
        value = min(1.0, ps[index] * factor(rank))
        bound = min(bound, value) if descending else max(bound, value)
        adjusted[index] = bound
    return adjusted


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Bounds the share of false alarms among all alarms."""
    return _adjusted(ps, lambda rank: len(ps) / rank, descending=True)


def holm(ps: Sequence[float]) -> list[float]:
    """Bounds the probability of a single false alarm."""
    return _adjusted(ps, lambda rank: len(ps) - rank + 1, descending=False)


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "benjamini-hochberg": benjamini_hochberg,
    "holm": holm,
}
