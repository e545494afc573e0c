"""Reason codes: why a record was rejected, doubted or left out, and what to do about it.

One table, so that a code means one thing everywhere and has a remedy.
"""

from __future__ import annotations

REJECT_REASONS: dict[str, str] = {
    "missing_price": "the price is blank; add it or leave the row out",
    "price_not_a_number": "write the price as a plain decimal such as 3.10",
    "price_not_finite": "the price is NaN or infinite; write a finite price",
    "price_not_positive": "a price must be above zero; a zero usually means not offered",
    "price_too_large": "the price does not fit; check its unit",
    "missing_time": "the time is blank; add it in ISO 8601 with a zone",
    "bad_time": "write the time in ISO 8601, such as 2026-08-14T06:47:03Z",
    "naive_time": "the time has no zone; add one, or state time_zone in the mapping",
    "future_time": "the time is after the file was received; check the clock or the zone",
    "missing_seller": "the seller is blank; add it",
    "unknown_chip": "no chip of the catalogue is named; check the name with `rentmark grade`",
    "partition_of_chip": "a partition of a GPU is not a GPU; leave it out",
    "bad_memory": "memory must be a positive whole number of GB",
    "bad_gpu_count": "the GPU count must be a positive whole number",
    "bad_number": "the field must be a number",
    "bad_flag": "the field must be true or false",
    "bad_choice": "the field holds a value this feed does not know",
    "missing_currency": "the currency is not stated; add it or state it in the mapping",
    "unsupported_currency": "only USD is read without a dated FX series",
    "missing_rate": "no rate known at that time is in the dated series; add one, or raise max_age_hours",
    "missing_block_time": "the block is outside the stated block times; state one before and one after it",
    "bad_unit": "the price is for another unit than this feed reads; leave the row out",
    "software_included": "the price includes a software licence, which is no rent of a GPU; leave it out",
    "truncated_row": "the row ends early; the file may be cut off",
    "malformed_record": "the record is not in this feed's layout",
    "not_an_offer": "the record is not an offer or a trade",
    "missing_trade_id": "a trade needs a trade_id; add it",
    "missing_hours": "a trade needs gpu_hours, or start_at and end_at with a gpu_count",
    "bad_hours": "the hours must be positive and end after they start",
    "amount_mismatch": "price times hours differs from the amount; correct one of them",
    "not_simulated": "this workspace is simulated and takes simulated sources only",
}
"""Why a record is refused at the door, with the remedy."""

SUSPECT_REASONS: dict[str, str] = {
    "column_disagrees_with_name": "a column and the name as written disagree; the column was used",
    "price_outside_band": "the price is far outside the usual band of this chip; check its unit",
    "older_than_snapshot": "the record is older than the snapshot it came in",
    "prices_disagree": "the record states its price twice and the two differ; the first was used",
    "estimated_by_source": "the source says that it estimated this price",
    "effective_long_ago": "the price took effect more than a year before it was collected; it may be stale",
    "whole_node_price": "the price per GPU grows with the GPUs of the instance, as a whole node's price does",
    "repeated_across_chips": "the seller has this very price on several unrelated chips; it may be a placeholder",
    "spot_above_on_demand": "the spot price is above the seller's on-demand price for the same thing",
    "two_prices_one_instant": "the same offer has another price at the same instant; both are kept",
}
"""Doubts that mark a record without refusing it."""

PAYLOAD_REASONS: dict[str, str] = {
    "not_this_format": "the file is not in this feed's format; name another feed",
    "missing_column": "a column this feed needs is absent; add it or map it in rentmark.toml",
    "missing_parameter": "the file leaves open what only its user can say; state it in a mapping",
    "empty_payload": "the file holds no records",
    "too_large": "the file is larger than the limit; split it",
    "truncated_payload": "the file ends early; fetch it again",
    "damaged_payload": "the file is damaged; fetch it again",
    "shared_identity": "two different records of the file have one identity of 64 bits; leave one out",
    "not_an_offer": "the file holds published index values, not offers or trades",
}
"""Why a whole payload is refused."""

MARK_REASONS: dict[str, str] = {
    "missing_field": "add it",
    "unknown_contract": "name a contract of `rentmark contracts`",
    "bad_month": "write a month of the contract as YYYY-MM",
    "month_not_listed": "correct the month or the trade date",
    "month_off_cycle": "name a month of the listing cycle",
    "month_expired": "correct the month or the trade date",
    "bad_date": "write the date as YYYY-MM-DD",
    "not_a_trading_day": "correct the date or the contract's calendar",
    "future_time": "it lies after the file was received; correct it",
    "bad_time": "write a date, or an instant with a zone such as 2026-08-14T21:00:00Z",
    "vintage_before_trade_date": "a settlement is public after its trade date begins; correct it",
    "bad_number": "write a plain number",
    "price_not_positive": "a price must be above zero",
    "off_tick": "a price is a multiple of the contract's tick",
    "crossed": "the bid is above the ask; correct one of them",
    "beyond_price_limit": "the settlement is beyond the contract's daily price limit; correct it or the limit",
    "doubled_date": "one vintage has one settlement a day; keep one, or give the later its own vintage",
    "malformed_record": "the row has more or fewer cells than the header",
}
"""Why a row of a settlements file is refused, with the remedy."""


BLOTTER_REASONS: dict[str, str] = {
    "missing_trade_id": "every event needs its trade_id",
    "missing_broker": "every event needs its broker",
    "missing_account": "a new trade needs its account",
    "missing_date": "a new trade needs its date",
    "missing_contract": "a new trade needs its contract",
    "missing_month": "a new trade needs its contract month",
    "missing_lots": "write the lots beside the side",
    "missing_price": "a new trade needs its price",
    "bad_time": "write the date as YYYY-MM-DD",
    "bad_number": "write dollars as a plain decimal such as 3.12",
    "bad_choice": "write one of the words the column knows",
    "lots_not_whole": "write a whole number of lots",
    "no_lots": "leave a trade of no lots out",
    "price_not_positive": "a price must be above zero",
    "off_tick": "write a price that is a multiple of the contract's tick",
    "bad_month": "write a month of the contract as YYYY-MM",
    "month_not_listed": "correct the month or the trade date",
    "month_off_cycle": "name a month of the listing cycle",
    "month_expired": "correct the month or the trade date",
    "unknown_contract": "name a contract of `rentmark contracts`",
    "unknown_trade": "send the new trade before what amends or cancels it",
    "trade_known": "send an amend of a trade that is known",
    "trade_cancelled": "send a new trade under another id",
    "ambiguous_amend": "add an event_id, or send the trade's whole history",
    "truncated_row": "the row and the header differ in length; the file may be cut off",
    "malformed_record": "the row holds what no text holds; leave it out",
}
"""Why a row of a blotter is refused, with the remedy."""


def reject_sentence(reason: str, field: str, value: str, where: str) -> str:
    """One sentence: the place, the field, its value and the remedy."""
    shown = value if len(value) <= 60 else value[:57] + "…"
    return f"{where}: {field} is {shown!r}; {REJECT_REASONS[reason]}."
