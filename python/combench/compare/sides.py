"""Reads the sides of a comparison: one run, or several runs of one system.

A run is the directory of `combench run`, a result document, or a directory of such documents. A
side is one path, or several separated by commas; a directory of runs is a side with all of them.
"""

from __future__ import annotations

import functools
import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

from combench.common import bundles, documents
from combench.common.documents import (
    MANIFEST,
    RESULT,
    RUN,
    Copies,
    Json,
    NewerSchema,
    claims_to_be,
    read_checked,
)
from combench.common.errors import SuiteError
from combench.common.figures import (
    Key,
    Observation,
    key_of,
    marks,
    observations,
    technology_names,
)
from combench.common.files import within

CONTROL = "control"  # the section of a plan whose figures a change cannot affect

SearchKey = tuple[Key, str]  # a row and the name of one of its figures


@dataclass
class Run:
    """One run, or one launch of each of its measurements: documents, and warnings."""

    path: Path
    documents: list[Json]
    warnings: list[str] = field(default_factory=list)
    variant: str = ""
    launch: int = 1
    files: list[Path] = field(default_factory=list)  # of the documents

    @property
    def name(self) -> tuple[Path, str, int]:
        return self.path.resolve(), self.variant, self.launch

    def is_control(self, document: Json) -> bool:
        """Whether it measures what a change cannot affect."""
        return any(
            document is one and path.name.startswith(f"{CONTROL}.")
            for one, path in zip(self.documents, self.files)
        )

    def rows(self) -> Iterator[tuple[Json, Json]]:
        """Rows with their documents. A measurement may occur in several starts of a run."""
        for document in self.documents:
            for row in document["results"]:
                yield document, row


