"""How the review writes numbers: the forms of the dashboard and the reports, with a true minus."""

from __future__ import annotations

from ...records import format_micros, round_to_decimals

NONE = "—"
"""What stands where nothing is known."""
MINUS = "−"


def short_price(micros: int) -> str:
    """A price as a board shows it: ``$3.466``, rounded half-even."""
    return f"${format_micros(round_to_decimals(micros, 3))[:-3]}".replace("-", MINUS)


def price(micros: int | None) -> str:
    """A price with its six published decimals."""
    return NONE if micros is None else format_micros(micros).replace("-", MINUS)


def signed_price(micros: int | None) -> str:
    """A move with its sign and six decimals."""
    if micros is None:
        return NONE
    return ("+" if micros > 0 else "") + price(micros)


def signed_percent(share: float | None, decimals: int = 1) -> str:
    """A move as ``+4.1 %``; one that rounds to nothing keeps no sign."""
    if share is None:
        return NONE
    size = f"{abs(100 * share):.{decimals}f}"
    sign = "" if float(size) == 0 else "+" if share > 0 else MINUS
    return f"{sign}{size} %"


def percent(share: float | None, decimals: int = 1) -> str:
    """A share of a whole as ``4.5 %``."""
    return NONE if share is None else f"{100 * share:.{decimals}f} %".replace("-", MINUS)


def number(value: float | None, decimals: int = 2) -> str:
    """A statistic."""
    return NONE if value is None else f"{value:,.{decimals}f}".replace("-", MINUS)


def count_of(many: int, one: str, more: str | None = None) -> str:
    """``1 seller``, ``2 sellers``; words of one ending take an s."""
    return f"{many:,} {one if many == 1 else more or one + 's'}"


def dates_of(length: float) -> str:
    """A length in whole dates, at least one: ``16 dates``."""
    return count_of(max(1, round(length)), "date")


def names_of(names: list[str] | tuple[str, ...], most: int = 3) -> str:
    """``a``, ``a and b``, ``a, b, c and 4 more``."""
    shown, rest = list(names[:most]), len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
