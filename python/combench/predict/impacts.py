"""A victim beside an aggressor, and what the model says of both on one network.

Both traces are evaluated together: the victim's ranks are the first, the aggressor's follow them, and the
ranks of a host share its link. The aggressor repeats its turns for longer than the victim takes.
"""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Sequence

from combench.common import catalogue, programs
from combench.common.documents import Json
from combench.common.errors import SuiteError
from combench.common.figures import at, number
from combench.common.values import option_values
from combench.predict import trace
from combench.predict.case import Case
from combench.predict.cases import Asked, NotPredicted, of_row
from combench.predict.emission import Content, Emissions
from combench.predict.model import EndedFirst, Setting, evaluate
from combench.predict.prediction import Effort, predict
from combench.predict.processes import ask

_LONGER = (4, 16, 64)  # times that the aggressor takes alone / that the victim takes alone
_TURNS = 4  # of the aggressor, for the time of one
_BUSY_PCT = 50.0  # an aggressor that pauses for longer is another load
_STEPS_OF_A_TURN = 1000  # of a farm, whose turns are not in the row
_HOST_LINK = 1000  # bandwidth between the ranks of a host and its link / that of the link
_OWN_NETWORK = "crossbar"


def is_congestion(document: Json) -> bool:
    """Whether the document is of victims beside aggressors."""
    return catalogue.known().benchmark(str(document["benchmark"])).names_others


@dataclass(frozen=True)
class Aggressor:
    """The load, by the words of its command."""

    benchmark: str
    words: tuple[str, ...]  # its options
    ranks: int
    turn_steps: int
    busy_pct: float

    def trace(self, setting: Setting, turns: int) -> str:
        """The trace of a number of turns. SuiteError: the program refuses, for instance several sizes."""
        if "trace-blocks" in catalogue.known().benchmark(self.benchmark).options:
            length = ["--trace-steps", str(self.turn_steps), "--trace-blocks", str(turns)]
        else:
            length = ["--trace-steps", str(self.turn_steps * turns)]
        program = str(programs.path(setting.programs, self.benchmark))
        command = [program, "--emit-trace", "-", *self.words, "--trace-ranks", str(self.ranks), *length]
        return ask(setting.processes, command, "cannot emit the messages of the aggressor")


def _both(victim: str, aggressor: str, setting: _Shared) -> str:
    try:
        return trace.together(victim, aggressor, setting.aggressors)
    except ValueError as error:
        raise SuiteError(f"the traces of victim and aggressor cannot be put together: {error}") from error


class _Together(Emissions):
    """The victim's traces, with the aggressor's turns for longer than they take alone."""

    def __init__(self, setting: _Shared) -> None:
        super().__init__(setting.programs, setting.processes)
        self._setting = setting
        self._victim = Emissions(setting.programs, setting.processes)

    def content(self, case: Case) -> Content:
        return self._victim.content(case)

    def mean_bytes(self, case: Case) -> int:
        return self._victim.mean_bytes(case)

    def trace(self, case: Case, steps: int, blocks: int = 1) -> str:
        setting = self._setting
        others = ""
        if setting.aggressor is not None:
            turns = 1 + math.ceil(setting.turns_of_step * steps * blocks)
            others = setting.aggressor.trace(setting, turns)
        return _both(self._victim.trace(case, steps, blocks), others, setting)


@dataclass(frozen=True)
class _Shared(Setting):
    """The parameters of a prediction on the network of both."""

    aggressor: Aggressor | None = None  # None: the victim is alone
    aggressors: int = 0  # ranks after those of the victim
    turns_of_step: float = 0.0

    @cached_property
    def emissions(self) -> Emissions:
        return _Together(self)


