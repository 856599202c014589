#!/usr/bin/env python3
"""Predict networks that no part of the model was tuned on, and measure them: docs/development/networks.md.

    networks.py draw                 draw the networks and the cases of all seeds: networks/cases.json
    networks.py measure SEED [RAW]   measure and predict those of a seed on the testbed (root), two at a
                                     time: networks/SEED.json; networks that it has are kept. RAW: a folder
                                     for all results
    networks.py table                write the tables of the page

A network is calibrated by cb_calibrate with three hosts, and nothing else is told: combench validate makes
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

# Seeds, each with how many networks. The first were drawn while the calibration learnt to find packets,
# acknowledgements and share rule; its results are kept, and not counted.
TRIAL = 1
DRAWS = {TRIAL: 3, 2: 12}
HOSTS, CALIBRATED, AT_A_TIME, SEEDS = 9, 3, 2, 3
RATES_MBPS, DELAYS_US = (2, 5, 10, 20), (0, 50, 500)
TECHNOLOGIES, SHAPES = ("tcp", "udp", "mpi"), ("one switch", "two levels", "unequal links")
# What a packet takes on a cable, in ms. Two kernels and the switch need 40 us for a frame, and two cores play
# up to nine hosts. Ranks over mpi poll, and sleep for up to 1 ms in between.
PACKET_MS = {"tcp": (0.4, 16), "udp": (0.4, 16), "mpi": (4, 24)}
LARGEST_BYTES = {"tcp": 1 << 30, "udp": 1432, "mpi": 60000}  # a datagram; an eager message
# Of cb_calibrate: sizes up to some more than those that are drawn, and the seconds of a measurement, in which
# a stream of the largest one has several packets in each of several blocks.
CALIBRATION_SIZES = (0, 64, 400, 1100, 1400, 1500, 2800, 3000, 4200, 4500, 6000, 11500, 16384, 24000, 36000)
DATAGRAM_SIZES = (0, 64, 200, 400, 700, 1000, 1250, 1400, 1432)
MARGIN, LEAST_S, SECONDS_BY_MBPS = 1.25, 0.8, 5
QUEUE = "64MB"
GOAL_MEDIAN_PCT, GOAL_PCT, GOAL_SHARE = 3, 15, 0.95


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
    network: Json = {"rate_Mbps": rate_Mbps, "delay_us": delay_us, "technology": technology, "shape": shape}
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
    window, in_flight = f"options = --window {case['window']}", f"options = --in-flight {case['in_flight']}"
    sizes = ", ".join(str(size) for size in sorted(set(case["sizes"])))
    sections = [
        ("oneway", "", window),
        ("twoway", "", ""),
        ("alltoall", f"processors = {case['alltoall']}", ""),
        ("pairs", f"processors = {case['pairs']}", window),
        ("outfarm", f"destinations = {case['outfarm']}", window),
        ("multicast", f"destinations = {case['multicast']}", f"{window} --multicast {case['way']} --list fixed"),
        ("funnel", f"sources = {case['funnel']}", window),
        ("pushfarm", f"farms = {case['pushfarm']}\nalgorithms = 0", in_flight),
        ("pullfarm", f"farms = {case['pullfarm']}\nalgorithms = 0", in_flight),
    ]
    if case["technology"] != "udp":
        # What its sources send ahead of a block's first event is to be little of the block.
        timed = "algorithms = 0\nmax-time = 8"
        sections.append(("pipeline", f"topologies = {case['pipeline']}\n{timed}", "options = --window 2"))
    head = f"ranks = {HOSTS}\ntechnologies = {case['technology']}\nsizes = {sizes}\nwaits = block\nmax-time = 1.5\n"
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
    calibrate = f"{FAVOUR} mpirun -q -np {CALIBRATED} '{BUILD}/cb_calibrate' --technology {technology} --wait block"
    on_testbed(
        case, CALIBRATED, f"{calibrate} --max-time {seconds} --sizes {sizes} --output calibrate.json", folder
    )
    run = f"{FAVOUR} '{sys.executable}' '{TOP}/scripts/combench' run plan.plan --programs '{BUILD}' --output measured"
    on_testbed(case, HOSTS, run, folder)
    measured_s = time.time() - started
    validate = ["chrt", "--idle", "0", sys.executable, str(TOP / "scripts/combench"), "validate", "calibrate.json", "measured"]
    validate += ["--programs", str(BUILD), "--network", "file:network.net", "--seeds", str(SEEDS)]
    with open(folder / "log", "ab") as log:
        subprocess.run(
            [*validate, "--output", "validation.json"], cwd=folder, check=True, stdout=log, stderr=log
        )
    made = json.loads((folder / "validation.json").read_text(encoding="utf-8"))
    calibration = [line for line in made["calibration"]["text"].splitlines() if not line.startswith("#")]
    names = "benchmark mode shape size_bytes measured_us predicted_us interval_pct fitted".split()
    return {
        "case": case,
        "commit": commit(),
        "started": made["started"],
        "measured_s": round(measured_s),
        "load": round(os.getloadavg()[0], 1),
        "calibration": calibration,
        "rows": [{name: row[name] for name in names} for row in made["results"]],
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


# The page


def error_pct(row: Json) -> float:
    return 100 * float(row["predicted_us"] / row["measured_us"] - 1)


def lies_within(row: Json) -> bool:
    """Whether the measurement lies in the prediction's own 90 % interval."""
    reach = row["predicted_us"] * row["interval_pct"] / 100
    return bool(abs(row["measured_us"] - row["predicted_us"]) <= reach)


