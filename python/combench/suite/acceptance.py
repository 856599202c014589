"""Judge a run by the thresholds of its plan and by earlier runs of the same plan.

DIR is the directory or bundle of a run whose plan has `accept` lines. Each row with a figure of a
threshold is compared with the same row of the earlier runs: it is worse if it is worse than in all of
them, and by more than --tolerance worse than their median.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import math
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Optional

from combench.common import bundles, values
from combench.common.documents import MANIFEST, Json, launch_of, read_manifest, read_result
from combench.common.errors import FAILED, MEASURED, SuiteError, require_modules
from combench.common.figures import Key, describe
from combench.common.files import replacing, require_other, require_writable, within
from combench.common.values import checked
from combench.suite import judging
from combench.suite import plan as plans

EXIT_STATUS = (
    "0 accepted: all thresholds are met, and no figure is worse than in the earlier runs; 1 not "
    "accepted; 2 a run cannot be read, or its plan has no threshold."
)
MORE = {
    "baseline": "Each DIR is a run, a bundle, or a folder of runs; runs are ordered by their start.",
    "tolerance": "With one earlier run, chance alone may exceed it; name as many as there are.",
}
SEE_ALSO = ("combench-run", "combench-compare", "combench-bundle")
_FORMATS = (".svg", ".pdf", ".png")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("run", metavar="DIR", type=Path, help="directory or bundle of the run to judge")
    add(
        "--baseline",
        metavar="DIR",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        help="earlier runs, or folders of them",
    )
    add(
        "--tolerance",
        type=checked(values.real(0, 1000, "per cent")),
        default=10.0,
        metavar="PCT",
        help="by how much a figure may be worse than the median of earlier runs (default 10)",
    )
    add("--all", action="store_true", help="list all rows of the history, not the worst of each figure")
    add("--plot", metavar="FILE", type=Path, help="plot the history: .svg, .pdf or .png")


@dataclass(frozen=True)
class Run:
    directory: Path
    manifest: Json

    @property
    def started(self) -> str:
        return str(self.manifest.get("started"))

    @functools.cached_property
    def launches(self) -> frozenset[tuple[str, ...]]:
        found = set()
        for entry in self.manifest["measurements"]:
            if "result" in entry:
                with contextlib.suppress(SuiteError):  # judging names what cannot be read
                    found.add(launch_of(read_result(within(self.directory, entry["result"]))))
        return frozenset(found)

    def is_copy_of(self, other: Run) -> bool:
        """Whether both are one run; a copy may have been continued."""
        common = self.launches & other.launches
        return self.started == other.started and (bool(common) or not self.launches)


@dataclass(frozen=True)
class Line:
    """A figure of a row, now and in the earlier runs that have it."""

    section: str
    threshold: judging.Threshold
    key: Key
    now: float
    earlier: tuple[tuple[str, float], ...]  # start of the run, value

    @property
    def change_pct(self) -> Optional[float]:
        """Change from the median of the earlier runs; None where it is no ratio."""
        middle = statistics.median(value for _, value in self.earlier) if self.earlier else 0.0
        return 100 * (self.now / middle - 1) if middle > 0 else None

    def is_worse(self, tolerance_pct: float) -> bool:
        """From an earlier 0, such as of losses, any increase is worse."""
        more, before = self.threshold.more_is_better, [value for _, value in self.earlier]
        if more is None or not before:
            return False
        extreme = min(before) if more else max(before)
        if self.now >= extreme if more else self.now <= extreme:
            return False
        change = self.change_pct
        return change is None or (-change if more else change) > tolerance_pct


def _read(path: Path) -> Run:
    directory = bundles.directory_of(path)
    return Run(directory, read_manifest(within(directory, MANIFEST)))


def _runs_in(path: Path) -> Iterator[Run]:
    """The runs that a word of --baseline names."""
    if not path.exists():
        raise SuiteError(f"--baseline {path}: it does not exist; name the directory of a run")
    if path.is_file() or (path / MANIFEST).exists():
        yield _read(path)
        return
    below = [
        one
        for one in sorted(path.iterdir())
        if (one / MANIFEST).exists() or bundles.is_bundle(one)
    ]
    if not below:
        raise SuiteError(f"--baseline {path}: there is no run in it; name the directory of a run")
    for one in below:
        yield _read(one)


def _plan_of(run: Run) -> plans.Plan:
    plan = plans.read(str(within(run.directory, run.manifest["plan"]["file"])))
    if not judging.has_thresholds(plan):
        raise SuiteError(
            f"{plan.path} has no threshold; add a line such as accept = frequency_Hz >= 10kHz to a "
            "section, or use combench compare"
        )
    return plan


def _without_copies(runs: list[Run], judged: Run) -> list[Run]:
    """Each earlier run once, with its most launches, in the order of time; without the judged run, which
    may be among them, as in a bundle."""
    kept: list[Run] = []
    for run in sorted(runs, key=lambda one: -len(one.launches)):
        first = next((one for one in (judged, *kept) if run.is_copy_of(one)), None)
        if first is None:
            kept.append(run)
        elif run.directory.resolve() != first.directory.resolve():
            print(f"{bundles.shown(run.directory)} is a copy of {bundles.shown(first.directory)} and does "
                  "not count again")
    return sorted(kept, key=lambda one: one.started)


_Known = dict[tuple[str, str, tuple[tuple[str, str], ...], Key], float]


def _figures(plan: plans.Plan, run: Run) -> _Known:
    """The figures of all thresholds in the rows of a run; the worst of rows with one key."""
    found: _Known = {}
    for one in judging.judge(plan, run.manifest, run.directory):
        for row in one.found:
            place = (one.section, one.threshold.figure.path, one.threshold.conditions, row.key)
            alike = [row.value] + ([found[place]] if place in found else [])
            found[place] = one.threshold.worst(alike)
    return found


def _history(verdicts: list[judging.Verdict], earlier: list[tuple[Run, _Known]]) -> list[Line]:
    lines = []
    for one in verdicts:
        for row in one.found:
            place = (one.section, one.threshold.figure.path, one.threshold.conditions, row.key)
            before = tuple((run.started, known[place]) for run, known in earlier if place in known)
            lines.append(Line(one.section, one.threshold, row.key, row.value, before))
    return lines


def _shown(lines: list[Line], tolerance_pct: float) -> list[Line]:
    """Of each threshold the row that is nearest to missing it, and all rows that are worse."""
    kept: list[Line] = []
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.section, str(line.threshold)), []).append(line)
    for group in groups.values():
        extreme = group[0].threshold.worst(line.now for line in group)
        worst = next(line for line in group if line.now == extreme)
        kept += [line for line in group if line is worst or line.is_worse(tolerance_pct)]
    return kept


def _print_history(lines: list[Line], tolerance_pct: float) -> None:
    print("\nhistory: earlier values in the order of their runs, then the value of this run")
    for line in lines:
        unit = f" {line.threshold.figure.unit}" if line.threshold.figure.unit else ""
        print(f"[{line.section}] {line.threshold.figure.path}{unit}: "
              f"{describe(line.key, judging.UNNAMED)}")
        if not line.earlier:
            print(f"    no earlier run has this row; now {line.now:.4g}")
            continue
        for started, value in line.earlier:
            print(f"    {started}  {value:.4g}")
        change = f", {line.change_pct:+.1f} % of the median" if line.change_pct is not None else ""
        worse = "  WORSE" if line.is_worse(tolerance_pct) else ""
        print(f"    now                   {line.now:.4g}{change}{worse}")


def _draw(lines: list[Line], started: str, path: Path, pyplot: Any) -> None:
    """A panel for each line: its value in each run, and the threshold."""
    lines = [line for line in lines if line.earlier]
    moving = [line for line in lines if any((line.now, *(value for _, value in line.earlier)))]
    lines = moving or lines  # what has always been 0 needs no picture
    columns = min(len(lines), 3)
    rows = math.ceil(len(lines) / columns)
    picture, axes = pyplot.subplots(rows, columns, figsize=(5 * columns, 3.2 * rows), squeeze=False)
    for one in axes.flat[len(lines) :]:
        one.set_visible(False)
    for axis, line in zip(axes.flat, lines):
        said = [when[:10] for when, _ in line.earlier] + [started[:10]]
        axis.plot(range(len(said)), [value for _, value in line.earlier] + [line.now], marker="o")
        axis.axhline(line.threshold.needed, linestyle="--", color="#d55e00")
        axis.set_xticks(range(len(said)), said, rotation=30, fontsize=7)
        axis.set_ylabel(f"{line.threshold.figure.path} {line.threshold.figure.unit}", fontsize=7)
        axis.set_title(f"[{line.section}] {describe(line.key, judging.UNNAMED)}"[:60], fontsize=7)
        axis.set_ylim(bottom=0)
    picture.tight_layout()
    with replacing(path, "Choose another --plot") as stream:
        picture.savefig(stream, format=path.suffix[1:])


def _require_plot(arguments: argparse.Namespace) -> Any:
    """Load what --plot needs before anything is read."""
    if not arguments.plot:
        return None
    if arguments.plot.suffix not in _FORMATS:
        raise SuiteError(
            f"--plot {arguments.plot}: unknown format; use a name ending in {', '.join(_FORMATS)}"
        )
    require_writable("--plot", arguments.plot)
    require_other("--plot", arguments.plot, (arguments.run, *arguments.baseline))
    require_modules("matplotlib")
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def main(arguments: argparse.Namespace) -> int:
    """Exit status: EXIT_STATUS."""
    pyplot = _require_plot(arguments)
    run = _read(arguments.run)
    plan = _plan_of(run)
    runs = [one for word in arguments.baseline for one in _runs_in(word)]
    runs = _without_copies(runs, run)
    verdicts = list(judging.judge(plan, run.manifest, run.directory))
    lines = _history(verdicts, [(one, _figures(plan, one)) for one in runs])
    worse = [line for line in lines if line.is_worse(arguments.tolerance)]
    print(f"{arguments.run}: plan {plan.name}, started {run.started}, {len(runs)} earlier runs\n")
    print("\n".join(judging.lines(verdicts)))
    shown = lines if arguments.all else _shown(lines, arguments.tolerance)
    if runs:
        _print_history(shown, arguments.tolerance)
    if pyplot is not None:
        if not any(line.earlier for line in shown):
            raise SuiteError("--plot: no earlier run has a row of this run; name one by --baseline")
        _draw(shown, run.started, arguments.plot, pyplot)
    missed = sum(one.verdict != judging.MET for one in verdicts)
    if not missed and not worse:
        print("\naccepted")
        return MEASURED
    print(f"\nnot accepted: {missed} thresholds are not met, {len(worse)} figures are worse than in "
          "earlier runs")
    return FAILED
