"""Measure what a plan lists, one start of mpirun or srun after the other.

PLAN is the name of a plan that comes with combench (quick, note48, parkbench, full, scaling, farms)
or a file. Results, logs and a manifest are in one directory, whole at any time: what was
interrupted goes on with --resume.
"""

from __future__ import annotations

import argparse
import socket
import sys
from pathlib import Path
from typing import TextIO

from combench.common import documents, values
from combench.common.errors import FAILED, MEASURED, SKIPPED, SuiteError
from combench.common.files import ROOM, write_json, write_text
from combench.common.progress import Progress, duration
from combench.common.values import checked
from combench.suite import manifest as manifests
from combench.suite import plan as plans
from combench.suite.allocation import describe
from combench.suite.batch import requeue
from combench.suite.directory import Lock, directory_of, has_room, make_directories, require_run
from combench.suite.launcher import PLACEMENTS
from combench.suite.measure import begin, measure
from combench.suite.prepare import Prepared, prepare
from combench.suite.process import Signals


# Of the manual page.
SECTIONS = (
    (
        "PLANS",
        (
            "A plan has lines KEY = VALUE. What stands before the first [SECTION] holds for all of "
            "them; a section is one benchmark. # begins a comment.",
            "Each value of technologies, of the number of processes, of occupations, waits and "
            "buffers, with each of the others, is one start of a program; sizes and algorithms are "
            "measured within a start.",
            *((name, key.help) for name, key in plans.KEYS.items()),
        ),
    ),
    (
        "SIGNALS",
        (
            "SIGINT, SIGTERM and SIGHUP end the measurement that runs and close the manifest; go "
            "on with --resume. With --batch SIGTERM, by which Slurm announces the end of a job, "
            "has the job put back into the queue, unless no measurement came to its end.",
        ),
    ),
    (
        "FILES",
        (
            ("DIR/manifest.json", "what became of each measurement, and where it lies"),
            ("DIR/results, DIR/logs", "a document and an output for each start"),
            ("slurm/*.sbatch", "in the folder of combench's data: jobs for Slurm"),
        ),
    ),
)
EXIT_STATUS = (
    "0 all is measured or skipped for want of a capability; 1 something failed, timed out or was "
    "interrupted; 2 wrong before the first measurement; 77 nothing could be measured."
)
SEE_ALSO = ("combench-compare", "combench-parkbench", "combench-report")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("plan", metavar="PLAN", nargs="?", help=f"{', '.join(plans.shipped())}, or a file")
    add("--output", metavar="DIR", help="where results go; without it combench-PLAN-TIME")
    add("--resume", action="store_true", help="go on with what an earlier run left in --output")
    add("--retry", action="store_true", help="with --resume: try again what failed or timed out")
    add(
        "--batch",
        action="store_true",
        help="for a batch job: begin, or go on with what --output holds; what failed is tried once "
        "more; when SIGTERM says that the time ends, Slurm is told to put the job back into its "
        "queue",
    )
    add("--dry-run", action="store_true", help="print the commands, and how long they may take")
    add(
        "--ranks",
        type=checked(values.rank_count),
        metavar="N",
        help="start at most so many ranks, on shared cores where there are fewer; without it as "
        "many as the allocation has cores, or as the plan needs",
    )
    add("--max-time", type=checked(values.max_time_s), metavar="S", help="in place of the plan's")
    add("--precision", type=checked(values.precision_pct), metavar="PCT", help="the same")
    add("--time-out", type=checked(values.timeout_s), metavar="S", help="end a start after so long")
    add("--placement", choices=PLACEMENTS, help="over several hosts, in place of the plan's")
    add("--launcher", choices=("auto", "mpirun", "srun"), default="auto", help="what starts ranks")
    add("--mpirun", metavar="COMMAND", default="mpirun", help="the mpirun of the programs' MPI")
    add(
        "--hostfile",
        metavar="FILE",
        help="hosts for mpirun, HOST slots=4 or for MPICH HOST:4; they are the allocation",
    )
    add("--launch", metavar="WORDS", default="", help="more words for mpirun or srun")
    add("--programs", metavar="DIR", help="where the benchmark programs are")


def _announce(prepared: Prepared, stream: TextIO) -> None:
    """How much there is to do, and on what."""
    setting, count = prepared.setting, prepared.manifest.count
    rows = sum(one.rows for one, _ in prepared.todo)
    expected_s = sum(one.expected_s for one, _ in prepared.todo)
    print(
        f"# plan {prepared.plan.name}: starts: {len(prepared.todo)}, measurements: up to {rows}, "
        f"about {duration(expected_s)}, longer on a busy machine; up to {prepared.ranks} ranks on "
        f"{describe(setting.allocation)}",
        file=stream,
    )
    if count(documents.LEFT_OUT):
        print(f"# {count(documents.LEFT_OUT)} are left out, see below or the manifest", file=stream)


def _dry_run(arguments: argparse.Namespace) -> int:
    """The commands on standard output; nothing is made or changed."""
    prepared = prepare(arguments, directory_of(arguments), Path(sys.argv[0]).resolve())
    _announce(prepared, sys.stdout)
    for one, _ in prepared.todo:
        print(manifests.command_text(prepared.setting.command(one)))
    for entry in prepared.manifest.measurements:
        if entry["state"] == documents.LEFT_OUT:
            print(f"# left out: {entry['name']}: {entry['reason']}")
    return MEASURED


