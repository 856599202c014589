#!/usr/bin/env python3
"""Compare the share rule tcp with incast on the testbed: docs/development/incast.md.

    incast.py draw              draw the cases: incast/cases.json
    incast.py measure           measure them on the testbed (root): incast/measured.json;
                                those that it has are kept
    incast.py predict           predict them: incast/predicted.json
    incast.py table             write the tables of the page
"""

from __future__ import annotations

import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Json = dict[str, Any]
TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CB_BUILD", TOP / "build"))
KEPT = Path(__file__).resolve().parent / "incast"
PAGE = KEPT.with_suffix(".md")

# Seed, number of cases, windows. With a window of 4 the largest queue depends on how many events a block
# has, which differs between the passes that the testbed counts together: the second draw has none.
DRAWS = ((20, 26, (1, 4)), (21, 8, (1,)))
SEEDS = (1, 2, 3)  # of the model
ONSET_S, GOODPUT_S, AT_A_TIME = 2.5, 10, 2
SIMULATED_US = 60e6
# The hosts of the testbed: kernel and switch take this beyond the delay, a send takes this, and the
# control plane lets ranks start a block with this skew at most.
HOST_US, SEND_US, SKEW_US = 60, 10, 5000
PAYLOAD, HEADERS = 1448, 90  # of a frame, with timestamps


def kept(name: str) -> Any:
    return json.loads((KEPT / name).read_text(encoding="utf-8"))


def keep(name: str, value: Any) -> None:
    KEPT.mkdir(exist_ok=True)
    text = "[\n" + ",\n".join(json.dumps(one) for one in value) + "\n]\n"
    (KEPT / name).write_text(text, encoding="utf-8")


def draw_cases(seed: int, count: int, windows: tuple[int, ...]) -> list[Json]:
    drawn = random.Random(seed)
    cases: list[Json] = []
    while len(cases) < count:
        sources, kib = drawn.randint(2, 16), drawn.choice((2, 4, 8, 12, 16, 24, 32))
        rate, delay = drawn.choice((4, 6, 10)), drawn.choice((50, 500, 2000))
        alpha, part = drawn.choice((0, 0, 0.5, 1, 2)), drawn.uniform(0.25, 0.9)
        window, burst = drawn.choice(windows), sources * kib * 1024
        if not 24_000 <= burst <= 160_000:
            continue
        queue = part * burst
        cases.append(
            {
                "sources": sources,
                "size_bytes": kib * 1024,
                "window": window,
                "rate_Mbps": rate,
                "delay_us": delay,
                "alpha": alpha,
                "buffer_bytes": round(queue * (1 + 1 / alpha) if alpha else queue),
            }
        )
    return cases


def draw() -> None:
    keep("cases.json", [case for one in DRAWS for case in draw_cases(*one)])


def funnel(case: Json) -> list[str]:
    words = [str(BUILD / "cb_funnel"), "--sources", str(case["sources"]), "--mode", "event"]
    return [*words, "--sizes", str(case["size_bytes"]), "--window", str(case["window"])]


def measure_one(case: Json, seconds: float, buffer: list[str]) -> Json:
    """The mean time of an event, and what was lost."""
    ranks = str(case["sources"] + 1)
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "CB_BUILD": str(BUILD),
    }
    with TemporaryDirectory(prefix="incast-") as folder:
        result, counters = f"{folder}/row.json", f"{folder}/counters"
        testbed = [str(TOP / "scripts/testbed"), "--hosts", ranks, *buffer]
        testbed += ["--rate", f"{case['rate_Mbps']}mbit", "--delay", f"{case['delay_us']}us"]
        # The machine may have other work: let hosts and switch have their cores in time.
        favour = "echo -19 >/proc/self/autogroup 2>/dev/null; exec \"$@\""
        command = ["sh", "-c", favour, "sh", *testbed, "--statistics", counters, "--"]
        command += ["mpirun", "-q", "-np", ranks, "sh", "-c", favour, "sh", *funnel(case)]
        command += ["--technology", "tcp", "--wait", "block", "--precision", "2"]
        command += ["--max-time", f"{seconds:g}", "--output", result]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        document = json.loads(Path(result).read_text(encoding="utf-8"))
        lines = Path(counters).read_text(encoding="utf-8").splitlines()
    row = document["results"][-1]
    names = lines[0].split()
    port = dict(zip(names, next(line for line in lines if line.startswith("host01 ")).split()))
    late = re.search(r"late by ([0-9.]+) us", lines[-1])
    return {
        "event_us": round(statistics.mean(row["blocks_us"]), 1),
        "steps": row["steps"],
        "blocks": row["blocks"],
        "resent": row["connections"]["retransmitted"],
        "timeouts": row["connections"]["timeouts"],
        "dropped": int(port["full"]),
        "queue_bytes": int(port["queue_max_bytes"]),
        "late_us": float(late.group(1)) if late else None,
    }


