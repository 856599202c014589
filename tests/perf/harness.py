#!/usr/bin/python3
"""Print the cost of the harness from a result of cb_oneway over the technology null.

A step is one packet sent and one received in a ping-pong, one packet sent in a stream. In the pass
of single steps each has one more reading of the clock, whose cost the result gives.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

STEP_TARGET_NS = 40
SAMPLES_LEAST = 1000
READINGS_TARGET = 1.05  # one, and its cost is known to a few per cent
DIVISORS = {"pingpong": 2, "stream": 1}  # a latency is half of a step


def central_mean_ns(step_us: dict[str, Any], divisor: int) -> float:
    """The mean step without the longest per cent: those were interrupted. The clock's steps are as
    long as what is measured here, which a median would show and not the cost."""
    bounds = step_us["histogram"]["bounds"]
    left = 0.99 * step_us["samples"]
    total = samples = 0.0
    for lower, count in zip(bounds, step_us["histogram"]["counts"]):
        counted = min(count, left - samples)
        total += counted * lower
        samples += counted
    return total / samples * divisor * 1000


def report(row: dict[str, Any], clock_ns: float) -> None:
    divisor = DIVISORS[row["mode"]]
    block_ns = (row.get("latency_us") or row["round_us"])["median"] * divisor * 1000
    harness_ns = row["harness_us"] * 1000
    extra_ns = central_mean_ns(row["step_us"], divisor) - block_ns
    case = f"{row['mode']} of {row['size_bytes']} bytes, touch {row['touch']}"
    print(
        f"{case}: harness {harness_ns:.1f} ns a step; in blocks {block_ns:.1f} ns, recorded one by "
        f"one {extra_ns:.1f} ns more; touching a packet {row.get('touch_us', 0) * 1000:.1f} ns, "
        f"a reading of the clock {clock_ns:.1f} ns"
    )
    print(f"target: harness, {case}, ns: {harness_ns:.1f} at most {STEP_TARGET_NS}")
    if row["step_us"]["samples"] < SAMPLES_LEAST:
        print("too few single steps in the time that was left: the machine is busy")
        return
    readings = extra_ns / clock_ns
    print(f"target: single step, {case}, readings: {readings:.3f} at most {READINGS_TARGET}")


def main() -> int:
    for path in sys.argv[1:]:
        result = json.loads(Path(path).read_text(encoding="utf-8"))
        for row in result["results"]:
            report(row, result["environment"]["clock"]["cost_ns"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
