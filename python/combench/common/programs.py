"""Finds the benchmark programs and what they were built with."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Iterable, Mapping

from combench.common.errors import SuiteError

PREFIX = "cb_"  # of the names of all programs


def path(folder: Path, benchmark: str) -> Path:
    """The path of the program of a benchmark."""
    return folder / (PREFIX + benchmark)


def _any_of(folder: Path) -> Path | None:
    """One of the programs in a folder; all have the same build information."""
    found = sorted(one for one in folder.glob(f"{PREFIX}*") if one.is_file())
    return next((one for one in found if os.access(one, os.X_OK)), None)


def find(wanted: str | None, entry: Path, environment: Mapping[str, str]) -> Path:
    """The folder of the programs: --programs, $CB_BUILD, that of the driver, build, or in PATH."""
    top = entry.parent.parent
    places = [Path(place) for place in (wanted or environment.get("CB_BUILD"),) if place]
    in_path: list[Path] = []
    if not wanted:
        places += [entry.parent, top / "build"]
        in_path = [Path(place) for place in os.get_exec_path(dict(environment))]
    for place in [*places, *in_path]:
        if _any_of(place) is not None:
            return place.resolve()
    looked = ", ".join(str(place) for place in places)
    raise SuiteError(
        f"cannot find the programs {PREFIX}* in {looked}; build them with scripts/build build, or "
        "set --programs to their folder"
    )


def require(folder: Path, benchmarks: Iterable[str]) -> None:
    """Raise a SuiteError when the program of one of the benchmarks is missing."""
    for name in benchmarks:
        if not os.access(path(folder, name), os.X_OK):
            raise SuiteError(
                f"the program {PREFIX}{name} is not in {folder}; build all programs with "
                "scripts/build, or set --programs to another folder"
            )


def _said(folder: Path, *words: str) -> str:
    """The output of a program for some options."""
    asked = [str(_any_of(folder)), *words]
    try:
        ended = subprocess.run(
            asked,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SuiteError(f"cannot run {asked[0]}: {error}; build it for this machine") from error
    return ended.stdout.strip()


def technologies(folder: Path) -> dict[str, str]:
    """The technologies that the programs know, each with what it needs to be built in; empty where it
    is."""
    said = _said(folder, "--technology", "list")
    lines = re.findall(r"^(\S+) +(not built|runs|fails) +(.*)$", said, re.MULTILINE)
    if not lines:
        raise SuiteError(
            f"cannot read the technologies of the programs in {folder} from '{said}'; use programs "
            "and driver of the same version"
        )
    return {name: about if state == "not built" else "" for name, state, about in lines}


def identity(folder: Path) -> dict[str, str]:
    """Version and revision of the programs, by the keys of results; unknown ones are left out."""
    found = re.search(r"\(combench\) ([^,\s]+)(?:, revision (\S+))?", _said(folder, "--version"))
    if found is None:
        return {}
    version, revision = found.groups()
    known = revision is not None and revision != "unknown"
    return {"combench": version, **({"commit": revision} if known else {})}


def identity_if_known(folder: Path) -> dict[str, str]:
    """As `identity`; empty if the programs cannot be run, which must not cost a finished result."""
    try:
        return identity(folder)
    except SuiteError:
        return {}
