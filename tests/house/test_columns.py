#!/usr/bin/python3
"""What is made of the table of columns (src/report/columns.def) agrees with it: the rows of the
schema and the tables of docs/reference/results.md, which UPDATE_GOLDEN=1 rewrites, and the tables of the
Python code."""

from __future__ import annotations

import json
import os
import re
import sys
import unittest
from pathlib import Path
from typing import Any

SOURCE = Path(os.environ.get("srcdir", "."))
BUILD = Path(os.environ.get("builddir", "."))
SCHEMA = SOURCE / "docs/combench-result-1.schema.json"
RESULTS = SOURCE / "docs/reference/results.md"
UPDATE = "UPDATE_GOLDEN=1 make check TESTS=tests/house/test_columns.py"

sys.path.insert(0, str(SOURCE / "python"))
from combench.common import figures  # noqa: E402
from combench.report import rows  # noqa: E402

Json = dict[str, Any]


KNOWN = json.loads((BUILD / "benchmarks.json").read_text(encoding="utf-8"))
COLUMNS: list[Json] = KNOWN["columns"]


def identity(column: Json) -> str | None:
    """The path of what identifies a row: wait.effective."""
    if not column["identifies"]:
        return None
    return ".".join(filter(None, (column["key"], column.get("identity"))))


def is_counters(column: Json) -> bool:
    """Whether it stands for what technologies count, each under a name of its own."""
    return bool(column["type"] == "counters")


def name_of(column: Json) -> str:
    """How a table of docs/reference/results.md names a column."""
    return "of the technology" if is_counters(column) else f"`{column['key']}`"


def schema_of(column: Json) -> str:
    """The line of a column among the properties of a row."""
    kind: Json = (
        {"enum": column["values"].split()}
        if "values" in column
        else {"$ref": f"#/$defs/{column['schema']}"}
    )
    if identity(column):
        kind["x-identity"] = identity(column)
    if column["better"] != "neither":
        kind["x-better"] = column["better"]
    kind["description"] = column["meaning"]
    return f"        {json.dumps(column['key'])}: {json.dumps(kind)}"


def schema_rows() -> str:
    """The definition of a row in the schema."""
    required = [column["key"] for column in COLUMNS if column["required"]]
    properties = ",\n".join(schema_of(column) for column in COLUMNS if not is_counters(column))
    return (
        '    "row": {\n      "type": "object",\n'
        '      "additionalProperties": {"$ref": "#/$defs/counters"},\n'
        f'      "required": {json.dumps(required)},\n      "properties": {{\n{properties}\n      }}\n'
        "    },\n"
    )


def tables() -> str:
    """The tables of docs/reference/results.md."""
    conditions = [column for column in COLUMNS if column["condition"]]
    found = [column for column in COLUMNS if not column["condition"]]
    better = {"neither": "", "lower": "lower", "higher": "higher"}
    lines = ["What was measured:", "", "| key | meaning |", "|---|---|"]
    lines += [f"| `{column['key']}` | {column['meaning']} |" for column in conditions]
    lines += ["", "What was found, and whether lower or higher values are better:", ""]
    lines += ["| key | better | meaning |", "|---|---|---|"]
    lines += [
        f"| {name_of(column)} | {better[column['better']]} | {column['meaning']} |"
        for column in found
    ]
    return "\n".join(lines) + "\n\n"


def replaced(text: str, begin: str, end: str, new: str) -> str:
    """The text with what stands from `begin` up to `end` replaced."""
    first = text.index(begin)
    return text[:first] + new + text[text.index(end, first) :]


class Columns(unittest.TestCase):
    maxDiff = None

    def assert_made(self, path: Path, text: str) -> None:
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(text, encoding="utf-8")
        found = path.read_text(encoding="utf-8")
        self.assertMultiLineEqual(found, text, f"{path.name} is older than the table: {UPDATE}")

    def test_the_schema_has_the_columns(self) -> None:
        text = SCHEMA.read_text(encoding="utf-8")
        made = replaced(text, '    "row": {\n', '    "destination": {\n', schema_rows())
        self.assert_made(SCHEMA, made)
        definitions = json.loads(made)["$defs"]
        missing = {one["schema"] for one in COLUMNS if "schema" in one} - definitions.keys()
        self.assertEqual(missing, set(), "definitions that the schema lacks")

    def test_the_page_on_results_has_the_columns(self) -> None:
        text = RESULTS.read_text(encoding="utf-8")
        self.assert_made(RESULTS, replaced(text, "What was measured:\n", "A **summary**", tables()))

    def test_the_page_names_what_identifies_a_row(self) -> None:
        text = RESULTS.read_text(encoding="utf-8")
        paragraph = text.split("## Matching rows of two runs", 1)[1].split("agrees", 1)[0]
        self.assertEqual(set(re.findall(r"`([^`]+)`", paragraph)), self.identities())

    def test_every_column_is_described(self) -> None:
        for column in COLUMNS:
            with self.subTest(column["key"]):
                self.assertRegex(column["meaning"], r"^\S.*\.$")
                self.assertNotRegex(column["meaning"], r"\||\n|  ")
                if not is_counters(column):
                    self.assertNotEqual("schema" in column, "values" in column)
                self.assertFalse(column["identifies"] and column["better"] != "neither")

    def test_keys_end_with_their_units(self) -> None:
        endings = {"us": "_us", "Hz": "_Hz", "MB/s": "_MBps", "%": "_pct", "bytes": "_bytes"}
        for column in COLUMNS:
            unit = column.get("unit")
            ending = next((end for end in endings.values() if column["key"].endswith(end)), None)
            self.assertEqual(ending, endings.get(unit), column["key"])

    def identities(self) -> set[str]:
        return {path for path in map(identity, COLUMNS) if path}

    def test_compare_finds_rows_by_what_identifies_them(self) -> None:
        self.assertEqual({path for _, path in figures.identities()}, self.identities())

    def test_the_report_finds_rows_by_what_identifies_them(self) -> None:
        self.assertEqual(set(rows.identity_paths()), self.identities())

    def test_what_is_compared_is_better_one_way_or_the_other(self) -> None:
        for column in COLUMNS:
            if column["compared"]:
                self.assertNotEqual(column["better"], "neither", column["key"])
            known = {one["key"] for one in COLUMNS}
            self.assertLessEqual(set(column["follows"]), known, column["key"])

    def test_predictions_have_the_keys_of_results(self) -> None:
        text = (SOURCE / "python/combench/predict/columns.py").read_text(encoding="utf-8")
        body = text.split("def of_case", 1)[1]
        keys = set(re.findall(r'"(\w+)": ', body)) | set(re.findall(r'row\["(\w+)"\]', body))
        known = {column["key"] for column in COLUMNS} | {"median", "min", "max"}
        self.assertEqual(keys - known, {"frequency_range_Hz"})


if __name__ == "__main__":
    unittest.main()
