"""Set 1.1, 1.2 and 1.3 of DAQ note 48 beside COMMS1, COMMS2 and COMMS3 of Parkbench.

DIR is the directory of a run that has measured both, as `combench run parkbench` does. For each
pair: what the definitions say, the time t of one message by both at each size, the parameters of
both fits, and what differs, with its reason where the results have one.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from dataclasses import dataclass
from typing import Callable, Iterator, Optional, TextIO

from combench.common import inference
from combench.common.documents import Json
from combench.common.errors import MEASURED, SuiteError
from combench.common.figures import MARKS, Key, Observation, at, describe, number, order
from combench.common.inference import Difference
from combench.compare.sides import Side, read_side
from combench.compare.text import aligned, interval_text

EXIT_STATUS = "0 shown; 2 DIR cannot be read, or has no pair."
SEE_ALSO = ("combench-run", "combench-compare", "cb_comms1", "cb_comms2", "cb_comms3")

_AGREE_PCT = 5.0  # where definitions agree, figures that differ by more are marked
_WIDTH = 100


def _one(count: int) -> float:
    return 1.0


def _half(count: int) -> float:
    return 0.5


def _of_all_to_all(count: int) -> float:
    return 1.0 / (count * (count - 1))


@dataclass(frozen=True)
class Pairing:
    """A program of the note and its model. A figure times its share, which depends on the number
    of processors, is t, the time of one message as Parkbench counts it."""

    note: str
    mode: str
    figure: str
    share: Callable[[int], float]
    parkbench: str
    parkbench_figure: str
    parkbench_share: Callable[[int], float]
    rate: str
    definition: str


PAIRINGS = (
    Pairing(
        "oneway",
        "pingpong",
        "latency_us",
        _one,
        "comms1",
        "latency_us",
        _one,
        "of one direction",
        "1.1 and COMMS1 agree: a message goes there and comes back at once, and t is half of the "
        "round trip. The time, the startup t0 and r_inf should be equal. 1.1 takes as many lines "
        "for its fit as the data show, COMMS1 one, or two with --breakpoint: parameters can only "
        "agree where both have the same sizes below a line.",
    ),
    Pairing(
        "twoway",
        "exchange",
        "round_us",
        _half,
        "comms2",
        "latency_us",
        _one,
        "of both directions together",
        "1.2 reports an exchange, in which each node sends one message and receives one; COMMS2 "
        "has each return what it got, and t is a quarter of the time of these four messages. Its "
        "step is two exchanges, so t is half of the exchange of 1.2: the figures of 1.2 are shown "
        "halved, as t, and should be equal then. Its t0 is halved and its r_inf doubled likewise.",
    ),
    Pairing(
        "alltoall",
        "round",
        "round_us",
        _of_all_to_all,
        "comms3",
        "round_us",
        _of_all_to_all,
        "of the whole network: towards the total saturation bandwidth",
        "1.3 and COMMS3 do the same: each of p processors sends a message to every other. 1.3 "
        "reports the time of a round, COMMS3 that of one of its p (p - 1) messages; both are shown "
        "as t and should be equal. The r_inf of COMMS3 is the total saturation bandwidth; a p-th "
        "of it belongs to one processor. The congestion ratio of 1.3 has no counterpart.",
    ),
)


@dataclass(frozen=True)
class _Row:
    """One size of a pair: t by both, in us."""

    size_bytes: int
    note_us: float
    parkbench_us: float
    difference: Optional[Difference]
    marks: frozenset[str]

    @property
    def ratio(self) -> float:
        return self.parkbench_us / self.note_us

    @property
    def differs(self) -> bool:
        return abs(self.ratio - 1) > _AGREE_PCT / 100

    @property
    def reason(self) -> str:
        """Why figures of one definition differ, as far as the results tell."""
        if not self.differs:
            return ""
        if self.difference is None:
            return "too few independent blocks to tell"
        if self.difference.low <= 1 <= self.difference.high:
            return "no more than the blocks vary"
        if "*" in self.marks:
            return "ranks share cores: the scheduler's figure"
        if "~" in self.marks:
            return "the precision was not reached"
        return "two starts differ; measure again"


def _stripped(key: Key) -> Key:
    """What rows of both programs have alike."""
    return tuple(pair for pair in key if pair[0] not in ("id", "benchmark", "mode"))


def _found(side: Side, benchmark: str, mode: str | None, figure: str) -> dict[Key, Key]:
    """Rows of a program without a computing task: by what a pair shares, their own keys."""
    keys = {}
    for key, path in side.found:
        known = dict(key)
        wanted = known["benchmark"] == benchmark and mode in (None, known.get("mode"))
        if wanted and path == f"{figure}.median" and known.get("occupation", "none") == "none":
            keys[_stripped(key)] = key
    return keys


def _scaled(found: Observation, share: float) -> list[float]:
    return [value * share for value in found.blocks]


def _row(side: Side, pairing: Pairing, note: Key, parkbench: Key) -> _Row:
    known = dict(note)
    count = known.get("processors", 2)
    one = side.found[note, f"{pairing.figure}.median"][0]
    other = side.found[parkbench, f"{pairing.parkbench_figure}.median"][0]
    share, parkbench_share = pairing.share(count), pairing.parkbench_share(count)
    difference = None
    if one.blocks and other.blocks:
        difference = inference.compare_medians(_scaled(one, share), _scaled(other, parkbench_share))
    return _Row(
        known.get("size_bytes", 0),
        one.value * share,
        other.value * parkbench_share,
        difference,
        side.marks[note] | side.marks[parkbench],
    )


def _rate(row_us: float, size_bytes: int) -> str:
    return f"{size_bytes / row_us:.4g}"


_HEAD = ("bytes", "t, us", "t, us", "MB/s", "MB/s", "%", "95 % interval", "", "")


def _table(pairing: Pairing, rows: list[_Row], number_of_note: str) -> Iterator[str]:
    name = pairing.parkbench.upper()
    lines = [("", number_of_note, name, number_of_note, name, "more", "", "", ""), _HEAD]
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


def _fits(side: Side, benchmark: str, key: Key, mode: str | None) -> Iterator[Json]:
    """The lines of a program's fit for the rows of a group, or why there are none."""
    known = dict(key)
    for run in side.runs:
        for document in run.documents:
            if (document["benchmark"], document["technology"]) != (benchmark, known["technology"]):
                continue
            for fit in document.get("fit") or []:
                if fit.get("processors") == known.get("processors") and mode in (
                    None,
                    fit.get("mode"),
                ):
                    yield fit
            for skipped in document.get("skipped") or []:
                if skipped.get("what") == "fit":
                    yield {"refusal": skipped.get("reason", "no reason is given")}


