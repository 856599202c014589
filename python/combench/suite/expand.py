"""Expands a plan, for an allocation, to a list of measurements: one start of a program each."""

from __future__ import annotations

import itertools
import re
import zlib
from dataclasses import dataclass, replace
from typing import Iterator, Mapping

from combench.common.catalogue import CALIBRATION, Shape
from combench.common.values import number_of, option_values
from combench.suite.plan import Over, Plan, Section, count_key

# Estimated time to start a job.
_START_S, _START_RANK_S = 1.5, 0.05
# Additional time beside a computing task, where a block lasts many scheduler ticks.
_OCCUPIED_ROW_S = 0.4
# Rates of --load-curve auto, and the time of --find-rate as a multiple of --max-time.
_AUTOMATIC_RATES, _SEARCH = 9, 4
# Rounds of a victim beside an aggressor, without --rounds: phases beside it, and one more alone.
_ROUNDS = 5
# File systems limit names to 255 bytes, of which endings such as .timeline.json need some.
_NAME_LENGTH = 220
# A start is taken to hang after this multiple of its estimated time; shared cores may slow it down.
_HANGS_AFTER, _HANGS_AFTER_LEAST_S = 10, 180


@dataclass(frozen=True)
class Overrides:
    """Values of the command line that override the plan."""

    max_time_s: float | None = None
    precision_pct: float | None = None
    timeout_s: float | None = None
    placement: str | None = None


@dataclass(frozen=True)
class Measurement:
    name: str  # unique in a plan: section.technology.shape.occupation
    section: str
    benchmark: str
    id: str
    group: str
    technology: str
    occupation: str  # empty outside group 1
    wait: str
    shape: str
    ranks: int
    placement: str
    words: tuple[str, ...]  # options for the program, without --output
    rows: int  # at most
    expected_s: float
    timeout_s: float
    obstacle: str = ""  # why it cannot be started here
    repeat: int = 1  # launches that the plan asks for
    launch: int = 1
    variant: str = ""
    timeline_events: int | None = None  # to record

    @property
    def folder(self) -> str:
        """The folder of its launch, below those of results and logs."""
        return "/".join(self._parts)

    @property
    def title(self) -> str:
        """The name of its launch, unique in a run."""
        return ".".join([self.name, *self._parts])

    @property
    def _parts(self) -> list[str]:
        launch = f"launch-{self.launch}" if self.launch > 1 else ""
        return [part for part in (self.variant, launch) if part]

    @property
    def is_occupied(self) -> bool:
        """Whether it runs beside a computing task."""
        return self.occupation not in ("", "none")

    @property
    def kind(self) -> str:
        """Measurements of one kind have similar ratios of actual to estimated time."""
        return f"occupied {self.is_occupied}, wait {self.wait}, group {self.group}"


def shapes(section: Section, ranks: int, cores: int) -> list[Shape]:
    """The counts of a section. `max` is the largest that fits the ranks; of a calibration, whose ranks
    must not share cores, the cores."""
    benchmark, key = section.benchmark, count_key(section.benchmark)
    if benchmark.names_others:
        return [benchmark.shape(str(ranks))]
    usual = benchmark.count.usual
    room = cores if benchmark.group == CALIBRATION else ranks
    texts = section.values[key] if key in section.given else usual or ("max",)
    found: dict[str, Shape] = {}
    for text in texts:
        known = benchmark.largest(room) if text == "max" else text
        if known is not None:
            found.setdefault(known, benchmark.shape(known))
    return list(found.values())


def _name(section: Section, *axes: tuple[str, str]) -> str:
    """The name of a measurement, and of its files; axes that the plan does not set are left out. A long
    one ends in a checksum of the whole."""
    parts = [section.name] + [value for key, value in axes if key == "" or key in section.given]
    name = ".".join(part for part in parts if part)
    if len(name) <= _NAME_LENGTH:
        return name
    return f"{name[: _NAME_LENGTH - 9]}-{zlib.crc32(name.encode('utf-8')):08x}"


def _offered_rates(options: Mapping[str, str]) -> tuple[int, int]:
    """The rows of open loops beside each closed one, and the time of all as a multiple of that of one
    row."""
    curve = options.get("--load-curve")
    if curve is not None:
        rates = _AUTOMATIC_RATES if curve == "auto" else len(curve.split(","))
        return rates, 1 + rates
    return (1, 1 + _SEARCH) if "--find-rate" in options else (0, 1)


