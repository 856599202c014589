"""One measurement: its command, its execution, and its entry in the manifest."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Mapping, Sequence

from combench.common import catalogue, documents, programs
from combench.common.documents import Json, read_result, timeline_beside
from combench.common.errors import FAILED, MEASURED, SKIPPED, USAGE, SuiteError, cause_of, remedy_of
from combench.common.files import is_inside
from combench.common.values import number_of
from combench.suite import manifest as manifests
from combench.suite.allocation import Allocation
from combench.suite.directory import LOGS, RESULTS, has_room
from combench.suite.expand import Measurement
from combench.suite.launcher import QUIET, Job, Launcher
from combench.suite.launches import PROGRAMS, Design
from combench.suite.model import Model
from combench.suite.process import ENDED, TIMED_OUT, Ending, Signals, run

_LOG_TAIL_BYTES = 65536
_REASON_LENGTH = 500
# Options that exclude --placement, and --placement itself.
_PLACED_BY = ("--receivers", "--timeline", "--placement")


@dataclass(frozen=True)
class Setting:
    """Directory, programs, launcher and allocation of all measurements."""

    directory: Path
    programs: Path
    launcher: Launcher | None  # None: in a model
    allocation: Allocation
    environment: Mapping[str, str]
    design: Design = Design()
    model: Model | None = None

    def job(self, measurement: Measurement) -> Job:
        ranks, allocation = measurement.ranks, self.allocation
        threads = number_of(measurement.words, "--threads", 1)  # of each source
        return Job(
            ranks,
            self.model is None and ranks * threads > allocation.slots,
            allocation.hosts,
            measurement.placement,
            allocation.slots,
            bound=threads == 1,
        )

    def result(self, measurement: Measurement) -> Path:
        return self.directory / RESULTS / measurement.folder / f"{measurement.name}.json"

    def timeline(self, measurement: Measurement) -> Path:
        return timeline_beside(self.result(measurement))

    def log(self, measurement: Measurement) -> Path:
        return self.directory / LOGS / measurement.folder / f"{measurement.name}.txt"

    def programs_of(self, measurement: Measurement) -> Path:
        """The folder of the programs: a variant may have its own."""
        own = self.design.settings_of(measurement.variant).get(PROGRAMS)
        return Path(own).absolute() if own else self.programs

    def ranks_environment(self, measurement: Measurement) -> dict[str, str]:
        """The environment of the launcher, which passes it on to the ranks."""
        if self.launcher is None:
            return dict(self.environment)
        own = self.launcher.environment(self.job(measurement), self.environment)
        return {**own, **self.design.settings_of(measurement.variant)}

    def relative(self, path: Path) -> str:
        return str(path.relative_to(self.directory))

    def _placement(self, measurement: Measurement) -> list[str]:
        """The option --placement on several hosts, unless other options place the roles, or the
        benchmark does so by itself."""
        words = [*measurement.words, *self._timeline_words(measurement)]
        placed = any(word.split("=")[0] in _PLACED_BY for word in words)
        takes = "placement" in catalogue.known().benchmark(measurement.benchmark).options
        if self.model or self.allocation.hosts == 1 or placed or not takes:
            return []
        return ["--placement", measurement.placement]

    def _timeline_words(self, measurement: Measurement) -> list[str]:
        if measurement.timeline_events is None:
            return []
        file = str(self.timeline(measurement))
        return ["--timeline", file, "--timeline-events", str(measurement.timeline_events)]

    def command(self, measurement: Measurement) -> list[str]:
        started_by: list[str] = []
        if self.launcher is not None:
            started_by += self.launcher.words(self.job(measurement))
            started_by += self.launcher.passing(self.design.settings_of(measurement.variant))
        return [
            *started_by,
            str(programs.path(self.programs_of(measurement), measurement.benchmark)),
            *measurement.words,
            *self._timeline_words(measurement),
            *self._placement(measurement),
            *(self.model.options(measurement, self.design.seed or 1) if self.model else ()),
            "--output",
            str(self.result(measurement)),
        ]


def last_words(log: Path) -> str:
    """The cause of a failure from a log: an error of a program, a text of the launcher between lines
    of dashes, the first line with an error, or else the last line."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(os.fstat(stream.fileno()).st_size - _LOG_TAIL_BYTES, 0))
            lines = stream.read().decode("utf-8", "replace").split("\n")
    except OSError as error:
        return f"cannot read the log: {error.strerror}"
    lines = [line.strip() for line in lines if line.strip()]
    own = [line for line in lines if ": error: " in line]
    errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
    said = own[:1] or _launcher_said(lines) or errors[:1] or lines[-1:] or ["no output"]
    return said[0][:_REASON_LENGTH]


