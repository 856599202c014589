"""Plans list the measurements of a run. A plan is a text of `key = value` lines.

Lines before the first [section], the head, apply to all sections. A section is one benchmark with
the values of its axes; it inherits keys from the head. The keys are rows of KEYS;
docs/using/running.md explains them.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, NoReturn

from combench.common import catalogue, thresholds, values
from combench.common.catalogue import Benchmark, nearest
from combench.common.errors import SuiteError, cause_of
from combench.common.files import read_input
from combench.common.values import option_values
from combench.suite.launcher import PLACEMENTS

SHIPPED = Path(__file__).parent / "plans"
SUFFIX = ".plan"

# Options that the driver itself gives to the programs; not allowed in `options`.
_OWN_OPTIONS = (
    "--technology --sizes --sweep --processors --destinations --sources --topology --algorithm "
    "--compute --wait --buffers --max-time --precision --output --format --timeline --emit-trace --help "
    "--manual --version"
).split()
_OWN_OF_PREDICT = ("--scale", "--technology", "--programs", "--output")


@dataclass(frozen=True)
class Sizes:
    """Packet sizes: options for the program, and the sizes; None: the program's own."""

    words: tuple[str, ...]
    numbers: frozenset[int] | None


MODEL = "model"  # in the place of a technology


@dataclass(frozen=True)
class Over:
    """What moves the data: a technology, with values of its parameters."""

    technology: str
    settings: tuple[str, ...] = ()  # NAME=VALUE

    def __str__(self) -> str:
        return " ".join((self.technology, *self.settings))

    @property
    def text(self) -> str:
        """For names of files: the technology, and the values that are set."""
        parts = [self.technology, *(one.partition("=")[2] for one in self.settings)]
        return ".".join(re.sub(r"[^A-Za-z0-9_.%-]", "-", part) for part in parts)

    @property
    def words(self) -> tuple[str, ...]:
        """Options for the program; a model is none of its technologies."""
        if self.technology == MODEL:
            return ()
        given = ("--parameter", ",".join(self.settings)) if self.settings else ()
        return ("--technology", self.technology, *given)


@dataclass(frozen=True)
class Section:
    name: str
    line: int
    benchmark: Benchmark
    values: Mapping[str, Any]  # parsed values by key, including defaults
    given: frozenset[str]  # keys that the section or the head sets


@dataclass(frozen=True)
class Plan:
    name: str
    path: str
    text: str
    title: str
    ranks: int  # started at least, on shared cores where there are fewer
    predicted: tuple[int, ...]  # processors that the last step predicts; empty: no such step
    predict_options: tuple[str, ...]  # more options of that step
    sections: tuple[Section, ...]


# Values. A ValueError names the mistake and the remedy.


_PARTS = re.compile(r",(?=(?:[^']*'[^']*')*[^']*$)")  # commas outside of quotes


