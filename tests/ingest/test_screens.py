"""Doubts that only a payload as a whole shows: marked, never removed, whatever the order of the rows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.ingest import FeedContext, parse_payload
from rentmark.records import Batch, sha256_hex

from tests.ingest.conftest import RECEIVED_AT

Parse = Callable[..., Batch]
HEADER = "observed_at,seller,gpu_model,gpu_count,price_per_gpu_hour,pricing,region,term_months,sku\n"


def line(
    price: str,
    *,
    seller: str = "amber",
    chip: str = "H100",
    count: str = "1",
    pricing: str = "on_demand",
    region: str = "east",
    term: str = "",
    sku: str = "a",
    at: str = "2026-08-14T06:00:00Z",
) -> str:
    return f"{at},{seller},{chip},{count},{price},{pricing},{region},{term},{sku}"


def doubts(parse: Parse, lines: Sequence[str]) -> list[str | None]:
    batch = parse("tabular", HEADER + "\n".join(lines) + "\n")
    assert batch.accepted == len(lines)
    return list(batch.observations["suspect"].to_pylist())


def test_one_price_on_unrelated_chips_looks_like_a_placeholder(parse: Parse) -> None:
    rows = [line("0.50", chip=chip, sku=chip) for chip in ("H100", "RTX 3070", "A100")]
    assert doubts(parse, rows) == ["repeated_across_chips"] * 3
    assert doubts(parse, [*rows[:2], line("0.51", chip="A100")]) == [None] * 3
    assert doubts(parse, [*rows[:2], line("0.50", chip="A100", seller="basalt")]) == [None] * 3
    assert doubts(parse, [*rows[:2], line("0.50", chip="A100", pricing="spot")]) == [None] * 3


def test_one_price_on_related_chips_is_a_price(parse: Parse) -> None:
    rows = [line("0.20", chip=chip, sku=chip) for chip in ("RTX 3070", "RTX 3080", "RTX 3090", "RTX 3060")]
    assert doubts(parse, rows) == [None] * 4


def test_a_spot_price_above_the_cheapest_on_demand_price_is_marked(parse: Parse) -> None:
    rows = [line("2.00"), line("2.10", pricing="spot"), line("2.00", pricing="spot", region="west")]
    assert doubts(parse, rows) == [None, "spot_above_on_demand", None]
    assert doubts(parse, [line("2.00"), line("2.00", pricing="spot")]) == [None, None]
    assert doubts(parse, [line("2.00"), line("9.00", pricing="spot", seller="basalt")]) == [None, None]
    assert doubts(parse, [line("2.00", count="8"), line("9.00", pricing="spot")]) == [None, None]


def test_two_prices_for_one_offer_at_one_instant_are_both_kept_and_marked(parse: Parse) -> None:
    assert doubts(parse, [line("2.00"), line("2.10"), line("2.00", sku="b")]) == [
        "two_prices_one_instant", "two_prices_one_instant", None,
    ]  # fmt: skip
    assert doubts(parse, [line("2.00"), line("2.10", at="2026-08-14T06:00:01Z")]) == [None, None]
    assert doubts(parse, [line("2.00", pricing="reserved", term="12"), line("2.10", pricing="reserved", term="36")]) == [
        None, None,
    ]  # fmt: skip


def test_a_price_per_gpu_that_grows_with_the_instance_looks_like_a_whole_node(parse: Parse) -> None:
    rows = [line("2.00"), line("3.80", count="2"), line("15.90", count="8"), line("2.05", count="4")]
    assert doubts(parse, rows) == [None, "whole_node_price", "whole_node_price", None]
    assert doubts(parse, [line("2.00"), line("3.80", count="2", seller="basalt")]) == [None, None]
    assert doubts(parse, [line("2.00"), line("2.00", region="west"), line("3.80", count="2", region="south")]) == [
        None, None, None,
    ]  # fmt: skip


def test_a_price_outside_the_band_of_its_chip_keeps_that_mark(parse: Parse) -> None:
    """AWS, H100, 55.04 with one GPU: the whole node, as a collector once stored it."""
    assert doubts(parse, [line("55.04"), line("6.88")]) == ["price_outside_band", "two_prices_one_instant"]


def test_trades_are_not_screened(parse: Parse) -> None:
    header = "trade_id,executed_at,seller,chip,gpu_hours,price_usd_per_gpu_hour\n"
    rows = [
        f"t-{n},2026-08-14T06:00:00Z,amber,{chip},10,0.50"
        for n, chip in enumerate(("H100", "RTX 3070", "A100"))
    ]
    batch = parse("trades", header + "\n".join(rows) + "\n")
    assert batch.observations["suspect"].to_pylist() == [None] * 3


LINES = st.builds(
    line,
    st.sampled_from(["0.50", "0.75", "1.00", "4.00"]),
    seller=st.sampled_from(["amber", "basalt"]),
    chip=st.sampled_from(["H100", "A100", "RTX 3070", "L4"]),
    count=st.sampled_from(["", "1", "2", "4"]),
    pricing=st.sampled_from(["on_demand", "spot"]),
    region=st.sampled_from(["east", ""]),
    sku=st.sampled_from(["a", ""]),
)


@settings(deadline=None)
@given(st.lists(LINES, min_size=1, max_size=25, unique=True), st.randoms())
def test_marks_do_not_depend_on_the_order_of_the_rows(rows: list[str], chance: random.Random) -> None:
    def marked(lines: list[str]) -> Counter[tuple[int, str | None]]:
        payload = (HEADER + "\n".join(lines) + "\n").encode()
        batch = parse_payload("tabular", payload, FeedContext(sha256_hex(payload), RECEIVED_AT, "rows"))
        assert batch.accepted == len(lines)
        table = batch.observations
        return Counter(zip(table["observation_id"].to_pylist(), table["suspect"].to_pylist(), strict=True))

    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert marked(rows) == marked(shuffled)


@pytest.mark.parametrize("copies", [1, 3])
def test_an_exact_repeat_raises_no_doubt(parse: Parse, copies: int) -> None:
    batch = parse("tabular", HEADER + (line("2.00") + "\n") * copies)
    assert batch.duplicates == copies - 1
    assert batch.observations["suspect"].to_pylist() == [None]
