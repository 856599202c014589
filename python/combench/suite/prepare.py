"""Prepares a run: plan, allocation, launcher, programs, manifest."""

from __future__ import annotations

import argparse
import dataclasses
import os
import shlex
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from combench.common import catalogue, documents, programs
from combench.common.documents import Json, NewerSchema, read_result
from combench.common.errors import SuiteError, require_modules
from combench.common.files import within
from combench.suite import allocation, launcher, launches, manifest, model, plan, precision
from combench.suite.batch import ATTEMPTS
from combench.suite.directory import require_run
from combench.suite.expand import Measurement, Overrides, expand
from combench.suite.manifest import Manifest
from combench.suite.measure import Setting
from combench.suite.plan import Plan

# An entry in one of these states is not measured again.
_SETTLED = (documents.MEASURED, documents.SKIPPED, documents.FAILED, documents.TIMED_OUT)
_RETRIED = (documents.FAILED, documents.TIMED_OUT)


@dataclass
class Prepared:
    """A run that can begin."""

    plan: Plan
    setting: Setting
    manifest: Manifest
    todo: list[tuple[Measurement, Json]]  # with their entries in the manifest
    ranks: int
    identity: dict[str, str]  # version and revision of the programs
    hostfile: Optional[str]


def _given_overrides(arguments: argparse.Namespace) -> Overrides:
    return Overrides(
        arguments.max_time, arguments.precision, arguments.time_out, arguments.placement
    )


def _new(arguments: argparse.Namespace) -> tuple[Plan, Manifest]:
    if not arguments.plan:
        raise SuiteError(f"no plan is given; name one of {', '.join(plan.shipped())}, or a file")
    chosen = plan.read(arguments.plan, pipes=True)
    asked, design = model.given(arguments), launches.given(arguments)
    if asked is not None and design.seed is None:
        design = dataclasses.replace(design, seed=1)  # equal commands give equal figures
    design = launches.started(design)
    made = manifest.new(chosen.name, chosen.title, _given_overrides(arguments), design)
    if asked is not None:
        made.document[model.KEY] = asked.document
    return chosen, made


def _require_trust(arguments: argparse.Namespace, directory: Path, found: Manifest) -> None:
    """SuiteError for what the manifest, which may be another user's, would let the run do beside
    measuring, unless the command line says the same. `--dry-run` only shows it."""
    if arguments.trust or arguments.dry_run:
        return
    wanted = [] if arguments.variant else [
        f"set {', '.join(one.words)} for variant {one.name}"
        for one in found.design.variants
        if one.settings
    ]
    if found.hostfile and not arguments.hostfile:
        wanted.append(f"start ranks on the hosts of {found.hostfile}")
    if wanted:
        raise SuiteError(
            f"--resume: {directory / documents.MANIFEST} would {' and '.join(wanted)}; add --trust if "
            "you want that, or give the same --variant and --hostfile"
        )


def _earlier(arguments: argparse.Namespace, directory: Path) -> tuple[Plan, Manifest]:
    """Plan and manifest of the directory, which the command line must not contradict."""
    require_run(directory)
    found = manifest.read(directory)
    _require_trust(arguments, directory, found)
    chosen = plan.read(str(within(directory, found.document["plan"]["file"])))
    if arguments.plan and plan.read(arguments.plan, pipes=True).text != chosen.text:
        raise SuiteError(
            f"--resume: the run in {directory} was started with another plan than "
            f"{arguments.plan}; omit the plan, or start a new run in another directory"
        )
    given, kept = vars(_given_overrides(arguments)), vars(found.overrides)
    if any(value is not None and value != kept[key] for key, value in given.items()):
        raise SuiteError(
            f"--resume: the run in {directory} was started with another --max-time, --precision, "
            "--time-out or --placement; omit them, or start a new run in another directory"
        )
    design = launches.resumed(found.design, launches.given(arguments), directory)
    found.document["design"] = design.document()
    model.resumed(found.document, model.given(arguments), directory)
    return chosen, found


def _with_obstacle(one: Measurement, ranks: int, technologies: dict[str, str]) -> Measurement:
    """The measurement with the reason why it cannot be made here, if there is one."""
    obstacle = one.obstacle
    needs = technologies.get(one.technology, "no technology has this name")
    if one.ranks > ranks:
        obstacle = (
            f"it needs {one.ranks} ranks and the run has {ranks}; use a larger allocation, or "
            f"--ranks {one.ranks}"
        )
    elif needs:
        built = ", ".join(name for name, lacking in technologies.items() if not lacking)
        obstacle = (
            f"the technology {one.technology} is not built into the programs ({needs}); they have "
            f"{built}"
        )
    return dataclasses.replace(one, obstacle=obstacle)


def _attempts(arguments: argparse.Namespace) -> int:
    """The maximum number of attempts for a measurement that fails."""
    if arguments.retry:
        return sys.maxsize
    return ATTEMPTS if arguments.batch else 1


