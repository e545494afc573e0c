"""Which settlement of a contract month was known when: the latest vintage, and the board of a day."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from ...records import Mark


def marks_known_at(
    marks: Iterable[Mark], instant: datetime | None, *, reconstructed: bool = False
) -> dict[tuple[str, date], Mark]:
    """The latest vintage of each (month, trade date) known at ``instant`` (None: now), in order.

    Strictly that is what was recorded by then; ``reconstructed`` goes by the vintage, when it was made
    public, for history loaded later. A vintage that was recorded first stays where two are equal.
    """
    known: dict[tuple[str, date], Mark] = {}
    for mark in marks:
        if instant is not None:
            stamp = mark.vintage if reconstructed else mark.recorded_at
            if stamp is None or stamp > instant:
                continue
        earlier = known.get((mark.month, mark.trade_date))
        if earlier is None or mark.vintage > earlier.vintage:
            known[mark.month, mark.trade_date] = mark
    return dict(sorted(known.items()))


@dataclass(frozen=True, slots=True)
class BoardMark:
    """The last mark of a month, and whether other months were marked on a later day."""

    mark: Mark
    stale: bool


def board_marks(known: dict[tuple[str, date], Mark], through: date) -> dict[str, BoardMark]:
    """The last mark of each month traded by ``through``; one older than the board's last day is stale."""
    latest: dict[str, Mark] = {}
    for (month, trade_date), mark in known.items():
        if trade_date <= through and (month not in latest or trade_date > latest[month].trade_date):
            latest[month] = mark
    last_day = max((mark.trade_date for mark in latest.values()), default=None)
    return {month: BoardMark(mark, mark.trade_date != last_day) for month, mark in latest.items()}


def curve_panel(known: dict[tuple[str, date], Mark], through: date) -> dict[date, dict[str, int]]:
    """Settlements in micro-USD per GPU-hour by trade date and month, up to a day: what a model is fitted on."""
    panel: dict[date, dict[str, int]] = {}
    for (month, trade_date), mark in known.items():
        if trade_date <= through:
            panel.setdefault(trade_date, {})[month] = mark.settle_micros
    return dict(sorted(panel.items()))
