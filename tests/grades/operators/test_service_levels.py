"""A request counts only if it meets every bound and its quality gate, outside any breach."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.grades.operators import MLPERF, Request, ServiceLevel, read_requests_file, slo_goodput
from rentmark.records import RentmarkError

NOW = datetime(2026, 7, 1, tzinfo=UTC)
LEVEL = ServiceLevel(ttft_ms=2000, tpot_ms=80, e2e_ms=60_000)


def served(**changes) -> Request:
    values = {
        "at": NOW,
        "ttft_ms": 500,
        "tpot_ms": 20,
        "e2e_ms": 20_000,
        "correct": True,
        "output_tokens": 100,
    }
    return Request(**(values | changes))


@pytest.mark.parametrize(
    ("changes", "counted_as"),
    [
        ({}, "accepted"),
        ({"ttft_ms": 2000, "tpot_ms": 80, "e2e_ms": 60_000}, "accepted"),
        ({"ttft_ms": 2000.1}, "missed_bounds"),
        ({"tpot_ms": 80.1}, "missed_bounds"),
        ({"e2e_ms": 60_001}, "missed_bounds"),
        ({"tpot_ms": None}, "missed_bounds"),
        ({"correct": False}, "failed_gate"),
        ({"correct": None}, "failed_gate"),
        ({"correct": False, "ttft_ms": 9000}, "missed_bounds"),
        ({"at": NOW + timedelta(hours=1)}, "in_breach"),
        ({"at": NOW + timedelta(hours=2)}, "accepted"),
        ({"at": NOW + timedelta(hours=1), "correct": False}, "in_breach"),
    ],
)
def test_one_request_counts_for_one_thing(changes, counted_as):
    breach = (NOW + timedelta(hours=1), NOW + timedelta(hours=2))
    found = slo_goodput([served(**changes)], LEVEL, [breach])
    counts = {
        name: getattr(found, name) for name in ("accepted", "missed_bounds", "failed_gate", "in_breach")
    }
    assert {name for name, count in counts.items() if count} == {counted_as}
    assert found.accepted_tokens == (100 if counted_as == "accepted" else 0)


REQUESTS = st.lists(
    st.builds(
        served,
        at=st.integers(0, 5).map(lambda h: NOW + timedelta(hours=h)),
        ttft_ms=st.sampled_from([None, 100, 2000, 3000]),
        tpot_ms=st.sampled_from([None, 10, 80, 90]),
        correct=st.sampled_from([True, False, None]),
    ),
    max_size=20,
)


@given(REQUESTS)
def test_the_classes_add_up_and_a_tighter_bound_never_accepts_more(requests):
    found = slo_goodput(requests, LEVEL, [(NOW, NOW + timedelta(hours=2))])
    assert found.requests == found.in_breach + found.missed_bounds + found.failed_gate + found.accepted
    tighter = slo_goodput(requests, ServiceLevel(ttft_ms=500, tpot_ms=80, e2e_ms=60_000))
    assert tighter.accepted <= slo_goodput(requests, LEVEL).accepted


def test_no_requests_have_no_share():
    assert slo_goodput([], LEVEL).share is None


def test_the_shipped_bounds_are_mlperfs():
    """MLPerf Inference, server and interactive scenarios, TTFT/TPOT in ms at the 99th percentile."""
    assert {name: (level.ttft_ms, level.tpot_ms, level.e2e_ms) for name, level in MLPERF.items()} == {
        "mlperf-deepseek-r1-server": (2000, 80, None),
        "mlperf-deepseek-r1-interactive": (1500, 15, None),
        "mlperf-llama2-70b-server": (2000, 200, None),
        "mlperf-llama2-70b-interactive": (450, 40, None),
        "mlperf-llama3.1-405b-server": (6000, 175, None),
        "mlperf-llama3.1-405b-interactive": (4500, 80, None),
    }


HEADER = "at,ttft_ms,tpot_ms,e2e_ms,correct,output_tokens"
GOOD = "2026-07-01T00:00:00Z,500,20,20000,true,100"


def read(*lines: str, header: str = HEADER):
    return read_requests_file("\n".join([header, *lines]).encode(), "requests.csv")


def test_requests_are_read_and_a_blank_is_unknown():
    assert read(GOOD, "2026-07-01T02:00:00+02:00,,,,,0") == (
        served(),
        served(ttft_ms=None, tpot_ms=None, e2e_ms=None, correct=None, output_tokens=0),
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("2026-07-01T00:00:00,1,1,1,true,1", "has no time zone; add Z"),
        ("noon,1,1,1,true,1", "is not an ISO 8601 time"),
        ("2026-07-01T00:00:00Z,-1,1,1,true,1", "ttft_ms is '-1'"),
        ("2026-07-01T00:00:00Z,1,inf,1,true,1", "tpot_ms is 'inf'"),
        ("2026-07-01T00:00:00Z,1,1,1,maybe,1", "correct is 'maybe'"),
        ("2026-07-01T00:00:00Z,1,1,1,true,-1", "output_tokens is '-1'"),
        ("2026-07-01T00:00:00Z,1,1", "does not have 6 cells"),
        ('2026-07-01T00:00:00Z,"1', "can't be read as CSV"),
    ],
)
def test_a_bad_request_refuses_the_file_in_one_sentence(line, said):
    with pytest.raises(RentmarkError) as refused:
        read(GOOD, line)
    assert said in refused.value.sentence
    assert refused.value.sentence.startswith("requests.csv line ")


@pytest.mark.parametrize(
    ("payload", "said"),
    [(b"", "has no column at"), (b"at,correct\n", "has no column output_tokens"), (b"\xff", "is not UTF-8")],
)
def test_what_is_no_requests_file_is_said(payload, said):
    with pytest.raises(RentmarkError, match=said):
        read_requests_file(payload, "requests.csv")


def test_a_file_without_requests_is_said():
    with pytest.raises(RentmarkError, match="holds no requests"):
        read()


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_requests_or_one_sentence(payload):
    for whole in (payload, f"{HEADER}\n{GOOD}\n".encode() + payload):
        try:
            assert read_requests_file(whole, "requests.csv")
        except RentmarkError as refused:
            assert refused.sentence.startswith("requests.csv")  # noqa: PT017
