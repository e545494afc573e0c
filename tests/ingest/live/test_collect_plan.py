"""What a [collect.NAME] table may state, and what its request becomes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rentmark.ingest import SnapshotParameters, read_mapping
from rentmark.ingest.collect import (
    CollectSpec,
    dated_by_fetch,
    fetch_notes,
    header_noted,
    not_before,
    pause_for_host,
    read_collect,
)
from rentmark.ingest.feeds import FEEDS
from rentmark.ingest.live import FetchRequest
from rentmark.records import Refusal, UsageError

NOW = datetime(2026, 8, 14, 6, tzinfo=UTC)
GOOD: dict[str, Any] = {"feed": "vast", "url": "https://prices.example/bundles"}


def spec(**changes: Any) -> CollectSpec:
    return read_collect("amber", {**GOOD, **changes}, {})


def test_the_least_that_must_be_stated():
    found = spec()
    assert (found.method, found.interval_hours, found.size_limit_mb) == ("GET", 1.0, 256)
    assert found.source == "https://prices.example/bundles"
    assert found.host == "prices.example:443"
    assert found.limits().size_bytes == 256 * 1024 * 1024


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"url": "http://prices.example/"}, "is not https"),
        ({"url": "https://u:p@prices.example/"}, "user or password"),
        ({"url": None}, "state url"),
        ({"provider": "vastai"}, "and not both"),
        ({"url": None, "provider": "vastai"}, "provider goes with feed = 'gpuhunt'"),
        ({"body": "{}"}, "body goes with method"),
        ({"method": "DELETE"}, "method"),
        ({"feed": "vest"}, "did you mean vast"),
        ({"mapping": "mine"}, "add [mappings.mine]"),
        ({"headers": {"Authorization": "Bearer abcdef"}}, "must come from the environment"),
        ({"headers": {"X-Api-Key": "key-${NAME}"}}, "must come from the environment"),
        ({"headers": {"Host": "${NAME}"}}, "can't be stated"),
        ({"headers": {"A b": "${NAME}"}}, "can't be stated"),
        ({"headers": {"Accept": "a\nb"}}, "must come from the environment"),
        ({"interval_hours": -1}, "interval_hours"),
        ({"size_limit_mb": 1000}, "size_limit_mb"),
        ({"intervall": 1}, "did you mean interval_hours"),
    ],
)
def test_what_is_wrong_is_one_sentence_before_any_work(changes: dict[str, Any], said: str):
    values = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    with pytest.raises(UsageError) as caught:
        read_collect("amber", values, {})
    assert caught.value.sentence.startswith("[collect.amber]")
    assert said in caught.value.sentence


@pytest.mark.parametrize("name", ["../up", "a b", "", "-x", "a/b", "x" * 65])
def test_a_name_must_fit_a_file_name(name: str):
    with pytest.raises(UsageError, match="needs a name"):
        read_collect(name, GOOD, {})


def test_a_mapping_must_be_for_the_feed():
    mappings = {"other": read_mapping({"feed": "lambda"}, "[mappings.other]")}
    with pytest.raises(UsageError, match="is for the feed lambda, not vast"):
        read_collect("amber", {**GOOD, "mapping": "other"}, mappings)


def test_secrets_come_from_the_environment():
    found = spec(
        headers={"Authorization": "Bearer ${KEY}", "X-Key": "${OTHER}", "Accept": "application/json"}
    )
    request = found.request({"KEY": "one", "OTHER": "two"}, etag='"v1"')
    assert isinstance(request, FetchRequest)
    assert request.headers == {"Authorization": "Bearer one", "X-Key": "two", "Accept": "application/json"}
    assert request.etag == '"v1"'
    for environment in ({"KEY": "one"}, {"KEY": "one", "OTHER": ""}):
        refusal = found.request(environment)
        assert isinstance(refusal, Refusal)
        assert "needs OTHER" in refusal.sentence
    broken = found.request({"KEY": "a\nb", "OTHER": "two"})
    assert isinstance(broken, Refusal)
    assert "a\nb" not in broken.sentence


def test_a_body_is_sent_as_utf8():
    request = spec(method="POST", body="{ gpuTypes }").request({})
    assert isinstance(request, FetchRequest)
    assert (request.method, request.body) == ("POST", b"{ gpuTypes }")


def test_a_source_is_due_after_its_interval_since_the_last_attempt():
    assert not_before(spec(), None, NOW) is None
    assert not_before(spec(interval_hours=6), NOW, NOW) == NOW + timedelta(hours=6)
    assert not_before(spec(interval_hours=0), NOW, NOW) == NOW


def test_an_attempt_that_a_wrong_clock_noted_in_the_future_stops_no_later_one():
    assert not_before(spec(interval_hours=6), NOW + timedelta(days=365), NOW) is None
    assert not_before(spec(interval_hours=6), NOW + timedelta(seconds=1), NOW) is None


def test_a_host_is_left_alone_between_requests():
    found = spec(seconds_between_requests=5)
    assert pause_for_host(found, None) == 0
    assert pause_for_host(found, 2.0) == 3.0
    assert pause_for_host(found, 9.0) == 0


def test_a_fetch_dates_only_what_has_no_time_stated():
    vast = FEEDS["vast"].parameters
    dated = dated_by_fetch(None, vast, "vast", NOW)
    assert isinstance(dated, SnapshotParameters)
    assert dated.observed_at == NOW
    stated = read_mapping({"feed": "vast", "observed_at": "2026-08-01T00:00:00Z"}, "[mappings.x]")
    assert isinstance(stated, SnapshotParameters)
    assert dated_by_fetch(stated, vast, "vast", NOW) is None
    assert dated_by_fetch(None, None, "gpurentalprices", NOW) is None
    assert dated_by_fetch(None, FEEDS["gpuhunt"].parameters, "gpuhunt", NOW) is None
    provider = read_mapping({"feed": "gpuhunt", "provider": "amber"}, "[mappings.y]")
    assert isinstance(provider, SnapshotParameters)
    found = dated_by_fetch(provider, FEEDS["gpuhunt"].parameters, "gpuhunt", NOW)
    assert found is not None
    assert (found.observed_at, found.model_dump()["provider"]) == (NOW, "amber")


def test_notes_keep_the_headers_of_an_answer():
    notes = tuple(fetch_notes("https://prices.example/", 200, {"etag": '"v1"', "date": "x" * 900}, NOW))
    assert notes[0] == "fetched at 2026-08-14T06:00:00Z from https://prices.example/ (HTTP 200)"
    assert header_noted(notes, "etag") == '"v1"'
    assert header_noted(notes, "last-modified") is None
    assert all(len(note) < 600 for note in notes)
