"""Reads kept results of one page, formats their figures and writes the page.

A page module (note48.py, sci.py, ccmod.py) has

    TITLE             the heading of the page
    steps(cores)      what to measure, a list of steps.Step
    write(kept, page) the page's sections, from a Kept to a Page

Each figure of a column "here" is read from a Kept. What is not there is a Missing, which stands in a
table as "not reproduced: reason", so that a page never needs to ask whether a step succeeded.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Union

from combench.common.documents import with_present_keys

Json = dict[str, Any]

STEPS = "steps.json"  # what was run, and what failed: combench-reproduction/1
SCHEMA = "combench-reproduction/1"
RESULT = "combench-result/"

# Values of the keys that tell rows of one benchmark apart, where `Kept.row` is not given others.
_USUAL: Json = {
    "occupation": "none",
    "touch": "all",
    "buffers": "hot",
    "list": "fixed",
    "arrivals": "periodic",
    "multicast": "loop",
    "fetched": None,  # all sources
    "requested": "auto",  # how ranks wait
}

# What the name of a step of a plan may say of its rows.
_TOLD_APART = [("requested", one) for one in ("spin", "yield", "block")]
_TOLD_APART += [("occupation", one) for one in ("none", "source", "destination", "both")]


@dataclass(frozen=True)
class Missing:
    """A figure that the kept results do not have."""

    reason: str

    def __str__(self) -> str:
        return f"not reproduced: {self.reason}"

    def get(self, key: str, default: Any = None) -> Any:
        """No key is there: a Missing can be asked as a row is."""
        return default


Row = Union[Json, Missing]


def _matches(row: Json, wanted: Json) -> bool:
    return all(row.get(key) == value for key, value in wanted.items())


class Kept:
    """The documents that one run of a page's steps left."""

    def __init__(self, folder: Path) -> None:
        self.documents: dict[str, Json] = {
            path.stem: with_present_keys(json.loads(path.read_text(encoding="utf-8")))
            for path in sorted(folder.glob("*.json"))
        }
        self._rows: list[Json] | None = None
        self.run: Json = self.documents.pop(Path(STEPS).stem, {"steps": []})

    def results(self) -> Iterator[tuple[str, Json]]:
        """The documents that programs of combench wrote, by their names."""
        for name, document in self.documents.items():
            if str(document.get("schema", "")).startswith(RESULT):
                yield name, document

    def rows(self, **wanted: Any) -> list[Json]:
        """All rows with these values. Besides the keys of a row there are `document` (its name),
        `benchmark`, `technology` and `requested` (how ranks were to wait)."""
        if self._rows is None:
            self._rows = [
                {
                    **row,
                    "benchmark": document["benchmark"],
                    "technology": document["technology"],
                    "document": name,
                    "requested": row.get("wait", {}).get("requested"),
                }
                for name, document in self.results()
                for row in document["results"]
            ]
        return [row for row in self._rows if _matches(row, wanted)]

    def row(self, **wanted: Any) -> Row:
        """The row with these values, and otherwise the usual ones where it has such a key."""
        for row in self.rows(**wanted):
            if all(row.get(key) in (value, None) for key, value in _USUAL.items() if key not in wanted):
                return row
        return Missing(self.reason(**wanted))

    def reason(self, **wanted: Any) -> str:
        """Why there is no such row: what failed of the steps that it would be of."""
        named = [str(wanted[key]) for key in ("document", "benchmark") if key in wanted]
        apart = {key: str(wanted.get(key, _USUAL[key])) for key in ("requested", "occupation")}
        for step in [one for one in self.run["steps"] if one.get("reason")]:
            words = re.split(r"[.-]", step["name"])  # a plan's are SECTION-WAIT.TECHNOLOGY.COUNT.OCCUPATION
            others = [value for key, value in _TOLD_APART if value in words and apart[key] != value]
            if not others and any(step["name"].startswith(name) for name in named or [""]):
                return str(step["reason"])
        for name, document in self.results():
            if (name in named or document["benchmark"] in named) and document["skipped"]:
                size = f"{wanted.get('size_bytes', '')} byte"
                skipped = [one["reason"] for one in document["skipped"] if size in one["what"]]
                if skipped:
                    return str(skipped[0])
        return "it was not measured"

    def document(self, name: str) -> Row:
        """A document as a whole."""
        if name in self.documents:
            return self.documents[name]
        return Missing(self.reason(document=name))

    def fit(self, **wanted: Any) -> Row:
        """A fit of Hockney's parameters, by the keys of a fit, `document` and `benchmark`."""
        for name, document in self.results():
            for fit in document["fit"]:
                if _matches({**fit, "document": name, "benchmark": document["benchmark"]}, wanted):
                    return Missing(fit["refusal"]) if "refusal" in fit else dict(fit)
        return Missing(self.reason(**wanted))


