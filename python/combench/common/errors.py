"""What ends a verb early: a message for the user and the exit status that goes with it."""

from __future__ import annotations

import importlib.util
import sys

MEASURED, FAILED, USAGE, SKIPPED = 0, 1, 2, 77

# Modules that are not of the standard library, and their Debian packages.
PACKAGES = {
    "fastjsonschema": "python3-fastjsonschema",
    "jinja2": "python3-jinja2",
    "matplotlib": "python3-matplotlib",
    "scipy": "python3-scipy",
}


class SuiteError(Exception):
    """Says what was attempted, on what, the cause and what to change."""

    def __init__(self, message: str, status: int = USAGE) -> None:
        super().__init__(message)
        self.status = status


def require_modules(*names: str, status: int = USAGE) -> None:
    """A SuiteError that names the packages when some of these modules of PACKAGES are missing."""
    missing = [name for name in names if is_missing(name)]
    if missing:
        packages = " ".join(PACKAGES[name] for name in missing)
        raise SuiteError(
            f"{sys.executable} has no module {missing[0]}; install {' '.join(missing)} for it, or "
            f"install the Debian packages {packages} and use the system's python3: "
            "PATH=/usr/bin:$PATH combench ...",
            status,
        )


def is_missing(name: str) -> bool:
    """Whether a module cannot be imported."""
    if name in sys.modules:
        return sys.modules[name] is None
    return importlib.util.find_spec(name) is None
