"""Reads documents of combench and checks them by their schemas.

A document of `read_checked` conforms to docs/*.schema.json and to `_RULES`, so callers need no
further checks. Readers ignore unknown keys, and do not require keys that were added after the first
documents of a version (`x-added-later` in a schema). Errors are SuiteErrors that name the file and
the place in it. docs/using/running.md has the policy for older documents.
"""

from __future__ import annotations

import functools
import json
import math
import re
import zlib
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

from combench.common import bundles
from combench.common.errors import SuiteError, is_missing, require_modules
from combench.common.files import is_pipe, read_input
from combench.common.terminal import printable
from combench.common.values import topology

Json = dict[str, Any]

LAUNCHES = "launch-*"  # folders of further launches, beside the documents of the first
RESULT, RUN = "combench-result", "combench-run"
PREDICTION, VALIDATION = "combench-prediction", "combench-validation"
BENCHMARKS = "combench-benchmarks"
VERSION = 1  # of all documents; docs/using/running.md says what another version requires here

# The manifest of a run, and the states of a measurement in it.
MANIFEST = "manifest.json"
PLANNED, RUNNING, MEASURED, SKIPPED = "planned", "running", "measured", "skipped"
FAILED, TIMED_OUT, INTERRUPTED, LEFT_OUT = "failed", "timed out", "interrupted", "left out"
STATES = (MEASURED, SKIPPED, FAILED, TIMED_OUT, INTERRUPTED, RUNNING, PLANNED, LEFT_OUT)

FORMER_KEYS = {"loss_pct": "shortfall_pct"}  # of rows of older documents: their names now


def with_present_keys(document: Json) -> Json:
    """The document, whose rows have the present names of their keys."""
    for row in document.get("results", ()):
        for former, present in FORMER_KEYS.items():
            if isinstance(row, dict) and former in row:
                row[present] = row.pop(former)
    return document


def is_spared(entry: Json) -> bool:
    """A further launch that was left out: for the reason of the first, or because enough is known."""
    return entry["state"] == LEFT_OUT and int(entry.get("launch", 1)) > 1

# In the source tree, and installed.
_TOP = Path(__file__).resolve().parents[3]
_SCHEMAS = (_TOP / "docs", _TOP / "schemas")
MODULES = ("fastjsonschema",)  # required by read_checked

_DEPTH = 32  # documents have about eight levels
_LARGEST = 2**53  # largest integer that a double represents exactly
_BEYOND = 1e30  # of any measurement, in any unit; products of such numbers are still finite


class NewerSchema(SuiteError):
    """A document of a later version than this driver supports."""


# JSON, with the place of errors.


def _refused(path: Path, place: str, what: str) -> SuiteError:
    """The error for a place in a document, in characters that every terminal accepts."""
    shown = f"{place or 'its top'}: {what}".encode("utf-8", "backslashreplace").decode("utf-8")
    return SuiteError(f"cannot read {path}: {shown}")


def _text_place(text: str, offset: int) -> str:
    line = text.count("\n", 0, offset) + 1
    return f"line {line} column {offset - text.rfind(chr(10), 0, offset)}"


def _too_deep(text: str) -> Optional[str]:
    """The place where the nesting exceeds _DEPTH."""
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token.group(), 0)
        if depth > _DEPTH:
            return _text_place(text, token.start())
    return None


def _extent(value: Any) -> tuple[int, int]:
    """The depth of a value, up to _DEPTH + 1, and its number of keys."""
    level, depth, keys = [value], 0, 0
    while level and depth <= _DEPTH:
        depth += 1
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                keys += len(one)
                inner += one.values()
            else:
                inner += one
        level = [one for one in inner if isinstance(one, (dict, list))]
    return depth, keys


