#!/usr/bin/python3
"""Check result documents: validate.py SCHEMA FILE...

Beside the JSON schema this checks what a schema cannot say: that histograms, intervals, blocks,
frequencies and throughputs of a row agree with each other, and that rows can be distinguished. Every
fault is printed as FILE: PLACE: TEXT. Exit status: 0 all are valid, 1 a document has faults, 2 a
file cannot be read or the arguments are wrong.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import jsonschema

Json = dict[str, Any]
Fault = tuple[str, str]

# Documents carry nine significant digits.
DIGITS_TOLERANCE = 1e-6
# Frequency and throughput may be taken from different blocks of one measurement, never further
# apart than this.
RATE_TOLERANCE = 1e-2


def catalogue() -> Json:
    """benchmarks.json, as the build made it."""
    build = Path(os.environ.get("builddir", Path(__file__).parents[2] / "build"))
    known: Json = json.loads((build / "benchmarks.json").read_text(encoding="utf-8"))
    return known


KNOWN = catalogue()
BENCHMARKS: dict[str, Json] = {one["name"]: one for one in KNOWN["benchmarks"]}

# The counters of technologies, by the object that they stand in.
COUNTERS: dict[str, set[str]] = {}
for technology in KNOWN["technologies"]:
    for counter in technology["counters"]:
        COUNTERS.setdefault(counter["group"], set()).add(counter["key"])


def count_of(row: Json, benchmark: Json) -> int:
    """What the formulas of a benchmark call count; of a topology what its last stage receives."""
    column = benchmark["count"]["column"]
    return int(row[column].split("-")[-2]) if column == "topology" else int(row[column])


def own_numbers(row: Json, benchmark: Json) -> dict[str, float]:
    """The options that only this benchmark has, as numbers in formulas; choices by their place."""
    numbers = {}
    for option in KNOWN["options"]:
        value = row.get(option.get("key", ""))
        if option["programs"] != [benchmark["program"]] or value is None:
            continue
        if option["type"] == "choice":
            numbers[option["name"]] = option["choices"].index(value) + 1.0
        elif option["type"] == "count":
            numbers[option["name"]] = float(value)
    return numbers


def packets_of(row: Json, benchmark: Json) -> float:
    """Packets that all destinations together receive in one unit of frequency_Hz."""
    modes = benchmark["modes"]
    mode = next((one for one in modes if one["name"] == row.get("mode")), modes[0])
    if mode["frequency"] == "packets":
        return 1
    names = own_numbers(row, benchmark)
    if "count" in mode["packets"]:
        names["count"] = row.get("fetched") or count_of(row, benchmark)
        if "accept" in row:
            share = row["accepted"] / row["decided"] if row["decided"] else 0
            names["count"] += share * (row["sources"] - row["fetched"])
    functions = {"__builtins__": {}, "bits": lambda number: int(number).bit_length()}
    packets = float(eval(mode["packets"], functions, names))
    return packets / float(eval(mode.get("events", "1"), functions, names))


# A percentile and the share of the samples beyond it, one in N; it needs ten of them.
PERCENTILES = {"p50": 2, "p90": 10, "p99": 100, "p99_9": 1000}
SAMPLES_BEYOND = 10

# On which sides there may be a computing task; nodes are both.
SIDES: dict[str, tuple[set[str], ...]] = {
    "none": (set(),),
    "source": ({"source"},),
    "destination": ({"destination"},),
    "both": ({"source", "destination"}, {"node"}),
}

# What a row of an open loop has, and one of a closed loop has not.
OPEN_ONLY = ("arrivals", "offered_Hz", "due", "not_issued", "saturated")


def close(a: float, b: float, tolerance: float = DIGITS_TOLERANCE) -> bool:
    """Whether two figures agree within a relative tolerance."""
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def ascending(values: list[float], strictly: bool) -> bool:
    """Whether each value is at least the one before it, or above it."""
    return all(a < b or (a == b and not strictly) for a, b in pairwise(values))


def occupied(row: Json) -> bool:
    """The figure of rows beside a computing task is total time / steps."""
    return row.get("occupation", "none") != "none"


def check_summary(row: Json) -> Iterator[Fault]:
    """min <= median <= max, and the interval around the median and within the range, or around the mean
    of a row beside a computing task."""
    for key in ("latency_us", "round_us", "play_us"):
        if key not in row:
            continue
        figure = row[key]
        if not ascending([figure["min"], figure["median"], figure["max"]], strictly=False):
            yield key, "min, median and max are not in order"
        if ("mean" in figure) != occupied(row):
            yield key, f"{'lacks' if occupied(row) else 'has'} a mean"
        if "ci95" not in figure:
            continue
        low, high = figure["ci95"]
        if occupied(row):
            if not ascending([low, figure.get("mean", low), high], strictly=False):
                yield key, "ci95 does not enclose the mean"
        elif not ascending(
            [figure["min"], low, figure["median"], high, figure["max"]], strictly=False
        ):
            yield key, "ci95 does not enclose the median within min and max"


def check_blocks(row: Json) -> Iterator[Fault]:
    """blocks_us are the values of which the first summary of the row tells."""
    if "blocks_us" not in row:
        return
    values = row["blocks_us"]
    if row.get("blocks") != len(values):
        yield "blocks_us", f"{len(values)} values, but blocks is {row.get('blocks')}"
    figure = row.get("latency_us") or row.get("round_us") or row.get("play_us")
    if figure is None:
        yield "blocks_us", "stands in a row without latency_us, round_us and play_us"
        return
    expected = {"min": min(values), "median": statistics.median(values), "max": max(values)}
    if "mean" in figure:
        expected["mean"] = statistics.fmean(values)
    for key, value in expected.items():
        if not close(value, figure[key]):
            yield "blocks_us", f"its {key} is {value:.9g}, the figure's {figure[key]:.9g}"


def check_steps(row: Json) -> Iterator[Fault]:
    """Percentiles ascend, stand on enough samples, and belong to the histogram."""
    for place in ("step_us", "event_latency_us"):
        if place in row:
            yield from check_distribution(row[place], place)
            if (row[place]["samples"] > 0) != ("histogram" in row[place]):
                yield place, "a histogram belongs to samples"
    for index, one in enumerate(row.get("per_destination", [])):
        if "latency_us" in one:
            yield from check_distribution(one["latency_us"], f"per_destination[{index}].latency_us")


def check_distribution(steps: Json, place: str) -> Iterator[Fault]:
    """One distribution."""
    order = [steps[key] for key in (*PERCENTILES, "max") if key in steps]
    if not ascending(order, strictly=False):
        yield place, "percentiles and max are not in order"
    for key, one_in in PERCENTILES.items():
        supported = steps["samples"] // one_in >= SAMPLES_BEYOND
        if (key in steps) != supported:
            yield place, f"{key} and {steps['samples']} samples do not go together"
    if "histogram" in steps:
        yield from check_histogram(steps, f"{place}.histogram")


def check_histogram(steps: Json, place: str) -> Iterator[Fault]:
    """One bound more than counts; all samples, and all percentiles, lie in the cells."""
    bounds, counts = steps["histogram"]["bounds"], steps["histogram"]["counts"]
    if len(bounds) != len(counts) + 1:
        yield place, f"{len(bounds)} bounds for {len(counts)} counts"
    if not ascending(bounds, strictly=True):
        yield place, "bounds do not ascend"
    if sum(counts) != steps["samples"]:
        yield place, f"counts sum to {sum(counts)}, samples is {steps['samples']}"
    if 0 in (counts[0], counts[-1]):
        yield place, "the first or last cell is empty"
    for key in (*PERCENTILES, "max"):
        if key in steps and not bounds[0] <= steps[key] <= bounds[-1]:
            yield place, f"{key} lies outside of it"


def check_rates(row: Json, benchmark: str) -> Iterator[Fault]:
    """throughput_MBps is the payload of all packets that frequency_Hz says. Where events are built, one that
    lacks a packet does not count; how many lack one is counted in all passes."""
    needed = {"throughput_MBps", "frequency_Hz", "size_bytes"}
    if not needed <= row.keys() or row.get("mode") == "free":
        return
    try:
        packets = packets_of(row, BENCHMARKS[benchmark])
    except KeyError as missing:
        yield "throughput_MBps", f"stands in a row without {missing.args[0]}"
        return
    size_bytes = row.get("fragment_mean_bytes", row["size_bytes"])
    expected = row["frequency_Hz"] * packets * size_bytes / 1e6
    if row.get("incomplete", 0) > 0:
        return
    if not close(row["throughput_MBps"], expected, RATE_TOLERANCE):
        yield "throughput_MBps", f"is {row['throughput_MBps']:.9g}, by frequency {expected:.9g}"


def check_counters(row: Json) -> Iterator[Fault]:
    """The counters of a technology stand in a row all together."""
    for group, keys in COUNTERS.items():
        if group in row and row[group].keys() != keys:
            yield group, f"has {', '.join(sorted(row[group]))}, and not {', '.join(sorted(keys))}"


def check_frequency(row: Json, figure: str) -> Iterator[Fault]:
    """The frequency is 1 / time: of the median block or, from totals, of all blocks; less what was lost. After
    losses that of a farm has the time of all its runs."""
    if "decided" in row and row["lost"] > 0:
        return
    time_us = row[figure].get("mean", row[figure]["median"])
    if "rates_from" in row:
        time_us = sum(row["blocks_us"]) / len(row["blocks_us"])
    product = row["frequency_Hz"] * time_us
    losses = row.get("lost", 0) + row.get("datagrams", {}).get("lost", 0) > 0
    if not close(product, 1e6, RATE_TOLERANCE) and not (losses and 0 < product < 1e6):
        yield "frequency_Hz", f"frequency * time is {product:.9g} us Hz, not 1e6"


def check_ping_pong(row: Json) -> Iterator[Fault]:
    """In ping-pong the frequency is 1 / latency."""
    if row.get("mode") != "pingpong" or not {"frequency_Hz", "latency_us"} <= row.keys():
        return
    yield from check_frequency(row, "latency_us")


def check_shares(row: Json) -> Iterator[Fault]:
    """Shares of the sources sum to 1."""
    shares = row.get("shares")
    if shares is None:
        return
    if abs(sum(shares) - 1) > DIGITS_TOLERANCE:
        yield "shares", f"sum to {sum(shares):.9g}"
    if "sources" in row and len(shares) != row["sources"]:
        yield "shares", f"{len(shares)} for {row['sources']} sources"


def check_verify(row: Json) -> Iterator[Fault]:
    """No more messages are lost or corrupted than were sent; of farms events are lost."""
    verify = row.get("verify")
    if verify is not None and "issued" not in row and verify["lost"] + verify["corrupted"] > verify["messages"]:
        yield "verify", "more lost and corrupted messages than there were"


def check_occupation(row: Json) -> Iterator[Fault]:
    """Figures of the computing belong to the sides that compute, and to each other."""
    slowdown, left = row.get("slowdown_computing", {}), row.get("computing_left_pct", {})
    alone = row.get("computing_alone_pct", {})
    if set(alone) not in SIDES[row.get("occupation", "none")]:
        yield "computing_alone_pct", f"is of {sorted(alone)}, which do not compute, or not alone"
    if occupied(row) != ("slowdown_communication" in row):
        yield "slowdown_communication", "belongs to rows with a computing task"
    if not slowdown.keys() <= alone.keys():
        yield "slowdown_computing", "is of a side that did not compute alone"
    if not row.get("slowdown_computing_at_least", {}).keys() <= slowdown.keys():
        yield "slowdown_computing_at_least", "is of a side without a slowdown"
    if left.keys() != slowdown.keys():
        yield "computing_left_pct", "is not of the sides that have a slowdown"
        return
    for side in slowdown:
        if not close(slowdown[side] * left[side], 100):
            yield f"computing_left_pct.{side}", "is not 100 / slowdown"


def check_accounts(row: Json) -> Iterator[Fault]:
    """Every event of a farm is accounted for, in all and by destinations."""
    settled = row["decided"] + row["lost"] + row["in_flight"]
    if row["issued"] != settled:
        yield "issued", f"is {row['issued']}, decided + lost + in_flight is {settled}"
    destinations = row["per_destination"]
    if len(destinations) != row["destinations"]:
        yield "per_destination", f"{len(destinations)} for {row['destinations']} destinations"
    for key in ("decided", "lost"):
        total = sum(one[key] for one in destinations)
        if total != row[key]:
            yield "per_destination", f"{key} sum to {total}, the row has {row[key]}"
    for one in destinations:
        if one["in_flight_most"] > row["in_flight_limit"]:
            yield "per_destination", f"rank {one['rank']} has more in flight than the limit"
        if one["in_flight_mean"] > one["in_flight_most"]:
            yield "per_destination", f"rank {one['rank']} has a mean above the most in flight"


def check_farm_ranks(row: Json) -> Iterator[Fault]:
    """A supervisor, its sources and, after them, its destinations, where none are placed."""
    sources, destinations = row["sources"], row["destinations"]
    if row["processors"] != 1 + sources + destinations:
        yield "processors", f"is {row['processors']}, not 1 + {sources} + {destinations}"
    expected = list(range(1 + sources, 1 + sources + destinations))
    ranks = [one["rank"] for one in row["per_destination"]]
    if "placement" not in row and ranks != expected:
        yield "per_destination", f"are the ranks {ranks}, not {expected}"


def check_placement(row: Json, environment: Json) -> Iterator[Fault]:
    """Destinations that are placed are on as many hosts as the row says."""
    if "placement" not in row or "per_destination" not in row:
        return
    of_rank = {rank["rank"]: rank["host"] for rank in environment["ranks"]}
    hosts = [of_rank.get(one["rank"]) for one in row["per_destination"]]
    found = [hosts.count(host) for host in range(len(environment["hosts"]))]
    expected = row["placement"]["destination"]
    if found != expected or len({one["rank"] for one in row["per_destination"]}) != len(hosts):
        yield "per_destination", f"are on the hosts {found}, not {expected}"


def recorded(latency: Json | None) -> int:
    """How many events a distribution of latencies tells of."""
    return 0 if latency is None else latency["samples"] + latency["dropped"]


def check_event_latencies(row: Json) -> Iterator[Fault]:
    """The latencies of all events that were timed, of no others, and each at one destination."""
    events = recorded(row.get("event_latency_us"))
    if events > row["decided"]:
        yield "event_latency_us", f"has {events} events, of {row['decided']} decided"
    if row["mode"] == "open" and events < row["decided"] - row["errors"]:
        yield "event_latency_us", f"lacks events: {events} of {row['decided']}"
    parts = sum(recorded(one.get("latency_us")) for one in row["per_destination"])
    if parts != events:
        yield "per_destination", f"latencies of {parts} events, of {events} in all"


def check_open(row: Json) -> Iterator[Fault]:
    """An open loop has a schedule, and one that is saturated something that limits it."""
    if row["due"] != row["issued"] + row["not_issued"]:
        yield "due", f"is {row['due']}, issued + not_issued {row['issued'] + row['not_issued']}"
    if row["saturated"] != ("limited_by" in row) and "topology" not in row:
        yield "limited_by", "belongs to saturated rows, and to no others"
    if row["saturated"] and "generator_error_pct" in row:
        yield "generator_error_pct", "stands in a saturated row"


def check_load(row: Json) -> Iterator[Fault]:
    """What an open loop has a closed one has not."""
    is_open = row["mode"] == "open"
    for key in OPEN_ONLY:
        if (key in row) != is_open:
            yield key, f"{'lacks in' if is_open else 'stands in'} a row of the mode {row['mode']}"
    if is_open and all(key in row for key in OPEN_ONLY):
        yield from check_open(row)
    if not is_open and {"round_us", "frequency_Hz"} <= row.keys():
        yield from check_frequency(row, "round_us")


def check_found(row: Json) -> Iterator[Fault]:
    """The rate of a search lies in its interval, held in most trials, and is the row's."""
    found = row.get("found_Hz")
    if found is None:
        return
    if not ascending([found["interval"][0], found["value"], found["interval"][1]], strictly=False):
        yield "found_Hz", "the value lies outside of its interval"
    if not 2 * found["held"] > found["repeats"] >= found["held"]:
        yield "found_Hz", f"held in {found['held']} of {found['repeats']} trials"
    if not close(found["value"], row.get("offered_Hz", 0)):
        yield "found_Hz", "is not the rate that the row is offered"


