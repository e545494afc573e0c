"""Single fields: what is read exactly, and what is refused with which reason."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.ingest.columns import Bad
from rentmark.ingest.fields import (
    PRICING_WORDS,
    choice,
    flag,
    instant,
    micros_of,
    money_of,
    number,
    optional_instant,
    price_of,
    usd,
    whole,
)
from rentmark.records import parse_instant, to_microseconds

quarters = st.integers(min_value=1, max_value=400).map(lambda count: Decimal(count) / 4)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("3.10", 3_100_000),
        ("3", 3_000_000),
        ("3.", 3_000_000),
        (".5", 500_000),
        ("+3.10", 3_100_000),
        ("1e-2", 10_000),
        ("0.0000005", Bad("price_not_positive")),  # half a micro-dollar, half-even, is none
        ("0.0000015", 2),
        ("0.0000025", 2),
        (None, Bad("missing_price")),
        ("3,10", Bad("price_not_a_number")),
        ("$3.10", Bad("price_not_a_number")),
        ("1_000", Bad("price_not_a_number")),
        ("0x10", Bad("price_not_a_number")),
        ("３.10", Bad("price_not_a_number")),
        ("9" * 101, Bad("price_not_a_number")),
        ("NaN", Bad("price_not_finite")),
        ("-inf", Bad("price_not_finite")),
        ("Infinity", Bad("price_not_finite")),
        ("0", Bad("price_not_positive")),
        ("0.00", Bad("price_not_positive")),
        ("-1", Bad("price_not_positive")),
        ("-1e999999999", Bad("price_not_positive")),
        ("1e-999999999", Bad("price_not_positive")),
        ("1e999999999", Bad("price_too_large")),
        ("99999999999999", Bad("price_too_large")),
    ],
)
def test_a_price_is_exact_or_refused(text: str | None, answer: int | Bad) -> None:
    assert price_of(text) == answer


@settings(deadline=None)
@given(st.decimals(min_value="0.000001", max_value="999999", places=9))
def test_a_price_is_rounded_once_half_even(value: Decimal) -> None:
    expected = int((value * 1_000_000).to_integral_value(rounding=ROUND_HALF_EVEN))
    assert price_of(f"{value:f}") == (expected if expected > 0 else Bad("price_not_positive"))


@settings(deadline=None)
@given(quarters, st.sampled_from([1, 2, 4, 8, 16]))
def test_an_instance_price_shared_out_and_back_is_itself(dollars: Decimal, gpus: int) -> None:
    money = money_of(f"{dollars:f}")
    assert isinstance(money, Fraction)
    shared = micros_of(money / gpus)
    assert isinstance(shared, int)
    assert abs(shared * gpus - dollars * 1_000_000) <= gpus / 2


@pytest.mark.parametrize(
    ("text", "answer"),
    [("8", 8), ("8.0", 8), ("+8", 8), (None, None), ("0", Bad("x")), ("-8", Bad("x")), ("8.5", Bad("x")),
     ("eight", Bad("x")), ("1e3", Bad("x")), ("9999999999", Bad("x")), ("８", Bad("x"))],
)  # fmt: skip
def test_a_count_is_a_positive_whole_number(text: str | None, answer: int | Bad | None) -> None:
    assert whole("x")(text) == answer


def test_none_available_is_a_count_where_zero_is_allowed() -> None:
    assert whole("x", zero=True)("0") == 0


@pytest.mark.parametrize(
    ("text", "answer"),
    [("0.995", 0.995), (None, None), ("often", Bad("bad_number")), ("NaN", Bad("bad_number")),
     ("1e999", Bad("bad_number"))],
)  # fmt: skip
def test_a_number_is_finite(text: str | None, answer: float | Bad | None) -> None:
    assert number(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [("true", True), ("TRUE", True), ("1", True), ("no", False), (None, False), ("perhaps", Bad("bad_flag"))],
)
def test_a_flag_is_true_or_false(text: str | None, answer: bool | Bad) -> None:
    assert flag(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [("on-demand", "on_demand"), ("On Demand", "on_demand"), ("secure", "on_demand"), ("spot", "spot"),
     ("community", "community"), (None, Bad("bad_choice")), ("weekly", Bad("bad_choice"))],
)  # fmt: skip
def test_pricing_words_are_known_or_refused(text: str | None, answer: str | Bad) -> None:
    assert choice(PRICING_WORDS, None)(text) == answer


@pytest.mark.parametrize(
    ("text", "zone", "answer"),
    [
        ("2026-08-14T06:00:00Z", None, "2026-08-14T06:00:00Z"),
        ("2026-08-14T08:00:00+02:00", "America/New_York", "2026-08-14T06:00:00Z"),
        ("2026-08-14T08:00:00", "Europe/Berlin", "2026-08-14T06:00:00Z"),
        ("2026-08-14", "UTC", "2026-08-14T00:00:00Z"),
        ("2026-08-14T08:00:00", None, "naive_time"),
        ("2026-08-14", None, "naive_time"),
        ("14.08.2026", None, "bad_time"),
        ("0001-01-01T00:00:00+14:00", None, "bad_time"),
        ("2026-08-20T00:00:00Z", None, "2026-08-20T00:00:00Z"),
        ("2026-08-20T00:00:00.000001Z", None, "future_time"),
        (None, None, "missing_time"),
    ],
)
def test_a_time_is_an_instant_or_refused(text: str | None, zone: str | None, answer: str) -> None:
    read = instant(zone, latest=to_microseconds(parse_instant("2026-08-20T00:00:00Z")))
    expected = to_microseconds(parse_instant(answer)) if answer[0] == "2" else Bad(answer)
    assert read(text) == expected
    if text is not None:
        assert optional_instant(zone, latest=None)(None) is None


@pytest.mark.parametrize(
    ("stated", "default", "text", "answer"),
    [
        (False, None, None, "USD"),  # the documented layout is in USD
        (True, None, None, Bad("missing_currency")),
        (True, "USD", None, "USD"),
        (True, None, "usd", "USD"),
        (True, "USD", "EUR", Bad("unsupported_currency", value="EUR")),
        (False, "EUR", None, Bad("unsupported_currency", value="EUR")),
    ],
)
def test_a_currency_is_stated_or_refused(
    stated: bool, default: str | None, text: str | None, answer: str | Bad
) -> None:
    assert usd(stated, default)(text) == answer
