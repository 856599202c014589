"""What limits a farm: what its parts can do by other measurements of the same directory, and by
arithmetic, against what the farm did."""

from __future__ import annotations

from typing import Iterable, Sequence

from combench.report.figures import frequency, number
from combench.report.rows import Bound, Row, computing_bounds, cores_of, usual

_NEAR = 0.75  # of a bound that is reached: then it is named as the limit
_NOTE_BYTES = 64  # the size nearest to the supervisor's 16 bytes that all programs measure


def _like(row: Row, rows: Iterable[Row], **wanted: object) -> Iterable[Row]:
    """Usual rows of the same technology and machine with these values, on cores of their own."""
    for other in rows:
        same = (other.get("technology"), other.machine) == (row.get("technology"), row.machine)
        if same and not other.get("oversubscribed"):
            if all(other.get(key) == value for key, value in wanted.items()):
                yield other


def _communicating(row: Row, rows: Sequence[Row]) -> list[Bound]:
    """By benchmarks of group 1, where they had cores of their own."""
    sources, size = row.get("sources"), row.get("size_bytes")
    if row.get("oversubscribed") or sources is None:
        return []
    alone = usual(rows)
    bounds = []
    for other in _like(
        row, alone, benchmark="funnel", mode="event", sources=sources, size_bytes=size
    ):
        rate_hz = (row.get("destinations") or 1) * other.get("frequency_Hz")
        bounds.append(Bound("what the destinations can take in (1.7)", rate_hz))
    for other in _like(row, alone, benchmark="oneway", mode="stream", size_bytes=size):
        bounds.append(Bound("what a source can send (1.1)", other.get("frequency_Hz")))
    if row.get("benchmark") == "pushfarm":
        for other in _like(
            row,
            alone,
            benchmark="outfarm",
            mode="stream",
            destinations=sources,
            size_bytes=_NOTE_BYTES,
        ):
            what = f"what a supervisor can tell {sources} sources (1.5, {_NOTE_BYTES} bytes)"
            bounds.append(Bound(what, other.get("frequency_Hz")))
    return bounds


def _open_loops(row: Row, rows: Iterable[Row]) -> str:
    """What saturated open loops of the same farm say."""
    keys = ("benchmark", "technology", "machine", "shape", "size_bytes", "algorithm_us")
    said = {
        other.get("limited_by")
        for other in rows
        if other.get("saturated") and all(other.get(key) == row.get(key) for key in keys)
    }
    names = [name for name in ("farm", "supervisor") if name in said]
    if not names:
        return ""
    return f"; in saturated open loops it was the {' and at other rates the '.join(names)}"


def _shared(row: Row) -> str:
    cores = cores_of(row)
    return (
        f"{row.get('processors')} processes share {cores or 'fewer'} cores, so that the cost of "
        "their turns and that of the network cannot be told apart"
    )


def limit_of(row: Row, rows: Sequence[Row]) -> str:
    """In words: the bound that the farm comes near to, or that none of those that are known is."""
    bounds = computing_bounds(row) + _communicating(row, rows)
    after = _open_loops(row, rows)
    if not bounds:
        known = (
            _shared(row) if row.get("oversubscribed") else "no bound is known from this directory"
        )
        return known + after
    least = min(bounds, key=lambda bound: bound.rate_hz)
    share = row.get("frequency_Hz") / least.rate_hz
    part = f"{number(100 * share)} % of {frequency(least.rate_hz)}"
    if share >= _NEAR:
        return f"{least.what}: {part} is reached{after}"
    if row.get("oversubscribed"):
        return f"{_shared(row)}; the algorithms alone would allow more ({part} is reached){after}"
    return f"not found: the nearest bound is {least.what}, of which {part} is reached{after}"