def check_pipeline_at_a_rate(row: Json) -> Iterator[Fault]:
    """Each issued event arrives at the last stage, which may have several processors."""
    last = int(row["topology"].rpartition("-")[2])
    if recorded(row.get("event_latency_us")) != row["issued"] * last:
        yield "event_latency_us", f"is not that of {row['issued']} events at {last} processors"
    yield from check_load(row)
    yield from check_found(row)


def check_event_building(row: Json) -> Iterator[Fault]:
    """Every event is complete or lost, and Jain's indices are those of at most all units."""
    if row["issued"] != row["complete"] + row["lost"]:
        yield "issued", f"is {row['issued']}, complete + lost {row['complete'] + row['lost']}"
    if row["incomplete"] > row["lost"]:
        yield "incomplete", f"is {row['incomplete']}, of {row['lost']} lost events"
    for key in ("builder_fairness", "source_fairness"):
        if key in row and not 1 / row["processors"] - RATE_TOLERANCE <= row[key] <= 1 + RATE_TOLERANCE:
            yield key, f"is {row[key]}, not of 1 / n to 1"


def check_farm(row: Json) -> Iterator[Fault]:
    """The laws of trigger farms, and of pipelines at a rate."""
    if "issued" not in row:
        return
    if "topology" in row:
        yield from check_pipeline_at_a_rate(row)
        return
    if "schedule" in row:
        yield from check_event_building(row)
        return
    yield from check_farm_ranks(row)
    yield from check_accounts(row)
    yield from check_event_latencies(row)
    yield from check_load(row)
    yield from check_found(row)


