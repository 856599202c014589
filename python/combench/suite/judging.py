"""Judges a run by the thresholds of its plan. The verdicts are kept in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional

from combench.common.documents import MEASURED, Json, is_spared, read_result
from combench.common.errors import SuiteError
from combench.common.figures import Key, describe, key_of, with_settings
from combench.common.files import within
from combench.common.thresholds import Threshold
from combench.suite.plan import Plan

KEY = "acceptance"  # in the manifest
MET, MISSED, UNTESTED = "met", "missed", "untested"
# What a result lists as skipped although each of its measurements was made.
_NO_MEASUREMENTS = ("fit", "shares of the sources", "changing members of lists")
_SHARED = "its processes share cores, which makes them slow on any network: give each rank a core"
UNNAMED = frozenset({"touch", "buffers", "wait", "occupation"})


@dataclass(frozen=True)
class Found:
    """The figure of a threshold in a row."""

    value: float
    key: Key
    shares_cores: bool

    @property
    def words(self) -> str:
        return describe(self.key, UNNAMED)


@dataclass(frozen=True)
class Verdict:
    section: str
    threshold: Threshold
    verdict: str
    found: tuple[Found, ...] = ()  # in the rows of the section
    worst: Optional[Found] = None
    reason: str = ""  # why it is untested, or what else than the network may have missed it

    @property
    def entry(self) -> Json:
        """For the manifest."""
        made: Json = {
            "section": self.section,
            "threshold": str(self.threshold),
            "verdict": self.verdict,
            "rows": len(self.found),
        }
        if self.worst is not None:
            made.update(worst=self.worst.value, row=self.worst.words)
        if self.threshold.figure.unit:
            made["unit"] = self.threshold.figure.unit
        if self.reason:
            made["reason"] = self.reason
        return made


def has_thresholds(plan: Plan) -> bool:
    return any(section.values["accept"] for section in plan.sections)


def _rows(directory: Path, entries: list[Json]) -> tuple[list[tuple[Json, Json]], str]:
    """The rows of a section with their documents, and why some are missing; empty: none is."""
    rows, missing = [], "" if entries else "the section has no measurement"
    for entry in entries:
        if entry["state"] != MEASURED and not is_spared(entry):
            reason = entry.get("reason")
            missing = f"{entry['name']} is {entry['state']}{f': {reason}' if reason else ''}"
        if "result" not in entry:
            continue
        try:
            document = read_result(within(directory, entry["result"]))
        except SuiteError as error:
            missing = str(error)
            continue
        rows += [(document, row) for row in document["results"] if isinstance(row, dict)]
        for one in document.get("skipped") or ():
            if str(one["what"]).startswith(_NO_MEASUREMENTS):
                continue
            missing = f"{entry['name']}: {one['what']} was skipped: {one['reason']}"
    return rows, missing


def _judge(
    section: str, threshold: Threshold, rows: list[tuple[Json, Json]], missing: str
) -> Verdict:
    """A figure that misses its threshold is missed, whatever else is missing."""
    found = []
    for document, row in rows:
        value = threshold.value(row)
        if value is not None:
            named = {"id": "", "benchmark": section, **document}
            key = key_of(named, row, with_settings(document))
            found.append(Found(value, key, bool(row.get("oversubscribed"))))
    if not found:
        reason = missing or "no row has this figure"
        return Verdict(section, threshold, UNTESTED, reason=reason)
    extreme = threshold.worst(one.value for one in found)
    worst = next(one for one in found if one.value == extreme)
    if not threshold.holds(extreme):
        return Verdict(
            section, threshold, MISSED, tuple(found), worst, _SHARED if worst.shares_cores else ""
        )
    verdict = UNTESTED if missing else MET
    return Verdict(section, threshold, verdict, tuple(found), worst, missing)


def judge(plan: Plan, document: Json, directory: Path) -> Iterator[Verdict]:
    """A verdict for each threshold of the plan, from the results of a run with that manifest."""
    for section in plan.sections:
        if not section.values["accept"]:
            continue
        entries = [one for one in document["measurements"] if one["section"] == section.name]
        rows, missing = _rows(directory, entries)
        for threshold in section.values["accept"]:
            yield _judge(section.name, threshold, rows, missing)


def is_accepted(verdicts: list[Verdict]) -> bool:
    return all(one.verdict == MET for one in verdicts)


def lines(verdicts: list[Verdict]) -> list[str]:
    """A line for each threshold."""
    said = []
    for one in verdicts:
        worst = ""
        if one.worst is not None:
            unit = f" {one.threshold.figure.unit}" if one.threshold.figure.unit else ""
            rows = f"of {len(one.found)} rows the worst" if len(one.found) > 1 else "its row"
            worst = f": {one.worst.value:.4g}{unit} ({rows}: {one.worst.words})"
        reason = f"; {one.reason}" if one.reason else ""
        said.append(f"{one.verdict:8}  [{one.section}] {one.threshold}{worst}{reason}")
    return said