def _launcher_said(lines: Sequence[str]) -> list[str]:
    """The first text between lines of dashes, as Open MPI prints its errors, that is no warning."""
    blocks: list[list[str]] = []
    inside = False
    for line in lines:
        if re.fullmatch("-{20,}", line):
            inside = not inside
            blocks += [[]] if inside else []
        elif inside:
            blocks[-1].append(line)
    found = [" ".join(block) for block in blocks if block]
    return [text for text in found if not text.startswith("WARNING")][:1] or found[:1]


def _rows(result: Path) -> tuple[int, str]:
    """The number of rows of a document, and why it is incomplete; empty where it is complete."""
    document = read_result(result)
    complete = document.get("complete") is True
    return len(document["results"]), "" if complete else str(document.get("reason", "cut short"))


def _judge(
    ending: Ending, result: Path, log: Path, relative: Callable[[Path], str], refused: int
) -> Json:
    """State, reason and number of rows, from the exit of the program and its result document. `refused`
    is the exit status with which it says that it cannot measure this."""
    found: Json = {}
    unreadable = incomplete = ""
    try:
        found["rows"], incomplete = _rows(result)
        found["result"] = relative(result)
    except SuiteError as error:
        unreadable = str(error)
    if ending.cause == TIMED_OUT:
        return {**found, "state": documents.TIMED_OUT, "reason": "it did not end in time"}
    if ending.cause != ENDED:
        return {**found, "state": documents.INTERRUPTED, "reason": ending.cause}
    if ending.status == refused:
        return {**found, "state": documents.SKIPPED, "reason": last_words(log)}
    if ending.status != MEASURED:
        reason = f"exit status {ending.status}: {last_words(log)}"
        return {**found, "state": documents.FAILED, "reason": reason}
    if unreadable or incomplete:
        reason = unreadable or f"the result is not complete: {incomplete}"
        return {**found, "state": documents.FAILED, "reason": reason}
    return {**found, "state": documents.MEASURED}


def begin(measurement: Measurement, entry: Json, setting: Setting) -> None:
    """Reset the entry of a measurement that is about to run, and remove an earlier result."""
    result, log = setting.result(measurement), setting.log(measurement)
    for path in (result, log):
        if not is_inside(setting.directory, path):
            raise SuiteError(
                f"cannot write {path}: it leads out of {setting.directory}; remove the link", FAILED
            )
    try:
        for path in (result, log):
            path.parent.mkdir(parents=True, exist_ok=True)
        result.unlink(missing_ok=True)
        setting.timeline(measurement).unlink(missing_ok=True)
    except OSError as error:
        raise SuiteError(
            f"cannot prepare {error.filename}: {error.strerror}; {remedy_of(error)}, then continue "
            "with --resume",
            FAILED,
        ) from error
    attempts = entry.get("attempts", 0) + 1
    entry.clear()
    entry.update(manifests.entry(measurement))
    entry.update(
        state=documents.RUNNING,
        attempts=attempts,
        started=manifests.now(),
        oversubscribed=setting.job(measurement).oversubscribed,
        command=setting.command(measurement),
        log=setting.relative(log),
    )


def _is_silent(ending: Ending, log: Path) -> bool:
    """Whether a start has failed silently."""
    failed = ending.cause == ENDED and ending.status not in (MEASURED, SKIPPED)
    return failed and log.stat().st_size == 0


def measure(
    measurement: Measurement, entry: Json, setting: Setting, signals: Signals, lock: int
) -> str:
    """Run a measurement that has begun and complete its entry.

    Returns the name of the signal that stopped it, else an empty string; failures are in the entry.
    """
    log = setting.log(measurement)

    def start() -> Ending:
        environment = setting.ranks_environment(measurement)
        return run(entry["command"], log, measurement.timeout_s, environment, signals, (lock,))

    try:
        ending = start()
        if QUIET in entry["command"] and _is_silent(ending, log):
            entry["command"].remove(QUIET)  # hides why MPI did not start
            ending = start()
    except (OSError, ValueError) as error:
        reason = f"cannot start {entry['command'][0]} with its output in {log}: {cause_of(error)}"
        entry.update(state=documents.FAILED, reason=reason)
        return ""
    entry.update(exit_status=ending.status, elapsed_s=round(ending.elapsed_s, 3))
    # The model itself was tried before: a program refuses what has no meaning in one.
    refused = USAGE if setting.model and ending.status == USAGE else SKIPPED
    entry.update(_judge(ending, setting.result(measurement), log, setting.relative, refused))
    if entry["state"] == documents.FAILED and not has_room(setting.directory):
        entry.update(state=documents.INTERRUPTED, reason=f"the disk is full: {entry['reason']}")
    return ending.cause if ending.cause not in (ENDED, TIMED_OUT) else ""
