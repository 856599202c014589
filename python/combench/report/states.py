"""Planned measurements without results, from the manifests of runs and the result documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence

from combench.common import documents
from combench.common.documents import Json
from combench.common.figures import technology_names, with_settings
from combench.common.values import option_values
from combench.report.charts import benchmark_title
from combench.report.figures import counted
from combench.report.load import Collection, Document

_WITHOUT_RESULT = (
    documents.FAILED,
    documents.TIMED_OUT,
    documents.INTERRUPTED,
    documents.RUNNING,
    documents.PLANNED,
    documents.SKIPPED,
    documents.LEFT_OUT,
)


_LISTED = 5  # documents that are named


@dataclass(frozen=True)
class Missing:
    what: str
    state: str
    reason: str


@dataclass(frozen=True)
class States:
    missing: tuple[Missing, ...]
    cautions: tuple[str, ...]
    # By benchmark, technology with its settings, shape, occupation and wait policy
    reasons: Mapping[tuple[str, str, str, str, str], str]


def _skipped(results: Sequence[Document]) -> list[Missing]:
    """Skipped measurements: each reason once, with all benchmarks that have it."""
    found: dict[tuple[str, str, str], dict[str, None]] = {}
    technology_of = technology_names(one.data for one in results)
    for one in results:
        for skip in one.data["skipped"]:
            over = technology_of(one.data)
            key = (skip["what"], over, skip["reason"])
            found.setdefault(key, {})[benchmark_title(one.data["benchmark"])] = None
    return [
        Missing(f"{', '.join(titles)} over {over}: {what}", documents.SKIPPED, reason)
        for (what, over, reason), titles in found.items()
    ]


def _cautions(found: Collection, entries: Sequence[Json]) -> list[str]:
    said = []
    broken = [one for one in entries if one["state"] not in (documents.SKIPPED, documents.LEFT_OUT)]
    if broken:
        said.append(
            f"{counted(len(broken), 'measurement')} of the plan failed, timed out or did not finish; "
            "see the last section for the reasons."
        )
    partial = [
        f"{one.path.name} ({one.data.get('reason', 'no reason given')}, "
        f"{counted(len(one.data['results']), 'row')})"
        for one in found.results
        if one.data.get("complete") is False
    ]
    if partial:
        more = f" and {len(partial) - _LISTED} more" if len(partial) > _LISTED else ""
        said.append(f"Incomplete documents: {', '.join(partial[:_LISTED])}{more}.")
    return said


def _key(entry: Json) -> tuple[str, str, str, str, str]:
    """The key of a start in the reasons."""
    options = option_values(entry["options"])
    given = {name: options.get(f"--{name}") for name in ("config", "parameter")}
    technology = with_settings({"technology": entry["technology"], "parameters": given})
    shape = entry["shape"].replace("x", " to ")  # as rows name it
    occupation = entry.get("occupation", "").replace("none", "")
    wait = options.get("--wait", "auto")  # the programs' default
    return entry["benchmark"], technology, shape, occupation, wait


def states_of(found: Collection) -> States:
    entries = [
        entry
        for run in found.runs
        for entry in run.data["measurements"]
        if entry["state"] in _WITHOUT_RESULT and not documents.is_spared(entry)
    ]
    missing, reasons = [], {}
    for entry in entries:
        state, reason = entry["state"], entry.get("reason", "")
        missing.append(Missing(entry["name"], state, reason))
        reasons[_key(entry)] = f"{state}: {reason}" if reason else state
    missing += _skipped(found.results)
    return States(tuple(missing), tuple(_cautions(found, entries)), reasons)
