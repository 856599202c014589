"""The table of a prediction, with footnotes for its marks."""

from __future__ import annotations

import math
import statistics
from typing import Any, Callable, Iterable, Iterator

from combench.predict.calibration import calibrating

Json = dict[str, Any]

_INCAST = "at risk of incast, predicted without losses:"
_LOSSES = "frames are dropped at a full buffer; the figures are those with losses:"
SEEDS = (
    "+-: half of the range over the model's seeds; it is not the error of the model "
    "(see combench validate)"
)


def _one_host() -> str:
    return (
        "caution: the calibration was measured on one host, through its memory; predictions for more "
        "processors (p) assume a network that is as fast as this memory; measure "
        f"{calibrating()[0].program} between hosts"
    )


def _is_beyond(row: Json) -> bool:
    return "processors" in row["outside"]


def _shared_cores(row: Json) -> bool:
    """Whether ranks shared cores in the measurement; each processor of the model is one core."""
    return bool(row.get("measured", {}).get("oversubscribed", False))


def _drops(row: Json) -> bool:
    """Whether frames are dropped, or would be in a longer time, since the buffer is not enough."""
    known = row.get("incast", {})
    too_small = known.get("enough_bytes", 0) > known.get("buffer_bytes", math.inf)
    return "dropped_pct" in known and (known["dropped_pct"] > 0 or too_small)


_TURNS = "measured with more ranks than cores; the prediction assumes one core for each rank"
MARKS = (
    ("*", _shared_cores, _TURNS),
    ("s", lambda row: "size" in row["outside"], "size outside of the calibrated range"),
    ("p", _is_beyond, "more processors than measured"),
    ("c", lambda row: "cut" in row, "evaluated in part, to limit the run time:"),
    ("i", lambda row: "incast" in row and "dropped_pct" not in row["incast"], _INCAST),
    ("l", _drops, _LOSSES),
    ("x", lambda row: row.get("saturated", False), "the offered rate is not reached (saturated)"),
)


def _number(value: float) -> str:
    """At most four significant digits; no exponent below 1e7."""
    if value < 1e-3:
        return "0"
    if value >= 1e7:
        return f"{value:.4g}"
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def _shape(row: Json) -> str:
    if "topology" in row:
        return str(row["topology"])
    if "sources" in row and "destinations" in row:
        part = f", {row['fetched']} each" if "fetched" in row else ""
        part += f", {row['accept']:g} of all" if "accept" in row else ""
        return f"{row['sources']}x{row['destinations']}{part}"
    for column, arrow in (("sources", ":1"), ("destinations", "1:")):
        if column in row:
            count = row[column]
            return f"{count}{arrow}" if arrow.startswith(":") else f"{arrow}{count}"
    return ""


def _mode(row: Json) -> str:
    told = "list" in row or row.get("multicast") == "technology"
    changes = "" if row.get("list", "fixed") == "fixed" else f"/{row['list']}"
    mode = f"{row['mode']} {row['schedule']}" if "schedule" in row else str(row["mode"])
    return f"{mode}/{row['multicast']}{changes}" if told else mode


def _figure(row: Json) -> Json:
    found: Json = row["latency_us"] if "latency_us" in row else row["round_us"]
    return found


def _spread(row: Json) -> str:
    figure = _figure(row)
    middle = figure["median"]
    return _number(50 * (figure["max"] - figure["min"]) / middle) if middle > 0 else ""


def _error(row: Json) -> str:
    return f"{row['measured']['error_pct']:+.1f}" if "measured" in row else ""


_COLUMNS: tuple[tuple[str, str, Callable[[Json], str]], ...] = (
    ("", "id", lambda row: str(row["id"])),
    ("", "benchmark", lambda row: str(row["benchmark"])),
    ("", "mode", _mode),
    ("", "shape", _shape),
    ("", "procs", lambda row: str(row["processors"])),
    ("bytes", "size", lambda row: str(row["size_bytes"])),
    ("us", "algor.", lambda row: f"{row['algorithm_us']:g}" if "algorithm_us" in row else ""),
    ("us", "time", lambda row: _number(_figure(row)["median"])),
    ("%", "+-", _spread),
    ("Hz", "frequency", lambda row: _number(row["frequency_Hz"])),
    ("MB/s", "payload", lambda row: _number(row["throughput_MBps"])),
    ("%", "error", _error),
    ("Hz", "knee", lambda row: _number(row["knee_Hz"]) if "knee_Hz" in row else ""),
    ("%", "used", lambda row: f"{row['limit']['used_pct']:.0f}" if "limit" in row else ""),
    ("", "", lambda row: "".join(mark for mark, holds, _ in MARKS if holds(row)) or "-"),
    ("", "saturates first", lambda row: str(row["limit"]["text"]) if "limit" in row else ""),
)
_LEFT = ("id", "benchmark", "mode", "shape", "", "saturates first")


def _lines(rows: list[Json]) -> list[str]:
    cells = [[name for _, name, _ in _COLUMNS], [unit for unit, _, _ in _COLUMNS]]
    cells += [[text(row) for _, _, text in _COLUMNS] for row in rows]
    kept = [at for at in range(len(_COLUMNS)) if any(line[at] for line in cells[2:])]
    widths = {at: max(len(line[at]) for line in cells) for at in kept}

    def line(of: list[str]) -> str:
        aligned = (
            of[at].ljust(widths[at]) if _COLUMNS[at][1] in _LEFT else of[at].rjust(widths[at])
            for at in kept
        )
        return "  ".join(aligned).rstrip()

    return [line(of) for of in cells]


