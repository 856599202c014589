"""Definitions of benchmarks, columns and technologies, read from the build's benchmarks.json.

The programs write that file (docs/reference/benchmarks-json.md). No module of this package has its
own list of benchmarks, columns or technologies. Documents may come from another version: an unknown
benchmark has an empty definition (`Catalogue.benchmark`).
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import operator
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, TypeVar

from combench.common import documents, values
from combench.common.documents import Json
from combench.common.errors import SuiteError, is_missing

T = TypeVar("T")
FILE = "benchmarks.json"
FARM, CALIBRATION = "farm", "calibration"  # groups
_TOP = Path(__file__).resolve().parents[3]  # of the source tree, or of installed data

# Formulas: + - * / and parentheses over names, sum() of a list and bits() of a whole number; of traces also // and %.

_OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "sum": sum,
    "bits": lambda number: int(number).bit_length(),
}


@functools.lru_cache(maxsize=None)
def _parsed(formula: str) -> ast.expr:
    return ast.parse(formula, mode="eval").body


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, names), _value(node.right, names))
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.Call) and len(node.args) == 1:
        function = _FUNCTIONS.get(ast.unparse(node.func))
        if function is not None:
            return function(_value(node.args[0], names))
    raise ValueError(f"'{ast.unparse(node)}' is not allowed in a formula")


def evaluate(formula: str, **names: Any) -> float:
    """The value of a formula such as `1 + sources + destinations`. Raises ValueError."""
    try:
        return float(_value(_parsed(formula), names))
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"'{formula}' is not a formula") from error
    except (ArithmeticError, TypeError) as error:
        raise ValueError(f"'{formula}' has no value: {error}") from error


# Benchmarks.


@dataclass(frozen=True)
class Mode:
    name: str
    default: bool = True  # measured without --mode
    stream: bool = False
    packets: str = "1"  # a formula of `count` and own options: data packets of a step / divisor
    frequency: str = "steps"  # or packets, events: what frequency_Hz counts
    events: str = "1"  # a formula like `packets`: events of a step
    figure: str = ""  # latency_us or round_us; empty for farms
    divisor: int = 1
    processors: int = 0  # for modes that have their own number of processors
    summary: str = ""
    led_in: bool = False  # timed from the end of its first step on
    tells: str = ""  # what ccmod calibrate learns of messages from its rows


@dataclass(frozen=True)
class Ratio:
    column: str
    meaning: str
    reference: int  # the count that is measured first
    formula: str = "0"  # of `count`, `reference`, and the times of a step at both
    title: str = ""  # of a picture
    caption: str = ""


@dataclass(frozen=True)
class Plot:
    column: str
    against: str


@dataclass(frozen=True)
class Bound:
    """An upper bound on the rate of a farm, from the result of another benchmark."""

    benchmark: str
    mode: str
    what: str
    count: str  # that benchmark's count, a formula of `sources` and `destinations`
    times: str  # factor on its rate, a formula like `count`
    control: bool = False  # at the size of control messages, not of the farm's packets


@dataclass(frozen=True)
class Counterpart:
    """The mode of a benchmark that a program of Parkbench is compared with."""

    benchmark: str
    mode: str
    rate: str
    relation: str


@dataclass(frozen=True)
class Shape:
    """A count of a benchmark as plans write it: 4, 4x2, 4-2-1."""

    text: str
    numbers: tuple[int, ...]
    ranks: int
    words: tuple[str, ...]  # the options of the program
    spare_ranks: int = 0  # more ranks, if there are any, give lists other members

    def ranks_of_job(self, most: int) -> int:
        """The ranks to start where there are `most`."""
        return max(self.ranks, min(self.ranks + self.spare_ranks, most))


@dataclass(frozen=True)
class Count:
    """The count that a benchmark varies, such as the number of processors."""

    column: str  # column of the result
    options: tuple[str, ...] = ()  # options of the program
    least: int = 1
    multiple_of: int = 1
    usual: tuple[str, ...] = ()
    ranks: str = "count"
    spare_ranks: str = "0"  # more ranks that a job should have, so that lists can change

    @property
    def is_farm(self) -> bool:
        """Whether it is two numbers: sources and destinations."""
        return len(self.options) > 1

    @property
    def is_topology(self) -> bool:
        return "stages" in self.ranks

    @property
    def is_fixed(self) -> bool:
        """Whether only one count exists."""
        return self.ranks.isdigit()

    def numbers(self, text: str) -> tuple[int, ...]:
        """The numbers in a text. A ValueError names the mistake and the remedy."""
        if self.is_farm:
            return values.farm(text)
        if self.is_topology:
            return values.topology(text)
        if not re.fullmatch(r"[1-9][0-9]{0,5}", text):
            raise ValueError(f"'{text}' is not a number of {self.column}; write one such as 4, or max")
        if int(text) < self.least:
            raise ValueError(f"{text} {self.column} are too few; give {self.least} or more")
        if int(text) % self.multiple_of:
            even = self.multiple_of == 2
            fitting = "an even number" if even else f"a multiple of {self.multiple_of}"
            raise ValueError(f"{text} {self.column} cannot be measured; give {fitting}")
        return (int(text),)

    def ranks_of(self, numbers: Sequence[int]) -> int:
        return int(
            evaluate(
                self.ranks,
                count=numbers[0],
                sources=numbers[0],
                destinations=numbers[-1],
                stages=numbers,
            )
        )

    def shape(self, text: str) -> Shape:
        """The shape that the text names. Raises ValueError."""
        numbers = self.numbers(text)
        parts = [text] if self.is_topology else [str(number) for number in numbers]
        words = [word for pair in zip((f"--{one}" for one in self.options), parts) for word in pair]
        spare = int(evaluate(self.spare_ranks, count=numbers[0]))
        return Shape(text, numbers, self.ranks_of(numbers), tuple(words), spare)

    def largest(self, ranks: int) -> Optional[str]:
        """The largest count for `ranks` ranks; None where none fits or there is no largest one."""
        if self.is_topology or self.is_fixed:
            return None
        for count in range(ranks - ranks % self.multiple_of, self.least - 1, -self.multiple_of):
            if self.ranks_of((count, count)) <= ranks:
                return f"{count}x{count}" if self.is_farm else str(count)
        return None


@dataclass(frozen=True)
class Benchmark:
    name: str
    id: str
    label: str  # for headings: 1.1 one-way
    title: str
    group: str
    pattern: str
    count: Count
    modes: tuple[Mode, ...]
    roles: Mapping[str, str] = field(default_factory=dict)  # formulas of ranks, by name
    occupations: tuple[str, ...] = ()
    sizes_bytes: tuple[int, ...] = ()
    sizes_beside_computing_bytes: tuple[int, ...] = ()
    algorithms_us: tuple[int, ...] = ()  # of the farm group
    lists: tuple[str, ...] = ()
    ratio: Optional[Ratio] = None
    fit: str = ""
    rows: str = "modes * counts * sizes"
    figures: Mapping[str, str] = field(default_factory=dict)  # columns, with formulas in words
    plots: tuple[Plot, ...] = ()
    table: tuple[str, ...] = ()  # columns, or members of columns, of its table in reports
    bounds: tuple[Bound, ...] = ()
    counterpart: Optional[Counterpart] = None
    options: tuple[str, ...] = ()
    program: str = ""

    @property
    def of_note(self) -> bool:
        """Whether it is a benchmark of DAQ note 48, whose ids are numbers."""
        return re.fullmatch(r"[0-9]+\.[0-9]+", self.id) is not None

    @property
    def names_others(self) -> bool:
        """Whether its options name a victim and an aggressor."""
        return "victim" in self.options and "aggressor" in self.options

    @property
    def short_label(self) -> str:
        """Without the number: one-way."""
        return self.label.removeprefix(f"{self.id} ")

    @property
    def is_reported(self) -> bool:
        """Whether reports show its rows: all but calibrations, the input of predictions."""
        return self.group != CALIBRATION

    def plots_against(self, against: str) -> list[str]:
        """The columns that a report should draw against that one."""
        return [plot.column for plot in self.plots if plot.against == against]

    def mode(self, name: str) -> Optional[Mode]:
        return next((mode for mode in self.modes if mode.name == name), None)

    @property
    def _of_modes(self) -> list[int]:
        """The numbers of processors of modes that have their own."""
        return sorted({mode.processors for mode in self.modes} - {0})

    def shape(self, text: str) -> Shape:
        """The shape that a text of a plan names. Raises ValueError."""
        shape = self.count.shape(text)
        if self._of_modes and shape.ranks not in self._of_modes:
            choices = ", ".join(str(number) for number in self._of_modes)
            counted = self.count.column
            raise ValueError(f"'{text}' is not a number of {counted}; give {choices}, or max")
        return shape

    def largest(self, ranks: int) -> Optional[str]:
        """The largest count for `ranks` ranks; None where none fits or there is no largest one."""
        if self._of_modes:
            fitting = [number for number in self._of_modes if number <= ranks]
            return str(max(fitting, default=self._of_modes[0]))
        return self.count.largest(ranks)

    def rows_of(
        self,
        shape: Shape,
        sizes: Optional[frozenset[int]] = None,
        occupation: str = "none",
        algorithms: int = 0,
        mode: str = "",
        changes: bool = True,
    ) -> int:
        """The maximum number of measurements of one start of the program; sizes None: its own, mode
        empty: the default ones. Without `changes` it measures one kind of list only."""
        if sizes is None:
            alone = occupation in ("", "none")
            sizes = frozenset(self.sizes_bytes if alone else self.sizes_beside_computing_bytes)
        chosen = self.mode(mode)
        modes = [one for one in self.modes if one.default] if chosen is None else [chosen]
        modes = [one for one in modes if one.processors <= shape.ranks]
        referred = self.ratio is not None and shape.numbers != (self.ratio.reference,)
        return int(
            evaluate(
                self.rows,
                modes=len(modes),
                counts=2 if referred else 1,
                sizes=len(sizes),
                algorithms=algorithms or len(self.algorithms_us),
                multicasts=2,
                lists=len(self.lists) if changes else 1,
            )
        )


def nearest(word: str, words: Iterable[str]) -> str:
    """A remedy for a word that is none of these."""
    words = sorted(words)
    near = difflib.get_close_matches(word, words, 1)
    if near:
        return f"did you mean {near[0]}?"
    return f"use one of {', '.join(words[:20])}{' and others' if len(words) > 20 else ''}"


# Columns and technologies.


@dataclass(frozen=True)
class Column:
    key: str
    type: str  # number, text, flag, summary, distribution, numbers, members, list, counters
    unit: str = ""
    heading: str = ""
    schema: str = ""
    values: tuple[str, ...] = ()
    condition: bool = False  # a condition of the measurement, not a result
    identifies: bool = False  # rows of two runs match only if they agree in this column
    identity: str = ""  # the member that must agree, if not the value
    better: str = "neither"  # lower, higher
    place: str = "hidden"  # title, cell
    csv: tuple[str, ...] = ()
    label: str = ""  # its name in reports
    phrase: str = "{}"  # its value in words
    tabled: str = "by benchmark"  # tables that have it: also always, beside computing
    members: tuple[str, ...] = ()  # members that reports show
    compared: tuple[str, ...] = ()  # members that are compared between runs; "": the value itself
    follows: tuple[str, ...] = ()  # columns that determine it; not compared in rows with one of them
    meaning: str = ""

    @property
    def path(self) -> str:
        """The path of the identifying value, such as wait.effective."""
        return f"{self.key}.{self.identity}" if self.identity else self.key


@dataclass(frozen=True)
class Technology:
    name: str
    summary: str
    counters: tuple[Json, ...] = ()
    multicast: str = "none"  # its own: copied by the network, or relayed from member to member
    losses: str = ""  # share rule of ccmod that models its losses at full buffers


@dataclass(frozen=True)
class Mark:
    """A sign at the end of a row, and when a row that has the key has it."""

    sign: str
    key: str
    when: str  # present, true, is, is not, above, counted
    meaning: str
    remedy: str
    text: str = ""
    above: float = 0
    of_trial: bool = False  # not of a rate that was found


@dataclass(frozen=True)
class Option:
    name: str
    programs: tuple[str, ...]  # that take it
    default: str = ""
    key: str = ""  # of its value among the parameters of a result
    type: str = ""  # count, choice, text, ...
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Catalogue:
    path: Path
    benchmarks: Mapping[str, Benchmark]  # by name, in the order of the programs' registry
    columns: Mapping[str, Column]  # by key, in the order of the table
    technologies: Mapping[str, Technology]
    options: tuple[Option, ...]
    choices: Mapping[str, tuple[str, ...]]  # by option
    note_sizes_bytes: tuple[int, ...]  # sizes of DAQ note 48, which all benchmarks measure
    sweep_sizes_bytes: tuple[int, ...]
    host_counters: tuple[Json, ...] = ()
    marks: tuple[Mark, ...] = ()  # in the order of the tables of programs

    @functools.cached_property
    def identifying(self) -> tuple[Column, ...]:
        """The columns in which matching rows agree; a column absent from both rows agrees."""
        return tuple(one for one in self.columns.values() if one.identifies)

    def own_options(self, benchmark: Benchmark) -> list[Option]:
        """The options that only this benchmark has."""
        return [one for one in self.options if one.programs == (benchmark.program,)]

    def own_conditions(self, benchmark: Benchmark) -> tuple[str, ...]:
        """The keys of own options that identify a row, such as the schedule of event building."""
        keys = (one.key for one in self.own_options(benchmark))
        return tuple(key for key in keys if key in self.columns and self.columns[key].identifies)

    def own_numbers(self, benchmark: Benchmark, given: Mapping[str, object]) -> dict[str, float]:
        """Own options as numbers in formulas: the value, or the place of a choice from 1 on; of
        those that are not `given`, by name, the default."""
        numbers = {}
        for option in self.own_options(benchmark):
            value = given.get(option.name)
            text = option.default if value is None else str(value)
            if text in option.choices:
                numbers[option.name] = option.choices.index(text) + 1.0
            elif option.type == "count" and text:
                numbers[option.name] = float(text)
        return numbers

    def named(self, text: str) -> Optional[Benchmark]:
        """A benchmark by name or id; None where there is none."""
        for one in self.benchmarks.values():
            if text in (one.name, one.id):
                return one
        return None

    def benchmark(self, name: str) -> Benchmark:
        """The benchmark of that name. An unknown one, from another version of combench, has a
        definition without figures, plots and usual counts."""
        known = self.benchmarks.get(name)
        if known is not None:
            return known
        return Benchmark(name, "", name, "", "", "", Count("processors", least=0), ())


def _texts(one: Json, key: str) -> tuple[Any, ...]:
    return tuple(one.get(key, ()))


def _made(kind: type[T], one: Json) -> T:
    """A record of the keys that it has; others are those of newer files."""
    known = {field.name for field in dataclasses.fields(kind)}
    lists = {key: tuple(value) for key, value in one.items() if isinstance(value, list)}
    return kind(**{key: value for key, value in {**one, **lists}.items() if key in known})


def _benchmark(one: Json) -> Benchmark:
    count: Json = {**one["count"], "options": _texts(one["count"], "options")}
    count["usual"] = _texts(count, "usual")
    ratio, counterpart = one.get("ratio"), one.get("counterpart")
    return Benchmark(
        name=one["name"],
        id=one["id"],
        label=one.get("label", one["name"]),
        title=one["title"],
        group=one["group"],
        pattern=one["pattern"],
        count=Count(**count),
        modes=tuple(_made(Mode, mode) for mode in one["modes"]),
        roles={role["name"]: role["ranks"] for role in one["roles"]},
        occupations=_texts(one, "occupations"),
        sizes_bytes=_texts(one, "sizes_bytes"),
        sizes_beside_computing_bytes=_texts(one, "sizes_beside_computing_bytes"),
        algorithms_us=_texts(one, "algorithms_us"),
        lists=_texts(one, "lists"),
        ratio=Ratio(**ratio) if ratio else None,
        fit=one.get("fit", ""),
        rows=one["rows"],
        figures={figure["column"]: figure["formula"] for figure in one["figures"]},
        plots=tuple(Plot(**plot) for plot in one["plots"]),
        table=_texts(one, "table"),
        bounds=tuple(Bound(**bound) for bound in one.get("bounds", ())),
        counterpart=Counterpart(**counterpart) if counterpart else None,
        options=_texts(one, "options"),
        program=one["program"],
    )


def _column(one: Json) -> Column:
    known = {key: value for key, value in one.items() if key in Column.__dataclass_fields__}
    known["values"] = one.get("values", "").split()
    lists = {key: tuple(value) for key, value in known.items() if isinstance(value, list)}
    return Column(**{"label": one.get("heading", ""), **known, **lists})


_COUNTED = {"count": 4, "sources": 2, "destinations": 2}
_COUNTED_ROWS = dict.fromkeys(("modes", "counts", "sizes", "algorithms", "multicasts", "lists"), 2)


def _check_formulas(one: Benchmark) -> None:
    """Evaluate each formula once, so that a wrong one is found in the file and not in its use.
    ValueError: the key and what is wrong."""
    formulas = [("count.ranks", one.count.ranks, {**_COUNTED, "stages": (2, 1, 1)})]
    formulas += [("count.spare_ranks", one.count.spare_ranks, {"count": 4})]
    own = {"count": 4, **dict.fromkeys(one.options, 1)}
    formulas += [("modes.packets", mode.packets, own) for mode in one.modes]
    formulas += [("modes.events", mode.events, own) for mode in one.modes]
    formulas += [("rows", one.rows, _COUNTED_ROWS)]
    if one.ratio is not None:
        times = {"reference": one.ratio.reference, "step_us": 2.0, "reference_us": 1.0}
        formulas += [("ratio.formula", one.ratio.formula, {"count": 4, **times})]
    farm = {**own, "sources": 2, "destinations": 2, "fetched": 2}
    for bound in one.bounds:
        formulas += [("bounds.count", bound.count, farm), ("bounds.times", bound.times, farm)]
    if not one.count.is_topology:  # the stages have the ranks of a pipeline
        formulas += [("roles.ranks", role, _COUNTED) for role in one.roles.values()]
    for key, formula, names in formulas:
        try:
            evaluate(formula, **names)
        except ValueError as error:
            raise ValueError(f"{key} of {one.name}: {error}") from error


def load(path: Path) -> Catalogue:
    """Read the catalogue from a file. Raises SuiteError."""
    kind = documents.BENCHMARKS
    lacking = any(is_missing(name) for name in documents.MODULES)
    read = documents.read_recognised if lacking else documents.read_checked
    document = read(path, kind)  # without the library, only `combench run` works
    try:
        benchmarks = [_benchmark(one) for one in document["benchmarks"]]
        for one in benchmarks:
            _check_formulas(one)
        return Catalogue(
            path,
            {one.name: one for one in benchmarks},
            {one["key"]: _column(one) for one in document.get("columns", ())},
            {one["name"]: _made(Technology, one) for one in document.get("technologies", ())},
            tuple(_made(Option, one) for one in document.get("options", ())),
            {
                one["name"]: tuple(one["choices"])
                for one in document.get("options", ())
                if "choices" in one
            },
            _texts(document, "note_sizes_bytes"),
            _texts(document, "sweep_sizes_bytes"),
            _texts(document, "host_counters"),
            tuple(_made(Mark, one) for one in document.get("marks", ())),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise SuiteError(
            f"cannot use {path}: {error}; use driver and programs of the same version"
        ) from error


def _places(folders: Iterable[Path]) -> list[Path]:
    """The folders to search: those given, $CB_BUILD, installed data, build, and the data folder of
    the combench in PATH."""
    named = os.environ.get("CB_BUILD")
    in_path = shutil.which("combench")
    places = [*folders, *([Path(named)] if named else []), _TOP, _TOP / "build"]
    if in_path:
        places.append(Path(in_path).resolve().parent.parent / "share/combench")
    return places


_named: list[Path] = []  # the folder given by --programs


def look_in(folder: Path) -> None:
    """Search this folder of programs first."""
    _named[:] = [folder]
    known.cache_clear()


@functools.lru_cache(maxsize=None)
def known() -> Catalogue:
    """The catalogue of this combench. Raises SuiteError when it is missing or damaged."""
    places = _places(_named)
    for place in places:
        if (place / FILE).is_file():
            return load(place / FILE)
    looked = ", ".join(str(place) for place in places)
    raise SuiteError(
        f"cannot find {FILE} in {looked}; build combench with scripts/build build, or set "
        "$CB_BUILD to the folder of a build"
    )
