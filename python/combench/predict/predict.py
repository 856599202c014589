"""Predict all benchmarks on a network, for measured and larger numbers of processes.

SOURCE is a directory of combench run or result documents, from which a calibration is made, unless
--calibration is given. Figures are the median and the range over several seeds. The table names the
resource that saturates first under growing load, and the rate at which it does: the knee.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Sequence, TextIO

from combench.common import catalogue, programs
from combench.common.errors import MEASURED, SuiteError, require_modules
from combench.common.files import require_other, require_writable, write_json
from combench.common.progress import Advance
from combench.predict import cases, ending
from combench.predict.calibration import Calibration, calibrate, read_measurements
from combench.predict.cases import Asked, Wanted
from combench.predict.losses import Buffer, predict_losses, refusal, withheld
from combench.predict.model import Setting, check_options, find
from combench.predict.options import OPTIONS
from combench.predict.prediction import (
    Effort,
    Prediction,
    cost,
    cut_steps,
    in_flight,
    predict,
    whole_content,
)
from combench.predict.processes import Ended, Processes
from combench.predict.table import table

Json = dict[str, Any]
EXIT_STATUS = (
    "0 predicted (omitted cases are listed); 1 the model failed, the document could not be written, "
    "or a signal stopped the program: no document is written; 2 wrong options, results, calibration "
    "or network."
)
SEE_ALSO = ("combench-run", "ccmod-calibrate", "ccmod-run")
_LEAST_RANKS = 2  # of any case


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for name, described in OPTIONS.items():
        parser.add_argument(name, **described)


def _model_words(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The additional options of ccmod run."""
    names = ("share", "mode", "background", "background_interval")
    given = [(name.replace("_", "-"), getattr(arguments, name)) for name in names]
    return tuple(word for name, value in given if value for word in (f"--{name}", value))


def _sizes_of(asked: Sequence[Asked]) -> tuple[int, ...]:
    """The sizes of benchmarks without a fit; those with a fit have additional sizes."""
    sizes = {one.case.size_bytes for one in asked if not one.case.definition.fit}
    return tuple(sorted(sizes)) or catalogue.known().note_sizes_bytes


def _wanted(
    arguments: argparse.Namespace, measured: Sequence[Asked], technology: str | None
) -> Wanted:
    wanted = Wanted(
        scales=arguments.scale,
        sizes=arguments.sizes or _sizes_of(measured),
        algorithms=arguments.algorithm or cases.algorithms_of(measured) or (0.0,),
        farms=arguments.farm,
        topologies=arguments.topology,
        rate_hz=arguments.rate,
        in_flight=arguments.in_flight,
        window=arguments.window,
        supervisors=arguments.supervisor,
        fetch=arguments.fetch,
        accept=arguments.accept,
        schedules=arguments.schedule,
        fragments=arguments.fragments,
        correlation=arguments.correlation,
        seed=arguments.seed,
        benchmarks=arguments.benchmarks,
    )
    return cases.told_by(wanted, technology)


def _all_asked(
    arguments: argparse.Namespace, measured: Sequence[Asked], technology: str | None, effort: Effort
) -> list[Asked]:
    """The measured cases, and the cases that options add."""
    wanted = _wanted(arguments, measured, technology)
    per_destination = cases.per_destination(measured)

    def default_in_flight(sources: int, destinations: int) -> int:
        most = in_flight(sources, destinations, effort)
        if per_destination is None:
            return most
        return max(1, min(round(per_destination * destinations), most))

    asked = [
        one
        for one in measured
        if (not arguments.sizes or one.case.size_bytes in arguments.sizes)
        and (not arguments.benchmarks or one.case.benchmark in arguments.benchmarks)
    ]
    known = {one.case for one in asked}
    asked += [one for one in cases.wanted_cases(wanted, default_in_flight) if one.case not in known]
    if not asked:
        raise SuiteError(
            "nothing to predict: no measured row has these benchmarks and sizes; choose others, or "
            "give numbers with --scale, --farm or --topology"
        )
    return asked


