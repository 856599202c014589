"""Replays beside the model's evaluation of the same trace file: time in all, and of each rank."""

from __future__ import annotations

import codecs
import json
import statistics
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from combench.common.documents import Json
from combench.common.errors import SuiteError
from combench.common.figures import at
from combench.common.files import is_inside
from combench.predict.model import CCMOD, Setting
from combench.predict.processes import ask

_PIECE_BYTES = 1 << 20


def is_replay(document: Json) -> bool:
    """Whether the document is of a trace that was played."""
    return "trace" in document


@dataclass(frozen=True)
class RankTimes:
    rank: int
    measured_us: float
    predicted_us: float

    @property
    def error_pct(self) -> float | None:
        """None: this rank took no time."""
        return 100 * (self.predicted_us / self.measured_us - 1) if self.measured_us else None


@dataclass(frozen=True)
class Replay:
    """One played trace, and what the model says of it."""

    benchmark: str
    trace: Path
    crc32: str
    measured_us: float
    predicted_us: float
    oversubscribed: bool
    ranks: tuple[RankTimes, ...]

    @property
    def error_pct(self) -> float:
        return 100 * (self.predicted_us / self.measured_us - 1)

    def rank_errors(self) -> dict[int, float]:
        """By rank, of those that took time."""
        errors = ((one.rank, one.error_pct) for one in self.ranks)
        return {rank: error for rank, error in errors if error is not None}

    def document(self) -> Json:
        ranks = [
            {"rank": one.rank, "measured_us": one.measured_us, "predicted_us": one.predicted_us}
            | ({} if one.error_pct is None else {"error_pct": one.error_pct})
            for one in self.ranks
        ]
        return {
            "benchmark": self.benchmark,
            "trace": {"path": str(self.trace), "crc32": self.crc32},
            "measured_us": self.measured_us,
            "predicted_us": self.predicted_us,
            "error_pct": self.error_pct,
            "oversubscribed": self.oversubscribed,
            "ranks": ranks,
        }

    def text(self) -> str:
        """A line on all ranks together and one on single ranks."""
        marks = " *" if self.oversubscribed else ""
        lines = [
            f"{self.benchmark} of {self.trace}, {len(self.ranks)} ranks: predicted "
            f"{self.predicted_us:.5g} us, measured {self.measured_us:.5g} us, "
            f"error {self.error_pct:+.1f} %{marks}"
        ]
        errors = self.rank_errors()
        if errors:
            worst = max(errors, key=lambda rank: abs(errors[rank]))
            median = statistics.median(abs(error) for error in errors.values())
            lines.append(
                f"  by rank: median error {median:.1f} %, worst {abs(errors[worst]):.1f} % (rank {worst})"
            )
        return "\n".join(lines)


def _crc32_of(path: Path) -> str:
    """As the program computes it: without a byte order mark."""
    digest = 0
    with path.open("rb") as stream:
        if stream.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            stream.seek(0)
        while piece := stream.read(_PIECE_BYTES):
            digest = zlib.crc32(piece, digest)
    return f"{digest:08x}"


def _find_trace(result: Path, played: Json) -> Path:
    """The file that was played: in the folder of the result or in the current one, by its path or its name. The path
    may come from anybody and is not followed out of these folders. SuiteError: it is missing or is another one."""
    named = Path(played["path"])
    places = [(folder, folder / name) for folder in (Path(), result.parent) for name in (named, named.name)]
    there = [path for folder, path in places if is_inside(folder, path) and path.is_file()]
    if not there:
        raise SuiteError(
            f"cannot find the trace {named} that {result} has played; start in the folder of the trace, or "
            f"copy the trace to {result.parent}"
        )
    try:
        digest = _crc32_of(there[0])
    except OSError as error:
        raise SuiteError(f"cannot read {there[0]}: {error.strerror}; make it readable") from error
    if digest != played["crc32"]:
        raise SuiteError(
            f"{there[0]} has the CRC-32 {digest}, but the trace that {result} has played had "
            f"{played['crc32']}: it was changed; restore it, or play it again"
        )
    return there[0]


def _evaluate(setting: Setting, trace: Path, seed: int) -> tuple[float, dict[int, float]]:
    """When the evaluation ends, and when each rank does, in us."""
    command = [str(setting.programs / CCMOD), "run", "--format", "json", "--seed", str(seed)]
    command += ["--calibration", str(setting.calibration), "--network", setting.network]
    said = ask(setting.processes, [*command, *setting.words, str(trace)], f"cannot predict {trace}")
    document = json.loads(said)
    ends = {int(one["rank"]): float(one["clock_us"]) for one in document["processors"]}
    return float(document["end_us"]), ends


def _compare(result: Path, document: Json, row: Json, setting: Setting) -> Replay:
    trace = _find_trace(result, document["trace"])
    # Distributions in the trace are drawn as in the replay.
    seed = at(document, "parameters.seed")
    end_us, ends = _evaluate(setting, trace, 1 if seed is None else int(seed))
    ranks = (
        RankTimes(int(one["rank"]), float(one["time_us"]), ends[int(one["rank"])])
        for one in row["per_rank"]
    )
    return Replay(
        benchmark=str(document["benchmark"]),
        trace=trace,
        crc32=str(document["trace"]["crc32"]),
        measured_us=float(row["play_us"]["median"]),
        predicted_us=end_us,
        oversubscribed=bool(row.get("oversubscribed")),
        ranks=tuple(ranks),
    )


def compare_replays(documents: Sequence[tuple[Path, Json]], setting: Setting) -> list[Replay]:
    """Each replay among the documents with its prediction. SuiteError: a trace is missing, was changed,
    or cannot be evaluated."""
    return [
        _compare(path, document, row, setting)
        for path, document in documents
        if is_replay(document)
        for row in document["results"]
    ]
