"""The report as one HTML file with embedded pictures."""

from __future__ import annotations

import base64
import datetime
import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

import jinja2
import markupsafe

from combench.common.errors import FAILED, SuiteError
from combench.common.files import replacing, require_own, write_text
from combench.common.terminal import printable
from combench.report import discussion, incast, network, predictions, remarks
from combench.report.answer import Answer, answer_of
from combench.report.charts import Picture, common_marks
from combench.report.comparisons import comparisons_of
from combench.report.draw import sheet_of, written
from combench.report.facts import differences, facts_of, grouped_facts
from combench.report.figures import (
    counted,
    frequency,
    interval_text,
    meanings,
    number,
    round_frequency,
)
from combench.report.gallery import SECTIONS, gallery
from combench.report.load import Collection
from combench.report.rows import Row, Rows, rows_of
from combench.report.states import states_of
from combench.report.tables import fits_of, not_measured, tables_of

_HERE = Path(__file__).resolve().parent
_EMBEDDED = "svg"
# The diagrams of patterns: in the source tree, and installed.
_TOP = _HERE.parents[2]
_DIAGRAMS = (_TOP / "docs/images", _TOP / "images")


@dataclass(frozen=True)
class Shown:
    """A picture in the page."""

    picture: Picture
    source: str  # as a data URI

    @property
    def caption(self) -> str:
        single = self.picture.single_x
        at_x = [f"Measured at: {single}."] if single and len(self.picture.lines) > 1 else []
        return " ".join([self.picture.caption, *at_x, *_mark_words(self.picture)])

    @property
    def description(self) -> str:
        """The alternative text."""
        if self.picture.maps or self.picture.timelines:
            return f"{self.picture.title}. {self.picture.caption}"
        panels = "; ".join(
            f"{panel.title or 'one panel'}: {', '.join(line.label for line in panel.series)}"
            for panel in self.picture.panels
        )
        return (
            f"{self.picture.title}. {self.picture.y.label} over {self.picture.x.label}. {panels}."
        )


def _mark_words(picture: Picture) -> list[str]:
    """The meanings of the marks in a picture; common marks are not drawn at each point."""
    common, known = common_marks(picture), meanings()
    said = [f"All values {mark}: {known[mark]}." for mark in common]
    return said + [f"{mark}: {known[mark]}." for mark in picture.marks if mark not in common]


def _draw(picture: Picture, forms: tuple[str, ...]) -> dict[str, bytes]:
    sheet = sheet_of(picture)
    return {form: written(sheet, form) for form in forms}


def _drawn(pictures: Sequence[Picture], forms: tuple[str, ...]) -> list[dict[str, bytes]]:
    """All pictures in all forms, drawn in parallel on several cores."""
    workers = min(len(os.sched_getaffinity(0)), len(pictures))
    if workers < 2:
        return [_draw(picture, forms) for picture in pictures]
    try:
        with ProcessPoolExecutor(workers) as pool:
            return list(pool.map(_draw, pictures, [forms] * len(pictures)))
    except (OSError, BrokenProcessPool):
        # No semaphores, as with a full /dev/shm, or too little memory for several processes.
        return [_draw(picture, forms) for picture in pictures]


def _write_pictures(
    pictures: Sequence[Picture],
    drawn: Sequence[dict[str, bytes]],
    folder: Path,
    forms: Sequence[str],
) -> None:
    remedy = "choose another --output"
    require_own(folder, remedy)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SuiteError(
            f"cannot write pictures to {folder}: {error.strerror}; {remedy}", FAILED
        ) from error
    for picture, in_forms in zip(pictures, drawn):
        for form in forms:
            with replacing(folder / f"{picture.name}.{form}", remedy.capitalize()) as stream:
                stream.write(in_forms[form])


def _cautions(found: Collection, rows: Rows, answer: Answer, states: Any) -> list[str]:
    """Warnings that apply to all figures."""
    said = list(found.problems)
    said += differences(facts_of(found.results))
    said += states.cautions
    said += network.preflight(found.results)
    kept = rows.kept
    shared = sum(bool(row.get("oversubscribed")) for row in kept)
    if shared:
        said.append(
            f"{shared} of {len(kept)} measurements had more busy processes than cores (*). They do "
            "not predict the performance of processes that have a core each."
        )
    if answer.beyond:
        said.append(answer.beyond)
    said += discussion.disturbances(found.results)
    return said


def _without_controls(value: Any) -> Any:
    """Names of files may have control characters, too; what is Markup was escaped before."""
    is_text = isinstance(value, (str, Path)) and not isinstance(value, markupsafe.Markup)
    return printable(str(value), lines=True) if is_text else value


