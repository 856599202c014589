"""Reads files that users name, and replaces files as a whole, so that readers see the old or the new content.

src/base/output.c has the same rules for the programs.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import IO, Any, Iterable, Iterator, Mapping

from combench.common.errors import FAILED, SuiteError

ROOM = "Free disk space or change the permissions"
TEMPORARY = ".tmp"  # how the names of files that are being written end
_MOST_LINKS = 40  # as the kernel
_PLANTED = "it belongs to another user, in a folder where all may write"


def is_planted(path: Path) -> bool:
    """Whether another user may have put this there to be followed or filled: it is in a sticky folder
    where all may write, and belongs to neither this user nor the folder's owner. The kernel refuses the
    same with fs.protected_symlinks and fs.protected_regular."""
    folder, entry = os.stat(path.parent), os.lstat(path)
    shared = stat.S_ISVTX | stat.S_IWOTH
    return folder.st_mode & shared == shared and entry.st_uid not in (os.geteuid(), folder.st_uid)


def require_own(path: Path, remedy: str) -> None:
    """SuiteError if another user may have put a folder there to be filled."""
    if os.path.lexists(path) and is_planted(path):
        raise SuiteError(f"cannot write to {path}: {_PLANTED}; {remedy}")


def _target(path: Path) -> Path:
    """The file that a path leads to through links, so that links are not replaced. Raises OSError."""
    for _ in range(_MOST_LINKS):
        if not os.path.lexists(path):
            return path
        if is_planted(path):
            raise OSError(errno.EACCES, _PLANTED)
        if not path.is_symlink():
            if not path.is_file():
                raise OSError(errno.EINVAL, "it is no regular file")
            return path
        path = path.parent / os.readlink(path)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _take_permissions(target: Path, descriptor: int) -> None:
    """Those of the file that is replaced, or of any new file. The group's are kept only together with
    the group."""
    try:
        old = os.lstat(target)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(descriptor, 0o666 & ~mask)
        return
    mode = stat.S_IMODE(old.st_mode) & 0o777
    try:
        os.fchown(descriptor, -1, old.st_gid)
    except OSError:
        mode &= 0o707 | (mode & 0o7) << 3
    os.fchmod(descriptor, mode)


@contextlib.contextmanager
def _temporary(target: Path) -> Iterator[IO[bytes]]:
    """A file beside the target, with a random name; it becomes the target unless an exception is raised."""
    descriptor, name = tempfile.mkstemp(TEMPORARY, "combench-", target.parent)
    try:
        with open(descriptor, "wb") as stream:
            _take_permissions(target, stream.fileno())
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


@contextlib.contextmanager
def replacing(path: Path, remedy: str = ROOM) -> Iterator[IO[bytes]]:
    """A stream whose content replaces a file at the end; on an error the old file is kept. `remedy` is
    for the user."""
    before = "the old file is kept" if os.path.exists(path) else "no file is written"
    try:
        with _temporary(_target(path)) as stream:
            yield stream
    except OSError as error:
        raise SuiteError(
            f"cannot write {path}: {error.strerror or error}; {before}. {remedy}", FAILED
        ) from error


def read_input(path: Path, pipes: bool = False, most: int = -1) -> bytes:
    """The content of a file, or its first bytes; with `pipes` also of a pipe, until its writers have ended. OSError: it
    cannot be read, or is a device or a pipe, which may have no end."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "its name has a character NUL", str(path))
    descriptor = os.open(path, os.O_RDONLY | (0 if pipes else os.O_NONBLOCK))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode) and not (pipes and stat.S_ISFIFO(mode)):
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(most)
    finally:
        os.close(descriptor)


def is_pipe(path: Path) -> bool:
    """Whether a path is a pipe, as <(zcat FILE) of a shell."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def require_writable(option: str, path: Path) -> None:
    """SuiteError if the file of an option cannot be written later: found before the work is done."""
    if path.is_dir():
        raise SuiteError(f"cannot write {option} {path}: it is a directory; give a file")
    if not os.access(path.parent, os.W_OK):
        raise SuiteError(f"cannot write {option} {path}: give a file in a folder that is writable")
    try:
        _target(path)
    except OSError as error:
        raise SuiteError(
            f"cannot write {option} {path}: {error.strerror}; name another file"
        ) from error


def require_other(option: str, path: Path, inputs: Iterable[Path]) -> None:
    """SuiteError if the file of an option would replace one of the inputs."""
    for one in inputs:
        with contextlib.suppress(OSError):
            if os.path.samefile(one, path):
                raise SuiteError(f"{option} {path} would replace the input {one}; name another file")


def write_text(path: Path, text: str, remedy: str = ROOM) -> None:
    """Replace a file; on an error the old one is kept."""
    with replacing(path, remedy) as stream:
        # Bytes of the command line in other encodings become question marks.
        stream.write(text.encode("utf-8", errors="replace"))


def write_json(path: Path, document: Mapping[str, Any], remedy: str = ROOM) -> None:
    """Replace a file with a JSON document."""
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n", remedy)


def is_inside(folder: Path, path: Path) -> bool:
    """Whether a path stays within a folder, through all links."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle, zero bytes, long names
        return False


def within(folder: Path, name: str) -> Path:
    """The file of a folder that a document in it names. The document may come from anybody: SuiteError
    for a name that leads out of the folder, and for what is no regular file."""
    path = folder / name
    if os.path.isabs(name) or not is_inside(folder, path):
        raise SuiteError(f"cannot read '{name}' of {folder}: it leads out of that folder; get the run "
                         "from its owner again")
    if os.path.exists(path) and not os.path.isfile(path):
        raise SuiteError(f"cannot read {path}: it is no regular file; get the run from its owner again")
    return path
