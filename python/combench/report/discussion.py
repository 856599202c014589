"""The discussion of results that DAQ note 48 asks for, point by point, written from what was measured.

A point says nothing that is not in the documents; what was not measured it calls so, with how to
measure it. The user's own words on a point stand behind it: discussion/POINT.md.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence

from combench.report import remarks
from combench.report.charts import benchmark_title
from combench.report.facts import Fact, values_of
from combench.report.figures import number
from combench.report.load import Document
from combench.report.rows import ORIGIN, Row, Rows, identity_paths


@dataclass(frozen=True)
class Matter:
    """What the points are written from."""

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
    words: str  # the user's, as HTML


def _platform(matter: Matter) -> list[str]:
    said = [
        f"Hosts: {matter.values('hosts')}, each with {matter.values('cores of a host')} cores of "
        f"{matter.values('processor')} and {matter.values('memory, MB')} MB of memory.",
        f"Caches: {matter.values('first level cache, bytes')} bytes of first, "
        f"{matter.values('second level cache, bytes')} of second and "
        f"{matter.values('third level cache, bytes')} of third level.",
    ]
    kept = matter.rows.kept
    shared = sum(bool(row.get("oversubscribed")) for row in kept)
    if shared:
        said.append(
            f"{shared} of {len(kept)} figures (mark *) are of more busy processes than cores: they "
            "say what this machine does under that load, and nothing about as many machines."
        )
    if len(matter.rows.machines) > 1:
        said.append(
            f"Results of {len(matter.rows.machines)} different machines are in this report: "
            + "; ".join(
                f"{name}: {' + '.join(kind)}" for kind, name in matter.rows.machines.items()
            )
            + ". They are never on one line."
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
        f"Governor of the clock frequency: {matter.values('governor of the clock frequency')}. The "
        "kernel settings that bear on communication are listed under Environment as they were; "
        "combench changes none.",
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
        f"Technologies that moved the data: {technologies}. Control by {matter.values('MPI library')}."
    ]
    if waits:
        said.append(f"Receivers waited in these ways, as read back from the library: {waits}.")
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
    imprecise = sum(row.get("stopped_by") == "max-time" for row in kept)
    said = [
        "From end user to end user: from the buffer that the sender fills to the buffer that the "
        "receiver reads. A figure is the median of blocks of steps; the bracket behind it is the 95 % "
        "interval of that median, which presumes nothing of the distribution. Beside a computing task "
        "it is total time over steps.",
        f"{imprecise} of {len(kept)} figures (mark ~) did not reach the precision that was asked for.",
    ]
    repeated = _repeatability(matter.rows.repeats)
    if repeated:
        said.append(repeated)
    touched = [row.get("touch_us") for row in kept if row.get("touch_us") is not None]
    if touched:
        said.append(
            "Receivers refer to every byte. Reading the data of one packet costs "
            f"{_range(touched)} us, which the figures contain."
        )
    harness = [
        100 * row.get("harness_us") / known.value
        for row in kept
        for known in [row.figure("time_us")]
        if row.get("harness_us") is not None and known is not None and known.value > 0
    ]
    if harness:
        said.append(
            "The programs themselves, measured over a transport that moves nothing, take "
            f"{number(statistics.median(harness))} % of a step in the median of the rows of group 1."
        )
    return said


def _repeatability(repeats: Sequence[tuple[Row, Row]]) -> str:
    """How far figures of repeated measurements are apart."""
    ratios = []
    for earlier, later in repeats:
        before, after = earlier.get("frequency_Hz"), later.get("frequency_Hz")
        if before and after:
            ratios.append(max(before, after) / min(before, after))
    if not ratios:
        return ""
    return (
        f"{len(ratios)} measurements were made more than once; their frequencies differ by a factor "
        f"of {number(statistics.median(ratios))} in the median and {number(max(ratios))} at most. The "
        "answer takes all of them; pictures and tables have the latest one."
    )


def _caching(matter: Matter) -> list[str]:
    ratios = _hot_and_rotated(matter.rows.kept)
    said = []
    if ratios:
        said.append(
            "The same buffers again and again (hot), against more than the caches hold (rotated): "
            + "; ".join(ratios)
            + "."
        )
    else:
        ways = dict.fromkeys(str(row.get("buffers")) for row in matter.rows.kept)
        said.append(
            f"Not measured here: all figures are with {', '.join(ways)} buffers. A section with "
            '"buffers = hot, rotate" in a plan measures the effect, as oneway-caches of the plan full.'
        )
    return said


def _hot_and_rotated(rows: Sequence[Row]) -> list[str]:
    """Time with rotated over time with hot buffers, for all that was measured with both."""
    keys = [key for key in (*ORIGIN, *identity_paths(), "wait") if key != "buffers"]
    hot: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        if row.get("buffers") == "hot":
            hot[tuple(row.get(key) for key in keys)] = row
    said = []
    for row in rows:
        other = hot.get(tuple(row.get(key) for key in keys))
        if row.get("buffers") != "rotate" or other is None:
            continue
        rotated, same = row.figure("time_us"), other.figure("time_us")
        if rotated and same and same.value > 0:
            said.append(
                f"{benchmark_title(row.get('benchmark'))} over {row.get('technology')}, "
                f"{row.get('mode')}, {row.get('size_bytes')} bytes: {number(rotated.value / same.value)}"
                f" times ({number(same.value)} us {same.marks} and {number(rotated.value)} us "
                f"{rotated.marks})".replace("  ", " ")
            )
    return said


_QUIET_PCT = 1.0


def disturbances(documents: Sequence[Document]) -> list[str]:
    """What the probes before the runs say of other users; nothing where all was quiet."""
    stolen = values_of(documents, "noise", "stolen_pct")
    disturbed = sum(value > _QUIET_PCT for value in stolen)
    if not disturbed:
        return []
    return [
        f"{disturbed} of {len(stolen)} runs began while others took more than {_QUIET_PCT:g} % "
        f"of the time (up to {number(max(stolen))} %): their figures are what the machine gave beside "
        "others, and no interval contains that."
    ]


def _users(matter: Matter) -> list[str]:
    stolen = values_of(matter.documents, "noise", "stolen_pct")
    longest = values_of(matter.documents, "noise", "longest_us")
    if not stolen:
        return ["Not measured: the documents have no probe of noise."]
    said = (
        f"Before each of {len(stolen)} runs a probe looked for time taken by others: "
        f"{number(statistics.median(stolen))} % in the median, {number(max(stolen))} % at most"
    )
    said += f", in gaps of up to {number(max(longest))} us." if longest else "."
    quiet = [f"None took more than {_QUIET_PCT:g} %."]
    return [said, *(disturbances(matter.documents) or quiet)]


def _scaling(matter: Matter) -> list[str]:
    counts = [row.get("processors") for row in matter.rows.kept if row.get("processors")]
    said = [f"Measured with up to {max(counts)} processes."] if counts else []
    if matter.scaling:
        return said + list(matter.scaling)
    return said + [
        "There is no prediction for 100 and 1000 sources and destinations in this directory; "
        "combench predict DIR --scale 100,1000 --output DIR/prediction.json makes one. Nothing is "
        "extrapolated here."
    ]


_POINTS: tuple[tuple[str, str, Callable[[Matter], list[str]]], ...] = (
    ("platform", "Hardware platform and configuration", _platform),
    ("language", "Programming language", _language),
    ("system", "Operating system and tuning", _system),
    ("communication", "Communication method", _communication),
    ("measuring", "Measuring method", _measuring),
    ("caching", "Effects of caching", _caching),
    ("users", "Other users", _users),
    ("scaling", "Scaling to 100 and 1000 sources and destinations", _scaling),
)
SUMMARY = "summary"  # the user's words beside the answer


def points(matter: Matter, texts: Mapping[str, str]) -> list[Point]:
    return [
        Point(key, title, tuple(write(matter)), remarks.as_html(texts.get(key, "")))
        for key, title, write in _POINTS
    ]


def further(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Texts of the user that belong to no point: their names, and their HTML."""
    known = {SUMMARY, *(key for key, _, _ in _POINTS)}
    return [(key, remarks.as_html(text)) for key, text in texts.items() if key not in known]
