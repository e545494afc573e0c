"""What may be asked, where a redirect may lead, and how long to wait."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.ingest.fetch_rules import (
    address_refusal,
    host_of,
    kept_headers,
    pause_seconds,
    redirect_target,
    retry_after_seconds,
    shown_address,
)
from rentmark.records import Refusal

NOW = datetime(2026, 8, 14, 6, tzinfo=UTC)
HERE = "https://prices.example/v1/latest?key=a"


@pytest.mark.parametrize(
    "url", ["https://prices.example/x", "http://127.0.0.1:8000/", "http://localhost/", "http://[::1]:80/"]
)
def test_these_may_be_asked(url: str):
    assert address_refusal(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://prices.example/", "http://192.168.0.1/", "http://169.254.169.254/latest", "file:///etc/passwd",
        "gopher://prices.example", "https://a:b@prices.example/", "https://", "", "https://x:notaport/",
        "https://prices.example/a b", "https://prices.example/\r\nX: y",
    ],
)  # fmt: skip
def test_these_may_not(url: str):
    refusal = address_refusal(url)
    assert refusal is not None
    assert refusal.code == "bad_address"


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/v2/latest", "https://prices.example/v2/latest"),
        ("next", "https://prices.example/v1/next"),
        ("https://PRICES.example/x", "https://PRICES.example/x"),
        ("https://prices.example:443/x", "https://prices.example:443/x"),
        ("//prices.example/x", "https://prices.example/x"),
    ],
)
def test_a_redirect_within_the_host_is_followed(location: str, target: str):
    assert redirect_target(HERE, location) == target


@pytest.mark.parametrize(
    "location",
    [
        "http://prices.example/x", "https://other.example/", "//other.example/x", "https://prices.example:8443/x",
        "https://prices.example.evil.example/", "https://prices.example@evil.example/", "http://127.0.0.1/",
        "javascript:alert(1)", "https://prices.example\\@evil.example/", None, "",
    ],
)  # fmt: skip
def test_a_redirect_elsewhere_is_not(location: str | None):
    found = redirect_target(HERE, location)
    assert isinstance(found, Refusal)
    assert "key=a" not in found.sentence


def test_from_this_machine_a_redirect_to_https_is_an_upgrade():
    assert redirect_target("http://localhost:8000/x", "https://localhost/x") == "https://localhost/x"
    assert isinstance(redirect_target("http://localhost:8000/x", "http://localhost:9000/x"), Refusal)


def test_an_address_is_shown_without_what_might_be_secret():
    assert shown_address("https://a:b@h.example:8/p?q=1#f") == "https://h.example:8/p"
    assert shown_address("https://x:notaport/") == "the address"


def test_the_host_of_a_rate_limit_has_its_port():
    assert host_of("https://H.example/a") == host_of("https://h.example:443/b") == "h.example:443"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0), ("0", 0.0), ("Fri, 14 Aug 2026 06:00:30 GMT", 30.0), ("Fri, 14 Aug 2026 05:00:00 GMT", 0.0),
        ("soon", None), ("-5", None), ("1e9", None), (None, None), ("", None), ("٣", None),
    ],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(text: str | None, seconds: float | None):
    assert retry_after_seconds(text, NOW) == seconds


@given(
    st.integers(1, 30), st.floats(0.01, 10), st.floats(10, 300), st.floats(0, 1, exclude_max=True),
    st.one_of(st.none(), st.floats(0, 400)),
)  # fmt: skip
def test_a_pause_lies_between_half_its_step_and_the_longest(
    attempt: int, first: float, longest: float, draw: float, asked: float | None
):
    pause = pause_seconds(attempt, first=first, longest=longest, asked=asked, draw=draw)
    if asked is not None and asked > longest:
        assert pause is None
        return
    assert pause is not None
    step = min(longest, first * 2 ** (attempt - 1))
    assert step / 2 <= pause <= max(step, asked or 0)
    assert asked is None or pause >= asked


def test_only_headers_of_use_are_kept():
    assert kept_headers({"ETag": "a", "Set-Cookie": "b", "Date": "c"}) == {"date": "c", "etag": "a"}
