#!/usr/bin/env python3
"""The last step of a run: when it is due, and what becomes of it."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from stage import PLAN, Stage

from combench.common import documents
from combench.common.errors import is_missing
from combench.suite import plan, prediction
from combench.suite.allocation import Allocation
from combench.suite.launcher import OPENMPI, Launcher
from combench.suite.measure import Setting
from combench.suite.process import Signals

PREDICTS = plan.parse(
    "predict = 100, 1000\npredict-options = --sizes 64,1024 --seeds 2\n[oneway]\n", "test.plan"
)
PLAIN = plan.parse("[oneway]\n", "test.plan")
WRITES = (
    "import sys; open(sys.argv[1], 'w').write("
    '\'{"schema": "combench-prediction/1", "results": [{}, {}]}\')'
)


class Due(unittest.TestCase):
    def test_only_if_the_plan_asks_for_it(self) -> None:
        self.assertFalse(prediction.is_due(PLAIN, {}, True))
        self.assertTrue(prediction.is_due(PREDICTS, {}, True))

    def test_again_only_after_new_results_or_a_failure(self) -> None:
        for state, measures, due in (
            (documents.MEASURED, False, False),
            (documents.MEASURED, True, True),
            (documents.FAILED, False, True),
            (documents.RUNNING, False, True),
        ):
            document = {"prediction": {"state": state}}
            self.assertEqual(prediction.is_due(PREDICTS, document, measures), due, state)


NEEDS_MODULES = unittest.skipIf(
    any(map(is_missing, prediction.MODULES)), "the modules of combench predict are missing"
)


@NEEDS_MODULES
class Step(unittest.TestCase):
    """The step with other commands in place of the driver's."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="combench-suite-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "logs").mkdir()
        here = Allocation("local", 2, 1, "")
        self.setting = Setting(
            self.folder, self.folder, Launcher(OPENMPI, ("mpirun",), ()), here, dict(os.environ)
        )

    def step(self, *command: str) -> dict[str, Any]:
        entry = prediction.begin(PREDICTS, self.setting)
        entry["command"] = list(command)
        with Signals() as signals, open(os.devnull, "rb") as lock:
            self.assertEqual(prediction.predict(entry, self.setting, signals, lock.fileno()), "")
        return entry

    def test_its_result_is_in_the_directory(self) -> None:
        entry = self.step(sys.executable, "-c", WRITES, str(self.folder / "prediction.json"))
        found = [entry[key] for key in ("state", "result", "rows", "exit_status")]
        self.assertEqual(found, ["measured", "prediction.json", 2, 0])

    def test_a_failure_has_its_status_and_the_cause_from_the_log(self) -> None:
        entry = self.step("sh", "-c", "echo 'error: there is no calibration'; exit 2")
        self.assertEqual(entry["state"], "failed")
        self.assertEqual(entry["reason"], "exit status 2: error: there is no calibration")

    def test_a_document_that_is_missing_is_a_failure(self) -> None:
        self.assertEqual(self.step("true")["state"], "failed")

    def test_an_earlier_result_is_not_taken_for_the_new_one(self) -> None:
        (self.folder / "prediction.json").write_text('{"schema": "combench-prediction/1"}')
        self.assertEqual(self.step("true")["state"], "failed")

    def test_without_its_modules_it_is_skipped(self) -> None:
        with mock.patch.dict(sys.modules, {"scipy": None}):
            entry = self.step("true")
        self.assertEqual(entry["state"], "skipped")
        self.assertIn("python3-scipy", entry["reason"])

    def test_the_command_names_directory_scale_and_technology(self) -> None:
        words = " ".join(prediction.command(PREDICTS, self.setting))
        for part in (f"predict {self.folder} --scale 100,1000", "--technology mpi", "prediction.json --sizes 64,1024 --seeds 2"):
            self.assertIn(part, words)


@NEEDS_MODULES
class OfARun(Stage):
    """The documents of the fake programs cannot be predicted."""

    def test_a_failed_step_fails_the_run_and_is_repeated_alone(self) -> None:
        self.plan.write_text("predict = 100\n" + PLAN, encoding="utf-8")
        ended = self.run_driver(str(self.plan), expect=1)
        self.assertIn("prediction failed: exit status", ended.stdout)
        self.assertEqual(set(self.states()), {"measured"})
        kept = self.manifest()
        self.assertEqual(kept["prediction"]["scale"], [100])
        self.assertEqual(kept["prediction"]["state"], "failed")
        self.assertTrue(kept["complete"])
        started = self.started()
        self.run_driver("--resume", expect=1)
        self.assertEqual(self.started(), started)
        self.assertEqual(self.manifest()["prediction"]["state"], "failed")

    def test_calibrations_are_measured_again_after_a_failure(self) -> None:
        self.plan.write_text("predict = 100\n[oneway]\n[calibrate]\n", encoding="utf-8")
        ended = self.run_driver(str(self.plan), expect=1)
        self.assertIn("calibrating again", ended.stderr)
        started = [name.split(".")[0] for name in self.started()]
        self.assertEqual({name: started.count(name) for name in started}, {"oneway": 1, "calibrate": 3})
        self.assertEqual(set(self.states()), {"measured"})

    def test_a_dry_run_prints_its_command(self) -> None:
        self.plan.write_text("predict = 100\n" + PLAN, encoding="utf-8")
        said = self.run_driver(str(self.plan), "--dry-run", expect=0).stdout
        self.assertRegex(said, r"combench predict .* --scale 100 ")


if __name__ == "__main__":
    unittest.main()
