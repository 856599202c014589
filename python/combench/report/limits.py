"""What limits a farm: the rate of the farm compared with upper bounds.

Bounds follow from the work on each packet, and from other benchmarks in the same directory.
"""

from __future__ import annotations

from typing import Iterable, Sequence

from combench.common import catalogue
from combench.common.catalogue import FARM, evaluate
from combench.report.figures import frequency, number
from combench.report.rows import TOLERANCE, Bound, Row, computing_bounds, cores_of, usual

_NEAR = 0.75  # share of a bound from which on the bound is named as the limit


def _like(row: Row, rows: Iterable[Row], **wanted: object) -> Iterable[Row]:
    """Usual rows of the same technology and machine with these values, whose ranks have a core each
    if and only if those of `row` do."""
    keys = ("technology", "machine", "oversubscribed")
    for other in rows:
        if all(other.get(key) == row.get(key) for key in keys):
            if all(other.get(key) == value for key, value in wanted.items()):
                yield other


def _communicating(row: Row, rows: Sequence[Row]) -> list[Bound]:
    """The bounds of the definition. Ranks of a farm and of its bounds need a core each; a benchmark
    that counts processors is compared with as many of them, on the same cores."""
    sources = row.get("sources")
    if sources is None:
        return _of_processors(row, rows)
    if row.get("oversubscribed"):
        return []
    farm = {
        "sources": sources,
        "fetched": round(row.packets_of_event or sources),
        "destinations": row.get("destinations") or 1,
    }
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


def _of_processors(row: Row, rows: Sequence[Row]) -> list[Bound]:
    """Bounds from other benchmarks with the same processors, at the size of a message."""
    known = catalogue.known()
    options = known.own_options(row.definition)
    numbers = known.own_numbers(row.definition, {one.name: row.get(one.key) for one in options})
    numbers["count"] = float(row.get("processors") or 0)
    packed = numbers.get("pack", 1)
    bounds = []
    for bound in row.definition.bounds:
        wanted = {
            "benchmark": bound.benchmark,
            "mode": bound.mode,
            "size_bytes": row.get("size_bytes") * packed,
            "processors": evaluate(bound.count, **numbers),
        }
        for other in _like(row, usual(rows), **wanted):
            if other.get("frequency_Hz") is not None:
                rate_hz = evaluate(bound.times, **numbers) * other.get("frequency_Hz")
                where = known.benchmark(bound.benchmark).id
                bounds.append(Bound(f"{bound.what} ({where})", rate_hz))
    return bounds


def _open_loops(row: Row, rows: Iterable[Row]) -> str:
    """What limited saturated open loops of the same farm."""
    keys = ("benchmark", "technology", "machine", "shape", "size_bytes", "algorithm_us")
    keys += catalogue.known().own_conditions(row.definition)
    said = {
        other.get("limited_by")
        for other in rows
        if other.get("saturated") and all(other.get(key) == row.get(key) for key in keys)
    }
    names = [name for name in catalogue.known().columns["limited_by"].values if name in said]
    if not names:
        return ""
    return f"; limit of saturated open loops: {', at other rates '.join(names)}"


def _shared(row: Row) -> str:
    cores = cores_of(row)
    return (
        f"{row.get('processors')} processes share {cores or 'fewer'} cores, so the costs of "
        "scheduling and of the network cannot be separated"
    )


def limit_of(row: Row, rows: Sequence[Row]) -> str:
    """The limit in words: the bound that the farm nearly reaches, or that there is none."""
    measured = _communicating(row, rows)
    # What a benchmark exceeds is no bound of it: ranks that share cores or memory do other work there.
    exceeded = [bound for bound in measured if row.get("frequency_Hz") > TOLERANCE * bound.rate_hz]
    bounds = computing_bounds(row) + [bound for bound in measured if bound not in exceeded]
    after = _open_loops(row, rows)
    if exceeded and not bounds:
        least = min(exceeded, key=lambda bound: bound.rate_hz)
        return (
            f"unknown: {row.kind} is faster than {least.what}, {frequency(least.rate_hz)}, which is no "
            f"limit here{'; ' + _shared(row) if row.get('oversubscribed') else ''}{after}"
        )
    if not bounds:
        known = (
            _shared(row) if row.get("oversubscribed") else "unknown: no bound was measured"
        )
        return known + after
    least = min(bounds, key=lambda bound: bound.rate_hz)
    share = row.get("frequency_Hz") / least.rate_hz
    part = f"{number(100 * share)} % of {frequency(least.rate_hz)}"
    if share >= _NEAR:
        return f"{least.what}: {row.kind} reaches {part}{after}"
    if row.get("oversubscribed") and row.definition.group == FARM:
        return f"{_shared(row)}; the work on packets allows more (the farm reaches {part}){after}"
    return f"not found: the nearest bound is {least.what}, of which {row.kind} reaches {part}{after}"
