"""Overhead, asymptotic throughput and half-performance size, as the documents have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from combench.report.charts import benchmark_title
from combench.report.figures import number
from combench.report.load import Document

_KEYS = ("overhead_us", "r_inf_MBps", "n_half_bytes", "rms_residual_us")


@dataclass(frozen=True)
class Fit:
    what: str
    sizes: str
    cells: tuple[str, ...]  # overhead, r_inf, n_half, residual; none with a refusal
    remark: str


def _what(document: Document, mode: str, processors: int) -> str:
    data = document.data
    settings = data.get("parameters", {})
    words = [benchmark_title(data.get("benchmark", "")), str(data.get("technology")), mode]
    words += [f"{processors} processors"] if processors > 2 else []
    words += [f"{settings['buffers']} buffers"] if settings.get("buffers") == "rotate" else []
    words += [f"wait {settings['wait']}"] if settings.get("wait", "auto") != "auto" else []
    return ", ".join(words)


def fits_of(documents: Sequence[Document]) -> list[Fit]:
    """A row for each segment that was fitted, or the reason why there is none."""
    made = []
    for document in sorted(documents, key=lambda one: str(one.data.get("id"))):
        for fit in document.data.get("fit", []):
            known = all(key in fit for key in _KEYS)
            made.append(
                Fit(
                    _what(document, fit.get("mode", ""), fit.get("processors", 0)),
                    f"{fit['from_bytes']} to {fit['to_bytes']}" if "from_bytes" in fit else "",
                    tuple(number(fit[key]) for key in _KEYS) if known else (),
                    fit.get("refusal") or fit.get("caution") or "",
                )
            )
    return made
