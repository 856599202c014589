"""Predictions of the model (combench-prediction/1) as rows beside the measured ones, and the error
of the model where both exist."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Sequence

from combench.common import catalogue
from combench.common.documents import Json
from combench.common.figures import at
from combench.report.charts import benchmark_title, label_of
from combench.report.figures import counted, frequency, interval_text, number
from combench.report.load import Document
from combench.report.rows import Row


@dataclass(frozen=True)
class Predicted:
    """A prediction in words."""

    what: str
    shape: str
    rate: str
    interval: str
    marks: str
    limit: str
    error: str  # relative to the measurement, where there is one
    remarks: str


def _as_row(data: Json, of: Document) -> Row:
    """A predicted row as a measured one, whose document names the benchmark and technology."""
    own = dict(data)
    if not catalogue.known().benchmark(own["benchmark"]).lists and own.get("multicast") == "loop":
        del own["multicast"]  # as in measured rows
    technology = of.data.get("calibration", {}).get("technology", "")
    head = {
        "benchmark": own["benchmark"],
        "id": own.get("id"),
        "technology": technology,
        "calibration": of.data.get("calibration", {}),
    }
    return Row(own, Document(of.path, head), "", technology)


def predicted_rows(documents: Sequence[Document]) -> list[Row]:
    return [
        _as_row(data, document)
        for document in documents
        for data in document.data.get("results", [])
        if data.get("source") == "model"
    ]


def _error_text(row: Row) -> str:
    measured = row.get("measured")
    if not measured:
        return ""
    mark = " *" if measured.get("oversubscribed") else ""
    return f"{measured['error_pct']:+.0f} %{mark}"


def _remarks(row: Row) -> str:
    said = [str(cut) for cut in row.get("cut") or []]
    if row.get("offered_Hz"):
        said.append(f"offered {frequency(row.get('offered_Hz'))}")
    if row.get("incast"):
        said.append(
            f"up to {row.get('incast.bytes')} bytes queue at a switch port with a buffer of "
            f"{row.get('incast.buffer_bytes')} bytes"
        )
    if row.get("incast.dropped_pct"):
        said.append(
            f"{row.get('incast.dropped_pct'):.3g} % of the frames dropped; "
            f"{row.get('incast.enough_bytes')} bytes would be enough"
        )
    return "; ".join(said)


def _limit(row: Row) -> str:
    limit = row.get("limit")
    if not limit:
        return ""
    if limit.get("limits"):
        return f"{limit['text']}, {number(limit['used_pct'])} % busy"
    return f"none; busiest: {limit['text']}, {number(limit['used_pct'])} % busy"


def table_of(rows: Sequence[Row]) -> list[Predicted]:
    """All predictions, in order."""
    made = []
    for row in rows:
        rate = row.figure("frequency_Hz")
        if rate is None:
            continue
        keys = ("benchmark", "technology", "mode", "multicast", "algorithm_us", "size_bytes")
        words = [label_of(key, row.get(key)) for key in keys]
        made.append(
            Predicted(
                ", ".join(word for word in words if word),
                row.shape,
                frequency(rate.value),
                interval_text(rate, frequency),
                rate.marks,
                _limit(row),
                _error_text(row),
                _remarks(row),
            )
        )
    return made


def _validation(rows: Sequence[Row]) -> str:
    """The error of predictions, separately where processes shared cores, which is not modelled."""
    parts = []
    for shared, where in ((False, "with a core per process"), (True, "with shared cores")):
        errors = [
            abs(row.get("measured.error_pct"))
            for row in rows
            if row.get("measured") and bool(row.get("measured.oversubscribed")) == shared
        ]
        if errors:
            parts.append(
                f"{counted(len(errors), 'prediction')} {where}: error of the time "
                f"{number(statistics.median(errors))} % (median), at most {number(max(errors))} %"
            )
    if not parts:
        return "No prediction has a measurement to compare with, so the error is unknown."
    return f"Predictions compared with measurements: {'; '.join(parts)}."


_LISTED = 12  # predictions in the discussion


def _beyond(rows: Sequence[Row]) -> list[str]:
    """Predictions for more processes than were measured, at the largest size of the note."""
    largest = max(catalogue.known().note_sizes_bytes)
    far = [
        row
        for row in rows
        if "processors" in (row.get("outside") or ())
        and not row.get("offered_Hz")
        and row.get("size_bytes") <= largest
    ]
    size = max((row.get("size_bytes") for row in far), default=None)
    said = [
        f"{one.what}, {one.shape}: {one.rate} {one.interval} {one.marks}."
        for one in table_of([row for row in far if row.get("size_bytes") == size])
    ]
    left_out = [f"{len(said) - _LISTED} more are in the table."] if len(said) > _LISTED else []
    return said[:_LISTED] + left_out


def _validated(document: Document) -> str:
    """The result of `combench validate`; empty where the document has no summary."""
    summary = document.data.get("summary")
    if not summary:
        return ""
    worst = summary["worst"]
    return (
        f"A validation over {document.data.get('technology', 'an unknown technology')} compared "
        f"{counted(summary['rows'], 'measurement')} that the calibration did not use: error of the "
        f"time {number(summary['median_error_pct'])} % (median), at most "
        f"{number(summary['worst_error_pct'])} % ({benchmark_title(worst['benchmark'])}, "
        f"{worst['what']})."
    )


def sentences(rows: Sequence[Row], validations: Sequence[Document] = ()) -> list[str]:
    """Sentences on scaling for the discussion; empty without predictions."""
    if not rows:
        return []
    largest = max(row.get("processors") for row in rows)
    sources = dict.fromkeys(
        str(source)
        for row in rows
        for source in row.document.data.get("calibration", {}).get("from", [])
    )
    said = [
        f"A model, calibrated with {', '.join(sources) or 'unknown measurements'}, predicts up to "
        f"{largest} processes. The table of predictions has the range over seeds and the resource "
        "that saturates first.",
        _validation(rows),
        *filter(None, map(_validated, validations)),
    ]
    if any(at(row.document.data, "calibration.hosts") == 1 for row in rows):
        said.append(
            "The calibration was measured on one host, over shared memory: predictions for more "
            "processes assume a network of that speed."
        )
    outside = sum(bool(row.get("outside")) for row in rows)
    if outside:
        said.append(
            f"{outside} of {len(rows)} predictions (mark x) are for sizes or numbers of processes "
            "outside the measured range: their error is unknown."
        )
    return said + _beyond(rows)
