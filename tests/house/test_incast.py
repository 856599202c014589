#!/usr/bin/python3
"""docs/development/incast.md: its tables follow from the kept results, and its cases from the seeds."""

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

incast = importlib.import_module("incast")


def changed(rows: list[Any]) -> list[Any]:
    copy: list[Any] = json.loads(json.dumps(rows))
    copy[0]["full"]["event_us"] *= 1.5
    return copy


class Incast(unittest.TestCase):
    def test_the_tables_follow_from_the_kept_results(self) -> None:
        text = incast.PAGE.read_text(encoding="utf-8")
        self.assertEqual(text, incast.page(text), "run docs/development/incast.py table")

    def test_the_tables_change_with_the_results(self) -> None:
        kept = [incast.kept(f"{name}.json") for name in ("cases", "measured", "predicted")]
        self.assertNotEqual(incast.tables(*kept), incast.tables(kept[0], changed(kept[1]), kept[2]))

    def test_each_case_is_measured_and_predicted(self) -> None:
        counts = {len(incast.kept(f"{name}.json")) for name in ("cases", "measured", "predicted")}
        self.assertEqual(counts, {sum(count for _, count, _ in incast.DRAWS)})

    def test_the_cases_follow_from_the_seeds(self) -> None:
        kept = (incast.KEPT / "cases.json").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            incast.KEPT = Path(folder)
            self.addCleanup(setattr, incast, "KEPT", FOLDER / "incast")
            incast.draw()
            self.assertEqual((Path(folder) / "cases.json").read_text(encoding="utf-8"), kept)

    def test_an_error_is_that_of_the_prediction(self) -> None:
        self.assertAlmostEqual(incast.error_pct(110, 100), 10)
        self.assertAlmostEqual(incast.error_pct(90, 100), -10)


if __name__ == "__main__":
    unittest.main()
