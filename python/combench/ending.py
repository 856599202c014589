"""Verbs that calculate for long end on a signal as they do on an error, and leave nothing behind."""

from __future__ import annotations

import signal
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Callable, Iterator, TypeVar

from combench.errors import FAILED, SuiteError

T = TypeVar("T")
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(SuiteError):
    """A signal asks for the end."""

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__(f"ended by {name}; no document was written", FAILED)


def _interrupt(number: int, _: FrameType | None) -> None:
    # A second signal would cut the cleaning up that the first one begins.
    for one in _ENDING:
        signal.signal(one, signal.SIG_IGN)
    raise Interrupted(number)


@contextmanager
def on_signals() -> Iterator[None]:
    """Within it SIGINT, SIGTERM and SIGHUP raise Interrupted in the main thread, the first time;
    what whoever started the driver has it ignore (nohup) stays ignored."""
    before = {one: signal.getsignal(one) for one in _ENDING}
    for one, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(one, _interrupt)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def beside(work: Callable[[], T], end: Callable[[], None]) -> T:
    """What the work gives, done in a thread of its own; `end` is called when a signal comes.

    Signals are answered in the main thread: there they could cut the start of a process in two, and
    nobody would know of it."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        try:
            return pool.submit(work).result()
        except Interrupted:
            end()
            raise


@contextmanager
def folder(prefix: str) -> Iterator[Path]:
    """A temporary folder for as long as the context lasts, however it ends."""
    # No signal between the making of the folder and the promise to remove it.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        with tempfile.TemporaryDirectory(prefix=prefix) as name:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            yield Path(name)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
