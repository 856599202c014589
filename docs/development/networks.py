#!/usr/bin/env python3
"""Predict networks that no part of the model was tuned on, and measure them: docs/development/networks.md.

    networks.py draw                 draw the networks and the cases of all seeds: networks/cases.json
    networks.py measure SEED [RAW]   measure and predict those of a seed on the testbed (root), two at a
                                     time: networks/SEED.json; networks that it has are kept. RAW: a folder
                                     for all results
    networks.py model                run what was measured in the model of each network, two at a time: adds
                                     modelled_us to the rows of all seeds
    networks.py table                write the tables of the page

A network is calibrated by cb_calibrate with three hosts, and nothing else is given: combench validate makes
the calibration from that result. The topology of the network and the ratios of its rates are those drawn.
"""

from __future__ import annotations

import json
import math
import os
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Callable, Iterable

Json = dict[str, Any]
TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CB_BUILD", TOP / "build"))
KEPT = Path(__file__).resolve().parent / "networks"
PAGE = KEPT.with_suffix(".md")

# Seeds, each with how many networks. Those of seed 1 served to develop the calibration.
DRAWS = {2: 12, 3: 12, 4: 12, 5: 12}
HOSTS, CALIBRATED, AT_A_TIME, SEEDS = 9, 3, 2, 3
CALIBRATIONS = tuple(f"calibrate-{launch}.json" for launch in (1, 2, 3))  # launches of the calibration
RATES_MBPS, DELAYS_US = (2, 5, 10, 20), (0, 50, 500)
TECHNOLOGIES, SHAPES = ("tcp", "udp", "mpi"), ("one switch", "two levels", "unequal links")
# What a packet takes on a cable, in ms. Two kernels and the switch need 40 us for a frame, and two cores play
# up to nine hosts. Ranks over mpi poll, and sleep for up to 1 ms in between.
PACKET_MS = {"tcp": (0.4, 16), "udp": (0.4, 16), "mpi": (4, 24)}
LARGEST_BYTES = {"tcp": 1 << 30, "udp": 1432, "mpi": 60000}  # a datagram; an eager message
# Of cb_calibrate: sizes up to some more than those that are drawn, and the seconds of a measurement, in which
# a stream of the largest one has several packets in each of several blocks.
CALIBRATION_SIZES = (0, 64, 400, 1100, 1400, 1500, 2800, 3000, 4200, 4500, 6000)
CALIBRATION_SIZES += (11500, 16384, 24000, 36000)
DATAGRAM_SIZES = (0, 64, 200, 400, 700, 1000, 1250, 1400, 1432)
# Of farms and pipelines: what their sources send ahead of a block's first event is to be little of the block.
IN_EVENTS = "algorithms = 0\nmax-time = 8"
MARGIN, LEAST_S, SECONDS_BY_MBPS = 1.25, 0.8, 5
QUEUE = "64MB"
GOAL_MEDIAN_PCT, GOAL_PCT, GOAL_SHARE, GOAL_INSIDE = 3, 15, 0.95, 0.9
QUANTILE_90, QUANTILE_95 = (statistics.NormalDist().inv_cdf(share) for share in (0.95, 0.975))
KNOWN_PCT = 10  # the reach of the 95 % interval of a measurement that can refute a prediction


def kept(name: str) -> Any:
    path = KEPT / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def keep(name: str, value: list[Any]) -> None:
    KEPT.mkdir(exist_ok=True)
    text = "[\n" + ",\n".join(json.dumps(one) for one in value) + "\n]\n"
    (KEPT / name).write_text(text, encoding="utf-8")


# Drawing


def spread(drawn: random.Random, values: Iterable[Any], count: int) -> list[Any]:
    """`count` of the values in random order, each as often as the others, or once more."""
    all_values = list(values)
    made: list[Any] = []
    while len(made) < count:
        made += drawn.sample(all_values, len(all_values))
    return made[:count]


def draw_size(drawn: random.Random, rate_Mbps: int, technology: str) -> int:
    """A size whose bytes take PACKET_MS, by its logarithm."""
    least, most = (limit * rate_Mbps * 1000 / 8 for limit in PACKET_MS[technology])
    most = min(most, LARGEST_BYTES[technology])
    return round(math.exp(drawn.uniform(math.log(least), math.log(most))))


