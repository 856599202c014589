"""Runs the steps of a page and keeps the documents that they write.

All is measured in a folder below the build; only when the last step has ended do its documents
replace the kept ones, so an interrupted run leaves those as they were. A step that fails or exceeds
its time is recorded with the reason, and the others go on.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping

from combench.common.progress import Progress, duration
from combench.suite.process import ENDED, TIMED_OUT, Ending, Signals, run
from page import RESULT, SCHEMA, STEPS, Json

_SKIPPED = 77  # exit status of a program whose technology cannot do what was asked
# What the pages do not show and would make documents long.
_DROPPED = ("blocks_us", "blocks_crc32", "histogram", "per_destination", "kernel.command_line")
_LARGE_KEPT_BYTES = 4 << 20


class Interrupted(Exception):
    """A signal ended the run."""


@dataclass(frozen=True)
class Step:
    """A command. Words may contain {build}, {top}, {keep} (the folder of documents) and {work} (a
    folder for all else, which is deleted)."""

    name: str  # its documents are NAME.json or begin with NAME
    words: tuple[str, ...]
    seconds: float  # about how long it takes
    is_plan: bool = False  # a run of combench, with a directory of its own
    shown: bool = False  # pass its output on: a long step with progress lines

    @property
    def kind(self) -> str:
        """Steps whose estimates are wrong in the same way."""
        return self.name if self.is_plan else Path(self.words[0]).name


def start(name: str, cores: int, ranks: int, program: str, *options: str, seconds: float) -> Step:
    """A program of combench under mpirun, whose document is NAME.json."""
    placed = ("--bind-to", "core") if ranks <= cores else ("--oversubscribe",)
    launch = ("mpirun", "-q", "-np", str(ranks), *placed)
    return Step(name, (*launch, f"{{build}}/{program}", *options, "--output", f"{{keep}}/{name}.json"), seconds)


def shell(name: str, text: str, *, seconds: float, shown: bool = False) -> Step:
    """A shell script; $build, $top, $keep and $work are set. Use it for commands in a row."""
    return Step(name, ("sh", "-euc", text), seconds, shown=shown)


def plan(name: str, which: str, *options: str, seconds: float) -> Step:
    """`combench run` of a plan in one launch; the documents of its results are kept as they are named there."""
    output = f"{{work}}/{name}"
    words = ("{python}", "{top}/scripts/combench", "run", which, "--repeat", "1", "--output", output, *options)
    return Step(name, words, seconds, is_plan=True, shown=True)


@dataclass(frozen=True)
class Place:
    top: Path  # of the source tree
    build: Path
    work: Path

    @property
    def keep(self) -> Path:
        return self.work / "keep"

    def names(self) -> dict[str, str]:
        places = {"top": self.top, "build": self.build, "keep": self.keep, "work": self.work}
        return {"python": sys.executable} | {name: str(path) for name, path in places.items()}

    def words(self, step: Step) -> list[str]:
        """The command line. A script of the shell has braces of its own."""
        if step.words[0] == "sh":
            return list(step.words)
        return [word.format(**self.names()) for word in step.words]

    def environment(self) -> Mapping[str, str]:
        found = {**os.environ, **self.names(), "CB_BUILD": str(self.build)}
        found["PATH"] = f"{Path(sys.executable).parent}:{found.get('PATH', '')}"
        if os.geteuid() == 0:  # as in a container; mpirun refuses otherwise
            found |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return found

    def plain(self, text: str) -> str:
        """A text without the folders of this machine."""
        for name in ("keep", "work", "build", "top"):
            text = text.replace(str(getattr(self, name)) + "/", "")
        return text


# Documents.


def _short(value: Any, place: Place) -> Any:
    """A document without what the pages do not need and without folders of this machine."""
    if isinstance(value, dict):
        return {key: _short(inner, place) for key, inner in value.items() if key not in _DROPPED}
    if isinstance(value, list):
        return [_short(inner, place) for inner in value]
    return place.plain(value) if isinstance(value, str) else value


def shortened(document: Json, place: Place) -> Json:
    """A result as it is kept: valid by its schema, with fewer parts."""
    made: Json = _short(document, place)
    if "environment" in document:
        made["environment"]["mpi_settings"] = {
            key: value
            for key, value in document["environment"].get("mpi_settings", {}).items()
            if key == "thread_level"
        }
    return made


def as_text(document: Json) -> str:
    """JSON with a line for each key of the document and each row."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            inner = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in value)
            lines.append(f"{json.dumps(key)}: [\n{inner}\n]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{" + ",\n".join(lines) + "}\n"


def _shorten_all(place: Place) -> Iterator[Json]:
    """Shorten the documents of all steps; what cannot be kept is removed, and becomes a step with a
    reason."""
    for path in sorted(place.keep.iterdir()):
        if path.suffix != ".json":
            continue
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            path.unlink()
            yield {"name": path.stem, "reason": f"its document is damaged: {error}"}
            continue
        if isinstance(document, dict):
            path.write_text(as_text(shortened(document, place)), encoding="utf-8")
        if path.stat().st_size > _LARGE_KEPT_BYTES:
            path.unlink()
            yield {"name": path.stem, "reason": "its document is too long to be kept"}


def _documents_of_plan(step: Step, place: Place) -> Iterator[Json]:
    """Move the documents of a run's directory to the kept ones; what was not measured becomes a step
    with a reason."""
    directory = place.work / step.name
    for path in sorted(directory.glob("results/*.json")):
        shutil.copy(path, place.keep / path.name)
    for path in sorted(directory.glob("*.json")):
        if path.name != "manifest.json":
            shutil.copy(path, place.keep / path.name)  # predictions and validations
    try:
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    prediction = {"name": "prediction", **manifest.get("prediction", {"state": "measured"})}
    for one in (*manifest["measurements"], prediction):
        if one["state"] != "measured":
            reason = place.plain(f"{one['state']}: {one.get('reason', 'no reason given')}")
            yield {"name": one["name"], "reason": reason}


# Running.


def _cause(log: Path) -> str:
    """The first line of an output with an error, else its last line."""
    lines = [one.strip() for one in log.read_text("utf-8", "replace").splitlines() if one.strip()]
    errors = [one for one in lines if re.search(r"\berror\b|cannot|failed", one, re.IGNORECASE)]
    return (errors[:1] or lines[-1:] or ["it printed nothing"])[0][:300]


def _verdict(ending: Ending, log: Path, place: Place) -> str:
    """Why a step failed; empty if it did not."""
    if ending.cause == TIMED_OUT:
        return f"it did not end within {duration(ending.elapsed_s)}"
    if ending.status == 0:
        return ""
    first = "skipped" if ending.status == _SKIPPED else f"exit status {ending.status}"
    return place.plain(f"{first}: {_cause(log)}")


class _Follow:
    """A context that passes on what a step prints."""

    def __init__(self, log: Path, shown: bool) -> None:
        self._log, self._ended = log, threading.Event()
        self._thread = threading.Thread(target=self._pass_on, daemon=True) if shown else None

    def _pass_on(self) -> None:
        self._log.touch()
        with self._log.open("rb") as stream:
            while True:
                last = self._ended.wait(1)
                sys.stderr.write(stream.read().decode("utf-8", "replace"))
                sys.stderr.flush()
                if last:
                    return

    def __enter__(self) -> None:
        if self._thread:
            sys.stderr.write("\n")
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread:
            self._thread.join()


def _carry_out(step: Step, place: Place, signals: Signals) -> Json:
    """Run one step; its entry of steps.json."""
    log = place.work / f"{step.name}.txt"
    command = place.words(step)
    limit = max(180, (2.5 if step.is_plan else 5) * step.seconds)
    with _Follow(log, step.shown):
        try:
            ending = run(command, log, limit, place.environment(), signals)
        except OSError as error:
            return {"name": step.name, "elapsed_s": 0, "reason": f"cannot start {command[0]}: {error.strerror}"}
    if ending.cause not in (ENDED, TIMED_OUT):
        raise Interrupted(ending.cause)
    entry: Json = {"name": step.name, "elapsed_s": round(ending.elapsed_s, 1)}
    entry["command"] = [place.plain(word) for word in command]
    reason = _verdict(ending, log, place)
    return {**entry, "reason": reason} if reason else entry


def has_failed(entry: Json) -> bool:
    """Whether a step went wrong: what a plan leaves out here did not."""
    return "reason" in entry and not entry["reason"].startswith(("left out", "skipped"))


def measure(steps: list[Step], place: Place, progress: Progress) -> list[Json]:
    """Run all steps; their documents are then in `place.keep`. Raises Interrupted."""
    shutil.rmtree(place.work, ignore_errors=True)
    place.keep.mkdir(parents=True)
    entries: list[Json] = []
    with Signals() as signals:
        for step in steps:
            progress.begin(step.name)
            entry = _carry_out(step, place, signals)
            entries.append(entry)
            if step.is_plan:
                entries += _documents_of_plan(step, place)
            what = entry.get("reason", "measured")
            progress.end(step.kind, step.seconds, entry["elapsed_s"], what, "reason" not in entry)
    entries += _shorten_all(place)
    return entries


def record(page: str, entries: list[Json], started: str, elapsed_s: float, place: Place, machine: Json) -> None:
    """Write steps.json beside the documents."""
    document = {"schema": SCHEMA, "page": page, "started": started, "elapsed_s": round(elapsed_s)}
    document |= {**machine, "steps": entries}
    (place.keep / STEPS).write_text(as_text(document), encoding="utf-8")


def replace(kept: Path, place: Place) -> None:
    """Put the new documents in place of the kept ones."""
    fresh, old = kept.with_name(f".{kept.name}.new"), kept.with_name(f".{kept.name}.old")
    for one in (fresh, old):
        shutil.rmtree(one, ignore_errors=True)
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(place.keep, fresh)
    if kept.exists():
        kept.rename(old)
    fresh.rename(kept)
    shutil.rmtree(old, ignore_errors=True)


def began() -> tuple[str, float]:
    """The time of day in UTC, and a clock for the elapsed time."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), time.monotonic()
