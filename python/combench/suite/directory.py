"""The directory of a run on disk: what lies in it, and one run at a time."""

from __future__ import annotations

import argparse
import fcntl
import os
import socket
import time
from pathlib import Path

from combench.common.documents import MANIFEST
from combench.common.errors import FAILED, SuiteError

RESULTS, LOGS, LOCK = "results", "logs", "lock"
_ROOM_BYTES = 1 << 20


def has_room(directory: Path) -> bool:
    """Whether a result would still find room."""
    state = os.statvfs(directory)
    return state.f_bavail * state.f_frsize >= _ROOM_BYTES


def directory_of(arguments: argparse.Namespace) -> Path:
    """Where results go."""
    if arguments.output:
        return Path(arguments.output).absolute()
    if arguments.resume or arguments.batch:
        option = "--resume" if arguments.resume else "--batch"
        raise SuiteError(f"{option}: give the directory of the run that is to go on with --output")
    name = Path(arguments.plan or "").stem
    return Path(time.strftime(f"combench-{name}-%Y%m%d-%H%M%S")).absolute()


def require_run(directory: Path) -> None:
    """SuiteError where there is nothing to go on with."""
    if not (directory / MANIFEST).exists():
        raise SuiteError(f"--resume: there is no run in {directory}; start it without --resume")


def make_directories(directory: Path) -> None:
    """Make the directory of a run with its folders. What else lies in it is not disturbed."""
    try:
        if directory.exists() and not (directory / MANIFEST).exists():
            others = {path.name for path in directory.iterdir()} - {RESULTS, LOGS, LOCK}
            if others:
                raise SuiteError(
                    f"--output {directory} has files and holds no run; give an empty directory or "
                    "a new name"
                )
        for folder in (RESULTS, LOGS):
            (directory / folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SuiteError(
            f"cannot make {error.filename}: {error.strerror}; give another --output"
        ) from error


class Lock:
    """The right to measure into a directory, for as long as its file descriptor is open anywhere.

    Launchers inherit it: an mpirun that outlives its driver keeps others from measuring beside it.
    """

    def __init__(self, directory: Path) -> None:
        path = directory / LOCK
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise SuiteError(
                f"cannot write {path}: {error.strerror}; give another --output"
            ) from error
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.read(self.descriptor, 200).decode("utf-8", "replace").strip()
            os.close(self.descriptor)
            raise SuiteError(
                f"another run measures into {directory} ({owner or 'unknown'}, or an mpirun that "
                "it has left behind); wait for its end, or give another --output"
            ) from error
        owner = f"process {os.getpid()} on {socket.gethostname()}\n"
        try:
            os.ftruncate(self.descriptor, 0)
            os.write(self.descriptor, owner.encode())
        except OSError as error:
            raise SuiteError(
                f"cannot write {path}: {error.strerror}; make room, or give another --output",
                FAILED,
            ) from error

    def release(self) -> None:
        os.close(self.descriptor)
