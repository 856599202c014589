"""Compare predictions of the model with measurements.

SOURCE is a directory of combench run or result documents. The calibration is made from a result of
cb_calibrate or cb_oneway in it, or given with --calibration. --run measures a plan first. Rows that
the calibration was fitted to are marked and not included in the error.

Results of a replayed trace are compared with the evaluation of the same file: time in all, and of each
rank. The trace is found by its path or in the folder of the result, and must not have changed.

Results of a victim beside an aggressor are compared with the evaluation of both traces on one switch, to which each host
has a link.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Sequence

from combench.common import catalogue, programs
from combench.common.errors import MEASURED, SuiteError, require_modules
from combench.common.files import require_other, require_writable, write_json
from combench.common.values import list_of, size_bytes
from combench.predict import cases, ending
from combench.predict.calibration import (
    Calibration,
    Measurements,
    calibrating,
    from_file,
    from_measurements,
    read_measurements,
)
from combench.predict.cases import Asked
from combench.predict.impacts import compare_impacts, is_congestion
from combench.predict.model import SHARE_RULES, Setting, check_options, find
from combench.predict.prediction import Effort, Prediction, predict
from combench.predict.processes import Processes
from combench.predict.replays import compare_replays, is_replay
from combench.predict.validation import (
    Validation,
    calibration_pct,
    compare,
    document_of,
    hold_out,
    sizes_to_hold_out,
    text_of,
)


EXIT_STATUS = "0 compared; 1 other error; 2 wrong options or results."
_MAKES_CALIBRATION = (
    "used only to calibrate; it is not a benchmark of the note"
)
_PAIR = 2  # smallest number of ranks of a case; each network must accept it
SEE_ALSO = ("combench-predict", "combench-run", "ccmod-calibrate", "ccmod-run")


def _sizes(text: str) -> tuple[int, ...] | None:
    """The sizes to hold out; None: every second size."""
    if text == "half":
        return None
    try:
        return list_of(size_bytes)(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}; or give half") from error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("sources", metavar="SOURCE", nargs="+", help="a directory of combench run, or results")
    add("--run", metavar="PLAN", help="first measure this plan into SOURCE, a new directory")
    add("--ranks", metavar="N", help="with --run: maximum number of ranks")
    add("--calibration", metavar="FILE", help="calibration of ccmod calibrate (default: SOURCE)")
    add("--hold-out", type=_sizes, default=(), metavar="SIZES", dest="held",
        help="sizes to leave out of the fit and report; half: every second size")  # fmt: skip
    add("--technology", metavar="NAME",
        help="technology to predict, if SOURCE has several: ofi, or 'ofi method=write'")  # fmt: skip
    add("--network", default="crossbar", help="network of the model (default %(default)s)")
    add("--share", choices=SHARE_RULES,
        help="sharing rule of ccmod run (default: that of the calibration, or fifo)")  # fmt: skip
    add("--mode", choices=("split", "paper"),
        help="--mode of ccmod run; paper also makes the article's calibration")  # fmt: skip
    add("--seeds", type=int, default=Effort.seeds, metavar="N",
        help="evaluate each case with N seeds (default %(default)s)")  # fmt: skip
    add("--output", metavar="FILE", help="also write a document combench-validation/1")
    add("--programs", metavar="DIR", help="folder of the benchmark programs")


class _Run:
    """combench run, started and stopped from different threads."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._started = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def to_its_end(self) -> int:
        """Run it and return its exit status. OSError: it cannot be started."""
        try:
            self._process = subprocess.Popen(self._command)
        finally:
            self._started.set()
        return self._process.wait()

    def end(self) -> None:
        self._started.wait()
        if self._process is not None:
            self._process.terminate()


def _measure(arguments: argparse.Namespace) -> None:
    """Measure the plan with combench run. SuiteError: it failed."""
    command = [sys.argv[0], "run", arguments.run, "--output", arguments.sources[0]]
    for option in ("ranks", "programs"):
        value = getattr(arguments, option)
        command += [f"--{option}", value] if value else []
    with ending.on_signals() as watch:
        run = _Run(command)
        status = watch.beside(run.to_its_end, run.end)
    if status:
        raise SuiteError(
            f"combench run {arguments.run} exited with status {status}; fix the errors above, then "
            f"continue with combench run --resume --output {arguments.sources[0]}",
            status,
        )


def _check(arguments: argparse.Namespace) -> None:
    if arguments.calibration and arguments.held != ():
        raise SuiteError(
            "--hold-out needs a new fit and cannot be used with --calibration; remove one of them"
        )
    if arguments.run and len(arguments.sources) != 1:
        raise SuiteError("--run measures into one directory; name one SOURCE")
    if arguments.ranks and not arguments.run:
        raise SuiteError("--ranks needs --run; add --run, or remove --ranks")
    if not 1 <= arguments.seeds <= 1000:
        raise SuiteError(f"--seeds {arguments.seeds}: give 1 to 1000")


