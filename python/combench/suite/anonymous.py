"""Replaces names of hosts and users, and addresses, in the files of a run.

Names are collected from the documents and logs; each gets one replacement in all files. In documents
only texts are changed, never keys, numbers, or the words of which other documents make use.
"""

from __future__ import annotations

import ipaddress
import json
import re
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Sequence

from combench.common import catalogue
from combench.common.documents import Json, load_text
from combench.common.errors import SuiteError

# Addresses: candidates are tried, since versions and times look alike.
_MAC = re.compile(r"(?<![0-9A-Fa-f:])(?:[0-9A-Fa-f]{2}:){5,19}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:])")
_IPV4 = re.compile(r"(?<![0-9.A-Za-z])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9A-Za-z]|\.[0-9])")
_IPV6 = re.compile(r"(?<![0-9A-Fa-f:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![0-9A-Fa-f:])")
_GUID = re.compile(r"(?<![0-9A-Za-z])0x[0-9A-Fa-f]{16}(?![0-9A-Za-z])")
_HOME = re.compile(r"/(?:home|users|Users|afs/[^/\s\"']+/user/[a-z])/([A-Za-z0-9_.-]+)")
_AT = re.compile(r"(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]+)@[A-Za-z0-9][A-Za-z0-9.-]*")
_KEPT_HOSTS = frozenset({"localhost", "unknown"})
_KEPT_USERS = frozenset({"root", "USER", "git"})
# Keys whose values are words of combench or names of files of the run.
_KEPT_KEYS = frozenset(
    "schema benchmark technology id section state result log file check verdict kind placement "
    "occupation".split()
)
_KEPT_WHOLE = ("results", "fit")  # numbers and words of combench, but for:
_NAMES_IN_ROWS = {"linkmap": ("name", "switch"), "link_faults": ("host", "peer")}
_MADE_BY_REPORT = (".html", ".svg")  # they have names in pictures; combench report makes them again


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _hosts_of(document: Json) -> Iterator[str]:
    """The names of hosts in a result or a manifest."""
    environment = document.get("environment")
    for host in (environment.get("hosts") or ()) if isinstance(environment, dict) else ():
        if isinstance(host, dict):
            yield str(host.get("name", ""))
    for session in document.get("sessions") or ():
        if isinstance(session, dict):
            yield str(session.get("host", ""))


def _in_order(words: Iterable[str], kept: frozenset[str]) -> list[str]:
    return list(dict.fromkeys(word for word in words if word and word not in kept))


class _Names:
    """Replacements, numbered in the order in which names are met."""

    def __init__(self) -> None:
        self.made: dict[str, str] = {}
        self.counts: dict[str, int] = {}

    def give(self, kind: str, name: str) -> str:
        if name not in self.made:
            self.counts[kind] = self.counts.get(kind, 0) + 1
            self.made[name] = f"{kind}{self.counts[kind]:03}"
        return self.made[name]