def text_of(value: Any) -> str:
    """A value of a document as text; equal values give equal texts."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _add(run: Run, path: Path) -> None:
    """Add a document. An incomplete one is used as far as it goes, with a warning."""
    document = read_checked(path, RESULT)
    run.documents.append(document)
    run.files.append(path)
    if document.get("complete") is not True:
        reason = document.get("reason", "no reason is given")
        run.warnings.append(f"{path} is incomplete: {reason}; only its finished rows are compared")


def _try(run: Run, find: Callable[[], Path]) -> None:
    """Add a document; leave out a damaged one with a warning."""
    try:
        _add(run, find())
    except NewerSchema:
        raise
    except SuiteError as error:
        run.warnings.append(f"{error}; its rows are missing")


def _runs_of_manifest(directory: Path) -> list[Run]:
    """A run for each launch of each variant, in the order of variants on the command line."""
    document = read_checked(within(directory, MANIFEST), RUN)
    names = [one["name"] for one in document.get("design", {}).get("variants", ())]
    runs: dict[tuple[int, int], Run] = {}
    unmeasured: dict[str, int] = {}
    for entry in document["measurements"]:
        state, variant, launch = entry["state"], entry.get("variant", ""), entry.get("launch", 1)
        place = (names.index(variant) if variant in names else 0, launch)
        run = runs.setdefault(place, Run(directory, [], [], variant, launch))
        if state not in (documents.MEASURED, documents.SKIPPED, documents.LEFT_OUT):
            unmeasured[state] = unmeasured.get(state, 0) + 1
        if "result" in entry and state != documents.RUNNING:
            _try(run, functools.partial(within, directory, entry["result"]))
    found = [runs[place] for place in sorted(runs)]
    # Measurements that were launched less often than others leave launches without a document.
    found = [run for run in found if run.documents or run.warnings] or [Run(directory, [])]
    for state, count in sorted(unmeasured.items()):
        found[0].warnings.append(f"{directory}: {count} measurements are {state}")
    return found


def _warn_of_repetitions(run: Run) -> None:
    """Warn about documents with equal parameters in a directory: they are probably several runs."""
    alike: dict[str, int] = {}
    for one in run.documents:
        asked = text_of([one["benchmark"], one["technology"], one["parameters"]])
        alike[asked] = alike.get(asked, 0) + 1
    most = max(alike.values(), default=0)
    if most > 1:
        run.warnings.append(
            f"{run.path} has {most} documents of one measurement, which are treated as one run; to "
            "compare them as runs, separate them by commas, or put each into its own directory"
        )


def _without_copies(runs: list[Run]) -> list[Run]:
    """The runs with each launch once; those that have only copies are left out."""
    known: dict[str, Copies] = {}  # by variant
    kept = []
    for run in runs:
        copies = known.setdefault(run.variant, Copies())
        found = [
            (document, path)
            for document, path in zip(run.documents, run.files)
            if not copies.is_copy(document, path)
        ]
        if found or not run.documents:
            kept.append(run)
        run.documents, run.files = [one for one, _ in found], [path for _, path in found]
    if kept:
        kept[0].warnings += [said for copies in known.values() for said in copies.sentences()]
    return kept


def _run_of_folder(path: Path) -> Run:
    run = Run(path, [])
    for one in sorted(path.glob("*.json")):
        if claims_to_be(one, RESULT):
            _try(run, functools.partial(Path, one))
    _without_copies([run])
    _warn_of_repetitions(run)
    return run


def _runs_in(path: Path) -> list[Run]:
    """The runs that a path names."""
    if not path.exists():
        raise SuiteError(f"cannot read {path}: it does not exist; name the directory of a run")
    documents.keep_pipe(path)
    path = bundles.directory_of(path)
    if not path.is_dir():
        single = Run(path, [])
        _add(single, path)
        return [single]
    if (path / MANIFEST).exists():
        return _runs_of_manifest(path)
    below = sorted(one for one in path.iterdir() if (one / MANIFEST).exists())
    if below:
        return [run for one in below for run in _runs_of_manifest(one)]
    runs = [_run_of_folder(one) for one in (path, *_launches_in(path))]
    runs = [run for run in runs if run.documents or run.warnings]
    if not any(run.documents for run in runs):
        raise SuiteError(
            f"{path} has no manifest and no readable result document; name the directory of a run, "
            "or files that programs wrote with --output"
        )
    return runs


def _launches_in(path: Path) -> list[Path]:
    """Folders of further launches in their order, which is that of time."""
    found = [one for one in path.glob(documents.LAUNCHES) if one.name.rpartition("-")[2].isdecimal()]
    return sorted(found, key=lambda one: int(one.name.rpartition("-")[2]))


@dataclass
class Side:
    """One side of a comparison: runs of one system."""

    label: str
    runs: list[Run]
    # By row and figure: an observation for each run that has it.
    found: dict[SearchKey, list[Observation]] = field(default_factory=dict)
    marks: dict[Key, frozenset[str]] = field(default_factory=dict)
    limits: dict[Key, set[str]] = field(default_factory=dict)  # in_flight_limit of a row
    controls: set[Key] = field(default_factory=set)
    maps: dict[Key, Json] = field(default_factory=dict)  # of links; the latest of each row

    def keys(self) -> set[Key]:
        return set(self.marks)

    @property
    def is_modelled(self) -> bool:
        return any(is_modelled(one) for run in self.runs for one in run.documents)

    def warnings(self) -> list[str]:
        return [warning for run in self.runs for warning in run.warnings]


def _merged(starts: list[Observation]) -> Observation:
    """Several starts of one measurement: the median of their values, and all their blocks."""
    if len(starts) == 1:
        return starts[0]
    middle = statistics.median(one.value for one in starts)
    blocks = tuple(value for one in starts for value in one.blocks)
    return Observation(middle, blocks, starts[0].of_mean)


_NOT_IN_A_MODEL = frozenset({"touch"})  # conditions of a measurement that a model has not


def _add_rows(side: Side, run: Run, name_of: Callable[[Json], str], ignored: frozenset[str]) -> None:
    starts: dict[SearchKey, list[Observation]] = {}
    for document, row in run.rows():
        key = tuple(one for one in key_of(document, row, name_of(document)) if one[0] not in ignored)
        side.marks[key] = side.marks.get(key, frozenset()) | marks(row)
        if run.is_control(document):
            side.controls.add(key)
        if "in_flight_limit" in row:
            side.limits.setdefault(key, set()).add(text_of(row["in_flight_limit"]))
        if "one_way_us" in row.get("linkmap", {}):
            side.maps[key] = row["linkmap"]
        for figure, observation in observations(row):
            starts.setdefault((key, figure.path), []).append(observation)
    for search, found in starts.items():
        side.found.setdefault(search, []).append(_merged(found))


def _runs_of(words: str) -> list[Run]:
    """The runs of the side that a word of the command line names."""
    paths = [words] if Path(words).exists() else words.split(",")
    runs = [run for path in paths for run in _runs_in(Path(path))]
    if len({run.name for run in runs}) < len(runs):
        raise SuiteError(f"{words} names a run twice; name each run once")
    return _without_copies(runs)


def _sides_of(words: str, alone: bool) -> list[Side]:
    """The side that a word names; of a run with variants that is named alone, a side for each."""
    runs = _runs_of(words)
    variants = list(dict.fromkeys(run.variant for run in runs))
    if len(variants) == 1:
        return [Side(words, runs)]
    if not alone:
        raise SuiteError(
            f"{words} has the variants {', '.join(variants)}; compare them by naming {words} alone, or "
            f"name folders such as {Path(words) / 'results' / variants[0]}"
        )
    return [Side(one, [run for run in runs if run.variant == one]) for one in variants]


def is_modelled(document: Json) -> bool:
    """Whether the document is of a run in a model; others were measured."""
    return document.get("source") == "model"


def _beside_a_model(found: Sequence[Json]) -> str | None:
    """The technology that stands for the model's, too, where measurements are compared with a model; None:
    they are not. SuiteError: there are several."""
    measured = {str(one["technology"]) for one in found if not is_modelled(one)}
    if not measured or not any(map(is_modelled, found)):
        return None
    if len(measured) > 1:
        raise SuiteError(
            f"a model stands beside measurements over {', '.join(sorted(measured))}; name results of one "
            "technology"
        )
    return measured.pop()


def read_sides(words: Sequence[str]) -> list[Side]:
    """The sides that words of the command line name. Raises SuiteError.

    Where a side has several settings of a technology, rows of all sides are matched by them. Sides
    with one setting each are compared with each other.
    """
    sides = [side for one in words for side in _sides_of(one, len(words) == 1)]
    of_sides = [[one for run in side.runs for one in run.documents] for side in sides]
    name_of = technology_names(*of_sides)
    common = _beside_a_model([one for found in of_sides for one in found])
    if common is not None:
        name_of = lambda _: common
    ignored = _NOT_IN_A_MODEL if common is not None else frozenset()
    for side in sides:
        for run in side.runs:
            _add_rows(side, run, name_of, ignored)
        if not side.marks:
            raise SuiteError(
                f"{side.label} has no rows; see the manifest of the run for the reasons"
            )
    return sides
