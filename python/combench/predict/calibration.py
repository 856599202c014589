"""The calibration of a prediction: a given file, or one that ccmod fits to measurements."""

from __future__ import annotations

import json
import re
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterator, Sequence

from combench.common import bundles, catalogue
from combench.common.catalogue import CALIBRATION, Benchmark
from combench.common.documents import (
    LAUNCHES,
    RESULT,
    Copies,
    Json,
    claims_to_be,
    keep_pipe,
    read_checked,
)
from combench.common.errors import SuiteError, cause_of
from combench.common.figures import at, with_settings
from combench.common.files import read_input
from combench.predict.model import SHARE_RULES
from combench.predict.processes import Ended, Processes, ask

_PAIR = 2  # processors of a calibration that does not record their number


def calibrating() -> list[Benchmark]:
    """The benchmarks whose results ccmod calibrate reads; the dedicated one first."""
    telling = (one for one in catalogue.known().benchmarks.values() if _tells(one))
    return sorted(telling, key=lambda one: one.group != CALIBRATION)


def _tells(definition: Benchmark) -> dict[str, str]:
    """The message properties that each mode determines."""
    return {mode.name: mode.tells for mode in definition.modes if mode.tells}


@dataclass(frozen=True)
class Measurements:
    """Result documents of one technology, each with its path."""

    technology: str
    documents: tuple[tuple[Path, Json], ...]
    title: str  # of the technology, with its settings if they were selected

    @property
    def processors(self) -> int:
        """The largest number of processors in a measurement."""
        rows = [row for _, document in self.documents for row in document["results"]]
        return max((int(row.get("processors", 0)) for row in rows), default=0)


@dataclass(frozen=True)
class Calibration:
    path: Path  # as passed to ccmod
    text: str
    origin: tuple[str, ...]
    sizes_bytes: tuple[int, int] | None  # smallest and largest measured size; None: unknown
    processors: int  # the largest number in a measurement
    measured: bool  # the number of processors comes from results
    hosts: int | None = None  # number of measured hosts; None: unknown
    rests_on: tuple[str, ...] = ()  # description of the measurements that were fitted
    launches_us: tuple[float, ...] = ()  # time of a message in each launch, see _message_us

    @property
    def share(self) -> str:
        """How links share messages: as measured, or the default."""
        found = re.search(r"^share (\w+)", self.text, re.MULTILINE)
        return found.group(1) if found else SHARE_RULES[0]

    @property
    def residual_pct(self) -> float:
        """The largest rms residual of a line that was fitted, from the comments; 0 if there are none."""
        found = re.findall(r"^# .*residual ([0-9.e+-]+) % \(rms\)", self.text, re.MULTILINE)
        return max((float(one) for one in found), default=0.0)


def _read(path: Path) -> Json:
    try:
        return read_checked(path, RESULT)
    except SuiteError as error:
        raise SuiteError(f"{error}; measure it again, or remove it") from error


def _documents_in(place: Path) -> list[tuple[Path, Json]]:
    """The result documents in a file or a folder, of the first launch, and all launches of a calibration; other
    files in a folder are ignored."""
    keep_pipe(place)
    place = bundles.directory_of(place)
    if not place.is_dir():
        return [(place, read_checked(place, RESULT))]
    folder = place / "results" if (place / "results").is_dir() else place
    found = []
    for path in sorted(folder.glob("*.json")):
        if not path.is_file() or (folder == place and not claims_to_be(path, RESULT)):
            continue
        found.append((path, _read(path)))
        if catalogue.known().benchmark(str(found[-1][1]["benchmark"])).group == CALIBRATION:
            launches = sorted(one for one in folder.glob(f"{LAUNCHES}/{path.name}") if one.is_file())
            found += [(launch, _read(launch)) for launch in launches]
    variants = sorted(one.name for one in folder.iterdir() if one.is_dir())
    if not found and variants:
        raise SuiteError(
            f"the results in {folder} are those of variants; name one of them, such as "
            f"{folder / variants[0]}"
        )
    if not found:
        raise SuiteError(
            f"there are no results in {folder}; name a directory of combench run, or result "
            "documents that programs wrote with --format json --output FILE"
        )
    return found


def _settings(text: str) -> str:
    """Values of parameters, however they are separated: 'method=message tx_depth=4'."""
    return " ".join(word for word in re.split(r"[\s,]+", text) if word)


def _settings_of(document: Json) -> str:
    """The settings of the technology that the command line gave, as in a plan."""
    config, given = at(document, "parameters.config"), at(document, "parameters.parameter")
    words = [f"config={config}"] if isinstance(config, str) else []
    return _settings(" ".join([*words, given] if isinstance(given, str) else words))


