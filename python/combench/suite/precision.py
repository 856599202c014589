"""Whether the launches of a measurement determine its figures well enough, for --until."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Sequence

from combench.common.documents import MEASURED, Json, read_result
from combench.common.errors import SuiteError
from combench.common.figures import Key, Observation, have_ratio, key_of, observations
from combench.common.files import within
from combench.common.variation import launches_of, variation
from combench.suite.expand import Measurement
from combench.suite.launches import LEAST_LAUNCHES

MODULES = ("scipy",)


def _results(
    one: Measurement, entries: Sequence[Json], directory: Path
) -> Iterator[tuple[str, Json]]:
    """The documents of a measurement's earlier launches, with their variants. All variants have the
    same number of launches."""
    for entry in entries:
        if entry["state"] == MEASURED and entry.get("launch", 1) < one.launch:
            if Path(entry["result"]).stem == one.name:
                yield entry.get("variant", ""), read_result(within(directory, entry["result"]))


def is_reached(
    one: Measurement, entries: Sequence[Json], directory: Path, limit_pct: float
) -> bool:
    """Whether each time of its rows has an interval of at most `limit_pct` to either side."""
    found: dict[tuple[str, Key, str], list[Observation]] = {}
    try:
        for variant, document in _results(one, entries, directory):
            for row in document["results"]:
                for figure, observation in observations(row):
                    if figure.blocks and have_ratio([observation]):
                        key = key_of(document, row, str(document["technology"]))
                        found.setdefault((variant, key, figure.path), []).append(observation)
    except (SuiteError, KeyError):
        return False
    every = [variation(launches_of(launches)) for launches in found.values()]
    return bool(every) and all(
        known is not None and known.launches >= LEAST_LAUNCHES and known.half_pct <= limit_pct
        for known in every
    )
