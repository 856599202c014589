#!/usr/bin/python3
"""Nothing outside of src/transport and src/sisci names a technology: the properties of one stand
in its own folder, and is reached through the registry."""

from __future__ import annotations

import os
import re
import unittest
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(os.environ.get("srcdir", "."))
TRANSPORT = SOURCE / "src/transport"
# The protocols whose counters the kernel has are named like technologies.
APART = ("src/transport/", "src/sisci/", "src/host/counters.c")

# Folders of src/transport that are no technologies.
SHARED = {"common", "remote", "socket"}

# Names that mean something else as well: MPI is the library of the control plane and of the tracer,
# and null, which measures the harness, is a word of C.
AMBIGUOUS = {"mpi", "null"}

# The model has a share rule for connections of this protocol.
MODELLED = {"src/model/": {"tcp"}}

# Titles: of the seeds, of variables of the kernel and of the MPI library.
ORDINARY = (
    r"Message Passing Software Layer over SCI",
    r"the SCI note",
    r"net\.ipv4\.tcp_\w+|proc/sys/net/ipv4/tcp_\w+",
    r"btl_tcp_\w+",
)


def technologies() -> list[str]:
    """The names that the registry lists, which are those of their folders."""
    listed = re.findall(r"&transport_(\w+)", (TRANSPORT / "registry.c").read_text(encoding="utf-8"))
    return [name for name in listed if name not in AMBIGUOUS]


def named_in(path: Path, names: list[str]) -> list[str]:
    """The names that are technologies in this file."""
    protocols = [one for folder, one in MODELLED.items() if path.as_posix().startswith(folder)]
    return [name for name in names if not any(name in one for one in protocols)]


def found_in(text: str, names: list[str]) -> Iterator[tuple[int, str]]:
    """The lines of a text that name a technology."""
    ordinary = re.compile("|".join(ORDINARY), re.IGNORECASE)
    # Not within a word: ascii, profile, format.
    wanted = re.compile(rf"(?<![a-z])({'|'.join(names)})(?![a-z])", re.IGNORECASE)
    for number, line in enumerate(text.splitlines(), 1):
        if wanted.search(ordinary.sub("", line)):
            yield number, line.strip()


class Technologies(unittest.TestCase):
    def test_the_registry_lists_the_folders(self) -> None:
        folders = {path.name for path in TRANSPORT.iterdir() if path.is_dir()} - SHARED
        self.assertEqual({*technologies(), *AMBIGUOUS}, folders)

    def test_nothing_else_names_a_technology(self) -> None:
        names = technologies()
        found = [
            f"{path.relative_to(SOURCE)}:{number}: {line}"
            for path in sorted((SOURCE / "src").rglob("*"))
            if path.is_file() and not path.relative_to(SOURCE).as_posix().startswith(APART)
            for number, line in found_in(
                path.read_text(encoding="utf-8"), named_in(path.relative_to(SOURCE), names)
            )
        ]
        self.assertEqual(found, [], "\n".join(found))

    def test_a_name_is_found_wherever_it_stands(self) -> None:
        for line in ("cb_tcp_settings", "/* over UDP */", "CB_SCI_LINE_BYTES", "isascii(c) || sci"):
            self.assertEqual(len(list(found_in(line, technologies()))), 1, line)

    def test_an_ordinary_word_is_none(self) -> None:
        for line in ("isascii(c)", "a discipline", "the profile's format", '"net.ipv4.tcp_rmem"'):
            self.assertEqual(list(found_in(line, technologies())), [], line)


if __name__ == "__main__":
    unittest.main()
