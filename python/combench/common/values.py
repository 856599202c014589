"""Parsers for values in plans and on command lines: numbers, sizes, rates, farms, topologies, lists.

A parser converts a text to a value; its ValueError names the mistake and the remedy.
"""

from __future__ import annotations

import argparse
import math
import re
from typing import Callable, Iterable, TypeVar

T = TypeVar("T")
Parser = Callable[[str], T]

_SIZE_UNITS = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}
_SIZE_UNITS.update({"KiB": 2**10, "MiB": 2**20, "GiB": 2**30})
_RATE_UNITS = {"": 1.0, "Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
_TIME_UNITS = {"": 1.0, "ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
_RATE_UNITS.update({"k": 1e3, "M": 1e6, "G": 1e9})


def checked(parse: Parser[T]) -> Parser[T]:
    """The parser with errors for argparse."""

    def convert(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return convert


def list_of(parse: Parser[T]) -> Parser[tuple[T, ...]]:
    """Parser for values separated by commas; duplicates count once."""

    def parse_list(text: str) -> tuple[T, ...]:
        return tuple(dict.fromkeys(parse(part.strip()) for part in text.split(",")))

    return parse_list


def one_of(*choices: str) -> Parser[str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"'{text}' is not valid; use one of {', '.join(choices)}")
        return text

    return parse


def whole(least: int, most: int) -> Parser[int]:
    """Parser for an integer within limits."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise ValueError(f"'{text}' is not valid; give an integer from {least} to {most}")
        return int(text)

    return parse


def real(least: float, most: float, unit: str) -> Parser[float]:
    """Parser for a number within limits."""

    def parse(text: str) -> float:
        if not re.fullmatch(r"[0-9]*\.?[0-9]+", text) or not least <= float(text) <= most:
            limits = f"from {least:g} to {most:g}"
            raise ValueError(f"'{text}' is not valid; give a number of {unit} {limits}")
        return float(text)

    return parse


max_time_s = real(0.01, 86400, "seconds")
precision_pct = real(0.01, 100, "per cent")
timeout_s = real(0.1, 604800, "seconds")
rank_count = whole(2, 65536)


def size_bytes(text: str) -> int:
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([A-Za-z]*)", text)
    if found is None or found.group(2) not in _SIZE_UNITS:
        raise ValueError(f"'{text}' is not a size; give sizes such as 0, 64, 4KiB, 1MB, or sweep")
    return round(float(found.group(1)) * _SIZE_UNITS[found.group(2)])


def rate_hz(text: str) -> float:
    """Events per second: 1000, 100kHz."""
    found = re.fullmatch(r"([0-9]*\.?[0-9]+)([A-Za-z]*)", text)
    unit = found.group(2) if found else ""
    value = float(found.group(1)) if found else 0.0
    if unit not in _RATE_UNITS or value <= 0:
        raise ValueError(f"'{text}' is not a rate; give one such as 1000, 100kHz, 1MHz")
    return value * _RATE_UNITS[unit]


def microseconds(text: str) -> float:
    """A time in us, or with a unit: 0, 50, 1.5ms."""
    found = re.fullmatch(r"([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)([A-Za-z]*)", text)
    unit = found.group(2) if found else ""
    value = float(found.group(1)) * _TIME_UNITS.get(unit, -1.0) if found else -1.0
    if not 0 <= value <= 1e9:
        raise ValueError(f"'{text}' is not a time in us from 0 to 1e9; give times such as 0, 50, 2ms")
    return value


def whole_microseconds(text: str) -> int:
    """A time of whole microseconds up to a second, as for --algorithm of the programs."""
    value = microseconds(text)
    if value > 1e6 or value != int(value):
        raise ValueError(
            f"'{text}' is not a whole number of us up to 1 s; give times such as 0, 50, 2ms"
        )
    return int(value)


def farm(text: str) -> tuple[int, int]:
    """Sources and destinations: 1000x1000."""
    found = re.fullmatch(r"([1-9][0-9]{0,6})x([1-9][0-9]{0,6})", text)
    if found is None:
        raise ValueError(f"'{text}' is not a farm; give sources x destinations, such as 4x4")
    return int(found.group(1)), int(found.group(2))


def fetch(text: str) -> str:
    """The sources of an event, as for --fetch of the programs: all, a number, or a fraction."""
    if not re.fullmatch(r"all|[1-9][0-9]{0,4}|0?\.[0-9]*[1-9][0-9]*|1\.0*", text):
        raise ValueError(
            f"'{text}' is not valid; give all, a number of sources, or a fraction such as 0.25"
        )
    return text


def share(text: str) -> float:
    """A fraction from 0 to 1, as for --accept of the programs."""
    if not re.fullmatch(r"0*(0|1|[01]?\.[0-9]+|1\.)", text) or float(text) > 1:
        raise ValueError(f"'{text}' is not a fraction; give one from 0 to 1, such as 0.1")
    return float(text)


def fetched(text: str, sources: int) -> int:
    """The number of sources that `text`, a valid value of --fetch, means in a farm of `sources`."""
    if text == "all":
        return sources
    if "." in text:
        return max(1, math.floor(float(text) * sources + 0.5))
    return int(text)


def option_values(words: Iterable[str]) -> dict[str, str]:
    """The values of the options on a command line, by name; those without a value have any text."""
    parts: list[str] = []
    for word in words:
        parts += word.split("=", 1) if word.startswith("--") else [word]
    return {part: value for part, value in zip(parts, [*parts[1:], ""]) if part.startswith("--")}


def number_of(words: Iterable[str], option: str, default: int) -> int:
    """The number that an option on a command line has; the program reports one that is none."""
    given = option_values(words).get(option, "")
    return int(given) if re.fullmatch("[1-9][0-9]{0,5}", given) else default


def topology(text: str) -> tuple[int, ...]:
    """The stages of a pipeline: 4-2-1. Each stage is a multiple of the next."""
    if not re.fullmatch(r"[1-9][0-9]{0,6}(-[1-9][0-9]{0,6})+", text):
        raise ValueError(f"'{text}' is not a topology; give the stages, such as 4-2-1")
    stages = tuple(int(stage) for stage in text.split("-"))
    for stage, following in zip(stages, stages[1:]):
        if stage % following:
            raise ValueError(
                f"'{text}' is not a topology: {following} does not divide {stage}; make each stage "
                "a multiple of the next"
            )
    return stages
