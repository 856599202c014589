#!/usr/bin/env python3
"""Fuzzes what reads bundles: archives with wrong names, links, sizes and bytes, and runs whose manifest names
files elsewhere.

A case is drawn from a seed, so a failure comes again: `bundles.py --first N --cases 1`. A failure is a
traceback, an exit status that is not documented, more memory or time than a limit, a file that is opened or
written outside of the bundle's folder, or a folder that is left.

    tests/fuzz/bundles.py [--seconds 600] [--first 1] [--cases 200]

Without options, as in `make check`, it tries a few cases: CB_FUZZ=FIRST:COUNT says how many.
"""

from __future__ import annotations

import argparse
import atexit
import gzip
import io
import json
import os
import random
import resource
import shutil
import signal
import struct
import sys
import tarfile
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any, Callable

TOP = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TOP / "python")]

from combench import main as driver  # noqa: E402
from combench.common.errors import PACKAGES, is_missing  # noqa: E402

if any(map(is_missing, PACKAGES)):
    print(f"skipped: {sys.executable} lacks one of {', '.join(PACKAGES)}")
    sys.exit(77)

from combench.predict.calibration import read_measurements  # noqa: E402
from combench.report import page  # noqa: E402, F401  (loaded before the limit of memory)

RELEASED = TOP / "tests" / "suite" / "released" / "1" / "run"
DOCUMENTED = (0, 1, 2, 77)
LIMIT_S, MEMORY_BYTES = 300, 512 << 20  # of a case on a busy machine, beyond what the libraries take
CANARY = "CANARY-4711"
SIZES = (0, 1, 511, 512, 513, 1 << 20, (1 << 32) - 1, 1 << 32, 1 << 33, 1 << 62)

_Files = dict[str, bytes]
_Entry = tuple[str, bytes, bytes, str, int]  # name, type of tar, content, link, size