def draw_network(
    drawn: random.Random, rate_Mbps: int, delay_us: int, technology: str, shape: str
) -> Json:
    network: Json = {"rate_Mbps": rate_Mbps, "delay_us": delay_us}
    network |= {"technology": technology, "shape": shape}
    if shape == "two levels":
        leaf, over = drawn.choice((3, 4, 5)), drawn.choice((1.5, 2, 3))
        network |= {"leaf": leaf, "uplink_Mbps": round(rate_Mbps * leaf / over, 3)}
    if shape == "unequal links":
        others = [drawn.choice((0.5, 1)) for _ in range(HOSTS - CALIBRATED)]
        others[drawn.randrange(len(others))] = 0.5
        network["hosts_Mbps"] = [rate_Mbps * one for one in [1] * CALIBRATED + others]
    network["sizes"] = sorted(draw_size(drawn, rate_Mbps, technology) for _ in range(3))
    network["window"], network["in_flight"] = drawn.choice((2, 4, 8)), drawn.choice((4, 8, 16))
    ways = {"tcp": ("loop",), "udp": ("loop", "technology"), "mpi": ("loop", "technology")}
    # The switch sends a datagram of a group to all ports, over all uplinks.
    own = ways[technology] if shape == "one switch" or technology == "mpi" else ("loop",)
    network |= {
        "alltoall": drawn.randint(3, HOSTS),
        "pairs": drawn.choice((4, 6, 8)),
        "outfarm": drawn.randint(2, HOSTS - 1),
        "multicast": drawn.randint(2, HOSTS - 1),
        "way": drawn.choice(own),
        "funnel": drawn.randint(2, HOSTS - 1),
        "pushfarm": f"{drawn.randint(2, 4)}x{drawn.randint(2, 4)}",
        "pullfarm": f"{drawn.randint(2, 4)}x{drawn.randint(2, 4)}",
        "pipeline": drawn.choice(("4-2-1", "6-2-1")),
    }
    return network


def draw_cases(seed: int, count: int) -> list[Json]:
    drawn = random.Random(seed)
    axes = [spread(drawn, axis, count) for axis in (RATES_MBPS, DELAYS_US, TECHNOLOGIES, SHAPES)]
    return [{"seed": seed, **draw_network(drawn, *one)} for one in zip(*axes)]


def draw() -> None:
    keep("cases.json", [case for seed, count in DRAWS.items() for case in draw_cases(seed, count)])


# Measuring


def plan_of(case: Json) -> str:
    """All ten benchmarks, or nine over datagrams, which may be lost and cannot feed a pipeline."""
    window = f"options = --window {case['window']}"
    in_flight = f"options = --in-flight {case['in_flight']}"
    multicast = f"{window} --multicast {case['way']} --list fixed"
    sizes = ", ".join(str(size) for size in sorted(set(case["sizes"])))
    sections = [
        ("oneway", "", window),
        ("twoway", "", ""),
        ("alltoall", f"processors = {case['alltoall']}", ""),
        ("pairs", f"processors = {case['pairs']}", window),
        ("outfarm", f"destinations = {case['outfarm']}", window),
        ("multicast", f"destinations = {case['multicast']}", multicast),
        ("funnel", f"sources = {case['funnel']}", window),
        ("pushfarm", f"farms = {case['pushfarm']}\n{IN_EVENTS}", in_flight),
        ("pullfarm", f"farms = {case['pullfarm']}\n{IN_EVENTS}", in_flight),
    ]
    if case["technology"] != "udp":
        axis = f"topologies = {case['pipeline']}\n{IN_EVENTS}"
        sections.append(("pipeline", axis, "options = --window 2"))
    head = f"ranks = {HOSTS}\ntechnologies = {case['technology']}\nsizes = {sizes}\n"
    head += "waits = block\nmax-time = 1.5\n"
    return head + "".join(f"\n[{name}]\n{axis}\n{options}\n" for name, axis, options in sections)


def topology_of(case: Json) -> str:
    """The network as the model has it: the rates relative to that of the calibrated hosts."""
    lines = ["%network 1", f"nodes {HOSTS}"]
    rate = case["rate_Mbps"] / 8
    if case["shape"] == "two levels":
        leaf = case["leaf"]
        leaves = range(math.ceil(HOSTS / leaf))
        lines.append("switch spine " + " ".join(f"leaf{one}" for one in leaves))
        for one in leaves:
            last = min(HOSTS, (one + 1) * leaf) - 1
            lines.append(f"link {one * leaf}-{last} leaf{one} bandwidth_MBps={rate:g}")
            lines.append(f"link leaf{one} spine bandwidth_MBps={case['uplink_Mbps'] / 8:g}")
    else:
        lines.append("switch hub")
        for host in range(HOSTS):
            own = case["hosts_Mbps"][host] / 8 if "hosts_Mbps" in case else rate
            lines.append(f"link {host} hub bandwidth_MBps={own:g}")
    return "\n".join([*lines, f"reference bandwidth_MBps={rate:g}", ""])


