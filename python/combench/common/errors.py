"""Errors of the driver: a message for the user, and the exit status."""

from __future__ import annotations

import importlib.util
import sys

MEASURED, FAILED, USAGE, SKIPPED = 0, 1, 2, 77

# Modules outside the standard library, and their Debian packages.
PACKAGES = {
    "fastjsonschema": "python3-fastjsonschema",
    "jinja2": "python3-jinja2",
    "matplotlib": "python3-matplotlib",
    "scipy": "python3-scipy",
}


class SuiteError(Exception):
    """A message with what was attempted, on what, the cause, and the remedy."""

    def __init__(self, message: str, status: int = USAGE) -> None:
        super().__init__(message)
        self.status = status


def require_modules(*names: str, status: int = USAGE) -> None:
    """Raise a SuiteError that names the packages if modules of PACKAGES are missing."""
    missing = [name for name in names if is_missing(name)]
    if missing:
        packages = " ".join(PACKAGES[name] for name in missing)
        raise SuiteError(
            f"{sys.executable} has no module {missing[0]}; install the Debian packages {packages} "
            "and use the system's Python (PATH=/usr/bin:$PATH combench ...), or install "
            f"{' '.join(missing)} with pip for this Python",
            status,
        )


def is_missing(name: str) -> bool:
    """Whether a module cannot be imported."""
    if name in sys.modules:
        return sys.modules[name] is None
    return importlib.util.find_spec(name) is None
