"""The calibration of a prediction: a file that is given, or made by ccmod of measurements."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterator, Sequence

from combench.common import catalogue
from combench.common.catalogue import CALIBRATION, Benchmark
from combench.common.documents import RESULT, Json, claims_to_be, read_checked
from combench.common.errors import SuiteError
from combench.common.figures import at
from combench.predict.processes import Ended, Processes, ask

_PAIR = 2  # processors of a calibration that says no more


def calibrating() -> list[Benchmark]:
    """Those whose results ccmod calibrate reads; first the one that is made for it."""
    telling = (one for one in catalogue.known().benchmarks.values() if _tells(one))
    return sorted(telling, key=lambda one: one.group != CALIBRATION)


def _tells(definition: Benchmark) -> dict[str, str]:
    """What each mode tells of messages."""
    return {mode.name: mode.tells for mode in definition.modes if mode.tells}


@dataclass(frozen=True)
class Measurements:
    """Result documents of one technology, each with where it lies."""

    technology: str
    documents: tuple[tuple[Path, Json], ...]

    @property
    def processors(self) -> int:
        """The largest number that took part in a measurement."""
        rows = [row for _, document in self.documents for row in document["results"]]
        return max((int(row.get("processors", 0)) for row in rows), default=0)


@dataclass(frozen=True)
class Calibration:
    path: Path  # for ccmod
    text: str
    origin: tuple[str, ...]
    sizes_bytes: tuple[int, int] | None  # smallest and largest that was measured; None: not known
    processors: int  # the largest number that took part in a measurement
    measured: bool  # the number is that of results that are there
    hosts: int | None = None  # on which it was measured; None: not known
    rests_on: tuple[str, ...] = ()  # in words, where it was made of measurements


def _documents_in(place: Path) -> list[tuple[Path, Json]]:
    """The result documents in a file or a folder; of a folder what is none is passed over."""
    if not place.is_dir():
        return [(place, read_checked(place, RESULT))]
    folder = place / "results" if (place / "results").is_dir() else place
    found = []
    for path in sorted(folder.glob("*.json")):
        if folder == place and not claims_to_be(path, RESULT):
            continue
        try:
            found.append((path, read_checked(path, RESULT)))
        except SuiteError as error:
            raise SuiteError(f"{error}; measure it again, or move it away") from error
    if not found:
        raise SuiteError(
            f"there are no results in {folder}; name a directory of combench run, or result "
            "documents that programs wrote with --format json --output FILE"
        )
    return found


def read_measurements(places: Sequence[str], technology: str | None) -> Measurements:
    """The results in these files and folders. SuiteError: there are none, or of several
    technologies, of which `technology` must name one."""
    documents = [found for place in places for found in _documents_in(Path(place))]
    there = sorted({str(document["technology"]) for _, document in documents})
    if technology is None and len(there) > 1:
        raise SuiteError(
            f"the results are of several technologies, {', '.join(there)}, and a calibration is of "
            "one; choose it with --technology"
        )
    chosen = technology or there[0]
    if chosen not in there:
        raise SuiteError(f"there are no results over {chosen}; there are some over {there[0]}")
    kept = tuple(found for found in documents if found[1]["technology"] == chosen)
    return Measurements(chosen, kept)


_OPEN_TWO = (
    "not known, for want of three ranks with a core each: what flows share at a node, as on a "
    "full-duplex link here, and up to which size a send does not wait, as the MPI library tells it"
)


def _open_besides(program: str) -> str:
    """What only the benchmark that is made for it tells."""
    return (
        f"not known, for want of {program}: how fast larger messages follow each other, and what "
        "flows share; streams, and what is full first, are predicted too fast"
    )


def _measure_more() -> str:
    best = calibrating()[0]
    ranks = max(mode.processors for mode in best.modes)
    return (
        f"{best.program} has all points that a calibration needs: run it with {ranks} ranks, "
        f"mpirun -np {ranks} {best.program} --output FILE, or let combench run do so (plan quick)"
    )


def _took_turns(row: Json) -> bool:
    """Measured by ranks that polled in turns on shared cores; ranks that sleep take no core."""
    waits = row.get("wait", {}).get("effective")
    return bool(row.get("oversubscribed", False)) and waits != "block"


def _rows_of(document: Json) -> list[Json]:
    """Those without a computing task beside them."""
    rows: list[Json] = document["results"]
    return [row for row in rows if row.get("occupation", "none") == "none"]


def _usable(document: Json) -> list[Json]:
    """Rows that a calibration is made of: without those of ranks that took turns, as long as there
    are others of a ping-pong."""
    rows = _rows_of(document)
    kept = [row for row in rows if not _took_turns(row)]
    return kept if any("latency_us" in row for row in kept) else rows


def _chosen(measurements: Measurements) -> tuple[Path, Json]:
    """Of the benchmarks that calibrate the first that was measured, and of it the document with
    most rows."""
    for definition in calibrating():
        of_it = [
            (path, document)
            for path, document in measurements.documents
            if document["benchmark"] == definition.name and _usable(document)
        ]
        if of_it:
            return max(of_it, key=lambda one: len(_usable(one[1])))
    best, *others = [one.program for one in calibrating()]
    raise SuiteError(
        f"the results have no measurement of {best}, or of {' or '.join(others)} in its place, and "
        "a calibration is made of it; measure it too, or give a file of ccmod calibrate with "
        "--calibration"
    )


def _rests_on(document: Json) -> Iterator[str]:
    """What a calibration of this document knows, and what not."""
    used, refused = _usable(document), len(_rows_of(document)) - len(_usable(document))
    definition, best = catalogue.known().benchmark(document["benchmark"]), calibrating()[0]
    modes = {row.get("mode") for row in used}
    told = ", ".join(text for mode, text in _tells(definition).items() if mode in modes)
    if definition.name == best.name:
        yield f"rests on {best.program}: {told}"
        missing = [mode for mode in best.modes if mode.tells and mode.name not in modes]
        if any(mode.processors > _PAIR for mode in missing):
            yield _OPEN_TWO
    else:
        yield f"rests on {definition.program} alone: {told}"
        yield _open_besides(best.program)
    if refused:
        yield f"refused: {refused} rows of more ranks than cores, which polled in turns"
    elif any(map(_took_turns, used)):
        yield "used, since there are no others: rows of more ranks than cores, which polled in turns"
    if not document.get("complete", True):
        yield "its result is not complete; combench run --resume goes on with it"


def measured_sizes(text: str) -> tuple[int, int] | None:
    """The sizes that a calibration file says it was fitted to, from its comments."""
    spans = re.findall(r"^# ([0-9]+) to ([0-9]+) bytes:", text, re.MULTILINE)
    if not spans:
        return None
    return min(int(first) for first, _ in spans), max(int(last) for _, last in spans)


def from_file(path: Path, processors: int = 0) -> Calibration:
    """A file as ccmod calibrate makes it, or as people write it; with results of that many processors
    beside it, 0 without any. SuiteError: it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(
            f"cannot read the calibration {path}: {error}; name a file of ccmod calibrate"
        ) from error
    most = max(_PAIR, processors)
    return Calibration(path, text, (str(path),), measured_sizes(text), most, processors > 0)


