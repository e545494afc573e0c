"""How numbers are written: a true minus, three decimals on the board, six where a value is quoted."""

from __future__ import annotations

from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal

MINUS = "−"
NONE = "—"


def board_price(price: str | None) -> str:
    """A six-decimal price string as the board shows it: `$3.466`; absent is `—`."""
    return NONE if price is None else f"${three_decimals(price)}"


def three_decimals(price: str) -> str:
    """A six-decimal price string rounded half-even to three."""
    return str(Decimal(price).quantize(Decimal("0.001"), ROUND_HALF_EVEN)).replace("-", MINUS)


def full_price(price: str | None) -> str:
    """The published six decimals: `$3.465950`; absent is `—`."""
    return NONE if price is None else f"${price}"


def signed_percent(change: float | None, decimals: int = 1) -> str:
    """A ratio less one as `+4.1 %`, `−0.5 %` or `0.0 %`; absent is `—`."""
    if change is None:
        return NONE
    text = f"{abs(change) * 100:.{decimals}f}"
    if float(text) == 0:
        return f"{text} %"
    return f"{'+' if change > 0 else MINUS}{text} %"


def direction(change: float | None) -> str:
    """The arrow of a change: ▲ up, ▼ down, nothing where it is absent or nil."""
    return "" if not change else "▲" if change > 0 else "▼"


def signed(number: float | None, decimals: int = 2) -> str:
    """A number with its sign and a true minus: `−0.45`; absent is `—`."""
    if number is None:
        return NONE
    return f"{number:+.{decimals}f}".replace("-", MINUS)


def count(number: float | None) -> str:
    """A count with thousands apart: `41,767`; absent is `—`."""
    return NONE if number is None else f"{number:,.0f}".replace("-", MINUS)


def dollars(amount: float | str | None) -> str:
    """A bill in whole dollars: `$1,234`, `−$56`; absent is `—`."""
    if amount is None:
        return NONE
    value = float(amount)
    return f"{MINUS if round(value) < 0 else ''}${abs(value):,.0f}"


def minute(instant: str | None) -> str:
    """An ISO instant of the JSON as `2026-08-14 16:00 UTC`; absent is `—`."""
    if instant is None:
        return NONE
    read = datetime.fromisoformat(instant)
    return f"{read:%Y-%m-%d %H:%M} UTC"


def short_digest(digest: str | None) -> str:
    """The first twelve digits of a digest; absent is `—`."""
    return NONE if digest is None else digest[:12]


def age(days: int | None) -> str:
    """How long ago a day ended: `today`, `1 day`, `100 days`; absent is `—`."""
    if days is None:
        return NONE
    if days <= 0:
        return "today"
    return f"{days:,} day" + ("" if days == 1 else "s")
