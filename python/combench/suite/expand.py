"""Expands a plan, for an allocation, to a list of measurements: one start of a program each."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Iterator

from combench.common.catalogue import Shape
from combench.suite.plan import Plan, Section, count_key

# Estimated time to start a job.
_START_S, _START_RANK_S = 1.5, 0.05
# Additional time beside a computing task, where a block lasts many scheduler ticks.
_OCCUPIED_ROW_S = 1.0
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
    shape: str
    ranks: int
    placement: str
    words: tuple[str, ...]  # options for the program, without --output
    rows: int  # at most
    expected_s: float
    timeout_s: float
    obstacle: str = ""  # why it cannot be started here

    @property
    def kind(self) -> str:
        """Measurements of one kind have similar ratios of actual to estimated time."""
        return f"occupied {self.occupation not in ('', 'none')}, group {self.group}"


def shapes(section: Section, ranks: int, cores: int) -> list[Shape]:
    """The counts of a section. `max` is the largest that fits the ranks, or the cores where ranks
    must not share them."""
    benchmark, key = section.benchmark, count_key(section.benchmark)
    usual = benchmark.count.usual
    room = ranks if usual else cores  # without usual counts ranks must not share cores
    texts = section.values[key] if key in section.given else usual or ("max",)
    found: dict[str, Shape] = {}
    for text in texts:
        known = benchmark.largest(room) if text == "max" else text
        if known is not None:
            found.setdefault(known, benchmark.shape(known))
    return list(found.values())


def _name(section: Section, *axes: tuple[str, str]) -> str:
    """The name of a measurement; axes that the plan does not set are left out."""
    parts = [section.name] + [value for key, value in axes if key == "" or key in section.given]
    return ".".join(part for part in parts if part)


def _measurement(
    section: Section,
    technology: str,
    shape: Shape,
    occupation: str,
    wait: str,
    buffers: str,
    overrides: Overrides,
    most_ranks: int,
) -> Measurement:
    values, benchmark = section.values, section.benchmark
    max_time_s = overrides.max_time_s or values["max-time"]
    words = ["--technology", technology, *values["sizes"].words, *shape.words]
    if benchmark.occupations:
        words += ["--compute", occupation]
    algorithms = values["algorithms"] or benchmark.algorithms_us
    if algorithms:
        words += ["--algorithm", ",".join(str(us) for us in algorithms)]
    words += ["--wait", wait, "--buffers", buffers, "--max-time", f"{max_time_s:g}"]
    words += ["--precision", f"{overrides.precision_pct or values['precision']:g}"]
    rows = benchmark.rows_of(
        shape, values["sizes"].numbers, occupation, len(algorithms), values["options"]
    )
    row_s = max_time_s + (_OCCUPIED_ROW_S if occupation not in ("", "none") else 0)
    ranks = shape.ranks_of_job(most_ranks)
    expected_s = _START_S + _START_RANK_S * ranks + rows * row_s
    limit_s = max(_HANGS_AFTER * expected_s, _HANGS_AFTER_LEAST_S)
    return Measurement(
        name=_name(
            section,
            ("", technology),
            ("", shape.text if count_key(benchmark) else ""),
            ("", occupation),
            ("waits", wait),
            ("buffers", buffers),
        ),
        section=section.name,
        benchmark=benchmark.name,
        id=benchmark.id,
        group=benchmark.group,
        technology=technology,
        occupation=occupation,
        shape=shape.text,
        ranks=ranks,
        placement=overrides.placement or values["placement"],
        words=(*words, *values["options"]),
        rows=rows,
        expected_s=expected_s,
        timeout_s=overrides.timeout_s or values["time-out"] or limit_s,
    )


def expand(
    plan: Plan, ranks: int, overrides: Overrides, cores: int | None = None
) -> Iterator[Measurement]:
    """All measurements of a plan, in order, for a job of `ranks` ranks; `cores` None: one each."""
    for section in plan.sections:
        values = section.values
        occupations = values["occupations"] if section.benchmark.occupations else ("",)
        for technology, shape, occupation, wait, buffers in itertools.product(
            values["technologies"],
            shapes(section, ranks, ranks if cores is None else min(cores, ranks)),
            occupations,
            values["waits"],
            values["buffers"],
        ):
            yield _measurement(
                section, technology, shape, occupation, wait, buffers, overrides, ranks
            )
