#!/usr/bin/python3
"""How long a prediction of 2.1 takes: predict.py TOP BUILD.

A thousand sources and a thousand destinations at 100 kHz on one core, until the 95 % interval of the
frequency is under 1 %: by a supervisor with multicast, and by one that tells the sources one by one.
Prints the time of the processor, which others on the machine do not change much.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BOUND_S = 60
WORDS = "--benchmarks 2.1 --farm 1000x1000 --rate 100kHz --sizes 1kB --jobs 1".split()


def main() -> int:
    top, build = sys.argv[1:3]
    command = [sys.executable, f"{top}/scripts/combench", "predict", "--programs", build, *WORDS]
    command += ["--calibration", f"{top}/docs/examples/farm-100g.cal"]
    for supervisor in ("multicast", "loop"):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder, "prediction.json")
            before = os.times()
            subprocess.run(
                [*command, "--supervisor", supervisor, "--output", str(output)],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            after = os.times()
            row = json.loads(output.read_text(encoding="utf-8"))["results"][0]
        spent_s = sum(after[2:4]) - sum(before[2:4])
        simulated = row["simulated"]
        print(
            f"1000 x 1000 at 100 kHz, {supervisor}: {row['frequency_Hz']:.0f} Hz "
            f"+- {simulated['interval_pct']:.2g} %, saturates first: {row['limit']['text']}; "
            f"{simulated['time_us'] / 1000:.4g} ms of the farm with each of {simulated['seeds']} "
            f"seeds, {simulated['messages']} messages in {spent_s:.1f} s"
        )
        print(f"target: prediction of 2.1, {supervisor}, s: {spent_s:.1f} at most {BOUND_S}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