def _session(prepared: Prepared) -> documents.Json:
    """What the manifest says of this start of the driver."""
    allocation, launcher = prepared.setting.allocation, prepared.setting.launcher
    session: documents.Json = {
        "host": socket.gethostname(),
        "command": list(sys.argv),
        "allocation": {
            "kind": allocation.kind,
            "slots": allocation.slots,
            "hosts": allocation.hosts,
        },
        "ranks": prepared.ranks,
        "launcher": {"kind": launcher.kind, "command": [*launcher.command, *launcher.more]},
        "programs": str(prepared.setting.programs),
    }
    session.update(prepared.identity)
    if prepared.hostfile:
        session["hostfile"] = prepared.hostfile
    if allocation.job:
        session["allocation"]["job"] = allocation.job
    return session


def _write_manifest(prepared: Prepared) -> None:
    path = prepared.setting.directory / documents.MANIFEST
    write_json(path, prepared.manifest.document, f"{ROOM}, and go on with --resume")


def _write_first(prepared: Prepared) -> None:
    """Plan and manifest. Where there is no manifest yet there is nothing to go on with, and what
    was written goes, so that the run can be started again."""
    directory = prepared.setting.directory
    plan = directory / prepared.manifest.document["plan"]["file"]
    if (directory / documents.MANIFEST).exists():
        _write_manifest(prepared)
        return
    try:
        remedy = f"{ROOM}, and start the run again"
        write_text(plan, prepared.plan.text, remedy)
        write_json(directory / documents.MANIFEST, prepared.manifest.document, remedy)
    except SuiteError:
        plan.unlink(missing_ok=True)
        raise


def _measure_all(prepared: Prepared, signals: Signals, lock: Lock) -> str:
    """All that is to do; why it stopped before the end, and nothing when it did not."""
    progress = Progress(sys.stderr, ((one.kind, one.expected_s) for one, _ in prepared.todo))
    for one, entry in prepared.todo:
        reason = signals.end_asked() or ""
        if not reason and not has_room(prepared.setting.directory):
            reason = f"there is no room left on the disk of {prepared.setting.directory}"
        if reason:
            return reason
        begin(one, entry, prepared.setting)
        _write_manifest(prepared)
        progress.begin(one.name)
        reason = measure(one, entry, prepared.setting, signals, lock.descriptor)
        whole = entry["state"] == documents.MEASURED
        came = f"{entry['rows']} rows" if whole else f"{entry['state']}: {entry.get('reason', '')}"
        progress.end(one.kind, one.expected_s, entry.get("elapsed_s", 0.0), came, whole)
        _write_manifest(prepared)
        if reason:
            return reason
    return ""


def _run(prepared: Prepared, signals: Signals, lock: Lock) -> str:
    """A session from its note in the manifest to its end there."""
    manifest = prepared.manifest
    manifest.begin_session(_session(prepared))
    _write_first(prepared)
    reason = _measure_all(prepared, signals, lock)
    manifest.end_session(reason)
    _write_manifest(prepared)
    return reason


def _summary(prepared: Prepared, stopped: str) -> list[str]:
    """The lines at the end."""
    manifest, directory = prepared.manifest, prepared.setting.directory
    counts = [
        f"{manifest.count(state)} {state}" for state in documents.STATES if manifest.count(state)
    ]
    lines = [f"{', '.join(counts)}; results in {directory}"]
    for entry in manifest.measurements:
        if entry["state"] in (documents.FAILED, documents.TIMED_OUT):
            output = f"; its output is {directory / entry['log']}" if "log" in entry else ""
            lines.append(f"{entry['state']}: {entry['name']}: {entry['reason']}{output}")
    again = f"combench run --resume --output {manifests.command_text([str(directory)])}"
    if stopped:
        lines.append(f"stopped: {stopped}; go on with {again}")
    elif manifest.count(documents.FAILED, documents.TIMED_OUT):
        lines.append(f"try again with {again} --retry")
    return lines


def _status(manifest: manifests.Manifest, stopped: str) -> int:
    if stopped or manifest.count(documents.FAILED, documents.TIMED_OUT):
        return FAILED
    return MEASURED if manifest.count(documents.MEASURED) else SKIPPED


def _requeue(prepared: Prepared, stopped: str) -> None:
    said = requeue([entry for _, entry in prepared.todo], stopped, prepared.setting.environment)
    if said:
        print(said, flush=True)


def _begin(arguments: argparse.Namespace, directory: Path) -> tuple[Prepared, Lock]:
    """A directory of its own for a new run, or that of an earlier one, whose state only the holder
    of the lock may read."""
    entry = Path(sys.argv[0]).resolve()
    if arguments.resume:
        require_run(directory)
        lock = Lock(directory)
        return prepare(arguments, directory, entry), lock
    prepared = prepare(arguments, directory, entry)
    make_directories(directory)
    lock = Lock(directory)
    if (directory / documents.MANIFEST).exists():
        raise SuiteError(
            f"--output {directory} already holds a run; continue it with --resume, or choose another --output"
        )
    return prepared, lock


def main(arguments: argparse.Namespace) -> int:
    """Exit status 0: measured; 1: something failed or a signal came; 2: wrong before the first
    measurement; 77: nothing could be measured here."""
    if arguments.retry and not arguments.resume:
        raise SuiteError("--retry goes with --resume; give both, or neither")
    directory = directory_of(arguments)
    if arguments.batch and (directory / documents.MANIFEST).exists():
        arguments.resume = True
    if arguments.dry_run:
        return _dry_run(arguments)
    prepared, lock = _begin(arguments, directory)
    _announce(prepared, sys.stderr)
    with Signals() as signals:
        stopped = _run(prepared, signals, lock)
        lock.release()
        # A job that goes back into the queue is ended, so everything else comes first.
        print("\n".join(_summary(prepared, stopped)), flush=True)
        if arguments.batch:
            _requeue(prepared, stopped)
    return _status(prepared.manifest, stopped)
