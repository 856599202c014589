#!/usr/bin/python3
"""docs/development/networks.md: its tables follow from the kept results, and its networks from the seeds."""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("srcdir", ".")).resolve() / "docs/development"
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))

networks = importlib.import_module("networks")


def row(predicted: float, measured: float, interval_pct: float = 0, fitted: bool = False) -> Any:
    made = {"benchmark": "oneway", "mode": "stream", "shape": [1, 1], "size_bytes": 64, "fitted": fitted}
    return {**made, "predicted_us": predicted, "measured_us": measured, "interval_pct": interval_pct}


class Networks(unittest.TestCase):
    def test_the_tables_follow_from_the_kept_results(self) -> None:
        text = networks.PAGE.read_text(encoding="utf-8")
        self.assertEqual(text, networks.page(text), "run docs/development/networks.py table")

    def test_the_tables_change_with_the_results(self) -> None:
        for seed in networks.DRAWS:
            kept = networks.kept(f"{seed}.json")
            changed = json.loads(json.dumps(kept))
            for one in changed[:1]:
                next(row for row in one["rows"] if not row["fitted"])["measured_us"] *= 3
                self.assertNotEqual(networks.tables({seed: kept}), networks.tables({seed: changed}))

    def test_the_networks_follow_from_the_seeds(self) -> None:
        kept = (networks.KEPT / "cases.json").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            networks.KEPT = Path(folder)
            self.addCleanup(setattr, networks, "KEPT", FOLDER / "networks")
            networks.draw()
            self.assertEqual((Path(folder) / "cases.json").read_text(encoding="utf-8"), kept)

    def test_what_was_measured_are_drawn_networks(self) -> None:
        cases = networks.kept("cases.json")
        for seed in networks.DRAWS:
            for one in networks.kept(f"{seed}.json"):
                self.assertIn(one["case"], cases)

    def test_a_draw_has_each_rate_delay_technology_and_shape(self) -> None:
        for seed, count in networks.DRAWS.items():
            drawn = networks.draw_cases(seed, count)
            for key, values in (("technology", networks.TECHNOLOGIES), ("shape", networks.SHAPES)):
                self.assertEqual({case[key] for case in drawn}, set(values))
            if count >= 12:
                self.assertEqual({case["rate_Mbps"] for case in drawn}, set(networks.RATES_MBPS))
                self.assertEqual({case["delay_us"] for case in drawn}, set(networks.DELAYS_US))

    def test_each_network_has_nine_nodes_and_calibrated_ones_of_the_given_rate(self) -> None:
        for case in networks.kept("cases.json"):
            text = networks.topology_of(case)
            self.assertIn(f"nodes {networks.HOSTS}\n", text)
            self.assertIn(f"reference bandwidth_MBps={case['rate_Mbps'] / 8:g}\n", text)
            rates = case.get("hosts_Mbps", [case["rate_Mbps"]])
            self.assertEqual(set(rates[: networks.CALIBRATED]), {case["rate_Mbps"]})

    def test_fitted_rows_count_in_no_error(self) -> None:
        kept = {"case": {}, "rows": [row(1, 2, fitted=True), row(3, 2)]}
        self.assertEqual(networks.counted([kept]), [row(3, 2)])

    def test_errors_and_intervals_are_those_of_the_prediction(self) -> None:
        self.assertAlmostEqual(networks.error_pct(row(110, 100)), 10)
        self.assertTrue(networks.lies_within(row(110, 100, 10)))
        self.assertFalse(networks.lies_within(row(110, 100, 9)))
        for reach, expected in {4: True, 1: False}.items():
            one = {**row(110, 100, 9), "measured_interval_pct": reach}
            self.assertEqual(networks.agrees(one), expected)
        known = {None: False, 10.5: False, 9.5: True}
        for reach, expected in known.items():
            self.assertEqual(networks.is_known({"measured_interval_pct": reach}), expected)
        self.assertEqual(networks.quantile([4, 1, 3, 2], 0.95), 4)
        self.assertEqual(networks.quantile(list(range(1, 101)), 0.95), 95)


if __name__ == "__main__":
    unittest.main()
