"""What the network did: counters of connections and hosts, the preflight, and verdicts on a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence

from combench.common import catalogue
from combench.common.documents import Json
from combench.report.figures import number
from combench.report.load import Document

_MOST_LINES = 200


@dataclass(frozen=True)
class Trouble:
    """A row in which a counter with a mark is not 0."""

    what: str
    connections: str
    hosts: str


def _hosts(document: Json) -> list[Json]:
    found: list[Json] = document.get("environment", {}).get("hosts", [])
    return found


def _name(hosts: Sequence[Json], index: Any) -> str:
    known = isinstance(index, int) and index < len(hosts)
    return str(hosts[index].get("name")) if known else f"host {index}"


def _of_connections(row: Json) -> str:
    """retransmitted 12 (rank 3 to 0: 9); timeouts 1 (rank 3 to 0: 1)"""
    said = {}
    worst = row.get("worst_connections") or {}
    for technology in catalogue.known().technologies.values():
        for one in technology.counters:
            value = (row.get(str(one["group"])) or {}).get(one["key"], 0)
            if not one.get("marked") or not value:
                continue
            named = worst.get(one["key"])
            most = f" (rank {named['rank']} to {named['peer']}: {named['value']})" if named else ""
            said[one["key"]] = f"{one['key']} {number(value)}{most}"
    return "; ".join(said.values())


def _of_host(one: Json, hosts: Sequence[Json]) -> str:
    marked = [str(known["key"]) for known in catalogue.known().host_counters if known.get("marked")]
    counts = [f"{key} {number(one[key])}" for key in marked if one.get(key)]
    at = f" ({one['interface']})" if one.get("interface") and counts else ""
    return f"{_name(hosts, one['host'])}{at}: {', '.join(counts)}" if counts else ""


def _trouble(document: Json, row: Json) -> Optional[Trouble]:
    hosts = _hosts(document)
    of_hosts = "; ".join(filter(None, (_of_host(one, hosts) for one in row.get("host_counters") or ())))
    of_connections = _of_connections(row)
    if not of_hosts and not of_connections:
        return None
    benchmark = catalogue.known().benchmark(str(document.get("benchmark")))
    what = (f"{benchmark.label or benchmark.name} over {document.get('technology')}, "
            f"{row.get('mode')}, {row.get('processors')} processes, {row.get('size_bytes')} bytes")
    return Trouble(what, of_connections, of_hosts)


def troubles(documents: Iterable[Document]) -> list[Trouble]:
    """The rows in which something was lost, sent again or marked."""
    found = (_trouble(one.data, row) for one in documents for row in one.data["results"])
    return [one for one in found if one is not None][:_MOST_LINES]


def preflight(documents: Iterable[Document]) -> list[str]:
    """A sentence for each finding, with the hosts that have it."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for document in documents:
        for one in document.data.get("environment", {}).get("preflight", ()):
            if one["verdict"] == "bad":
                names = found.setdefault((one.get("found", ""), one.get("remedy", "")), {})
                names.update((_name(_hosts(document.data), host), None) for host in one["hosts"])
    return [
        f"Preflight: {what} ({', '.join(list(names)[:5])}{' and others' if len(names) > 5 else ''}). "
        f"Remedy: {remedy}."
        for (what, remedy), names in found.items()
    ]


def verdicts(runs: Iterable[Document]) -> list[Json]:
    """The verdicts of all runs that were judged by thresholds."""
    return [one for run in runs for one in run.data.get("acceptance", ())]
