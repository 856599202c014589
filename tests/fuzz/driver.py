#!/usr/bin/env python3
"""Fuzzes the driver as users start it: `combench VERB` in a process of its own.

A case is drawn from a seed, so a failure comes again: `driver.py --kinds KIND --first N --cases 1`. A
failure is a traceback, a fault that the driver reports as unexpected, a hang, an exit status that is
not documented, an input that was changed, or a finished result that was lost.

    tests/fuzz/driver.py [--kinds documents,signals] [--seconds 600] [--first 1]

Without options, as in `make check`, it tries a few cases of each kind: CB_FUZZ=FIRST:COUNT says how
many. A kind is a function that KINDS lists. Documents in this process, faster: test_suite_fuzz.py.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Sequence

TOP = Path(__file__).resolve().parent.parent.parent
SUITE = TOP / "tests" / "suite"
sys.path[:0] = [str(SUITE), str(TOP / "python")]

from documents import entry  # noqa: E402
from stage import NAMES, PLAN, PROBED  # noqa: E402
from test_suite_fuzz import mutant  # noqa: E402

from combench.common import documents  # noqa: E402
from combench.common.errors import SuiteError, is_missing  # noqa: E402

DOCUMENTED = (0, 1, 2, 77)  # exit statuses
LIMIT_S = 60  # of a command; the machine may be busy
MEMORY_BYTES = 4 << 30  # of a command: one that reads /dev/zero ends
_FAULT = re.compile(r"^Traceback|^\S.*: error: unexpected |Exception ignored", re.MULTILINE)


@dataclass(frozen=True)
class Conditions:
    """What a command finds when it starts."""

    settings: tuple[tuple[str, Optional[str]], ...] = ()  # of the environment; None: unset
    limits: tuple[tuple[int, int], ...] = ()
    closed: tuple[int, ...] = ()  # standard streams
    full: tuple[int, ...] = ()  # standard streams that are /dev/full
    folder: Optional[Path] = None  # None: the one of the tests; otherwise removed after the start
    wrapper: tuple[str, ...] = ()  # words before the command

    def prepare(self) -> None:
        """In the child process, before it starts the command."""
        for number in self.full:
            os.dup2(os.open("/dev/full", os.O_WRONLY), number)
        for number in self.closed:
            os.close(number)
        if self.folder is not None:
            os.chdir(self.folder)
            self.folder.rmdir()
        for which, most in ((resource.RLIMIT_AS, MEMORY_BYTES), *self.limits):
            resource.setrlimit(which, (most, most))


@dataclass
class Case:
    """A case: its folder, its draws, and what was found."""

    folder: Path
    draw: random.Random
    commands: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def fail(self, what: str) -> None:
        self.failures.append(what)

    @property
    def programs(self) -> Path:
        return self.folder / "programs"

    def make_programs(self) -> None:
        """Programs that answer `run`, and a ccmod that fails."""
        self.programs.mkdir()
        for name in ("oneway", "twoway", "alltoall", "calibrate", "congest"):
            (self.programs / f"cb_{name}").write_text(PROBED, encoding="ascii")
        (self.programs / "ccmod").write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
        for program in self.programs.iterdir():
            program.chmod(0o755)

    def make_run(self) -> Path:
        """The directory of a run with documents of all kinds."""
        made = self.folder / "run"
        shutil.copytree(SUITE / "released/1/run", made)
        manifest = made / documents.MANIFEST
        known = json.loads(manifest.read_text(encoding="utf-8"))
        for path in sorted((SUITE / "report").glob("*.json")):
            if path.name not in ("manifest.json", "prediction.json"):
                shutil.copy(path, made / "results")
                document = json.loads(path.read_text(encoding="utf-8"))
                result = f"results/{path.name}"
                known["measurements"].append(entry(path.stem, document, "measured", result))
        manifest.write_text(json.dumps(known), encoding="utf-8")
        shutil.copy(SUITE / "report/prediction.json", made)
        shutil.copy(SUITE / "released/1/validation.json", made)
        return made

    def start(
        self, words: Sequence[str], conditions: Conditions = Conditions()
    ) -> subprocess.Popen[bytes]:
        environment = {key: value for key, value in os.environ.items() if "SLURM" not in key}
        environment["FAKE_ACTIONS"] = str(self.folder / "actions")
        for name, value in conditions.settings:
            environment.pop(name, None)
            environment.update({name: value} if value is not None else {})
        command = [*conditions.wrapper, sys.executable, str(TOP / "scripts/combench"), *words]
        with open(self.folder / "said", "wb") as said, open(self.folder / "errors", "wb") as errors:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=errors,
                env=environment,
                cwd=self.folder,
                start_new_session=True,
                preexec_fn=conditions.prepare,
            )

    def finish(
        self, process: subprocess.Popen[bytes], words: Sequence[str], *more: int, heard: bool = True
    ) -> int:
        """The exit status of a command that was started. `more` are allowed in this case; `heard`:
        its standard error is kept."""
        shown = " ".join(words)
        self.commands += 1
        try:
            status = process.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.fail(f"hangs: {shown}")
            return -signal.SIGKILL
        self.statuses[status] += 1
        errors = self.errors()
        if errors.endswith("KeyboardInterrupt\n") and "combench/main.py" not in errors:
            return status  # Python was still starting
        if _FAULT.search(errors):
            self.fail(f"traceback or fault: {shown}\n{errors[-2000:]}")
        elif status not in (*DOCUMENTED, *more):
            self.fail(f"status {status}: {shown}\n{errors[-500:]}")
        elif heard and status in (1, 2) and not errors and not (self.folder / "said").stat().st_size:
            self.fail(f"status {status} without output: {shown}")
        return status

    def errors(self) -> str:
        return (self.folder / "errors").read_text(encoding="utf-8", errors="replace")

    def combench(self, *words: str, conditions: Conditions = Conditions()) -> int:
        return self.finish(self.start(words, conditions), words)

    def run_words(self, *words: str) -> list[str]:
        """`combench run` with the fake mpirun, into the folder `out`."""
        mpirun = f"{sys.executable} -I -S {SUITE / 'fake_mpirun.py'}"
        where = ["--programs", str(self.programs), "--output", str(self.folder / "out")]
        return ["run", *words, "--mpirun", mpirun, *where]

    def actions(self, actions: dict[str, str]) -> None:
        """What the fake mpirun does with measurements, by their names."""
        lines = "".join(f"{name} {action}\n" for name, action in actions.items())
        (self.folder / "actions").write_text(lines, encoding="ascii")

    def make_plan(self, text: str = PLAN) -> str:
        (self.folder / "tiny.plan").write_text(text, encoding="utf-8")
        return str(self.folder / "tiny.plan")

    def await_launch(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the fake mpirun was started, or the driver has ended."""
        until_s = time.monotonic() + LIMIT_S
        while not (self.folder / "started").exists() and time.monotonic() < until_s:
            if process.poll() is not None:
                return
            time.sleep(0.01)

    def left_running(self) -> list[int]:
        """Processes that the case has left: its folder is in their environment."""
        mark, found = str(self.folder).encode(), []
        for path in Path("/proc").iterdir():
            try:
                state = (path / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
                if state not in "ZX" and mark in (path / "environ").read_bytes():
                    found.append(int(path.name))
            except (OSError, ValueError, IndexError):
                continue  # no process, or one that has just ended
        return found

    def end_left(self) -> None:
        for pid in self.left_running():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has just ended


def verbs(case: Case, one: str, run: str) -> list[tuple[str, ...]]:
    """The verbs that read documents, and what they read."""
    programs = ("--programs", str(case.programs))
    found: list[tuple[str, ...]] = [
        ("compare", one, run, "--all"),
        ("parkbench", one),
        ("predict", one, "--technology", "mpi", "--scale", "4", "--sizes", "64", *programs),
        ("validate", one, "--technology", "mpi", *programs),
        ("acceptance", one),
        ("bundle", one, "--output", str(case.folder / "made.tar.gz")),
    ]
    if not any(map(is_missing, ("matplotlib", "jinja2"))):
        output = ("--output", str(case.folder / "page.html"), "--pictures", "svg")
        found.append(("report", one, *output))
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """The regular files of a folder."""
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)
    }