@dataclass(frozen=True)
class Impact:
    """One row of a victim beside an aggressor, with the model's times of a step."""

    victim: str
    aggressor: str
    what: str
    measured_us: tuple[float, float]  # alone, beside
    impact: float
    interval: tuple[float, float] | None
    predicted_us: tuple[float, float]
    oversubscribed: bool

    @property
    def predicted(self) -> float:
        return self.predicted_us[1] / self.predicted_us[0]

    @property
    def error_pct(self) -> float:
        return 100 * (self.predicted / self.impact - 1)

    def document(self) -> Json:
        names = ("alone_us", "beside_us", "impact")
        measured = dict(zip(names, (*self.measured_us, self.impact)))
        if self.interval is not None:
            measured["interval"] = list(self.interval)
        return {
            "victim": self.victim,
            "aggressor": self.aggressor,
            "what": self.what,
            "measured": measured,
            "predicted": dict(zip(names, (*self.predicted_us, self.predicted))),
            "error_pct": self.error_pct,
            "oversubscribed": self.oversubscribed,
        }

    def text(self) -> str:
        interval = " ({:.3g} to {:.3g})".format(*self.interval) if self.interval else ""
        marks = " *" if self.oversubscribed else ""
        return (
            f"{self.victim} beside {self.aggressor}: impact on the mean predicted {self.predicted:.3g}, "
            f"measured {self.impact:.3g}{interval}, error {self.error_pct:+.1f} %{marks}\n"
            f"  time alone predicted {self.predicted_us[0]:.5g} us, measured {self.measured_us[0]:.5g} us; "
            f"beside predicted {self.predicted_us[1]:.5g} us, measured {self.measured_us[1]:.5g} us"
        )


def _teams(document: Json, row: Json) -> tuple[list[int], list[int]]:
    """The hosts of the victim's ranks and of the aggressor's, in the order of their parts. NotPredicted:
    the document does not tell them, or a part sends within a host."""
    ranks = document["environment"]["ranks"]
    if row["aggressor_placement"] == "apart":
        first: dict[int, int] = {}
        for one in ranks:
            first.setdefault(one["host"], one["rank"])
        ranks = sorted(ranks, key=lambda one: first[one["host"]])
    victims, aggressors = (
        [int(one["host"]) for one in ranks if one.get("role") == role]
        for role in ("victim", "aggressor")
    )
    if (len(victims), len(aggressors)) != (row["processors"], row["aggressor_ranks"]):
        raise NotPredicted(
            "the document has the ranks of its last measurement only; give one --aggressor-ranks"
        )
    if any(len(set(team)) < len(team) for team in (victims, aggressors)):
        raise NotPredicted(
            "several ranks of the victim or of the aggressor share a host, and the model has no messages "
            "within hosts"
        )
    return victims, aggressors


def network(victims: Sequence[int], aggressors: Sequence[int]) -> str:
    """The topology file of one switch, to which each host has a link that its ranks share."""
    hosts = [*victims, *aggressors]
    names = {host: f"host{number}" for number, host in enumerate(dict.fromkeys(hosts))}
    lines = ["%network 1", f"nodes {len(hosts)}", f"switch {' '.join(names.values())} center"]
    lines += [f"link {node} {names[host]} bandwidth_MBps={_HOST_LINK}" for node, host in enumerate(hosts)]
    lines += [f"link {name} center bandwidth_MBps=1" for name in names.values()]
    return "\n".join([*lines, "reference bandwidth_MBps=1", ""])


def _parameters(words: Sequence[str]) -> dict[str, str | int]:
    """The options of a command, by the keys that a result of the program has."""
    given = option_values(words)
    found: dict[str, str | int] = {}
    for option in catalogue.known().options:
        value = given.get(f"--{option.name}")
        if value is not None and option.key:
            found[option.key] = int(value) if value.isdigit() else value
    return found


def _victim(document: Json, row: Json) -> Asked:
    name, *words = str(row["victim"]).split()
    about = {"benchmark": name, "technology": document["technology"], "parameters": _parameters(words)}
    return of_row(about, row)


def _aggressor(row: Json) -> Aggressor:
    """NotPredicted: it sends nothing, or at a rate."""
    name, *words = str(row["aggressor"]).split()
    if name not in catalogue.known().benchmarks:
        raise NotPredicted("the aggressor sends nothing")
    if "aggressor_rate_Hz" in row or "--rate" in option_values(words):
        raise NotPredicted("the model has no aggressor at a rate")
    busy_pct = float(row.get("aggressor_busy_pct", 0.0))
    if busy_pct < _BUSY_PCT:
        raise NotPredicted(
            f"the aggressor was in a turn for {busy_pct:.0f} % of the time only"
        )
    steps = round(row.get("aggressor_turn_steps", _STEPS_OF_A_TURN))
    return Aggressor(name, tuple(words), int(row["aggressor_ranks"]), max(1, steps), busy_pct)


