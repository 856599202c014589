"""The discussion of results that DAQ note 48 requires, generated from the result documents.

Each point states only what the documents contain. What was not measured is named, with how to
measure it. The user's own text on a point, discussion/POINT.md, follows it.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Sequence

from combench.common.variation import Variation
from combench.report import lists, remarks
from combench.report.charts import benchmark_title
from combench.report.facts import Fact, values_of
from combench.report.figures import counted, number, variation_of
from combench.report.load import Document
from combench.report.rows import ORIGIN, Row, Rows, identity_paths


@dataclass(frozen=True)
class Matter:
    """The input of all points."""

    documents: Sequence[Document]
    rows: Rows
    facts: Sequence[Fact]
    scaling: Sequence[str]  # sentences on predictions

    def values(self, name: str) -> str:
        """The values of a fact, in words."""
        for fact in self.facts:
            if fact.name == name:
                return "; ".join(value for value, _ in fact.values)
        return "unknown"


@dataclass(frozen=True)
class Point:
    key: str  # the name of the file with the user's words
    title: str
    sentences: tuple[str, ...]
    words: str  # the user's own text, as HTML


def _platform(matter: Matter) -> list[str]:
    said = [
        f"Hosts: {matter.values('hosts')}, each with {matter.values('cores per host')} cores of "
        f"{matter.values('processor')} and {matter.values('memory, MB')} MB of memory.",
        f"Caches: level 1 data {matter.values('level 1 data cache, bytes')} bytes, level 2 "
        f"{matter.values('level 2 cache, bytes')} bytes, level 3 "
        f"{matter.values('level 3 cache, bytes')} bytes.",
    ]
    kept = matter.rows.kept
    shared = sum(bool(row.get("oversubscribed")) for row in kept)
    if shared:
        said.append(
            f"{shared} of {len(kept)} measurements (mark *) had more busy processes than cores. They "
            "describe this machine with shared cores, not a system with a core per process."
        )
    if len(matter.rows.machines) > 1:
        said.append(
            f"The report has results of {len(matter.rows.machines)} different machines: "
            + "; ".join(
                f"{name}: {' + '.join(kind)}" for kind, name in matter.rows.machines.items()
            )
            + ". No line of a picture mixes machines."
        )
    return said


def _language(matter: Matter) -> list[str]:
    return [
        f"The programs are written in {matter.values('language')} and were compiled by "
        f"{matter.values('compiler')}; combench {matter.values('combench')}, revision "
        f"{matter.values('revision')}."
    ]


def _system(matter: Matter) -> list[str]:
    return [
        f"{matter.values('operating system')}, {matter.values('kernel')}.",
        f"CPU frequency governor: {matter.values('CPU frequency governor')}. Kernel settings that "
        "affect communication are listed under Environment; combench does not change them.",
    ]


def _communication(matter: Matter) -> list[str]:
    technologies = ", ".join(dict.fromkeys(row.get("technology") for row in matter.rows.kept))
    waits = ", ".join(
        dict.fromkeys(
            str(row.get("wait.effective"))
            for row in matter.rows.kept
            if row.get("wait.effective") is not None
        )
    )
    said = [
        f"Data was sent over: {technologies}. Control messages used {matter.values('MPI library')}."
    ]
    if waits:
        said.append(f"Effective wait policies of receivers: {waits}.")
    networks = {
        str(rank["network"])
        for document in matter.documents
        for rank in document.data.get("environment", {}).get("ranks", [])
        if "network" in rank
    }
    if networks:
        said.append(f"Sockets used {', '.join(sorted(networks))}.")
    return said


def _range(values: Sequence[float]) -> str:
    return f"{number(min(values))} to {number(max(values))}"


def _measuring(matter: Matter) -> list[str]:
    kept = matter.rows.kept
    imprecise = sum(row.get("stopped_by") in ("max-time", "messages") for row in kept)
    totals = sum(row.get("rates_from") == "totals" for row in kept)
    said = [
        "Times are from the buffer that the sender fills to the buffer that the receiver reads. A "
        "figure is the median over blocks of steps, with its distribution-free 95 % confidence "
        "interval in brackets. Beside a computing task it is the mean, with an interval by Student's t.",
        f"{imprecise} of {len(kept)} measurements (mark ~) did not reach the requested precision.",
    ]
    if totals:
        said.append(
            f"In {totals} measurements (mark <) something was lost or waited for: their rates are what was delivered "
            "in all of the time, and their times are medians, which leave rare waits out."
        )
    said += _of_launches(kept)
    touched = [row.get("touch_us") for row in kept if row.get("touch_us") is not None]
    if touched:
        said.append(
            "Receivers read every byte. Reading a packet takes "
            f"{_range(touched)} us, which is included in the figures."
        )
    if any(row.get("in_flight_limit") is not None for row in kept):
        said.append(
            "In note 48 no action ensues in the supervisor of a farm from a decision. The open loop "
            "(offered rate) satisfies that. The closed loop does not: a decision lets the supervisor "
            "issue the next event, since without a limit of events in flight, messages would pile up "
            "at the highest rate. It shows that rate; the open loop shows a rate without feedback."
        )
    harness = [
        100 * row.get("harness_us") / known.value
        for row in kept
        for known in [row.figure("time_us")]
        if row.get("harness_us") is not None and known is not None and known.value > 0
    ]
    if harness:
        said.append(
            "Overhead of the programs, measured with a transport that moves no data: "
            f"{number(statistics.median(harness))} % of a step (median of group 1)."
        )
    return said


_MODES_LISTED = 8
_MAIN = ("time_us", "frequency_Hz")  # the figures of a row whose launches are compared


def _of_launches(kept: Sequence[Row]) -> list[str]:
    """How far launches of a measurement differ, and which figures have two modes."""
    found = []
    for row in kept:
        name = next((name for name in _MAIN if row.own_figure(name) is not None), "")
        known = variation_of(row.figures(name)) if name and row.earlier else None
        if known is not None:
            found.append((row, name, known))
    if not found:
        return []
    between = [known.between_pct for _, _, known in found]
    shares = [known.between_share for _, _, known in found if known.between_share is not None]
    part = f", {100 * statistics.median(shares):.0f} % of its variance (median)" if shares else ""
    said = [
        f"{counted(len(found), 'measurement')} had {_counts(known for _, _, known in found)} launches. "
        f"The standard deviation between launches is {number(statistics.median(between))} % of the "
        f"figure (median), at most {number(max(between))} %{part}; the rest is that of blocks. Figures are "
        "means over launches, and their intervals have the variation between launches. Values without "
        "an interval, such as settings, are those of the latest launch."
    ]
    bimodal = [
        f"{benchmark_title(row.get('benchmark'))}, {row.shape}, {row.get('size_bytes')} bytes over "
        f"{row.get('technology')}, {name}: "
        + " and ".join(f"{number(mode.value)} in {mode.launches} launches" for mode in known.modes)
        for row, name, known in found
        if known.modes
    ]
    if bimodal:
        more = len(bimodal) - _MODES_LISTED
        listed = "; ".join(bimodal[:_MODES_LISTED]) + (f"; and {more} more" if more > 0 else "")
        said.append(f"Bimodal figures (mark b), whose mean no launch shows: {listed}.")
    return said


def _counts(every: Iterable[Variation]) -> str:
    counts = sorted({one.launches for one in every})
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _caching(matter: Matter) -> list[str]:
    ratios = _hot_and_rotated(matter.rows.kept)
    said = []
    if ratios:
        said.append(
            "Time with more buffers than the caches hold (rotate), relative to reused buffers (hot): "
            + "; ".join(ratios)
            + "."
        )
    else:
        ways = dict.fromkeys(str(row.get("buffers")) for row in matter.rows.kept)
        said.append(
            f"Not measured: all measurements used {', '.join(ways)} buffers. To measure the effect, "
            'write "buffers = hot, rotate" in a section of a plan, as the plan full does.'
        )
    return said


def _listed(of_sizes: Mapping[int, float]) -> str:
    """Values by packet size, in words."""
    sizes = sorted(of_sizes)
    return ", ".join(f"{number(of_sizes[size])} ({size} bytes)" for size in sizes)


def _hot_and_rotated(rows: Sequence[Row]) -> list[str]:
    """Time with rotated buffers divided by time with hot buffers, where both were measured: by size,
    for each pattern."""
    keys = [key for key in (*ORIGIN, *identity_paths(), "wait") if key != "buffers"]
    hot: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        if row.get("buffers") == "hot":
            hot[tuple(row.get(key) for key in keys)] = row
    found: dict[str, dict[int, float]] = {}
    for row in rows:
        other = hot.get(tuple(row.get(key) for key in keys))
        if row.get("buffers") != "rotate" or other is None:
            continue
        rotated, same = row.figure("time_us"), other.figure("time_us")
        if rotated and same and same.value > 0:
            counted_by = row.definition.count
            count = "" if counted_by.is_fixed else f", {row.shape} {counted_by.column}"
            what = (
                f"{benchmark_title(row.get('benchmark'))} over {row.get('technology')}, "
                f"{row.get('mode')}{count}{' *' if row.get('oversubscribed') else ''}"
            )
            found.setdefault(what, {})[row.get("size_bytes")] = rotated.value / same.value
    return [f"{what}: {_listed(of_sizes)}" for what, of_sizes in found.items()]


def _bare(matter: Matter) -> list[str]:
    """Plain MPI as a supplement, which the note accepts beside results from user to user."""
    found: dict[str, dict[int, float]] = {}
    for row in matter.rows.kept:
        if row.get("over_bare") is not None:
            found.setdefault(str(row.get("mode")), {})[row.get("size_bytes")] = row.get("over_bare")
    if not found:
        return ["Not measured; the plan note48 does."]
    return [
        "All other figures include combench's transport. Its time relative to a plain MPI loop, "
        "measured in turn: "
        + "; ".join(f"{mode}: {_listed(of_sizes)}" for mode, of_sizes in found.items())
        + ". The table of bare MPI has the times without it."
    ]


_QUIET_PCT = 1.0


def disturbances(documents: Sequence[Document]) -> list[str]:
    """A warning where other processes used the cores before the runs; else nothing."""
    stolen = values_of(documents, "noise", "stolen_pct")
    disturbed = sum(value > _QUIET_PCT for value in stolen)
    if not disturbed:
        return []
    return [
        f"Before {disturbed} of {len(stolen)} runs, other processes used more than {_QUIET_PCT:g} % "
        f"of the CPU time (up to {number(max(stolen))} %). The confidence intervals do not include "
        "this disturbance; measure again on an idle machine."
    ]


def _users(matter: Matter) -> list[str]:
    stolen = values_of(matter.documents, "noise", "stolen_pct")
    longest = values_of(matter.documents, "noise", "longest_us")
    if not stolen:
        return ["Not measured: the documents have no noise probe."]
    said = (
        f"A probe before each of {len(stolen)} runs measured the CPU time used by other processes: "
        f"median {number(statistics.median(stolen))} %, at most {number(max(stolen))} %"
    )
    said += f"; longest gap {number(max(longest))} us." if longest else "."
    quiet = [f"No run had more than {_QUIET_PCT:g} %."]
    return [said, *(disturbances(matter.documents) or quiet)]


def _scaling(matter: Matter) -> list[str]:
    counts = [row.get("processors") for row in matter.rows.kept if row.get("processors")]
    said = [f"Measured with up to {max(counts)} processes."] if counts else []
    if matter.scaling:
        return said + list(matter.scaling)
    return said + [
        "There is no prediction for more processes in this directory. To make one: combench predict "
        "DIR --scale 100,1000 --output DIR/prediction.json."
    ]


def _lists(matter: Matter) -> list[str]:
    return lists.cost(matter.rows.kept)


_POINTS: tuple[tuple[str, str, Callable[[Matter], list[str]]], ...] = (
    ("platform", "Hardware platform and configuration", _platform),
    ("language", "Programming language", _language),
    ("system", "Operating system and tuning", _system),
    ("communication", "Communication method", _communication),
    ("measuring", "Measuring method", _measuring),
    ("caching", "Effects of caching", _caching),
    ("lists", "Changing the list of each broadcast", _lists),
    ("supplement", "Bare results", _bare),
    ("users", "Other users", _users),
    ("scaling", "Scaling to 100 and 1000 sources and destinations", _scaling),
)
POINTS = tuple(key for key, _, _ in _POINTS)
SUMMARY = "summary"  # the user's text in the first section


def points(matter: Matter, texts: Mapping[str, str]) -> list[Point]:
    """The points; one that this run has no results for, and that the note does not demand, is left
    out."""
    made = [
        Point(key, title, tuple(write(matter)), remarks.as_html(texts.get(key, "")))
        for key, title, write in _POINTS
    ]
    return [point for point in made if point.sentences or point.words]


def further(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """The user's texts that belong to no point: names and HTML."""
    known = {SUMMARY, *POINTS}
    return [(key, remarks.as_html(text)) for key, text in texts.items() if key not in known]
