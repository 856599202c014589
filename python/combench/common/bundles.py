"""Bundles: a run in one file, .tar.gz or .zip. Equal runs make equal files.

Verbs that read the directory of a run read a bundle as well: `directory_of` extracts it for the time
of the process. A bundle may come from anywhere, so nothing in it is trusted.
"""

from __future__ import annotations

import atexit
import functools
import gzip
import io
import os
import shutil
import signal
import stat
import tarfile
import tempfile
import threading
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO, Iterator, Mapping, NoReturn

from combench.common import archives
from combench.common.errors import SuiteError
from combench.common.files import replacing

SUFFIXES = (".tar.gz", ".zip")
_MOST_FILES, _MOST_BYTES = 100_000, 4 << 30
_BUNDLES: dict[Path, Path] = {}  # by the folders to which they were extracted
_SMALL_BYTES, _MOST_RATIO = 64 << 20, 200
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that zip knows


def is_bundle(path: Path) -> bool:
    return path.name.endswith(SUFFIXES) and path.is_file()


def write(path: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their names, in one folder of the name of the bundle, without times and owners."""
    with replacing(path, "Free disk space, or name another --output") as stream:
        if path.name.endswith(".zip"):
            _write_zip(stream, files)
        else:
            _write_tar(stream, files)


def _write_zip(stream: IO[bytes], files: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, on any system
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, files[name])


def _write_tar(stream: IO[bytes], files: Mapping[str, bytes]) -> None:
    with gzip.GzipFile("", "wb", 9, stream, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name in sorted(files):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = len(files[name]), 0o644, 0
                archive.addfile(entry, io.BytesIO(files[name]))


# Reading


def _refused(path: Path, what: str) -> SuiteError:
    return SuiteError(f"cannot read {path}: {what}; get the bundle from its owner again")


def _safe(path: Path, entry: archives.Entry) -> str:
    """The name of a file or folder in a bundle, if it stays within the folder to extract to."""
    name = entry.name
    parts = PurePosixPath(name).parts
    if (
        not parts
        or name.startswith("/")
        or ".." in parts
        or "\\" in name
        or ":" in parts[0]
        or len(name.encode("utf-8", "replace")) > 1000
        or not name.isprintable()
    ):
        raise _refused(path, f"the name {name!r} leads out of the bundle, or is not one of a file")
    if not (entry.is_folder or entry.is_file):
        raise _refused(path, f"{name} is a link or a device, which no bundle has")
    return "/".join(parts)


def _most_bytes(path: Path) -> int:
    """How much a bundle may hold: no run is packed to less than a 200th."""
    return min(_MOST_BYTES, max(_SMALL_BYTES, _MOST_RATIO * path.stat().st_size))


def _entries(path: Path) -> Iterator[tuple[str, archives.Entry]]:
    """The files of a bundle by their names. SuiteError, with the first that breaks a rule."""
    most, total = _most_bytes(path), 0
    seen: set[str] = set()
    folders: set[str] = set()
    is_zip = path.name.endswith(".zip")
    overhead = _MOST_FILES * 4 * tarfile.BLOCKSIZE  # of headers and padding
    for entry in archives.zip_entries(path) if is_zip else archives.tar_entries(path, most + overhead):
        name = _safe(path, entry)
        parents = name if entry.is_folder else name.rpartition("/")[0]
        while parents and parents not in folders:
            folders.add(parents)
            parents = parents.rpartition("/")[0]
        if len(seen) + len(folders) > _MOST_FILES:
            raise _refused(path, f"it has more than {_MOST_FILES} files and folders")
        if entry.is_folder:
            continue
        total += entry.size
        if total > most:
            raise _refused(path, f"it has more than {most} bytes, {path.stat().st_size} packed")
        if name in seen:
            raise _refused(path, f"{name} occurs twice")
        seen.add(name)
        yield name, entry
    if not seen:
        raise _refused(path, "there is no file in it")


def _write_file(path: Path, entry: archives.Entry) -> None:
    written = 0
    with path.open("xb") as stream:
        for piece in entry.content:
            written += len(piece)
            if written > entry.size:
                break
            stream.write(piece)
    if written != entry.size:
        raise EOFError(f"{entry.name} is cut off or damaged")


def _extract(path: Path, into: Path) -> None:
    try:
        for _ in _entries(path):
            pass  # everything is checked before anything is written
        for name, entry in _entries(path):
            file = into / name
            file.parent.mkdir(parents=True, exist_ok=True)
            _write_file(file, entry)
    except archives.DAMAGED as error:
        raise SuiteError(f"cannot read the bundle {path}: {error}; it may be damaged, or there is no "
                         f"room in {into}") from error


def _empty(folder: Path) -> None:
    for one in folder.iterdir() if folder.is_dir() else ():
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)


def _end(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def _end_by_exceptions() -> None:
    """From now on signals that would end the process at once raise SystemExit, so that folders are
    removed."""
    if threading.current_thread() is not threading.main_thread():
        return
    for one in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(one) == signal.SIG_DFL:
            signal.signal(one, _end)


def extract(path: Path, into: Path) -> None:
    """Extract a bundle into an empty folder, which is empty again if an error or a signal ends this.
    Nothing is written outside of it."""
    _end_by_exceptions()
    try:
        _extract(path, into)
    except BaseException:
        _empty(into)
        raise


@functools.lru_cache(maxsize=None)
def _extracted(path: Path) -> Path:
    _end_by_exceptions()
    folder = Path(tempfile.mkdtemp(prefix="combench-bundle-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    extract(path, folder)
    _BUNDLES[folder] = path
    return folder


def shown(path: Path) -> Path:
    """The path for the user: of a folder or file in a bundle, the bundle's."""
    return next((_BUNDLES[one] for one in (path, *path.parents) if one in _BUNDLES), path)


def directory_of(path: Path) -> Path:
    """The directory of a run: of a bundle, the folder to which it is extracted until the process
    ends."""
    if not is_bundle(path):
        return path
    return _extracted(Path(os.path.abspath(path)))
