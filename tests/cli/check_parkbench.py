#!/usr/bin/python3
"""Hold results of Parkbench's programs to their definitions: rates to times, the parameters of a fit
to each other, and the maximum to the rows. Prints what is wrong, one line each; status 1 then.

The times themselves may be anything, on a busy machine above all: a fit may be refused."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any, Iterator

Json = dict[str, Any]

TOLERANCE = 1e-6


def close(found: float, expected: float) -> bool:
    return math.isclose(found, expected, rel_tol=TOLERANCE, abs_tol=1e-9)


def row_faults(row: Json, saturates: bool) -> Iterator[str]:
    processors = row["processors"]
    messages = processors * (processors - 1) if saturates else 1
    time_us = row["round_us" if saturates else "latency_us"]["median"]
    if "rates_from" in row:
        time_us = sum(row["blocks_us"]) / len(row["blocks_us"])
    expected = messages * row["size_bytes"] / time_us
    if not close(row["throughput_MBps"], expected):
        yield f"{row['size_bytes']} bytes: throughput {row['throughput_MBps']}, not {expected}"


def line_faults(fit: Json) -> Iterator[str]:
    startup_us, r_inf = fit["overhead_us"], fit["r_inf_MBps"]
    if not close(fit["n_half_bytes"], startup_us * r_inf):
        yield f"n_half {fit['n_half_bytes']} is not t0 r_inf = {startup_us * r_inf}"
    if startup_us > 0 and not close(fit["pi0_Hz"] * startup_us, 1e6):
        yield f"pi0 {fit['pi0_Hz']} is not 1 / t0, of t0 {startup_us} us"
    if startup_us == 0 and "pi0_Hz" in fit:
        yield f"pi0 {fit['pi0_Hz']} without a startup time"


def maximum_faults(fit: Json, rows: list[Json], saturates: bool) -> Iterator[str]:
    seen = max(
        row["throughput_MBps"]
        for row in rows
        if row["processors"] == fit["processors"]
        and fit.get("from_bytes", 0) <= row["size_bytes"] <= fit.get("to_bytes", math.inf)
    )
    if not close(fit["maximum_MBps"], seen):
        yield f"maximum {fit['maximum_MBps']}, and {seen} was observed"
    shares = {"maximum_per_processor_MBps": "maximum_MBps"}
    if "refusal" not in fit:
        shares["r_inf_per_processor_MBps"] = "r_inf_MBps"
    for share, whole in shares.items():
        if saturates != (share in fit):
            yield f"{share} is {'absent' if saturates else 'there'}"
        elif saturates and not close(fit[share] * fit["processors"], fit[whole]):
            yield f"{share} {fit[share]} of {fit[whole]} in all"


def clock_faults(clock: Json) -> Iterator[str]:
    if abs(clock["tick2_error_pct"]) > 0.1 + clock["tick2_bound_pct"]:
        yield f"measured with a clock that is off by {clock['tick2_error_pct']} %"
    if clock["tick1_ns"] > 10000:
        yield f"measured with a clock of steps of {clock['tick1_ns']} ns"


def faults(document: Json) -> Iterator[str]:
    saturates = document["benchmark"] == "comms3"
    figure = "message_us" if saturates else "latency_us"
    yield from clock_faults(document["environment"]["clock"])
    for row in document["results"]:
        yield from row_faults(row, saturates)
    if not document["fit"]:
        yield "no fit"
    for fit in document["fit"]:
        if fit["figure"] != figure:
            yield f"a fit of {fit['figure']}, not of {figure}"
        if "refusal" not in fit:
            yield from line_faults(fit)
        yield from maximum_faults(fit, document["results"], saturates)


def main() -> int:
    found = False
    for path in sys.argv[1:]:
        for fault in faults(json.loads(Path(path).read_text(encoding="utf-8"))):
            print(f"{path}: {fault}")
            found = True
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
