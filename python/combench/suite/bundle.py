"""Put a run into one file, for archives and for others, or extract such a file.

The bundle has the manifest, the plan, all documents and logs of the directory. Verbs that read the
directory of a run read the bundle as well. Bundles of equal runs are equal.
"""

from __future__ import annotations

import argparse
import os
import re
import stat
import sys
from pathlib import Path

from combench.common import bundles
from combench.common.documents import MANIFEST
from combench.common.errors import FAILED, MEASURED, SuiteError
from combench.common.files import TEMPORARY, require_writable
from combench.suite.anonymous import anonymised
from combench.suite.directory import LOCK

EXIT_STATUS = "0 written; 1 the output cannot be written; 2 the input cannot be read."
MORE = {
    "anonymous": "In documents, logs and the plan, names of hosts become host001 and so on, names of "
    "users user001, addresses address001, each name the same throughout the bundle. Files that are "
    "no text, and pages and pictures of reports, are left out. Look through the bundle before you "
    "publish it: what people wrote, such as titles of plans, remarks and names of folders, is kept "
    "unless --hide names it.",
    "extract": "The directory is made, or must be empty. Bundles with paths that lead out of it, "
    "links or devices are refused.",
}
SEE_ALSO = ("combench-run", "combench-report", "combench-acceptance")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="DIR", type=Path, help="directory of a run; with --extract, a bundle")
    add(
        "--output",
        metavar="FILE",
        type=Path,
        required=True,
        help="bundle to write, .tar.gz or .zip; with --extract, the directory",
    )
    add("--anonymous", action="store_true", help="replace names of hosts and users, and addresses")
    add(
        "--hide",
        metavar="WORD",
        action="append",
        default=[],
        help="with --anonymous: replace this word as well; may be repeated",
    )
    add("--extract", action="store_true", help="extract a bundle")


def _files(directory: Path, output: Path) -> dict[str, bytes]:
    """The regular files of a run, by their names."""
    found: dict[str, bytes] = {}
    own = os.path.realpath(output)
    for folder, folders, names in os.walk(directory):
        folders.sort()
        for name in sorted(names):
            path = Path(folder) / name
            if name == LOCK or name.endswith(TEMPORARY) or os.path.realpath(path) == own:
                continue
            said = path.relative_to(directory).as_posix()
            if not stat.S_ISREG(path.lstat().st_mode):
                print(f"combench bundle: note: {said} is left out: it is no regular file",
                      file=sys.stderr)
                continue
            try:
                found[said] = path.read_bytes()
            except OSError as error:
                raise SuiteError(f"cannot read {path}: {error.strerror}") from error
    return found


def _bundle(arguments: argparse.Namespace) -> int:
    directory, output = arguments.source, arguments.output
    if not output.name.endswith(bundles.SUFFIXES):
        raise SuiteError(f"--output {output}: use a name that ends in "
                         f"{' or '.join(bundles.SUFFIXES)}")
    if not (directory / MANIFEST).exists():
        raise SuiteError(f"cannot bundle {directory}: there is no run in it ({MANIFEST} is missing); "
                         "name the --output of combench run")
    require_writable("--output", output)
    files = _files(directory, output)
    if arguments.anonymous:
        files, left_out = anonymised(files, arguments.hide)
        for name in left_out:
            print(f"combench bundle: note: {name} is left out: it is not a text", file=sys.stderr)
    bundles.write(output, files)
    print(f"{len(files)} files in {output}")
    return MEASURED


def _extract(arguments: argparse.Namespace) -> int:
    source, output = arguments.source, arguments.output
    if not bundles.is_bundle(source):
        raise SuiteError(f"cannot extract {source}: it is no file with a name that ends in "
                         f"{' or '.join(bundles.SUFFIXES)}")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise SuiteError(f"--output {output} exists and is not an empty directory; name another one")
    made = [one for one in (output, *output.parents) if not one.exists()]
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SuiteError(f"cannot create {output}: {error.strerror}", FAILED) from error
    try:
        bundles.extract(source, output)
    except BaseException:
        for folder in made:
            folder.rmdir()
        raise
    print(f"extracted to {output}")
    return MEASURED


def main(arguments: argparse.Namespace) -> int:
    """Exit status: EXIT_STATUS."""
    if arguments.hide and not arguments.anonymous:
        raise SuiteError("--hide needs --anonymous; add --anonymous")
    if arguments.extract and arguments.anonymous:
        raise SuiteError("--extract and --anonymous exclude each other; omit one")
    for word in arguments.hide:
        if not re.fullmatch(r"\S{3,}", word):
            raise SuiteError(f"--hide '{word}': give a word of three letters or more")
    return _extract(arguments) if arguments.extract else _bundle(arguments)
