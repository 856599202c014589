"""Of the page note48.md: what the note asks of all benchmarks, and the points of its discussion."""

from __future__ import annotations

from typing import Any, Iterator

from page import Json, Kept, Line, Missing, Page, Row, figure, joined, number, ratio, value

KILO = 1e-3  # Hz as kHz
SIZES = (0, 64, 256, 1024)


def _fits(kept: Kept, benchmark: str, mode: str) -> str:
    """Hockney's parameters of all segments."""
    found = [
        fit
        for _, document in kept.results()
        if document["benchmark"] == benchmark
        for fit in document["fit"]
        if fit.get("mode") == mode and "r_inf_MBps" in fit
    ]
    if not found:
        return str(kept.fit(benchmark=benchmark, mode=mode))
    return "; ".join(
        f"{fit['from_bytes']} to {fit['to_bytes']} bytes: overhead {number(fit['overhead_us'])} us,"
        f" throughput {number(fit['r_inf_MBps'])} MB/s, half of it at {number(fit['n_half_bytes'])}"
        " bytes"
        for fit in found[:4]
    )


def _caching(kept: Kept) -> str:
    """Streams with more buffers than the caches hold against streams with the same ones."""
    found = []
    for benchmark, size in (("oneway", 64), ("oneway", 1024), ("oneway", 1 << 20), ("outfarm", 1024)):
        wanted: Json = {"benchmark": benchmark, "mode": "stream", "size_bytes": size}
        if benchmark == "outfarm":
            wanted["destinations"] = 4
        hot, cold = (kept.row(buffers=buffers, **wanted) for buffers in ("hot", "rotate"))
        if isinstance(cold, Missing):
            return str(cold)
        times = ratio(value(cold, "round_us"), value(hot, "round_us"))
        found.append(f"{cold['benchmark']}, {size} bytes: {times} times")
    return f"time with more buffers than the caches hold / with the same ones: {'; '.join(found)}"


def _environments(kept: Kept) -> Iterator[Json]:
    for _, document in kept.results():
        yield document["environment"]


def _each(kept: Kept, path: tuple[str | int, ...]) -> str:
    """The different values at a path of the environments."""
    found = []
    for environment in _environments(kept):
        place: Any = environment
        try:
            for part in path:
                place = place[part]
        except (KeyError, IndexError):
            continue
        found.append(str(place))
    return joined(dict.fromkeys(found)) or str(Missing("no document has it"))


def _tuning(kept: Kept) -> str:
    tuning = next((one["hosts"][0].get("tuning", {}) for one in _environments(kept)), None)
    if not tuning:
        return str(Missing("no document has kernel settings"))
    return f"{len(tuning)} kernel settings are in each document; {tuning.get('clocksource', '?')} as clock, " + (
        f"huge pages {tuning.get('transparent_hugepage', '?')}; nothing was tuned"
    )


def _harness(kept: Kept) -> str:
    row = _one_way(kept, 64)
    if isinstance(row, Missing) or "harness_us" not in row:
        return str(Missing(kept.reason(benchmark="oneway")))
    share = 100 * row["harness_us"] / row["latency_us"]["median"]
    return (
        f"1.1 at 64 bytes: {figure(row, 'latency_us', 'us')}, of which"
        f" {number(row['touch_us'])} us is the reading of the bytes and {number(share)} % the"
        " program itself"
    )


def _users(kept: Kept) -> str:
    stolen = sorted(one["noise"]["stolen_pct"] for one in _environments(kept) if "noise" in one)
    if not stolen:
        return str(Missing("no document has the probe"))
    return (
        f"a probe before each of {len(stolen)} starts: {number(stolen[len(stolen) // 2])} % of a"
        f" core taken by others in the median, {number(stolen[-1])} % at most"
    )


