"""The options of `combench predict`: one row each, for argparse."""

from __future__ import annotations

from typing import Any, Callable

from combench.common import values
from combench.common.values import T, checked, list_of, whole
from combench.predict import cases
from combench.predict.case import WINDOW
from combench.predict.model import SHARE_RULES
from combench.predict.prediction import Effort


def _announcement(text: str) -> str:
    if text not in ("loop", "multicast"):
        raise ValueError(f"'{text}' is no way to tell the sources; give loop, multicast or both")
    return "technology" if text == "multicast" else text


def _bytes(text: str) -> int:
    size = values.size_bytes(text)
    if size < 1:
        raise ValueError(f"'{text}' is no room for a packet; give one like 64KiB, 1MB")
    return size


def _list(parse: Callable[[str], T]) -> Callable[[str], tuple[T, ...]]:
    return checked(list_of(parse))


OPTIONS: dict[str, dict[str, Any]] = {
    "sources": {
        "metavar": "SOURCE",
        "nargs": "*",
        "help": "a directory of combench run, or result documents",
    },
    "--calibration": {
        "metavar": "FILE",
        "help": "of ccmod calibrate, in place of one made of SOURCE",
    },
    "--residual-pct": {
        "type": checked(values.precision_pct),
        "metavar": "PCT",
        "help": "what is made of SOURCE may miss its measurements by so much, as ccmod's calibrate "
        "has it; without it 20",
    },
    "--technology": {
        "metavar": "NAME",
        "help": "which one is predicted, where SOURCE has several",
    },
    "--network": {
        "default": "crossbar",
        "help": "as ccmod's, which `ccmod info` lists; without it %(default)s",
    },
    "--scale": {
        "type": _list(whole(2, cases.LARGEST_COUNT)),
        "default": (),
        "metavar": "N,...",
        "help": "also for so many processors, sources or destinations; in farms so many of both",
    },
    "--farm": {
        "type": _list(values.farm),
        "default": (),
        "metavar": "SxD,...",
        "help": "also farms of so many sources and destinations",
    },
    "--topology": {
        "type": _list(values.topology),
        "default": (),
        "metavar": "A-B-C,...",
        "help": "also pipelines of these stages",
    },
    "--benchmarks": {
        "type": _list(str),
        "default": (),
        "metavar": "NAME,...",
        "help": "these alone, by name or number; without it all",
    },
    "--sizes": {
        "type": _list(values.size_bytes),
        "metavar": "BYTES,...",
        "help": "these alone; without it those that were measured, or the note's",
    },
    "--algorithm": {
        "type": _list(values.microseconds),
        "metavar": "US,...",
        "help": "of farms and pipelines at other numbers; without it as measured, or 0",
    },
    "--rate": {
        "type": checked(values.rate_hz),
        "default": 0.0,
        "metavar": "RATE",
        "help": "events of these farms fall due at it, 100kHz; without it as many as they can",
    },
    "--supervisor": {
        "type": _list(_announcement),
        "default": ("loop",),
        "metavar": "WAY,...",
        "help": "how a supervisor tells sources that push: loop, multicast; without it loop",
    },
    "--in-flight": {
        "type": checked(whole(1, 10**9)),
        "default": 0,
        "metavar": "N",
        "help": "events in flight in these farms",
    },
    "--window": {
        "type": checked(whole(1, cases.LARGEST_WINDOW)),
        "default": WINDOW,
        "metavar": "N",
        "help": "packets of a stream that are not acknowledged, at most; without it %(default)s",
    },
    "--buffer": {
        "type": checked(_bytes),
        "default": 10**6,
        "metavar": "BYTES",
        "help": "what a port of the switch holds, for the risk of incast; without it 1MB",
    },
    "--window-bytes": {
        "type": checked(_bytes),
        "default": 1 << 16,
        "metavar": "BYTES",
        "help": "what one connection has under way at most, for the same; without it 64KiB",
    },
    "--seeds": {
        "type": checked(whole(1, 1000)),
        "default": Effort.seeds,
        "metavar": "N",
        "help": "evaluate each case with so many; without it %(default)s",
    },
    "--precision": {
        "type": checked(values.precision_pct),
        "default": Effort.precision_pct,
        "metavar": "PCT",
        "help": "half of the 95 %% interval of a figure; without it %(default)s",
    },
    "--messages": {
        "type": checked(whole(1000, 10**10)),
        "default": Effort.messages,
        "metavar": "N",
        "help": "evaluate so many with a seed, at most; without it %(default)s",
    },
    "--share": {
        "choices": SHARE_RULES,
        "default": SHARE_RULES[0],
        "help": "as ccmod's; without it %(default)s",
    },
    "--mode": {"choices": ("split", "paper"), "help": "as ccmod's"},
    "--background": {"metavar": "LOAD", "help": "as ccmod's: none, 0.3, exp:0.3"},
    "--jobs": {
        "type": checked(whole(1, 1024)),
        "metavar": "N",
        "help": "evaluations at a time; without it as many as there are processors",
    },
    "--output": {"metavar": "FILE", "help": "also write a document combench-prediction/1"},
    "--programs": {"metavar": "DIR", "help": "where the programs are"},
}