def measure() -> None:
    def both(case: Json) -> Json:
        shared = ["--buffer", str(case["buffer_bytes"]), "--alpha", str(case["alpha"])]
        own = ["--queue", str(case["buffer_bytes"])]
        started = time.monotonic()
        found = {
            "onset": measure_one(case, ONSET_S, ["--queue", "1GB"]),
            "full": measure_one(case, GOODPUT_S, shared if case["alpha"] else own),
        }
        print(case, f"{time.monotonic() - started:.0f} s", file=sys.stderr)
        return found

    known = kept("measured.json") if (KEPT / "measured.json").exists() else []
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        keep("measured.json", known + list(pool.map(both, kept("cases.json")[len(known) :])))


def trace(case: Json, steps: int, blocks: int) -> str:
    """Blocks of steps, as measured: the sources start each a little late."""
    command = [*funnel(case), "--emit-trace", "-", "--trace-steps", str(steps)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sections = re.split(r"^(\S+:)\n", text, flags=re.MULTILINE)
    late = {"0:": ""}
    parts = [
        f"{rank}\n@ {blocks}\nb\n{late.get(rank, f'c uniform(0,{SKEW_US})')}\n{records};\n"
        for rank, records in zip(sections[1::2], sections[2::2])
    ]
    return sections[0] + "".join(parts)


def evaluate(case: Json, text: str, seed: int, buffer: list[str]) -> Json:
    ranks = case["sources"] + 1
    with TemporaryDirectory(prefix="incast-") as folder:
        network = Path(folder) / "one.net"
        network.write_text(
            f"%network 1\nnodes {ranks}\nswitch s\nlink 0-{ranks - 1} s\n"
            f"packet payload_bytes={PAYLOAD} header_bytes={HEADERS}\n",
            encoding="utf-8",
        )
        rate = case["rate_Mbps"] / 8 * PAYLOAD / (PAYLOAD + HEADERS)
        command = [str(BUILD / "ccmod"), "run", "--format", "json", "--seed", str(seed)]
        command += ["--network", str(network), "--overhead-us", str(SEND_US)]
        command += ["--latency-us", str(case["delay_us"] + HOST_US), "--bandwidth-MBps", str(rate)]
        command += ["--eager-bytes", "1GB", "--share", "tcp", *buffer, "-"]
        ended = subprocess.run(command, input=text, check=True, capture_output=True, text=True)
    document: Json = json.loads(ended.stdout)
    return document


def predict_one(case: Json, measured: Json, seed: int, buffer: list[str]) -> Json:
    """The time of an event without the start of the connections, as the measurement warms up."""
    steps = measured["steps"] // measured["blocks"]
    blocks = max(8, round(SIMULATED_US / measured["event_us"] / steps))
    lead = max(2, blocks // 8)
    short, long = (
        evaluate(case, trace(case, steps, count), seed, buffer) for count in (lead, lead + blocks)
    )
    return {
        "event_us": round((long["end_us"] - short["end_us"]) / (blocks * steps), 1),
        **{
            name: long["losses"][name] for name in ("queue_bytes", "dropped", "retransmitted", "timeouts")
        },
        "events": (lead + blocks) * steps,
    }


def predict() -> None:
    def both(pair: tuple[Json, Json]) -> Json:
        case, measured = pair
        shared = f",shared:{case['alpha']}" if case["alpha"] else ""
        buffer = ["--buffer", f"{case['buffer_bytes']}{shared}"]
        return {
            "onset": [predict_one(case, measured["onset"], seed, []) for seed in SEEDS],
            "full": [predict_one(case, measured["full"], seed, buffer) for seed in SEEDS],
        }

    pairs = list(zip(kept("cases.json"), kept("measured.json")))
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        keep("predicted.json", list(pool.map(both, pairs)))


def error_pct(predicted: float, measured: float) -> float:
    return 100 * (predicted / measured - 1)


def row_of(case: Json, measured: Json, predicted: Json) -> Json:
    """The figures of a case; goodput is the payload of an event over its time."""
    burst = case["sources"] * case["size_bytes"]

    def middle(part: str, name: str) -> float:
        return statistics.median(one[name] for one in predicted[part])

    goodput = burst / measured["full"]["event_us"]
    expected = burst / middle("full", "event_us")
    onset, due = measured["onset"]["queue_bytes"], middle("onset", "queue_bytes")
    return {
        "onset": onset,
        "expected_onset": due,
        "onset_pct": error_pct(due, onset),
        "goodput": goodput,
        "expected_goodput": expected,
        "goodput_pct": error_pct(expected, goodput),
        "line": case["rate_Mbps"] / 8,
        "dropped": measured["full"]["dropped"] > 0,
        "expected_dropped": middle("full", "dropped") > 0,
        "late_us": measured["full"]["late_us"],
    }


def summary(rows: list[Json], name: str) -> str:
    errors = [abs(row[name]) for row in rows]
    return f"{statistics.median(errors):.1f} % | {max(errors):.1f} %"


def tables(cases: list[Json], measured: list[Json], predicted: list[Json]) -> str:
    rows = [row_of(*one) for one in zip(cases, measured, predicted)]
    lost = [row for row in rows if row["dropped"]]
    alone = [row for case, row in zip(cases, rows) if case["window"] == 1]
    agree = sum(row["dropped"] == row["expected_dropped"] for row in rows)
    lines = [
        "| figure | cases | median error | worst |",
        "|---|---|---|---|",
        f"| onset of loss, window of 1 | {len(alone)} | {summary(alone, 'onset_pct')} |",
        f"| goodput where frames were dropped | {len(lost)} | {summary(lost, 'goodput_pct')} |",
        "",
        f"Whether anything is dropped was predicted in {agree} of {len(rows)} cases; "
        f"{sum(abs(row['onset_pct']) <= 10 for row in alone)} of {len(alone)} onsets are within 10 %, "
        f"{sum(abs(row['goodput_pct']) <= 20 for row in lost)} of {len(lost)} goodputs within 20 %.",
        "",
        "| sources | fragment bytes | window | Mbit/s | delay us | buffer bytes | onset bytes | predicted | error % "
        "| goodput kB/s | predicted | error % | of the link % | dropped |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for case, row in zip(cases, rows):
        shared = f", shared {case['alpha']:g}" if case["alpha"] else ""
        lines.append(
            f"| {case['sources']} | {case['size_bytes']} | {case['window']} | {case['rate_Mbps']} "
            f"| {case['delay_us']} | {case['buffer_bytes']}{shared} | {row['onset']} "
            f"| {row['expected_onset']:.0f} | {row['onset_pct']:+.1f} | {1000 * row['goodput']:.1f} "
            f"| {1000 * row['expected_goodput']:.1f} | {row['goodput_pct']:+.1f} "
            f"| {100 * row['goodput'] / row['line']:.0f} | {'yes' if row['dropped'] else 'no'} |"
        )
    return "\n".join(lines) + "\n"


FROM, TO = "<!-- from here: incast.py table -->\n", "<!-- to here -->\n"


def page(text: str) -> str:
    """The page with the tables of the kept results."""
    made = tables(*(kept(f"{name}.json") for name in ("cases", "measured", "predicted")))
    before, rest = text.split(FROM)
    return before + FROM + "\n" + made + "\n" + TO + rest.split(TO)[1]


def table() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


COMMANDS = {"draw": draw, "measure": measure, "predict": predict, "table": table}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]]()
