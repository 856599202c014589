"""The programs that a prediction starts, from any thread: at most N at a time; all can be ended."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from typing import Sequence

from combench.common.errors import FAILED, USAGE, SuiteError


class Ended(SuiteError):
    """What was asked for will not come any more."""


class Processes:
    """The processes of a prediction: at most N at a time, from any thread; and all of them can be ended."""

    def __init__(self, at_a_time: int = 1) -> None:
        self.at_a_time = at_a_time
        self._places = threading.Semaphore(at_a_time)
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._over = False

    def _start(self, command: Sequence[str]) -> subprocess.Popen[str]:
        with self._lock:
            if self._over:
                raise Ended(f"{command[0]} is not run: all is being ended", FAILED)
            pipe = subprocess.PIPE
            process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace"
            )
            self._running.add(process)
            return process

    def run(self, command: Sequence[str], text: str) -> tuple[int, str, str]:
        """With that text as its input; its status, its output, its errors. OSError when it cannot
        be started, Ended after `end`."""
        with self._places:
            with self._start(command) as process:
                try:
                    said, errors = process.communicate(text)
                finally:
                    with self._lock:
                        self._running.discard(process)
            if self._over:
                raise Ended(f"{command[0]} was ended", FAILED)
            return process.returncode, said, errors

    def end(self) -> None:
        """What runs is killed, and nothing starts any more."""
        with self._lock:
            self._over = True
            for process in self._running:
                process.kill()


def ask(processes: Processes, command: Sequence[str], about: str, text: str = "") -> str:
    """What a program prints. A SuiteError has its own words and its status."""
    try:
        status, said, errors = processes.run(command, text)
    except OSError as error:
        raise SuiteError(f"cannot run {command[0]}: {error.strerror}; build it here") from error
    if status != 0:
        silent = (
            f"{signal.Signals(-status).name} ended it"
            if status < 0
            else f"{command[0]} ended with status {status} without a message"
        )
        reason = re.sub(r"^\S+: (rank 0: )?error: ", "", errors.strip()) or silent
        raise SuiteError(f"{about}: {reason}", USAGE if status == USAGE else FAILED)
    return said
