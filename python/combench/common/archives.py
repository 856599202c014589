"""Reads .tar.gz and .zip from anybody: in pieces, with memory that no archive can exceed.

The libraries are used for their formats only: tarfile keeps all headers and reads the longest at once,
and zipfile reads the whole list of files at once.
"""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional

from combench.common.errors import SuiteError

# What the libraries raise on damaged archives, and on encrypted ones (RuntimeError).
DAMAGED = (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, ValueError,
           RuntimeError, NotImplementedError)
_PIECE = 1 << 16
_LONGEST_HEADER = 1 << 16  # of one file: its name, times, owners
_LONGEST_LIST = 16 << 20  # of all files of a .zip
_BLOCK = tarfile.BLOCKSIZE


@dataclass(frozen=True)
class Entry:
    """A file or a folder of an archive, with the size that the archive claims."""

    name: str
    size: int
    is_folder: bool
    is_file: bool  # neither: a link, a device
    content: Iterator[bytes]  # read it, or none of it, before the next entry


# .tar.gz


def _inflated(path: Path) -> Iterator[bytes]:
    """What a .gz has, which may have several parts, in pieces. Raises EOFError."""
    machine, begun = zlib.decompressobj(31), False
    with path.open("rb") as stream:
        while packed := stream.read(_PIECE):
            while packed:
                yield machine.decompress(packed, _PIECE)
                packed, begun = machine.unconsumed_tail, True
                if machine.eof:
                    packed = machine.unused_data.lstrip(b"\0")
                    machine, begun = zlib.decompressobj(31), False
    if begun:
        yield machine.flush()
        if not machine.eof:
            raise EOFError("it ends early")


class _Inflated:
    """The same as a stream, of at most `most` bytes."""

    def __init__(self, path: Path, most: int) -> None:
        self._path, self._most = path, most
        self._pieces, self._rest, self._total = _inflated(path), b"", 0

    def piece(self, most: int) -> bytes:
        """The next bytes, at most this many; none at the end."""
        while not self._rest:
            try:
                self._rest = next(self._pieces)
            except StopIteration:
                return b""
            self._total += len(self._rest)
            if self._total > self._most:
                raise SuiteError(f"cannot read {self._path}: it has more than {self._most} bytes")
        found, self._rest = self._rest[:most], self._rest[most:]
        return found

    def pieces(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes. Raises EOFError."""
        while size > 0:
            found = self.piece(size)
            if not found:
                raise EOFError("it ends early")
            size -= len(found)
            yield found


def _extended(data: bytes) -> dict[str, str]:
    """The records of an extended header, LENGTH KEY=VALUE each. Raises ValueError."""
    found = {}
    while data.rstrip(b"\0"):
        length = int(data.partition(b" ")[0])
        key, _, value = data[:length].partition(b" ")[2].partition(b"=")
        if not 0 < length <= len(data):
            raise ValueError("an extended header is damaged")
        found[key.decode("utf-8")] = value[:-1].decode("utf-8", "replace")
        data = data[length:]
    return found


_EXTENDED = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_HEADERS = (*_EXTENDED, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME)  # precede the header of a file


def _longer_name(path: Path, header: tarfile.TarInfo, stream: _Inflated) -> str:
    """The name in a header that precedes that of a file; empty: it has none."""
    if header.size > _LONGEST_HEADER:
        raise SuiteError(f"cannot read {path}: a header has {header.size} bytes, more than "
                         f"{_LONGEST_HEADER}")
    data = b"".join(stream.pieces(header.size))
    if header.type == tarfile.GNUTYPE_LONGNAME:
        return data.rstrip(b"\0").decode("utf-8", "surrogateescape")
    found = _extended(data) if header.type in _EXTENDED else {}
    if "size" in found:
        raise ValueError("a file is larger than any in a bundle")
    return found.get("path", "")


def tar_entries(path: Path, most_bytes: int) -> Iterator[Entry]:
    """Those of a .tar.gz. Raises DAMAGED, and SuiteError for one of more than `most_bytes`."""
    stream, name = _Inflated(path, most_bytes), ""
    while True:
        block = b"".join(stream.pieces(_BLOCK))
        if not block.strip(b"\0"):
            break
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if header.size < 0:
            raise ValueError("a size is negative")
        size = 0 if header.isdir() else header.size
        if header.type in _HEADERS:
            name = _longer_name(path, header, stream) or name
        else:
            content = stream.pieces(size)
            is_file = header.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
            yield Entry(name or header.name, size, header.isdir(), is_file, content)
            name = ""
            for _ in content:
                pass
        for _ in stream.pieces(-size % _BLOCK):
            pass
    while stream.piece(_PIECE):
        pass  # up to the checksum


# .zip


class _InPieces(io.FileIO):
    """A file of which nothing is read at once that an archive may make as long as it likes."""

    def read(self, size: Optional[int] = -1) -> bytes:
        wanted = size if size is not None and size >= 0 else os.fstat(self.fileno()).st_size - self.tell()
        if wanted > _LONGEST_LIST:
            raise zipfile.BadZipFile(f"its list of files has {wanted} bytes, more than {_LONGEST_LIST}")
        return super().read(wanted)


def _of_zip(archive: zipfile.ZipFile, one: zipfile.ZipInfo) -> Iterator[bytes]:
    if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImplementedError("it is compressed in a way that no bundle is")
    with archive.open(one) as stream:
        while piece := stream.read(_PIECE):
            yield piece


def zip_entries(path: Path) -> Iterator[Entry]:
    """Those of a .zip. Raises DAMAGED."""
    with _InPieces(path) as stream, zipfile.ZipFile(stream) as archive:
        for one in archive.infolist():
            is_file = stat.S_IFMT(one.external_attr >> 16) in (0, stat.S_IFREG)
            yield Entry(one.filename, one.file_size, one.is_dir(), is_file, _of_zip(archive, one))