def _address(text: str) -> bool:
    """Whether a candidate is an address of somebody; loopback and unset ones say nothing."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not found.is_loopback and not found.is_unspecified


class _Replacer:
    def __init__(self, hosts: Sequence[str], users: Sequence[str], hidden: Sequence[str]) -> None:
        self.names = _Names()
        words: dict[str, str] = {}
        for host in hosts:
            short = host.partition(".")[0]
            words[host] = words[short] = self.names.give("host", short)
        for user in users:
            words.setdefault(user, self.names.give("user", user))
        for word in hidden:
            words.setdefault(word, self.names.give("hidden", word))
        self.words = words
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        # Not within a longer word or number, but in node01:4, node01-ib0 and node01.site.
        whole = "|".join(re.escape(word) for word in longest_first)
        self.pattern = re.compile(f"(?<![A-Za-z0-9])(?:{whole})(?![A-Za-z0-9])", re.IGNORECASE)
        domains = {host.partition(".")[2] for host in hosts} - {""}
        self.domains = [re.compile(rf"(?:\.|\b){re.escape(one)}\b", re.IGNORECASE)
                        for one in sorted(domains, key=len, reverse=True)]
        stems = {re.sub(r"[0-9]+$", "", host.partition(".")[0]) for host in hosts} - {""}
        self.ranges = [re.compile(rf"(?<![A-Za-z0-9]){re.escape(one)}\[[0-9,-]+\]")
                       for one in sorted(stems, key=len, reverse=True)]

    def _addressed(self, found: re.Match[str]) -> str:
        text = found.group()
        return self.names.give("address", text.lower()) if _address(text) else text

    def named(self, key: str, name: str) -> str:
        """For a name in a row: that of a host is replaced everywhere, that of a switch only here."""
        return self.names.give("switch", name) if key == "switch" and name else self(name)

    def __call__(self, text: str) -> str:
        for pattern in (_MAC, _GUID):
            text = pattern.sub(lambda found: self.names.give("address", found.group().lower()), text)
        for pattern in (_IPV6, _IPV4):
            text = pattern.sub(self._addressed, text)
        for pattern in self.ranges:
            text = pattern.sub("hosts", text)
        if self.words:
            by_lower = {word.lower(): made for word, made in self.words.items()}
            text = self.pattern.sub(lambda found: by_lower[found.group().lower()], text)
        for pattern in self.domains:
            text = pattern.sub("", text)
        return text


def _replaced_in_rows(value: Any, names: tuple[str, ...], replace: _Replacer) -> Any:
    """Rows, in which only some keys of some parts have names of hosts and switches."""
    if isinstance(value, dict):
        return {
            key: replace.named(key, inner)
            if key in names and isinstance(inner, str)
            else _replaced_in_rows(inner, _NAMES_IN_ROWS.get(key, names), replace)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_replaced_in_rows(inner, names, replace) for inner in value]
    return value


def _replaced(value: Any, key: str, kept: frozenset[str], replace: _Replacer) -> Any:
    if isinstance(value, str):
        return value if key in _KEPT_KEYS or value in kept else replace(value)
    if isinstance(value, dict):
        return {
            name: _replaced_in_rows(inner, (), replace)
            if name in _KEPT_WHOLE
            else _replaced(inner, name, kept, replace)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_replaced(inner, key, kept, replace) for inner in value]
    return value


def anonymised(
    files: Mapping[str, bytes], hidden: Sequence[str] = ()
) -> tuple[dict[str, bytes], list[str]]:
    """The files without names of hosts, users and addresses, and the names of those left out."""
    texts: dict[str, str] = {}
    left_out = []
    for name, content in files.items():
        if name.endswith(_MADE_BY_REPORT):
            left_out.append(name)
            continue
        try:
            texts[name] = content.decode("utf-8")
        except UnicodeDecodeError:
            left_out.append(name)
    documents: dict[str, Any] = {}
    for name, text in texts.items():
        if name.endswith(".json"):
            try:
                documents[name] = load_text(text, Path(name))
            except SuiteError:
                continue  # a damaged document is a text
    every = list(texts.values()) + [one for found in documents.values() for one in _texts(found)]
    hosts = _in_order((one for found in documents.values() if isinstance(found, dict)
                       for one in _hosts_of(found)), _KEPT_HOSTS)
    homes = (one for text in every for one in _HOME.findall(text))
    logins = (one for text in every for one in _AT.findall(text))
    users = _in_order((*homes, *logins), _KEPT_USERS | set(hosts))
    replace = _Replacer(hosts, users, hidden)
    known = catalogue.known()
    choices = (choice for of_option in known.choices.values() for choice in of_option)
    kept = frozenset({*known.benchmarks, *known.technologies, *choices, *files})
    made = {}
    for name, text in texts.items():
        if name in documents:
            found = _replaced(documents[name], "", kept, replace)
            text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
        else:
            text = replace(text)
        made[name] = text.encode("utf-8")
    return made, left_out
