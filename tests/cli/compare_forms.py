#!/usr/bin/python3
"""Check that the three forms of one benchmark agree: compare_forms.py BENCHMARKS JSON CSV TEXT.

BENCHMARKS is the build's benchmarks.json. The forms come from three runs with the same options, so
the figures differ; rows, what identifies them, columns and tables must not. Every disagreement is
printed. Exit status: 0 none, 1 some.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# Absent for want of samples or time, in one run and not in another.
BY_CHANCE = ("ci95", "step_us_p", "event_latency_us_p", "slowest_p50", "shares", "steps_below_median", "rates_from")


class Columns:
    """The table of columns, as benchmarks.json has it."""

    def __init__(self, path: str) -> None:
        columns = json.loads(Path(path).read_text(encoding="utf-8"))["columns"]
        self.of: dict[str, Json] = {column["key"]: column for column in columns}
        self.cells = {name for column in columns for name in column["csv"]}
        texts = [column for column in columns if column["type"] == "text"]
        self.title = [column["key"] for column in texts if column["place"] == "title"]
        self.identifying = [
            "_".join(filter(None, (column["key"], column.get("identity"))))
            for column in columns
            if column["identifies"]
        ]

    def is_json_only(self, key: str) -> bool:
        """Whether CSV leaves a value out: of a distribution it has the percentiles alone."""
        if key.endswith("_histogram"):
            return bool(self.of[key.removesuffix("_histogram")]["type"] == "distribution")
        return key in self.of and not self.of[key]["csv"]


def flat(known: Columns, value: Any, key: str) -> Iterator[tuple[str, Any]]:
    """The columns of CSV that a value of a row stands in."""
    if known.is_json_only(key):
        return
    if key.endswith("_ci95"):
        yield from ((f"{key}_low", value[0]), (f"{key}_high", value[1]))
    elif key == "per_destination":
        medians = [one["latency_us"]["p50"] for one in value if "p50" in one.get("latency_us", {})]
        if medians:
            yield f"{key}_slowest_p50_us", max(medians)
        yield f"{key}_in_flight_most", max(one["in_flight_most"] for one in value)
    elif key == "shares":
        yield from ((f"{key}_min", min(value)), (f"{key}_max", max(value)))
    elif isinstance(value, dict):
        for inner, part in value.items():
            yield from flat(known, part, f"{key}_{inner}")
    elif not isinstance(value, list) or key in known.cells:  # matrices are in JSON only
        yield key, value


def columns(known: Columns, row: Json) -> dict[str, Any]:
    """A row of the document as a row of CSV."""
    return {name: part for key, value in row.items() for name, part in flat(known, value, key)}


def cell(value: Any) -> str:
    """As CSV writes what is no measured figure."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def filled(names: Any) -> set[str]:
    """The columns that are there in every run."""
    return {name for name in names if not any(part in name for part in BY_CHANCE)}


def compare_rows(
    known: Columns, index: int, row: dict[str, Any], line: dict[str, str]
) -> Iterator[str]:
    """One row of the document and the line of CSV for the same measurement."""
    for name in known.identifying:
        if cell(row.get(name, "")) != line[name]:
            yield f"row {index}: {name} is {row.get(name, '')} in JSON, {line[name]} in CSV"
    there = {name for name, text in line.items() if text != ""}
    if filled(row) != filled(there):
        yield f"row {index}: in one form alone: {sorted(filled(row) ^ filled(there))}"
    for missing in row.keys() - line.keys():
        yield f"row {index}: CSV has no column {missing}"


def compare_csv(known: Columns, rows: list[dict[str, Any]], path: str) -> Iterator[str]:
    """All rows, and only rows."""
    with Path(path).open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, restkey="(too many)", restval="(too few)")
        lines = list(reader)
    if len(lines) != len(rows):
        yield f"{len(rows)} rows in JSON, {len(lines)} in CSV"
    for index, (row, line) in enumerate(zip(rows, lines, strict=False)):
        if "(too many)" in line or "(too few)" in line.values():
            yield f"row {index}: CSV has not as many cells as heads"
        else:
            yield from compare_rows(known, index, row, line)


def title(known: Columns, row: dict[str, Any]) -> str:
    """The beginning of the line above the table that a row stands in."""
    parts = [f"{name} {row[name]}" for name in known.title if name in row]
    return ", ".join(parts)


def tables(known: Columns, path: str) -> list[tuple[str, list[str]]]:
    """Each table of the text form: its title and its sizes, one a line."""
    found: list[tuple[str, list[str]]] = []
    inside = False
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        words = line.split()
        if line.startswith(tuple(f"{name} " for name in known.title)):
            found.append((line, []))
            inside = True
        elif not words or not line.startswith(" "):
            inside = False
        elif inside and words[0].isdigit():
            found[-1][1].append(words[0])
    return found


def compare_text(known: Columns, rows: list[dict[str, Any]], path: str) -> Iterator[str]:
    """Every row has its line in a table of its own mode and conditions; there are no others."""
    expected = [(title(known, row), str(row["size_bytes"])) for row in rows]
    came = [(head, size) for head, sizes in tables(known, path) for size in sizes]
    if len(came) != len(expected):
        yield f"{len(expected)} rows in JSON, {len(came)} in the tables of the text"
    for index, ((head, size), (line, text)) in enumerate(zip(expected, came, strict=False)):
        if size != text or not line.startswith(f"{head}, wait"):
            yield f"row {index}: '{head}', {size} bytes stands in the text as '{line}', {text} bytes"


def main(arguments: list[str]) -> int:
    """Compare the three files and return the exit status."""
    known = Columns(arguments[0])
    document = json.loads(Path(arguments[1]).read_text(encoding="utf-8"))
    rows = [columns(known, row) for row in document["results"]]
    found = [] if rows else ["the document has no rows"]
    found += [*compare_csv(known, rows, arguments[2]), *compare_text(known, rows, arguments[3])]
    for text in found:
        print(text)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
