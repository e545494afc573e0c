"""How figures are written in sentences and reports: a true minus, units, whole dollars for bills."""

from __future__ import annotations

from ..records import MICROS_PER_USD, divide_half_even

MINUS = "−"
NONE = "—"


def signed(text: str) -> str:
    """Replace a leading hyphen with a true minus sign."""
    return MINUS + text[1:] if text.startswith("-") else text


def number(value: float | None, decimals: int = 2) -> str:
    """A statistic, such as ``−0.45``; — where it is absent. A rounded zero has no sign."""
    if value is None:
        return NONE
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return signed(text)


def percent(share: float, decimals: int = 1) -> str:
    """A signed change, such as ``+4.1 %`` or ``−37.9 %``, from a fraction."""
    text = f"{share * 100:+.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("+-")
    return f"{signed(text)} %"


def p_value(value: float) -> str:
    """A p value with two decimals, never rounded to a certainty: ``0.03``, ``above 0.99``."""
    if value > 0.99:
        return "above 0.99"
    return "below 0.01" if value < 0.01 else f"{value:.2f}"


def whole_percent(share: float) -> str:
    """A share as whole percent without sign or unit: the sentence around it says which way."""
    return f"{abs(share) * 100:.0f}"


def per_hour(micros: float) -> str:
    """Dollars per GPU-hour with four decimals, such as ``$0.0422/GPU-h``."""
    sign = MINUS if micros < 0 else ""
    return f"{sign}${abs(micros) / MICROS_PER_USD:.4f}/GPU-h"


def bill(micros: int) -> str:
    """A bill in whole dollars, half-even, such as ``$12,345``."""
    dollars = divide_half_even(micros, MICROS_PER_USD)
    sign = MINUS if dollars < 0 else ""
    return f"{sign}${abs(dollars):,}"
