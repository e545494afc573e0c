"""Trade versions: of the events of one trade only the latest that was known counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ibis

CORRECTION_COLUMNS = (
    "observation_id", "kind", "source", "known_at", "recorded_at", "trade_id", "trade_status",
)  # fmt: skip
"""What the panel asks of a trade event that may supersede another."""

SUPERSEDING = ("amends", "recorded_at", "known_at", "status_rank", "observation_id")
"""How late a version of a trade is. A first report, however late it was loaded, never supersedes a
correction or cancellation of it."""
SUPERSEDING_RECONSTRUCTED = ("amends", "known_at", "status_rank", "observation_id")


def trade_versions(observations: ibis.Table, corrections: ibis.Table | None) -> ibis.Table:
    """Every correction and cancellation of a trade, from any month, with its order."""
    import ibis

    def versions(table: ibis.Table) -> ibis.Table:
        trades = table.filter(table.kind == "trade", table.trade_id.notnull(), _amends(table) == 1)
        return trades.select(
            later_source=trades.source,
            later_trade_id=trades.trade_id,
            later_amends=_amends(trades),
            later_recorded_at=trades.recorded_at,
            later_known_at=trades.known_at,
            later_status_rank=_status_rank(trades),
            later_observation_id=trades.observation_id,
        )

    if corrections is None:
        return versions(observations)
    return ibis.union(versions(observations), versions(corrections), distinct=True)


def _status_rank(table: ibis.Table) -> Any:
    """Order of events of one trade at one instant: new, corrected, cancelled."""
    import ibis

    return ibis.cases((table.trade_status == "cancelled", 2), (table.trade_status == "corrected", 1), else_=0)


def _amends(table: ibis.Table) -> Any:
    """1 for an event that corrects or cancels a trade, 0 for its first report."""
    return (_status_rank(table) > 0).cast("int8")


def with_superseded(table: ibis.Table, versions: ibis.Table, *, reconstructed: bool) -> ibis.Table:
    """Mark trade events of which a later version was known. Runs before the grade is asked, or a
    correction that changes the chip would leave the old trade in.

    A correction or cancellation reaches its trade from any month. A second first report of one
    ``trade_id`` is a later version only inside one window, all of which is always read: elsewhere it is
    another trade, whatever files are at hand.
    """
    import ibis

    table = table.mutate(status_rank=_status_rank(table), amends=_amends(table))
    order = SUPERSEDING_RECONSTRUCTED if reconstructed else SUPERSEDING
    trades = table.filter(table.kind == "trade", table.trade_id.notnull())
    pairs = trades.inner_join(
        versions, [trades.source == versions.later_source, trades.trade_id == versions.later_trade_id]
    )
    seen = (pairs.later_known_at if reconstructed else pairs.later_recorded_at) <= pairs.seen_until
    amended = pairs.filter(seen & _is_later(pairs, order)).select("fixing_date", "observation_id")
    first = trades.filter(trades.amends == 0)
    named = {f"later_{name}": first[name] for name in ("fixing_date", "source", "trade_id", *order)}
    again = first.select(**named)
    repeats = first.inner_join(
        again,
        [
            first.fixing_date == again.later_fixing_date,
            first.source == again.later_source,
            first.trade_id == again.later_trade_id,
        ],
    )
    repeated = repeats.filter(_is_later(repeats, order)).select("fixing_date", "observation_id")
    beaten = ibis.union(amended, repeated, distinct=True).mutate(superseded=True)
    joined = table.left_join(beaten, ["fixing_date", "observation_id"])
    kept = joined.mutate(superseded=joined.superseded.fill_null(False))
    return kept.drop("fixing_date_right", "observation_id_right")


def _is_later(pairs: ibis.Table, order: Sequence[str]) -> Any:
    """Whether the later version of a pair comes after its own, by the first column in which they differ."""
    later: Any = None
    equal: Any = None
    for column in order:
        mine, other = pairs[column], pairs[f"later_{column}"]
        step = other > mine if equal is None else equal & (other > mine)
        later = step if later is None else later | step
        equal = other == mine if equal is None else equal & (other == mine)
    return later
