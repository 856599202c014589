"""Run the benchmarks of a plan, one start of mpirun or srun after the other.

PLAN is the name of a plan that comes with combench, or a file.
Results, logs and a manifest are written to one directory; --resume continues an interrupted run.
"""

from __future__ import annotations

import argparse
import socket
import sys
from pathlib import Path
from typing import Optional, TextIO

from combench.common import documents, values
from combench.common.catalogue import CALIBRATION
from combench.common.errors import FAILED, MEASURED, SKIPPED, SuiteError
from combench.common.files import ROOM, write_json, write_text
from combench.common.progress import Progress, duration
from combench.common.values import checked
from combench.suite import judging, launches
from combench.suite import manifest as manifests
from combench.suite import plan as plans
from combench.suite import precision, prediction, preflight
from combench.suite.allocation import describe
from combench.suite.batch import requeue
from combench.suite.directory import Lock, directory_of, has_room, make_directories, require_run
from combench.suite.expand import Measurement
from combench.suite.launcher import PLACEMENTS
from combench.suite.measure import begin, measure
from combench.suite.plan import MODEL
from combench.suite.prepare import Prepared, prepare
from combench.suite.process import Signals

# Times that calibrations are measured once more after a prediction that failed.
_CALIBRATED_AGAIN = 2


# Sections of the manual page.
SECTIONS = (
    (
        "PLANS",
        (
            "A plan has lines KEY = VALUE. Lines before the first [SECTION] apply to all sections; "
            "each section is one benchmark. # begins a comment.",
            "A program is started once for each combination of technology, number of processes, "
            "occupation, wait and buffers; sizes and algorithms are measured within one start.",
            *((name, key.help) for name, key in plans.KEYS.items()),
        ),
    ),
    (
        "SIGNALS",
        (
            "SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU stop the current "
            "measurement and close the manifest; continue with --resume. With --batch, SIGTERM, which "
            "Slurm sends before the time limit, SIGUSR1, SIGUSR2 and SIGXCPU requeue the job, unless "
            "no measurement has finished.",
        ),
    ),
    (
        "FILES",
        (
            ("DIR/manifest.json", "state and result file of each measurement"),
            ("DIR/results, DIR/logs", "a result document and a log for each start"),
            ("slurm/*.sbatch", "job scripts for Slurm, in the data folder of combench"),
        ),
    ),
)
EXIT_STATUS = (
    "0 all measured, or skipped because a capability is missing, and thresholds of the plan are met; "
    "1 a measurement failed, timed out or was interrupted, or a threshold is not met; 2 error before the first measurement; 77 nothing could be measured."
)
MORE = {
    "batch": "If --output already has a run, it is continued, and failed measurements are tried "
    "once more. When SIGTERM announces the time limit, the job is requeued with scontrol.",
    "ranks": "Without this option, as many as the allocation has cores, or as many as the plan "
    "requires if that is more. Ranks share cores where there are fewer cores.",
    "trust": "A manifest may come from another user, and variables such as LD_PRELOAD decide what the "
    "programs run. Without this option, --resume lists what the manifest asks for and ends.",
    "hostfile": "Lines are HOST slots=4, or HOST:4 for MPICH. The hosts of the file are the "
    "allocation.",
}
SEE_ALSO = ("combench-compare", "combench-parkbench", "combench-report")