def from_measurements(
    ccmod: Path,
    measurements: Measurements,
    folder: Path,
    processes: Processes,
    residual_pct: float | None = None,
) -> Calibration:
    """Fitted by ccmod calibrate, in a file in the folder. SuiteError: they do not suffice."""
    (chosen, document), path = _chosen(measurements), folder / "calibration"
    source, used = chosen, _usable(document)
    if len(used) < len(_rows_of(document)):
        source = folder / chosen.name
        source.write_text(json.dumps({**document, "results": used}), encoding="utf-8")
    allowed = [] if residual_pct is None else ["--residual-pct", f"{residual_pct:g}"]
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
    if residual_pct is not None:
        rests_on.append(f"allowed: lines that miss their measurements by {residual_pct:g} % (rms)")
    made = from_file(path, measurements.processors)
    hosts = len(at(document, "environment.hosts") or ()) or None
    return replace(made, origin=(str(chosen),), rests_on=tuple(rests_on), hosts=hosts)


def calibrate(
    ccmod: Path,
    given: str | None,
    measurements: Measurements | None,
    folder: Path,
    processes: Processes,
    residual_pct: float | None = None,
) -> Calibration:
    """The calibration in the file that is given, or else one of the measurements, in the folder.
    SuiteError: it cannot be read, or not be made of them."""
    if given is not None:
        return from_file(Path(given), measurements.processors if measurements else 0)
    if measurements is None:
        raise SuiteError("there are no results to calibrate with; name some")
    return from_measurements(ccmod, measurements, folder, processes, residual_pct)
