#!/usr/bin/env python3
"""Runs, bundles and documents from others: nothing outside of their folder is read or written, nothing that
they say is obeyed, memory is bounded, and no file is left. What verbs write replaces no input."""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from pathlib import Path
from typing import Any, Callable

from stage import TOP, Stage, heed_signals

from combench.common import bundles, files, terminal
from combench.common.documents import load_text, read_result
from combench.common.errors import PACKAGES, SuiteError, is_missing

RELEASED = TOP / "tests" / "suite" / "released" / "1" / "run"
LIMIT_S = 60
MEMORY_BYTES = 2 << 30  # of the driver with its libraries
OTHER_USER = 65534
READERS = {  # what to give a verb beside the run
    "report": ("--pictures", "svg", "--output", "{out}/report.html"),
    "compare": ("{own}",),
    "acceptance": (),
    "parkbench": (),
}
needs_modules = unittest.skipIf(any(map(is_missing, PACKAGES)), f"{sys.executable} lacks modules of the verbs")
is_root = unittest.skipUnless(os.geteuid() == 0, "only root can make files of another user")


def limit_memory() -> None:
    heed_signals()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


class Foreign(unittest.TestCase):
    """A run of another user, in `run`; the user's own files are in `own`, temporary ones in `tmp`."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-foreign-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.run_folder, self.own = self.folder / "run", self.folder / "own"
        shutil.copytree(RELEASED, self.run_folder)
        shutil.copytree(RELEASED, self.own)
        for name in ("tmp", "out"):
            (self.folder / name).mkdir()
        plan = self.run_folder / "small.plan"
        plan.write_text(plan.read_text("ascii").replace("[oneway]\n", "[oneway]\naccept = lost = 0\n"), "ascii")

    def combench(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(TOP / "scripts" / "combench"), *words],
            env={**os.environ, "TMPDIR": str(self.folder / "tmp"), "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True, text=True, timeout=LIMIT_S, preexec_fn=limit_memory,
        )

    def read_by(self, verb: str, source: Path) -> str:
        """What a verb prints about a run; it leaves no file."""
        given = [word.format(out=self.folder / "out", own=self.own) for word in READERS[verb]]
        ended = self.combench(verb, str(source), *given)
        self.assertNotIn("Traceback", ended.stderr)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        return ended.stdout + ended.stderr

    def edit(self, change: Callable[[Any], None]) -> None:
        path = self.run_folder / "manifest.json"
        document = json.loads(path.read_text("utf-8"))
        change(document)
        path.write_text(json.dumps(document), "utf-8")

    def refused(self, bundle: Path, why: str) -> None:
        """Each verb refuses a bundle, before it has taken memory or room."""
        for verb in READERS:
            with self.subTest(verb):
                self.assertIn(why, self.read_by(verb, bundle))
        ended = self.combench("bundle", "--extract", str(bundle), "--output", str(self.folder / "a/b"))
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn(why, ended.stderr)
        self.assertFalse((self.folder / "a").exists())


@needs_modules
class Manifests(Foreign):
    """Names of files in a manifest."""

    def outside(self) -> list[str]:
        secret = self.folder / "secret.json"
        result = json.loads((RELEASED / "results/oneway.mpi.none.json").read_text("utf-8"))
        result["results"][0]["mode"] = "SECRET"
        secret.write_text(json.dumps(result), "utf-8")
        os.mkfifo(self.run_folder / "results/pipe.json")
        (self.run_folder / "results/link.json").symlink_to(secret)
        (self.run_folder / "results/away").symlink_to(self.folder)
        (self.run_folder / "results/circle").symlink_to("circle")
        (self.run_folder / "results/zero").symlink_to("/dev/zero")
        return ["../secret.json", str(secret), "results/../../secret.json", "results/link.json",
                "results/away/secret.json", "/dev/zero", "results/zero", "/etc/passwd", "results/pipe.json",
                "results/circle", "results", "results/" + "x" * 300, "a\0b"]

    def test_results_outside_of_the_folder_are_not_read(self) -> None:
        for name in self.outside():
            with self.subTest(name=name):
                with self.assertRaisesRegex(SuiteError, "leads out|no regular file|cannot read"):
                    read_result(files.within(self.run_folder, name))
        for verb in ("compare", "acceptance"):
            for name in ("../secret.json", "results/pipe.json"):
                self.edit(lambda document: document["measurements"][0].update(result=name))
                with self.subTest(verb, name=name):
                    said = self.read_by(verb, self.run_folder)
                    self.assertNotIn("SECRET", said)
                    self.assertRegex(said, "leads out|no regular file")

    def test_variants_outside_of_the_folder_are_reported(self) -> None:
        def change(document: Any) -> None:
            document["measurements"][0].update(result="../secret.json", variant="a")

        self.edit(change)
        self.assertIn("leads out", self.read_by("report", self.run_folder))

    def test_plans_outside_of_the_folder_are_not_read(self) -> None:
        (self.folder / "other.plan").write_text("[SECRET]\n", "ascii")
        for name in ("../other.plan", str(self.folder / "other.plan"), "/dev/zero.plan"):
            self.edit(lambda document: document["plan"].update(file=name))
            with self.subTest(name):
                said = self.read_by("acceptance", self.run_folder)
                self.assertIn("leads out", said)
                self.assertNotIn("SECRET", said)
                ended = self.combench("run", "--resume", "--output", str(self.run_folder))
                self.assertIn("leads out", ended.stderr)

    def test_files_that_are_not_regular_are_not_waited_for(self) -> None:
        os.mkfifo(self.run_folder / "results" / "pipe.json")
        (self.run_folder / "results" / "zero.json").symlink_to("/dev/zero")
        (self.run_folder / "discussion").mkdir()
        os.mkfifo(self.run_folder / "discussion" / "summary.md")
        (self.run_folder / "discussion" / "cost.md").symlink_to("/etc/passwd")
        said = self.read_by("report", self.run_folder)
        self.assertRegex(said, "summary.md: it is no regular file")
        self.assertIn("cost.md' of", said)
        self.assertNotIn("root:", (self.folder / "out/report.html").read_text("utf-8"))
        (self.run_folder / "manifest.json").unlink()
        self.read_by("compare", self.run_folder / "results")


class Bundles(Foreign):
    """Archives that take memory or room, and those that are cut off."""

    def tar(self, *headers: bytes) -> Path:
        path = self.folder / "bad.tar.gz"
        with gzip.open(path, "wb", 1) as stream:
            for header in headers:
                stream.write(header)
            stream.write(bytes(1024))
        return path

    @staticmethod
    def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
        entry = tarfile.TarInfo(name)
        entry.size, entry.type = size, kind
        return entry.tobuf(tarfile.GNU_FORMAT)

    @needs_modules
    def test_a_member_of_gigabytes(self) -> None:
        self.extract_refused(self.tar(self.header("big", 4 << 30)), "bytes")
        path = self.folder / "bad.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros", "w") as stream:
            for _ in range(100):
                stream.write(bytes(1 << 20))
        self.refused(path, "bytes")

    def test_a_header_of_gigabytes(self) -> None:
        for kind in (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE):
            self.extract_refused(self.tar(self.header("x", 3 << 29, kind)), "header")

    def extract_refused(self, path: Path, why: str) -> None:
        into = self.folder / "into"
        with self.assertRaisesRegex(SuiteError, why):
            bundles.extract(path, into)
        self.assertEqual(list(into.iterdir()) if into.exists() else [], [])

    def test_a_list_of_gigabytes(self) -> None:
        path, size = self.folder / "bad.zip", 3 << 29
        with path.open("wb") as stream:
            stream.truncate(size)
            stream.seek(size)
            stream.write(struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, size, 0, 0))
        ended = self.combench("bundle", "--extract", str(path), "--output", str(self.folder / "a"))
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("list of files", ended.stderr)
        self.assertFalse((self.folder / "a").exists())

    def test_folders_count_as_files(self) -> None:
        headers = [self.header(f"{number}/", 0, tarfile.DIRTYPE) for number in range(1000)]
        self.limit("_MOST_FILES", 500)
        self.extract_refused(self.tar(*headers, self.header("x", 0)), "500 files and folders")
        deep = "/".join(["a"] * 490) + "/b"
        self.limit("_MOST_FILES", 400)
        self.extract_refused(self.tar(self.header(deep, 0)), "400 files and folders")

    def limit(self, name: str, value: int) -> None:
        before = getattr(bundles, name)
        setattr(bundles, name, value)
        self.addCleanup(setattr, bundles, name, before)

    def test_contents_that_are_not_as_long_as_they_claim(self) -> None:
        self.extract_refused(self.tar(self.header("x", 5000)), "ends early|cut off")
        path = self.folder / "bad.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("a", "x" * 1000)
            archive.writestr("b", "x" * 1000)
        data = path.read_bytes()
        path.write_bytes(data.replace(struct.pack("<I", 1000) * 2, struct.pack("<2I", 1000, 1001)))
        self.extract_refused(path, "damaged|cut off|overlap")

    def test_a_bundle_that_is_cut_off_leaves_nothing(self) -> None:
        for suffix in bundles.SUFFIXES:
            whole = self.folder / f"whole{suffix}"
            bundles.write(whole, {f"{name}/x": os.urandom(3000) for name in range(20)})
            data = whole.read_bytes()
            for length in range(0, len(data), len(data) // 13):
                cut = self.folder / f"cut{suffix}"
                cut.write_bytes(data[:length])
                self.extract_refused(cut, "cannot read")

    def test_forms_of_other_packers_are_read(self) -> None:
        name = "é" * 60 + "/" + "long" * 40
        for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
            path, into = self.folder / "good.tar.gz", self.folder / f"good{form}"
            with tarfile.open(path, "w:gz", format=form) as archive:
                entry = tarfile.TarInfo("folder")
                entry.type = tarfile.DIRTYPE
                archive.addfile(entry)
                entry = tarfile.TarInfo(name)
                entry.size = 5
                archive.addfile(entry, io.BytesIO(b"hello"))
            bundles.extract(path, into)
            self.assertEqual((into / name).read_bytes(), b"hello")

    @needs_modules
    def test_a_signal_leaves_no_folder(self) -> None:
        content = {f"results/{number}.txt": b"x" * 100 for number in range(30_000)}
        bundles.write(self.folder / "many.tar.gz", content)
        environment = {**os.environ, "TMPDIR": str(self.folder / "tmp")}
        for number in (signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen(
                [sys.executable, str(TOP / "scripts/combench"), "compare", str(self.folder / "many.tar.gz"),
                 str(self.own)],
                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=heed_signals,
            )
            deadline = time.monotonic() + LIMIT_S
            while not list((self.folder / "tmp").glob("*/*")) and process.poll() is None:
                self.assertLess(time.monotonic(), deadline)
            process.send_signal(number)
            self.assertNotEqual(process.wait(LIMIT_S), 0)
            self.assertEqual(list((self.folder / "tmp").iterdir()), [])


class Resuming(Stage):
    """What a manifest would let `combench run --resume` do."""

    def write_run(self, change: Callable[[Any], None]) -> None:
        self.run_driver(str(self.plan), "--variant", "a", "--variant", "b:COLOUR=blue", expect=0)
        path = self.output / "manifest.json"
        document = json.loads(path.read_text("utf-8"))
        change(document)
        path.write_text(json.dumps(document), "utf-8")

    def test_variables_need_an_option(self) -> None:
        def change(document: Any) -> None:
            document["design"]["variants"][1]["environment"] = {"LD_PRELOAD": "/evil.so"}

        self.write_run(change)
        said = self.run_driver("--resume", expect=2).stderr
        self.assertIn("LD_PRELOAD=/evil.so", said)
        self.assertIn("--trust", said)
        self.assertIn("LD_PRELOAD=/evil.so", self.run_driver("--resume", "--dry-run", "--repeat", "2",
                                                             expect=0).stdout)
        self.run_driver("--resume", "--trust", expect=0)

    def test_variables_of_the_command_line_need_none(self) -> None:
        self.write_run(lambda document: None)
        self.run_driver("--resume", "--variant", "a", "--variant", "b:COLOUR=blue", expect=0)
        self.assertIn("another", self.run_driver("--resume", "--variant", "a", "--variant", "b:COLOUR=red",
                                                 expect=2).stderr)

    def test_a_host_file_needs_an_option(self) -> None:
        hosts = self.folder / "hosts"
        hosts.write_text("localhost slots=4\n", "ascii")
        self.write_run(lambda document: document["sessions"][-1].update(hostfile=str(hosts)))
        said = self.run_driver("--resume", "--variant", "a", "--variant", "b:COLOUR=blue", expect=2).stderr
        self.assertIn(str(hosts), said)
        self.run_driver("--resume", "--trust", expect=0)

    def test_plain_runs_need_none(self) -> None:
        self.run_driver(str(self.plan), expect=0)
        self.run_driver("--resume", expect=0)
        self.assertIn("--resume", self.run_driver(str(self.plan), "--trust", expect=2).stderr)

    def test_the_command_that_continues_has_the_option(self) -> None:
        self.actions({"oneway.mpi.none.a": "fail", "oneway.mpi.none": "fail"})
        variants = ("--variant", "a", "--variant", "b:COLOUR=blue")
        said = self.run_driver(str(self.plan), *variants, expect=1).stdout
        self.assertRegex(said, r"--resume --output \S+ --trust .*--retry")

    def test_plans_may_not_choose_outputs_and_programs(self) -> None:
        for line in ("options = --output x", "options = --outp=x", "options = --timeline x",
                     "options = --emit-tr x"):
            self.plan.write_text(f"[pushfarm]\n{line}\n", "ascii")
            self.assertIn("set by the driver", self.run_driver(str(self.plan), expect=2).stderr)
        for line in ("--programs /tmp", "--prog=/tmp", "--output x"):
            self.plan.write_text(f"predict = 10\npredict-options = {line}\n[oneway]\n", "ascii")
            self.assertIn("set by the driver", self.run_driver(str(self.plan), expect=2).stderr)

    def test_logs_and_the_lock_are_no_links(self) -> None:
        self.run_driver(str(self.plan), expect=0)
        victim = self.folder / "victim"
        victim.write_text("kept", "ascii")
        log = self.output / self.manifest()["measurements"][0]["log"]
        log.unlink()
        log.symlink_to(victim)
        (self.output / self.manifest()["measurements"][0]["result"]).unlink()
        self.run_driver("--resume", expect=1)
        self.assertEqual(victim.read_text("ascii"), "kept")
        log.unlink()
        (self.folder / "elsewhere").mkdir()
        shutil.rmtree(self.output / "results")
        (self.output / "results").symlink_to(self.folder / "elsewhere")
        self.assertIn("leads out", self.run_driver("--resume", expect=1).stderr)
        self.assertEqual(list((self.folder / "elsewhere").iterdir()), [])
        (self.output / "lock").unlink()
        (self.output / "lock").symlink_to(victim)
        self.run_driver("--resume", expect=2)
        self.assertEqual(victim.read_text("ascii"), "kept")

    @is_root
    def test_a_directory_of_another_user_in_a_shared_folder_is_refused(self) -> None:
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        self.output = shared / "run"
        self.output.mkdir()
        (self.output / "logs").symlink_to(self.folder)
        os.chown(self.output, OTHER_USER, OTHER_USER)
        self.assertIn("another user", self.run_driver(str(self.plan), expect=2).stderr)


class Files(unittest.TestCase):
    """The rules of common/files.py, which are those of src/base/output.c."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combench-files-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.file = self.folder / "file"

    def shared(self) -> Path:
        made = self.folder / "shared"
        made.mkdir()
        made.chmod(0o1777)
        return made

    def refused(self, path: Path, why: str) -> None:
        before = sorted(self.folder.rglob("*"))
        with self.assertRaisesRegex(SuiteError, why):
            files.write_text(path, "new")
        with self.assertRaises(SuiteError):
            files.require_writable("--output", path)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_permissions_are_kept(self) -> None:
        for mode in (0o600, 0o640, 0o666):
            self.file.write_text("old", "ascii")
            self.file.chmod(mode)
            files.write_text(self.file, "new")
            self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), mode)
            self.assertEqual(self.file.read_text("ascii"), "new")
        self.file.unlink()
        before = os.umask(0o027)
        self.addCleanup(os.umask, before)
        files.write_text(self.file, "new")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o640)

    def test_own_links_are_followed_and_kept(self) -> None:
        link, target = self.folder / "link", self.folder / "target"
        link.symlink_to(self.file)
        self.file.symlink_to("target")
        files.write_text(link, "new")
        self.assertTrue(link.is_symlink() and self.file.is_symlink())
        self.assertEqual(target.read_text("ascii"), "new")

    def test_what_is_no_file_is_refused(self) -> None:
        os.mkfifo(self.file)
        self.refused(self.file, "no regular file")
        (self.folder / "circle").symlink_to("circle")
        self.refused(self.folder / "circle", "levels of symbolic links")
        self.refused(Path("/dev/full"), "no regular file")

    def test_no_predictable_name_is_written(self) -> None:
        victim = self.folder / "victim"
        victim.write_text("kept", "ascii")
        for name in ("file.tmp", "file.XXXXXX"):
            (self.folder / name).symlink_to(victim)
        files.write_text(self.file, "new")
        bundles.write(self.folder / "file.zip", {"a": b"b"})
        self.assertEqual(victim.read_text("ascii"), "kept")

    def test_an_error_leaves_the_old_file_alone(self) -> None:
        self.file.write_text("old", "ascii")
        with self.assertRaises(KeyError):
            with files.replacing(self.file) as stream:
                stream.write(b"new")
                raise KeyError
        self.assertEqual(self.file.read_text("ascii"), "old")
        self.assertEqual(list(self.folder.iterdir()), [self.file])

    @is_root
    def test_links_and_files_of_another_user_in_a_shared_folder_are_refused(self) -> None:
        shared = self.shared()
        self.file.write_text("kept", "ascii")
        (shared / "link").symlink_to(self.file)
        (shared / "file").touch()
        for name in ("link", "file"):
            os.lchown(shared / name, OTHER_USER, OTHER_USER)
            self.refused(shared / name, "another user")
        self.assertEqual(self.file.read_text("ascii"), "kept")
        os.chown(shared, OTHER_USER, OTHER_USER)
        files.write_text(shared / "link", "new")  # the folder's owner may do anything in it
        self.assertEqual(self.file.read_text("ascii"), "new")


