"""One evaluation of a trace by ccmod, and how busy each processor and each link was in it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence

from combench.common.errors import FAILED, USAGE, SuiteError

# Kinds of places: inward is from a node into the network. A node's link may have what its two
# directions share.
PROCESSOR, INWARD, OUTWARD, BOTH = "processor", "inward", "outward", "both directions"
# How messages share links, as ccmod's --share; the first unless one is asked for. ccmod has the
# article's rule in its place: docs/development/validation.md has which one is how far off.
SHARE_RULES = ("fifo", "maxmin", "bottleneck")
_OF_NODE = re.compile(rf"(?:(end|{BOTH}) of )?node ([0-9]+)")


class Ended(SuiteError):
    """What was asked for will not come any more."""


class Processes:
    """Those of a prediction: so many at a time, in any threads; and all of them can be ended."""

    def __init__(self, at_a_time: int = 1) -> None:
        self.at_a_time = at_a_time
        self._places = threading.Semaphore(at_a_time)
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._over = False

    def _start(self, command: Sequence[str]) -> subprocess.Popen[str]:
        with self._lock:
            if self._over:
                raise Ended(f"{command[0]} is not run: all is being ended", FAILED)
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
            self._running.add(process)
            return process

    def run(self, command: Sequence[str], text: str) -> tuple[int, str, str]:
        """With that text as its input; its status, its output, its errors. OSError when it cannot
        be started, Ended behind `end`."""
        with self._places:
            with self._start(command) as process:
                try:
                    said, errors = process.communicate(text)
                finally:
                    with self._lock:
                        self._running.discard(process)
            if self._over:
                raise Ended(f"{command[0]} was ended", FAILED)
            return process.returncode, said, errors

    def end(self) -> None:
        """What runs is killed, and nothing starts any more."""
        with self._lock:
            self._over = True
            for process in self._running:
                process.kill()


@dataclass(frozen=True)
class Setting:
    """What all evaluations of a prediction have in common."""

    ccmod: Path
    calibration: Path  # a file of ccmod calibrate
    network: str = "crossbar"  # as ccmod's --network has it
    words: tuple[str, ...] = ()  # further options of ccmod run: --share, --mode, --background
    processes: Processes = field(default_factory=Processes, compare=False)


@dataclass(frozen=True)
class Place:
    """What can be full: a processor, a node's link in one direction, or a link in the network."""

    name: str  # as ccmod has it
    kind: str
    node: int | None  # the rank; None within the network


@dataclass
class Evaluation:
    end_us: float
    messages: int
    network: str = ""  # as ccmod has it, with all that it chose by itself: the radix of a fat tree
    # How long each place would take for its part alone, without waiting for anything.
    work_us: dict[Place, float] = field(default_factory=dict)


def find(folder: Path) -> Path:
    """The program ccmod in the folder of the programs."""
    program = folder / "ccmod"
    if not program.is_file():
        raise SuiteError(
            f"cannot find the program ccmod in {folder}; build all programs with scripts/build, or "
            "name another folder with --programs"
        )
    return program


def ask(processes: Processes, command: list[str], about: str, text: str = "") -> str:
    """What ccmod prints. A SuiteError has its own words and its status."""
    try:
        status, said, errors = processes.run(command, text)
    except OSError as error:
        raise SuiteError(f"cannot run {command[0]}: {error.strerror}; build it here") from error
    if status != 0:
        silent = f"{signal.Signals(-status).name} ended it" if status < 0 else "it said nothing"
        reason = errors.strip().removeprefix("ccmod: error: ") or silent
        raise SuiteError(f"{about}: {reason}", USAGE if status == USAGE else FAILED)
    return said


def check_options(
    processes: Processes, ccmod: Path, options: dict[str, str | None], ranks: int
) -> None:
    """Have ccmod look at what its options are given (None: nothing) for so many ranks, and evaluate
    nothing. A SuiteError names the first that it refuses, so that no case has to find it out."""
    idle = f"%cct 1 ranks {ranks} unit us\n"
    # A calibration that is yet to be made will be right, and some networks ask for one.
    seen = ["--latency-us", "1"] if options["--calibration"] is None else []
    for option, value in options.items():
        if value is not None:
            seen += [option, value]
            command = [str(ccmod), "run", "--check", *seen, "-"]
            ask(processes, command, f"cannot predict with {option} {value}", idle)


def _place_of(link: dict[str, Any]) -> Place:
    name, direction = str(link["name"]), str(link["direction"])
    found = _OF_NODE.fullmatch(name)
    node = int(found.group(2)) if found else None
    kind = BOTH if found and found.group(1) == BOTH else direction
    return Place(f"{name}, {direction}", kind, node)


def read_evaluation(document: dict[str, Any]) -> Evaluation:
    """What a document combench-model/1 tells."""
    network = str(document["network"]["name"])
    made = Evaluation(float(document["end_us"]), int(document["messages"]), network)
    for one in document["processors"]:
        place = Place(f"rank {one['rank']}", PROCESSOR, int(one["rank"]))
        made.work_us[place] = one["send_us"] + one["compute_us"]
    for link in document["links"]:
        # A link that is twice as wide needs half of the time for its work.
        made.work_us[_place_of(link)] = link["utilisation"] * made.end_us
    return made


def evaluate(setting: Setting, trace: str, seed: int) -> Evaluation:
    """The trace on the setting's network. SuiteError: what ccmod refuses."""
    command = [str(setting.ccmod), "run", "--format", "json", "--seed", str(seed)]
    command += ["--calibration", str(setting.calibration), "--network", setting.network]
    said = ask(
        setting.processes,
        [*command, *setting.words, "-"],
        f"cannot predict on the network {setting.network}",
        trace,
    )
    return read_evaluation(json.loads(said))
