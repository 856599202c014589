#!/usr/bin/env python3
"""`combench run --model`: a plan in a model of a network; it is never mixed with what is measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("srcdir", ".")).resolve()
BUILD = Path(os.environ.get("builddir", "build")).resolve()
CALIBRATION = SOURCE / "docs/examples/farm-100g.cal"
PLAN = """\
max-time = 0.01
[oneway]
technologies = tcp
sizes = 1000
occupations = none, both
[touching]
benchmark = pushfarm
farms = 1x1
sizes = 64
options = --touch none
[pushfarm]
farms = 8x8
sizes = 1000
algorithms = 0
"""


class InAModel(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "small.plan").write_text(PLAN, encoding="ascii")

    def run_driver(self, *words: str, expect: int, output: str = "there") -> str:
        """Run the driver where no launcher exists. Returns its output."""
        options = ("--programs", str(BUILD), "--output", output, "--mpirun", "no-such-launcher")
        return self.combench("run", *words, *options, expect=expect)

    def combench(self, *words: str, expect: int = 0) -> str:
        command = [sys.executable, str(SOURCE / "scripts/combench"), *words]
        ended = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=300, check=False
        )
        self.assertEqual(ended.returncode, expect, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def in_model(self, *words: str, expect: int = 0, output: str = "there") -> str:
        return self.run_driver("small.plan", "--model", str(CALIBRATION), *words, expect=expect, output=output)

    def document(self, path: str) -> dict:
        found: dict = json.loads((self.folder / path).read_text(encoding="utf-8"))
        return found

    def test_a_plan_of_a_technology_runs_and_what_has_no_meaning_is_left(self) -> None:
        said = self.in_model("--repeat", "2", "--network", "fattree:radix=16", "--group-send", "tree")
        self.assertIn("nothing is measured", said)
        manifest = self.document("there/manifest.json")
        self.assertEqual(manifest["model"]["network"], "fattree:radix=16")
        states = {one["name"]: (one["state"], one.get("reason", "")) for one in manifest["measurements"]}
        self.assertEqual(states["pushfarm.model.8x8"][0], "measured")
        self.assertIn("no cores", states["oneway.model.both"][1])
        self.assertEqual(states["touching.model.1x1"][0], "skipped")
        self.assertIn("--touch", states["touching.model.1x1"][1])
        for seed, folder in ((1, ""), (2, "launch-2/")):
            result = self.document(f"there/results/{folder}oneway.model.none.json")
            self.assertEqual((result["source"], result["parameters"]["seed"]), ("model", seed))
            self.assertEqual(result["parameters"]["group_send"], "tree")

    def test_measured_and_modelled_are_not_mixed(self) -> None:
        self.in_model()
        model = ("--model", str(CALIBRATION))
        self.assertIn("another model", self.run_driver("--resume", *model, "--share", "tcp", expect=2))
        self.run_driver("--resume", *model, expect=0)
        path = self.folder / "there/manifest.json"
        manifest = json.loads(path.read_text(encoding="utf-8"))
        del manifest["model"]
        path.write_text(json.dumps(manifest), encoding="utf-8")
        self.assertIn("on hosts", self.run_driver("--resume", *model, expect=2))

    def test_beside_measurements_a_change_is_the_error_of_the_model(self) -> None:
        """As measured stands a run in the model that took 1.25 times as long, over a technology."""
        self.in_model()
        (self.folder / "here").mkdir()
        document = self.document("there/results/oneway.model.none.json")
        for key in ("source", "blocks_crc32"):
            del document[key]
        document["technology"] = document["parameters"]["technology"] = "tcp"
        for row in document["results"]:
            row["touch"] = "all"
            for figure in (row.get("latency_us", {}), row.get("round_us", {})):
                figure.update({name: 1.25 * figure[name] for name in ("median", "min", "max") if name in figure})
        (self.folder / "here/oneway.json").write_text(json.dumps(document), encoding="utf-8")
        said = self.combench("compare", "here", "there", "--all")
        self.assertIn("there is a run in a model: a change is the model's error", said)
        self.assertIn("error of the model, latency_us: median 20.0 %, worst 20.0 %, 0 of 1 rows within 15 %", said)
        self.combench("report", "here", "there", "--output", "both.html")
        page = (self.folder / "both.html").read_text(encoding="utf-8")
        self.assertIn("Measured, and in a model,", page)
        self.assertIn("Not measured: oneway, pushfarm ran in a model", page)
        self.combench("report", "there", "--output", "alone.html")
        self.assertIn("In a model 2", (self.folder / "alone.html").read_text(encoding="utf-8"))

    def test_mistakes_are_said_before_the_first_measurement(self) -> None:
        self.assertIn("'mesh'", self.in_model("--network", "mesh", expect=2))
        self.assertIn("'fair'", self.in_model("--share", "fair", expect=2))
        self.assertIn("none.cal", self.run_driver("small.plan", "--model", "none.cal", expect=2))
        self.assertIn("--model FILE", self.run_driver("small.plan", "--share", "tcp", expect=2))
        self.assertIn("has no hosts", self.in_model("--placement", "cyclic", expect=2))
        self.assertIn("needs 17 ranks", self.in_model("--ranks", "8"))


if __name__ == "__main__":
    unittest.main()