def _measured(kept: Kept) -> str:
    rows = kept.rows()
    if not rows:
        return str(Missing("no results are kept"))
    sizes = sorted({row["size_bytes"] for row in rows if row["benchmark"] == "oneway"})
    return (
        f"{sum(row['size_bytes'] in SIZES for row in rows)} measurements at {', '.join(map(str, SIZES))} bytes; 1.1 at {len(sizes)} sizes"
        f" to {max(sizes, default=0)} bytes"
    )


def comments(kept: Kept, page: Page) -> None:
    page.heading("What the note asks of all benchmarks")
    page.compare(
        [
            (
                "end-user-to-end-user figures with all overheads",
                "required",
                _harness(kept),
                "times run from the buffer that the sender fills to the one that the receiver"
                " reads, over MPI within one host instead of a network",
            ),
            (
                "overhead, maximum throughput, packet size of half the throughput: 1.1 ping-pong",
                "asked",
                _fits(kept, "oneway", "pingpong"),
                "one line does not describe all sizes, because MPI changes its protocol, so each"
                " range of sizes has a line of its own",
            ),
            (
                "the same: 1.1 stream",
                "asked",
                _fits(kept, "oneway", "stream"),
                "where a range is missing no line fits within a fifth of the time",
            ),
            (
                "frequency",
                "asked",
                "in each table below" if kept.rows() else str(Missing("no results are kept")),
                "none",
            ),
            ("packet sizes 0, 64, 256, 1024 bytes, curves encouraged", "required", _measured(kept), "none"),
            (
                "conditions that can be extrapolated to several hundred nodes",
                "required",
                _predicted(kept.document("prediction")),
                "predictions stand on the shared memory of one host",
            ),
            (
                "a continuous computing task of lower priority (group 1)",
                "required",
                _task(kept),
                "the priority is that of Linux: the task runs where nothing else is ready",
            ),
            (
                "algorithms of 'zero', 50 and 500 us a packet (group 2)",
                "required",
                _algorithms(kept),
                "a packet's algorithm takes longer where processes share cores, since it is"
                " interrupted",
            ),
            (
                "the 'zero' algorithm refers to the data",
                "required",
                f"reading 1024 bytes takes {figure(_one_way(kept, 1024), 'touch_us', 'us')}",
                "every byte is read",
            ),
            (
                "performance is independent of the content",
                "assumed",
                Missing("no benchmark varies the content alone"),
                "packets of 1.5 differ by destination, all others are the same while they are timed",
            ),
        ],
        "comment",
    )
    _bare(kept, page)


def _predicted(prediction: Row) -> str:
    if isinstance(prediction, Missing):
        return str(prediction)
    return f"{len(prediction['results'])} predictions for 100 and 1000; those at 1024 bytes end the page"


def _one_way(kept: Kept, size: int) -> Row:
    return kept.row(benchmark="oneway", mode="pingpong", size_bytes=size)


def _task(kept: Kept) -> str:
    """The priority of the computing tasks."""
    found = [
        rank["computing"]["priority"]
        for environment in _environments(kept)
        for rank in environment["ranks"]
        if "computing" in rank
    ]
    return joined(dict.fromkeys(found)) or str(Missing(kept.reason(occupation="destination")))


def _algorithms(kept: Kept) -> str:
    """What the algorithms of the largest push farm took."""
    found = []
    for algorithm_us in (50, 500):
        wanted = {"benchmark": "pushfarm", "mode": "closed", "algorithm_us": algorithm_us}
        row = kept.row(size_bytes=64, sources=4, destinations=4, **wanted)
        if isinstance(row, Missing):
            return str(row)
        found.append(f"{algorithm_us} us asked: {figure(row, 'algorithm_true_us', 'us')} taken")
    return "; ".join(found)


