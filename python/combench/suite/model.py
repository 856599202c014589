"""A run in a model of a network: the programs start directly, and all ranks are in one process."""

from __future__ import annotations

import argparse
import dataclasses
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from combench.common import catalogue, programs
from combench.common.documents import Json
from combench.common.errors import SuiteError
from combench.common.values import option_values
from combench.suite.expand import Measurement
from combench.suite.plan import MODEL, Over, Plan

KEY = "model"  # in the manifest
_TRIAL_LIMIT_S = 60
_OF_HOSTS = ("hostfile", "launch", "placement", "variant")  # options of a job that has hosts


@dataclass(frozen=True)
class Model:
    calibration: str
    network: Optional[str] = None  # None: the default of the programs
    share: Optional[str] = None
    switch_buffer: Optional[str] = None
    background: Optional[str] = None
    group_send: Optional[str] = None

    @property
    def words(self) -> list[str]:
        """Options for the programs."""
        given = {"model": self.calibration, **{name: getattr(self, name) for name in OPTIONS}}
        return [word for name, value in given.items() if value for word in (option_of(name), value)]

    @property
    def document(self) -> Json:
        """For the manifest."""
        return {name: value for name, value in vars(self).items() if value}

    @classmethod
    def read(cls, document: Json) -> Optional[Model]:
        """Of a manifest; None where hosts are measured."""
        made = document.get(KEY)
        names = (field.name for field in dataclasses.fields(cls))
        return cls(*(made.get(name) for name in names)) if made else None

    def options(self, one: Measurement, seed: int) -> list[str]:
        """Options of a measurement. Each launch has a seed of its own."""
        first = int(option_values(one.words).get("--seed", seed))
        return [*self.words, "--ranks", str(one.ranks), "--seed", str(first + one.launch - 1)]


# Members that are options of the same name, of combench run and of the programs.
OPTIONS = tuple(field.name for field in dataclasses.fields(Model))[1:]


def option_of(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def given(arguments: argparse.Namespace) -> Optional[Model]:
    """The model of the command line. Raises SuiteError."""
    if arguments.model is None:
        for name in OPTIONS:
            if getattr(arguments, name) is not None:
                raise SuiteError(f"{option_of(name)} describes a model, and there is none; add --model FILE")
        return None
    for name in _OF_HOSTS:
        if getattr(arguments, name):
            raise SuiteError(f"--{name} has no meaning in a model, which has no hosts; omit it")
    return Model(str(Path(arguments.model).absolute()), *(getattr(arguments, name) for name in OPTIONS))


def resumed(document: Json, asked: Optional[Model], directory: Path) -> Optional[Model]:
    """The model of a run that is continued: a run is measured or in one model, never both."""
    kept = Model.read(document)
    if asked is not None and asked != kept:
        how = "in another model" if kept else "on hosts, not in a model"
        raise SuiteError(
            f"--resume: the run in {directory} was started {how}; omit --model and what describes "
            "it, or start a new run in another directory"
        )
    return kept


def plan_of(plan: Plan) -> Plan:
    """The plan with the model in the place of each section's technologies, and no prediction of it."""
    sections = (
        dataclasses.replace(one, values={**one.values, "technologies": (Over(MODEL),)})
        for one in plan.sections
    )
    return dataclasses.replace(plan, sections=tuple(sections), predicted=())


def in_model(one: Measurement) -> Measurement:
    """The measurement without `--compute none`, which is what a model has, or with its obstacle."""
    words = list(one.words)
    if not one.is_occupied and "--compute" in words:
        at = words.index("--compute")
        del words[at : at + 2]
    if one.is_occupied:
        obstacle = "a model has no cores that a computing task could use (--compute)"
        return dataclasses.replace(one, obstacle=one.obstacle or obstacle)
    return dataclasses.replace(one, words=tuple(words))


def try_model(model: Model, folder: Path) -> None:
    """Raises SuiteError with the program's message when it cannot use the model."""
    with tempfile.TemporaryDirectory(prefix="combench-") as there:
        smallest = next(iter(catalogue.known().benchmarks))  # of two ranks
        words = [str(programs.path(folder, smallest)), *model.words, "--ranks", "2", "--sizes", "0"]
        words += ["--max-time", "0.01", "--output", f"{there}/result.json"]
        try:
            ended = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True, errors="replace", timeout=_TRIAL_LIMIT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SuiteError(f"cannot run {words[0]} in a model: {error}") from error
    if ended.returncode != 0:
        said = ended.stderr.strip().split("\n")[0].partition("error: ")
        raise SuiteError(said[2] or said[0] or f"{words[0]} exited with status {ended.returncode}")
