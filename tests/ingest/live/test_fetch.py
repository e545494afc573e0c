"""Fetching from a server that is slow, truncated, redirecting, busy, broken, endless or simply well."""

from __future__ import annotations

import gzip
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from rentmark.ingest.live import Fetched, FetchLimits, FetchRequest, Unchanged, fetch
from rentmark.records import Refusal, RentmarkError

from .loopback import drips, hangs_up, is_silent, says, serving

QUICK = FetchLimits(connect_seconds=1, read_seconds=0.3, total_seconds=0.6, size_bytes=100_000, attempts=3)
GOOD = says(b'{"offers": []}', headers={"Content-Type": "application/json", "ETag": '"v1"', "X-Other": "1"})


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Lets go of every answer that hangs when the test is over."""
    event = threading.Event()
    yield event
    event.set()


class Pauses:
    """Stands in for sleeping, and keeps how long it would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def ask(url: str, limits: FetchLimits = QUICK, **request: object):
    pauses = Pauses()
    outcome = fetch(FetchRequest(url=url, **request), limits, sleep=pauses, draw=lambda: 1.0)
    return outcome, pauses.seconds


def refused(url: str, code: str, limits: FetchLimits = QUICK) -> tuple[str, list[float]]:
    outcome, pauses = ask(url, limits)
    assert isinstance(outcome, Refusal)
    assert outcome.code == code
    assert outcome.sentence.endswith(".")
    return outcome.sentence, pauses


def test_a_good_answer_comes_as_it_was_sent_with_its_headers():
    with serving(GOOD) as server:
        outcome, pauses = ask(server.url("/prices?key=a"), headers={"Authorization": "Bearer word"})
    assert isinstance(outcome, Fetched)
    assert outcome.payload == b'{"offers": []}'
    assert (outcome.status, outcome.attempts, pauses) == (200, 1, [])
    assert outcome.headers["etag"] == '"v1"'
    assert "x-other" not in outcome.headers
    assert abs((datetime.now(UTC) - outcome.received_at).total_seconds()) < 10
    method, path, headers, _ = server.requests[0]
    assert (method, path, headers["authorization"]) == ("GET", "/prices?key=a", "Bearer word")
    assert headers["user-agent"].startswith("rentmark/")
    assert "if-none-match" not in headers


def test_a_post_sends_its_body():
    with serving(GOOD) as server:
        outcome, _ = ask(server.url(), method="POST", body=b'{"query": "{ gpuTypes }"}')
    assert isinstance(outcome, Fetched)
    assert server.requests[0][0] == "POST"
    assert server.requests[0][3] == b'{"query": "{ gpuTypes }"}'


def test_compressed_bytes_stay_as_they_came():
    packed = gzip.compress(b"observed_at,seller\n")
    with serving(says(packed, headers={"Content-Encoding": "gzip"})) as server:
        outcome, _ = ask(server.url())
    assert isinstance(outcome, Fetched)
    assert outcome.payload == packed


def test_an_encoding_nobody_asked_for_is_refused():
    with serving(says(b"abc", headers={"Content-Encoding": "br"})) as server:
        sentence, _ = refused(server.url(), "not_this_format")
    assert "br" in sentence


def test_what_is_held_is_not_sent_again():
    with serving(says(status=304)) as server:
        outcome, _ = ask(server.url(), etag='"v1"', last_modified="Fri, 14 Aug 2026 06:00:00 GMT")
    assert isinstance(outcome, Unchanged)
    headers = server.requests[0][2]
    assert headers["if-none-match"] == '"v1"'
    assert headers["if-modified-since"] == "Fri, 14 Aug 2026 06:00:00 GMT"


def test_a_304_that_nobody_asked_for_is_refused():
    with serving(says(status=304)) as server:
        refused(server.url(), "refused_by_server")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_or_broken_server_is_asked_again_and_then_let_be(status: int):
    with serving(says(status=status)) as server:
        sentence, pauses = refused(server.url(), "no_answer")
    assert f"answers {status}, 3 times in a row" in sentence
    assert pauses == [1.0, 2.0]
    assert len(server.requests) == 3


def test_a_server_that_recovers_is_read():
    with serving(says(status=500), hangs_up, GOOD) as server:
        outcome, pauses = ask(server.url())
    assert isinstance(outcome, Fetched)
    assert outcome.attempts == 3
    assert len(pauses) == 2


