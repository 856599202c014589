"""What ends a verb early: a message for the user and the exit status that goes with it."""

from __future__ import annotations

MEASURED, FAILED, USAGE, SKIPPED = 0, 1, 2, 77


class SuiteError(Exception):
    """Says what was attempted, on what, the cause and what to change."""

    def __init__(self, message: str, status: int = USAGE) -> None:
        super().__init__(message)
        self.status = status