# Figures as text.


def _decimals(value: float, significant: int) -> int:
    """How many decimals a value needs for that many significant digits; at most six."""
    if value == 0:
        return 0
    return min(max(0, significant - 1 - math.floor(math.log10(abs(value)))), 6)


def number(value: float) -> str:
    """With at least three significant digits, and never in powers of ten; counts as they are."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.{_decimals(value, 3)}f}"


def _with_interval(middle: float, half: float) -> str:
    """Both with the decimals that the value needs, or one digit of the interval if that is more."""
    decimals = max(_decimals(middle, 3), _decimals(half, 1))
    return f"{middle:.{decimals}f} ± {half:.{decimals}f}"


def _at(row: Row, key: str) -> Any:
    """The value at a key of keys: `latency_us.median`."""
    value: Any = row
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


_MEMBERS = ("mean", "median", "value")  # the figure of an object, the first that it has


def value(row: Row, key: str) -> float | None:
    """A figure as a number: that of a summary is its mean if it has one, else its median."""
    found = _at(row, key)
    if isinstance(found, dict):
        found = next((found[name] for name in _MEMBERS if name in found), None)
    return found if isinstance(found, (int, float)) else None


def figure(row: Row, key: str, unit: str = "", scale: float = 1, interval: bool = True) -> str:
    """A figure of a row as text: `12.3 ± 0.2 us`, with half the width of the 95 % interval if it has
    one, or `12.3 (12.2 to 19.7) us` with a lopsided interval; `not reproduced: reason` if it is not there."""
    if isinstance(row, Missing):
        return str(row)
    found = _at(row, key)
    if found is None:
        return str(Missing(f"the row has no {key}"))
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, str):
        return found
    after = f" {unit}" if unit else ""
    if not isinstance(found, dict):
        return number(found * scale) + after
    middle = next(found[name] for name in _MEMBERS if name in found) * scale
    if not interval or "ci95" not in found:
        return number(middle) + after
    low, high = (end * scale for end in found["ci95"])
    below, above = sorted((middle - low, high - middle))
    if above > 2 * below and above > 0.02 * middle:
        return f"{number(middle)} ({number(low)} to {number(high)}){after}"
    return _with_interval(middle, (high - low) / 2) + after


def ratio(above: float | None, below: float | None, unit: str = "") -> str:
    """A ratio of two figures."""
    if above is None or not below:
        return str(Missing("one of the two figures is missing"))
    return number(above / below) + (f" {unit}" if unit else "")


def joined(names: Iterable[str], last: str = "and") -> str:
    """A list in a sentence."""
    listed = list(names)
    return f" {last} ".join(filter(None, [", ".join(listed[:-1]), *listed[-1:]]))


# The page.


def _cells(row: Iterable[Any]) -> list[str]:
    """The cells of a line of a table."""
    cells = [str(cell).replace("|", "\\|").replace("\n", " ") for cell in row]
    prefix, _, _ = str(Missing("")).partition(":")
    return [
        prefix if cell == before and cell.startswith(f"{prefix}:") else cell
        for before, cell in zip(["", *cells], cells)
    ]


@dataclass(frozen=True)
class Line:
    """A line of a table: a figure of the rows with these values, at each size."""

    what: str
    seed: str
    key: str
    wanted: Json
    scale: float = 1


class Page:
    """A page in the making: text, tables, pictures."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pictures: dict[str, str] = {}

    def heading(self, text: str, level: int = 2) -> None:
        self.lines += ["#" * level + " " + text, ""]

    def text(self, text: str) -> None:
        self.lines += [text, ""]

    def code(self, text: str, language: str = "sh") -> None:
        self.lines += [f"```{language}", text, "```", ""]

    def table(self, heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
        """Cells are texts or Missing; cells beside each other give a reason only once."""
        lines = [_cells(row) for row in (heads, *rows)]
        lines.insert(1, ["---"] * len(lines[0]))
        self.lines += ["| " + " | ".join(cells) + " |" for cells in lines]
        self.lines.append("")

    def sized(self, kept: Kept, first: str, sizes: Iterable[int], lines: Iterable[Line]) -> None:
        """A table with a column "here" for each size."""
        sizes = list(sizes)
        rows = []
        for line in lines:
            found = [kept.row(size_bytes=size, **line.wanted) for size in sizes]
            cells = [figure(row, line.key, scale=line.scale) for row in found]
            rows.append([line.what, line.seed, *cells])
        self.table([first, "seed", *(f"here: {size} bytes" for size in sizes)], rows)

    def picture(self, name: str, caption: str, drawing: str = "") -> None:
        """A picture beside the kept results; a drawing is written with the page."""
        if drawing:
            self.pictures[name] = drawing
        self.lines += [f"![{caption}]({name})", ""]

    def compare(self, rows: Iterable[tuple[Any, Any, Any, Any]], first: str = "of the seed") -> None:
        """The form that each page has: what, seed, here, difference."""
        self.table([first, "seed", "here", "difference"], rows)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def _first(kept: Kept, read: Callable[[Json], Any]) -> list[str]:
    """The different values of the result documents, in their order."""
    found = []
    for _, document in kept.results():
        try:
            found.append(str(read(document)))
        except (KeyError, IndexError):
            pass
    return list(dict.fromkeys(found))


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} s"


