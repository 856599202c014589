#!/usr/bin/env python3
"""How documents are read: what is wrong with one is said with its file and the place in it."""

from __future__ import annotations

import json
import os
import sys
import unittest
from pathlib import Path
from typing import Any, Callable
from unittest import mock

from documents import Documents, Json, document, drawn, row

from combench.common import documents
from combench.common.documents import RESULT, NewerSchema, load_json, read_checked
from combench.common.errors import SuiteError

SOURCE = Path(os.environ.get("srcdir", "."))

# Text of JSON, and the error after the name of its file.
DAMAGED = {
    '{"a": ': "line 1 column 7: it is cut off or damaged",
    '{"a":\n [1, }': "line 2 column 6: it is cut off or damaged",
    '{"a": [1, NaN]}': "a[1]: nan is not a finite number",
    '{"a": {"b": -Infinity}}': "a.b: -inf is not a finite number",
    '{"a": 1e999}': "a: inf is not a finite number",
    '{"a": 123456789012345678901234567890}': "a: integer beyond 2^53",
    '{"a": %s}' % ("9" * 5000): "a: integer beyond 2^53",
    '{"a": ["x\\ud800"]}': "a[0]: invalid text: half of a surrogate pair",
    '{"a": {"\\udc00": 1}}': "a.\\udc00: invalid text: half of a surrogate pair",
    '{"a": {"b": 1, "b": 2}}': "a: 'b' occurs twice",
    '{"b": 1, "b": 2}': "its top: 'b' occurs twice",
    '{"a": %s1%s}' % ("[" * 40, "]" * 40): "line 1 column 38: it is nested too deeply",
    '{"a": %s1%s}' % ("[" * 90000, "]" * 90000): "line 1 column 38: it is nested too deeply",
}


class Text(Documents):
    def test_each_fault_is_named_with_its_place(self) -> None:
        path = self.folder / "odd.json"
        for text, said in DAMAGED.items():
            with self.subTest(text[:40]):
                path.write_text(text, encoding="utf-8")
                with self.assertRaises(SuiteError) as raised:
                    load_json(path)
                message = str(raised.exception)
                self.assertIn(f"cannot read {path}: {said}", message)
                message.encode("utf-8")

    def test_bytes_that_are_no_text_are_named(self) -> None:
        path = self.folder / "odd.json"
        path.write_bytes(b'{"a": "\xff"}')
        with self.assertRaisesRegex(SuiteError, r"odd\.json: byte 7: .*not UTF-8"):
            load_json(path)

    def test_a_whole_number_is_one_however_it_is_written(self) -> None:
        path = self.folder / "whole.json"
        path.write_text('{"a": [64, 64.0, 6.4e1, 0.5, -0.0, 1.0]}', encoding="utf-8")
        found = load_json(path)["a"]
        self.assertEqual([type(one) for one in found], [int, int, int, float, int, int])


def _changed(change: Callable[[Json], Any]) -> Json:
    """A sound document, changed."""
    made: Json = json.loads(json.dumps(document([row(drawn(1, 1))])))
    change(made)
    return made


# What a document has that its schema, or who reads it, does not take.
ODD: dict[str, Callable[[Json], Any]] = {
    "results[0].size_bytes: must be integer": lambda one: one["results"][0].update(size_bytes="x"),
    "results[0].size_bytes: it is missing": lambda one: one["results"][0].pop("size_bytes"),
    "results[0]: must be object": lambda one: one.update(results=[7]),
    "results[0].latency_us: it lacks 'min', 'max'": lambda one: one["results"][0].update(
        latency_us={"median": 1}
    ),
    "results[0].topology: '5-2' is not a topology": lambda one: one["results"][0].update(
        topology="5-2"
    ),
    "results[0].offered_Hz: it is missing": lambda one: one["results"][0].update(mode="open"),
    "results[0].step_us.histogram.bounds: ": lambda one: one["results"][0].update(
        step_us={"samples": 1, "dropped": 0, "histogram": {"bounds": [1, 2], "counts": [1, 2, 3]}}
    ),
    "its top: it lacks 'technology'": lambda one: one.pop("technology"),
    "environment.hosts[0]: it lacks 'name'": lambda one: one["environment"].update(hosts=[{}]),
    "blocks_crc32: it is 00000001, and the blocks_us of the rows have": lambda one: one.update(
        blocks_crc32="00000001"
    ),
    "schema: it is not a document combench-result/1": lambda one: one.update(schema=["x"]),
}


class Schema(Documents):
    def test_each_fault_is_named_with_its_place(self) -> None:
        for said, change in ODD.items():
            with self.subTest(said):
                path = Path(self.write("odd.json", _changed(change)))
                with self.assertRaises(SuiteError) as raised:
                    read_checked(path, RESULT)
                self.assertIn(f"cannot read {path}: {said}", str(raised.exception))

    def test_a_checksum_that_a_program_wrote_is_accepted_until_a_block_changes(self) -> None:
        text = (SOURCE / "tests/report/golden/report.json").read_text(encoding="utf-8")
        path = self.folder / "golden.json"
        path.write_text(text, encoding="utf-8")
        found = load_json(path)
        self.assertIn("blocks_crc32", found)
        checksum_only = documents.blocks_checksum(found)
        self.assertEqual(found["blocks_crc32"], checksum_only)
        found["results"][0]["blocks_us"][0] += 1
        self.assertNotEqual(checksum_only, documents.blocks_checksum(found))

    def test_keys_of_older_documents_have_their_present_names(self) -> None:
        path = Path(self.write("old.json", document([row(drawn(1, 1), loss_pct=-2.5)])))
        for read in (read_checked(path, RESULT), documents.read_result(path)):
            found = read["results"][0]
            self.assertEqual(found.get("shortfall_pct"), -2.5)
            self.assertNotIn("loss_pct", found)

    def test_a_later_version_is_distinguished_from_damage(self) -> None:
        newer = Path(self.write("newer.json", _changed(lambda one: one.update(schema=NEWER))))
        with self.assertRaisesRegex(NewerSchema, NEWER):
            read_checked(newer, RESULT)

    def test_a_module_that_is_missing_is_named_with_its_package(self) -> None:
        path = self.write("one.json", document([row(drawn(1, 1))]))
        documents._validator.cache_clear()
        with mock.patch.dict(sys.modules, {"fastjsonschema": None}):
            _, error = self.driver("compare", path, path, expect=2)
        self.assertIn("python3-fastjsonschema", error)
        self.assertIn("PATH=/usr/bin:$PATH combench", error)


NEWER = "combench-result/2"

if __name__ == "__main__":
    unittest.main()