def check_row(row: Json, benchmark: str) -> Iterator[Fault]:
    """All that the values of one row owe each other."""
    yield from check_summary(row)
    yield from check_blocks(row)
    yield from check_steps(row)
    yield from check_rates(row, benchmark)
    yield from check_counters(row)
    yield from check_ping_pong(row)
    yield from check_shares(row)
    yield from check_occupation(row)
    yield from check_verify(row)
    yield from check_farm(row)


def identities(schema: Json) -> list[list[str]]:
    """The paths of what rows of two runs are matched by."""
    columns = schema["$defs"]["row"]["properties"].values()
    return [column["x-identity"].split(".") for column in columns if "x-identity" in column]


def at(row: Any, path: list[str]) -> Any:
    """What stands at a path of a row, or None."""
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    return row


def check_identities(rows: list[Json], schema: Json) -> Iterator[Fault]:
    """No two rows are measurements of the same."""
    seen: dict[tuple[Any, ...], int] = {}
    paths = identities(schema)
    for index, row in enumerate(rows):
        first = seen.setdefault(tuple(at(row, path) for path in paths), index)
        if first != index:
            yield f"results[{index}]", f"cannot be distinguished from results[{first}]"


def check_fit(fit: Json) -> Iterator[Fault]:
    """A segment has a length, and half of r_inf is reached at n_half."""
    if "from_bytes" in fit and fit["from_bytes"] >= fit["to_bytes"]:
        yield "from_bytes", "is not below to_bytes"
    if "refusal" not in fit:
        expected = fit["overhead_us"] * fit["r_inf_MBps"]
        if not close(fit["n_half_bytes"], expected):
            yield "n_half_bytes", f"is not overhead * r_inf = {expected:.9g}"


