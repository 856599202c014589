#!/usr/bin/python3
"""The programs have no static variable but those listed here, each with the reason why ranks may share it.

All ranks of a job may be coroutines of one process, so what a rank changes belongs to the rank. The symbols are
those of the objects, which also shows what a macro or an initialiser makes.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("srcdir", "."))
BUILD = Path(os.environ.get("CB_BUILD", "build"))
COMPILER = os.environ.get("CC", "cc")

# A library of its own in each process, and the recorder of other people's programs, one rank a process.
LEFT_OUT = ("src/sisci/", "src/tracer/")

SHARED = {
    "src/base/clock.c:cb_virtual": "chosen before there are ranks",
    "src/base/context_file.c:vocabulary": "set only while one text is parsed, in which ranks do not take turns",
    "src/base/log.c:kept_output": "standard output is of the process",
    "src/base/log.c:of_process": "of a process that is a rank; others select a context",
    "src/base/log.c:of_thread": "as of_process",
    "src/base/log.c:selected": "the context of the rank that runs; set by who switches between ranks",
    "src/base/parameters.c:texts": "equal texts have equal numbers in all ranks; texts are added, never changed",
    "src/engine/options.c:interface_help": "made from the table of technologies before there are ranks",
    "src/engine/options.c:technology_help": "as interface_help",
    "src/engine/options.c:technology_more": "as interface_help",
    "src/engine/options.c:threads_help": "as interface_help",
    "src/engine/session.c:session_signal_seen": "a signal is sent to the process; only its handler writes",
    "src/engine/session.c:technology_at_signal": "the job has one technology; for the signal handler",
    "src/host/counters.c:is_reported": "a fact of the host, said once",
    "src/report/columns.c:counter_cells": "made from the tables of counters before there are ranks",
    "src/report/columns.c:counter_texts": "as counter_cells",
    "src/transport/error.c:last_errors": "a lock",
    "src/world/record.c:temporary": "the temporary file of a trace, which a signal's handler removes",
    "src/world/world.c:running": "the ranks are those of one world, which says which of them runs",
    "src/transport/ofi/leftovers.c:abandoned": "for the signal handler: the process ends",
    "src/transport/ofi/leftovers.c:all": "files of all factories of the process, for the signal handler",
}

_WRITABLE = re.compile(r"\.t?(bss|data)(?!\.rel\.ro)|\*COM\*")


def variables(paths: list[Path]) -> set[tuple[Path, str]]:
    """The writable variables of objects; a static one of a function without the compiler's number."""
    done = subprocess.run(["nm", "-f", "sysv", "--defined-only", *map(str, paths)], capture_output=True, text=True,
                          check=True)
    found, path = set(), paths[0]
    for line in done.stdout.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if line.startswith("Symbols from "):
            path = Path(line.removeprefix("Symbols from ").rstrip(":"))
        elif len(fields) == 7 and _WRITABLE.match(fields[6]):
            found.add((path, re.sub(r"\.\d+$", "", fields[0])))
    return found


def objects() -> dict[Path, str]:
    """The sources of the programs' objects; not those of sources that are gone."""
    found = {}
    for folder in ("src", "benchmarks"):
        for path in sorted((BUILD / folder).rglob("*.o")):
            place = path.relative_to(BUILD).parent.as_posix().replace("/.libs", "")
            source = f"{place}/{path.stem.split('-')[-1]}.c"
            if not source.startswith(LEFT_OUT) and (SOURCE / source).is_file():
                found[path] = source
    return found


class TestState(unittest.TestCase):
    def test_the_variables_of_the_programs_are_those_with_a_reason(self) -> None:
        built = objects()
        found = {f"{built[path]}:{name}" for path, name in variables(list(built))}
        sources = set(built.values())
        self.assertGreater(len(sources), 150, f"objects below {BUILD}")
        self.assertEqual(sorted(found - set(SHARED)), [],
                         "new static variables: move them into a struct that the rank owns, make them const, or say "
                         "in SHARED why all ranks of a process may share them")
        gone = {entry for entry in set(SHARED) - found if entry.split(":")[0] in sources}
        self.assertEqual(sorted(gone), [], "no longer in the programs: remove these entries")
        self.assertEqual([entry for entry in SHARED if not (SOURCE / entry.split(":")[0]).is_file()], [])

    def test_all_kinds_of_variables_are_seen(self) -> None:
        text = """
            static int zero; int global = 1; _Thread_local int of_thread; static _Thread_local int started = 2;
            static const int constant = 3; static const char *const names[] = {"a"}; const char *pointer = "b";
            int next(void) { static int count; return ++count + zero++ + of_thread + ++started + constant + *names[0]; }
        """
        with tempfile.TemporaryDirectory() as folder:
            source, built = Path(folder, "some.c"), Path(folder, "some.o")
            source.write_text(text, encoding="utf-8")
            subprocess.run([*COMPILER.split(), "-fPIC", "-c", "-o", str(built), str(source)], check=True)
            found = {name for _, name in variables([built])}
        self.assertEqual(found, {"zero", "global", "of_thread", "started", "pointer", "count"})


if __name__ == "__main__":
    unittest.main()
