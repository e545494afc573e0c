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
}
"""Doubts that mark a record without refusing it."""

PAYLOAD_REASONS: dict[str, str] = {
    "not_this_format": "the file is not in this feed's format; name another feed",
    "missing_column": "a column this feed needs is absent; add it or map it in rentmark.toml",
    "empty_payload": "the file holds no records",
    "too_large": "the file is larger than the limit; split it",
    "truncated_payload": "the file ends early; fetch it again",
    "damaged_payload": "the file is damaged; fetch it again",
    "not_an_offer": "the file holds published index values, not offers or trades",
}
"""Why a whole payload is refused."""


def reject_sentence(reason: str, field: str, value: str, where: str) -> str:
    """One sentence: the place, the field, its value and the remedy."""
    shown = value if len(value) <= 60 else value[:57] + "…"
    return f"{where}: {field} is {shown!r}; {REJECT_REASONS[reason]}."