def _measured_apart(kept: Kept) -> Iterator[str]:
    """Which documents are not of the page's launch but of another one."""
    if "started" not in kept.run:
        return
    began = datetime.fromisoformat(kept.run["started"].replace("Z", "+00:00"))
    ended = began + timedelta(seconds=kept.run.get("elapsed_s", 0) + 1)
    others: dict[str, list[str]] = {}
    for name, document in kept.results():
        started = datetime.fromisoformat(document["started"].replace("Z", "+00:00"))
        if not began <= started <= ended:
            others.setdefault(document["started"][:10], []).append(f"`{name}`")
    for day, names in others.items():
        yield (
            f"In another launch, on {day}: {joined(names)}. Compare these documents with each other,"
            " not with the rest of the page: the two cores of a virtual machine may be near each"
            " other at one time and far at another. `make perf` prints how long a cache line takes"
            " (part \"what the cores share\"); where it was looked at, it took 0.03 or 0.17 us by"
            " turns, so that figures of two ranks jump by a factor of 3."
        )


def _beginning(name: str, kept: Kept) -> Iterator[str]:
    """Who made the page, when, on which machine, in what time."""
    run = kept.run
    yield (
        f"Made by `scripts/reproduce {name}` in one launch of {_minutes(run.get('elapsed_s', 0))}"
        f" on {run.get('started', 'an unknown day')[:10]}; `scripts/reproduce` makes all three"
        " pages in less than 45 minutes on two cores. Every figure in a column \"here\" comes from"
        f" a document in [results/{name}](results/{name}); after ± is half the width of its 95 %"
        " confidence interval, in brackets the interval itself where it is lopsided."
    )
    yield from _measured_apart(kept)
    machine = _first(kept, lambda one: one["environment"]["hosts"][0]["cpu"]) or [run.get("cpu", "unknown")]
    cores = _first(kept, lambda one: one["environment"]["hosts"][0]["cores"]) or [str(run.get("cores", "?"))]
    mpi = _first(kept, lambda one: one["environment"]["mpi"]) or [run.get("mpi", "unknown")]
    commit = _first(kept, lambda one: one["environment"]["commit"])
    kernel = _first(kept, lambda one: one["environment"]["hosts"][0]["kernel"])
    yield (
        f"Machine: {joined(machine)}, {joined(cores)}"
        f" cores{', ' + joined(kernel) if kernel else ''}; {joined(mpi)};"
        f" {'combench of commit ' + joined(commit) if commit else run.get('combench', 'combench')}."
    )
    stolen = [one["environment"]["noise"]["stolen_pct"] for _, one in kept.results() if one["environment"].get("noise")]
    if stolen:
        yield (
            f"A probe before each of the {len(stolen)} starts found that other programs took"
            f" {number(sorted(stolen)[len(stolen) // 2])} % of a core in the median,"
            f" {number(max(stolen))} % at most."
        )
    failed = [one["name"] for one in run["steps"] if one.get("reason")]
    if failed:
        few = f": {joined(failed)}" if len(failed) < 5 else ""
        yield f"{len(failed)} starts were not measured or not to their end{few}; the cells say why."


def text_of(name: str, module: Any, kept: Kept) -> Page:
    """The whole page."""
    page = Page()
    page.heading(module.TITLE, 1)
    page.text(f"<!-- Written by scripts/reproduce {name} --tables: change docs/reproduction/{name}.py instead. -->")
    for paragraph in _beginning(name, kept):
        page.text(paragraph)
    module.write(kept, page)
    while page.lines and not page.lines[-1]:
        page.lines.pop()
    page.lines.append("")
    return page
