"""What a payload leaves unsaid is stated, checked, hashed, and meant for one feed."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from rentmark.ingest import FEEDS, FeedParameters, TableMapping, check_reading, read_mapping, split_reading
from rentmark.records import UsageError

SKYPILOT = {"feed": "skypilot", "provider": "amber", "observed_at": "2026-08-14T06:00:00Z"}
WINDOW = {
    "feed": "sfcompute",
    "name": "h100i",
    "start_at": "2026-08-15T00:00:00Z",
    "end_at": "2026-08-16T00:00:00Z",
}


def test_a_table_with_a_feed_holds_parameters_and_one_without_is_a_mapping() -> None:
    parameters, mapping = read_mapping(SKYPILOT, "[mappings.a]"), read_mapping({}, "[mappings.b]")
    assert isinstance(parameters, FeedParameters)
    assert isinstance(mapping, TableMapping)
    assert split_reading(parameters) == (None, parameters)
    assert split_reading(mapping) == (mapping, None)
    assert split_reading(None) == (None, None)


def test_parameters_that_were_kept_are_read_back_the_same() -> None:
    for values in (SKYPILOT, WINDOW):
        first = read_mapping(values, "[mappings.a]")
        again = read_mapping(first.model_dump(mode="json"), "The recorded mapping")
        assert again == first
        assert again.mapping_hash() == first.mapping_hash()


@pytest.mark.parametrize(
    ("key", "value"),
    [("provider", "basalt"), ("observed_at", "2026-08-14T06:00:01Z"), ("feed", "gpuhunt")],
)
def test_every_parameter_is_in_the_hash(key: str, value: str) -> None:
    one, other = read_mapping(SKYPILOT, "[a]"), read_mapping({**SKYPILOT, key: value}, "[a]")
    assert one.mapping_hash() != other.mapping_hash()


def test_a_time_of_the_rules_file_is_an_instant() -> None:
    """TOML reads 2026-08-14T08:00:00+02:00 as a datetime, and so does a text of it."""
    from datetime import timedelta, timezone

    local = datetime(2026, 8, 14, 8, tzinfo=timezone(timedelta(hours=2)))
    one, other = (
        read_mapping({**SKYPILOT, "observed_at": value}, "[a]") for value in (local, "2026-08-14T06:00:00Z")
    )
    assert one == other
    assert one.observed_at == datetime(2026, 8, 14, 6, tzinfo=UTC)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"feed": "skypilott"}, "There is no feed 'skypilott'; did you mean skypilot"),
        ({"feed": 7}, "has feed = 7; write the name of a feed"),
        ({"feed": "tardellirs"}, "takes no parameters; leave the table out"),
        ({"feed": "tabular"}, "takes no parameters; leave feed out"),
        ({"feed": "skypilot"}, "lacks the key provider"),
        ({**SKYPILOT, "providr": "x"}, "unknown key providr; did you mean provider"),
        ({**SKYPILOT, "provider": ""}, "provider = ''"),
        ({**SKYPILOT, "observed_at": "2026-08-14T06:00:00"}, "states no time zone"),
        ({**SKYPILOT, "observed_at": datetime(2026, 8, 14, 6)}, "states no time zone"),
        ({**SKYPILOT, "observed_at": date(2026, 8, 14)}, "states no time zone"),
        ({**SKYPILOT, "observed_at": 5}, "observed_at"),
        ({**WINDOW, "end_at": "2026-08-15T00:00:00Z"}, "must be after start_at"),
        ({**WINDOW, "pricing": "cheap"}, "pricing"),
        ({"feed": "host-rentals", "seller": "quartz"}, "lacks the key unit"),
        ({"feed": "nosana", "markets": {}}, "markets"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_key_and_the_remedy(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as raised:
        read_mapping(values, "[mappings.mine]")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("feed_id", "values", "sentence"),
    [
        ("gpuhunt", SKYPILOT, "The mapping is for the feed skypilot, not gpuhunt"),
        (
            "tardellirs",
            {},
            "Feed tardellirs has a layout of its own and takes no table mapping; leave --mapping",
        ),
        ("skypilot", {}, 'add feed = "skypilot"'),
    ],
)
def test_a_mapping_of_another_feed_is_refused(feed_id: str, values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        check_reading(feed_id, read_mapping(values, "[mappings.mine]"))


def test_a_mapping_for_the_feed_passes() -> None:
    check_reading("skypilot", read_mapping(SKYPILOT, "[a]"))
    check_reading("tabular", read_mapping({}, "[a]"))
    for feed_id in FEEDS:
        check_reading(feed_id, None)