@needs_modules
class Outputs(Foreign):
    """An output that is an input."""

    def refused_output(self, *words: str, kept: Path) -> None:
        before = kept.read_bytes()
        ended = self.combench(*words)
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        self.assertIn("would replace", ended.stderr)
        self.assertEqual(kept.read_bytes(), before)

    def test_inputs_are_not_replaced(self) -> None:
        result = self.own / "results" / "oneway.mpi.none.json"
        link = self.folder / "link.json"
        link.symlink_to(result)
        manifest, bundle = self.own / "manifest.json", self.folder / "run.zip"
        bundles.write(bundle, {"manifest.json": manifest.read_bytes(), "results/a.json": result.read_bytes()})
        self.refused_output("report", str(result), "--output", str(result), kept=result)
        self.refused_output("report", str(result), "--output", str(link), kept=result)
        self.refused_output("report", str(self.own), "--output", str(manifest), kept=manifest)
        self.refused_output("report", str(bundle), "--output", str(bundle), kept=bundle)
        programs = ("--programs", os.environ.get("CB_BUILD", str(TOP / "build")))
        self.refused_output("predict", str(self.own), "--output", str(result), *programs, kept=result)
        self.refused_output("validate", str(self.own), "--output", str(result), *programs, kept=result)
        picture = self.folder / "result.svg"
        shutil.copy(result, picture)
        self.refused_output("compare", str(picture), str(result), "--plot", str(picture), kept=picture)


