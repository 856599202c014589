"""The messages of a case: the trace that cb_NAME --emit-trace writes."""

from __future__ import annotations

import re
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from combench.common import programs
from combench.common.errors import SuiteError
from combench.predict import trace
from combench.predict.case import Case
from combench.predict.processes import Processes, ask

_HEAD = "%cct 1 "
_MEAN = re.compile(r"^# .* mean ([0-9]+) bytes", re.MULTILINE)
_MARKED_BYTES = 999_983  # size of counted packets: no other message has it
_KEPT_CHARACTERS = 1 << 20  # longer traces are not cached
_LIMIT_S = 600.0  # of a program that emits a trace; the largest need a minute of a busy machine


@dataclass(frozen=True)
class Content:
    """The messages of one step."""

    messages: int  # received messages, without acknowledgements that cover several steps
    packets_in: int  # packets at the rank that receives most


def _options(case: Case) -> dict[str, str]:
    """The values of all options; options with an empty value are not passed."""
    by_loop, tree = case.multicast == "loop", case.multicast == "tree"
    return {
        "mode": case.mode,
        "window": str(case.window) if case.step.stream else "",
        "algorithm": f"{case.algorithm_us:.10g}",
        "in-flight": str(case.in_flight or ""),
        "list": case.list_kind,
        "trace-ranks": str(case.processors) if case.candidates else "",
        "fetch": str(case.fetched or ""),
        "accept": f"{case.accept:.10g}" if case.accept is not None else "",
        "multicast": "loop" if by_loop else "technology",
        "supervisor": "loop" if by_loop else "multicast",
        "trace-group-send": "" if by_loop else "tree" if tree else "network",
        "trace-shifts": str(case.shifts or ""),
        "trace-pace-us": f"{case.pace_us:.10g}" if case.pace_us > 0 else "",
        "fragments": case.fragments,
        "correlation": f"{case.correlation:.10g}" if case.correlation > 0 else "",
        "seed": str(case.seed) if case.fragments or case.accept is not None or case.seed > 1 else "",
    }


def words(case: Case) -> tuple[str, ...]:
    """The command-line options of the case for the benchmark program."""
    count = case.definition.count
    texts = [case.count_text] if count.is_topology else map(str, case.numbers)
    sizes = {} if case.fragments else {"sizes": str(case.size_bytes)}
    given = {**sizes, **dict(zip(count.options, texts))}
    given |= {name: value for name, value in _options(case).items() if value and case.takes(name)}
    return (*(word for name, value in given.items() for word in (f"--{name}", value)), *case.own)


class Emissions:
    """A thread-safe cache of traces; long traces are not kept."""

    def __init__(self, folder: Path, processes: Processes, limit_s: float = _LIMIT_S) -> None:
        self._folder = folder
        self._limit_s = limit_s
        self._processes = processes
        self._lock = Lock()
        self._made: dict[tuple[str, ...], Future[str]] = {}

    def trace(self, case: Case, steps: int, blocks: int = 1) -> str:
        """A trace with these numbers of blocks and steps, or events of a farm. SuiteError: the program
        failed."""
        program = str(programs.path(self._folder, case.benchmark))
        length = ["--trace-steps", str(steps)]
        if blocks > 1:
            length += ["--trace-blocks", str(blocks)]
        command = (program, "--emit-trace", "-", *words(case), *length)
        with self._lock:
            known = command in self._made
            made = self._made.setdefault(command, Future())
        if not known:
            self._emit(command, case, made)
        return made.result()

    def _emit(self, command: tuple[str, ...], case: Case, made: Future[str]) -> None:
        try:
            about = f"cannot emit the messages of {case.benchmark}"
            text = ask(self._processes, command, about, limit_s=self._limit_s)
            if not text.startswith(_HEAD):
                raise SuiteError(
                    f"{command[0]} wrote no trace; use programs and combench of the same version"
                )
            made.set_result(text)
        except BaseException as error:
            made.set_exception(error)
            return
        if len(text) > _KEPT_CHARACTERS:
            with self._lock:
                del self._made[command]

    def mean_bytes(self, case: Case) -> int:
        """The mean size of the packets of a case with fragments, from the head of its trace."""
        found = _MEAN.search(self.trace(case, 1))
        if found is None:
            raise SuiteError(
                f"the trace of {case.benchmark} does not tell the mean size of its fragments; use "
                "programs and combench of the same version"
            )
        return int(found[1])

    def content(self, case: Case) -> Content:
        """The messages of a step, counted in a trace whose packets have a unique size."""
        alike = replace(
            case, size_bytes=_MARKED_BYTES, fragments="", correlation=0.0, algorithm_us=0.0, pace_us=0.0
        )
        if case.is_farm:
            alike = replace(alike, in_flight=1)
        if case.accept is not None:  # the largest step
            alike = replace(alike, accept=1.0)
        one = self.trace(alike, 1)
        two = self.trace(alike, 2) if case.step.stream else ""
        try:
            messages = trace.received(one).total
            if two:  # a block has additional messages: use the difference
                messages = trace.received(two).total - messages
            # Where the first event fills the stages there is one event more than steps.
            events = 2 if case.step.led_in else 1
            packets_in = trace.received(one, _MARKED_BYTES).most // events
        except ValueError as error:
            program = programs.path(self._folder, case.benchmark)
            raise SuiteError(
                f"{program} wrote a trace that cannot be read: {error}; use programs and driver of "
                "one version"
            ) from error
        return Content(max(1, messages), packets_in)
