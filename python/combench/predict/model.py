"""Evaluation of a trace by ccmod, with the busy time of each processor and link."""

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

# Kinds of places. INWARD is from a node into the network. BOTH is capacity that the two directions
# of a node's link share.
PROCESSOR, INWARD, OUTWARD, BOTH = "processor", "inward", "outward", "both directions"
# Link sharing rules of ccmod --share, the default first. docs/development/validation.md compares their errors.
SHARE_RULES = ("fifo", "maxmin", "bottleneck")
CCMOD = "ccmod"
_OF_NODE = re.compile(rf"(?:(end|{BOTH}) of )?node ([0-9]+)")


@dataclass(frozen=True)
class Setting:
    """The parameters that all evaluations of a prediction share."""

    programs: Path  # the folder of the programs
    calibration: Path  # a file of ccmod calibrate
    network: str = "crossbar"  # value of ccmod --network
    words: tuple[str, ...] = ()  # further options of ccmod run: --share, --mode, --background
    processes: Processes = field(default_factory=Processes)
    # The number of first ranks that are predicted, beside others that have to take longer; None: all.
    timed_ranks: int | None = None

    @cached_property
    def emissions(self) -> Emissions:
        return Emissions(self.programs, self.processes)


@dataclass(frozen=True)
class Place:
    """A resource that can saturate: a processor, a node's link, or a link in the network."""

    name: str  # from ccmod
    kind: str
    node: int | None  # the rank; None within the network


class EndedFirst(SuiteError):
    """Ranks beside those that are timed end before these do."""


@dataclass
class Evaluation:
    end_us: float
    messages: int
    network: str = ""  # from ccmod, with the parameters that it chose: the radix of a fat tree
    # Busy time of each place, without waiting.
    work_us: dict[Place, float] = field(default_factory=dict)
    losses: dict[str, int] = field(default_factory=dict)  # with share rule tcp


def find(folder: Path) -> Path:
    """The path of ccmod in the folder of the programs."""
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
    """Let ccmod check the values of its options (None: not given) for `ranks` ranks before any case
    is evaluated. A SuiteError names the first invalid option."""
    idle = f"%cct 1 ranks {ranks} unit us\n"
    # Some networks need a calibration, which may not exist yet: substitute a valid one.
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


def read_evaluation(document: dict[str, Any], timed_ranks: int | None = None) -> Evaluation:
    """The evaluation in a document combench-model/1. EndedFirst: others than the timed ranks did."""
    network, whole_us = str(document["network"]["name"]), float(document["end_us"])
    made = Evaluation(whole_us, int(document["messages"]), network)
    made.losses = dict(document.get("losses", {}))
    timed = document["processors"]
    if timed_ranks is not None:
        timed, others = timed[:timed_ranks], timed[timed_ranks:]
        made.end_us = max(float(one["clock_us"]) for one in timed)
        sending = (one for one in others if one["send_us"] + one["receive_us"] + one["wait_us"] > 0)
        if any(one["clock_us"] < made.end_us for one in sending):
            raise EndedFirst("the ranks beside those that are timed end first")
    for one in timed:
        place = Place(f"rank {one['rank']}", PROCESSOR, int(one["rank"]))
        made.work_us[place] = one["send_us"] + one["compute_us"]
    for link in document["links"]:
        place = _place_of(link)
        if timed_ranks is None or place.node is None or place.node < timed_ranks:
            # Utilisation accounts for the width of the link.
            made.work_us[place] = link["utilisation"] * whole_us
    return made


def evaluate(setting: Setting, trace: str, seed: int) -> Evaluation:
    """Evaluate the trace on the network of the setting. SuiteError: ccmod failed."""
    command = [str(setting.programs / CCMOD), "run", "--format", "json", "--seed", str(seed)]
    command += ["--calibration", str(setting.calibration), "--network", setting.network]
    said = ask(
        setting.processes,
        [*command, *setting.words, "-"],
        f"cannot predict on the network {setting.network}",
        trace,
    )
    return read_evaluation(json.loads(said), setting.timed_ranks)
