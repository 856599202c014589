"""What limits a farm: what its parts can do by other measurements of the same directory, and by
arithmetic, against what the farm did."""

from __future__ import annotations

from typing import Iterable, Sequence

from combench.common import catalogue
from combench.common.catalogue import evaluate
from combench.report.figures import frequency, number
from combench.report.rows import Bound, Row, computing_bounds, cores_of, usual

_NEAR = 0.75  # of a bound that is reached: then it is named as the limit


def _like(row: Row, rows: Iterable[Row], **wanted: object) -> Iterable[Row]:
    """Usual rows of the same technology and machine with these values, on cores of their own."""
    for other in rows:
        same = (other.get("technology"), other.machine) == (row.get("technology"), row.machine)
        if same and not other.get("oversubscribed"):
            if all(other.get(key) == value for key, value in wanted.items()):
                yield other


def _communicating(row: Row, rows: Sequence[Row]) -> list[Bound]:
    """By what other benchmarks measured, where ranks had cores of their own: the bounds of the
    farm's definition."""
    if row.get("oversubscribed") or row.get("sources") is None:
        return []
    farm = {"sources": row.get("sources"), "destinations": row.get("destinations") or 1}
    alone = usual(rows)
    control_bytes = min(filter(None, catalogue.known().note_sizes_bytes))
    bounds = []
    for bound in row.definition.bounds:
        benchmark = catalogue.known().benchmark(bound.benchmark)
        size = control_bytes if bound.control else row.get("size_bytes")
        wanted = {
            "benchmark": bound.benchmark,
            "mode": bound.mode,
            "size_bytes": size,
        }
        if not benchmark.count.is_fixed:
            wanted[benchmark.count.column] = evaluate(bound.count, **farm)
        where = f"{benchmark.id}, {size} bytes" if bound.control else benchmark.id
        for other in _like(row, alone, **wanted):
            if other.get("frequency_Hz") is not None:
                rate_hz = evaluate(bound.times, **farm) * other.get("frequency_Hz")
                bounds.append(Bound(f"{bound.what.format(**farm)} ({where})", rate_hz))
    return bounds


def _open_loops(row: Row, rows: Iterable[Row]) -> str:
    """What saturated open loops of the same farm say."""
    keys = ("benchmark", "technology", "machine", "shape", "size_bytes", "algorithm_us")
    said = {
        other.get("limited_by")
        for other in rows
        if other.get("saturated") and all(other.get(key) == row.get(key) for key in keys)
    }
    names = [name for name in catalogue.known().columns["limited_by"].values if name in said]
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