def _parameters(fit: Json, share: float) -> str:
    """t0, r_inf, n_half and pi0 of a line whose times, multiplied by the share, are t."""
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
        (known["id"], pairing.note, pairing.mode, note, pairing.share(count)),
        # The lines of Parkbench's programs are those of t.
        (dict(parkbench)["id"], pairing.parkbench, None, parkbench, 1.0),
    )
    for title, benchmark, mode, key, share in programs:
        fits = list(_fits(side, benchmark, key, mode))
        for fit in fits or [{"refusal": "the document has none"}]:
            yield f"    fit of {title}, {_parameters(fit, share)}"
        for fit in fits:
            yield from _of_processor(fit, title)


def _of_processor(fit: Json, title: str) -> Iterator[str]:
    """What COMMS3 has for one processor."""
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
    counts = ", ".join(f"{reasons.count(one)}: {one}" for one in sorted(set(reasons)))
    return (
        f"{len(rows) - len(apart)} of {len(rows)} sizes agree within {_AGREE_PCT:g} %; of the "
        f"others, {counts}"
    )


def _paragraph(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _group(side: Side, pairing: Pairing, pairs: list[tuple[Key, Key]]) -> Iterator[str]:
    """The sizes of one number of processors, way to wait and so on."""
    note, parkbench = pairs[0]
    titles = (dict(note)["id"], dict(parkbench)["id"])
    rows = [_row(side, pairing, *pair) for pair in pairs]
    shared = describe(_stripped(note), frozenset({"size_bytes"}))
    yield f"\n{titles[1]} beside {titles[0]}: {shared}"
    yield f"    t is the time of one message, the rate n / t {pairing.rate}"
    yield from _table(pairing, rows, titles[0])
    yield from _of_maxima(pairing, rows, titles)
    yield from _of_fits(side, pairing, note, parkbench)
    yield from _paragraph(f"{_conclusion(rows)}.", indent="    ")


def _pairs(side: Side, pairing: Pairing) -> list[list[tuple[Key, Key]]]:
    """Rows that both programs have measured, in groups that differ in nothing but the size."""
    ours = _found(side, pairing.note, pairing.mode, pairing.figure)
    theirs = _found(side, pairing.parkbench, None, pairing.parkbench_figure)
    groups: dict[Key, list[tuple[Key, Key]]] = {}
    for shared in sorted(ours.keys() & theirs.keys(), key=order):
        group = tuple(pair for pair in shared if pair[0] != "size_bytes")
        groups.setdefault(group, []).append((ours[shared], theirs[shared]))
    return list(groups.values())


def write(side: Side, stream: TextIO) -> None:
    """All pairs of a run. SuiteError when it has none."""
    count = 0
    for pairing in PAIRINGS:
        groups = _pairs(side, pairing)
        if not groups:
            print(
                f"cb_{pairing.note} and cb_{pairing.parkbench}: no row of one has its like in the "
                "other",
                file=stream,
            )
            continue
        count += len(groups)
        print("\n".join(_paragraph(pairing.definition, "")), file=stream)
        for group in groups:
            print("\n".join(_group(side, pairing, group)), file=stream)
        print(file=stream)
    if count == 0:
        raise SuiteError(
            f"{side.label} has no measurement of both the note and Parkbench; make one with "
            "combench run parkbench"
        )
    marks = frozenset().union(*side.marks.values())
    for mark, meaning in MARKS.items():
        if mark in marks:
            print(f"{mark} {meaning}", file=stream)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="of a run, or of result documents")


def main(arguments: argparse.Namespace) -> int:
    """Exit status 0: shown; 2: nothing can be shown."""
    side = read_side(arguments.directory)
    for warning in side.warnings():
        print(f"combench parkbench: warning: {warning}", file=sys.stderr)
    if len(side.runs) > 1:
        raise SuiteError(f"{side.label} has several runs; name one of them")
    write(side, sys.stdout)
    return MEASURED
