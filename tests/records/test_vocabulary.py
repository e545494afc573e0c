"""Instants, digests, schemas and refusals keep their promises."""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.records import (
    PAYLOAD_REASONS,
    REJECT_REASONS,
    NaiveInstantError,
    Observation,
    Reject,
    UsageError,
    canonical_json,
    digest_of,
    format_instant,
    from_microseconds,
    month_bounds,
    parse_instant,
    parse_month,
    reject_sentence,
    to_microseconds,
)
from rentmark.records.schemas import DUPLICATE_KEY, NOT_CONTENT, OBSERVATION_SCHEMA, REJECT_SCHEMA
from rentmark.records.specs import SpecModel


def test_the_arrow_columns_are_the_fields_of_the_record():
    assert OBSERVATION_SCHEMA.names == [f.name for f in dataclasses.fields(Observation)]
    assert REJECT_SCHEMA.names == [f.name for f in dataclasses.fields(Reject)]
    assert set(DUPLICATE_KEY) <= set(OBSERVATION_SCHEMA.names)
    assert set(NOT_CONTENT) <= set(OBSERVATION_SCHEMA.names)


def test_a_written_time_without_a_zone_needs_one_stated():
    with pytest.raises(NaiveInstantError):
        parse_instant("2026-08-14 06:47:03")
    assert parse_instant("2026-08-14 06:47:03", "America/New_York") == datetime(
        2026, 8, 14, 10, 47, 3, tzinfo=UTC
    )
    assert parse_instant("2026-08-14T06:47:03+02:00") == datetime(2026, 8, 14, 4, 47, 3, tzinfo=UTC)
    assert parse_instant("2026-08-14T06:47:03Z") == datetime(2026, 8, 14, 6, 47, 3, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+23:00"])
def test_an_unreadable_time_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_instant(text)


@given(st.integers(-(10**15), 4 * 10**15))
def test_microseconds_round_trip(count):
    instant = from_microseconds(count)
    assert to_microseconds(instant) == count
    assert parse_instant(format_instant(instant)) == instant


def test_months_have_their_bounds():
    assert month_bounds("2028-02") == (date(2028, 2, 1), date(2028, 2, 29))
    assert month_bounds("2026-12") == (date(2026, 12, 1), date(2026, 12, 31))
    with pytest.raises(ValueError):
        parse_month("2026-13")


def test_a_digest_does_not_depend_on_the_order_of_keys():
    assert digest_of({"b": 1, "a": [date(2026, 8, 14)]}) == digest_of({"a": [date(2026, 8, 14)], "b": 1})
    assert canonical_json({"ä": None}) == '{"ä":null}'.encode()
    with pytest.raises(ValueError):
        canonical_json(float("nan"))
    with pytest.raises(TypeError):
        canonical_json(timedelta(1))


def test_every_reject_reason_gives_a_sentence_with_place_value_and_remedy():
    for reason, remedy in REJECT_REASONS.items():
        sentence = reject_sentence(reason, "price", "x" * 200, "row 7")
        assert sentence.startswith("row 7: price is ")
        assert remedy in sentence
        assert len(sentence) < 240
    assert all(PAYLOAD_REASONS.values())


class Example(SpecModel):
    """A spec to read."""

    min_sellers: int = 3


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"min_seller": 3}, "[x] has an unknown key min_seller; did you mean min_sellers?"),
        ({"min_sellers": "many"}, "[x] has min_sellers = 'many'"),
    ],
)
def test_a_wrong_key_is_named_with_its_remedy(values, said):
    with pytest.raises(UsageError, match=said.replace("[", r"\[").replace("?", r"\?")) as caught:
        Example.read(values, "[x]")
    assert caught.value.exit_code == 2
