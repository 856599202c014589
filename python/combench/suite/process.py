"""One start of a launcher: to its end, to a time limit, or to a signal; nothing of it stays behind.

Signals are blocked and taken one by one where the driver waits. So none arrives between two steps
of a write, and the driver sleeps while a measurement runs: it takes no core from it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Iterator, Mapping, Optional, Sequence

ENDED, TIMED_OUT = "ended", "timed out"

# Open MPI and Slurm give ranks two seconds between SIGTERM and SIGKILL.
_GRACE_S = 5.0
_SWEEP_S = 5.0


class Signals:
    """A context in which SIGINT, SIGTERM and SIGHUP wait until they are asked for."""

    def __init__(self) -> None:
        wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        # What whoever started the driver has it ignore (nohup) stays ignored.
        self._ends = {one for one in wanted if signal.getsignal(one) != signal.SIG_IGN}
        self._before: set[int] = set()

    def __enter__(self) -> Signals:
        self._before = set(signal.pthread_sigmask(signal.SIG_BLOCK, self._ends | {signal.SIGCHLD}))
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        while self.wait(0) is not None:
            pass
        self.restore()

    def restore(self) -> None:
        """The mask as it was: for the processes that are started."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)

    def wait(self, seconds: float) -> signal.Signals | None:
        """The next signal, SIGCHLD among them; None when the time is over."""
        taken = signal.sigtimedwait(self._ends | {signal.SIGCHLD}, max(seconds, 0))
        return signal.Signals(taken.si_signo) if taken is not None else None

    def end_asked(self, seconds: float = 0) -> str | None:
        """The name of the signal that ends the run, if one came or comes in so many seconds."""
        deadline = time.monotonic() + seconds
        while True:
            came = self.wait(deadline - time.monotonic())
            if came is None or came != signal.SIGCHLD:
                return came.name if came is not None else None


@dataclass(frozen=True)
class Ending:
    cause: str  # ENDED, TIMED_OUT, or the name of the signal that the driver got
    status: int  # as a shell has it: 128 and the signal for what a signal ended
    elapsed_s: float


def _session_members(session: int) -> Iterator[int]:
    """Processes of a session that are alive: a launcher's ranks have groups of their own."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = Path(f"/proc/{entry}/stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue  # it has just ended
        fields = text.rpartition(")")[2].split()
        if fields[3] == str(session) and fields[0] not in "ZX":
            yield int(entry)


def _sweep(session: int) -> None:
    """Kill what is left of a session, and see it gone."""
    deadline = time.monotonic() + _SWEEP_S
    while time.monotonic() < deadline:
        left = list(_session_members(session))
        if not left:
            return
        for member in left:
            try:
                os.kill(member, signal.SIGKILL)
            except ProcessLookupError:
                pass  # gone meanwhile
        time.sleep(0.01)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Without taking its status: until then its number belongs to no other process."""
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, options) is not None


def _await(process: subprocess.Popen[bytes], seconds: float, signals: Signals) -> str:
    deadline = time.monotonic() + seconds
    while not _has_ended(process):
        left = deadline - time.monotonic()
        if left <= 0:
            return TIMED_OUT
        came = signals.wait(left)
        if came is not None and came != signal.SIGCHLD:
            return came.name
    return ENDED


def run(
    command: Sequence[str],
    log: Path,
    timeout_s: float,
    environment: Mapping[str, str],
    signals: Signals,
    inherited: Sequence[int] = (),
) -> Ending:
    """Run a command with its output in a file. OSError when it cannot be started.

    When time or a signal ends it, it gets SIGTERM, and what is then still there SIGKILL.
    `inherited` are file descriptors that the command keeps open.
    """
    started = time.monotonic()
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
            pass_fds=inherited,
            preexec_fn=signals.restore,
        )
    cause = _await(process, timeout_s, signals)
    if cause != ENDED:
        process.send_signal(signal.SIGTERM)
        _await(process, _GRACE_S, signals)
    _sweep(process.pid)
    status = process.wait()
    return Ending(cause, 128 - status if status < 0 else status, time.monotonic() - started)
