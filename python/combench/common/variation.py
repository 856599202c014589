"""How much a figure varies between launches, and within one.

A launch is one start of a program. Its figure contains the variation of its blocks, and a deviation
that all its blocks share: placement in memory, the state of cores. Intervals are those of a
hierarchical bootstrap, launches first and blocks within them, in closed form: resampling n launches
with replacement has a known variance, and resampling the blocks of a median has known probabilities
(Maritz and Jarrett). With few launches the normal quantile is too small, so Student's takes its place.
All calculations use logarithms, as in inference.py.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Optional, Sequence

from combench.common.figures import Observation
from combench.common.inference import (
    FLOOR,
    effective_count,
    resampled_median_weights,
    t_quantile,
    thinned,
)

_LEAST_BLOCKS = 6  # with fewer, a launch says nothing about the variation of its blocks


def own_variance(one: Observation) -> Optional[float]:
    """The variance of a launch's figure by resampling its blocks. None: too few blocks."""
    if len(one.blocks) < _LEAST_BLOCKS:
        return None
    count = effective_count(one.blocks)
    points = thinned([math.log(value) for value in one.blocks], count)
    if count == 1:
        return None
    if one.of_mean:
        return statistics.variance(points) / count
    weights = resampled_median_weights(count)
    middle = math.fsum(weight * point for weight, point in zip(weights, points))
    return math.fsum(weight * (point - middle) ** 2 for weight, point in zip(weights, points))


@dataclass(frozen=True)
class Launch:
    """A figure of one launch, and the variance of its logarithm within the launch."""

    value: float
    own_variance: Optional[float]


def launches_of(observations: Sequence[Observation]) -> list[Launch]:
    return [Launch(one.value, own_variance(one)) for one in observations]


def mean_own_variance(launches: Sequence[Launch]) -> Optional[float]:
    """Its mean over launches; None where no launch has one."""
    known = [one.own_variance for one in launches if one.own_variance is not None]
    return math.fsum(known) / len(known) if known else None


@dataclass(frozen=True)
class Mode:
    value: float
    launches: int


# Two modes: a gap between sorted values this many times the mean of the other gaps, with at least two
# launches and a fifth of all on either side. For five launches and more of one mode (uniform, normal,
# exponential, Student's t of 3 degrees) that happens in fewer than 1 of 100 cases
# (tests/suite/test_suite_variation.py). The gap must also be one that matters.
_LEAST_LAUNCHES, _GAPS, _LEAST_SHARE = 5, 15.0, 0.2
_LEAST_GAP = math.log(1.03)
_OWN_DEVIATIONS = 4.0


def modes_of(launches: Sequence[Launch]) -> tuple[Mode, ...]:
    """Both modes of a bimodal figure, the lower first; nothing where there is one mode, or too few
    launches to tell."""
    count = len(launches)
    if count < _LEAST_LAUNCHES:
        return ()
    logs = sorted(math.log(one.value) for one in launches)
    least = max(2, math.ceil(_LEAST_SHARE * count))
    gap, at = max((logs[k] - logs[k - 1], k) for k in range(least, count - least + 1))
    others = (logs[-1] - logs[0] - gap) / (count - 2)
    own = math.sqrt(mean_own_variance(launches) or 0.0)
    if gap < max(_LEAST_GAP, _OWN_DEVIATIONS * own) or gap < _GAPS * others:
        return ()
    return tuple(
        Mode(math.exp(statistics.median(part)), len(part)) for part in (logs[:at], logs[at:])
    )


@dataclass(frozen=True)
class Variation:
    """A figure of several launches: their geometric mean with its 95 % interval."""

    value: float
    low: float
    high: float
    launches: int
    between_pct: float  # standard deviation between launches, without that of their blocks
    within_pct: Optional[float]  # of a launch's figure, by its blocks; None: unknown
    modes: tuple[Mode, ...]

    @property
    def half_pct(self) -> float:
        """Half of the interval."""
        return 50 * (self.high - self.low) / self.value

    @property
    def between_share(self) -> Optional[float]:
        """The part of the variance of a launch's figure that is between launches."""
        if self.within_pct is None:
            return None
        total = self.between_pct**2 + self.within_pct**2
        return self.between_pct**2 / total if total > 0 else 0.0


def variation(launches: Sequence[Launch]) -> Optional[Variation]:
    """None for a single launch, which says nothing about others."""
    count = len(launches)
    if count < 2:
        return None
    logs = [math.log(one.value) for one in launches]
    mean, scatter = math.fsum(logs) / count, statistics.variance(logs)
    own = mean_own_variance(launches)
    variance = max(scatter, own or 0.0, FLOOR**2) / count
    reach = t_quantile(count - 1) * math.sqrt(variance)
    return Variation(
        math.exp(mean),
        math.exp(mean - reach),
        math.exp(min(mean + reach, 700)),
        count,
        100 * math.sqrt(max(scatter - (own or 0.0), 0.0)),
        None if own is None else 100 * math.sqrt(own),
        modes_of(launches),
    )