def _is_settled(entry: Json, one: Measurement, attempts: int, directory: Path) -> bool:
    """Whether the result of an earlier session is kept; a damaged one is not."""
    if entry["options"] != list(one.words) or entry["state"] not in _SETTLED:
        return False
    if entry["state"] in _RETRIED:
        return int(entry.get("attempts", 1)) >= attempts
    if entry["state"] == documents.MEASURED:
        try:
            read_result(within(directory, entry["result"]))
        except NewerSchema:
            raise
        except SuiteError as error:
            print(f"combench run: {one.title} is measured again: {error}", file=sys.stderr)
            return False
    return True


def _merge(
    known: Manifest, planned: list[Measurement], attempts: int, directory: Path
) -> list[tuple[Measurement, Json]]:
    """Put the planned measurements into the manifest. Returns those that are to be made.

    Results of an earlier session that do not fit the current allocation are kept.
    """
    earlier: dict[str, Json] = {entry["name"]: entry for entry in known.measurements}
    entries, todo = [], []
    for one in planned:
        entry = earlier.pop(one.title, None)
        if entry is None or not _is_settled(entry, one, attempts, directory):
            so_far = (entry or {}).get("attempts", 0)
            entry = {**manifest.entry(one), **({"attempts": so_far} if so_far else {})}
            if not one.obstacle:
                todo.append((one, entry))
        entries.append(entry)
    entries += [entry for entry in earlier.values() if entry["state"] in _SETTLED]
    known.document["measurements"] = entries
    return todo


def _planned(chosen: Plan, known: Manifest, ranks: int, cores: Optional[int]) -> list[Measurement]:
    """The measurements of the plan and, if variants are compared, of the control."""
    planned = list(expand(chosen, ranks, known.overrides, cores))
    if known.design.variants and all(one.section != launches.CONTROL for one in planned):
        control = plan.parse(launches.CONTROL_SECTION, launches.CONTROL)
        planned = launches.with_control(planned, expand(control, ranks, known.overrides, cores))
    names = Counter((one.name, one.variant) for one in planned)
    for (name, _), count in names.items():
        if count > 1:
            raise SuiteError(
                f"plan {chosen.name}: {count} measurements have the name {name}: their technologies have equal "
                "values of different parameters; put them into sections of their own"
            )
    return planned


def _require_programs(setting: Setting, planned: list[Measurement]) -> None:
    """All programs are there, in the folders of all variants."""
    for one in planned:
        try:
            programs.require(setting.programs_of(one), [one.benchmark])
        except SuiteError as error:
            of_variant = f"variant {one.variant}: " if one.variant else ""
            raise SuiteError(f"{of_variant}{error}") from error


def prepare(arguments: argparse.Namespace, directory: Path, entry: Path) -> Prepared:
    """Prepare a run without changing its directory. Raises SuiteError.

    `entry` is the script that was started; programs may be beside it.
    """
    if arguments.programs:
        catalogue.look_in(Path(arguments.programs))
    chosen, known = _earlier(arguments, directory) if arguments.resume else _new(arguments)
    folder = programs.find(arguments.programs, entry, os.environ)
    hostfile = arguments.hostfile or known.hostfile
    here = allocation.of_hostfile(Path(hostfile)) if hostfile else allocation.find(os.environ)
    mpirun, more = (tuple(shlex.split(text)) for text in (arguments.mpirun, arguments.launch))
    hosts = str(Path(hostfile).absolute()) if hostfile else None
    modelled, started_by = model.Model.read(known.document), None
    if modelled is None:
        given_hosts = allocation.for_launcher(Path(hosts)) if hosts else None
        started_by = launcher.find(arguments.launcher, mpirun or ("mpirun",), more, here, given_hosts)
        if more and not arguments.dry_run:
            launcher.try_words(started_by, os.environ)
    asked = arguments.ranks or known.asked_ranks(chosen.ranks)
    ranks = most = asked or max(here.slots, chosen.ranks)
    cores: Optional[int] = here.slots
    technologies = programs.technologies(folder)
    if modelled is not None:
        model.try_model(modelled, folder)
        cores, most = None, asked or sys.maxsize  # each rank has a node of its own
        technologies, chosen = {plan.MODEL: ""}, model.plan_of(chosen)
    planned_all = _planned(chosen, known, ranks, cores)
    if modelled is not None:
        planned_all = [model.in_model(one) for one in planned_all]
    possible = [_with_obstacle(one, most, technologies) for one in planned_all]
    planned = launches.arranged(possible, known.design)
    setting = Setting(directory, folder, started_by, here, os.environ, known.design, modelled)
    _require_programs(setting, planned)
    if known.design.until_pct is not None:
        require_modules(*precision.MODULES)
    todo = _merge(known, planned, _attempts(arguments), directory)
    return Prepared(chosen, setting, known, todo, ranks, programs.identity(folder), hosts)