def _of_one_setting(
    documents: list[tuple[Path, Json]], technology: str, settings: str
) -> list[tuple[Path, Json]]:
    """The documents with these settings of their technology; if empty, all, unless those of a benchmark
    differ: ways of one technology to move data, such as ofi's methods, have a calibration each."""
    there = sorted({_settings_of(document) for _, document in documents})
    if settings:
        kept = [found for found in documents if _settings_of(found[1]) == settings]
        if not kept:
            raise SuiteError(
                f"there are no results over {technology} with {settings}, only with "
                f"{', '.join(one or 'no settings' for one in there)}"
            )
        return kept
    benchmarks = {(document["benchmark"], _settings_of(document)) for _, document in documents}
    if len(benchmarks) == len({name for name, _ in benchmarks}):
        return documents
    names = " and ".join(f"'{technology} {one}'" if one else f"'{technology}'" for one in there)
    raise SuiteError(
        f"the results over {technology} have several settings, {names}, but a calibration needs one: "
        f"select it with --technology '{technology} {there[-1]}', or name the files of one"
    )


def read_measurements(places: Sequence[str], technology: str | None) -> Measurements:
    """The results in these files and folders; `technology` as in a plan, with settings if results
    differ in them. SuiteError: there are none, or they belong to several technologies or settings
    and `technology` is missing or is not one of them."""
    copies = Copies()
    documents = [
        (path, document)
        for place in places
        for path, document in _documents_in(Path(place))
        if not copies.is_copy(document, path)
    ]
    for said in copies.sentences():
        print(f"combench: warning: {said}", file=sys.stderr)
    there = sorted({str(document["technology"]) for _, document in documents})
    if technology is None and len(there) > 1:
        raise SuiteError(
            f"the results belong to several technologies, {', '.join(there)}, but a calibration "
            "needs one; select it with --technology"
        )
    chosen, _, settings = (technology or there[0]).strip().partition(" ")
    if chosen not in there:
        raise SuiteError(f"there are no results over {chosen}, only over {', '.join(there)}")
    kept = [found for found in documents if found[1]["technology"] == chosen]
    kept = _of_one_setting(kept, chosen, _settings(settings))
    title = with_settings(kept[0][1]) if settings else chosen
    return Measurements(chosen, tuple(kept), title)


_OPEN_TWO = (
    "not measured (needs three ranks with a core each): bandwidth sharing at a node, assumed as on a "
    "full-duplex link, and the eager threshold, taken from the MPI library"
)


def _open_besides(program: str) -> str:
    """The properties that only the dedicated benchmark measures."""
    return (
        f"not measured (needs {program}): the rate of consecutive large messages, and bandwidth "
        "sharing at a node; predicted streams and saturation rates are too high"
    )


def _measure_more() -> str:
    best = calibrating()[0]
    ranks = max(mode.processors for mode in best.modes)
    return (
        f"{best.program} measures all points that a calibration needs: run it with {ranks} ranks, "
        f"mpirun -np {ranks} {best.program} --output FILE, or use combench run with plan quick"
    )


def _took_turns(row: Json) -> bool:
    """Whether ranks on shared cores polled; ranks that sleep do not occupy a core."""
    waits = row.get("wait", {}).get("effective")
    return bool(row.get("oversubscribed", False)) and waits != "block"


def _rows_of(document: Json) -> list[Json]:
    """The rows that were measured without a concurrent computing task."""
    rows: list[Json] = document["results"]
    return [row for row in rows if row.get("occupation", "none") == "none"]


def _usable(document: Json) -> list[Json]:
    """The rows to fit: rows of polling ranks on shared cores are dropped, unless no ping-pong row
    would remain."""
    rows = _rows_of(document)
    kept = [row for row in rows if not _took_turns(row)]
    return kept if any("latency_us" in row for row in kept) else rows


def _points(document: Json) -> frozenset[tuple[str, int]]:
    return frozenset((str(row.get("mode")), int(row["size_bytes"])) for row in _usable(document))


def _message_us(document: Json) -> float:
    """Time of a message, half a round trip: the geometric mean over the sizes; 0 without a ping-pong."""
    times_us = [at(row, "latency_us.median") or 0 for row in _usable(document)]
    measured_us = [time_us for time_us in times_us if time_us > 0]
    return statistics.geometric_mean(measured_us) if measured_us else 0.0


def _launches(measurements: Measurements) -> list[tuple[Path, Json]]:
    """The documents of the first measured calibrating benchmark that have the most rows, all the same, in the
    order of their times: launches of one measurement."""
    for definition in calibrating():
        of_it = [
            (path, document)
            for path, document in measurements.documents
            if document["benchmark"] == definition.name and _usable(document)
        ]
        if of_it:
            _, best = max(of_it, key=lambda one: len(_usable(one[1])))
            same = [one for one in of_it if _points(one[1]) == _points(best)]
            return sorted(same, key=lambda one: _message_us(one[1]))
    best, *others = [one.program for one in calibrating()]
    raise SuiteError(
        f"cannot make a calibration: the results have no measurement of {best} or "
        f"{' or '.join(others)}; measure one of them, or give a file of ccmod calibrate with "
        "--calibration"
    )


