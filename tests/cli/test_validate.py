#!/usr/bin/python3
"""Each check of validate.py finds the fault that it is for, in an otherwise valid document."""

from __future__ import annotations

import copy
import json
import os
import unittest
from pathlib import Path
from typing import Any

import validate

SOURCE = Path(os.environ.get("srcdir", "."))
SCHEMA = json.loads((SOURCE / "docs/combench-result-1.schema.json").read_text(encoding="utf-8"))
VALID = json.loads((SOURCE / "tests/report/golden/report.json").read_text(encoding="utf-8"))
FARM_ROWS = json.loads((SOURCE / "tests/cli/farm_rows.json").read_text(encoding="utf-8"))
FARM = {**VALID, "benchmark": "pushfarm", "id": "2.1", "results": FARM_ROWS, "fit": []}

# What is changed (path, new value; None: removed), and where the fault must be seen.
CASES: dict[str, tuple[tuple[str | int, ...], Any, str]] = {
    "unknown key": (("results", 0, "latencyus"), 1, "$.results[0].latencyus"),
    "text for a number": (("results", 0, "touch_us"), "1", "$.results[0].touch_us"),
    "negative latency": (("results", 0, "latency_us", "min"), -1, "$.results[0].latency_us.min"),
    "complete with a reason": (("reason",), "SIGTERM", "$"),
    "incomplete without": (("complete",), False, "$"),
    "fit and refusal": (("fit", 0, "refusal"), "why", "$.fit[0]"),
    "id of another": (("id",), "1.2", "id"),
    "unknown benchmark": (("benchmark",), "nosuch", "benchmark"),
    "rank numbers": (("environment", "ranks", 1, "rank"), 2, "environment.ranks[1]"),
    "host numbers": (("environment", "ranks", 1, "host"), 1, "environment.ranks[1]"),
    "median above max": (("results", 0, "latency_us", "max"), 0.3, "results[0].latency_us"),
    "interval": (("results", 0, "latency_us", "ci95"), [0.32, 0.33], "results[0].latency_us"),
    "mean": (("results", 4, "latency_us", "mean"), 0.312, "results[4].blocks_us"),
    "mean missing": (("results", 4, "latency_us", "mean"), None, "results[4].latency_us"),
    "mean beside no task": (("results", 0, "latency_us", "mean"), 0.31125, "results[0].latency_us"),
    "blocks": (("results", 0, "blocks"), 9, "results[0].blocks_us"),
    "block values": (("results", 0, "blocks_us", 0), 0.3101, "results[0].blocks_us"),
    "percentile order": (("results", 0, "step_us", "p50"), 0.324, "results[0].step_us"),
    "percentile missing": (("results", 0, "step_us", "p99_9"), None, "results[0].step_us"),
    "percentile of too few": (("results", 1, "step_us", "p99"), 1.8, "results[1].step_us"),
    "histogram missing": (("results", 0, "step_us", "histogram"), None, "results[0].step_us"),
    "bounds": (
        ("results", 0, "step_us", "histogram", "bounds", 0),
        None,
        "results[0].step_us.histogram",
    ),
    "bound order": (
        ("results", 0, "step_us", "histogram", "bounds", 1),
        0.29,
        "results[0].step_us.histogram",
    ),
    "samples": (
        ("results", 0, "step_us", "histogram", "counts", 0),
        1401,
        "results[0].step_us.histogram",
    ),
    "throughput": (("results", 3, "throughput_MBps"), 412.9, "results[3].throughput_MBps"),
    "ping-pong": (("results", 0, "frequency_Hz"), 1612903, "results[0].frequency_Hz"),
    "counter missing": (("results", 8, "datagrams", "late"), None, "results[8].datagrams"),
    "counter of no technology": (("results", 8, "datagrams", "torn"), 1, "results[8].datagrams"),
    "share sum": (("results", 0, "shares"), [0.5, 0.4], "results[0].shares"),
    "verify": (("results", 3, "verify", "lost"), 1001, "results[3].verify"),
    "side that is none": (
        ("results", 4, "computing_alone_pct", "node"),
        99,
        "results[4].computing_alone_pct",
    ),
    "side of another occupation": (
        ("results", 4, "occupation"),
        "source",
        "results[4].computing_alone_pct",
    ),
    "unknown side": (
        ("results", 4, "computing_alone_pct", "supervisor"),
        99,
        "$.results[4].computing_alone_pct",
    ),
    "slowdown without a task": (
        ("results", 0, "slowdown_communication"),
        1,
        "results[0].slowdown_communication",
    ),
    "task without a slowdown": (
        ("results", 4, "slowdown_communication"),
        None,
        "results[4].slowdown_communication",
    ),
    "slowdown without a baseline": (
        ("results", 4, "computing_alone_pct", "source"),
        None,
        "results[4].slowdown_computing",
    ),
    "bound of nothing": (
        ("results", 5, "slowdown_computing", "destination"),
        None,
        "results[5].slowdown_computing_at_least",
    ),
    "bound that is none": (
        ("results", 5, "slowdown_computing_at_least", "destination"),
        False,
        "$.results[5].slowdown_computing_at_least.destination",
    ),
    "left of nothing": (
        ("results", 4, "computing_left_pct", "source"),
        None,
        "results[4].computing_left_pct",
    ),
    "left and slowdown": (
        ("results", 4, "computing_left_pct", "source"),
        81,
        "results[4].computing_left_pct.source",
    ),
    "rows alike": (("results", 1, "size_bytes"), 0, "results[1]"),
    "segment": (("fit", 0, "to_bytes"), 0, "fit[0].from_bytes"),
    "half of r_inf": (("fit", 0, "n_half_bytes"), 898, "fit[0].n_half_bytes"),
}

