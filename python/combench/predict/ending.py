"""Long calculations end on a signal as on an error: processes and temporary files are removed."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Callable, Iterator, TypeVar

from combench.common.errors import FAILED, SuiteError

T = TypeVar("T")
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(SuiteError):
    """A signal asks for the end."""

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__(f"ended by {name}; no document was written", FAILED)


class Watch:
    """The first signal that asks for the end. It is noted, and raises nothing where it happens to
    come: an exception in the middle of what locks, starts a process or makes a folder would leave
    these as no code expects them."""

    def __init__(self) -> None:
        self._number = 0
        # Has a byte whenever there is something to look at.
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        # The interpreter puts one there itself: `note` runs in the main thread, between two of its
        # instructions, and not while it waits, where a signal came just before or met another one.
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)

    def note(self, number: int, _: FrameType | None) -> None:
        self._number = self._number or number
        self._wake()

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # full of such bytes
            os.write(self._write, b".")

    def check(self) -> None:
        """Interrupted if a signal came."""
        if self._number:
            raise Interrupted(self._number)

    def beside(self, work: Callable[[], T], end: Callable[[], None]) -> T:
        """What the work gives, done in a thread of its own. When a signal comes `end` is called,
        which is to bring the work to its end, and Interrupted is raised when that has come."""
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
    """Within it SIGINT, SIGTERM and SIGHUP are noted, and raise Interrupted at its end at the
    latest; what whoever started the driver has it ignore (nohup) stays ignored."""
    watch = Watch()
    before = {one: signal.getsignal(one) for one in _ENDING}
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
