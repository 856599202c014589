"""Losses at full switch buffers: which cases a share rule of the model applies to, and its figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from combench.common import catalogue, values
from combench.common.errors import SuiteError
from combench.predict.case import Case
from combench.predict.model import Setting
from combench.predict.prediction import Effort, Prediction, predict
from combench.predict.processes import Ended

_SHARED = ",shared:"
_LARGEST_ALPHA = 1000.0
_FRAMES = 16_000_000  # evaluated for each seed at most
_LEAST_US = 2e6  # ten of TCP's least timeouts: less would miss them
_FRAME_BYTES = 1460
_PRECISION_PCT = 5.0  # timeouts make figures vary more than others


@dataclass(frozen=True)
class Buffer:
    """The buffer of each port of a switch; with alpha above 0 all ports of the switch share it."""

    size_bytes: int
    alpha: float = 0.0

    @property
    def port_bytes(self) -> float:
        """What the queue of one port may hold while the others are empty."""
        return self.size_bytes * (self.alpha / (1 + self.alpha) if self.alpha else 1)

    @property
    def word(self) -> str:
        """The value of ccmod --buffer."""
        return f"{self.size_bytes}{_SHARED}{self.alpha:g}" if self.alpha else str(self.size_bytes)

    def enough_bytes(self, queue_bytes: int) -> int:
        """The least buffer in which a queue of this size drops nothing."""
        return round(queue_bytes * (1 + 1 / self.alpha)) if self.alpha else queue_bytes


def parse_buffer(text: str) -> Buffer:
    size, found, alpha = text.partition(_SHARED)
    form = "give 64KiB, or 1MB,shared:1"
    try:
        made = Buffer(values.size_bytes(size), float(alpha) if found else 0.0)
    except ValueError:
        raise ValueError(f"'{text}' is not a buffer; {form}") from None
    if made.size_bytes < 1 or (found and not 1e-3 <= made.alpha <= _LARGEST_ALPHA):
        raise ValueError(f"'{text}' is outside of the limits; {form}")
    return made


def _rule(technology: str | None) -> str:
    """The share rule that models the losses of a technology; empty: none."""
    known = catalogue.known().technologies.get((technology or "").partition(" ")[0])
    return known.losses if known is not None else ""


def refusal(case: Case, setting: Setting, technology: str | None) -> str | None:
    """Why the rule does not apply; None: it does."""
    able = " or ".join(name for name in catalogue.known().technologies if _rule(name))
    if technology is None:
        return f"the technology is not known (--technology {able})"
    if not _rule(technology):
        return f"losses are modelled for technology {able}, not for {technology}"
    if case.shifts:
        return "losses are not modelled where a round is evaluated in part"
    words = dict(zip(setting.words[::2], setting.words[1::2]))
    if words.get("--mode", "split") != "split" or "--background" in words:
        return "losses are modelled with mode split and without background only"
    return None


def _with_rule(setting: Setting, rule: str, *words: str) -> Setting:
    """The setting with the share rule; a send over connections does not wait for its receive."""
    kept = [
        word
        for option, value in zip(setting.words[::2], setting.words[1::2])
        if option != "--share"
        for word in (option, value)
    ]
    own = ("--share", rule, "--eager-bytes", str(2**53), *words)
    return replace(setting, words=(*kept, *own))


def predict_losses(
    case: Case,
    setting: Setting,
    effort: Effort,
    rate_hz: float,
    buffer: Buffer,
    technology: str | None,
) -> tuple[Prediction | None, dict[str, Any]]:
    """The prediction with losses, or None if nothing is dropped, and the losses: the buffer that would be
    enough, or in `why` the reason why they could not be predicted. What dropped frames in a time that is too
    short for the timeouts is predicted from that time, since the figure without losses would be higher."""
    rule = _rule(technology)
    frames = 2 * -(-max(1, case.size_bytes) // _FRAME_BYTES)
    effort = replace(
        effort,
        precision_pct=max(effort.precision_pct, _PRECISION_PCT),
        messages=min(effort.messages, _FRAMES // frames),
    )
    try:
        free = predict(case, _with_rule(setting, rule), effort, rate_hz)
        queue_bytes = free.losses["queue_bytes"]
        known: dict[str, Any] = {"enough_bytes": buffer.enough_bytes(queue_bytes)}
        if queue_bytes <= buffer.port_bytes:
            return None, {**known, "dropped_pct": 0.0}
        long = replace(effort, least_us=_LEAST_US)
        found = predict(
            case, _with_rule(setting, rule, "--buffer", buffer.word), long, rate_hz
        )
    except Ended:
        raise
    except SuiteError as error:
        return None, {"why": str(error)}
    if found.simulated_us < _LEAST_US:
        need = f"{_LEAST_US / 1e6:g} s, which losses need, are more than the limit of frames"
        if not found.losses["dropped"]:
            return None, {**known, "why": need}
        found.cuts = [*found.cuts, f"{found.simulated_us / 1e6:.3g} s with losses; {need}"]
    known["dropped_pct"] = 100 * found.losses["dropped"] / max(1, found.losses["frames"])
    known["timeouts_per_step"] = found.losses["timeouts"] / found.losses["steps"]
    known["without_us"] = free.step_us / case.step.divisor
    return found, known


def withheld(known: dict[str, Any], buffer: Buffer) -> str | None:
    """Why there is no figure to print: frames are dropped, and what that costs is not known. None: there is one."""
    enough = known.get("enough_bytes", 0)
    if "why" not in known or enough <= buffer.size_bytes:
        return None
    return (
        f"a buffer of {buffer.word} bytes drops frames, {enough} bytes would be enough; the losses could not "
        f"be predicted: {known['why']}"
    )