class Terminals(Foreign):
    """Control characters of documents, archives and plans."""

    EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\u2066\rfake\nline\x00\x7f"

    def assert_plain(self, text: str) -> None:
        self.assertEqual([one for one in text if terminal.printable(one, lines=True) != one], [])

    def test_texts_are_escaped(self) -> None:
        self.assert_plain(terminal.printable(self.EVIL))
        self.assertNotIn("\n", terminal.printable(self.EVIL))
        self.assertEqual(terminal.printable("\x1b[2J\u202e"), "\\x1b[2J\\u202e")
        self.assertEqual(terminal.printable("µs, Ω, 網路, \t"), "µs, Ω, 網路, \t")

    def test_documents_have_no_control_characters(self) -> None:
        text = json.dumps({"a" + self.EVIL: [self.EVIL], "text": "two\nlines"})
        for written in (text, json.dumps(json.loads(text), ensure_ascii=False)):
            found = load_text(written, Path("x"))
            self.assertEqual(found.pop("text"), "two\nlines")
            self.assert_plain(json.dumps(found, ensure_ascii=False))
            self.assertNotIn("\\n", json.dumps(found).replace("\\\\", ""))

    @needs_modules
    def test_verbs_print_none(self) -> None:
        evil = self.EVIL.replace("\x00", "")

        def change(document: Any) -> None:
            document["plan"]["title"] = evil
            document["measurements"][0].update(section=evil, technology=evil)

        self.edit(change)
        for path in (self.run_folder / "results").glob("*.json"):
            document = json.loads(path.read_text("utf-8"))
            document["environment"]["hosts"][0].update(name=evil, kernel=evil)
            document["environment"]["mpi"] = evil
            document["skipped"].append({"what": evil, "reason": evil})
            path.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
        (self.run_folder / "results" / "\x1b[31m\u202e.json").write_text("{", "ascii")
        for verb in READERS:
            with self.subTest(verb):
                said = self.read_by(verb, self.run_folder)
                self.assert_plain(said)
                self.assertNotIn("\nline", said)
        self.assert_plain((self.folder / "out/report.html").read_text("utf-8"))


if __name__ == "__main__":
    unittest.main()
