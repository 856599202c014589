"""The manifest of a run: the state and the result file of each planned measurement.

It is rewritten whenever a measurement begins or ends, so that a killed run can be resumed.
docs/combench-run-1.schema.json is its schema.
"""

from __future__ import annotations

import datetime
import shlex
from dataclasses import dataclass
from pathlib import Path

from combench.common.documents import (
    LEFT_OUT,
    MANIFEST,
    PLANNED,
    RUN,
    RUNNING,
    VERSION,
    Json,
    read_manifest,
)
from combench.common.files import within
from combench.suite.expand import Measurement, Overrides
from combench.suite.launches import Design


def now() -> str:
    """The current time in the format of all documents."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def entry(measurement: Measurement) -> Json:
    """The entry of a measurement that has not begun."""
    made: Json = {
        "name": measurement.title,
        "section": measurement.section,
        "benchmark": measurement.benchmark,
        "id": measurement.id,
        "technology": measurement.technology,
        "shape": measurement.shape,
        "ranks": measurement.ranks,
        "placement": measurement.placement,
        "options": list(measurement.words),
        "rows_at_most": measurement.rows,
        "state": LEFT_OUT if measurement.obstacle else PLANNED,
    }
    if measurement.launch > 1:
        made["launch"] = measurement.launch
    if measurement.variant:
        made["variant"] = measurement.variant
    if measurement.occupation:
        made["occupation"] = measurement.occupation
    if measurement.obstacle:
        made["reason"] = measurement.obstacle
    return made


@dataclass
class Manifest:
    """The document; `measurements` are its entries in the order of the plan."""

    document: Json

    @property
    def measurements(self) -> list[Json]:
        found: list[Json] = self.document["measurements"]
        return found

    @property
    def overrides(self) -> Overrides:
        """Of the document; later versions may add keys."""
        given = self.document["overrides"]
        return Overrides(**{key: given[key] for key in vars(Overrides()) if key in given})

    @property
    def design(self) -> Design:
        return Design.read(self.document.get("design", {}))

    @property
    def hostfile(self) -> str | None:
        """The host file of the last session: --resume continues on the same hosts."""
        sessions = self.document.get("sessions") or [{}]
        found: str | None = sessions[-1].get("hostfile")
        return found

    def asked_ranks(self, of_plan: int) -> int | None:
        """The number of ranks that --ranks gave the last session: --resume measures with as many."""
        sessions = self.document.get("sessions") or [{}]
        ranks: int | None = sessions[-1].get("ranks")
        usual = max(sessions[-1].get("allocation", {}).get("slots", 0), of_plan)
        return None if ranks == usual else ranks

    def count(self, *states: str) -> int:
        return sum(one["state"] in states for one in self.measurements)

    def begin_session(self, session: Json) -> None:
        """Add a session: one for each start and resumption of the run."""
        self.document.setdefault("sessions", []).append({"started": now(), **session})
        self.document.update(complete=False, reason=RUNNING)

    def end_session(self, reason: str) -> None:
        """Close the session. `reason` is empty when all measurements are done."""
        self.document["sessions"][-1]["ended"] = now()
        self.document["complete"] = not reason
        self.document["reason"] = reason
        if not reason:
            del self.document["reason"]


def new(plan_name: str, title: str, overrides: Overrides, design: Design) -> Manifest:
    given = {key: value for key, value in vars(overrides).items() if value is not None}
    return Manifest(
        {
            "schema": f"{RUN}/{VERSION}",
            "plan": {"name": plan_name, "title": title, "file": f"{plan_name}.plan"},
            "started": now(),
            "complete": False,
            "reason": PLANNED,
            "overrides": given,
            "design": design.document(),
            "measurements": [],
        }
    )


def read(directory: Path) -> Manifest:
    """The manifest of a directory. Raises SuiteError when it is damaged or newer."""
    return Manifest(read_manifest(within(directory, MANIFEST)))


def command_text(words: list[str]) -> str:
    """A command as it can be typed."""
    return " ".join(shlex.quote(word) for word in words)