def _is_in_new_source(arguments: argparse.Namespace) -> bool:
    """Whether --output is in the directory that --run makes."""
    folder = Path(arguments.output).parent
    return bool(arguments.run) and folder.resolve() == Path(arguments.sources[0]).resolve()


def _fitted(measurements: Measurements) -> frozenset[tuple[str, int]]:
    """The fitted benchmarks and sizes: each benchmark that can calibrate, with each measured size of
    the one that is used."""
    there = {document["benchmark"] for _, document in measurements.documents}
    names = [one.name for one in calibrating()]
    chosen = next((name for name in names if name in there), "")
    sizes = {
        int(row["size_bytes"])
        for _, document in measurements.documents
        if document["benchmark"] == chosen
        for row in document["results"]
    }
    return frozenset((name, size) for name in names for size in sizes)


def _validate(
    arguments: argparse.Namespace,
    measurements: Measurements,
    asked: Sequence[Asked],
    programs_folder: Path,
    folder: Path,
    processes: Processes,
) -> tuple[Validation, Calibration]:
    fitted: frozenset[tuple[str, int]] = frozenset()
    if arguments.calibration:
        calibration = from_file(Path(arguments.calibration))
    else:
        if arguments.held != ():
            documents = [document for _, document in measurements.documents]
            held = sizes_to_hold_out(documents, arguments.held)
            measurements = hold_out(measurements, held, folder)
            asked = [one for one in asked if one.case.size_bytes in held]
        fitted = _fitted(measurements)
        ccmod = find(programs_folder)
        calibration = from_measurements(ccmod, measurements, folder, processes, mode=arguments.mode)
    share = arguments.share or calibration.share
    words = [("--share", share), ("--mode", arguments.mode)]
    given = tuple(word for name, value in words if value for word in (name, value))
    setting = Setting(programs_folder, calibration.path, arguments.network, given, processes)
    effort = Effort(seeds=arguments.seeds)

    def prediction(one: Asked) -> Prediction:
        return predict(one.case, setting, effort, one.rate_hz, one.block_steps)

    def was_fitted(one: Asked) -> bool:
        return (one.case.benchmark, one.case.size_bytes) in fitted

    of_calibration_pct = calibration_pct(calibration.residual_pct, calibration.launches_us)
    validation = compare(asked, prediction, was_fitted, of_calibration_pct)
    validation.replays = compare_replays(measurements.documents, setting)
    validation.impacts, left_out = compare_impacts(measurements.documents, setting, effort)
    validation.left_out += left_out
    return validation, calibration


def main(arguments: argparse.Namespace) -> int:
    """Return the exit status, see EXIT_STATUS."""
    _check(arguments)
    if arguments.output and not _is_in_new_source(arguments):
        require_writable("--output", Path(arguments.output))
    if arguments.output:
        inputs = (*arguments.sources, arguments.calibration or "", arguments.network)
        require_other("--output", Path(arguments.output), map(Path, inputs))
    require_modules("fastjsonschema")
    started = time.time()
    folder = programs.find(arguments.programs, Path(sys.argv[0]).resolve(), os.environ)
    ccmod = find(folder)
    catalogue.look_in(folder)
    processes = Processes(len(os.sched_getaffinity(0)))
    options = {"--calibration": arguments.calibration, "--network": arguments.network}
    with ending.on_signals() as watch:
        watch.beside(lambda: check_options(processes, ccmod, options, _PAIR), processes.end)
    if arguments.run:
        _measure(arguments)
    measurements = read_measurements(arguments.sources, arguments.technology)
    if arguments.output:
        files = (path for path, _ in measurements.documents)
        require_other("--output", Path(arguments.output), files)
    measured = cases.of_documents(
        document
        for _, document in measurements.documents
        if not is_replay(document) and not is_congestion(document)
    )
    serving = {
        document["benchmark"]
        for _, document in measurements.documents
        if cases.only_calibrates(document)
    }
    measured.left_out += [
        {"benchmark": name, "what": "all modes", "reason": _MAKES_CALIBRATION}
        for name in sorted(serving)
    ]
    with ending.on_signals() as watch, TemporaryDirectory(prefix="combench-validate-") as name:
        validation, calibration = watch.beside(
            lambda: _validate(
                arguments, measurements, measured.asked, folder, Path(name), processes
            ),
            processes.end,
        )
    if not (validation.rows or validation.replays or validation.impacts):
        raise SuiteError(
            "none of the results can be compared with a prediction; measure benchmarks of the note, "
            "with --hold-out also at the held-out sizes"
        )
    validation.left_out = measured.left_out + validation.left_out
    about = {
        **programs.identity_if_known(folder),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "command": ["combench", *sys.argv[1:]],
        "technology": measurements.title,
        "network": arguments.network,
        "calibration": {"from": list(calibration.origin), "text": calibration.text},
    }
    print(text_of(validation))
    if arguments.output:
        write_json(Path(arguments.output), document_of(validation, about))
    return MEASURED
