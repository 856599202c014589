"""Result documents of the programs: read, and recognized when they are damaged or too new."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from combench.errors import SuiteError

Json = dict[str, Any]


class NewerSchema(SuiteError):
    """A document of a later version than this driver knows."""


def load_json(path: Path) -> Any:
    """Whatever JSON is in a file; a SuiteError when it cannot be read or is cut off."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SuiteError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise SuiteError(f"cannot read {path}: it is cut off or damaged ({error})") from error


def require_schema(document: Any, path: Path, kind: str, version: int) -> Json:
    """The document, when its schema is `kind/version` or older.

    A NewerSchema says that it is of a later version, another SuiteError that it is something else.
    """
    schema = document.get("schema") if isinstance(document, dict) else None
    found = re.fullmatch(re.escape(kind) + r"/([0-9]+)", str(schema))
    if found is None:
        raise SuiteError(f"cannot read {path}: it is no document {kind}/{version}")
    if int(found.group(1)) > version:
        raise NewerSchema(
            f"cannot read {path}: its schema is {schema}, and this combench knows "
            f"{kind}/{version}; use the combench that wrote it, or a later one"
        )
    return dict(document)


def read_json(path: Path, kind: str, version: int) -> Json:
    """The object in a file, whose schema is `kind/version` or older: load_json, require_schema."""
    return require_schema(load_json(path), path, kind, version)


def require_results(document: Json, path: Path) -> Json:
    """The document, when it has a list of results."""
    if not isinstance(document.get("results"), list):
        raise SuiteError(f"cannot read {path}: it has no list of results")
    return document


def read_result(path: Path) -> Json:
    """A document combench-result/1."""
    return require_results(read_json(path, "combench-result", 1), path)
