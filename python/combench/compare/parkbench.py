"""Compare 1.1, 1.2 and 1.3 of DAQ note 48 with COMMS1, COMMS2 and COMMS3 of Parkbench.

DIR is the directory of a run with both, such as one of `combench run parkbench`. For each pair,
the output has the relation of the definitions, the time t of one message at each size, the
parameters of both fits, and the sizes that differ, with the reason if it is known. Of several
launches or runs the times are geometric means, and the intervals are those of `combench compare`.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from dataclasses import dataclass, replace
from typing import Iterable, Iterator, Optional, TextIO

from combench.common import catalogue
from combench.common.catalogue import Benchmark, Mode
from combench.common.documents import Json
from combench.common.errors import MEASURED, SuiteError
from combench.common.figures import MARKS, Key, Observation, at, describe, have_ratio, number, order
from combench.common.inference import Difference
from combench.compare.comparison import middle, tested
from combench.compare.sides import Run, Side, read_sides
from combench.compare.text import aligned, interval_text

EXIT_STATUS = "0 compared; 2 DIR cannot be read, or has no pair."
SEE_ALSO = ("combench-run", "combench-compare")

_AGREE_PCT = 5.0  # larger differences are marked
_WIDTH = 100


@dataclass(frozen=True)
class Program:
    """One mode of a benchmark, and how its figure becomes t, Parkbench's time of one message."""

    benchmark: Benchmark
    mode: Mode

    def is_of(self, mode: object) -> bool:
        """Whether a row or a fit with that mode (or None) belongs to this program."""
        return len(self.benchmark.modes) == 1 or mode == self.mode.name

    @property
    def figure(self) -> str:
        return f"{self.mode.figure}.median"

    def share(self, count: int) -> float:
        """The share of one message in the time of a step, for a number of processors."""
        return 1.0 / catalogue.evaluate(self.mode.packets, count=count)


@dataclass(frozen=True)
class Pairing:
    """A program of the note and its Parkbench counterpart."""

    note: Program
    parkbench: Program
    rate: str
    relation: str


def pairings() -> Iterator[Pairing]:
    """The pairs that definitions name."""
    known = catalogue.known()
    for one in known.benchmarks.values():
        if one.counterpart is None:
            continue
        other = known.benchmark(one.counterpart.benchmark)
        mode = other.mode(one.counterpart.mode)
        if mode is not None:
            yield Pairing(
                Program(other, mode),
                Program(one, one.modes[0]),
                one.counterpart.rate,
                one.counterpart.relation,
            )


@dataclass(frozen=True)
class _Row:
    """One size of a pair: t by both, in us."""

    size_bytes: int
    note_us: float
    parkbench_us: float
    difference: Optional[Difference]
    marks: frozenset[str]
    launched_again: bool

    @property
    def ratio(self) -> float:
        return self.parkbench_us / self.note_us

    @property
    def differs(self) -> bool:
        return abs(self.ratio - 1) > _AGREE_PCT / 100

    @property
    def reason(self) -> str:
        """Why the figures differ, if the results show it."""
        if not self.differs:
            return ""
        if self.difference is None:
            return "too few independent blocks for a test"
        if self.difference.low <= 1 <= self.difference.high:
            return "not significant"
        if "*" in self.marks:
            return "ranks share cores"
        if "~" in self.marks:
            return "precision not reached"
        if self.launched_again:
            return "unknown"
        return "variation between starts; measure again"


def _stripped(key: Key) -> Key:
    """The part of a key that rows of both programs have in common."""
    return tuple(pair for pair in key if pair[0] not in ("id", "benchmark", "mode"))


def _found(side: Side, program: Program) -> dict[Key, Key]:
    """Keys of a program's rows without a computing task, by the common part of the key."""
    keys = {}
    for (key, path), found in side.found.items():
        known = dict(key)
        wanted = known["benchmark"] == program.benchmark.name and program.is_of(known.get("mode"))
        plain = known.get("occupation", "none") == "none" and have_ratio(found)
        if wanted and plain and path == program.figure:
            keys[_stripped(key)] = key
    return keys


def _scaled(found: Iterable[Observation], share: float) -> list[Observation]:
    return [
        replace(one, value=one.value * share, blocks=tuple(value * share for value in one.blocks))
        for one in found
    ]