def _bare(kept: Kept, page: Page) -> None:
    page.heading("Bare results", 3)
    page.text(
        "Seed: \"bare or hardware results may be supplied in addition\". Here a plain loop of MPI"
        " calls takes turns with 1.1."
    )
    lines = []
    for mode, what, key in (("pingpong", "ping-pong", "latency_us"), ("stream", "stream", "round_us")):
        wanted = {"benchmark": "bare", "mode": mode}
        lines += [
            Line(f"{what}, plain MPI, us", "may be supplied", key, wanted),
            Line(f"{what}, 1.1 / plain MPI", "may be supplied", "over_bare", wanted),
        ]
    page.sized(kept, "figure", SIZES, lines)


def _longest_s(kept: Kept) -> float:
    """The largest --max-time."""
    return max((one["parameters"].get("max_time_s", 0) for _, one in kept.results()), default=0)


def discussion(kept: Kept, page: Page) -> None:
    page.heading("Discussion of results")
    page.compare(
        [
            (
                "hardware platform and configuration",
                "asked",
                f"{_each(kept, ('hosts', 0, 'cpu'))}, {_each(kept, ('hosts', 0, 'cores'))} cores,"
                f" level 2 and 3 caches of {_each(kept, ('hosts', 0, 'l2_bytes'))} and"
                f" {_each(kept, ('hosts', 0, 'l3_bytes'))} bytes",
                "one host: no network between processors",
            ),
            (
                "programming language",
                "asked",
                f"{_each(kept, ('language',))}, {_each(kept, ('compiler',))}",
                "none",
            ),
            (
                "O/S version and kernel tuning",
                "asked",
                f"{_each(kept, ('hosts', 0, 'os'))}, {_each(kept, ('hosts', 0, 'kernel'))};"
                f" {_tuning(kept)}",
                "none",
            ),
            (
                "communication method",
                "asked",
                f"{_each(kept, ('mpi',))} over shared memory",
                "the other technologies are in the plan `full`",
            ),
            (
                "measuring method",
                "asked",
                "median over blocks of steps with its 95 % confidence interval, at most"
                f" {number(_longest_s(kept))} s each"
                if kept.rows()
                else str(Missing("no results are kept")),
                "[figures](../using/figures.md) has the rest",
            ),
            (
                "possible effects of caching",
                "asked",
                _caching(kept),
                "measured by streams of 1.1 and, to four destinations, of 1.5",
            ),
            ("other users", "asked", _users(kept), "measured before each start, and not while it runs"),
        ],
        "point",
    )
    _scaling(kept, page)


def _scaling(kept: Kept, page: Page) -> None:
    page.heading("Scaling to 100 and 1000 sources and destinations", 3)
    page.text(
        "Seed: \"discuss the scaling possibilities to 100 and 1000 sources/destinations\". Here"
        " they are predicted by the [model](../reference/model.md) from the calibration of the"
        " same run."
    )
    prediction = kept.document("prediction")
    wanted = {100, 1000}
    rows = []
    for row in prediction.get("results", []):
        sizes = {row.get(key) for key in ("sources", "destinations", "processors")}
        if "topology" in row:
            sizes = {int(row["topology"].partition("-")[0])}
        of_note = row["size_bytes"] == 1024 and not row.get("algorithm_us")
        if of_note and (sizes & wanted):
            way = f" by {row['multicast']}" if "list" in row else ""
            shape = f"{row.get('sources', '')} to {row.get('destinations', '')}".strip(" to")
            rows.append([
                f"{row['id']} {row['benchmark']}, {row['mode']}{way},"
                f" {shape or row.get('topology') or row['processors']}",
                "discuss",
                f"{figure(row, 'frequency_Hz', 'kHz', KILO)}, limit: {row['limit']['text']}",
            ])  # fmt: skip
    if not rows:
        rows = [["all benchmarks", "discuss", str(Missing(kept.reason(document="prediction")))]]
    page.table(["benchmark, mode, processors", "seed", "here: predicted at 1024 bytes"], rows)
    page.text(
        "Difference: the calibration is of the shared memory of one host, so the prediction"
        " describes a network as fast as that memory, with a core for each process."
    )