def _rests_on(document: Json) -> Iterator[str]:
    """Lines that describe what a calibration of this document covers and what it lacks."""
    used, refused = _usable(document), len(_rows_of(document)) - len(_usable(document))
    definition, best = catalogue.known().benchmark(document["benchmark"]), calibrating()[0]
    modes = {row.get("mode") for row in used}
    told = ", ".join(text for mode, text in _tells(definition).items() if mode in modes)
    if definition.name == best.name:
        yield f"calibrated with {best.program}: {told}"
        missing = [mode for mode in best.modes if mode.tells and mode.name not in modes]
        if any(mode.processors > _PAIR for mode in missing):
            yield _OPEN_TWO
    else:
        yield f"calibrated with {definition.program} only: {told}"
        yield _open_besides(best.program)
    if refused:
        yield f"rejected: {refused} rows, measured by polling with more ranks than cores"
    elif any(map(_took_turns, used)):
        yield "caution: all rows were measured by polling with more ranks than cores"
    if not document.get("complete", True):
        yield "the result is incomplete; continue it with combench run --resume"


def measured_sizes(text: str) -> tuple[int, int] | None:
    """The smallest and largest fitted size, from the comments of a calibration file."""
    spans = re.findall(r"^# ([0-9]+) to ([0-9]+) bytes:", text, re.MULTILINE)
    if not spans:
        return None
    return min(int(first) for first, _ in spans), max(int(last) for _, last in spans)


def from_file(path: Path, processors: int = 0) -> Calibration:
    """A calibration file, from ccmod calibrate or written by hand. `processors`: largest number in
    the accompanying results, 0 without results. SuiteError: the file cannot be read."""
    try:
        text = read_input(path, pipes=True).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(
            f"cannot read the calibration {path}: {cause_of(error)}; name a file of ccmod calibrate"
        ) from error
    most = max(_PAIR, processors)
    return Calibration(path, text, (str(path),), measured_sizes(text), most, processors > 0)


def from_measurements(
    ccmod: Path,
    measurements: Measurements,
    folder: Path,
    processes: Processes,
    residual_pct: float | None = None,
    mode: str | None = None,
) -> Calibration:
    """A calibration that ccmod calibrate fits, written to the folder. `mode`: of the evaluation, whose
    fit is used. SuiteError: the measurements are not sufficient."""
    launches, path = _launches(measurements), folder / "calibration"
    chosen, document = launches[(len(launches) - 1) // 2]
    source, used = chosen, _usable(document)
    if len(used) < len(_rows_of(document)) or not chosen.is_file():  # a pipe has been read
        source = folder / chosen.name
        source.write_text(json.dumps({**document, "results": used}), encoding="utf-8")
    allowed = [] if residual_pct is None else ["--residual-pct", f"{residual_pct:g}"]
    allowed += [] if mode is None else ["--mode", mode]
    try:
        ask(
            processes,
            [str(ccmod), "calibrate", *allowed, "--output", str(path), str(source)],
            f"cannot make a calibration of {chosen}",
        )
    except Ended:
        raise
    except SuiteError as error:
        if "points" in str(error):
            raise SuiteError(f"{error}; {_measure_more()}", error.status) from error
        raise
    rests_on = list(_rests_on(document))
    launches_us = tuple(_message_us(one) for _, one in launches) if len(launches) > 1 else ()
    if launches_us:
        rests_on.append(
            f"the middle one of {len(launches)} launches, with {launches_us[0]:.3g} to {launches_us[-1]:.3g} us "
            "for a message (mean of its sizes)"
        )
    if residual_pct is not None:
        rests_on.append(f"residuals up to {residual_pct:g} % (rms) were accepted")
    made = from_file(path, measurements.processors)
    hosts = len(at(document, "environment.hosts") or ()) or None
    return replace(
        made,
        origin=(str(chosen),),
        rests_on=tuple(rests_on),
        hosts=hosts,
        launches_us=launches_us,
    )


def calibrate(
    ccmod: Path,
    given: str | None,
    measurements: Measurements | None,
    folder: Path,
    processes: Processes,
    residual_pct: float | None = None,
    mode: str | None = None,
) -> Calibration:
    """The calibration in the given file, or else one fitted to the measurements, in the folder.
    SuiteError: the file cannot be read, or the fit fails."""
    if given is not None:
        return from_file(Path(given), measurements.processors if measurements else 0)
    if measurements is None:
        raise SuiteError("there are no results to calibrate with; name at least one SOURCE")
    return from_measurements(ccmod, measurements, folder, processes, residual_pct, mode)