def test_retry_after_lengthens_the_pause():
    with serving(says(status=429, headers={"Retry-After": "7"}), GOOD) as server:
        outcome, pauses = ask(server.url())
    assert isinstance(outcome, Fetched)
    assert pauses == [7.0]


def test_a_retry_after_beyond_our_patience_ends_the_attempts():
    with serving(says(status=429, headers={"Retry-After": "3600"})) as server:
        sentence, pauses = refused(server.url(), "no_answer")
    assert "asks to wait 3600 seconds" in sentence
    assert (pauses, len(server.requests)) == ([], 1)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418])
def test_a_plain_no_is_not_asked_again(status: int):
    with serving(says(b"no", status=status)) as server:
        sentence, _ = refused(server.url("/p?api_key=secret"), "refused_by_server")
    assert f"answers {status}" in sentence
    assert "secret" not in sentence
    assert len(server.requests) == 1


def test_a_silent_server_is_given_up(released: threading.Event):
    with serving(is_silent(released)) as server:
        sentence, _ = refused(server.url(), "no_answer")
        released.set()
    assert "does not answer in time" in sentence


def test_a_server_that_drips_is_given_up_when_the_time_is_over(released: threading.Event):
    with serving(drips(10_000, 0.05, released)) as server:
        sentence, _ = refused(server.url(), "no_answer")
        released.set()
    assert "is not done after 0.6 seconds" in sentence


def test_an_endless_answer_ends_at_the_size_limit(released: threading.Event):
    with serving(drips(10_000, 0, released)) as server:
        sentence, pauses = refused(server.url(), "too_large")
    assert "more than 100,000 bytes" in sentence
    assert pauses == []


def test_an_answer_announced_too_large_is_not_even_read():
    with serving(says(b"x" * 10, length=10**12)) as server:
        refused(server.url(), "too_large")
    assert len(server.requests) == 1


def test_a_truncated_answer_is_never_taken_for_a_whole_one():
    with serving(says(b'{"offers": [', length=500)) as server:
        sentence, _ = refused(server.url(), "no_answer")
    assert "can't be read" in sentence
    assert len(server.requests) == 3


def test_nobody_there_is_a_sentence():
    with serving(GOOD) as server:
        url = server.url()
    sentence, _ = refused(url, "no_answer")
    assert "can't be read" in sentence


def test_a_redirect_on_the_same_host_is_followed():
    with serving(says(status=302, headers={"Location": "/new.json"}), GOOD) as server:
        outcome, _ = ask(server.url(), headers={"X-Key": "word"})
    assert isinstance(outcome, Fetched)
    assert [request[1] for request in server.requests] == ["/prices.json", "/new.json"]
    assert server.requests[1][2]["x-key"] == "word"


def test_redirects_in_a_circle_end():
    with serving(says(status=302, headers={"Location": "/prices.json"})) as server:
        sentence, _ = refused(server.url(), "bad_redirect")
    assert "more than 3 times" in sentence
    assert len(server.requests) == 4


def test_a_redirect_to_another_host_or_port_is_not_followed():
    with serving(GOOD) as other:
        for target in (
            other.url(),
            "https://prices.example/",
            "http://10.0.0.1/",
            "file:///etc/passwd",
            "ftp://127.0.0.1/",
        ):
            with serving(says(status=307, headers={"Location": target})) as server:
                refused(server.url(), "bad_redirect")
                assert len(server.requests) == 1
        assert other.requests == []


def test_a_redirect_to_nowhere_is_not_followed():
    with serving(says(status=301)) as server:
        refused(server.url(), "bad_redirect")


@pytest.mark.parametrize(
    "url",
    [
        "http://prices.example/",
        "ftp://127.0.0.1/",
        "https://user:hush-hush@prices.example/",
        "prices",
        "https://",
    ],
)
def test_an_address_that_may_not_be_asked_is_refused_before_any_socket(url: str):
    sentence, _ = refused(url, "bad_address")
    assert "hush-hush" not in sentence


def test_without_the_client_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(RentmarkError, match=r"rentmark\[live\]"):
        fetch(FetchRequest(url="http://127.0.0.1:9/"))