def _with_losses(
    one: Asked,
    found: Prediction,
    setting: Setting,
    effort: Effort,
    arguments: argparse.Namespace,
    technology: str | None,
) -> tuple[Prediction, Json | None]:
    """The prediction, with losses if its data may exceed a port's buffer, and a description of them.
    SuiteError: frames are dropped, but the figure with losses is not known."""
    content = whole_content(cut_steps(one.case, effort), setting.emissions)
    at_once = cases.incast_bytes(one.case, content, arguments.window_bytes)
    buffer: Buffer = arguments.buffer
    if at_once <= buffer.port_bytes:
        return found, None
    incast: Json = {"bytes": at_once, "buffer_bytes": buffer.size_bytes}
    if buffer.alpha:
        incast["alpha"] = buffer.alpha
    why = refusal(cut_steps(one.case, effort), setting, technology)
    if why is not None:
        return found, {**incast, "why": why}
    lossy, known = predict_losses(
        one.case, setting, effort, one.rate_hz, buffer, technology
    )
    if (reason := withheld(known, buffer)) is not None:
        raise SuiteError(reason)
    return lossy or found, {**incast, **known}


def _row(
    one: Asked,
    setting: Setting,
    effort: Effort,
    calibration: Calibration,
    arguments: argparse.Namespace,
    technology: str | None,
) -> Json:
    if one.case.fragments and not one.case.size_bytes:
        mean_bytes = setting.emissions.mean_bytes(one.case)
        one = replace(one, case=replace(one.case, size_bytes=mean_bytes))
    found = predict(one.case, setting, effort, one.rate_hz)
    found, incast = _with_losses(one, found, setting, effort, arguments, technology)
    row = found.row()
    if incast is not None:
        row["incast"] = incast
    row["outside"] = cases.outside(one.case, calibration.sizes_bytes, calibration.processors)
    if one.measured_us:
        figure = row["latency_us"] if "latency_us" in row else row["round_us"]
        row["measured"] = {
            "us": one.measured_us,
            "error_pct": 100 * (figure["median"] / one.measured_us - 1),
            "oversubscribed": one.oversubscribed,
        }
    return row


def _predict_all(
    asked: Sequence[Asked],
    setting: Setting,
    effort: Effort,
    calibration: Calibration,
    arguments: argparse.Namespace,
    technology: str | None,
    stream: TextIO,
) -> tuple[list[Json], list[dict[str, str]]]:
    """The rows and the cases that failed, in the order of `asked`. SuiteError: all cases failed."""
    def cost_of(one: Asked) -> float:
        try:
            return cost(one.case, setting.emissions, effort)
        except Ended:
            raise
        except SuiteError:
            return 0.0  # `row_of` reports the error

    with ThreadPoolExecutor(max_workers=setting.processes.at_a_time) as pool:
        costs = list(pool.map(cost_of, asked))
    advance = Advance(stream, costs)

    def row_of(at: int) -> Json | SuiteError:
        one, started = asked[at], time.monotonic()
        found: Json | SuiteError
        try:
            found = _row(one, setting, effort, calibration, arguments, technology)
            came = f"{time.monotonic() - started:.1f} s"
        except Ended:
            raise
        except SuiteError as error:
            found, came = error, f"left out: {error}"
        advance.end(f"{one.case.benchmark}, {one.describe()}", came, costs[at])
        return found

    # Start the longest cases first to keep all processors busy until the end.
    order = sorted(range(len(asked)), key=lambda at: -costs[at])
    with ThreadPoolExecutor(max_workers=setting.processes.at_a_time) as pool:
        try:
            by_cost = dict(zip(order, pool.map(row_of, order)))
        finally:
            advance.clear()
    found = [by_cost[at] for at in range(len(asked))]
    rows = [one for one in found if not isinstance(one, SuiteError)]
    refused = [(one, why) for one, why in zip(asked, found) if isinstance(why, SuiteError)]
    if refused and not rows:
        raise refused[0][1]
    left_out = [
        {"benchmark": one.case.benchmark, "what": one.describe(), "reason": str(why)}
        for one, why in refused
    ]
    return rows, left_out


