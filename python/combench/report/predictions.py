"""What the model predicts (combench-prediction/1), as rows beside those that were measured, and how
far it was off where both are there."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Sequence

from combench.report.charts import label_of
from combench.report.figures import counted, frequency, interval_text, number
from combench.report.load import Document
from combench.report.rows import Row
from combench.results import Json


@dataclass(frozen=True)
class Predicted:
    """A prediction in words."""

    what: str
    shape: str
    rate: str
    interval: str
    marks: str
    limit: str
    error: str  # against what was measured, where it was
    remarks: str


def _as_row(data: Json, of: Document) -> Row:
    """The document of a row says its benchmark; here the row does."""
    own = dict(data)
    if own["benchmark"] != "multicast" and own.get("multicast") == "loop":
        del own["multicast"]
    technology = of.data.get("calibration", {}).get("technology", "")
    head = {"benchmark": own["benchmark"], "id": own.get("id"), "technology": technology}
    return Row(own, Document(of.path, head), "")


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
            f"{row.get('incast.bytes')} bytes may arrive at a port of the switch that holds "
            f"{row.get('incast.buffer_bytes')}"
        )
    return "; ".join(said)


def _limit(row: Row) -> str:
    limit = row.get("limit")
    if not limit:
        return ""
    if limit.get("limits"):
        return f"{limit['text']}, used {number(limit['used_pct'])} %"
    return f"nothing is full; {limit['text']} would be first, used {number(limit['used_pct'])} %"


def table_of(rows: Sequence[Row]) -> list[Predicted]:
    """All predictions, in their order."""
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
    """How far predictions were off; apart where processes shared cores, of which the model knows
    nothing."""
    parts = []
    for shared, where in ((False, "each on a core of its own"), (True, "on shared cores")):
        errors = [
            abs(row.get("measured.error_pct"))
            for row in rows
            if row.get("measured") and bool(row.get("measured.oversubscribed")) == shared
        ]
        if errors:
            parts.append(
                f"{counted(len(errors), 'figure')} of processes {where}: off by "
                f"{number(statistics.median(errors))} % in the median, {number(max(errors))} % at most"
            )
    if not parts:
        return "None of the predictions has a measurement beside it, so that nothing says how good they are."
    return f"Predicted and measured: {'; '.join(parts)}."


def sentences(rows: Sequence[Row]) -> list[str]:
    """On scaling, for the discussion; nothing without predictions."""
    if not rows:
        return []
    largest = max(row.get("processors") for row in rows)
    said = [
        f"A model of communication, calibrated by measurements, predicts up to {largest} processes; "
        "the table of predictions has each prediction with its range over seeds and with what is full "
        "first.",
        _validation(rows),
    ]
    outside = sum(bool(row.get("outside")) for row in rows)
    if outside:
        said.append(
            f"{outside} of {len(rows)} predictions (mark x) are for sizes or numbers of processes "
            "beyond those that were measured: no error is known for them."
        )
    return said
