#!/usr/bin/env python3
"""Documents of each schema that was released are read by the tools of today: tests/suite/released.

A folder is a version of the schemas; its documents are never changed. docs/using/running.md has the policy.
"""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from documents import TOP, Documents

from combench.common.documents import PREDICTION, RESULT, RUN, VALIDATION, read_checked
from combench.common.errors import is_missing
from combench.predict.model import read_evaluation

RELEASED = Path(__file__).resolve().parent / "released"
# What tools read of the programs that they were installed with, and of no others.
OF_ONE_INSTALLATION = ("combench-benchmarks",)
VERSIONS = sorted(path for path in RELEASED.iterdir() if path.is_dir())


class Released(Documents):
    def test_each_schema_has_a_fixture(self) -> None:
        schemas = {
            json.loads(path.read_text(encoding="utf-8"))["schema"]
            for path in RELEASED.rglob("*.json")
        }
        for path in TOP.glob("docs/*.schema.json"):
            kind, version = path.name.removesuffix(".schema.json").rsplit("-", 1)
            if kind not in OF_ONE_INSTALLATION:
                self.assertIn(f"{kind}/{version}", schemas)

    def test_each_document_is_valid_for_readers(self) -> None:
        for version in VERSIONS:
            read_checked(version / "run" / "manifest.json", RUN)
            read_checked(version / "prediction.json", PREDICTION)
            read_checked(version / "validation.json", VALIDATION)
            for path in (version / "run" / "results").glob("*.json"):
                read_checked(path, RESULT)
            model = json.loads((version / "model.json").read_text(encoding="utf-8"))
            self.assertGreater(read_evaluation(model).end_us, 0)

    def test_a_key_of_a_later_release_is_ignored(self) -> None:
        path = VERSIONS[0] / "run" / "results" / "oneway.mpi.none.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        document["later"] = {"any": 1}
        document["results"][0]["later_us"] = {"median": "x"}
        document["environment"]["hosts"][0]["later"] = []
        read_checked(Path(self.write("later.json", document)), RESULT)

    def test_a_key_that_was_added_to_a_schema_may_be_missing(self) -> None:
        path = VERSIONS[0] / "run" / "manifest.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        del document["measurements"][0]["placement"]
        read_checked(Path(self.write("manifest.json", document)), RUN)

    def test_verbs_read_a_run(self) -> None:
        for version in VERSIONS:
            run = str(version / "run")
            out, _ = self.driver("compare", run, str(version / "run" / "results"))
            self.assertIn("figures compared: 0 slower, 0 faster", out)
            if not any(map(is_missing, ("matplotlib", "jinja2"))):
                output = str(self.folder / "report.html")
                out, error = self.driver("report", str(version), "--output", output)
                self.assertEqual(error, "")
                self.assertNotIn(": 0 figures", out)


if __name__ == "__main__":
    unittest.main()
