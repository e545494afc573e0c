"""Trades and sellers that a methodology leaves out row by row, whatever they cost.

A wash trade has one name on both sides. Affiliates trade inside one house. A circular trade went out and
came back: A sold to B and B sold to A, in one window. A list price of an administered seller is set by
office. Names are compared as they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .methodology import Methodology

if TYPE_CHECKING:
    import ibis


def screen_rules(table: ibis.Table, methodology: Methodology) -> list[tuple[str, Any]]:
    """The screens that one row can answer, as (code, predicate that a row must meet)."""
    screen = methodology.screen
    if screen is None:
        return []
    rules: list[tuple[str, Any]] = []
    if screen.administered is not None:
        named = table.seller.isin(list(screen.administered)) & (table.tier == "listed")
        rules.append(("administered_seller", ~named.fill_null(False)))
    if "trade" in methodology.inputs:
        if screen.wash_trades == "exclude":
            rules.append(("wash_trade", (table.seller != table.buyer).fill_null(True)))
        if screen.affiliates is not None:
            rules.append(("affiliate_trade", ~_within_a_house(table, screen.affiliates)))
    return rules


def _within_a_house(table: ibis.Table, groups: Sequence[Sequence[str]]) -> Any:
    import ibis

    inside: Any = ibis.literal(value=False)
    for group in groups:
        both = table.seller.isin(list(group)) & table.buyer.isin(list(group))
        inside |= both.fill_null(False)
    return inside


def screens_circles(methodology: Methodology) -> bool:
    """Whether circular trades are left out."""
    screen = methodology.screen
    return "trade" in methodology.inputs and screen is not None and screen.circular_trades == "exclude"


def is_circular(table: ibis.Table, standing: Any) -> Any:
    """Trades of two names that trade both ways in one window. ``standing`` are the rows that may speak.

    Both directions of a pair of names meet under the pair in alphabetical order.
    """
    import ibis

    named = table.buyer.notnull() & (table.kind == "trade") & standing
    downward = ibis.cases((named, (table.seller < table.buyer).cast("int8")), else_=ibis.null("int8"))
    pair = ["fixing_date", ibis.least(table.seller, table.buyer), ibis.greatest(table.seller, table.buyer)]
    fewest, most = (getattr(downward, which)().over(group_by=pair) for which in ("min", "max"))
    return (named & (fewest != most)).fill_null(False)
