"""Heat maps of the links between hosts, from rows with a link map."""

from __future__ import annotations

from typing import Sequence

from combench.common.documents import Json
from combench.report.charts import Axis, HeatMap, Picture, file_name
from combench.report.figures import number
from combench.report.rows import Row

_MATRICES = (
    ("one_way_MBps", "throughput one way, MB/s"),
    ("both_ways_MBps", "throughput both ways, MB/s"),
    ("slowest_MBps", "slowest sample, MB/s"),
    ("latency_us", "latency, us"),
    ("stalls", "number of stalls"),
)
_MOST_FAULTS = 12  # in a caption

_DIRECTIONS = {"out": "outwards", "in": "inwards", "both": "in both directions"}


def fault_text(fault: Json) -> str:
    """A fault in words: host03 is slow in both directions (9.8 times, one way)."""
    where = f"{fault['host']} to {fault['peer']}" if "peer" in fault else fault["host"]
    said = f"{where} is {fault['kind']} {_DIRECTIONS[fault['direction']]}"
    if "factor" in fault:
        return f"{said} ({number(fault['factor'])} times the expected time, {fault['figure']})"
    if "stalls" in fault:
        return f"{said} ({fault['stalls']} of {fault['samples']} samples stalled)"
    return said


def _caption(row: Row) -> str:
    faults = row.get("link_faults") or []
    if not faults:
        return "No host and no link differs from the rest."
    shown = "; ".join(fault_text(fault) for fault in faults[:_MOST_FAULTS])
    more = f"; and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
    return f"Faults: {shown}{more}."


def _drawable(matrix: Sequence[Sequence[float | None]]) -> bool:
    return any(value for line in matrix for value in line)


def _picture(row: Row, section: str) -> Picture:
    known = row.get("linkmap")
    names = tuple(host["name"] for host in known["hosts"])
    maps = tuple(
        HeatMap(title, names, tuple(tuple(line) for line in known[key]))
        for key, title in _MATRICES
        if key in known and _drawable(known[key])
    )
    where = ", ".join(filter(None, (row.technology, row.machine)))
    size = row.get("size_bytes")
    return Picture(
        file_name("links", [row.technology, row.machine, size]),
        section,
        f"Links between {len(names)} hosts: {where}, {size} bytes",
        f"Medians of {known['cycles']} samples of each pair. {_caption(row)}",
        Axis("to", "category"),
        Axis("from", "category"),
        (),
        maps,
    )


def pictures(rows: Sequence[Row], section: str) -> list[Picture]:
    """A picture for each map."""
    return [
        _picture(row, section) for row in rows if "latency_us" in (row.get("linkmap") or {})
    ]
