"""What the options of verbs share."""

from __future__ import annotations

import argparse
from typing import Callable, TypeVar

T = TypeVar("T")


def checked(parse: Callable[[str], T]) -> Callable[[str], T]:
    """The parser of a value, with the error that argparse shows."""

    def convert(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return convert
