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
import stat
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, Iterator, Mapping, Optional

from combench.common.errors import FAILED, SuiteError

# What the libraries raise on damaged archives, and on encrypted ones (RuntimeError).
_DAMAGED = (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, ValueError, RuntimeError)
SUFFIXES = (".tar.gz", ".zip")
_MOST_FILES, _MOST_BYTES = 100_000, 4 << 30
_BUNDLES: dict[Path, Path] = {}  # by the folders to which they were extracted
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that zip knows


def is_bundle(path: Path) -> bool:
    return path.name.endswith(SUFFIXES) and path.is_file()


def write(path: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their names, in one folder of the name of the bundle, without times and owners."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("wb") as stream:
            if path.name.endswith(".zip"):
                _write_zip(stream, files)
            else:
                _write_tar(stream, files)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SuiteError(
            f"cannot write {path}: {error.strerror}; free disk space, or name another --output",
            FAILED,
        ) from error


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


def _safe(path: Path, name: str) -> str:
    """The name of a file in a bundle, if it stays within the folder to extract to."""
    parts = PurePosixPath(name).parts
    if (
        not parts
        or name.startswith("/")
        or ".." in parts
        or "\\" in name
        or ":" in parts[0]
        or len(name.encode("utf-8", "replace")) > 1000
        or any(ord(letter) < 32 for letter in name)
    ):
        raise SuiteError(f"cannot read {path}: the name {name!r} leads out of the bundle, or is not "
                         "one of a file; get the bundle from its owner again")
    return "/".join(parts)


def _of_tar(path: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(path, "r:gz") as archive:
        for entry in archive:
            if entry.isdir():
                continue
            name = _safe(path, entry.name)
            if not entry.isreg():
                raise SuiteError(f"cannot read {path}: {name} is a link or a device, which no bundle "
                                 "has; get the bundle from its owner again")
            yield name, _within(path, name, entry.size, archive.extractfile(entry))


def _of_zip(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if entry.is_dir():
                continue
            name, mode = _safe(path, entry.filename), entry.external_attr >> 16
            if mode and not stat.S_ISREG(mode):
                raise SuiteError(f"cannot read {path}: {name} is a link or a device, which no bundle "
                                 "has; get the bundle from its owner again")
            with archive.open(entry) as stream:
                yield name, _within(path, name, entry.file_size, stream)


def _within(path: Path, name: str, size: int, stream: Optional[IO[bytes]]) -> bytes:
    """The content of a file, of which an archive may claim any size."""
    if size > _MOST_BYTES:
        raise SuiteError(f"cannot read {path}: {name} has {size} bytes, more than {_MOST_BYTES}")
    found = stream.read(size + 1) if stream is not None else b""
    if len(found) != size:
        raise SuiteError(f"cannot read {path}: {name} is cut off or damaged; copy the bundle again")
    return found


def extract(path: Path, into: Path) -> None:
    """Extract a bundle into an empty or new folder. Nothing is written outside of it."""
    count = total = 0
    seen: set[str] = set()
    try:
        for name, content in _of_zip(path) if path.name.endswith(".zip") else _of_tar(path):
            count, total = count + 1, total + len(content)
            if count > _MOST_FILES or total > _MOST_BYTES:
                raise SuiteError(f"cannot read {path}: it has more than {_MOST_FILES} files or "
                                 f"{_MOST_BYTES} bytes")
            if name in seen:
                raise SuiteError(f"cannot read {path}: {name} occurs twice; get the bundle again")
            seen.add(name)
            file = into / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    except _DAMAGED as error:
        raise SuiteError(f"cannot read the bundle {path}: {error}; it may be damaged, or there is no "
                         f"room in {into}") from error
    if not seen:
        raise SuiteError(f"cannot read {path}: there is no file in it")


@functools.lru_cache(maxsize=None)
def _extracted(path: Path) -> Path:
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