def _listed(parse: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    def parse_list(text: str) -> tuple[Any, ...]:
        found = [parse(part.strip()) for part in _PARTS.split(text)]
        for value in found:
            if found.count(value) > 1:
                raise ValueError(f"'{value}' occurs twice; give each value once")
        return tuple(found)

    return parse_list


def _word(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.%-]+", text):
        raise ValueError(f"'{text}' is not a name; give names separated by commas")
    return text


def _over(text: str) -> Over:
    name, *settings = text.split() or [""]
    for setting in settings:
        if not re.fullmatch(r"[a-z0-9_]+=\S+", setting):
            raise ValueError(
                f"'{setting}' is not a parameter; write NAME=VALUE after the technology, separated "
                "by spaces"
            )
    return Over(_word(name), tuple(settings))


def _sizes(text: str) -> Sizes:
    if text == "default":
        return Sizes((), None)
    if text == "sweep":
        return Sizes(("--sweep",), frozenset(catalogue.known().sweep_sizes_bytes))
    numbers = _listed(values.size_bytes)(text)
    return Sizes(("--sizes", ",".join(str(number) for number in numbers)), frozenset(numbers))


def _benchmark(text: str) -> str:
    return values.one_of(*catalogue.known().benchmarks)(text)


def _choice(option: str) -> Callable[[str], str]:
    """Parser for one of the values of an option of the programs."""
    return lambda text: values.one_of(*catalogue.known().choices[option])(text)


def _commands(text: str) -> tuple[str, ...]:
    """Benchmarks with their options; one that has a comma in it is in quotes."""
    return _listed(lambda part: part.strip("'").strip())(text)


def _options_but(*own: str) -> Callable[[str], tuple[str, ...]]:
    def parse(text: str) -> tuple[str, ...]:
        words = shlex.split(text)
        for word in words:
            if _is_of(own, word.split("=")[0]):
                raise ValueError(f"{word} is set by the driver; use the plan's key for it")
        return tuple(words)

    return parse


def _is_of(own: Iterable[str], word: str) -> bool:
    """Whether a word is one of these options, or short for one."""
    return word.startswith("--") and len(word) > 2 and any(one.startswith(word) for one in own)


@dataclass(frozen=True)
class Key:
    parse: Callable[[str], Any]
    default: Any
    help: str
    head: bool = False  # allowed in the head, for all sections
    section: bool = True


_COUNTS = {
    "processors": "numbers of processors; max: as many as fit the job",
    "destinations": "numbers of destinations, or max",
    "sources": "numbers of sources, or max",
    "farms": "sources x destinations, such as 4x4 and 8x1, or max",
    "topologies": "stages of pipelines, such as 4-2-1; max is not allowed",
}

KEYS: dict[str, Key] = {
    "title": Key(str, "", "title of the plan in reports", head=True, section=False),
    "ranks": Key(
        values.rank_count,
        2,
        "minimum number of ranks for measurements that need them; ranks share cores where there are "
        "fewer cores",
        head=True,
        section=False,
    ),
    "predict": Key(
        _listed(values.rank_count),
        (),
        "numbers of processors, sources and destinations that combench predict, the last step of the "
        "run, predicts from its results",
        head=True,
        section=False,
    ),
    "predict-options": Key(
        _options_but(*_OWN_OF_PREDICT),
        (),
        "more options of that combench predict, as on its command line",
        head=True,
        section=False,
    ),
    "benchmark": Key(
        _benchmark, None, "name of the benchmark, without cb_ (default: name of the section)"
    ),
    "technologies": Key(
        _listed(_over),
        (Over("mpi"),),
        "names of technologies, each with parameters if it needs them: mpi, ofi method=write; those "
        "not built are left out",
        head=True,
    ),
    "sizes": Key(
        _sizes,
        Sizes((), None),
        "packet sizes such as 0, 64, 4KiB, 1MB; or sweep; or default, the sizes of the programs",
        head=True,
    ),
    "occupations": Key(
        _listed(_word),
        ("none",),
        "for group 1, where computing tasks run: none, source, destination, both",
    ),
    "algorithms": Key(
        _listed(values.whole_microseconds),
        None,
        "for group 2, times of work on each packet, such as 50 (us) or 2ms (default: those of the "
        "programs)",
    ),
    "waits": Key(
        _listed(_choice("wait")), ("auto",), "wait policies: auto, spin, yield, block", head=True
    ),
    "buffers": Key(
        _listed(_choice("buffers")), ("hot",), "reuse of buffers: values of the programs' --buffers", head=True
    ),
    "repeat": Key(
        values.whole(1, 1000),
        1,
        "number of launches: starts of the same program, in rounds of random order",
        head=True,
    ),
    "max-time": Key(values.max_time_s, 1.5, "seconds per measurement, at most", head=True),
    "precision": Key(
        values.precision_pct, 2.0, "requested precision of the median, in per cent", head=True
    ),
    "time-out": Key(
        values.timeout_s,
        None,
        "seconds after which a start of a program is stopped (default: ten times the estimated "
        "time, at least 180)",
        head=True,
    ),
    "placement": Key(
        values.one_of(*PLACEMENTS),
        "spread",
        "on several hosts: fill one host after the other (block), alternate hosts (cyclic), each "
        "role on all hosts (spread) or on as few hosts as possible (packed)",
        head=True,
    ),
    "accept": Key(
        _listed(thresholds.parse),
        (),
        "thresholds for all rows of the section, such as frequency_Hz >= 10kHz, lost = 0; a figure is "
        "named as in CSV, and if mode=stream after one limits it to some rows; a run that misses one "
        "ends with status 1",
    ),
    "victims": Key(
        _commands,
        (),
        "for congestion, victims: benchmarks with options, as oneway --sizes 64; 'ring --sizes 8,64' in "
        "quotes if there is a comma",
    ),
    "aggressors": Key(
        _commands, (), "for congestion, aggressors like victims, or none or busy: each beside each victim"
    ),
    "timeline": Key(
        values.whole(1, 65536),
        None,
        "for farms and event building, number of events in a timeline beside the result, of which reports draw one",
    ),
    "options": Key(_options_but(*_OWN_OPTIONS), (), "more options for the program, as on its command line"),
    **{key: Key(_listed(_word), None, text) for key, text in _COUNTS.items()},
}


def count_key(benchmark: Benchmark) -> str:
    """The key for the counts of a benchmark; empty where the count is fixed."""
    count = benchmark.count
    if count.is_farm or count.is_topology:
        return "farms" if count.is_farm else "topologies"
    return "" if count.is_fixed or benchmark.names_others else count.column


@dataclass
class _Reader:
    """Reads a plan line by line; every mistake is reported with its line."""

    path: str
    line: int = 0
    head: dict[str, Any] = field(default_factory=dict)
    sections: list[tuple[str, int, dict[str, tuple[int, Any]]]] = field(default_factory=list)

    def fail(self, what: str, line: int = 0) -> NoReturn:
        raise SuiteError(f"{self.path}:{line or self.line}: {what}")

    def read_line(self, text: str) -> None:
        self.line += 1
        if any(ord(letter) < 32 and letter != "\t" for letter in text):
            self.fail("the line has control characters; write the plan as a text")
        text = re.sub(r"(^|\s)#.*", "", text).strip()
        if text.startswith("["):
            self.open_section(text)
        elif text:
            self.read_value(text)

    def open_section(self, text: str) -> None:
        found = re.fullmatch(r"\[([A-Za-z0-9_-]+)\]", text)
        if found is None:
            self.fail(f"'{text}' is not a section; write [NAME] with letters, digits, - and _")
        if any(found.group(1) == name for name, _, _ in self.sections):
            self.fail(f"the section [{found.group(1)}] occurs twice; rename one")
        self.sections.append((found.group(1), self.line, {}))

    def read_value(self, text: str) -> None:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value:
            self.fail(f"'{text}' has no value; write KEY = VALUE")
        allowed = [key for key, row in KEYS.items() if (row.section if self.sections else row.head)]
        if name not in allowed:
            place = f"of section [{self.sections[-1][0]}]" if self.sections else "of a whole plan"
            self.fail(f"'{name}' is not a key {place}; {nearest(name, allowed)}")
        try:
            parsed = KEYS[name].parse(value)
        except ValueError as error:
            self.fail(f"{name}: {error}")
        target = self.sections[-1][2] if self.sections else self.head
        if name in target:
            self.fail(f"'{name}' occurs twice; keep one of the lines")
        target[name] = (self.line, parsed) if self.sections else parsed

    def section(self, name: str, line: int, own: dict[str, tuple[int, Any]]) -> Section:
        benchmark_name = own["benchmark"][1] if "benchmark" in own else name
        known = catalogue.known().benchmarks
        if benchmark_name not in known:
            self.fail(
                f"[{name}] is not a benchmark; {nearest(name, known)} Or add benchmark = NAME",
                line,
            )
        benchmark = known[benchmark_name]
        for key, (at, value) in own.items():
            self.check_meaning(benchmark, key, value, at)
        for key in ("victims", "aggressors"):
            if benchmark.names_others and key not in own:
                self.fail(f"{benchmark.program} needs {key}; add {key} = NAME [OPTION]..., ...", line)
        values = {key: row.default for key, row in KEYS.items() if row.section}
        values.update((key, self.head[key]) for key in self.head if KEYS[key].section)
        values.update((key, value) for key, (_, value) in own.items())
        if "--parameter" in option_values(values["options"]):
            self.check_parameters(values["technologies"], own["options"][0])
        return Section(name, line, benchmark, values, frozenset(own) | frozenset(self.head))

    def check_parameters(self, technologies: Iterable[Over], line: int) -> None:
        for one in technologies:
            if one.settings:
                self.fail(
                    f"--parameter is also set by '{one}' of technologies; add the parameter there",
                    line,
                )

    def check_meaning(self, benchmark: Benchmark, key: str, value: Any, line: int) -> None:
        """Refuse a key that the benchmark does not use, as the programs do."""
        without = f"{benchmark.program} has no {key}"
        if key in _COUNTS and key != count_key(benchmark):
            own = count_key(benchmark)
            self.fail(f"{without}; remove it{f', or use {own}' if own else ''}", line)
        if key == "algorithms" and not benchmark.algorithms_us:
            instead = ", or use occupations" if benchmark.occupations else ""
            self.fail(f"{without}, which belong to group 2; remove it{instead}", line)
        if key == "occupations" and not benchmark.occupations:
            instead = ", or use algorithms" if benchmark.algorithms_us else ""
            self.fail(f"{without}, which belong to group 1; remove it{instead}", line)
        if key == "occupations":
            for side in value:
                if side not in benchmark.occupations:
                    known = ", ".join(benchmark.occupations)
                    self.fail(f"{benchmark.program} has no occupation '{side}'; use {known}", line)
        if key == "timeline" and key not in benchmark.options:
            self.fail(f"{without}; remove it", line)
        if key in ("victims", "aggressors") and not benchmark.names_others:
            self.fail(f"{without}; remove it", line)
        if key == count_key(benchmark):
            self.check_counts(benchmark, value, line)

    def check_counts(self, benchmark: Benchmark, values: tuple[str, ...], line: int) -> None:
        for value in values:
            if value == "max" and not benchmark.count.is_topology:
                continue
            try:
                benchmark.shape(value)
            except ValueError as error:
                self.fail(f"{count_key(benchmark)}: {error}", line)

    def finish(self, text: str) -> Plan:
        if not self.sections:
            self.fail("the plan has no section; add one, such as [oneway]", max(self.line, 1))
        of_plan = ("title", "ranks", "predict", "predict-options")
        title, ranks, predicted, more = (self.head.pop(key, KEYS[key].default) for key in of_plan)
        sections = tuple(self.section(*section) for section in self.sections)
        return Plan(Path(self.path).stem, self.path, text, title, ranks, predicted, more, sections)


def parse(text: str, path: str) -> Plan:
    """The plan in the text. Mistakes raise SuiteError with file, line and remedy."""
    reader = _Reader(path)
    for line in text.splitlines():
        reader.read_line(line)
    return reader.finish(text)


def shipped() -> list[str]:
    """The names of the plans that come with the driver."""
    return sorted(path.stem for path in SHIPPED.glob(f"*{SUFFIX}"))


def read(name: str, pipes: bool = False) -> Plan:
    """Reads a shipped plan by name, or a plan file; with `pipes` it may be a pipe."""
    path = Path(name)
    if "/" not in name and not path.exists():
        path = SHIPPED / f"{name}{SUFFIX}"
        if not path.exists():
            raise SuiteError(
                f"no file and no shipped plan is named '{name}'; "
                f"{nearest(name, shipped())}"
            )
    try:
        return parse(read_input(path, pipes).decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise SuiteError(f"cannot read the plan {path}: {error}; write it in UTF-8") from error
    except OSError as error:
        raise SuiteError(
            f"cannot read the plan {path}: {cause_of(error)}; name another file"
        ) from error
