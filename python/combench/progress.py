"""What the user sees while a run goes on: a line for each measurement, with the time left."""

from __future__ import annotations

import time
from typing import TextIO


def duration(seconds: float) -> str:
    """In words: 8 s, 3 min 20 s, 2 h 5 min."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Progress:
    """Times of what has been measured correct those that are expected of the rest.

    Nothing is shown while a measurement runs: the driver would take a core from it.
    """

    def __init__(self, stream: TextIO, count: int, expected_s: float) -> None:
        self._stream = stream
        self._count = count
        self._left_s = expected_s
        self._done = 0
        self._spent_s = 0.0
        self._spent_expected_s = 0.0

    def _say(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            pass  # a terminal that is gone does not end a run

    def left_s(self) -> float:
        if self._spent_expected_s == 0:
            return self._left_s
        return self._left_s * self._spent_s / self._spent_expected_s

    def begin(self, name: str, expected_s: float) -> None:
        self._done += 1
        self._left_s -= expected_s
        self._spent_expected_s += expected_s
        self._say(f"[{self._done}/{self._count}] {name} ...")

    def end(self, what: str, elapsed_s: float) -> None:
        self._spent_s += elapsed_s
        left = ""
        if self._done < self._count:
            until = time.strftime("%H:%M", time.localtime(time.time() + self.left_s()))
            left = f"; {duration(self.left_s())} left, until {until}"
        self._say(f" {what}, {duration(elapsed_s)}{left}\n")
