"""Columns that grades ask of: interconnects under their canonical names, tenancy where it is stated."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rentmark.records import Batch

Parse = Callable[..., Batch]
OFFER = "observed_at,seller,gpu_model,price_per_gpu_hour,interconnect,tenancy\n2026-07-08T06:00:00Z,amber,H100,3.10,"
TRADE = "trade_id,executed_at,seller,chip,gpu_hours,price_usd_per_gpu_hour,interconnect,tenancy\nt1,2026-07-08T06:00:00Z,amber,H100,8,3.10,"


@pytest.mark.parametrize(("feed_id", "row"), [("tabular", OFFER), ("trades", TRADE)])
@pytest.mark.parametrize(
    ("written", "interconnect", "tenancy"),
    [
        ("NDR InfiniBand,single", "InfiniBand", "single"),
        ("nvlink,Dedicated", "NVLink", "single"),
        ("rocev2,shared", "RoCE", "shared"),
        (",unstated", None, None),
        (",", None, None),
        # words that name no interconnect are kept as the seller wrote them; no grade admits them
        ("400G fabric,", "400G fabric", None),
    ],
)
def test_interconnect_and_tenancy_are_read(parse: Parse, feed_id, row, written, interconnect, tenancy):
    batch = parse(feed_id, f"{row}{written}\n")
    (found,) = batch.observations.select(["interconnect", "tenancy"]).to_pylist()
    assert found == {"interconnect": interconnect, "tenancy": tenancy}


def test_a_tenancy_that_is_none_is_refused_with_its_place(parse: Parse):
    batch = parse("tabular", f"{OFFER},mine\n")
    assert batch.rejects.select(["reason", "field", "value"]).to_pylist() == [
        {"reason": "bad_choice", "field": "tenancy", "value": "mine"}
    ]


def test_a_column_that_is_not_stated_leaves_the_digests_of_a_row_as_they_were(parse: Parse):
    with_column = parse("tabular", f"{OFFER},\n")
    lines = [line.rsplit(",", 2)[0] for line in f"{OFFER},".split("\n")]
    without = parse("tabular", "\n".join(lines) + "\n")
    names = ["observation_id", "content_check"]
    assert (
        with_column.observations.select(names).to_pylist() == without.observations.select(names).to_pylist()
    )
