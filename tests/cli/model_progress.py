#!/usr/bin/python3
"""ccmod and a benchmark in a model tell how far they are where somebody sits before a terminal. Elsewhere ccmod says
nothing, unless a rule is slow.

The trace has no end that anybody could wait for; ccmod is ended as soon as it has told.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TRACE = "%cct 1 ranks 2 unit us\n*:\n@ 1000000000000\nc 100\nb\n;\n"
CALIBRATION = "%calibration 1\nline overhead_us=0.25 latency_us=1.5 us_per_byte=0.0001\n"
TOLD_OF_ROW = re.compile(rb"cb_alltoall round, 8 processors, 1000 bytes; \d+ % of the row's --messages; about \d+ s left")
TOLD = re.compile(rb"\rccmod: \S+ s of model time, \d+ messages, \d+ ranks done")
ENOUGH_BYTES = 1 << 16


def told_on_terminal(told: re.Pattern[bytes], *words: str) -> bytes:
    """What comes on the terminal until the progress is shown, or it ends, or says much else."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=theirs) as run:
        os.close(theirs)
        text = b""
        try:
            while not told.search(text) and len(text) < ENOUGH_BYTES:
                text += os.read(ours, 4096)
        except OSError:  # the terminal is closed: it has ended by itself
            pass
        run.kill()
    os.close(ours)
    return text


def told_in_few_instants(ccmod: str, folder: Path) -> bytes:
    """The same while two hundred thousand messages share links, which makes fewer than 1000 instants."""
    trace = folder / "uniform.cct"
    subprocess.run([ccmod, "generate", "uniform", "--ranks", "450", "--output", str(trace)], check=True)
    return told_on_terminal(TOLD, ccmod, "run", "--share", "bottleneck", str(trace))


def told_of_a_row(folder: Path) -> bytes:
    """Of a benchmark in a model."""
    calibration = folder / "net.cal"
    calibration.write_text(CALIBRATION, encoding="ascii")
    return told_on_terminal(TOLD_OF_ROW, os.environ["builddir"] + "/cb_alltoall", "--model", str(calibration),
                            "--ranks", "8", "--processors", "8", "--sizes", "1000", "--mode", "round",
                            "--precision", "0.01", "--max-time", "80000", "--messages", "3000000")


def warned_elsewhere(ccmod: str, trace: Path) -> str:
    """The first line on a pipe with a slow rule."""
    command = [ccmod, "run", "--share", "maxmin", str(trace)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        line = run.stderr.readline()
        run.kill()
    return line


def silent_elsewhere(ccmod: str, trace: Path) -> bool:
    trace.write_text(TRACE.replace("1000000000000", "200000"), encoding="ascii")
    result = subprocess.run([ccmod, "run", str(trace)], capture_output=True, check=True)
    return result.stderr == b""


def main() -> int:
    ccmod = os.environ["builddir"] + "/ccmod"
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "endless.cct"
        trace.write_text(TRACE, encoding="ascii")
        for text in (told_on_terminal(TOLD, ccmod, "run", str(trace)), told_in_few_instants(ccmod, Path(folder))):
            if not TOLD.search(text):
                print(f"on a terminal came {text!r}")
                return 1
        text = told_of_a_row(Path(folder))
        if not TOLD_OF_ROW.search(text):
            print(f"of a row on a terminal came {text!r}")
            return 1
        line = warned_elsewhere(ccmod, trace)
        if "warning: --share maxmin" not in line or "--share fifo" not in line:
            print(f"with a slow rule came {line!r}")
            return 1
        if not silent_elsewhere(ccmod, trace):
            print("on a pipe came something")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
