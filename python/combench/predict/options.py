"""The options of `combench predict`, as keyword arguments for argparse."""

from __future__ import annotations

from typing import Any, Callable

from combench.common import values
from combench.common.values import T, checked, list_of, whole
from combench.predict import cases
from combench.predict.case import WINDOW
from combench.predict.losses import Buffer, parse_buffer
from combench.predict.model import SHARE_RULES
from combench.predict.prediction import Effort


def _announcement(text: str) -> str:
    if text not in ("loop", "multicast"):
        raise ValueError(f"'{text}' is not valid; give loop, multicast, or loop,multicast")
    return "technology" if text == "multicast" else text


def _bytes(text: str) -> int:
    size = values.size_bytes(text)
    if size < 1:
        raise ValueError(f"'{text}' is too small; give a size such as 64KiB or 1MB")
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
        "help": "calibration of ccmod calibrate (default: made from SOURCE)",
    },
    "--residual-pct": {
        "type": checked(values.precision_pct),
        "metavar": "PCT",
        "help": "largest residual of a calibration made from SOURCE, in %% (default 20)",
    },
    "--technology": {
        "metavar": "NAME",
        "help": "technology to predict, if SOURCE has several: ofi, or 'ofi method=write'",
    },
    "--network": {
        "default": "crossbar",
        "help": "network of the model; `ccmod info` lists them (default %(default)s)",
    },
    "--scale": {
        "type": _list(whole(2, cases.LARGEST_COUNT)),
        "default": (),
        "metavar": "N,...",
        "help": "also predict N processors, sources or destinations; farms with N of both",
    },
    "--farm": {
        "type": _list(values.farm),
        "default": (),
        "metavar": "SxD,...",
        "help": "also predict farms of S sources and D destinations",
    },
    "--topology": {
        "type": _list(values.topology),
        "default": (),
        "metavar": "A-B-C,...",
        "help": "also predict pipelines with these stages",
    },
    "--benchmarks": {
        "type": _list(str),
        "default": (),
        "metavar": "NAME,...",
        "help": "benchmarks to predict, by name or number (default: all)",
    },
    "--sizes": {
        "type": _list(values.size_bytes),
        "metavar": "BYTES,...",
        "help": "packet sizes (default: measured sizes, or those of DAQ note 48)",
    },
    "--algorithm": {
        "type": _list(values.microseconds),
        "metavar": "US,...",
        "help": "work on each packet, for farms and pipelines (default: as measured, or 0)",
    },
    "--rate": {
        "type": checked(values.rate_hz),
        "default": 0.0,
        "metavar": "RATE",
        "help": "offered rate of farms, pipelines and event building, such as 100kHz (default: closed "
        "loop)",
    },
    "--supervisor": {
        "type": _list(_announcement),
        "default": ("loop",),
        "metavar": "WAY,...",
        "help": "way to tell the sources of a farm about an event: loop, multicast (default loop)",
    },
    "--fetch": {
        "type": checked(values.fetch),
        "default": "all",
        "metavar": "N",
        "help": "sources with data of an event in pull farms: all, a number, or a fraction; "
        "fewer than all need --supervisor loop",
    },
    "--accept": {
        "type": checked(values.share),
        "metavar": "F",
        "help": "fraction of the events of pull farms with a second step: the first asks the "
        "sources of --fetch, the second the others",
    },
    "--schedule": {
        "type": _list(str),
        "default": (),
        "metavar": "HOW,...",
        "help": "schedules of event building, as none,shift,credits:4 (default: that of the program)",
    },
    "--fragments": {
        "default": "",
        "metavar": "SPEC",
        "help": "sizes of fragments, as lognormal:1KiB,0.5, of benchmarks that take them; instead of "
        "--sizes",
    },
    "--correlation": {
        "type": checked(values.share),
        "default": 0.0,
        "metavar": "F",
        "help": "correlation of the sizes of an event, 0 to 1 (default 0)",
    },
    "--seed": {
        "type": checked(whole(0, 2**32 - 1)),
        "default": 1,
        "metavar": "N",
        "help": "seed of the sizes of fragments (default 1)",
    },
    "--in-flight": {
        "type": checked(whole(1, 10**9)),
        "default": 0,
        "metavar": "N",
        "help": "events in flight in farms",
    },
    "--window": {
        "type": checked(whole(1, cases.LARGEST_WINDOW)),
        "default": WINDOW,
        "metavar": "N",
        "help": "maximum unacknowledged packets of a stream (default %(default)s)",
    },
    "--buffer": {
        "type": checked(parse_buffer),
        "default": Buffer(10**6),
        "metavar": "BYTES[,shared:ALPHA]",
        "help": "buffer of a switch port, for incast; shared: of all ports, with a dynamic threshold "
        "(default 1MB)",
    },
    "--window-bytes": {
        "type": checked(_bytes),
        "default": 1 << 16,
        "metavar": "BYTES",
        "help": "maximum data in flight per connection, to detect incast (default 64KiB)",
    },
    "--seeds": {
        "type": checked(whole(1, 1000)),
        "default": Effort.seeds,
        "metavar": "N",
        "help": "evaluate each case with N seeds (default %(default)s)",
    },
    "--precision": {
        "type": checked(values.precision_pct),
        "default": Effort.precision_pct,
        "metavar": "PCT",
        "help": "target half width of the 95 %% interval, in %% (default %(default)s)",
    },
    "--messages": {
        "type": checked(whole(1000, 10**10)),
        "default": Effort.messages,
        "metavar": "N",
        "help": "maximum messages per seed (default %(default)s)",
    },
    "--share": {
        "choices": SHARE_RULES,
        "help": "sharing rule of ccmod run (default: that of the calibration, or fifo)",
    },
    "--mode": {
        "choices": ("split", "paper"),
        "help": "--mode of ccmod run; paper also makes the article's calibration from SOURCE",
    },
    "--background": {
        "metavar": "LOAD",
        "help": "background traffic as in ccmod run: none, 0.3, exp:0.3, exp:7000/25000packets/s",
    },
    "--background-interval": {
        "metavar": "WHEN",
        "help": "when a load is drawn again: evaluation, or a time such as 1ms (default 1ms)",
    },
    "--jobs": {
        "type": checked(whole(1, 1024)),
        "metavar": "N",
        "help": "parallel evaluations (default: number of processors)",
    },
    "--output": {"metavar": "FILE", "help": "also write a document combench-prediction/1"},
    "--programs": {"metavar": "DIR", "help": "folder of the benchmark programs"},
}