# Defaults of options that a resumed run must be given again.
_NOT_KEPT: dict[str, Optional[str]] = {
    "launcher": "auto",
    "mpirun": "mpirun",
    "launch": "",
    "programs": None,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("plan", metavar="PLAN", nargs="?", help=f"{', '.join(plans.shipped())}, or a file")
    add("--output", metavar="DIR", help="directory of the run (default combench-PLAN-TIME)")
    add("--resume", action="store_true", help="continue the run in --output")
    add(
        "--trust",
        action="store_true",
        help="with --resume: use the variants and the host file that the manifest names",
    )
    add("--retry", action="store_true", help="with --resume: repeat what failed or timed out")
    add(
        "--batch",
        action="store_true",
        help="for batch jobs: start or continue the run in --output; requeue the job at its limit",
    )
    add("--dry-run", action="store_true", help="print the commands and the estimated time")
    add(
        "--ranks",
        type=checked(values.rank_count),
        metavar="N",
        help="maximum number of ranks (default: cores of the allocation)",
    )
    seconds, percent = checked(values.max_time_s), checked(values.precision_pct)
    add("--max-time", type=seconds, metavar="S", help="seconds per measurement (default: plan)")
    add("--precision", type=percent, metavar="PCT", help="precision in %% (default: plan)")
    add(
        "--time-out",
        type=checked(values.timeout_s),
        metavar="S",
        help="stop a start of a program after this many seconds (default: plan)",
    )
    add(
        "--repeat",
        type=checked(launches.launch_count),
        metavar="N",
        help="launches of each measurement (default: plan); with --until at most (default 10)",
    )
    add(
        "--until",
        type=checked(launches.until_pct),
        metavar="PCT",
        help="launch a measurement again until the 95 %% intervals of its figures are within this, such "
        "as 2%%",
    )
    add("--seed", type=checked(launches.seed_number), metavar="N", help="of the order of launches; in a model also of the first launch (default 1 there)")
    add("--model", metavar="FILE", help="run in a model of a network with this calibration, without MPI")
    add("--network", metavar="KIND", help="network of the model (default: that of the programs)")
    add("--share", metavar="RULE", help="how messages share a link (default: that of the programs)")
    add("--switch-buffer", metavar="BYTES", help="buffer of a switch's port in the model")
    add("--background", metavar="LOAD", help="load of others on each link of the model")
    add("--group-send", metavar="HOW", help="how the model carries a multicast: network or tree")
    add(
        "--variant",
        type=checked(launches.variant),
        action="append",
        metavar="NAME:ENV=VALUE,...",
        help="launch each measurement with these variables, too; give two variants or more",
    )
    add("--placement", choices=PLACEMENTS, help="placement on several hosts (default: plan)")
    add(
        "--launcher",
        choices=("auto", "mpirun", "srun"),
        help="start ranks with mpirun or srun (default auto)",
    )
    add("--mpirun", metavar="COMMAND", help="mpirun of the programs' MPI library")
    add("--hostfile", metavar="FILE", help="host file for mpirun")
    add("--launch", metavar="WORDS", help="more options for mpirun or srun")
    add("--programs", metavar="DIR", help="folder of the benchmark programs")
    parser.set_defaults(**_NOT_KEPT)


def _launches_text(prepared: Prepared) -> str:
    most = max((one.launch for one, _ in prepared.todo), default=1)
    named = [one.name for one in prepared.setting.design.variants]
    text = f", {'up to ' if prepared.setting.design.until_pct else ''}{most} launches" if most > 1 else ""
    return text + (f" of the variants {', '.join(named)}" if named else "")


def _announce(prepared: Prepared, stream: TextIO) -> None:
    """Print the number of measurements, the estimated time and the allocation."""
    setting, count = prepared.setting, prepared.manifest.count
    rows = sum(one.rows for one, _ in prepared.todo)
    expected_s = sum(one.expected_s for one, _ in prepared.todo)
    expected_s += prediction.EXPECTED_S if _predicts(prepared) else 0
    where = f"{prepared.ranks} ranks on {describe(setting.allocation)}"
    if setting.model is not None:
        most = max((one.ranks for one, _ in prepared.todo), default=prepared.ranks)
        where = f"{most} ranks in a model, nothing is measured: {' '.join(setting.model.words)}"
    print(
        f"# plan {prepared.plan.name}: {len(prepared.todo)} starts with up to {rows} measurements"
        f"{_launches_text(prepared)}, "
        f"about {duration(expected_s)} or longer on a busy machine; up to {where}",
        file=stream,
    )
    if count(documents.LEFT_OUT):
        print(f"# {count(documents.LEFT_OUT)} left out: reasons below, or in the manifest", file=stream)


def _dry_run(arguments: argparse.Namespace) -> int:
    """Print the commands; no file is created or changed."""
    prepared = prepare(arguments, directory_of(arguments), Path(sys.argv[0]).resolve())
    _announce(prepared, sys.stdout)
    for one, _ in prepared.todo:
        settings = prepared.setting.design.settings_of(one.variant)
        words = ["env", *(f"{name}={value}" for name, value in settings.items())]
        command = prepared.setting.command(one)
        print(manifests.command_text([*words, *command] if settings else command))
    if _predicts(prepared):
        print(manifests.command_text(prediction.command(prepared.plan, prepared.setting)))
    for entry in prepared.manifest.measurements:
        if entry["state"] == documents.LEFT_OUT:
            print(f"# left out: {entry['name']}: {entry['reason']}")
    return MEASURED


def _session(prepared: Prepared) -> documents.Json:
    """The session of this start of the driver in the manifest."""
    allocation, launcher = prepared.setting.allocation, prepared.setting.launcher
    kind = launcher.kind if launcher else MODEL
    command = [*launcher.command, *launcher.more] if launcher else []
    session: documents.Json = {
        "host": socket.gethostname(),
        "command": list(sys.argv),
        "allocation": {
            "kind": allocation.kind,
            "slots": allocation.slots,
            "hosts": allocation.hosts,
        },
        "ranks": prepared.ranks,
        "launcher": {"kind": kind, "command": command},
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
    write_json(path, prepared.manifest.document, f"{ROOM}, then continue with --resume")


def _write_first(prepared: Prepared) -> None:
    """Write plan and manifest. If a new manifest cannot be written, remove the plan, so that the run
    can be started again."""
    directory = prepared.setting.directory
    plan = directory / prepared.manifest.document["plan"]["file"]  # of a new run
    if (directory / documents.MANIFEST).exists():
        _write_manifest(prepared)
        return
    try:
        remedy = f"{ROOM}, then start the run again"
        write_text(plan, prepared.plan.text, remedy)
        write_json(directory / documents.MANIFEST, prepared.manifest.document, remedy)
    except SuiteError:
        plan.unlink(missing_ok=True)
        raise


def _predicts(prepared: Prepared) -> bool:
    return prediction.is_due(prepared.plan, prepared.manifest.document, bool(prepared.todo))


def _predict(prepared: Prepared, signals: Signals, lock: Lock, progress: Progress) -> str:
    """Run the last step of the plan. Returns the signal that stopped it; empty when it ended."""
    entry = prediction.begin(prepared.plan, prepared.setting)
    prepared.manifest.document[prediction.KEY] = entry
    _write_manifest(prepared)
    progress.begin(f"prediction of {', '.join(map(str, prepared.plan.predicted))}")
    reason = prediction.predict(entry, prepared.setting, signals, lock.descriptor)
    whole = entry["state"] == documents.MEASURED
    came = f"{entry['rows']} rows" if whole else f"{entry['state']}: {entry['reason']}"
    elapsed_s = entry.get("elapsed_s", 0.0)
    progress.end(prediction.KEY, prediction.EXPECTED_S, elapsed_s, came, whole)
    _write_manifest(prepared)
    return reason


def _measure(
    prepared: Prepared, one: Measurement, entry: documents.Json, signals: Signals, lock: Lock, progress: Progress
) -> str:
    """Run one measurement. Returns the signal that stopped it; empty when it ended."""
    begin(one, entry, prepared.setting)
    _write_manifest(prepared)
    progress.begin(one.title)
    reason = measure(one, entry, prepared.setting, signals, lock.descriptor)
    whole = entry["state"] == documents.MEASURED
    came = f"{entry['rows']} rows" if whole else f"{entry['state']}: {entry.get('reason', '')}"
    progress.end(one.kind, one.expected_s, entry.get("elapsed_s", 0.0), came, whole)
    _write_manifest(prepared)
    return reason


def _predict_last(prepared: Prepared, signals: Signals, lock: Lock, progress: Progress) -> str:
    """Predict. A disturbed calibration has no line through its times: after a failure the calibrations of this
    session are measured again. Returns the signal that stopped it; empty when it ended."""
    calibrations = [(one, entry) for one, entry in prepared.todo if one.group == CALIBRATION]
    reason = _predict(prepared, signals, lock, progress)
    for _ in range(_CALIBRATED_AGAIN):
        state = prepared.manifest.document[prediction.KEY]["state"]
        if reason or state != documents.FAILED or not calibrations:
            break
        print("# the prediction failed: calibrating again", file=sys.stderr)
        for one, entry in calibrations:
            reason = reason or signals.end_asked() or _measure(prepared, one, entry, signals, lock, progress)
        reason = reason or _predict(prepared, signals, lock, progress)
    return reason


def _is_precise(prepared: Prepared, one: Measurement) -> bool:
    """Whether --until spares this launch."""
    limit_pct = prepared.setting.design.until_pct
    if limit_pct is None or one.launch <= launches.LEAST_LAUNCHES:
        return False
    return precision.is_reached(
        one, prepared.manifest.measurements, prepared.setting.directory, limit_pct
    )


def _precise_reason(prepared: Prepared) -> str:
    return f"earlier launches gave its figures within {prepared.setting.design.until_pct:g} %"


def _measure_all(prepared: Prepared, signals: Signals, lock: Lock) -> str:
    """Run all measurements, and the prediction. Returns why it stopped early; empty when it did
    not."""
    expected = [(one.kind, one.expected_s) for one, _ in prepared.todo]
    if _predicts(prepared):
        prepared.manifest.document[prediction.KEY] = prediction.planned(prepared.plan)
        expected.append((prediction.KEY, prediction.EXPECTED_S))
    progress = Progress(sys.stderr, expected)
    said: set[str] = set()
    for one, entry in prepared.todo:
        reason = signals.end_asked() or ""
        if not reason and not has_room(prepared.setting.directory):
            reason = f"the disk of {prepared.setting.directory} is full"
        if reason:
            return reason
        if _is_precise(prepared, one):
            entry.update(state=documents.LEFT_OUT, reason=_precise_reason(prepared))
            progress.leave(one.kind, one.expected_s)
            continue
        reason = _measure(prepared, one, entry, signals, lock, progress)
        for finding in preflight.findings(prepared.setting.result(one)):
            if finding not in said:
                print(f"# {finding}", file=sys.stderr)
            said.add(finding)
        if reason:
            return reason
    if prediction.KEY in dict(expected):
        return signals.end_asked() or _predict_last(prepared, signals, lock, progress)
    return ""


def _judge(prepared: Prepared) -> None:
    """Judge a run by the thresholds of its plan."""
    document = prepared.manifest.document
    if judging.has_thresholds(prepared.plan):
        found = judging.judge(prepared.plan, document, prepared.setting.directory)
        document[judging.KEY] = [one.entry for one in found]


def _run(prepared: Prepared, signals: Signals, lock: Lock) -> str:
    """Run a session and record its begin and end in the manifest."""
    manifest = prepared.manifest
    manifest.begin_session(_session(prepared))
    _write_first(prepared)
    try:
        reason = _measure_all(prepared, signals, lock)
        if not reason:
            _judge(prepared)
    except Exception as error:
        _give_up(prepared, " ".join(str(error).split()) or type(error).__name__)
        raise
    manifest.end_session(reason)
    _write_manifest(prepared)
    return reason


def _give_up(prepared: Prepared, reason: str) -> None:
    """Close the manifest after an error of the driver, if it can still be written."""
    manifest = prepared.manifest
    for entry in (*manifest.measurements, manifest.document.get(prediction.KEY, {})):
        if entry.get("state") == documents.RUNNING:
            entry.update(state=documents.INTERRUPTED, reason=reason)
    manifest.end_session(reason)
    try:
        _write_manifest(prepared)
    except SuiteError:
        pass  # the first error tells more


def _judged(prepared: Prepared) -> list[str]:
    """The verdicts on a run that was judged."""
    if judging.KEY not in prepared.manifest.document:
        return []
    directory = prepared.setting.directory
    verdicts = list(judging.judge(prepared.plan, prepared.manifest.document, directory))
    accepted = "accepted" if judging.is_accepted(verdicts) else "not accepted"
    return [*judging.lines(verdicts), f"{accepted} by the thresholds of plan {prepared.plan.name}"]


def _again(arguments: argparse.Namespace, directory: Path) -> str:
    """The command that continues the run."""
    words = ["combench", "run", "--resume", "--output", str(directory)]
    words += ["--trust"] if arguments.variant or arguments.hostfile or arguments.trust else []
    for name, default in _NOT_KEPT.items():
        value = getattr(arguments, name)
        words += [f"--{name}={value}"] if value != default else []
    return manifests.command_text(words)


def _summary(arguments: argparse.Namespace, prepared: Prepared, stopped: str) -> list[str]:
    """The last lines of output."""
    manifest, directory = prepared.manifest, prepared.setting.directory
    counts = [
        f"{manifest.count(state)} {state}" for state in documents.STATES if manifest.count(state)
    ]
    lines = [f"{', '.join(counts)}; results in {directory}"]
    left = (documents.SKIPPED, documents.LEFT_OUT) if prepared.setting.model else ()
    for entry in manifest.measurements:
        if entry["state"] in left:
            lines.append(f"{entry['state']}: {entry['name']}: {entry['reason']}")
        if entry["state"] in (documents.FAILED, documents.TIMED_OUT):
            output = f"; see its log {directory / entry['log']}" if "log" in entry else ""
            lines.append(f"{entry['state']}: {entry['name']}: {entry['reason']}{output}")
    predicted = manifest.document.get(prediction.KEY, {})
    if "reason" in predicted:
        lines.append(f"prediction {predicted['state']}: {predicted['reason']}")
    lines += _judged(prepared)
    again = _again(arguments, directory)
    if stopped:
        lines.append(f"stopped: {stopped}; continue with {again}")
    elif manifest.count(documents.FAILED, documents.TIMED_OUT):
        lines.append(f"repeat failed measurements with {again} --retry")
    return lines


def _status(manifest: manifests.Manifest, stopped: str) -> int:
    unpredicted = manifest.document.get(prediction.KEY, {}).get("state")
    if stopped or manifest.count(documents.FAILED, documents.TIMED_OUT):
        return FAILED
    if unpredicted in (documents.FAILED, documents.TIMED_OUT):
        return FAILED
    if any(one["verdict"] != judging.MET for one in manifest.document.get(judging.KEY, ())):
        return FAILED
    return MEASURED if manifest.count(documents.MEASURED) else SKIPPED


def _requeue(prepared: Prepared, stopped: str) -> None:
    said = requeue([entry for _, entry in prepared.todo], stopped, prepared.setting.environment)
    if said:
        print(said, flush=True)


def _begin(arguments: argparse.Namespace, directory: Path) -> tuple[Prepared, Lock]:
    """Make the directory of a new run, or open that of an earlier run under its lock."""
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
            f"--output {directory} already has a run; add --resume to continue it, or choose "
            "another --output"
        )
    return prepared, lock


def main(arguments: argparse.Namespace) -> int:
    """Exit status: EXIT_STATUS."""
    for name in ("retry", "trust"):
        if getattr(arguments, name) and not arguments.resume:
            raise SuiteError(f"--{name} needs --resume; add --resume")
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
        try:
            print("\n".join(_summary(arguments, prepared, stopped)), flush=True)
        finally:
            # Requeueing ends this job, so it comes last.
            if arguments.batch:
                _requeue(prepared, stopped)
    return _status(prepared.manifest, stopped)