# The machine may have other work: hosts get their cores at once. They sleep most of the time.
FAVOUR = "chrt --rr 1"


def on_testbed(case: Json, hosts: int, command: str, folder: Path) -> None:
    """Run a shell's command on host01. CalledProcessError: it failed."""
    words = [str(TOP / "scripts/testbed"), "--hosts", str(hosts), "--queue", QUEUE]
    words += ["--rate", f"{case['rate_Mbps']}mbit", "--delay", f"{case['delay_us']}us"]
    if case["shape"] == "two levels":
        words += ["--leaf", str(case["leaf"]), "--uplink", f"{case['uplink_Mbps']}mbit"]
    orders = [
        f'"$CB_TESTBED" --tell "rate host{number:02} {rate:g}mbit"'
        for number, rate in enumerate(case.get("hosts_Mbps", [])[:hosts], 1)
    ]
    script = " && ".join([*orders, command])
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "CB_BUILD": str(BUILD),
    }
    with open(folder / "log", "ab") as log:
        subprocess.run(
            [*words, "--", "sh", "-c", script],
            env=environment, cwd=folder, check=True, stdout=log, stderr=log,
        )  # fmt: skip


def commit() -> str:
    words = ["git", "-C", str(TOP), "describe", "--always", "--dirty", "--abbrev=12"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def predict_one(folder: Path) -> None:
    """Predict what was measured, beside the measurements of other networks."""
    validate = ["chrt", "--idle", "0", sys.executable, str(TOP / "scripts/combench"), "validate"]
    validate += [*CALIBRATIONS, "measured", "--programs", str(BUILD), "--seeds", str(SEEDS)]
    validate += ["--network", "file:network.net", "--output", "validation.json"]
    with open(folder / "log", "ab") as log:
        subprocess.run(validate, cwd=folder, check=True, stdout=log, stderr=log)


def measure_one(case: Json, folder: Path) -> Json:
    """Calibrate, measure and predict one network."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan").with_suffix(".plan").write_text(plan_of(case), encoding="utf-8")
    (folder / "network.net").write_text(topology_of(case), encoding="utf-8")
    started = time.time()
    technology, rate = case["technology"], case["rate_Mbps"]
    most = MARGIN * PACKET_MS[technology][1] * rate * 1000 / 8
    there = DATAGRAM_SIZES if technology == "udp" else CALIBRATION_SIZES
    sizes = ",".join(str(size) for size in there if size <= most)
    seconds = max(LEAST_S, SECONDS_BY_MBPS / rate)
    calibrate = f"{FAVOUR} mpirun -q -np {CALIBRATED} '{BUILD}/cb_calibrate' --wait block"
    calibrate += f" --technology {technology} --max-time {seconds} --sizes {sizes}"
    first, *others = CALIBRATIONS
    on_testbed(case, CALIBRATED, f"{calibrate} --output {first}", folder)
    combench = f"'{sys.executable}' '{TOP}/scripts/combench'"
    run = f"{combench} run plan.plan --programs '{BUILD}' --output measured"
    on_testbed(case, HOSTS, f"{FAVOUR} {run}", folder)
    for other in others:
        on_testbed(case, CALIBRATED, f"{calibrate} --output {other}", folder)
    measured_s = time.time() - started
    predict_one(folder)
    made = json.loads((folder / "validation.json").read_text(encoding="utf-8"))
    text = made["calibration"]["text"]
    calibration = [line for line in text.splitlines() if not line.startswith("#")]
    names = "benchmark mode shape size_bytes measured_us measured_interval_pct".split()
    names += ["predicted_us", "interval_pct", "fitted"]
    return {
        "case": case,
        "commit": commit(),
        "started": made["started"],
        "measured_s": round(measured_s),
        "load": round(os.getloadavg()[0], 1),
        "calibration": calibration,
        "rows": [{name: row.get(name) for name in names} for row in made["results"]],
        "left_out": made["left_out"],
    }


def measure(seed: int, raw: Path | None) -> None:
    cases = [case for case in kept("cases.json") if case["seed"] == seed]
    found = {json.dumps(one["case"]): one for one in kept(f"{seed}.json")}
    lock = Lock()

    def one(number: int, folder: Path) -> None:
        case = cases[number]
        if json.dumps(case) in found:
            return
        try:
            made = measure_one(case, folder / f"{seed}-{number + 1}")
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"network {number + 1} failed: {error}", file=sys.stderr)
            return
        with lock:
            found[json.dumps(case)] = made
            keep(f"{seed}.json", [found[key] for key in map(json.dumps, cases) if key in found])
        print(f"network {number + 1}: {made['measured_s']} s", file=sys.stderr)

    with TemporaryDirectory(prefix="networks-") as name, ThreadPoolExecutor(AT_A_TIME) as pool:
        for done in [pool.submit(one, number, raw or Path(name)) for number in range(len(cases))]:
            done.result()


# Runs in the model


def group_send_of(technology: str) -> list[str]:
    """A group send of this technology goes from member to member."""
    return ["--group-send", "tree"] if technology == "mpi" else []


def model_one(network: Json, folder: Path) -> None:
    """Run the plan of the measurement in the model with the calibration that was kept, and note the figures."""
    folder.mkdir(parents=True)
    files = {"net.cal": "\n".join(network["calibration"]) + "\n", "network.net": topology_of(network["case"])}
    for name, text in (*files.items(), ("plan.plan", plan_of(network["case"]))):
        (folder / name).write_text(text, encoding="utf-8")
    run = [sys.executable, str(TOP / "scripts/combench"), "run", "plan.plan", "--programs", str(BUILD)]
    run += ["--model", "net.cal", "--network", "file:network.net", "--ranks", str(HOSTS), "--output", "modelled"]
    run += group_send_of(network["case"]["technology"])
    subprocess.run(run, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    found: dict[tuple[Any, ...], float] = {}
    for path in (folder / "modelled/results").glob("*.json"):
        made = json.loads(path.read_text(encoding="utf-8"))
        for row in made["results"]:
            figure = row.get("latency_us") or row.get("round_us") or {}
            place = (made["benchmark"], row.get("mode"), row.get("processors"), row.get("size_bytes"))
            found[place] = figure.get("median")
    for row in network["rows"]:
        row["modelled_us"] = found[row["benchmark"], row["mode"], sum(row["shape"]), row["size_bytes"]]


def model() -> None:
    with TemporaryDirectory(prefix="networks-") as name, ThreadPoolExecutor(AT_A_TIME) as pool:
        for seed in DRAWS:
            networks = kept(f"{seed}.json")
            folders = (Path(name) / f"{seed}-{number}" for number in range(len(networks)))
            list(pool.map(model_one, networks, folders))
            keep(f"{seed}.json", networks)


# The page


def error_pct(row: Json) -> float:
    return 100 * float(row["predicted_us"] / row["measured_us"] - 1)


def lies_within(row: Json) -> bool:
    """Whether the measurement lies in the prediction's own 90 % interval."""
    reach = row["predicted_us"] * row["interval_pct"] / 100
    return bool(abs(row["measured_us"] - row["predicted_us"]) <= reach)


def agrees(row: Json) -> bool:
    """Whether prediction and measurement agree, each within its own 90 % interval."""
    measured = row["measured_us"] * row["measured_interval_pct"] / 100 * QUANTILE_90 / QUANTILE_95
    reach = math.hypot(row["predicted_us"] * row["interval_pct"] / 100, measured)
    return bool(abs(row["measured_us"] - row["predicted_us"]) <= reach)


def counted(networks: Iterable[Json]) -> list[Json]:
    """The rows that no calibration was fitted to."""
    return [row for network in networks for row in network["rows"] if not row["fitted"]]


def is_known(row: Json) -> bool:
    """Whether the measurement has an interval, which needs several blocks, and a narrow one."""
    return bool(row["measured_interval_pct"] is not None and row["measured_interval_pct"] <= KNOWN_PCT)


def quantile(values: list[float], share: float) -> float:
    """The smallest value that is at least as large as this share of the values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def median_reach(rows: list[Json]) -> float:
    """How far the predictions' intervals reach to either side, in per cent: a wide one has more measurements."""
    return statistics.median(float(row["interval_pct"]) for row in rows)


def cells(rows: list[Json]) -> str:
    errors = [abs(error_pct(row)) for row in rows]
    within = 100 * sum(error <= GOAL_PCT for error in errors) / len(errors)
    inside = 100 * sum(map(lies_within, rows)) / len(rows)
    return (
        f"{len(rows)} | {statistics.median(errors):.1f} % | {quantile(errors, GOAL_SHARE):.1f} % "
        f"| {max(errors):.1f} % | {within:.0f} % | {inside:.0f} % | {median_reach(rows):.1f} %"
    )


HEADING = "rows | median error | 95 % of rows | worst | within 15 % | in the 90 % interval | its reach |"


def table_by(title: str, groups: dict[str, list[Json]]) -> list[str]:
    lines = [f"| {title} | {HEADING}", "|---" * (1 + HEADING.count("|")) + "|"]
    return [*lines, *(f"| {name} | {cells(rows)} |" for name, rows in groups.items() if rows), ""]


def grouped(networks: list[Json], key: Callable[[Json, Json], str]) -> dict[str, list[Json]]:
    groups: dict[str, list[Json]] = {}
    for network in networks:
        for row in counted([network]):
            groups.setdefault(key(network["case"], row), []).append(row)
    return groups


def describe(case: Json) -> str:
    more = ""
    if "leaf" in case:
        more = f", leaves of {case['leaf']}, uplinks {case['uplink_Mbps']:g} Mbit/s"
    if "hosts_Mbps" in case:
        slower = sum(rate < case["rate_Mbps"] for rate in case["hosts_Mbps"])
        more = f", {slower} of {HOSTS} half as fast"
    return f"{case['technology']}, {case['rate_Mbps']} Mbit/s, {case['delay_us']} us{more}"


FOUND = ("payload_bytes", "header_bytes", "acknowledgement_us", "share", "eager_bytes")


def value_of(calibration: list[str], word: str) -> str:
    """The value of a setting of the calibration, or a dash."""
    found = next((line.split()[1] for line in calibration if line.split()[0] == word), "-")
    if word == "eager_bytes" and float(found) >= 2**53:
        return "all"
    return f"{float(found):.4g}" if found[0].isdigit() else found


def numbered(networks: list[Json]) -> Iterable[tuple[int, Json]]:
    return enumerate(networks, 1)


def judged(goal: str, reached: bool) -> str:
    return f"(goal: {goal}; {'reached' if reached else 'not reached'})"


def verdict(rows: list[Json]) -> str:
    errors = [abs(error_pct(row)) for row in rows]
    within = sum(error <= GOAL_PCT for error in errors) / len(errors)
    median = statistics.median(errors)
    reached = median <= GOAL_MEDIAN_PCT and within >= GOAL_SHARE
    inside = sum(map(lies_within, rows)) / len(rows)
    agreeing = [agrees(row) for row in rows if row["measured_interval_pct"] is not None]
    return (
        f"{len(rows)} rows, median error {median:.1f} %, {100 * within:.1f} % of the rows within "
        f"{GOAL_PCT} % {judged(f'{GOAL_MEDIAN_PCT} %, {100 * GOAL_SHARE:.0f} %', reached)}, "
        f"{100 * inside:.1f} % of the measurements in the predictions' own 90 % intervals "
        f"{judged(f'{100 * GOAL_INSIDE:.0f} %', inside >= GOAL_INSIDE)}, "
        f"which reach {median_reach(rows):.1f} % to either side (median), "
        f"{100 * sum(agreeing) / len(agreeing):.1f} % of the "
        f"{len(agreeing)} that have an interval if that counts, too"
    )


def summary_of(seed: int, networks: list[Json]) -> list[str]:
    rows = counted(networks)
    known = list(filter(is_known, rows))
    commits = ", ".join(sorted({network["commit"] for network in networks}))
    return [
        f"{len(networks)} of {DRAWS[seed]} networks, evaluated with {commits}:",
        "",
        f"- all: {verdict(rows)};",
        f"- measured to {KNOWN_PCT} % (95 % interval): {verdict(known)}.",
    ]


def calibrations_of(networks: list[Json]) -> list[str]:
    lines = [
        f"| network | {' | '.join(word.replace('_', ' ') for word in FOUND)} | measured s | load |",
        "|---" * (len(FOUND) + 3) + "|",
    ]
    for number, one in numbered(networks):
        found = " | ".join(value_of(one["calibration"], word) for word in FOUND)
        lines.append(f"| {number} | {found} | {one['measured_s']} | {one['load']} |")
    return [*lines, ""]


def far_rows_of(networks: list[Json]) -> list[str]:
    lines = [
        "| network | benchmark | mode | shape | bytes | predicted ms | measured ms | its interval | error |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    rows = [(number, row) for number, one in numbered(networks) for row in counted([one])]
    for number, row in sorted(rows, key=lambda found: -abs(error_pct(found[1]))):
        if abs(error_pct(row)) > GOAL_PCT:
            shape = "x".join(map(str, row["shape"]))
            predicted, measured = (row[f"{kind}_us"] / 1000 for kind in ("predicted", "measured"))
            reach = row["measured_interval_pct"]
            lines.append(
                f"| {number} | {row['benchmark']} | {row['mode']} | {shape} | {row['size_bytes']} "
                f"| {predicted:.4g} | {measured:.4g} | {'none' if reach is None else f'{reach:.0f} %'} "
                f"| {error_pct(row):+.1f} % |"
            )
    return [*lines, ""]


def tables_of(seed: int, networks: list[Json]) -> list[str]:
    if not counted(networks):
        return [f"### Seed {seed}", "", "Not measured.", ""]
    each = {f"{number}: {describe(one['case'])}": counted([one]) for number, one in numbered(networks)}
    rates = grouped(networks, lambda case, _: f"{case['rate_Mbps']} Mbit/s")
    return [
        f"### Seed {seed}",
        "",
        *summary_of(seed, networks),
        "",
        *table_by("benchmark", grouped(networks, lambda _, row: row["benchmark"])),
        *table_by("technology", grouped(networks, lambda case, _: case["technology"])),
        *table_by("topology", grouped(networks, lambda case, _: case["shape"])),
        *table_by("rate", dict(sorted(rates.items(), key=lambda one: int(one[0].split()[0])))),
        *table_by("network", each),
        "What the calibrations found, how long each network was measured, and at which load of the machine:",
        "",
        *calibrations_of(networks),
        f"Rows with an error of more than {GOAL_PCT} %:",
        "",
        *far_rows_of(networks),
    ]


ERRORS = "median | 95 % of rows | worst | within 15 %"


def errors_of(rows: list[Json]) -> str:
    errors = [abs(error_pct(row)) for row in rows]
    within = 100 * sum(error <= GOAL_PCT for error in errors) / len(errors)
    return (
        f"{statistics.median(errors):.2f} % | {quantile(errors, GOAL_SHARE):.1f} % | {max(errors):.1f} % "
        f"| {within:.1f} %"
    )


def models_of(results: dict[int, list[Json]]) -> list[str]:
    """All measurements, predicted by an evaluation of their messages in a fixed order, and by runs in the model."""
    rows = [row for networks in results.values() for row in counted(networks) if "modelled_us" in row]
    if not rows:
        return []
    groups = {"all": rows, f"all, measured to {KNOWN_PCT} %": list(filter(is_known, rows))}
    for row in rows:
        groups.setdefault(row["benchmark"], []).append(row)
    lines = [f"| benchmark | rows | order fixed: {ERRORS} | run in the model: {ERRORS} |", "|---" * 10 + "|"]
    for name, each in groups.items():
        again = [{**row, "predicted_us": row["modelled_us"]} for row in each]
        lines.append(f"| {name} | {len(each)} | {errors_of(each)} | {errors_of(again)} |")
    return ["### All seeds, in a fixed order and run in the model", "", *lines, ""]


def tables(results: dict[int, list[Json]]) -> str:
    latest_first = sorted(results, reverse=True)
    lines = models_of(results)
    return "\n".join([*lines, *(line for seed in latest_first for line in tables_of(seed, results[seed]))])


FROM, TO = "<!-- from here: networks.py table -->\n", "<!-- to here -->\n"


def page(text: str) -> str:
    """The page with the tables of the kept results."""
    before, rest = text.split(FROM)
    made = tables({seed: kept(f"{seed}.json") for seed in DRAWS})
    return before + FROM + "\n" + made + "\n" + TO + rest.split(TO)[1]


def main(words: list[str]) -> None:
    if words == ["draw"]:
        draw()
    elif words[:1] == ["measure"] and len(words) in (2, 3) and words[1] in map(str, DRAWS):
        measure(int(words[1]), Path(words[2]).resolve() if len(words) == 3 else None)
    elif words == ["model"]:
        model()
    elif words == ["table"]:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
