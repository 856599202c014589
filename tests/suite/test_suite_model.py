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
farms = 40x40
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
        command = [sys.executable, str(SOURCE / "scripts/combench"), "run", *words]
        command += ["--programs", str(BUILD), "--output", output, "--mpirun", "no-such-launcher"]
        ended = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False
        )
        self.assertEqual(ended.returncode, expect, ended.stdout + ended.stderr)
        return ended.stdout + ended.stderr

    def in_model(self, *words: str, expect: int = 0, output: str = "there") -> str:
        return self.run_driver("small.plan", "--model", str(CALIBRATION), *words, expect=expect, output=output)

    def document(self, path: str) -> dict:
        found: dict = json.loads((self.folder / path).read_text(encoding="utf-8"))
        return found

    def test_a_plan_of_a_technology_runs_and_what_has_no_meaning_is_left(self) -> None:
        said = self.in_model("--repeat", "2", "--network", "fattree:radix=16")
        self.assertIn("nothing is measured", said)
        manifest = self.document("there/manifest.json")
        self.assertEqual(manifest["model"]["network"], "fattree:radix=16")
        states = {one["name"]: (one["state"], one.get("reason", "")) for one in manifest["measurements"]}
        self.assertEqual(states["pushfarm.model.40x40"][0], "measured")
        self.assertIn("no cores", states["oneway.model.both"][1])
        self.assertEqual(states["touching.model.1x1"][0], "skipped")
        self.assertIn("--touch", states["touching.model.1x1"][1])
        for seed, folder in ((1, ""), (2, "launch-2/")):
            result = self.document(f"there/results/{folder}oneway.model.none.json")
            self.assertEqual((result["source"], result["parameters"]["seed"]), ("model", seed))

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

    def test_mistakes_are_said_before_the_first_measurement(self) -> None:
        self.assertIn("'mesh'", self.in_model("--network", "mesh", expect=2))
        self.assertIn("'fair'", self.in_model("--share", "fair", expect=2))
        self.assertIn("none.cal", self.run_driver("small.plan", "--model", "none.cal", expect=2))
        self.assertIn("--model FILE", self.run_driver("small.plan", "--share", "tcp", expect=2))
        self.assertIn("has no hosts", self.in_model("--placement", "cyclic", expect=2))
        self.assertIn("needs 81 ranks", self.in_model("--ranks", "8"))


if __name__ == "__main__":
    unittest.main()