# The same of a farm: its first row is of a closed loop, its second of an open one.
FARM_CASES: dict[str, tuple[tuple[str | int, ...], Any, str]] = {
    "issued": (("results", 0, "issued"), 1001, "results[0].issued"),
    "in flight": (("results", 0, "in_flight"), 1, "results[0].issued"),
    "decided elsewhere": (
        ("results", 0, "per_destination", 0, "decided"),
        499,
        "results[0].per_destination",
    ),
    "lost elsewhere": (
        ("results", 0, "per_destination", 0, "lost"),
        1,
        "results[0].per_destination",
    ),
    "destination missing": (
        ("results", 1, "per_destination", 1),
        None,
        "results[1].per_destination",
    ),
    "ranks of destinations": (
        ("results", 0, "per_destination", 1, "rank"),
        6,
        "results[0].per_destination",
    ),
    "hosts of destinations": (
        ("results", 0, "placement"),
        {"supervisor": [1, 0], "source": [2, 0], "destination": [0, 2]},
        "results[0].per_destination",
    ),
    "processors": (("results", 0, "processors"), 7, "results[0].processors"),
    "most in flight": (
        ("results", 0, "per_destination", 0, "in_flight_most"),
        9,
        "results[0].per_destination",
    ),
    "mean in flight": (
        ("results", 0, "per_destination", 0, "in_flight_mean"),
        4.5,
        "results[0].per_destination",
    ),
    "latencies of destinations": (
        ("results", 0, "per_destination", 0, "latency_us", "samples"),
        31,
        "results[0].per_destination",
    ),
    "percentile of a destination": (
        ("results", 0, "per_destination", 0, "latency_us", "p90"),
        200,
        "results[0].per_destination[0].latency_us",
    ),
    "latency histogram": (
        ("results", 0, "event_latency_us", "histogram", "counts", 0),
        51,
        "results[0].event_latency_us.histogram",
    ),
    "latencies without decisions": (("results", 1, "decided"), 59, "results[1].event_latency_us"),
    "decisions without latencies": (
        ("results", 1, "event_latency_us", "samples"),
        59,
        "results[1].event_latency_us",
    ),
    "closed with a schedule": (("results", 0, "due"), 1000, "results[0].due"),
    "closed frequency": (("results", 0, "frequency_Hz"), 240000, "results[0].throughput_MBps"),
    "open without a rate": (("results", 1, "offered_Hz"), None, "results[1].offered_Hz"),
    "due": (("results", 1, "due"), 61, "results[1].due"),
    "saturated by nothing": (("results", 1, "saturated"), True, "results[1].limited_by"),
    "limited and following": (("results", 1, "limited_by"), "farm", "results[1].limited_by"),
    "error of a saturated one": (
        ("results", 1, "saturated"),
        True,
        "results[1].generator_error_pct",
    ),
    "found outside": (("results", 1, "found_Hz", "interval", 0), 51000, "results[1].found_Hz"),
    "found in too few": (("results", 1, "found_Hz", "held"), 2, "results[1].found_Hz"),
    "found is not offered": (("results", 1, "found_Hz", "value"), 50500, "results[1].found_Hz"),
    "farm throughput": (("results", 1, "throughput_MBps"), 3.2, "results[1].throughput_MBps"),
}


def changed(valid: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The valid document with one value set or removed."""
    document = copy.deepcopy(valid)
    node: Any = document
    for key in path[:-1]:
        node = node[key]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return document


class Validate(unittest.TestCase):
    """validate.faults."""

    def test_valid_documents_have_no_faults(self) -> None:
        self.assertEqual(validate.faults(SCHEMA, VALID), [])
        self.assertEqual(validate.faults(SCHEMA, FARM), [])

    def test_rows_of_different_loads_can_be_distinguished(self) -> None:
        rows = [{**FARM_ROWS[0], "algorithm_us": value} for value in (0, 50)]
        self.assertEqual(validate.faults(SCHEMA, {**FARM, "results": rows}), [])

    def test_each_fault_is_found_where_it_is(self) -> None:
        for valid, cases in ((VALID, CASES), (FARM, FARM_CASES)):
            for name, (path, value, place) in cases.items():
                with self.subTest(name):
                    document = changed(valid, path, value)
                    places = [found for found, _ in validate.faults(SCHEMA, document)]
                    self.assertIn(place, places)

    def test_nan_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            validate.refuse_constant("NaN")


if __name__ == "__main__":
    unittest.main()
