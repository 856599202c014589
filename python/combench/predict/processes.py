"""Child processes of a prediction, started from any thread; at most N run at a time."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from typing import Sequence

from combench.common.errors import FAILED, USAGE, SuiteError, cause_of


class Ended(SuiteError):
    """The process was stopped or not started, because all processes are being stopped."""


class Processes:
    """Runs at most N processes at a time, for any thread; `end` stops all of them."""

    def __init__(self, at_a_time: int = 1) -> None:
        self.at_a_time = at_a_time
        self._places = threading.Semaphore(at_a_time)
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._over = False

    def _start(self, command: Sequence[str]) -> subprocess.Popen[str]:
        with self._lock:
            if self._over:
                raise Ended(f"{command[0]} was not started: the prediction is being stopped", FAILED)
            pipe = subprocess.PIPE
            process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace"
            )
            self._running.add(process)
            return process

    def run(
        self, command: Sequence[str], text: str, limit_s: float | None = None
    ) -> tuple[int, str, str]:
        """Run a command with `text` as its input; return its status, output and errors. OSError: it
        cannot be started. TimeoutExpired: it did not end in time and was killed. Ended: `end` was
        called."""
        with self._places:
            with self._start(command) as process:
                try:
                    said, errors = process.communicate(text, timeout=limit_s)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    if self._over:
                        raise Ended(f"{command[0]} was stopped", FAILED) from None
                    raise
                finally:
                    with self._lock:
                        self._running.discard(process)
            if self._over:
                raise Ended(f"{command[0]} was stopped", FAILED)
            return process.returncode, said, errors

    def end(self) -> None:
        """Kill all running processes and prevent new ones."""
        with self._lock:
            self._over = True
            for process in self._running:
                process.kill()


def ask(
    processes: Processes,
    command: Sequence[str],
    about: str,
    text: str = "",
    limit_s: float | None = None,
) -> str:
    """The output of a program. A SuiteError has its error message and status, or says that the program
    did not end within the limit."""
    try:
        status, said, errors = processes.run(command, text, limit_s)
    except subprocess.TimeoutExpired as error:
        raise SuiteError(
            f"{about}: {command[0]} did not end within {limit_s:g} s and was stopped; run it by hand "
            f"to see why: {' '.join(command)}",
            FAILED,
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a word has a character NUL
        raise SuiteError(f"cannot run {command[0]}: {cause_of(error)}; build it") from error
    if status != 0:
        silent = (
            f"stopped by {signal.Signals(-status).name}"
            if status < 0
            else f"{command[0]} ended with status {status} without a message"
        )
        reason = re.sub(r"^\S+: (rank 0: )?error: ", "", errors.strip()) or silent
        raise SuiteError(f"{about}: {reason}", USAGE if status == USAGE else FAILED)
    return said