def _row(side: Side, pairing: Pairing, note: Key, parkbench: Key) -> _Row:
    known = dict(note)
    count = known.get("processors", 2)
    ours = _scaled(side.found[note, pairing.note.figure], pairing.note.share(count))
    theirs = _scaled(
        side.found[parkbench, pairing.parkbench.figure], pairing.parkbench.share(count)
    )
    return _Row(
        known.get("size_bytes", 0),
        middle(ours),
        middle(theirs),
        tested(ours, theirs)[1],
        side.marks[note] | side.marks[parkbench],
        len(ours) + len(theirs) > 2,
    )


def _rate(row_us: float, size_bytes: int) -> str:
    return f"{size_bytes / row_us:.4g}"


_HEAD = ("bytes", "t, us", "t, us", "MB/s", "MB/s", "%", "95 % interval", "", "")


def _table(pairing: Pairing, rows: list[_Row], number_of_note: str) -> Iterator[str]:
    name = pairing.parkbench.benchmark.id
    lines = [("", number_of_note, name, number_of_note, name, "diff.", "", "", ""), _HEAD]
    for row in rows:
        lines.append(
            (
                str(row.size_bytes),
                f"{row.note_us:.4g}",
                f"{row.parkbench_us:.4g}",
                _rate(row.note_us, row.size_bytes),
                _rate(row.parkbench_us, row.size_bytes),
                f"{100 * (row.ratio - 1):+.1f}",
                interval_text(row.difference),
                "".join(mark for mark in MARKS if mark in row.marks),
                f"differs: {row.reason}" if row.differs else "",
            )
        )
    yield from (f"    {line}" for line in aligned(lines, right=7))


def _documents(run: Run, program: Program, key: Key) -> Iterator[Json]:
    wanted = (program.benchmark.name, dict(key)["technology"])
    for document in run.documents:
        if (document["benchmark"], document["technology"]) == wanted:
            yield document


def _fits(run: Run, program: Program, key: Key) -> Iterator[Json]:
    """The segments of a program's fit for the rows of a group, or why there are none."""
    known = dict(key)
    for document in _documents(run, program, key):
        for fit in document.get("fit") or []:
            alike = fit.get("processors") == known.get("processors")
            if alike and program.is_of(fit.get("mode")):
                yield fit
        for skipped in document.get("skipped") or []:
            if skipped.get("what") == "fit":
                yield {"refusal": skipped.get("reason", "no reason is given")}


def _parameters(fit: Json, share: float) -> str:
    """t0, r_inf, n_half and pi0 of a segment whose times, multiplied by the share, are t."""
    sizes = f"{fit.get('from_bytes', '')} to {fit.get('to_bytes', '')} bytes: "
    if "refusal" in fit:
        return f"{sizes if 'from_bytes' in fit else ''}none: {fit['refusal']}"
    t0, r_inf = number(fit.get("overhead_us")), number(fit.get("r_inf_MBps"))
    words = []
    if r_inf is not None:
        words.append(f"r_inf {r_inf / share:.4g} MB/s")
    if number(fit.get("n_half_bytes")) is not None:
        words.append(f"n_half {fit['n_half_bytes']:.4g} bytes")
    if t0 is not None:
        words += [f"t0 {t0 * share:.4g} us", f"pi0 {1e6 / (t0 * share):.4g} /s"]
    if "caution" in fit:
        words.append(f"({fit['caution']})")
    return sizes + ", ".join(words)


def _of_fits(side: Side, pairing: Pairing, note: Key, parkbench: Key) -> Iterator[str]:
    known = dict(note)
    count = known.get("processors", 2)
    programs = (
        (known["id"], pairing.note, note, pairing.note.share(count)),
        # The fits of Parkbench's programs are those of t.
        (dict(parkbench)["id"], pairing.parkbench, parkbench, 1.0),
    )
    for title, program, key, share in programs:
        measured = [run for run in side.runs if list(_documents(run, program, key))]
        for run in measured:
            folder = run.path.name if len({one.path for one in measured}) > 1 else ""
            launch = f"launch {run.launch}" if len({one.launch for one in measured}) > 1 else ""
            name = ", ".join(filter(None, (title, folder, launch)))
            fits = list(_fits(run, program, key))
            for fit in fits or [{"refusal": "the document has none"}]:
                yield f"    fit of {name}, {_parameters(fit, share)}"
            for fit in fits:
                yield from _of_processor(fit, name)


