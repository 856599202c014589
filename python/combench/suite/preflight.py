"""What the preflight of the programs has found, for the log of a run. Results have it in `environment`."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

from combench.common.documents import Json, read_result
from combench.common.errors import SuiteError


def _names(environment: Json, hosts: list[int]) -> str:
    known = environment.get("hosts") or []
    names = [str(known[one].get("name")) for one in hosts if one < len(known)]
    return f"{names[0]} and {len(hosts) - 1} more" if len(names) > 1 else ", ".join(names)


def findings(result: Path) -> Iterator[str]:
    """What is wrong with the hosts of a result, and the remedies."""
    try:
        environment = read_result(result).get("environment") or {}
    except SuiteError:
        return
    for one in environment.get("preflight") or ():
        if one.get("verdict") == "bad":
            hosts = _names(environment, one.get("hosts") or [])
            yield f"preflight: {one.get('found')} ({hosts}); {one.get('remedy')}"
