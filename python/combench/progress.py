"""What the user sees while a run goes on: a line for each measurement, with the time left."""

from __future__ import annotations

import time
from typing import Iterable, TextIO


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

    Measurements of one kind are corrected by each other: beside a computing task, for instance,
    all take longer. Nothing is shown while one runs: the driver would take a core from it.
    """

    def __init__(self, stream: TextIO, expected: Iterable[tuple[str, float]]) -> None:
        """`expected` has kind and time of each measurement."""
        self._stream = stream
        self._left_s: dict[str, float] = {}
        self._count = self._done = 0
        for kind, expected_s in expected:
            self._left_s[kind] = self._left_s.get(kind, 0) + expected_s
            self._count += 1
        self._spent: dict[str, tuple[float, float]] = {}  # in fact, and as it was expected

    def _say(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            pass  # a terminal that is gone does not end a run

    def left_s(self) -> float:
        """What the rest is likely to take."""
        all_spent = [sum(values) for values in zip(*self._spent.values())] or [1.0, 1.0]
        left_s = 0.0
        for kind, expected_s in self._left_s.items():
            spent_s, spent_expected_s = self._spent.get(kind, all_spent)
            left_s += expected_s * spent_s / spent_expected_s
        return left_s

    def begin(self, name: str) -> None:
        self._done += 1
        self._say(f"[{self._done}/{self._count}] {name} ...")

    def end(self, kind: str, expected_s: float, elapsed_s: float, what: str, whole: bool) -> None:
        """The measurement of that kind that was begun has ended: what came of it.

        Only one that is whole tells of the time of others.
        """
        self._left_s[kind] -= expected_s
        if whole:
            spent_s, spent_expected_s = self._spent.get(kind, (0.0, 0.0))
            self._spent[kind] = (spent_s + elapsed_s, spent_expected_s + expected_s)
        left = ""
        if self._done < self._count:
            until = time.strftime("%H:%M", time.localtime(time.time() + self.left_s()))
            left = f"; {duration(self.left_s())} left, until {until}"
        self._say(f" {what}, {duration(elapsed_s)}{left}\n")
