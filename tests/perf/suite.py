#!/usr/bin/python3
"""Measure the overhead of the driver: suite.py TOP BUILD MPIRUN.

Measurements that are as short as can be, started by the driver, against the same commands started
bare before and after it. Prints what a measurement takes longer with the driver, its start
included, and the part of that which is outside mpirun by the driver's own clock.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEASUREMENTS = 12
BOUND_S = 0.3
HEAD = "technologies = null\nsizes = 0\nmax-time = 0.01\n"


def seconds(command: list[str]) -> float:
    """How long a command takes, whose output is thrown away."""
    environment = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        **os.environ,
    }
    started = time.monotonic()
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    return time.monotonic() - started


def main() -> int:
    top, build, mpirun = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        plan, output = Path(folder, "short.plan"), Path(folder, "run")
        sections = (f"[oneway-{i}]\nbenchmark = oneway\n" for i in range(MEASUREMENTS))
        plan.write_text(HEAD + "".join(sections), encoding="utf-8")
        driver = [sys.executable, f"{top}/scripts/combench", "run", str(plan)]
        driver += ["--programs", build, "--mpirun", mpirun, "--output", str(output)]
        lines = subprocess.check_output([*driver, "--dry-run"], text=True).splitlines()
        bare = [shlex.split(line) for line in lines if not line.startswith("#")]
        for command in bare:
            command[-1] = str(Path(folder, "bare.json"))
        half = len(bare) // 2
        bare_s = sum(seconds(command) for command in bare[:half])
        driver_s = seconds(driver)
        bare_s += sum(seconds(command) for command in bare[half:])
        manifest = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    inside_s = sum(entry["elapsed_s"] for entry in manifest["measurements"])
    outside_s = (driver_s - inside_s) / MEASUREMENTS
    more_s = (driver_s - bare_s) / MEASUREMENTS
    print(
        f"a measurement of {MEASUREMENTS}: {bare_s / MEASUREMENTS:.3f} s bare, "
        f"{driver_s / MEASUREMENTS:.3f} s with the driver, of that {outside_s:.3f} s outside mpirun"
    )
    print(f"target: driver, more than mpirun alone, s: {max(more_s, 0):.3f} at most {BOUND_S}")
    print(f"target: driver, time outside mpirun, s: {outside_s:.3f} at most {BOUND_S}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
