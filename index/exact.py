"""Exact parameters: a threshold or a share as the decimal or the ratio that a person wrote.

``0.25``, ``"0.25"`` and ``"1/4"`` are one number, kept as one text: it compares exactly, and hashes alike
however it was written.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator

_DECIMAL = re.compile(r"\d{1,9}(?:\.\d{1,12})?|\.\d{1,12}", re.ASCII)
_RATIO = re.compile(r"\d{1,9}/0*[1-9]\d{0,8}", re.ASCII)
_MOST_DECIMALS = 12


def exact(text: str) -> Fraction:
    """The number that a canonical text stands for."""
    return Fraction(text)


def written(value: Fraction) -> str:
    """The one text of a number: a plain decimal where it ends within twelve places, else a ratio."""
    scaled = value * 10**_MOST_DECIMALS
    if scaled.denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    plain = format(Decimal(scaled.numerator).scaleb(-_MOST_DECIMALS), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def read_exact(value: object) -> Fraction:
    """A number as written in TOML: a number, a decimal text or a ratio text. Raises ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError('write a number, or a ratio as text such as "1/3"')  # noqa: TRY004 (pydantic reads it)
    text = value if isinstance(value, str) else format(Decimal(repr(value)), "f")
    if not (_DECIMAL.fullmatch(text) or _RATIO.fullmatch(text)):
        raise ValueError('write a positive number with at most twelve decimals, or a ratio such as "1/3"')
    return Fraction(text)


def _share(value: object) -> str:
    number = read_exact(value)
    if not 0 < number <= 1:
        raise ValueError("a share is above 0 and at most 1")
    return written(number)


def _tail(value: object) -> str:
    number = read_exact(value)
    if not 0 < number < Fraction(1, 2):
        raise ValueError("a tail is a share above 0 and below one half")
    return written(number)


def _positive(value: object) -> str:
    number = read_exact(value)
    if number <= 0:
        raise ValueError("it must be above zero")
    return written(number)


def _above_one(value: object) -> str:
    number = read_exact(value)
    if number <= 1:
        raise ValueError("a ratio band is above 1: 2 admits from half to double")
    return written(number)


Share = Annotated[str, BeforeValidator(_share)]
"""A share of a whole, 0 < x ≤ 1."""
Tail = Annotated[str, BeforeValidator(_tail)]
"""A share of each of two tails, 0 < x < ½."""
Positive = Annotated[str, BeforeValidator(_positive)]
"""A number above zero."""
AboveOne = Annotated[str, BeforeValidator(_above_one)]
"""A ratio above one."""
