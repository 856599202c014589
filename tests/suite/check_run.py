#!/usr/bin/env python3
"""Check the directory of a run: check_run.py DIR [SCHEMA].

All that was planned is measured, each document has as many rows as the driver counted on, and with
the schema and the module jsonschema the manifest is valid. Prints what is wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def faults_of_entry(entry: dict[str, Any], directory: Path) -> Iterator[str]:
    if entry["state"] != "measured":
        yield f"{entry['name']} is {entry['state']}: {entry.get('reason')}"
        return
    document = json.loads((directory / entry["result"]).read_text(encoding="utf-8"))
    # Sizes that define no line, and blocks that are short on a busy machine, are no fault; nor is
    # what a calibration has for three ranks.
    expected = ["fit", "shares"]
    if entry["benchmark"] == "calibrate" and entry["ranks"] == 2:
        expected += ["ring", "fan-", "late", "meeting"]
    skipped = [one for one in document["skipped"] if not one["what"].startswith(tuple(expected))]
    if entry["rows"] != entry["rows_at_most"] or skipped:
        yield (
            f"{entry['name']}: {entry['rows']} rows of {entry['rows_at_most']} that were expected, "
            f"skipped: {skipped}"
        )
    if document["benchmark"] != entry["benchmark"] or document["id"] != entry["id"]:
        yield f"{entry['name']}: the document is of {document['benchmark']}, {document['id']}"
    if len(document["environment"]["ranks"]) != entry["ranks"]:
        yield f"{entry['name']}: {len(document['environment']['ranks'])} ranks were started"


def faults(directory: Path, schema: str | None) -> Iterator[str]:
    manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    if manifest["complete"] is not True:
        yield f"the run is not complete: {manifest['reason']}"
    if "combench" not in manifest["sessions"][-1]:
        yield "the manifest has no version of the programs"
    for entry in manifest["measurements"]:
        yield from faults_of_entry(entry, directory)
    if schema:
        import jsonschema

        validator = jsonschema.Draft7Validator(json.loads(Path(schema).read_text(encoding="utf-8")))
        for error in validator.iter_errors(manifest):
            yield f"manifest: {error.json_path}: {error.message}"


def main() -> int:
    found = list(faults(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
