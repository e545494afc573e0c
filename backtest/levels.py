"""Monthly bills as a distribution, with and without the hedge: mean, spread, 95 % level, tail, worst month.

A buyer's bad side is a dear month, a provider's a lean one. The 95 % level (value at risk of the monthly
amount) is the percentile by linear interpolation (Hyndman and Fan 1996, definition 7), the tail the mean of
the worst 5 % of months, a part of a month counted in part. Few months make both little more than the worst.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..records import MICROS_PER_USD, format_micros, quantise
from .outcomes import TAIL_LEVEL, cvar
from .programme import PREMIUMS_PERCENT, ProgrammeMonth
from .sentences import Role

FEWEST_MONTHS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """One series of monthly amounts in micro-USD."""

    mean_micros: int
    sd_micros: int
    level_micros: int
    tail_micros: int
    worst_micros: int

    def to_json(self) -> dict[str, Any]:
        """The figures with stable keys."""
        return {
            "mean": format_micros(self.mean_micros),
            "sd": format_micros(self.sd_micros),
            "level_95": format_micros(self.level_micros),
            "tail_95": format_micros(self.tail_micros),
            "worst": format_micros(self.worst_micros),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BillLevels:
    """The simulated months without the hedge and with it, by entry premium in percent.

    Bills where hours are known (``is_bill``), else rates per GPU-hour.
    """

    months: int
    is_bill: bool
    unhedged: Levels
    hedged: Mapping[int, Levels]

    def to_json(self) -> dict[str, Any]:
        """The figures with stable keys."""
        return {
            "months": self.months,
            "unit": "USD a month" if self.is_bill else "USD per GPU-hour",
            "unhedged": self.unhedged.to_json(),
            "hedged": {
                f"{premium:+d}%" if premium else "0%": each.to_json() for premium, each in self.hedged.items()
            },
        }


def bill_levels(programme: Sequence[ProgrammeMonth], role: Role) -> BillLevels | None:
    """The levels of a simulated programme; None below two months, which are no distribution."""
    if len(programme) < FEWEST_MONTHS:
        return None
    is_bill = all(each.hedged_bill_micros is not None for each in programme)

    def hedged(each: ProgrammeMonth, premium: int) -> int:
        if is_bill and each.hedged_bill_micros is not None:
            return each.hedged_bill_micros[premium]
        return each.hedged_rate_micros[premium]

    bare = [each.bill_micros if is_bill else each.rate_micros for each in programme]
    return BillLevels(
        months=len(programme),
        is_bill=is_bill,
        unhedged=_levels([amount or 0 for amount in bare], role),
        hedged={
            premium: _levels([hedged(each, premium) for each in programme], role)
            for premium in PREMIUMS_PERCENT
        },
    )


def _levels(micros: Sequence[int], role: Role) -> Levels:
    import numpy as np

    amounts = np.array(micros, dtype=np.float64) / MICROS_PER_USD
    sign = 1.0 if role == "buyer" else -1.0
    share = TAIL_LEVEL if role == "buyer" else 1 - TAIL_LEVEL
    return Levels(
        mean_micros=_micros(amounts.mean()),
        sd_micros=_micros(amounts.std(ddof=1)),
        level_micros=_micros(np.quantile(amounts, share)),
        tail_micros=_micros(sign * cvar(sign * amounts)),
        worst_micros=max(micros) if role == "buyer" else min(micros),
    )


def _micros(dollars: Any) -> int:
    return quantise(float(dollars) * MICROS_PER_USD)