def _places(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """All values within a value, with their places."""
    yield place, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{place}.{key}" if place else key, key
            yield from _places(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _places(inner, f"{place}[{index}]")


def _fault_of(value: Any) -> Optional[str]:
    """What is wrong with a JSON value."""
    if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        return "invalid text: half of a surrogate pair"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not a finite number"
    if isinstance(value, float) and abs(value) > _BEYOND:
        return f"{value} is beyond any measurement"
    if isinstance(value, int) and abs(value) > _LARGEST:
        return "integer beyond 2^53"
    return None


# Texts for which each number, each key or each string must be checked.
_ODD_NUMBER = re.compile(r"[\s:,\[]-?(?:[0-9]{16}|[0-9]+\.0+[\s,\]}]|[0-9.]+[eE])")
_LOOSE_KEY = re.compile(r'"\s+:')
_CONTROL = re.compile(r"\\[nrbf]|\\u(?:00[0189]|007f|061|20[026])|[\x7f-\x9f\u061c\u200e-\u2069]", re.I)
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def _printable(value: Any, key: str = "") -> Any:
    """A value without control characters, which texts and tables would print; calibrations have lines."""
    if isinstance(value, str):
        return printable(value, lines=key == "text")
    if isinstance(value, list):
        return [_printable(one, key) for one in value]
    if isinstance(value, dict):
        return {printable(name): _printable(one, name) for name, one in value.items()}
    return value


class _Reading:
    """Hooks of the JSON parser that notice faults; `look_up` finds their place afterwards."""

    def __init__(self) -> None:
        self.faulty = False
        self.twice: list[tuple[Json, str]] = []  # objects with a key that occurs twice

    def paired(self, pairs: list[tuple[str, Any]]) -> Json:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            self.twice.append((made, next(name for name in names if names.count(name) > 1)))
        return made

    def integer(self, text: str) -> int:
        """An integer; long texts are not converted, since Python limits their length."""
        value = int(text) if len(text) < 20 else _LARGEST + 1
        self.faulty |= abs(value) > _LARGEST
        return value

    def real(self, text: str) -> int | float:
        """A number; integral values become int, as in JSON schemas."""
        value = float(text)
        self.faulty |= abs(value) > _BEYOND
        return int(value) if abs(value) <= _LARGEST and value.is_integer() else value

    def constant(self, text: str) -> float:
        """NaN, Infinity, -Infinity, which JSON does not have."""
        self.faulty = True
        return float(text)

    def look_up(self, document: Any, path: Path) -> None:
        """Raise a SuiteError with the place of the first fault."""
        for place, value in _places(document, ""):
            for made, name in self.twice:
                if value is made:
                    raise _refused(path, place, f"'{name}' occurs twice")
            fault = _fault_of(value)
            if fault is not None:
                raise _refused(path, place, fault)


def timeline_beside(result: Path) -> Path:
    """Where the timeline of a result is."""
    return result.with_name(f"{result.stem}.timeline.json")


_pipes: dict[Path, bytes] = {}  # what was read from pipes


def keep_pipe(path: Path) -> None:
    """Read a path of the command line now if it is a pipe, which can be read only once."""
    if path not in _pipes and is_pipe(path):
        try:
            _pipes[path] = read_input(path, pipes=True)
        except OSError as error:
            raise SuiteError(f"cannot read {path}: {error.strerror}") from error


def _content(path: Path, most: int = -1) -> bytes:
    return _pipes[path] if path in _pipes else read_input(path, most=most)


def load_json(path: Path) -> Any:
    """The JSON in a file. Raises SuiteError when it cannot be read or is damaged."""
    try:
        text = _content(path).decode("utf-8")
    except OSError as error:
        raise SuiteError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _refused(path, f"byte {error.start}", "it is damaged: not UTF-8") from error
    return load_text(text, path)


def load_text(text: str, path: Path) -> Any:
    """The JSON in a text, which is the content of the file that errors name. Skips a byte order mark."""
    text = text.removeprefix("\ufeff")
    reading = _Reading()
    numbers: dict[str, Any] = {"parse_int": reading.integer, "parse_float": reading.real}
    hooks = numbers if _ODD_NUMBER.search(text) else {}
    try:
        document = json.loads(text, parse_constant=reading.constant, **hooks)
        depth, keys = _extent(document) if isinstance(document, (dict, list)) else (1, 0)
        if depth <= _DEPTH and (keys != text.count('":') or _LOOSE_KEY.search(text)):
            # A key may occur twice: parse again with a check of each object.
            document = json.loads(
                text, object_pairs_hook=reading.paired, parse_constant=reading.constant, **hooks
            )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise _refused(path, place, f"it is cut off or damaged ({error.msg})") from error
    except RecursionError as error:
        raise _refused(path, _too_deep(text) or "its end", "it is nested too deeply") from error
    if depth > _DEPTH:
        raise _refused(path, _too_deep(text) or "its end", "it is nested too deeply")
    if reading.faulty or reading.twice or _HALF_PAIR.search(text):
        reading.look_up(document, path)
    return _printable(document) if _CONTROL.search(text) else document


# The kind of a document.


def require_schema(document: Any, path: Path, kind: str) -> Json:
    """The document, if its schema is of this kind and version.

    Raises NewerSchema for a later version, SuiteError for another kind.
    """
    schema = document.get("schema") if isinstance(document, dict) else None
    found = re.fullmatch(re.escape(kind) + r"/([1-9][0-9]{0,5})", str(schema))
    if found is None:
        raise _refused(path, "schema", f"it is not a document {kind}/{VERSION}")
    if int(found.group(1)) > VERSION:
        raise NewerSchema(
            f"cannot read {path}: schema: its schema is {schema}, and this combench reads "
            f"{kind}/{VERSION}; use the combench that wrote it, or a later one"
        )
    return dict(document)


def read_recognised(path: Path, kind: str) -> Json:
    """A document of this kind, otherwise unchecked: for `combench run`, which uses only the standard
    library."""
    return require_schema(load_json(path), path, kind)


def read_result(path: Path) -> Json:
    """A result with a list of rows, otherwise unchecked: for `combench run`."""
    document = read_recognised(path, RESULT)
    if not isinstance(document.get("results"), list):
        raise _refused(path, "results", "it has no list of results")
    return with_present_keys(document)


def claims_to_be(path: Path, kind: str) -> bool:
    """Whether a file is a document of this kind, possibly damaged, by its first bytes."""
    if not path.is_file():
        return False  # a pipe would keep the reader waiting
    try:
        return f"{kind}/".encode("ascii") in _content(path, 200)[:200]
    except OSError:
        return False


# The content of a document.


_PLAIN = frozenset({"type", "minimum", "maximum", "exclusiveMinimum", "enum"})


def _for_readers(schema: Any, definitions: Json) -> Any:
    """A schema for readers, converted to draft 7, which the library supports.

    Definitions of plain values are inlined: the library makes a function of each definition.
    """
    if isinstance(schema, list):
        return [_for_readers(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    named = definitions.get(str(schema.get("$ref", "")).rpartition("/")[2], {})
    if named and named.keys() <= _PLAIN:
        return named
    later = schema.get("x-added-later", ())
    made = {
        key: _for_readers(value, definitions) for key, value in schema.items() if key != "$id"
    }
    if "properties" in made:
        # Later versions may add keys.
        made.pop("additionalProperties", None)
    if isinstance(made.get("required"), list):
        made["required"] = [key for key in made["required"] if key not in later]
    if "dependentRequired" in made:
        made["dependencies"] = made.pop("dependentRequired")
    return made


@functools.lru_cache(maxsize=None)
def _validator(kind: str) -> Callable[[Json], Json]:
    require_modules(*MODULES)
    import fastjsonschema

    name = f"{kind}-{VERSION}.schema.json"
    path = next((folder / name for folder in _SCHEMAS if (folder / name).is_file()), None)
    if path is None:
        raise SuiteError(f"cannot find {name} in {_SCHEMAS[1]}; install combench again")
    text = json.loads(path.read_text(encoding="utf-8"))
    schema = _for_readers(text, text.get("$defs", text.get("definitions", {})))
    validator: Callable[[Json], Json] = fastjsonschema.compile(schema, use_default=False)
    return validator


_Faults = Iterator[tuple[str, str]]


def _row_faults(row: Json) -> _Faults:
    """Faults of a row that the schema cannot express or does not require."""
    if "size_bytes" not in row:
        yield "size_bytes", "it is missing; measure again"
    if row.get("mode") == "open" and "offered_Hz" not in row:
        yield "offered_Hz", "it is missing, in an open loop"
    if "topology" in row:
        try:
            topology(row["topology"])
        except ValueError as error:
            yield "topology", str(error)
    for key in ("step_us", "event_latency_us"):
        histogram = row.get(key, {}).get("histogram")
        if histogram and len(histogram["bounds"]) != len(histogram["counts"]) + 1:
            yield f"{key}.histogram.bounds", "their number is not that of the counts plus one"


def _faults_of_rows(document: Json) -> _Faults:
    for index, row in enumerate(document["results"]):
        for place, what in _row_faults(row):
            yield f"results[{index}].{place}", what


_NO_BLOCKS = "00000000"


def blocks_checksum(document: Json) -> str:
    """The checksum of the raw data of a result (docs/reference/results.md)."""
    blocks = (block for row in document["results"] for block in row.get("blocks_us", []))
    return f"{zlib.crc32(''.join(f'{block:.9g}' + chr(10) for block in blocks).encode('ascii')):08x}"


def launch_of(document: Json) -> tuple[str, ...]:
    """Identifies the launch that wrote a result. Copies have the same, also renamed or anonymous ones.

    Where rows have no raw data, as those of maps, the rows take their place."""
    raw = document.get("blocks_crc32")
    if raw in (None, _NO_BLOCKS):
        raw = json.dumps(document["results"], sort_keys=True)
    given, about = document.get("parameters"), document.get("environment")
    settings = [given.get(name) for name in ("config", "parameter")] if isinstance(given, dict) else []
    hosts = about.get("hosts") if isinstance(about, dict) else None
    machine = [[one.get("cpu"), one.get("cores")] for one in hosts or () if isinstance(one, dict)]
    named = (document.get(name) for name in ("benchmark", "technology", "started"))
    return tuple(map(str, (*named, settings, machine, raw)))


class Copies:
    """Finds copies of results, so that each launch counts once."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, ...], Path] = {}
        self._found: dict[tuple[Path, Path], int] = {}  # folders of a copy and of its original

    def is_copy(self, document: Json, path: Path) -> bool:
        """Whether the launch of this document was met before. The document counts as met."""
        if not document["results"]:
            return False
        first = self._first.setdefault(launch_of(document), path)
        if first is path:
            return False
        pair = (path, first) if path.parent == first.parent else (path.parent, first.parent)
        self._found[pair] = self._found.get(pair, 0) + 1
        return True

    def sentences(self) -> list[str]:
        """What was taken as one, for the user."""
        said = []
        for pair, count in self._found.items():
            copy, first = map(bundles.shown, pair)
            what = f"{copy} has {'a copy' if count == 1 else f'{count} copies'} of results in {first}"
            if pair[0].suffix == ".json":
                what = f"{copy} is a copy of {first}"
            said.append(f"{what} (equal start and raw data); a launch counts once")
        return said


def _faults_of_result(document: Json) -> _Faults:
    """Those of its rows, and a checksum that differs from its raw data."""
    yield from _faults_of_rows(document)
    checksum, found = document.get("blocks_crc32"), blocks_checksum(document)
    if checksum not in (None, found):  # absent: an older document, or no row
        yield "blocks_crc32", (
            f"it is {checksum}, and the blocks_us of the rows have {found}: the document was "
            "changed after it was written; use the original"
        )


_RULES: dict[str, Callable[[Json], _Faults]] = {
    RESULT: _faults_of_result,
    PREDICTION: _faults_of_rows,
}


def _what(error: Any) -> str:
    """The message of the library, without its name of the place."""
    if error.rule == "required":
        lacking = [key for key in error.rule_definition if key not in error.value]
        return f"it lacks {', '.join(repr(key) for key in lacking)}"
    return str(error.message.removeprefix(error.name).strip())


def checked(document: Any, path: Path, kind: str) -> Json:
    """The document, if it is of this kind and conforms to its schema. Raises SuiteError."""
    known = require_schema(document, path, kind)
    validate = _validator(kind)
    import fastjsonschema

    try:
        validate(known)
    except fastjsonschema.JsonSchemaValueException as error:
        place = error.name.removeprefix("data").lstrip(".")
        raise _refused(path, place, _what(error)) from error
    for place, what in _RULES.get(kind, lambda _: iter(()))(known):
        raise _refused(path, place, what)
    return with_present_keys(known)


def read_checked(path: Path, kind: str) -> Json:
    """Read a document of this kind that conforms to its schema. Raises SuiteError."""
    return checked(load_json(path), path, kind)


def read_manifest(path: Path) -> Json:
    """The manifest of a run, checked by its schema. `combench run` needs only the standard library:
    where the module for schemas is missing, the keys that it uses are not checked."""
    lacking = any(map(is_missing, MODULES))
    return read_recognised(path, RUN) if lacking else read_checked(path, RUN)
