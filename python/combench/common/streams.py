"""Standard streams that may be closed, full, or in an encoding that lacks letters of a name."""

from __future__ import annotations

import io
import os
import sys
from typing import Optional


class _Output(io.TextIOWrapper):
    """Standard output, which remembers why it could not be written: argparse ignores such errors."""

    error: Optional[OSError] = None

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self.error = error
            raise


class _Messages(io.TextIOWrapper):
    """Standard error. Where it cannot be written, nothing stops."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            pass


def prepare() -> None:
    """Open standard streams, which print names of files in any encoding."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # A file that is opened later must not become a standard stream. Writing fails, as it
            # must: its text would be lost.
            os.open(os.devnull, os.O_RDONLY)
    for number, name, kind in ((1, "stdout", _Output), (2, "stderr", _Messages)):
        before = getattr(sys, name)
        stream = kind(
            open(number, "wb", closefd=False),
            encoding=before.encoding if before else "utf-8",
            errors="backslashreplace",
            line_buffering=number == 2 or os.isatty(number),
        )
        setattr(sys, name, stream)


def discard_output() -> None:
    """What is buffered can no longer be written; Python must not try it again at its end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def output_error() -> Optional[OSError]:
    """Why standard output could not be written."""
    error: Optional[OSError] = getattr(sys.stdout, "error", None)
    return error