def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_without_controls,
    )
    made.filters.update(frequency=frequency, number=number)
    made.globals.update(
        frequency_interval=lambda known: interval_text(known, frequency), meanings=meanings()
    )
    return made


def _uri(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode('ascii')}"


def _diagrams() -> Mapping[str, str]:
    """The diagram of each benchmark that has one, as a data URI."""
    files = (path for place in _DIAGRAMS for path in sorted(place.glob("pattern-*.svg")))
    return {path.stem.removeprefix("pattern-"): _uri(path.read_bytes()) for path in files}


def _models(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """The models in which documents were made, with the benchmarks of each."""
    models: dict[tuple[str, ...], dict[str, None]] = {}
    for one in found:
        if one.get("source") == "model":
            given = tuple(str(one["parameters"].get(name, "")) for name in ("model", "network", "share"))
            models.setdefault(given, {})[str(one["benchmark"])] = None
    return [
        f"{', '.join(names)} ran in a model, with the calibration {calibration}, network {network}, share {share}"
        for (calibration, network, share), names in models.items()
    ]


def _context(
    found: Collection,
    rows: Rows,
    predicted: Sequence[Row],
    title: Optional[str],
    required_hz: Optional[float],
    buffer_bytes: Optional[int],
) -> Mapping[str, Any]:
    facts = facts_of(found.results)
    states = states_of(found)
    plans = [run.data["plan"] for run in found.runs]
    names = dict.fromkeys(plan["title"] or plan["name"] for plan in plans)
    days = sorted(one.data["started"][:10] for one in found.results)
    models = _models([one.data for one in found.results])
    is_measured = any(one.data.get("source") != "model" for one in found.results)
    answer = answer_of(rows.kept, required_hz)
    scaling = predictions.sentences(predicted, found.validations)
    matter = discussion.Matter(found.results, rows, facts, scaling)
    return {
        "title": title or ", ".join(names) or "Communication benchmarks",
        "made_how": "Measured" if not models else "Measured, and in a model," if is_measured else "In a model",
        "models": models,
        "period": " to ".join(dict.fromkeys((days[0], days[-1]))),
        "made": datetime.date.today().isoformat(),
        "answer": answer,
        "cautions": _cautions(found, rows, answer, states),
        "summary": remarks.as_html(found.remarks.get(discussion.SUMMARY, "")),
        "tables": [*tables_of(rows.kept, states.reasons), *comparisons_of(rows.kept)],
        "diagrams": _diagrams(),
        "not_measured": not_measured(rows.kept),
        "incast": incast.incast_of(rows.kept, buffer_bytes),
        "predicted": predictions.table_of(predicted),
        "fits": fits_of(found.results),
        "troubles": network.troubles(found.results),
        "verdicts": network.verdicts(found.runs),
        "points": discussion.points(matter, found.remarks),
        "further": discussion.further(found.remarks),
        "facts": grouped_facts(facts),
        "states": states,
        "count": len(rows.kept),
        "documents": found.results,
        "required": None if required_hz is None else round_frequency(required_hz),
    }


def write_report(
    found: Collection,
    output: Path,
    forms: tuple[str, ...],
    title: Optional[str] = None,
    required_hz: Optional[float] = None,
    buffer_bytes: Optional[int] = None,
) -> str:
    """Write the page, and its pictures in these forms to a folder beside it.

    Returns a line that says what was written. Raises SuiteError where a file cannot be written.
    """
    rows = rows_of(found.results)
    predicted = predictions.predicted_rows(found.predictions)
    pictures = gallery(rows.kept, predicted, buffer_bytes)
    drawn = _drawn(pictures, tuple(dict.fromkeys((_EMBEDDED, *forms))))
    folder = output.with_name(output.stem + "-pictures")
    if forms:
        _write_pictures(pictures, drawn, folder, forms)
    shown = [
        Shown(picture, _uri(made[_EMBEDDED])) for picture, made in zip(pictures, drawn)
    ]
    sections = [
        (section, [one for one in shown if one.picture.section == section]) for section in SECTIONS
    ]
    page = (
        _environment()
        .get_template("page.html")
        .render(
            **_context(found, rows, predicted, title, required_hz, buffer_bytes),
            sections=[(name, of_section) for name, of_section in sections if of_section],
            style=(_HERE / "page.css").read_text(encoding="utf-8"),
        )
    )
    write_text(output, page)
    made = f"{counted(len(rows.kept), 'measurement')}, {counted(len(pictures), 'picture')}"
    return f"{output}: {made}" + (f"; pictures also in {folder}" if forms else "")