def _of_processor(fit: Json, title: str) -> Iterator[str]:
    """The rate per processor, which COMMS3 has."""
    value = number(at(fit, "r_inf_per_processor_MBps"))
    if value is not None:
        yield f"    r_inf of {title} for one processor: {value:.4g} MB/s"


def _of_maxima(pairing: Pairing, rows: list[_Row], titles: tuple[str, str]) -> Iterator[str]:
    for title, time in zip(titles, ("note_us", "parkbench_us")):
        best = max(rows, key=lambda row: row.size_bytes / float(getattr(row, time)))
        rate = best.size_bytes / float(getattr(best, time))
        yield f"    highest rate of {title}: {rate:.4g} MB/s at {best.size_bytes} bytes"


def _conclusion(rows: list[_Row]) -> str:
    apart = [row for row in rows if row.differs]
    if not apart:
        return f"all {len(rows)} sizes agree within {_AGREE_PCT:g} %"
    reasons = [row.reason for row in apart]
    counts = ", ".join(f"{one} ({reasons.count(one)})" for one in sorted(set(reasons)))
    return (
        f"{len(rows) - len(apart)} of {len(rows)} sizes agree within {_AGREE_PCT:g} %; reasons of "
        f"the others: {counts}"
    )


def _paragraph(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _group(side: Side, pairing: Pairing, pairs: list[tuple[Key, Key]]) -> Iterator[str]:
    """The output for all sizes of one number of processors, wait policy and so on."""
    note, parkbench = pairs[0]
    titles = (dict(note)["id"], dict(parkbench)["id"])
    rows = [_row(side, pairing, *pair) for pair in pairs]
    shared = describe(_stripped(note), frozenset({"size_bytes"}))
    yield f"\n{titles[0]} and {titles[1]}: {shared}"
    yield f"    t: time of one message; MB/s: n / t, {pairing.rate}"
    yield from _table(pairing, rows, titles[0])
    yield from _of_maxima(pairing, rows, titles)
    yield from _of_fits(side, pairing, note, parkbench)
    yield from _paragraph(f"{_conclusion(rows)}.", indent="    ")


def _pairs(side: Side, pairing: Pairing) -> list[list[tuple[Key, Key]]]:
    """Rows that both programs measured, in groups that differ only in size."""
    ours = _found(side, pairing.note)
    theirs = _found(side, pairing.parkbench)
    groups: dict[Key, list[tuple[Key, Key]]] = {}
    for shared in sorted(ours.keys() & theirs.keys(), key=order):
        group = tuple(pair for pair in shared if pair[0] != "size_bytes")
        groups.setdefault(group, []).append((ours[shared], theirs[shared]))
    return list(groups.values())


def write(side: Side, stream: TextIO) -> None:
    """Print all pairs of a run. Raises SuiteError when there is none."""
    count = 0
    for pairing in pairings():
        groups = _pairs(side, pairing)
        if not groups:
            programs = (one.benchmark.program for one in (pairing.note, pairing.parkbench))
            print(f"{' and '.join(programs)}: no rows in common", file=stream)
            continue
        count += len(groups)
        print("\n".join(_paragraph(pairing.relation, "")), file=stream)
        for group in groups:
            print("\n".join(_group(side, pairing, group)), file=stream)
        print(file=stream)
    if count == 0:
        raise SuiteError(
            f"{side.label} has no benchmark of Parkbench beside its counterpart of DAQ note 48; "
            "measure both with combench run parkbench"
        )
    marks = frozenset().union(*side.marks.values())
    for mark, meaning in MARKS.items():
        if mark in marks:
            print(f"{mark} {meaning}", file=stream)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="directory of a run or of documents")


def main(arguments: argparse.Namespace) -> int:
    """Exit status: EXIT_STATUS."""
    sides = read_sides([arguments.directory])
    if len(sides) > 1:
        names = ", ".join(one.label for one in sides)
        raise SuiteError(
            f"{arguments.directory} has variants: {names}; name the directory of one, in its results"
        )
    side = sides[0]
    for warning in side.warnings():
        print(f"combench parkbench: warning: {warning}", file=sys.stderr)
    write(side, sys.stdout)
    return MEASURED
