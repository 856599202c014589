"""One start of a launcher: until it ends, a time limit, or a signal; all its processes are ended.

Signals are blocked and received only where the driver waits, so none interrupts a write. The driver
sleeps while a measurement runs and takes no CPU time from it.
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

from combench.common.errors import ENDING

ENDED, TIMED_OUT = "ended", "timed out"

# Open MPI and Slurm give ranks two seconds between SIGTERM and SIGKILL.
_GRACE_S = 5.0
_SWEEP_S = 5.0


class Signals:
    """A context in which the signals of ENDING are blocked until `wait` receives them."""

    def __init__(self) -> None:
        # Signals that the parent process set to be ignored (nohup) stay ignored.
        self._ends = {one for one in ENDING if signal.getsignal(one) != signal.SIG_IGN}
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
        """Restore the signal mask; also for child processes."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)

    def wait(self, seconds: float) -> signal.Signals | None:
        """The next signal, including SIGCHLD; None after the given time."""
        taken = signal.sigtimedwait(self._ends | {signal.SIGCHLD}, max(seconds, 0))
        return signal.Signals(taken.si_signo) if taken is not None else None

    def end_asked(self, seconds: float = 0) -> str | None:
        """The name of a signal that ends the run, if one arrives within the given time."""
        deadline = time.monotonic() + seconds
        while True:
            came = self.wait(deadline - time.monotonic())
            if came is None or came != signal.SIGCHLD:
                return came.name if came is not None else None


@dataclass(frozen=True)
class Ending:
    cause: str  # ENDED, TIMED_OUT, or the name of the signal that the driver received
    status: int  # as in a shell: 128 plus the signal number after a signal
    elapsed_s: float


def _session_members(session: int) -> Iterator[int]:
    """Live processes of a session; ranks may be in other process groups than their launcher."""
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
    """Kill the remaining processes of a session and wait for their end."""
    deadline = time.monotonic() + _SWEEP_S
    while time.monotonic() < deadline:
        left = list(_session_members(session))
        if not left:
            return
        for member in left:
            try:
                os.kill(member, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has just ended
        time.sleep(0.01)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended, without reaping it: its process id must not be reused yet."""
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


def _new_file(path: str, flags: int) -> int:
    """A directory may come from another user, with links in the place of logs."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def run(
    command: Sequence[str],
    log: Path,
    timeout_s: float,
    environment: Mapping[str, str],
    signals: Signals,
    inherited: Sequence[int] = (),
) -> Ending:
    """Run a command with its output in a file. Raises OSError when it cannot be started.

    At the time limit, or after a signal, it gets SIGTERM, and remaining processes get SIGKILL.
    `inherited` are file descriptors that the command keeps open.
    """
    started = time.monotonic()
    with open(log, "wb", opener=_new_file) as stream:
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
