#!/usr/bin/env python3
"""`combench` as a process: what goes wrong around it is one line and an exit status, no traceback."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
import threading
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, Callable, Optional
from unittest import mock

from documents import TOP, Documents, document, drawn, driver, row

from combench.common import documents as readers
from combench.common import interpreter
from combench.common.errors import SuiteError
from combench.suite import allocation, directory, plan

COMBENCH = [sys.executable, str(TOP / "scripts" / "combench")]
LIMIT_S = 120


class Process(Documents):
    def ended(
        self, *words: str, prepare: Optional[Callable[[], Any]] = None, **settings: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMBENCH, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **settings},
            preexec_fn=prepare,
            timeout=LIMIT_S,
        )

    def sides(self) -> tuple[str, str]:
        return (
            self.write("a.json", document([row(drawn(1, 2.0))])),
            self.write("b.json", document([row(drawn(2, 2.0))])),
        )

    def check_one_line(
        self, ended: subprocess.CompletedProcess[str], status: int, *said: str
    ) -> None:
        self.assertEqual(ended.returncode, status, ended.stderr)
        lines = ended.stderr.splitlines()
        self.assertEqual(len(lines), 1, ended.stderr)
        for words in said:
            self.assertIn(words, lines[0])


class Streams(Process):
    @staticmethod
    def fill(number: int) -> Callable[[], Any]:
        return lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), number)

    def test_a_full_standard_output_is_an_error(self) -> None:
        for words in (("compare", *self.sides()), ("--help",), ("compare", "--help")):
            with self.subTest(words[0]):
                ended = self.ended(*words, prepare=self.fill(1))
                self.check_one_line(ended, 1, "cannot write standard output: No space left")

    def test_a_closed_standard_output_is_an_error(self) -> None:
        ended = self.ended("compare", *self.sides(), prepare=lambda: os.close(1))
        self.check_one_line(ended, 1, "cannot write standard output", "it is closed")

    def test_a_full_standard_error_stops_nothing(self) -> None:
        ended = self.ended("compare", *self.sides(), prepare=self.fill(2))
        self.assertEqual(ended.returncode, 0)
        self.assertIn("figures compared", ended.stdout)

    def test_a_name_in_another_encoding_is_printed(self) -> None:
        first, second = self.sides()
        odd = os.fsencode(self.folder) + b"/\xff\xc4.json"
        os.rename(os.fsencode(first), odd)
        for settings in ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}):
            with self.subTest(settings):
                ended = self.ended("compare", os.fsdecode(odd), second, **settings)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertIn(".json: 1 run", ended.stdout)


class Resources(Process):
    def test_a_working_directory_that_was_removed_is_named(self) -> None:
        gone = self.folder / "gone"
        gone.mkdir()

        def leave() -> None:
            os.chdir(gone)
            gone.rmdir()

        ended = self.ended("compare", *self.sides(), prepare=leave)
        self.check_one_line(ended, 2, "cannot use the current directory: No such file")

    def test_an_error_of_the_system_has_a_remedy(self) -> None:
        said = driver._said_of(OSError(errno.EMFILE, "Too many open files", "x.json"))
        self.assertEqual(
            said, "cannot use x.json: Too many open files; raise the limit of open files (ulimit -n 1024)"
        )

    def fault(self, words: str, **settings: str) -> str:
        """What a fault of the driver prints."""
        with mock.patch.dict(os.environ, {"TMPDIR": str(self.folder), **settings}):
            with mock.patch.object(driver, "main", side_effect=KeyError(words)):
                error = io.StringIO()
                with mock.patch("combench.common.streams.prepare"), redirect_stderr(error):
                    with mock.patch("combench.common.streams.discard_output"):
                        with mock.patch("tempfile.tempdir", str(self.folder)):
                            self.assertEqual(driver.start(["bundle"]), 1)
        return error.getvalue()

    def test_a_fault_of_the_driver_is_one_line_with_a_file(self) -> None:
        said = self.fault("lost")
        self.assertRegex(said, r"\Acombench bundle: error: unexpected KeyError: 'lost' .*\n\Z")
        kept = list(self.folder.glob("combench-traceback-*.txt"))
        self.assertEqual(len(kept), 1)
        self.assertIn(str(kept[0]), said)
        self.assertIn("Traceback", kept[0].read_text(encoding="utf-8"))

    def test_a_traceback_is_printed_on_request(self) -> None:
        self.assertIn("Traceback", self.fault("lost", CB_TRACEBACK="1"))

    def test_a_user_without_a_home_gets_a_folder_for_matplotlib(self) -> None:
        with mock.patch.dict(os.environ), mock.patch("atexit.register") as registered:
            os.environ.pop("MPLCONFIGDIR", None)
            with mock.patch.object(Path, "home", side_effect=RuntimeError):
                driver._provide_home()
            made = Path(os.environ["MPLCONFIGDIR"])
            self.assertTrue(made.is_dir())
            remove, *rest = registered.call_args.args
            remove(*rest)
            self.assertFalse(made.exists())

    def test_a_file_system_without_locks_is_a_caution(self) -> None:
        for number in (errno.ENOSYS, errno.ENOLCK):
            said = io.StringIO()
            failed = OSError(number, os.strerror(number))
            with mock.patch("fcntl.flock", side_effect=failed), redirect_stderr(said):
                directory.Lock(self.folder).release()
            self.assertIn("has no locks", said.getvalue())
        with mock.patch("fcntl.flock", side_effect=BlockingIOError(errno.EAGAIN, "busy")):
            self.assertRaisesRegex(SuiteError, "another run uses", directory.Lock, self.folder)


class Interpreters(Process):
    def chosen(self, **missing: int) -> Optional[str]:
        """The folder of the python3 that takes over, where each lacks that many modules."""
        for name, count in missing.items():
            python = self.folder / name / "python3"
            python.parent.mkdir()
            python.write_text(f"#!/bin/sh\nexit {count}\n", encoding="ascii")
            python.chmod(0o755)
        path = os.pathsep.join(str(self.folder / name) for name in missing)
        with mock.patch.dict(os.environ, PATH=path), mock.patch("os.execv") as execv:
            with mock.patch.object(interpreter, "_SYSTEM", ()):
                with mock.patch.object(interpreter, "is_missing", return_value=True):
                    interpreter.continue_with(("scipy", "matplotlib"))
        return Path(execv.call_args.args[0]).parent.name if execv.called else None

    def test_the_one_with_the_most_modules_takes_over(self) -> None:
        self.assertEqual(self.chosen(first=2, second=1, third=0, old=99), "third")

    def test_one_that_has_no_more_does_not(self) -> None:
        self.assertIsNone(self.chosen(first=2, old=99))

    def test_it_takes_over_once(self) -> None:
        with mock.patch.dict(os.environ, {interpreter._CHOSEN: "1"}):
            self.assertIsNone(self.chosen(first=0))


class Inputs(Process):
    def piped(self, source: str) -> Path:
        """A pipe into which a document is written once."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        text = Path(source).read_bytes()
        writer = threading.Thread(target=pipe.write_bytes, args=(text,), daemon=True)
        writer.start()
        return pipe

    def test_a_document_may_come_from_a_pipe(self) -> None:
        first, second = self.sides()
        out, _ = self.driver("compare", str(self.piped(first)), second)
        self.assertIn("figures compared", out)

    def test_a_pipe_in_a_directory_is_not_waited_for(self) -> None:
        run = Path(self.run_of("run", document([row(drawn(1, 2.0))])))
        os.mkfifo(run / "results" / "more.json")
        (run / "manifest.json").unlink()
        signal.alarm(LIMIT_S)
        self.driver("compare", str(run / "results"), self.sides()[0])
        signal.alarm(0)

    def test_a_plan_of_a_directory_is_no_pipe(self) -> None:
        os.mkfifo(self.folder / "tiny.plan")
        self.assertRaisesRegex(SuiteError, "a pipe", plan.read, str(self.folder / "tiny.plan"))

    def test_a_loop_of_links_is_left_out(self) -> None:
        run = Path(self.run_of("run", document([row(drawn(1, 2.0))])))
        (run / "results" / "loop.json").symlink_to("loop.json")
        output = self.folder / "run.tar.gz"
        _, error = self.driver("bundle", str(run), "--output", str(output))
        self.assertIn("results/loop.json is left out", error)
        self.driver("compare", str(run), str(run / "results"), "--baseline", str(run))

    def test_a_device_is_no_document(self) -> None:
        _, error = self.driver("compare", "/dev/zero", self.sides()[0], expect=2)
        self.assertIn("a pipe or a device", error)

    def test_a_median_beyond_any_measurement_is_refused(self) -> None:
        made = document([row(drawn(1, 2.0))])
        made["results"][0]["latency_us"]["median"] = 1e308
        path = Path(self.write("odd.json", made))
        with self.assertRaisesRegex(SuiteError, r"latency_us.median: 1e\+308 is beyond"):
            readers.read_checked(path, readers.RESULT)


class Allocations(unittest.TestCase):
    def test_a_value_that_no_batch_system_sets_is_named(self) -> None:
        for name, values in {
            "SLURM_NTASKS": ("abc", "0", "-5", "", "9" * 30),
            "SLURM_JOB_NUM_NODES": ("x", "0"),
            "SLURM_JOB_CPUS_PER_NODE": ("4(x", "2(x0)", "1,,2"),
            "LSB_MCPU_HOSTS": ("", "a b", "a 0", "a"),
        }.items():
            for value in values:
                with self.subTest(name=name, value=value):
                    job = {} if name.startswith("LSB") else {"SLURM_JOB_ID": "1"}
                    self.assertRaisesRegex(SuiteError, name, allocation.find, {**job, name: value})

    def test_hosts_may_have_different_numbers(self) -> None:
        found = allocation.find({"SLURM_JOB_ID": "1", "SLURM_JOB_CPUS_PER_NODE": "2(x2),3"})
        self.assertEqual((found.slots, found.hosts), (7, 3))
        self.assertEqual(allocation.find({"LSB_MCPU_HOSTS": "a 3 b 4"}).slots, 7)


if __name__ == "__main__":
    unittest.main()