def _document(
    arguments: argparse.Namespace,
    calibration: Calibration,
    technology: str | None,
    started: float,
    rows: list[Json],
    left_out: list[dict[str, str]],
    made_by: dict[str, str],
) -> Json:
    described: Json = {"from": list(calibration.origin), "text": calibration.text}
    if calibration.rests_on:
        described["rests_on"] = list(calibration.rests_on)
    if technology is not None:
        described["technology"] = technology
    if calibration.hosts is not None:
        described["hosts"] = calibration.hosts
    if calibration.measured:
        described["processors"] = calibration.processors
    if calibration.sizes_bytes is not None:
        described["sizes_bytes"] = list(calibration.sizes_bytes)
    return {
        "schema": "combench-prediction/1",
        **made_by,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "elapsed_s": round(time.time() - started, 3),
        "command": ["combench", *sys.argv[1:]],
        "calibration": described,
        "network": arguments.network,
        "options": {
            "seeds": arguments.seeds,
            "precision_pct": arguments.precision,
            "messages": arguments.messages,
            "buffer_bytes": arguments.buffer.size_bytes,
            "window_bytes": arguments.window_bytes,
            **({"buffer_alpha": arguments.buffer.alpha} if arguments.buffer.alpha else {}),
            "model": list(_model_words(arguments)),
        },
        "results": rows,
        "left_out": left_out,
    }


def _check_options(
    arguments: argparse.Namespace, ccmod: Path, ranks: int, processes: Processes
) -> None:
    """SuiteError: ccmod rejects an option for this number of ranks."""
    names = ("calibration", "background", "background_interval", "network")
    options = {f"--{name.replace('_', '-')}": getattr(arguments, name) for name in names}
    check_options(processes, ccmod, options, ranks)


def main(arguments: argparse.Namespace) -> int:
    """Return the exit status, see EXIT_STATUS."""
    if not arguments.sources and not arguments.calibration:
        raise SuiteError(
            "there is nothing to calibrate with; name results, or give a file with --calibration"
        )
    if arguments.calibration and arguments.residual_pct:
        raise SuiteError(
            "--residual-pct applies to a new fit and cannot be used with --calibration; remove one of "
            "them"
        )
    if arguments.output:
        require_writable("--output", Path(arguments.output))
        inputs = (*arguments.sources, arguments.calibration or "", arguments.network)
        require_other("--output", Path(arguments.output), map(Path, inputs))
    require_modules("fastjsonschema", "scipy")
    started = time.time()
    folder = programs.find(arguments.programs, Path(sys.argv[0]).resolve(), os.environ)
    ccmod = find(folder)
    catalogue.look_in(folder)
    arguments.benchmarks = tuple(map(cases.parse_benchmark, arguments.benchmarks))
    processes = Processes(arguments.jobs or len(os.sched_getaffinity(0)))
    with ending.on_signals() as watch:  # before the results, which may be many, are read
        watch.beside(
            lambda: _check_options(arguments, ccmod, _LEAST_RANKS, processes), processes.end
        )
    effort = Effort(arguments.seeds, arguments.precision, arguments.messages)
    technology, measured = arguments.technology, cases.Measured()
    measurements, title = None, technology
    if arguments.sources:
        measurements = read_measurements(arguments.sources, technology)
        if arguments.output:
            files = (path for path, _ in measurements.documents)
            require_other("--output", Path(arguments.output), files)
        technology, title = measurements.technology, measurements.title
        measured = cases.of_documents(document for _, document in measurements.documents)
    asked = _all_asked(arguments, measured.asked, technology, effort)
    with ending.on_signals() as watch, TemporaryDirectory(prefix="combench-predict-") as name:
        fewest = min(one.case.processors for one in asked)
        if fewest > _LEAST_RANKS:  # a network may be too small for every case
            watch.beside(lambda: _check_options(arguments, ccmod, fewest, processes), processes.end)
        given, residual_pct = arguments.calibration, arguments.residual_pct
        calibration = watch.beside(
            lambda: calibrate(
                ccmod, given, measurements, Path(name), processes, residual_pct, arguments.mode
            ),
            processes.end,
        )
        arguments.share = arguments.share or calibration.share
        words = _model_words(arguments)
        setting = Setting(folder, calibration.path, arguments.network, words, processes)
        rows, left_out = watch.beside(
            lambda: _predict_all(
                asked, setting, effort, calibration, arguments, technology, sys.stderr
            ),
            processes.end,
        )
    left_out = measured.left_out + left_out
    made_by = programs.identity_if_known(folder)
    document = _document(arguments, calibration, title, started, rows, left_out, made_by)
    print(table(document))
    if arguments.output:
        write_json(Path(arguments.output), document)
    return MEASURED
