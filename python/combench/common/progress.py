"""Shows the progress of a run or a prediction, with the estimated time left."""

from __future__ import annotations

import os
import threading
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
    """Progress of a run. The times of finished measurements correct the estimates of the rest.

    Corrections are by kind: beside a computing task, for instance, all measurements take longer.
    Nothing is printed while a measurement runs, to leave it the CPU.
    """

    def __init__(self, stream: TextIO, expected: Iterable[tuple[str, float]]) -> None:
        """`expected`: kind and estimated time of each measurement."""
        self._stream = stream
        self._left_s: dict[str, float] = {}
        self._count = self._done = 0
        for kind, expected_s in expected:
            self._left_s[kind] = self._left_s.get(kind, 0) + expected_s
            self._count += 1
        self._spent: dict[str, tuple[float, float]] = {}  # actual and estimated, by kind

    def _say(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            pass  # a closed terminal does not stop a run

    def left_s(self) -> float:
        """The estimated time of the rest."""
        all_spent = [sum(values) for values in zip(*self._spent.values())] or [1.0, 1.0]
        left_s = 0.0
        for kind, expected_s in self._left_s.items():
            spent_s, spent_expected_s = self._spent.get(kind, all_spent)
            left_s += expected_s * spent_s / spent_expected_s
        return left_s

    def leave(self, kind: str, expected_s: float) -> None:
        """A measurement is not made."""
        self._done += 1
        self._left_s[kind] -= expected_s

    def begin(self, name: str) -> None:
        self._done += 1
        self._say(f"[{self._done}/{self._count}] {name} ...")

    def end(self, kind: str, expected_s: float, elapsed_s: float, what: str, whole: bool) -> None:
        """The current measurement has ended. Only a complete one corrects the estimates."""
        self._left_s[kind] -= expected_s
        if whole:
            spent_s, spent_expected_s = self._spent.get(kind, (0.0, 0.0))
            self._spent[kind] = (spent_s + elapsed_s, spent_expected_s + expected_s)
        left = ""
        if self._done < self._count:
            until = time.strftime("%H:%M", time.localtime(time.time() + self.left_s()))
            left = f"; {duration(self.left_s())} left, until {until}"
        self._say(f" {what}, {duration(elapsed_s)}{left}\n")


class Advance:
    """Progress of a prediction, whose cases end in any order and in any thread.

    On a terminal, one line is updated; elsewhere each case has a line.
    """

    def __init__(self, stream: TextIO, costs: Iterable[float]) -> None:
        """`costs`: relative cost of each case, in any unit."""
        listed = list(costs)
        self._stream, self._count, self._left = stream, len(listed), sum(listed)
        self._done, self._spent, self._started_s = 0, 0.0, time.monotonic()
        self._columns = _columns(stream)
        self._lock = threading.Lock()

    def _say(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            pass  # a closed terminal does not stop a prediction

    def left_s(self) -> float:
        """The estimated time of the rest; 0 before the first case has ended."""
        elapsed_s = time.monotonic() - self._started_s
        return elapsed_s * self._left / self._spent if self._spent > 0 else 0.0

    def end(self, what: str, came: str, cost: float) -> None:
        """A case of that cost has ended: its name and its outcome."""
        with self._lock:
            self._done += 1
            self._spent, self._left = self._spent + cost, self._left - cost
            number = f"[{self._done}/{self._count}]"
            if not self._columns:
                self._say(f"{number} {what} ... {came}\n")
                return
            line = f"{number} about {duration(self.left_s())} left; {what}, {came}"
            self._say("\r" + line[: self._columns - 1].ljust(self._columns - 1))

    def clear(self) -> None:
        """Clear the line of a terminal."""
        if self._columns:
            self._say("\r" + " " * (self._columns - 1) + "\r")


def _columns(stream: TextIO) -> int:
    """The width of a terminal; 0 for another stream."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 0
