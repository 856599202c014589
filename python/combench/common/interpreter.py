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
_PROBE = (
    "import importlib.util, sys; "
    "sys.exit(sys.version_info < (3, 9) or not all(map(importlib.util.find_spec, sys.argv[1:])))"
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


def _has(python: str, modules: Sequence[str]) -> bool:
    try:
        ended = subprocess.run(
            [python, "-c", _PROBE, *modules],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0


def continue_with(modules: Sequence[str]) -> None:
    """If this Python lacks one of the modules and another one has all, start again with that one.

    A Python that was started with -I or -S was chosen for what it lacks.
    """
    chosen = os.environ.pop(_CHOSEN, "") or sys.flags.isolated or sys.flags.no_site
    if chosen or not any(map(is_missing, modules)):
        return
    for python in _others():
        if _has(python, modules):
            os.environ[_CHOSEN] = "1"
            os.execv(python, [python, *sys.argv])
