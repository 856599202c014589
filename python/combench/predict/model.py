"""One evaluation of a trace by ccmod, and how busy each processor and each link was in it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from combench.common.errors import SuiteError
from combench.predict.emission import Emissions
from combench.predict.processes import Processes, ask

# Kinds of places: inward is from a node into the network. A node's link may have what its two
# directions share.
PROCESSOR, INWARD, OUTWARD, BOTH = "processor", "inward", "outward", "both directions"
# How messages share links, as ccmod's --share; the first unless one is asked for. ccmod has the
# article's rule in its place: docs/development/validation.md has which one is how far off.
SHARE_RULES = ("fifo", "maxmin", "bottleneck")
CCMOD = "ccmod"
_OF_NODE = re.compile(rf"(?:(end|{BOTH}) of )?node ([0-9]+)")


@dataclass(frozen=True)
class Setting:
    """What all evaluations of a prediction have in common."""

    programs: Path  # the folder that has all of them
    calibration: Path  # a file of ccmod calibrate
    network: str = "crossbar"  # as ccmod's --network has it
    words: tuple[str, ...] = ()  # further options of ccmod run: --share, --mode, --background
    processes: Processes = field(default_factory=Processes)

    @cached_property
    def emissions(self) -> Emissions:
        return Emissions(self.programs, self.processes)


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
    program = folder / CCMOD
    if not program.is_file():
        raise SuiteError(
            f"cannot find the program {CCMOD} in {folder}; build all programs with scripts/build, "
            "or name another folder with --programs"
        )
    return program


def check_options(
    processes: Processes, ccmod: Path, options: dict[str, str | None], ranks: int
) -> None:
    """Have ccmod look at what its options are given (None: nothing) for `ranks` ranks, and evaluate
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
    command = [str(setting.programs / CCMOD), "run", "--format", "json", "--seed", str(seed)]
    command += ["--calibration", str(setting.calibration), "--network", setting.network]
    said = ask(
        setting.processes,
        [*command, *setting.words, "-"],
        f"cannot predict on the network {setting.network}",
        trace,
    )
    return read_evaluation(json.loads(said))
