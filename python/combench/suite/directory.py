"""The directory of a run: its folders, and a lock that allows one run at a time."""

from __future__ import annotations

import argparse
import errno
import fcntl
import os
import socket
import sys
import time
from pathlib import Path

from combench.common.documents import MANIFEST
from combench.common.errors import FAILED, SuiteError
from combench.common.files import require_own

RESULTS, LOGS, LOCK = "results", "logs", "lock"
_ROOM_BYTES = 1 << 20


def has_room(directory: Path) -> bool:
    """Whether the disk has room for another result."""
    state = os.statvfs(directory)
    return state.f_bavail * state.f_frsize >= _ROOM_BYTES


def directory_of(arguments: argparse.Namespace) -> Path:
    """The directory of the run, from the command line."""
    if arguments.output:
        return Path(arguments.output).absolute()
    if arguments.resume or arguments.batch:
        option = "--resume" if arguments.resume else "--batch"
        raise SuiteError(f"{option}: the directory of the run is missing; add --output DIR")
    name = Path(arguments.plan or "").stem
    return Path(time.strftime(f"combench-{name}-%Y%m%d-%H%M%S")).absolute()


def require_run(directory: Path) -> None:
    """Raises SuiteError where there is no run to continue."""
    if not (directory / MANIFEST).exists():
        raise SuiteError(f"--resume: there is no run in {directory}; start it without --resume")


def make_directories(directory: Path) -> None:
    """Make the directory of a run with its folders. A directory with other files is refused."""
    require_own(directory, "choose another --output")
    try:
        if directory.exists() and not (directory / MANIFEST).exists():
            others = {path.name for path in directory.iterdir()} - {RESULTS, LOGS, LOCK}
            if others:
                raise SuiteError(
                    f"--output {directory} has files but no run; name an empty or new directory"
                )
        for folder in (RESULTS, LOGS):
            (directory / folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SuiteError(
            f"cannot create {error.filename}: {error.strerror}; choose another --output"
        ) from error


class Lock:
    """An exclusive lock on a directory, held while its file descriptor is open in any process.

    Launchers inherit it: an mpirun that outlives its driver still blocks other runs.
    """

    def __init__(self, directory: Path) -> None:
        path = directory / LOCK
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        except OSError as error:
            raise SuiteError(
                f"cannot write {path}: {error.strerror}; choose another --output"
            ) from error
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                # Lustre without -o flock: ENOSYS; NFS without lockd: ENOLCK.
                print(
                    f"# caution: the file system of {directory} has no locks ({error.strerror}); "
                    "start no other run there at the same time",
                    file=sys.stderr,
                )
                return
            owner = os.read(self.descriptor, 200).decode("utf-8", "replace").strip()
            os.close(self.descriptor)
            raise SuiteError(
                f"another run uses {directory} ({owner or 'unknown'}, or an mpirun that outlived "
                "it); wait for its end, or choose another --output"
            ) from error
        owner = f"process {os.getpid()} on {socket.gethostname()}\n"
        try:
            os.ftruncate(self.descriptor, 0)
            os.write(self.descriptor, owner.encode())
        except OSError as error:
            raise SuiteError(
                f"cannot write {path}: {error.strerror}; free disk space, or choose another --output",
                FAILED,
            ) from error

    def release(self) -> None:
        os.close(self.descriptor)
