"""Signals during long calculations: stop as after an error, and remove processes and files."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Callable, Iterator, TypeVar

from combench.common.errors import ENDING, FAILED, SuiteError

T = TypeVar("T")


class Interrupted(SuiteError):
    """A signal requested termination."""

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__(f"terminated by {name}; no document was written", FAILED)


class Watch:
    """Records the first terminating signal. The handler raises no exception, which could interrupt
    code that holds a lock, starts a process or creates a folder."""

    def __init__(self) -> None:
        self._number = 0
        # The pipe is readable after a signal or when the work is done.
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        # The interpreter also writes to the pipe: `note` runs only between two instructions of the
        # main thread, so it would not wake a read that starts just after the signal.
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)

    def note(self, number: int, _: FrameType | None) -> None:
        self._number = self._number or number
        self._wake()

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # the pipe is full: the reader wakes up anyway
            os.write(self._write, b".")

    def check(self) -> None:
        """Raise Interrupted after a signal."""
        if self._number:
            raise Interrupted(self._number)

    def beside(self, work: Callable[[], T], end: Callable[[], None]) -> T:
        """Run `work` in another thread and return its result. After a signal call `end`, which must
        stop the work; raise Interrupted when it has stopped."""
        self.check()
        with ThreadPoolExecutor(max_workers=1) as pool:
            future = pool.submit(work)
            future.add_done_callback(lambda _: self._wake())
            while not future.done() and not self._number:
                os.read(self._read, 1)
            if self._number:
                end()
        self.check()
        return future.result()

    def close(self) -> None:
        signal.set_wakeup_fd(self._before)
        os.close(self._read)
        os.close(self._write)


@contextmanager
def on_signals() -> Iterator[Watch]:
    """Record the signals of ENDING within the context and raise Interrupted at its end at the
    latest. Ignored signals (nohup) stay ignored."""
    watch = Watch()
    before = {one: signal.getsignal(one) for one in ENDING}
    for one, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(one, watch.note)
    try:
        yield watch
        watch.check()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        watch.close()
