"""Writes files atomically: to a temporary name, then renamed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Mapping

from combench.common.errors import FAILED, SuiteError

ROOM = "Free disk space or change the permissions"


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