def _head(document: Json) -> list[str]:
    calibration = document["calibration"]
    about = [f"predicted on {document['network']}, calibrated by {', '.join(calibration['from'])}"]
    if "sizes_bytes" in calibration:
        smallest, largest = calibration["sizes_bytes"]
        about.append(f"{smallest:.0f} to {largest:.0f} bytes")
    if "processors" in calibration:
        about.append(f"up to {calibration['processors']} processors measured")
    said = [", ".join(about), *calibration.get("rests_on", ())]
    if calibration.get("hosts") == 1 and any(map(_is_beyond, document["results"])):
        said.append(_one_host())
    return [*said, *_networks(document), ""]


def _networks(document: Json) -> Iterator[str]:
    """The network parameters that ccmod chose for each size, such as the radix of a fat tree."""
    processors: dict[str, int] = {}
    for row in document["results"]:
        name = row.get("network", "")
        if name.partition(":")[0] != "crossbar" and name != document["network"]:
            processors[name] = max(processors.get(name, 0), row["processors"])
    for name, most in sorted(processors.items(), key=lambda one: one[1]):
        if name:
            yield f"network for up to {most} processors: {name}"


_LISTED = 8


def _incast(row: Json) -> Iterator[str]:
    if "why" in row.get("incast", {}):
        yield str(row["incast"]["why"])


def _losses(row: Json) -> Iterator[str]:
    known = row.get("incast", {})
    if _drops(row):
        yield (
            f"{row['size_bytes']} bytes: {_number(known['dropped_pct'])} % of the frames dropped, "
            f"{_number(known['timeouts_per_step'])} timeouts a step; {_number(known['without_us'])} us "
            f"without, with a buffer of {known['enough_bytes']} bytes"
        )


_DETAILS: dict[str, Callable[[Json], Iterable[str]]] = {
    "c": lambda row: row.get("cut", ()),
    "i": _incast,
    "l": _losses,
}


def _details(mark: str, rows: list[Json]) -> Iterator[str]:
    """What the footnote of a mark lists: partial evaluations, losses, and why there are none."""
    if mark not in _DETAILS:
        return
    found = dict.fromkeys(
        f"{row['benchmark']} {_shape(row) or row['processors']}: {one}"
        for row in rows
        for one in _DETAILS[mark](row)
    )
    yield from (f"   {one}" for one in list(found)[:_LISTED])
    if len(found) > _LISTED:
        yield f"   and {len(found) - _LISTED} more (see the document of --output)"


def _errors(rows: list[Json]) -> list[str]:
    """Summary of the errors, separately for measurements on shared cores."""
    said = [""]
    for shared in (False, True):
        errors = sorted(
            abs(row["measured"]["error_pct"])
            for row in rows
            if "measured" in row and _shared_cores(row) == shared
        )
        if errors:
            said.append(
                f"error against measurements{', rows with *' if shared else ''}: median "
                f"{statistics.median(errors):.1f} %, worst {errors[-1]:.1f} %, {len(errors)} rows"
            )
    return said if len(said) > 1 else []


def _farms(rows: list[Json]) -> list[str]:
    """One line for each farm: its rate and its limit."""
    said = []
    for row in rows:
        if "in_flight_limit" not in row:
            continue
        offered = f"{_number(row['offered_Hz'])} Hz offered, " if "offered_Hz" in row else ""
        interval = row["simulated"].get("interval_pct")
        known = f" (+-{_number(interval)} % over seeds)" if interval is not None else ""
        limit = row.get("limit")
        why = "saturated" if row.get("saturated") else "not saturated"
        if limit is not None and limit["limits"]:
            why = f"limited by {limit['text']}"
        elif _drops(row):
            why = f"limited by losses at a full buffer; {row['incast']['enough_bytes']} bytes would be enough"
        elif limit is not None:
            knee = _number(row["knee_Hz"])
            why += f"; saturates first: {limit['text']}, at {knee} Hz"
        said.append(
            f"{row['id']} {_shape(row)}, {_mode(row)}, {row['size_bytes']} bytes: {offered}"
            f"{_number(row['frequency_Hz'])} Hz{known}, {why}; simulated "
            f"{row['simulated']['time_us'] / 1000:.4g} ms, {row['simulated']['steps']} events with "
            f"each of {row['simulated']['seeds']} seeds"
        )
    return ["", *said] if said else []


def table(document: Json) -> str:
    """The aligned rows, the footnotes, and the omitted cases."""
    rows: list[Json] = document["results"]
    lines = _head(document) + _lines(rows) + _farms(rows) + _errors(rows)
    used = [SEEDS] if any(map(_spread, rows)) else []
    for mark, holds, means in MARKS:
        if any(map(holds, rows)):
            used.append(f"{mark}: {means}")
            used += _details(mark, rows)
    lines += ["", *used] if used else []
    if document["left_out"]:
        lines += ["", "left out:"]
        for one in document["left_out"]:
            lines.append(f"  {one['benchmark']}, {one['what']}: {one['reason']}")
    return "\n".join(lines)