class Case:
    """The folders of a case: the bundle in `given`, what must not be touched in `outside`."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.draw = folder, random.Random(seed)
        for name in ("given", "outside", "tmp", "out"):
            (folder / name).mkdir()
        self.outside = folder / "outside"
        (self.outside / "secret.plan").write_text(f"[{CANARY}]\n", "ascii")
        (self.outside / "secret.json").write_text(
            (RELEASED / "results/oneway.mpi.none.json").read_text("utf-8"), "utf-8")
        os.mkfifo(self.outside / "pipe")

    def name(self) -> str:
        """A name that leads elsewhere, or is none."""
        secret = str(self.outside / self.draw.choice(("secret.json", "secret.plan", "pipe")))
        return self.draw.choice((
            secret, f"../outside/{Path(secret).name}", f"results/../../outside/{Path(secret).name}", "/dev/zero",
            "/etc/passwd", "", ".", "..", "/", "a/../b", "a//b", "./a", "a/", "a\0b", "a\nb", "\x1b[2J", "\u202e",
            "x" * 300, "a/" * 600, "C:\\x", "CON", "manifest.json/x", "results", "link/secret.json", "é" * 200,
            "manifest.json", "results/oneway.mpi.none.json",
        ))

    def files(self) -> _Files:
        """Those of a run, of which the manifest may name others."""
        found = {path.relative_to(RELEASED).as_posix(): path.read_bytes()
                 for path in sorted(RELEASED.rglob("*")) if path.is_file()}
        plan = found["small.plan"].decode("ascii").replace("[oneway]\n", "[oneway]\naccept = lost = 0\n")
        found["small.plan"] = plan.encode("ascii")
        manifest: Any = json.loads(found["manifest.json"])
        for entry in manifest["measurements"]:
            if self.draw.random() < 0.2:
                entry[self.draw.choice(("result", "log"))] = self.name()
        if self.draw.random() < 0.2:
            manifest["plan"]["file"] = self.name()
        found["manifest.json"] = json.dumps(manifest).encode("utf-8")
        return found

    def entries(self) -> list[_Entry]:
        """The entries of an archive with something wrong in some of them."""
        made: list[_Entry] = [(name, tarfile.REGTYPE, content, "", len(content))
                              for name, content in self.files().items()]
        for _ in range(self.draw.choice((0, 0, 1, 1, 2, 5))):
            at = self.draw.randrange(len(made))
            name, kind, content, link, size = made[at]
            change = self.draw.randrange(6)
            if change == 0:
                name = self.name()
            elif change == 1:
                kind = bytes([self.draw.randrange(256)]) if self.draw.random() < 0.3 else self.draw.choice((
                    tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE,
                    tarfile.GNUTYPE_SPARSE, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME))
                link = self.name()
            elif change == 2:
                size = self.draw.choice((*SIZES, size + 1, max(size - 1, 0)))
            elif change == 3:
                made.insert(0, ("link", tarfile.SYMTYPE, b"", str(self.outside), 0))
                made.append(("link/secret.json", tarfile.REGTYPE, b"{}", "", 2))
            elif change == 4:
                number = self.draw.choice((1, 10, 2000))
                made += [(f"{self.draw.random()}/", tarfile.DIRTYPE, b"", "", 0) for _ in range(number)]
            else:
                content = bytes(self.draw.choice((10, 1 << 20, 80 << 20)))
                size = len(content)
            made[at] = (name, kind, content, link, size)
        return made

    def bytes_changed(self, data: bytes) -> bytes:
        """Flipped, cut off, repeated."""
        made = bytearray(data)
        for _ in range(self.draw.choice((1, 3, 30))):
            if not made:
                break
            at = self.draw.randrange(len(made))
            change = self.draw.randrange(4)
            if change == 0:
                made[at] = self.draw.randrange(256)
            elif change == 1:
                del made[at:]
            elif change == 2:
                made[at:at] = made[at : at + self.draw.randrange(2000)]
            else:
                size = self.draw.choice(SIZES) & (2**32 - 1)
                made[at : at + 4] = struct.pack("<I", size)
        return bytes(made)

    def tar(self) -> bytes:
        stream = io.BytesIO()
        for name, kind, content, link, size in self.entries():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.size = kind, link, size
            if self.draw.random() < 0.1:
                entry.pax_headers = {"path": self.name(), "x" * 9000: "y", "size": "9999999999"}
            form = self.draw.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))
            try:
                stream.write(entry.tobuf(form, errors="replace"))
            except ValueError:
                continue
            stream.write(content + bytes(-len(content) % 512))
        data = stream.getvalue() + bytes(self.draw.choice((0, 512, 1024, 10240)))
        if self.draw.random() < 0.3:
            data = self.bytes_changed(data)
        data = gzip.compress(data, 1)
        return self.bytes_changed(data) if self.draw.random() < 0.3 else data

    def zip(self) -> bytes:
        stream = io.BytesIO()
        warnings.simplefilter("ignore")  # of names that occur twice
        kinds = {tarfile.SYMTYPE: 0o120777, tarfile.FIFOTYPE: 0o010666, tarfile.CHRTYPE: 0o020666}
        with zipfile.ZipFile(stream, "w") as archive:
            for name, kind, content, link, _ in self.entries():
                if kind == tarfile.DIRTYPE and not name.endswith("/"):
                    name += "/"
                entry = zipfile.ZipInfo(name or "x")
                entry.external_attr = kinds.get(kind, 0o100644) << 16
                entry.compress_type = self.draw.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED,
                                                        zipfile.ZIP_STORED, zipfile.ZIP_LZMA))
                archive.writestr(entry, link if kind == tarfile.SYMTYPE else content, compresslevel=1)
        data = stream.getvalue()
        if self.draw.random() < 0.3:  # the list at the end
            at = data.rfind(b"PK\1\2")
            data = data[:at] + self.bytes_changed(data[at:])
        return self.bytes_changed(data) if self.draw.random() < 0.3 else data

    def given(self) -> Path:
        """A bundle, or the directory of a run with links and pipes."""
        kind = self.draw.choice(("tar.gz", "zip", "folder"))
        path = self.folder / "given" / f"run.{kind}"
        if kind == "folder":
            for name, content in self.files().items():
                file = path / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                if self.draw.random() < (0.2 if name.startswith("results/") else 0.02):
                    file.unlink()
                    file.symlink_to(self.draw.choice(("/dev/zero", self.outside / "pipe", "circle", file.name)))
        else:
            path.write_bytes(self.tar() if kind == "tar.gz" else self.zip())
        return path


def _commands(case: Case, given: Path) -> dict[str, Callable[[], int]]:
    out = case.folder / "out"
    words = {
        "compare": ("compare", str(given), str(RELEASED)),
        "acceptance": ("acceptance", str(given), "--baseline", str(given)),
        "parkbench": ("parkbench", str(given)),
        "report": ("report", str(given), "--pictures", "svg", "--output", str(out / "report.html")),
        "bundle": ("bundle", str(given), "--output", str(out / "again.zip"), "--anonymous"),
        "extract": ("bundle", "--extract", str(given), "--output", str(out / "new/folder")),
    }

    def run(verb: str) -> Callable[[], int]:
        return lambda: driver.main(words[verb])

    def predict() -> int:
        read_measurements([str(given)], None)
        return 0

    return {"predict": predict, **{verb: run(verb) for verb in words}}


def _watch(case: Case, found: list[str]) -> None:
    """Note each file that is opened elsewhere."""
    forbidden = (str(case.outside), "/dev/zero", "/etc/passwd")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], (str, bytes)):
            try:
                path = os.path.realpath(os.fsdecode(arguments[0]))
            except ValueError:
                return
            if path.startswith(forbidden) and path != str(case.outside):
                found.append(path)

    sys.addaudithook(hook)


def _in_child(case: Case, work: Callable[[], int], log: Path) -> None:
    """Run a command and its functions of exit; the exit status is that of the process."""
    with log.open("w", encoding="utf-8", errors="replace") as stream:
        sys.stdout = sys.stderr = stream
        os.environ["TMPDIR"] = tempfile.tempdir = str(case.folder / "tmp")
        opened: list[str] = []
        _watch(case, opened)
        used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, used + MEMORY_BYTES))
        signal.alarm(LIMIT_S)
        status = 99
        try:
            status = work()
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 99
        except Exception as error:  # noqa: BLE001  (every one is a failure)
            status = error.status if type(error).__name__ == "SuiteError" else 98  # type: ignore[attr-defined]
            if status == 98:
                stream.write(traceback.format_exc())
        if opened:
            stream.write(f"opened {opened}\n")
            status = 97
        atexit._run_exitfuncs()
        stream.flush()
        os._exit(status)


def _fault(case: Case, verb: str, work: Callable[[], int]) -> str:
    """What is wrong after a command; empty: nothing."""
    log = case.folder / "log"
    child = os.fork()
    if child == 0:
        _in_child(case, work, log)
    ended = os.waitpid(child, 0)[1]
    said = log.read_text("utf-8")
    status = os.waitstatus_to_exitcode(ended)
    left = list((case.folder / "tmp").iterdir())
    outside = sorted(one.name for one in case.outside.iterdir())
    extracted = case.folder / "out" / "new"
    if status not in DOCUMENTED or "Traceback" in said:
        return f"{verb}: status {status}: {said[-2000:]}"
    if left or outside != ["pipe", "secret.json", "secret.plan"]:
        return f"{verb}: left {left}, outside {outside}"
    if CANARY in said:
        return f"{verb}: read outside: {said[-2000:]}"
    if verb == "extract" and status != 0 and extracted.exists():
        return f"{verb}: refused, and left {extracted}"
    if verb == "extract" and any(one.is_symlink() for one in extracted.rglob("*")):
        return f"{verb}: extracted a link"
    return ""


def try_case(seed: int, counts: Counter[str]) -> list[str]:
    """All verbs on one drawn bundle. Returns the faults."""
    folder = Path(tempfile.mkdtemp(prefix="combench-fuzz-"))
    faults = []
    try:
        case = Case(folder, seed)
        given = case.given()
        for verb, work in _commands(case, given).items():
            if verb == "report" and case.draw.random() > 0.1:
                continue  # its pictures take seconds
            if verb == "extract" and given.is_dir():
                continue
            counts[verb] += 1
            fault = _fault(case, verb, work)
            faults += [f"case {seed}: {fault}"] if fault else []
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return faults


MOST_CASES = 24  # of a run without options: each starts five verbs


def main() -> int:
    first, cases = map(int, os.environ.get("CB_FUZZ", "1:6").split(":"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="try cases for this time")
    parser.add_argument("--first", type=int, default=first, help="seed of the first case")
    parser.add_argument("--cases", type=int, help="number of cases")
    given = parser.parse_args()
    # Of the many cases that cheaper targets get, some.
    cases = given.cases or (sys.maxsize if given.seconds else min(cases, MOST_CASES))
    end = time.monotonic() + (given.seconds or float("inf"))
    counts: Counter[str] = Counter()
    failed = 0
    for seed in range(given.first, given.first + cases):
        if time.monotonic() > end:
            break
        for fault in try_case(seed, counts):
            failed += 1
            print(fault, flush=True)
        counts["cases"] += 1
    print(f"{failed} faults; {', '.join(f'{count} {name}' for name, count in sorted(counts.items()))}")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("CB_BUILD", str(TOP / "build"))
    sys.exit(main())