def _measurement(
    section: Section,
    over: Over,
    shape: Shape,
    occupation: str,
    wait: str,
    buffers: str,
    pair: tuple[str, ...],
    overrides: Overrides,
    most_ranks: int,
) -> Measurement:
    values, benchmark = section.values, section.benchmark
    max_time_s = overrides.max_time_s or values["max-time"]
    words = [*over.words, *values["sizes"].words, *shape.words]
    if benchmark.occupations:
        words += ["--compute", occupation]
    algorithms = values["algorithms"] or benchmark.algorithms_us
    if algorithms:
        words += ["--algorithm", ",".join(str(us) for us in algorithms)]
    words += ["--wait", wait, "--max-time", f"{max_time_s:g}"]
    if "buffers" in benchmark.options:
        words += ["--buffers", buffers]
    for option, command in zip(("--victim", "--aggressor"), pair):
        words += [option, command]
    words += ["--precision", f"{overrides.precision_pct or values['precision']:g}"]
    options = option_values(values["options"])
    rows = benchmark.rows_of(
        shape,
        values["sizes"].numbers,
        occupation,
        len(algorithms),
        mode=options.get("--mode", ""),
        changes="--list" not in options,
    )
    row_s = max_time_s + (_OCCUPIED_ROW_S if occupation not in ("", "none") else 0)
    rates, times = _offered_rates(options)
    if pair:
        rows, times = 1, 1 + 2 * number_of(values["options"], "--rounds", _ROUNDS)
    fixed = options.get("--list") in benchmark.lists[:1]  # the first of its lists does not change
    ranks = shape.ranks if fixed else shape.ranks_of_job(most_ranks)
    expected_s = _START_S + _START_RANK_S * ranks + rows * times * row_s
    limit_s = max(_HANGS_AFTER * expected_s, _HANGS_AFTER_LEAST_S)
    return Measurement(
        name=_name(
            section,
            ("", over.text),
            ("", shape.text if count_key(benchmark) else ""),
            ("", occupation),
            ("waits", wait),
            ("buffers", buffers),
            *(("", re.sub(r"[^A-Za-z0-9_-]+", "-", command)) for command in pair),
        ),
        section=section.name,
        benchmark=benchmark.name,
        id=benchmark.id,
        group=benchmark.group,
        technology=over.technology,
        occupation=occupation,
        wait=wait,
        shape=shape.text,
        ranks=ranks,
        placement=overrides.placement or values["placement"],
        words=(*words, *values["options"]),
        rows=rows * (1 + rates),
        expected_s=expected_s,
        timeout_s=overrides.timeout_s or values["time-out"] or limit_s,
        repeat=values["repeat"],
        timeline_events=values["timeline"],
    )


def _obstacle(one: Measurement, cores: int | None) -> str:
    """Why a slowdown of computing would be no figure on these cores."""
    if cores is None or one.ranks <= cores or not one.is_occupied or one.wait != "spin":
        return ""
    return (
        f"{one.ranks} spinning ranks share {cores} cores: each computing task gets a turn of a "
        "scheduler tick in several seconds, too few for a figure; use a core for each rank, or "
        "another wait"
    )


def expand(
    plan: Plan, ranks: int, overrides: Overrides, cores: int | None = None
) -> Iterator[Measurement]:
    """All measurements of a plan, in order, for a job of `ranks` ranks; `cores` None: one each."""
    room = ranks if cores is None else min(cores, ranks)
    for section in plan.sections:
        values = section.values
        occupations = values["occupations"] if section.benchmark.occupations else ("",)
        pairs = itertools.product(values["victims"], values["aggressors"])
        for over, shape, occupation, wait, buffers, pair in itertools.product(
            values["technologies"],
            shapes(section, ranks, room),
            occupations,
            values["waits"],
            values["buffers"],
            list(pairs) if section.benchmark.names_others else [()],
        ):
            # Spare ranks do not make ranks share cores that would have one each without them.
            most = room if shape.ranks <= room else ranks
            one = _measurement(
                section, over, shape, occupation, wait, buffers, pair, overrides, most
            )
            yield replace(one, obstacle=_obstacle(one, cores))
