"""Money as integer micro-dollars: exact sums, one half-even rounding at a stated place.

A micro-dollar is a millionth of a US dollar. Prices are micro-dollars per GPU-hour,
amounts are micro-dollars. Floats enter only through :func:`quantise`, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation, localcontext
from fractions import Fraction

MICROS_PER_USD = 1_000_000
MICROS_PER_CENT = 10_000
INT64_MAX = 2**63 - 1

_DECIMAL_DIGITS = 60


def divide_half_even(numerator: int, denominator: int) -> int:
    """Return numerator / denominator rounded to the nearest integer, ties to even.

    Raises ZeroDivisionError when ``denominator`` is 0.
    """
    if denominator < 0:
        numerator, denominator = -numerator, -denominator
    quotient, remainder = divmod(numerator, denominator)
    twice = 2 * remainder
    if twice > denominator or (twice == denominator and quotient & 1):
        quotient += 1
    return quotient


def round_fraction(value: Fraction) -> int:
    """Round an exact fraction to the nearest integer, ties to even."""
    return divide_half_even(value.numerator, value.denominator)


def micros_from_decimal(value: Decimal) -> int:
    """Convert dollars to micro-dollars, half-even on the seventh decimal.

    Raises ValueError when the value is not finite or does not fit 64 bits.
    """
    if not value.is_finite():
        raise ValueError(f"{value} is not a finite amount")
    if value.adjusted() > 12:
        raise ValueError(f"{value} is larger than a 64-bit count of micro-dollars")
    with localcontext() as context:
        context.prec = _DECIMAL_DIGITS
        micros = int((value * MICROS_PER_USD).to_integral_value(rounding=ROUND_HALF_EVEN))
    if abs(micros) > INT64_MAX:
        raise ValueError(f"{value} is larger than a 64-bit count of micro-dollars")
    return micros


def micros_from_text(text: str) -> int:
    """Read a plain decimal number of dollars (``3.12``, ``1e-2``) as micro-dollars.

    Raises ValueError for anything else: blanks, ``3,10``, ``NaN``, ``inf``, ``$3``, underscores.
    """
    stripped = text.strip()
    if "_" in stripped:
        raise ValueError(f"{text!r} is not a number")
    try:
        value = Decimal(stripped)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number") from None
    return micros_from_decimal(value)


def format_micros(micros: int) -> str:
    """Write micro-dollars as dollars with six decimals: ``3120000`` is ``3.120000``."""
    sign = "-" if micros < 0 else ""
    dollars, rest = divmod(abs(micros), MICROS_PER_USD)
    return f"{sign}{dollars}.{rest:06d}"


def quantise(value: float) -> int:
    """Quantise a floating number of micro-dollars to an integer, half-even.

    This is the single place where a float becomes a price. Raises ValueError when not finite.
    """
    return int(Decimal(repr(float(value))).to_integral_value(rounding=ROUND_HALF_EVEN))


def round_to_decimals(micros: int, decimals: int) -> int:
    """Round micro-dollars to ``decimals`` (0 to 6) decimals of a dollar, half-even."""
    if not 0 <= decimals <= 6:
        raise ValueError(f"decimals is {decimals}; it must be between 0 and 6")
    unit: int = 10 ** (6 - decimals)
    return divide_half_even(micros, unit) * unit


def cents_from_micros(micros: int) -> int:
    """Round micro-dollars to whole cents, half-even."""
    return divide_half_even(micros, MICROS_PER_CENT)


def median_half_even(ordered: Sequence[int]) -> int:
    """Return the plain median of an ascending sequence; even counts average the middle two.

    The average of two integers can end in one half: it is rounded half-even.
    Raises ValueError on an empty sequence.
    """
    count = len(ordered)
    if count == 0:
        raise ValueError("the median of no values is not defined")
    middle = count // 2
    if count % 2:
        return int(ordered[middle])
    return divide_half_even(int(ordered[middle - 1]) + int(ordered[middle]), 2)


def percentile_half_even(ordered: Sequence[int], percent: int) -> int:
    """Return the percentile by linear interpolation over an ascending sequence.

    Position ``(n − 1)·percent/100`` (Hyndman & Fan 1996, definition 7), rounded half-even once.
    Raises ValueError on an empty sequence.
    """
    if not ordered:
        raise ValueError("the percentile of no values is not defined")
    whole, hundredths = divmod((len(ordered) - 1) * percent, 100)
    low = int(ordered[whole])
    if hundredths == 0:
        return low
    return divide_half_even(low * (100 - hundredths) + int(ordered[whole + 1]) * hundredths, 100)
