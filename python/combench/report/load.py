"""Loads the input of a report: all documents below a directory, or single files.

A file that is damaged or too new does not stop the others; the report and standard error list it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Iterator, Optional, Sequence

from combench.common import bundles
from combench.common.documents import (
    PREDICTION,
    RESULT,
    RUN,
    VALIDATION,
    Copies,
    Json,
    checked,
    keep_pipe,
    launch_of,
    load_json,
)
from combench.common.errors import SuiteError
from combench.common.files import read_input, within
from combench.report import timelines

CONTROL = "control"  # the section of a plan that variants cannot change; combench compare reads it
REMARKS = "discussion"  # the folder with the user's own words


@dataclass(frozen=True)
class Document:
    path: Path
    data: Json
    variant: str = ""  # of its run, if that compares variants
    event: Optional[timelines.Event] = None  # of its timeline


@dataclass
class Collection:
    """All documents. `problems` are sentences for the reader."""

    results: list[Document] = field(default_factory=list)
    runs: list[Document] = field(default_factory=list)
    predictions: list[Document] = field(default_factory=list)
    validations: list[Document] = field(default_factory=list)
    remarks: dict[str, str] = field(default_factory=dict)  # text by the name of its file
    problems: list[str] = field(default_factory=list)

    def files(self) -> Iterator[Path]:
        """The files of all documents."""
        for one in (*self.results, *self.runs, *self.predictions, *self.validations):
            yield one.path

    def _add(self, document: Json, path: Path) -> None:
        """Add a document to the list of its kind; ignore other kinds."""
        kind = str(document.get("schema", "")).rpartition("/")[0]
        lists = {
            RESULT: self.results,
            RUN: self.runs,
            PREDICTION: self.predictions,
            VALIDATION: self.validations,
        }
        if kind in lists:
            lists[kind].append(Document(path, checked(document, path, kind)))

    def read(self, path: Path) -> None:
        try:
            document = load_json(path)
            if isinstance(document, dict):
                self._add(document, path)
        except SuiteError as error:
            self.problems.append(str(error))


def _documents(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    yield from sorted(one for one in path.rglob("*.json") if one.is_file())


def _read_remarks(path: Path, into: Collection) -> None:
    for text in sorted((path / REMARKS).glob("*.md")):
        try:
            inside = within(path, f"{REMARKS}/{text.name}")
            into.remarks[text.stem] = read_input(inside).decode("utf-8-sig")
        except SuiteError as error:
            into.problems.append(str(error))
        except (OSError, ValueError) as error:
            into.problems.append(f"cannot read {text}: {error}; write it as UTF-8 text")


def _launches(found: Collection) -> list[Document]:
    """The results of all launches, once each, with the names of their variants, without those of
    controls."""
    entries: dict[str, Json] = {}
    for run in found.runs:
        for entry in run.data["measurements"]:
            if "variant" not in entry or "result" not in entry:
                continue
            try:
                entries[os.path.realpath(within(run.path.parent, entry["result"]))] = entry
            except SuiteError as error:
                found.problems.append(str(error))
    places = ((launch_of(one.data), os.path.realpath(one.path)) for one in found.results)
    of_variants = {launch: entries[path] for launch, path in places if path in entries}
    copies, kept = Copies(), []
    for one in found.results:
        entry = of_variants.get(launch_of(one.data), {})
        if not copies.is_copy(one.data, one.path) and entry.get("section") != CONTROL:
            kept.append(replace(one, variant=entry.get("variant", "")))
    found.problems += copies.sentences()
    return kept


def _is_among(run: Document, others: Sequence[Document]) -> bool:
    """Whether a run is a copy of one of the others."""
    return any(run.data == one.data for one in others)


def _with_event(one: Document, found: Collection) -> Document:
    """The result with an event of its timeline, if it has one."""
    if "timeline" not in one.data:
        return one
    try:
        return replace(one, event=timelines.read(one.path))
    except SuiteError as error:
        found.problems += [str(error)] if str(error) not in found.problems else []
        return one


def load(paths: Sequence[Path]) -> Collection:
    """All documents of these directories and files; SuiteError when there is no result."""
    found = Collection()
    for path in paths:
        if not path.exists():
            raise SuiteError(f"cannot read {path}: it does not exist; name a directory of results")
        keep_pipe(path)
        path = bundles.directory_of(path)
        for file in _documents(path):
            found.read(file)
        if path.is_dir():
            _read_remarks(path, found)
    found.results = [_with_event(one, found) for one in _launches(found)]
    found.runs = [one for at, one in enumerate(found.runs) if not _is_among(one, found.runs[:at])]
    if not found.results:
        given = ", ".join(str(path) for path in paths)
        causes = "".join(f"\n  {problem}" for problem in found.problems)
        raise SuiteError(
            f"cannot make a report of {given}: there is no result document combench-result/1 in it"
            f"; measure with `combench run PLAN --output DIR`, then name that DIR{causes}"
        )
    return found