def check_ranks(environment: Json) -> Iterator[Fault]:
    """Ranks are numbered and live on hosts that the document describes."""
    hosts = environment.get("hosts", [])
    for index, rank in enumerate(environment.get("ranks", [])):
        place = f"environment.ranks[{index}]"
        if rank["rank"] != index:
            yield place, f"has rank {rank['rank']}"
        if rank["host"] >= len(hosts):
            yield place, f"is on host {rank['host']} of {len(hosts)}"


def check_document(document: Json, schema: Json) -> Iterator[Fault]:
    """All semantic checks of a document that fits the schema."""
    benchmark = BENCHMARKS.get(document["benchmark"])
    if benchmark is None:
        yield "benchmark", f"there is none that is called {document['benchmark']}"
        return
    if document["id"] != benchmark["id"]:
        yield "id", f"is {document['id']}, that of {document['benchmark']} is {benchmark['id']}"
    yield from check_ranks(document["environment"])
    for index, row in enumerate(document["results"]):
        of_row = check_row(row, document["benchmark"])
        for place, text in chain(of_row, check_placement(row, document["environment"])):
            yield f"results[{index}].{place}", text
    yield from check_identities(document["results"], schema)
    for index, fit in enumerate(document["fit"]):
        for place, text in check_fit(fit):
            yield f"fit[{index}].{place}", text


def faults(schema: Json, document: Any) -> list[Fault]:
    """Faults by the schema or, where it has none to tell of, by the semantic checks."""
    validator = jsonschema.Draft202012Validator(schema)
    by_schema = [(error.json_path, error.message) for error in validator.iter_errors(document)]
    return by_schema or list(check_document(document, schema))


def refuse_constant(name: str) -> None:
    """Python reads NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{name} is no JSON number")


def load(path: str) -> Any:
    """One JSON file, strictly."""
    return json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=refuse_constant)


def main(arguments: list[str]) -> int:
    """Check the files and return the exit status."""
    if len(arguments) < 2:
        print("usage: validate.py SCHEMA FILE...", file=sys.stderr)
        return 2
    status = 0
    try:
        schema = load(arguments[0])
        jsonschema.Draft202012Validator.check_schema(schema)
        for path in arguments[1:]:
            for place, text in faults(schema, load(path)):
                print(f"{path}: {place}: {text}")
                status = 1
    except (OSError, ValueError, jsonschema.SchemaError) as error:
        print(f"validate.py: cannot check: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
