"""One evaluation of a trace by ccmod, and how busy each processor and each link was in it."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from combench.errors import FAILED, USAGE, SuiteError

# Kinds of places: inward is from a node into the network. A node's link may have what its two
# directions share.
PROCESSOR, INWARD, OUTWARD, BOTH = "processor", "inward", "outward", "both directions"
_OF_NODE = re.compile(rf"(?:(end|{BOTH}) of )?node ([0-9]+)")


@dataclass(frozen=True)
class Setting:
    """What all evaluations of a prediction have in common."""

    ccmod: Path
    calibration: Path  # a file of ccmod calibrate
    network: str = "crossbar"  # as ccmod's --network has it
    words: tuple[str, ...] = ()  # further options of ccmod run: --share, --mode, --background


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


def ask(command: list[str], about: str, text: str = "") -> str:
    """What ccmod prints. A SuiteError has its own words and its status."""
    try:
        ended = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except OSError as error:
        raise SuiteError(f"cannot run {command[0]}: {error.strerror}; build it here") from error
    if ended.returncode != 0:
        said = ended.stderr.strip().removeprefix("ccmod: error: ") or "it said nothing"
        status = USAGE if ended.returncode == USAGE else FAILED
        raise SuiteError(f"{about}: {said}", status)
    return ended.stdout


def _place_of(link: dict[str, Any]) -> Place:
    name, direction = str(link["name"]), str(link["direction"])
    found = _OF_NODE.fullmatch(name)
    node = int(found.group(2)) if found else None
    kind = BOTH if found and found.group(1) == BOTH else direction
    return Place(f"{name}, {direction}", kind, node)


def read_evaluation(document: dict[str, Any]) -> Evaluation:
    """What a document combench-model/1 tells."""
    made = Evaluation(float(document["end_us"]), int(document["messages"]))
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
        [*command, *setting.words, "-"],
        f"cannot predict on the network {setting.network}",
        trace,
    )
    return read_evaluation(json.loads(said))
