"""What tests of `combench run` stand on: a folder with a plan, a fake mpirun and fake programs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(TOP / "python"))

LIMIT_S = 120

# A case that `make check` omits; see tests/local.mk.
thorough = unittest.skipUnless(os.environ.get("CB_CHECK_FULL"), "only make check-full runs it")


def heed_signals() -> None:
    """Whoever runs the tests may have some of them ignored, as nohup has."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


PLAN = "[oneway]\noccupations = none, source\n[twoway]\n"
NAMES = ["oneway.mpi.none", "oneway.mpi.source", "twoway.mpi.none"]
PROBED = """#!/bin/sh
[ "$1" = --version ] && echo "cb_oneway (combench) 9.8, revision 0123abcd" && exit 0
echo "mpi   runs       MPI point-to-point: a library
sci   not built  SISCI remote memory: install a card
null  runs       nothing"
"""


class Stage(unittest.TestCase):
    """A folder for each test. `run` starts the driver to its end, `start` leaves it running."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-suite-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.output = self.folder / "run"
        self.plan = self.folder / "tiny.plan"
        self.plan.write_text(PLAN, encoding="utf-8")
        self.actions({})
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        for name in ("oneway", "twoway", "alltoall", "calibrate"):
            program = self.programs / f"cb_{name}"
            program.write_text(PROBED, encoding="ascii")
            program.chmod(0o755)
        environment = {key: value for key, value in os.environ.items() if "SLURM" not in key}
        self.environment = {**environment, "FAKE_ACTIONS": str(self.folder / "actions")}

    def actions(self, actions: dict[str, str]) -> None:
        """What the fake mpirun does with measurements, by their names."""
        lines = "".join(f"{name} {action}\n" for name, action in actions.items())
        (self.folder / "actions").write_text(lines, encoding="ascii")

    def command(self, *words: str) -> list[str]:
        driver = [sys.executable, str(TOP / "scripts" / "combench"), "run", *words]
        mpirun = f"{sys.executable} -I -S {HERE / 'fake_mpirun.py'}"
        driver += ["--mpirun", mpirun, "--programs", str(self.programs)]
        return driver + ["--output", str(self.output)]

    def run_driver(self, *words: str, expect: int) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(
            self.command(*words),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LIMIT_S,
        )
        self.assertEqual(ended.returncode, expect, ended.stdout + ended.stderr)
        return ended

    def start(self, *words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.command(*words),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=heed_signals,
        )
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> None:
        """With the fake mpirun, which the driver ends."""
        process.terminate()
        try:
            process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()

    def await_mark(self, name: str) -> str:
        """What the fake mpirun has left under this name, when it is there."""
        deadline = time.monotonic() + LIMIT_S
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), deadline, f"the fake mpirun left no {name}")
            time.sleep(0.01)
        return (self.folder / name).read_text(encoding="ascii")

    def started(self) -> list[str]:
        """The measurements that were started, in this order."""
        return (self.folder / "started").read_text(encoding="ascii").split()

    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.output / "manifest.json").read_text("utf-8"))
        return found

    def entry(self, name: str) -> dict[str, Any]:
        entries: list[dict[str, Any]] = self.manifest()["measurements"]
        return next(entry for entry in entries if entry["name"] == name)

    def states(self) -> list[str]:
        return [entry["state"] for entry in self.manifest()["measurements"]]
