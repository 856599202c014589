#!/usr/bin/python3
"""There is one way to wait: src/engine/wait.c.

Elsewhere above the transport a loop may not read the clock, neither itself nor by a function of its file
that returns bool, and nothing may sleep or yield, but for the functions in ALLOWED.
"""

from __future__ import annotations

import os
import re
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

import layering
import structure

SOURCE = Path(os.environ.get("srcdir", "."))
FOLDERS = [Path(row).name for row, may in layering.MAY_INCLUDE.items()
           if row.startswith("src/") and (row == "src/engine/" or "engine/" in may)]
LEAST_FUNCTIONS = 500

CLOCK = r"\b(?:cb_now_ns|clock_gettime|gettimeofday)\s*\("
PAUSE = r"\b(?:cb_sleep_ns|sched_yield|nanosleep|clock_nanosleep|usleep)\b"
LOOP = r"\b(?:for|while|do)\b"

# FILE:FUNCTION, and why it is no wait. A function that needs no entry may not have one.
ALLOWED = {
    "engine/wait.c:wait_for": "the wait",
    "engine/wait.c:wait_pause": "its pause",
    "engine/wait.c:wait_yield": "a pause for others",
    "farm/loops.c:run_open": "issues what is due and receives, by one reading; pauses by wait_pause",
    # One sleep, of a length that is known
    "parkbench/method.c:try_clock": "the clock is tested over an interval",
    "engine/session.c:session_close": "before the job ends, rank 0 gets the time to write its document",
    "occupation/method.c:compute_alone": "all ranks sleep while the tasks compute",
    # The time of what the loop does is measured
    "congest/load.c:compute_turns": "a turn",
    "congest/load.c:run_blocks": "a turn",
    "engine/rank.c:block_run_stepwise": "a step",
    "engine/measurement.c:harness_touch_ns": "a repeat",
    "engine/pass.c:pass_run": "a batch",
    "engine/senders.c:send_packets": "a packet",
    "evb/method.c:run_turns": "when a turn begins",
    "rate/chain.c:issue_events": "when an event is issued",
    "rate/chain.c:pass_events": "when an event arrives",
    "farm/loops.c:run_closed": "when a block is decided, and an event issued",
    "replay/player.c:play_stamped": "a record",
}


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def loops(body: str) -> Iterator[str]:
    """The text of each loop with its condition: what is indented more, and the closing line."""
    lines = body.split("\n")
    for first, line in enumerate(lines):
        if re.search(LOOP, line) is None:
            continue
        last = first + 1
        while last < len(lines) and (not lines[last].strip() or indentation(lines[last]) > indentation(line)):
            last += 1
        closes = last < len(lines) and lines[last].lstrip().startswith("}")
        yield "\n".join(lines[first:last + closes])


def functions(code: str) -> Iterator[tuple[str, str, str]]:
    """Type, name and body of each function."""
    for found in structure._FUNCTION.finditer(code):
        yield found.group(1), found.group(2), code[found.end():code.index("\n}", found.end() - 1)]


def waiting(path: Path) -> Iterator[str]:
    """The functions of a file that wait."""
    all_functions = list(functions(structure.code_of(path.read_text(encoding="utf-8"))))
    tests = [name for kind, name, body in all_functions if re.search(r"\bbool\b", kind) and re.search(CLOCK, body)]
    reads = "|".join([CLOCK, *(rf"\b{name}\(" for name in tests)])
    for _, name, body in all_functions:
        if re.search(PAUSE, body) or any(re.search(reads, loop) for loop in loops(body)):
            yield name


def files(tree: Path) -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((tree / "src" / folder).glob("*.[ch]"))]


def waits(tree: Path) -> set[str]:
    return {f"{path.relative_to(tree / 'src').as_posix()}:{name}" for path in files(tree) for name in waiting(path)}


# Statements of a function; whether it waits.
PLANTED = [
    ("return cb_now_ns();", False),
    ("while (poll())\n        count++;\n    start_ns = cb_now_ns();", False),
    ("for (;;) {\n        poll();\n\n        pause_of(/* cb_now_ns() */ 1);\n    }\n    last_ns = cb_now_ns();", False),
    ("while (cb_now_ns() < due_ns)\n        poll();", True),
    ("while (poll())\n        if (cb_now_ns() > due_ns)\n            return;", True),
    ("for (uint64_t i = 0; i < 5 &&\n                         cb_now_ns() < due_ns; i++)\n        poll();", True),
    ("for (;;) {\n        poll();\n\n        now_ns = cb_now_ns();\n    }", True),
    ("do {\n        poll();\n    } while (cb_now_ns() < due_ns);", True),
    ("while (poll())\n        clock_gettime(CLOCK_MONOTONIC, &now);", True),
    ("while (poll() && !is_over())\n        count++;", True),
    ("while (poll())\n        if (is_over())\n            return;", True),
    ("cb_sleep_ns(1000);", True),
    ("sched_yield();", True),
    ("nanosleep(&pause, NULL);", True),
    ("pause_by(cb_sleep_ns);", True),
]


class Waits(unittest.TestCase):
    def test_the_sources_were_read(self) -> None:
        count = sum(len(list(functions(structure.code_of(path.read_text(encoding="utf-8"))))) for path in files(SOURCE))
        self.assertGreater(count, LEAST_FUNCTIONS)

    def test_nothing_waits_but_the_engine(self) -> None:
        self.assertEqual(sorted(waits(SOURCE) - ALLOWED.keys()), [], "call wait_for or wait_until (src/engine/wait.h)")

    def test_no_exception_is_left_over(self) -> None:
        self.assertEqual(sorted(ALLOWED.keys() - waits(SOURCE)), [])

    def test_a_planted_wait_is_found(self) -> None:
        for statements, is_wait in PLANTED:
            with self.subTest(statements), tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "src/farm/thing.c"
                path.parent.mkdir(parents=True)
                path.write_text("static bool is_over(void)\n{\n    return cb_now_ns() > due_ns;\n}\n\n"
                                f"static void thing(void)\n{{\n    {statements}\n}}\n", encoding="utf-8")
                self.assertEqual(waits(Path(folder)), {"farm/thing.c:thing"} if is_wait else set())


if __name__ == "__main__":
    unittest.main()
