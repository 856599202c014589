"""Where the benchmark programs are, and what they were built with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterable, Mapping

from combench.common.errors import SuiteError

_PROBE = "cb_oneway"


def find(wanted: str | None, entry: Path, environment: Mapping[str, str]) -> Path:
    """The folder of the programs: --programs, $CB_BUILD, beside the driver, build, or in PATH."""
    top = entry.parent.parent
    in_path = shutil.which(_PROBE)
    places = [Path(place) for place in (wanted or environment.get("CB_BUILD"),) if place]
    if not wanted:
        places += [entry.parent, top / "build"]
        places += [Path(in_path).parent] if in_path else []
    for place in places:
        if os.access(place / _PROBE, os.X_OK):
            return place.resolve()
    looked = ", ".join(str(place) for place in places)
    raise SuiteError(
        f"cannot find the program {_PROBE} in {looked}; build it with scripts/build build, or name "
        "its folder with --programs"
    )


def require(folder: Path, benchmarks: Iterable[str]) -> None:
    """SuiteError when the program of one of the benchmarks is missing."""
    for name in benchmarks:
        if not os.access(folder / f"cb_{name}", os.X_OK):
            raise SuiteError(
                f"the program cb_{name} is not in {folder}; build all of them with scripts/build, "
                "or name another folder with --programs"
            )


def _said(folder: Path, *words: str) -> str:
    """What a program says to some options."""
    asked = [str(folder / _PROBE), *words]
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


def technologies(folder: Path) -> list[str]:
    """The technologies that are built in: the programs name them when asked for another one."""
    said = _said(folder, "--technology", "?")
    found = re.search(r"one of ([a-z, ]+)", said)
    if found is None:
        raise SuiteError(
            f"cannot tell the technologies of {folder / _PROBE}: it said '{said}'; use programs "
            "and driver of one version"
        )
    return found.group(1).replace(" ", "").split(",")


def identity(folder: Path) -> dict[str, str]:
    """Version and revision of the programs, by the keys that results have; what is not known is
    left out."""
    found = re.search(r"\(combench\) ([^,\s]+)(?:, revision (\S+))?", _said(folder, "--version"))
    if found is None:
        return {}
    version, revision = found.groups()
    known = revision is not None and revision != "unknown"
    return {"combench": version, **({"commit": revision} if known else {})}
