"""The directory of a run on disk: one run at a time, and files that are whole at any time."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from pathlib import Path
from typing import Any, Mapping

from combench.errors import FAILED, SuiteError


_ROOM_BYTES = 1 << 20


def has_room(directory: Path) -> bool:
    """Whether a result would still find room."""
    state = os.statvfs(directory)
    return state.f_bavail * state.f_frsize >= _ROOM_BYTES


def write_text(path: Path, text: str) -> None:
    """Replace a file as a whole; when that fails it stays as it was."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SuiteError(
            f"cannot write {path}: {error.strerror}; it is as it was before. Make room or get the "
            "right to write there, and go on with --resume",
            FAILED,
        ) from error


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """The same with a document."""
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")


class Lock:
    """The right to measure into a directory, for as long as its file descriptor is open anywhere.

    Launchers inherit it: an mpirun that outlives its driver keeps others from measuring beside it.
    """

    def __init__(self, directory: Path) -> None:
        path = directory / "lock"
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
        os.ftruncate(self.descriptor, 0)
        os.write(self.descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode())

    def release(self) -> None:
        os.close(self.descriptor)
