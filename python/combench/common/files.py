"""Reads files that users name, and writes files atomically: to a temporary name, then renamed."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any, Mapping

from combench.common.errors import FAILED, SuiteError

ROOM = "Free disk space or change the permissions"


def read_input(path: Path, pipes: bool = False, most: int = -1) -> bytes:
    """The content of a file, or its first bytes; with `pipes` also of a pipe, until its writers have ended. OSError: it
    cannot be read, or is a device or a pipe, which may have no end."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "its name has a character NUL", str(path))
    descriptor = os.open(path, os.O_RDONLY | (0 if pipes else os.O_NONBLOCK))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode) and not (pipes and stat.S_ISFIFO(mode)):
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(most)
    finally:
        os.close(descriptor)


def is_pipe(path: Path) -> bool:
    """Whether a path is a pipe, as <(zcat FILE) of a shell."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def require_writable(option: str, path: Path) -> None:
    """SuiteError if the file of an option cannot be written later: found before the work is done."""
    if path.is_dir():
        raise SuiteError(f"cannot write {option} {path}: it is a directory; give a file")
    if not os.access(path.parent, os.W_OK):
        raise SuiteError(f"cannot write {option} {path}: give a file in a folder that is writable")


def write_text(path: Path, text: str, remedy: str = ROOM) -> None:
    """Replace a file; on an error the old one is kept. `remedy` is for the user."""
    temporary = path.with_name(path.name + ".tmp")
    before = "the old file is kept" if path.exists() else "no file is written"
    try:
        # Bytes of the command line in other encodings become question marks.
        with temporary.open("w", encoding="utf-8", errors="replace") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SuiteError(
            f"cannot write {path}: {error.strerror}; {before}. {remedy}", FAILED
        ) from error


def write_json(path: Path, document: Mapping[str, Any], remedy: str = ROOM) -> None:
    """Replace a file with a JSON document."""
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n", remedy)
