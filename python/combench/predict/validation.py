"""Comparison of predicted with measured figures: rows, errors, summaries."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Sequence

from combench.common.documents import Json
from combench.common.errors import SuiteError
from combench.common.inference import next_value_share
from combench.predict.calibration import Measurements, calibrating
from combench.predict.cases import Asked
from combench.predict.columns import figure_of
from combench.predict.impacts import Impact
from combench.predict.prediction import Prediction
from combench.predict.replays import Replay

Predict = Callable[[Asked], Prediction]
CONFIDENCE_90 = 0.9
NORMAL_QUANTILE_90 = statistics.NormalDist().inv_cdf((1 + CONFIDENCE_90) / 2)


@dataclass(frozen=True)
class Comparison:
    """One row: a measured figure and its prediction."""

    asked: Asked
    measured_us: float
    predicted_us: float
    fitted: bool  # the calibration was fitted to this benchmark and size
    limit: str | None  # the resource that saturates first in the model
    half_pct: float = 0.0  # half of the prediction's own 90 % interval, see half_interval_pct

    @property
    def error_pct(self) -> float:
        """Predicted minus measured time, in per cent of the measured time."""
        return 100 * (self.predicted_us / self.measured_us - 1)

    def row(self) -> Json:
        case = self.asked.case
        row: Json = {"benchmark": case.benchmark, "mode": case.mode, "figure": figure_of(case)}
        row |= {"shape": list(case.shape), "processors": case.processors}
        row |= {"size_bytes": case.size_bytes, "algorithm_us": case.algorithm_us}
        if case.fragments:
            row["fragments"] = case.fragments
        if self.asked.rate_hz:
            row["offered_Hz"] = self.asked.rate_hz
        row |= {"measured_us": self.measured_us, "predicted_us": self.predicted_us}
        row |= {"error_pct": self.error_pct, "fitted": self.fitted}
        row["interval_pct"] = self.half_pct
        if self.asked.measured_pct is not None:
            row["measured_interval_pct"] = self.asked.measured_pct
        row["oversubscribed"] = self.asked.oversubscribed
        if self.limit is not None:
            row["limit"] = self.limit
        return row


@dataclass(frozen=True)
class Summary:
    """Summary of absolute errors in per cent, without fitted rows."""

    rows: int
    median_pct: float
    worst_pct: float
    worst: Comparison

    def document(self) -> Json:
        worst = {"benchmark": self.worst.asked.case.benchmark, "what": self.worst.asked.describe()}
        return {
            "rows": self.rows,
            "median_error_pct": self.median_pct,
            "worst_error_pct": self.worst_pct,
            "worst": worst,
        }


def summarize(rows: Iterable[Comparison]) -> Summary | None:
    """The summary of the rows; None if all rows were fitted."""
    counted = [row for row in rows if not row.fitted]
    if not counted:
        return None
    errors = [abs(row.error_pct) for row in counted]
    worst = max(counted, key=lambda row: abs(row.error_pct))
    return Summary(len(counted), statistics.median(errors), abs(worst.error_pct), worst)


@dataclass
class Validation:
    rows: list[Comparison] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)
    replays: list[Replay] = field(default_factory=list)
    impacts: list[Impact] = field(default_factory=list)

    def of(self, benchmark: str) -> list[Comparison]:
        return [row for row in self.rows if row.asked.case.benchmark == benchmark]

    def benchmarks(self) -> list[str]:
        return list(dict.fromkeys(row.asked.case.benchmark for row in self.rows))


def calibration_pct(residual_pct: float, launches_us: Sequence[float] = ()) -> float:
    """Half of the 90 % interval of a calibration, in per cent: from its residual (rms) and its launches."""
    of_fit = NORMAL_QUANTILE_90 * residual_pct
    of_launches = 100 * next_value_share(launches_us, CONFIDENCE_90) if launches_us else 0.0
    return math.hypot(of_fit, of_launches)


def half_interval_pct(predicted: Prediction, of_calibration_pct: float) -> float:
    """Half of the 90 % interval that a prediction has of its own, in per cent: from its calibration and the
    evaluations of several seeds."""
    return math.hypot(of_calibration_pct, 100 * next_value_share(predicted.steps_us, CONFIDENCE_90))


def compare(
    asked: Sequence[Asked],
    predict: Predict,
    fitted: Callable[[Asked], bool],
    of_calibration_pct: float = 0.0,
) -> Validation:
    """Compare measurements with `predict`, whose calibration has this interval. Cases that it rejects are
    listed in `left_out`. SuiteError: all were rejected."""
    made = Validation()
    first: SuiteError | None = None
    for one in asked:
        if not one.measured_us:
            continue
        try:
            predicted = predict(one)
        except SuiteError as error:
            first = first or error
            what = {"benchmark": one.case.benchmark, "what": one.describe(), "reason": str(error)}
            made.left_out.append(what)
            continue
        step_us = predicted.step_us / one.case.step.divisor
        limit = predicted.limit.text if predicted.limit else None
        half_pct = half_interval_pct(predicted, of_calibration_pct)
        made.rows.append(Comparison(one, one.measured_us, step_us, fitted(one), limit, half_pct))
    if first is not None and not made.rows:
        raise first
    return made


# Held-out sizes


def sizes_to_hold_out(documents: Iterable[Json], wanted: Sequence[int] | None) -> frozenset[int]:
    """The wanted sizes; with None every second size of the calibrating benchmarks.

    SuiteError: no size is held out, or no size remains for the fit."""
    names = {one.name for one in calibrating()}
    sizes = sorted(
        {
            int(row["size_bytes"])
            for document in documents
            if document["benchmark"] in names
            for row in document["results"]
        }
    )
    held = frozenset(sizes[1::2] if wanted is None else wanted)
    if not held or not frozenset(sizes) - held:
        raise SuiteError(
            "holding these sizes out leaves nothing to calibrate with; measure more sizes with "
            f"{calibrating()[0].program}, or hold fewer out"
        )
    return held


def without_sizes(document: Json, held: frozenset[int]) -> Json:
    kept = [row for row in document["results"] if int(row["size_bytes"]) not in held]
    return {**document, "results": kept}


def hold_out(measurements: Measurements, held: frozenset[int], folder: Path) -> Measurements:
    """The measurements without the held-out sizes in calibrating documents, written to the folder."""
    names = {one.name for one in calibrating()}
    documents = []
    for number, (path, document) in enumerate(measurements.documents):
        if document["benchmark"] in names:
            document = without_sizes(document, held)
            path = folder / f"{number}-{path.name}"
            path.write_text(json.dumps(document), encoding="utf-8")
        documents.append((path, document))
    return Measurements(measurements.technology, tuple(documents), measurements.title)


def document_of(validation: Validation, about: dict[str, Any]) -> Json:
    """A document combench-validation/1, see docs/combench-validation-1.schema.json."""
    summary = summarize(validation.rows)
    each = {name: summarize(validation.of(name)) for name in validation.benchmarks()}
    return {
        "schema": "combench-validation/1",
        **about,
        "results": [row.row() for row in validation.rows],
        **({"replays": [one.document() for one in validation.replays]} if validation.replays else {}),
        **({"impacts": [one.document() for one in validation.impacts]} if validation.impacts else {}),
        "left_out": validation.left_out,
        **({"summary": summary.document()} if summary else {}),
        "benchmarks": {name: one.document() for name, one in each.items() if one},
    }


# Text output


def _processors(one: Asked) -> str:
    count = one.case.definition.count
    if count.is_farm or count.is_topology:
        return one.case.count_text
    return str(one.case.processors)


def _line(row: Comparison) -> str:
    one = row.asked
    marks = ("f" if row.fitted else "") + ("*" if one.oversubscribed else "")
    case = one.case
    what = f"{case.benchmark:10} {case.mode:9} {_processors(one):>6} {case.size_bytes:9}"
    figures = f"{row.predicted_us:12.5g} {row.measured_us:12.5g} {row.error_pct:+8.1f}"
    return f"{what} {figures} {marks}".rstrip()


def _summary_line(name: str, summary: Summary) -> str:
    return (
        f"{name}: median error {summary.median_pct:.1f} %, worst {summary.worst_pct:.1f} % "
        f"({summary.worst.asked.case.benchmark}, {summary.worst.asked.describe()}), "
        f"{summary.rows} rows"
    )


def text_of(validation: Validation) -> str:
    """The table of all rows, with the errors of each benchmark and of all rows; replays; and impacts."""
    lines = []
    if validation.rows:
        lines += [
            "benchmark  mode       procs     bytes predicted us  measured us  error %",
            *(_line(row) for row in validation.rows),
            "",
        ]
    for name in validation.benchmarks():
        summary = summarize(validation.of(name))
        if summary:
            lines.append(_summary_line(name, summary))
    summary = summarize(validation.rows)
    if summary:
        lines.append(_summary_line("all", summary))
    lines += [one.text() for one in validation.replays]
    lines += [one.text() for one in validation.impacts]
    if any(row.fitted for row in validation.rows):
        lines.append("f fitted: used by the calibration, not included in the errors")
    crowded = [row.asked.oversubscribed for row in validation.rows]
    alike = [*validation.replays, *validation.impacts]
    if any([*crowded, *(one.oversubscribed for one in alike)]):
        lines.append("* oversubscribed: more busy ranks than cores on a host")
    for one in validation.left_out:
        lines.append(f"left out: {one['benchmark']}, {one['what']}: {one['reason']}")
    return "\n".join(lines)
