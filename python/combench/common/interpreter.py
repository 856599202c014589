"""Finds a python3 that has the modules of a verb, where the first one in PATH lacks them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator, Sequence

from combench.common.errors import is_missing

_SYSTEM = ("/usr/bin", "/usr/local/bin")
_CHOSEN = "CB_PYTHON_CHOSEN"  # environment: set for the python3 that takes over
_LIMIT_S = 20
# Its exit status is the number of modules that are missing.
_PROBE = (
    "import importlib.util, sys; "
    "sys.exit(sum(importlib.util.find_spec(one) is None for one in sys.argv[1:]) "
    "if sys.version_info >= (3, 9) else 99)"
)


def _others() -> Iterator[str]:
    """Each other python3 in PATH and of the system."""
    seen = {os.path.realpath(sys.executable)}
    for folder in (*os.get_exec_path(), *_SYSTEM):
        python = os.path.join(folder, "python3")
        found = os.path.realpath(python)
        if found not in seen and Path(python).is_file() and os.access(python, os.X_OK):
            yield python
        seen.add(found)


def _missing(python: str, modules: Sequence[str]) -> int:
    """How many of the modules another python3 lacks."""
    try:
        return subprocess.run(
            [python, "-c", _PROBE, *modules],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LIMIT_S,
        ).returncode % 256
    except (OSError, subprocess.TimeoutExpired):
        return len(modules)


def continue_with(modules: Sequence[str]) -> None:
    """If this Python lacks some of the modules, and another one lacks fewer, start again with that one.

    A Python that was started with -I or -S was chosen for what it lacks.
    """
    chosen = os.environ.pop(_CHOSEN, "") or sys.flags.isolated or sys.flags.no_site
    lacking = sum(map(is_missing, modules))
    if chosen or not lacking:
        return
    found = {python: _missing(python, modules) for python in _others()}
    best = min(found, key=lambda python: found[python], default="")
    if best and found[best] < lacking:
        os.environ[_CHOSEN] = "1"
        os.execv(best, [best, *sys.argv])
