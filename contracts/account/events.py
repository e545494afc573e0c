"""Blotter events and what they stand at: new, amend, cancel, one trade by broker and trade id.

Events are facts and are only ever added. An amendment states what it changes and leaves the rest; a
cancelled trade stays on record and counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...records.blotter import BlotterEvent, TradeKey
from .trades import Trade

AMENDABLE = (
    "account",
    "traded_on",
    "contract",
    "month",
    "lots",
    "price_micros",
    "fees_micros",
    "strategy",
)
"""What an amendment may change: everything but the names of the trade."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingTrade:
    """What the events of one trade come to: its terms now, how many events, and whether it counts."""

    terms: BlotterEvent
    events: int = 1
    cancelled: bool = False

    @property
    def trade(self) -> Trade:
        """The terms as the account takes them; a new trade has them all."""
        terms = self.terms
        assert terms.contract is not None
        assert terms.month is not None
        assert terms.traded_on is not None
        assert terms.lots is not None
        assert terms.price_micros is not None
        return Trade(
            trade_id=f"{terms.broker}/{terms.trade_id}",
            contract=terms.contract,
            month=terms.month,
            day=terms.traded_on,
            lots=terms.lots,
            price_micros=terms.price_micros,
            fees_micros=terms.fees_micros,
            strategy=terms.strategy,
        )


def amended(terms: BlotterEvent, event: BlotterEvent) -> BlotterEvent:
    """The terms with what an amendment states in their place."""
    changes = {name: getattr(event, name) for name in AMENDABLE}
    return replace(terms, **{name: value for name, value in changes.items() if value is not None})


def standing(events: Iterable[BlotterEvent]) -> dict[TradeKey, StandingTrade]:
    """What accepted events come to, by trade, in the order trades were first seen.

    Events are taken as the archive accepted them, so each names a trade seen before. Raises KeyError
    for one that does not.
    """
    trades: dict[TradeKey, StandingTrade] = {}
    for event in events:
        apply_event(trades, event)
    return trades


def apply_event(trades: dict[TradeKey, StandingTrade], event: BlotterEvent) -> None:
    """Take one accepted event into what stands."""
    if event.action == "new":
        trades[event.key] = StandingTrade(terms=event)
        return
    before = trades[event.key]
    trades[event.key] = StandingTrade(
        terms=amended(before.terms, event) if event.action == "amend" else before.terms,
        events=before.events + 1,
        cancelled=before.cancelled or event.action == "cancel",
    )


def trades_of(events: Iterable[BlotterEvent], account: str | None = None) -> Mapping[str, tuple[Trade, ...]]:
    """The trades that count, by account and then by day and id; ``account`` keeps one."""
    found: dict[str, list[Trade]] = {}
    for each in standing(events).values():
        name = each.terms.account
        assert name is not None  # a new trade has its account
        if not each.cancelled and account in {None, name}:
            found.setdefault(name, []).append(each.trade)
    return {
        name: tuple(sorted(trades, key=lambda trade: (trade.day, trade.trade_id)))
        for name, trades in sorted(found.items())
    }
