"""Errors of the driver: a message for the user, and the exit status."""

from __future__ import annotations

import errno
import importlib.util
import signal
import sys
from typing import Mapping

MEASURED, FAILED, USAGE, SKIPPED = 0, 1, 2, 77

# Signals by which batch systems announce the end of a job: `sbatch --signal`, `qsub -notify`, and a
# limit of processor time; and all signals that end long work as an error does.
WARNINGS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)
ENDING = (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, *WARNINGS)

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


# What a user can do about an error of the system.
_REMEDIES: Mapping[int, str] = {
    errno.ENOSPC: "free disk space",
    errno.EDQUOT: "free disk space, or raise the quota",
    errno.EBADF: "it is closed: name a file for it, or /dev/null",
    errno.EFBIG: "raise the limit of file sizes (ulimit -f unlimited)",
    errno.EMFILE: "raise the limit of open files (ulimit -n 1024)",
    errno.ENFILE: "close other programs: the system has too many open files",
    errno.ENOMEM: "free memory, or raise its limit (ulimit -v unlimited)",
    errno.EAGAIN: "raise the limit of processes (ulimit -u)",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.EACCES: "change the permissions, or name another file",
    errno.EPERM: "change the permissions, or name another file",
    errno.EROFS: "name a file on another file system",
    errno.ENOENT: "check its name, and whether it was removed",
}


def cause_of(error: Exception) -> str:
    """The cause of an error, without its number and the name of the file."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def remedy_of(error: OSError) -> str:
    return _REMEDIES.get(error.errno or 0, "check the file system and the permissions")


def of_system(error: OSError) -> SuiteError:
    """The message for an error that no reader or writer of a file has expected."""
    where = f"cannot use {error.filename}" if error.filename else "a call of the system failed"
    return SuiteError(f"{where}: {cause_of(error)}; {remedy_of(error)}", FAILED)


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