def counted(networks: Iterable[Json]) -> list[Json]:
    """The rows that no calibration was fitted to."""
    return [row for network in networks for row in network["rows"] if not row["fitted"]]


def quantile(values: list[float], share: float) -> float:
    """The smallest value that is at least as large as this share of the values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def cells(rows: list[Json]) -> str:
    errors = [abs(error_pct(row)) for row in rows]
    within = 100 * sum(error <= GOAL_PCT for error in errors) / len(errors)
    inside = 100 * sum(map(lies_within, rows)) / len(rows)
    return (
        f"{len(rows)} | {statistics.median(errors):.1f} % | {quantile(errors, GOAL_SHARE):.1f} % "
        f"| {max(errors):.1f} % | {within:.0f} % | {inside:.0f} %"
    )


HEADING = "rows | median error | 95 % of rows | worst | within 15 % | in the 90 % interval |"


def table_by(title: str, groups: dict[str, list[Json]]) -> list[str]:
    lines = [f"| {title} | {HEADING}", "|---|---|---|---|---|---|---|"]
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


def value_of(calibration: list[str], word: str) -> str:
    found = [line.split()[1] for line in calibration if line.split()[:1] == [word]]
    return f"{float(found[0]):.4g}" if found and found[0][0].isdigit() else (found[0] if found else "-")


def tables_of(seed: int, networks: list[Json]) -> list[str]:
    rows = counted(networks)
    if not rows:
        return [f"Seed {seed}: not measured.", ""]
    errors = [abs(error_pct(row)) for row in rows]
    within = sum(error <= GOAL_PCT for error in errors) / len(errors)
    median = statistics.median(errors)
    reached = median <= GOAL_MEDIAN_PCT and within >= GOAL_SHARE
    commits = ", ".join(sorted({network["commit"] for network in networks}))
    lines = [
        f"### Seed {seed}",
        "",
        f"{len(networks)} of {DRAWS[seed]} networks, {len(rows)} rows, evaluated with {commits}: median error "
        f"{median:.1f} %, {100 * within:.0f} % of the rows within {GOAL_PCT} % "
        f"(goal: {GOAL_MEDIAN_PCT} %, {100 * GOAL_SHARE:.0f} %{', reached' if reached else ', not reached'}); "
        f"{100 * sum(map(lies_within, rows)) / len(rows):.0f} % of the measurements lie in the predictions' own "
        "90 % intervals.",
        "",
        *table_by("benchmark", grouped(networks, lambda _, row: row["benchmark"])),
        *table_by("technology", grouped(networks, lambda case, _: case["technology"])),
        *table_by("network", grouped(networks, lambda case, _: case["shape"])),
        *table_by("rate", dict(sorted(grouped(networks, lambda case, _: f"{case['rate_Mbps']:>2} Mbit/s").items()))),
        *table_by("network", {f"{number}: {describe(one['case'])}": counted([one]) for number, one in enumerate(networks, 1)}),
        "What the calibrations found, and how long each network was measured, at which load of the machine:",
        "",
        "| network | payload bytes | header bytes | acknowledgement us | share | eager bytes | s | load |",
        "|---|---|---|---|---|---|---|---|",
    ]
    words = ("payload_bytes", "header_bytes", "acknowledgement_us", "share", "eager_bytes")
    for number, one in enumerate(networks, 1):
        found = " | ".join(value_of(one["calibration"], word) for word in words)
        lines.append(f"| {number} | {found} | {one['measured_s']} | {one['load']} |")
    far = sorted(
        ((abs(error_pct(row)), number, row) for number, one in enumerate(networks, 1) for row in counted([one])),
        key=lambda found: -found[0],
    )
    lines += ["", f"The rows that are off by more than {GOAL_PCT} %:", ""]
    lines += ["| network | benchmark | mode | shape | bytes | predicted | measured | error |", "|---|---|---|---|---|---|---|---|"]
    for error, number, row in far:
        if error > GOAL_PCT:
            shape = "x".join(map(str, row["shape"]))
            lines.append(
                f"| {number} | {row['benchmark']} | {row['mode']} | {shape} | {row['size_bytes']} "
                f"| {row['predicted_us'] / 1000:.4g} ms | {row['measured_us'] / 1000:.4g} ms | {error_pct(row):+.1f} % |"
            )
    return [*lines, ""]


def tables(results: dict[int, list[Json]]) -> str:
    return "\n".join(line for seed in sorted(results, reverse=True) for line in tables_of(seed, results[seed]))


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
    elif words == ["table"]:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