def _time_us(case: Case, setting: _Shared, effort: Effort, block_steps: float) -> float:
    return predict(case, setting, effort, 0.0, round(block_steps)).step_us / case.step.divisor


def _beside_us(
    case: Case, setting: _Shared, effort: Effort, alone_us: float, block_steps: float
) -> float:
    """SuiteError: the aggressor ends first, however long it is."""
    assert setting.aggressor is not None
    idle = f"%cct 1 ranks {setting.timed_ranks} unit us\n"
    text = _both(idle, setting.aggressor.trace(setting, _TURNS), setting)
    turn_us = evaluate(replace(setting, timed_ranks=None), text, 1).end_us / _TURNS
    for longer in _LONGER:
        try:
            ahead = replace(setting, turns_of_step=longer * alone_us * case.step.divisor / turn_us)
            return _time_us(case, ahead, effort, block_steps)
        except EndedFirst:
            continue
    raise SuiteError(f"the aggressor ends first also if it takes {_LONGER[-1]} times as long as the victim")


def _with_pauses_us(alone_us: float, beside_us: float, busy_pct: float) -> float:
    """The mean time of a step beside an aggressor that pauses: while it does, steps take as long as alone."""
    busy = busy_pct / 100
    return 1 / (busy / beside_us + (1 - busy) / alone_us)


def _compare(document: Json, row: Json, setting: Setting, effort: Effort, folder: Path) -> Impact:
    if setting.network != _OWN_NETWORK:
        raise NotPredicted(
            f"the hosts of both are placed on one switch only; use --network {_OWN_NETWORK}"
        )
    measured = tuple(number(at(row, f"{key}.mean")) or 0.0 for key in ("alone_us", "beside_us"))
    impact = number(at(row, "impact_mean.value"))
    if impact is None or min(measured) <= 0 or "block_steps" not in row:
        raise NotPredicted("the row has no impact on the mean, or no steps of a block")
    asked = _victim(document, row)
    if asked.rate_hz:
        raise NotPredicted("of an open loop there is no mean")
    aggressor = _aggressor(row)
    victims, aggressors = _teams(document, row)
    path = folder / "both.network"
    path.write_text(network(victims, aggressors), encoding="ascii")
    shared = _Shared(
        setting.programs, setting.calibration, str(path), setting.words, setting.processes,
        timed_ranks=len(victims), aggressors=len(aggressors),
    )  # fmt: skip
    steps = row["block_steps"]
    alone_us = _time_us(asked.case, shared, effort, steps["alone"])
    beside = replace(shared, aggressor=aggressor)
    beside_us = _beside_us(asked.case, beside, effort, alone_us, steps["beside"])
    beside_us = _with_pauses_us(alone_us, beside_us, aggressor.busy_pct)
    low, high = at(row, "impact_mean.interval") or (None, None)
    return Impact(
        victim=str(row["victim"]),
        aggressor=str(row["aggressor"]),
        what=asked.describe(),
        measured_us=(measured[0], measured[1]),
        impact=impact,
        interval=None if low is None or high is None else (low, high),
        predicted_us=(alone_us, beside_us),
        oversubscribed=asked.oversubscribed,
    )


def compare_impacts(
    documents: Sequence[tuple[Path, Json]], setting: Setting, effort: Effort = Effort()
) -> tuple[list[Impact], list[dict[str, str]]]:
    """Each victim beside an aggressor with its prediction, and what cannot be predicted, with reasons."""
    found: list[Impact] = []
    left_out: list[dict[str, str]] = []
    rows = [(one, row) for _, one in documents if is_congestion(one) for row in one["results"]]
    with tempfile.TemporaryDirectory(prefix="combench-impacts-") as folder:
        for document, row in rows:
            try:
                found.append(_compare(document, row, setting, effort, Path(folder)))
            except (NotPredicted, SuiteError) as error:
                what = f"{row.get('victim')} beside {row.get('aggressor')}"
                left_out.append({"benchmark": str(document["benchmark"]), "what": what, "reason": str(error)})
    return found, left_out