def read_by_verbs(case: Case, one: Path, run: Path, count: int) -> None:
    """Let some of the verbs read a path; none may change it."""
    before = contents(run)
    for words in case.draw.sample(verbs(case, str(one), str(run)), count):
        case.combench(*words)
        if contents(run) != before:
            case.fail(f"its input was changed: {' '.join(words)}")
            before = contents(run)


# Kinds.


def mutated_documents(case: Case) -> None:
    """A document of a run, or its manifest, with one to three places changed."""
    case.make_programs()
    run = case.make_run()
    path = case.draw.choice(sorted(run.rglob("*.json")) + [run / documents.MANIFEST] * 10)
    path.write_text(mutant(json.loads(path.read_text("utf-8")), case.draw), encoding="utf-8")
    is_result = path.parent.name == "results"
    read_by_verbs(case, path if is_result and case.draw.random() < 0.5 else run, run, 3)


def _replace(path: Path, draw: random.Random) -> None:
    """Put something else in the place of a file."""
    text = path.read_bytes()
    how = draw.choice(("gone", "empty", "cut", "folder", "pipe", "loop", "dangling", "zero", "bytes", "mode"))
    path.unlink()
    if how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(text[: draw.randrange(len(text) or 1)])
    elif how == "folder":
        path.mkdir()
    elif how == "pipe":
        os.mkfifo(path)
    elif how in ("loop", "dangling", "zero"):
        path.symlink_to({"loop": path.name, "dangling": "nowhere", "zero": "/dev/zero"}[how])
    elif how == "bytes":
        changed = bytearray(text)
        for _ in range(draw.randint(1, 5)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        path.write_bytes(bytes(changed))
    elif how == "mode":
        path.write_bytes(text)
        path.chmod(0)


def mutated_directories(case: Case) -> None:
    """Files of a run that are gone, cut off, folders, pipes, links or devices."""
    case.make_programs()
    run = case.make_run()
    files = [path for path in sorted(run.rglob("*")) if path.is_file()]
    for path in case.draw.sample(files + [run / documents.MANIFEST], case.draw.randint(1, 2)):
        if path.is_file() and path.stat().st_size:
            _replace(path, case.draw)
    if case.draw.random() < 0.3:
        odd = os.fsdecode(case.draw.choice((b"\xff\xfe.json", b"a\nb.json", b"x" * 250 + b".json")))
        (run / "results" / odd).write_text("{}", encoding="ascii")
    read_by_verbs(case, run, run, 3)


def _finished(out: Path) -> dict[str, bytes]:
    """The results of measurements that are finished, by their names."""
    try:
        manifest = json.loads((out / documents.MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {
        one["name"]: (out / one["result"]).read_bytes()
        for one in manifest["measurements"]
        if one["state"] == documents.MEASURED
    }


def _check_kept(case: Case, before: dict[str, bytes]) -> None:
    """No finished result was lost or measured again."""
    out = case.folder / "out"
    for name, text in before.items():
        path = out / "results" / f"{name}.json"
        if not path.is_file() or path.read_bytes() != text:
            case.fail(f"the finished result of {name} was lost")
    started = (case.folder / "started").read_text("ascii").split() if before else []
    for name in before:
        if started.count(name) > 1:
            case.fail(f"{name} was measured again, although it was finished")


def mutated_resumptions(case: Case) -> None:
    """`run --resume` in a directory whose manifest was changed: results stay where they are."""
    case.make_programs()
    draw = case.draw
    case.actions({name: draw.choice(("measure", "measure", "fail", "skip")) for name in NAMES})
    case.combench(*case.run_words(case.make_plan()))
    out, before = case.folder / "out", _finished(case.folder / "out")
    path = draw.choice((out / documents.MANIFEST, out / documents.MANIFEST, out / "tiny.plan"))
    if path.suffix == ".json":
        path.write_text(mutant(json.loads(path.read_text("utf-8")), draw), encoding="utf-8")
    else:
        _replace(path, draw)
    case.actions({})
    more = draw.choice(((), ("--retry",), ("--repeat", "2"), ("--dry-run",)))
    case.combench(*case.run_words("--resume", *more))
    for name, text in before.items():
        kept = out / "results" / f"{name}.json"
        if not kept.is_file() or kept.read_bytes() != text:
            # A measurement that the manifest no longer knows as finished is made again.
            if not kept.is_file():
                case.fail(f"the result of {name} was lost")


_SIGNALS = ("INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "XCPU", "KILL")


def _manifest_of(case: Case) -> Optional[dict[str, Any]]:
    """The manifest, which is valid whenever it is there."""
    path = case.folder / "out" / documents.MANIFEST
    if not path.exists():
        return None
    try:
        return documents.read_checked(path, documents.RUN)
    except SuiteError as error:
        case.fail(f"the manifest is damaged: {error}")
        return None


def signals(case: Case) -> None:
    """A signal at a random time of `run`, perhaps a second one; then --resume finishes the run."""
    case.make_programs()
    draw = case.draw
    case.actions({name: draw.choice(("measure", "wait_for_signal", "hang", "fail")) for name in NAMES})
    words = case.run_words(case.make_plan())
    process = case.start(words)
    if draw.random() < 0.7:
        case.await_launch(process)
    time.sleep(draw.uniform(0, 1))
    sent = [signal.Signals[f"SIG{name}"] for name in draw.choices(_SIGNALS, k=draw.choice((1, 1, 2)))]
    for number in sent:
        process.send_signal(number)
        time.sleep(draw.choice((0, 0.01, 0.2)))
    if all(number == signal.SIGKILL for number in sent) is False and process.poll() is None:
        process.send_signal(signal.SIGTERM)  # a hanging mpirun would outlast the first one
    status = case.finish(process, words, *(-number for number in (*sent, signal.SIGTERM)))
    manifest = _manifest_of(case)
    if status != -signal.SIGKILL:
        if manifest is not None and manifest.get("reason") == documents.RUNNING:
            case.fail(f"status {status} after {sent}, and the manifest says it is running")
        if case.left_running():
            case.fail(f"processes are left after {sent}")
    case.end_left()
    before = _finished(case.folder / "out")
    again = case.run_words("--resume", "--retry") if manifest else words
    if manifest is None or any(one["state"] != "measured" for one in manifest["measurements"]):
        case.actions({})
        if case.combench(*again) != 0:
            case.fail(f"it cannot be resumed after {sent}: {case.errors()}")
    _check_kept(case, before)


def _conditions(case: Case) -> Conditions:
    """One or two resources that are scarce."""
    draw = case.draw
    gone = case.folder / "gone"
    gone.mkdir()
    small = "mount -t tmpfs -o size=4k none /dev/shm 2>/dev/null; exec \"$@\""
    choices: dict[str, dict[str, Any]] = {
        "files": {"limits": ((resource.RLIMIT_NOFILE, draw.choice((10, 12, 16, 20, 32, 64))),)},
        "size": {"limits": ((resource.RLIMIT_FSIZE, draw.choice((0, 100, 4096, 65536))),)},
        "memory": {"limits": ((resource.RLIMIT_AS, draw.choice((400, 600, 1000)) << 20),)},
        "full": {"full": draw.choice(((1,), (2,), (1, 2)))},
        "closed": {"closed": draw.choice(((0,), (1,), (2,), (1, 2), (0, 1, 2)))},
        "home": {"settings": (("HOME", draw.choice((None, "", "/nowhere", "/dev/null"))),)},
        "temporary": {"settings": (("TMPDIR", "/nowhere"), ("HOME", None))},
        "locale": {
            "settings": (
                ("LC_ALL", draw.choice(("C", "POSIX", "C.UTF-8", "nonsense"))),
                ("PYTHONUTF8", draw.choice(("0", "1"))),
                ("PYTHONCOERCECLOCALE", "0"),
            )
        },
        "folder": {"folder": gone},
        "shared memory": {"wrapper": ("unshare", "-rm", "sh", "-c", small, "sh")},
        "path": {"settings": (("PATH", draw.choice(("", "/nowhere", "/usr/bin"))),)},
        "allocation": {
            "settings": (
                (
                    draw.choice(("SLURM_NTASKS", "SLURM_JOB_NUM_NODES", "SLURM_JOB_CPUS_PER_NODE")),
                    draw.choice(("abc", "0", "-5", "", "9" * 30, "4(x", "2(x2),3")),
                ),
                ("SLURM_JOB_ID", "17"),
            )
        },
        "host files": {
            "settings": (
                (
                    draw.choice(("PBS_NODEFILE", "LSB_MCPU_HOSTS")),
                    draw.choice(("", "a b", "/dev/null", "/", "a -3", str(case.programs / "ccmod"))),
                ),
            )
        },
    }
    made: dict[str, Any] = {}
    for name in draw.sample(sorted(choices), draw.choice((1, 1, 2))):
        for key, value in choices[name].items():
            made[key] = (*made.get(key, ()), *value) if key in ("settings", "limits") else value
    return Conditions(**made)


def resources(case: Case) -> None:
    """A verb with few descriptors, little room, no HOME, another locale, full or closed streams."""
    case.make_programs()
    run, draw = case.make_run(), case.draw
    odd = case.folder / os.fsdecode(draw.choice((b"plain", b"\xc3\x84", b"\xff\xfe", b"two words")))
    run.rename(odd)
    before = contents(odd)
    choices = [*verbs(case, str(odd), str(odd)), tuple(case.run_words(case.make_plan()))]
    choices += [(), ("--help",), ("compare", "--help")]
    case.actions({})
    words = draw.choice(choices)
    conditions = _conditions(case)
    # Standard error is a file here, to which the limit on sizes applies.
    room = min((most for limit, most in conditions.limits if limit == resource.RLIMIT_FSIZE), default=4096)
    heard = 2 not in (*conditions.closed, *conditions.full) and room >= 4096
    status = case.finish(case.start(words, conditions), words, heard=heard)
    if contents(odd) != before:
        case.fail(f"its input was changed: {' '.join(words)}")
    if words[:1] == ("run",):
        manifest, kept = _manifest_of(case), _finished(case.folder / "out")
        if manifest is not None and manifest.get("reason") == documents.RUNNING:
            case.fail(f"status {status}, and the manifest says it is running")
        if manifest is not None and case.combench(*case.run_words("--resume", "--retry")) != 0:
            case.fail(f"it cannot be resumed: {case.errors()}")
        _check_kept(case, kept)


_PIECES = (
    "title", "ranks", "sizes", "technologies", "=", " = ", "[", "]", "[oneway]", "[congest]", "\n", "\n",
    "64", "64,", "mpi", "max", "9" * 30, "-1", "'", '"', "\0", "\t", "\r", "\\", "#", "\u00e9", "\ufeff",
    "x" * 300, "${HOME}", "../..",
)  # fmt: skip
_LINES = (
    "[alltoall]\nprocessors = 2, 4", "[more]\nbenchmark = alltoall", "sizes = 64, 1KiB", "repeat = 3",
    "[congest]\nvictims = oneway\naggressors = busy\noptions = --rounds x", "max-time = 86400",
    "options = --threads 9999999", "accept = lost = 0", "technologies = mpi, ofi a=b", "sizes = sweep",
    f"[{'x' * 300}]\nbenchmark = twoway", "# a comment", "buffers = rotate", "placement = packed",
)  # fmt: skip


def plans(case: Case) -> None:
    """A plan, or a host file, of pieces of plans."""
    case.make_programs()
    case.actions({})
    draw = case.draw
    text = PLAN if draw.random() < 0.7 else ""
    for _ in range(draw.randint(1, 4)):
        if draw.random() < 0.6:
            text += draw.choice(_LINES) + "\n"
        else:
            place = draw.randrange(len(text) + 1)
            text = text[:place] + draw.choice(_PIECES) + text[place + draw.choice((0, 0, 3)) :]
    case.make_plan(text)
    hosts = ("--hostfile", case.make_plan()) if draw.random() < 0.2 else ()
    case.make_plan(text)
    case.combench(*case.run_words(str(case.folder / "tiny.plan"), "--dry-run", *hosts))


KINDS: dict[str, Callable[[Case], None]] = {
    "documents": mutated_documents,
    "directories": mutated_directories,
    "resumptions": mutated_resumptions,
    "signals": signals,
    "resources": resources,
    "plans": plans,
}


@dataclass
class Count:
    cases: int = 0
    commands: int = 0
    failures: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    def line(self, kind: str) -> str:
        statuses = ", ".join(f"{count} x {status}" for status, count in sorted(self.statuses.items()))
        return (
            f"{kind}: {self.cases} cases, {self.commands} commands, {self.failures} failures; "
            f"statuses {statuses}"
        )


def try_case(kind: str, number: int, count: Count, keep: bool) -> None:
    folder = Path(tempfile.mkdtemp(prefix="combench-fuzz-"))
    case = Case(folder, random.Random(f"{kind} {number}"))
    try:
        KINDS[kind](case)
    finally:
        case.end_left()
        if not (keep and case.failures):
            shutil.rmtree(folder, ignore_errors=True)
    count.cases += 1
    count.commands += case.commands
    count.failures += len(case.failures)
    count.statuses += case.statuses
    for what in case.failures:
        kept = f" in {folder}" if keep else ""
        print(f"{kind} {number}{kept}: {what}", flush=True)


def numbers(arguments: argparse.Namespace) -> Iterator[int]:
    """The numbers of the cases to try, until the time is over or their count is reached."""
    until_s = time.monotonic() + (arguments.seconds or float("inf"))
    number = arguments.first
    most = arguments.cases if not arguments.seconds else sys.maxsize
    while number < arguments.first + most and time.monotonic() < until_s:
        yield number
        number += 1


def main() -> int:
    first, usual = map(int, os.environ.get("CB_FUZZ", "1:150").split(":"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds of cases (default: all)")
    parser.add_argument("--seconds", type=float, help="go on for this time")
    parser.add_argument("--cases", type=int, default=max(usual // 16, 1), help="of each kind")
    parser.add_argument("--first", type=int, default=first, help="number of the first case")
    parser.add_argument("--keep", action="store_true", help="keep the folders of failures")
    arguments = parser.parse_args()
    if is_missing("fastjsonschema"):
        print("skipped: the module fastjsonschema is missing")
        return 77
    counts = {kind: Count() for kind in arguments.kinds.split(",")}
    for number in numbers(arguments):
        for kind, count in counts.items():
            try_case(kind, number, count, arguments.keep)
    for kind, count in counts.items():
        print(count.line(kind))
    return int(any(count.failures for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
