"""Numbers, addresses, badges and CSV cells: small functions and their promises."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.dashboard import formats
from rentmark.dashboard.downloads import csv_text
from rentmark.dashboard.moves import signed_price
from rentmark.dashboard.pages import pages_found
from rentmark.dashboard.routing import View, page_of, view_of
from rentmark.dashboard.safety import content_security_policy
from rentmark.dashboard.states import marks_of, status_text
from rentmark.records import UsageError
from rentmark.workspace import votes_around


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("3.465950", "$3.466"),
        ("3.967500", "$3.968"),
        ("3.966500", "$3.966"),
        (None, "—"),
        ("-0.004000", "$−0.004"),
    ],
)
def test_a_board_price_is_rounded_half_even_to_three_decimals(value, text):
    assert formats.board_price(value) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.0408, "+4.1 %"), (-0.0134, "−1.3 %"), (0.0, "0.0 %"), (-0.0001, "0.0 %"), (None, "—")],
)
def test_a_move_has_a_sign_and_a_true_minus(ratio, text):
    assert formats.signed_percent(ratio) == text


def test_other_numbers_are_written_as_the_house_writes_them():
    assert formats.signed(-0.45) == "−0.45"
    assert formats.dollars("-1234.56") == "−$1,235"
    assert formats.dollars(None) == "—"
    assert formats.minute("2026-08-14T16:00:30Z") == "2026-08-14 16:00 UTC"
    assert formats.age(0) == "today"
    assert formats.age(1) == "1 day"
    assert formats.full_price("3.465950") == "$3.465950"
    assert signed_price("-0.004000") == "−0.004000"
    assert signed_price("0.135950") == "+0.135950"


@pytest.mark.parametrize(
    ("row", "needed", "text"),
    [
        ({"status": "OK", "rule": None, "n_sellers": 22}, None, "OK"),
        ({"status": "THIN", "rule": "thin_sellers", "n_sellers": 4}, None, "◐ THIN 4 sellers"),
        ({"status": "CARRIED", "rule": "min_sellers", "n_sellers": 0, "carried_from": "2026-07-04"}, None, "↦ CARRIED from 2026-07-04"),
        ({"status": "GAP", "rule": "min_sellers", "n_sellers": 2}, 3, "∅ GAP min_sellers 2<3"),
        ({"status": "GAP", "rule": "no_match", "n_sellers": 0}, 3, "∅ GAP no_match"),
    ],
)  # fmt: skip
def test_a_state_is_always_told_in_text(row, needed, text):
    assert status_text(row, needed) == text


def test_marks_name_what_a_row_rests_on():
    row = {
        "simulated": True,
        "state": "published",
        "origin": "backcast",
        "revision": 1,
        "finality": "provisional",
    }
    assert [text for text, _ in marks_of(row)] == ["SIMULATED", "BACKCAST", "provisional", "r1"]
    assert [t for t, _ in marks_of({"state": "candidate", "reconstructed": True})] == ["RECONSTRUCTED"]


names = st.text(min_size=1, max_size=20).filter(
    lambda t: t.strip("/") == t and "/" not in t and t not in {".", ".."}
)

PAGES = pages_found()
"""Read once: the first time imports every page, which a busy machine makes longer than an example may take."""


@given(names)
def test_an_address_gives_back_the_name_it_was_made_of(name):
    try:
        address = View("/").link_to("b", name)
    except UnicodeEncodeError:
        return  # a lone surrogate is in no address
    page, parameters = page_of(PAGES, address)
    assert page.pattern == "/b/{name}"
    assert parameters == {"name": name}


def test_an_address_keeps_the_view_of_the_past_and_drops_the_rest():
    view = view_of({"path": "/b/x", "search": "?as_of=2026-08-01&range=1M&theme=dark", "theme": "dark"})
    assert view.href("/data") == "/data?as_of=2026-08-01&theme=dark"
    assert view.href(range="All") == "/b/x?as_of=2026-08-01&range=All&theme=dark"
    assert view.href(as_of=None) == "/b/x?range=1M&theme=dark"
    assert view.as_of.reconstructed
    assert not view_of({"path": "/", "search": "?as_of=2026-08-01&seen=recorded"}).as_of.reconstructed
    with pytest.raises(UsageError):
        _ = view_of({"path": "/", "search": "?as_of=yesterday"}).as_of


def test_csv_keeps_texts_and_defuses_formulas():
    rows = [
        {"a": "3.465950", "b": None, "c": True, "d": {"x": 1}, "e": '=HYPERLINK("x")', "f": "-0.5", "g": "@x"}
    ]
    (read,) = csv.DictReader(io.StringIO(csv_text(rows)))
    assert read == {
        "a": "3.465950", "b": "", "c": "true", "d": '{"x": 1}', "e": '\'=HYPERLINK("x")', "f": "-0.5", "g": "'@x",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("prices", "value", "places"),
    [
        (["1.000000", "3.000000", "2.000000"], "2.000000", [2]),
        (["1.000000", "2.000000", "3.000000", "4.000000"], "2.500000", [1, 2]),
        (["2.000000", "2.000000", "3.000000"], "2.000000", [0, 1]),
        (["1.000000"], None, []),
        ([], "1.000000", []),
    ],
)
def test_the_votes_around_a_median_are_the_middle_ones(prices, value, places):
    assert votes_around([{"value": p} for p in prices], value) == places


def test_nothing_from_elsewhere_may_run():
    policy = content_security_policy(["'sha256-x'"])
    assert "script-src 'self' 'sha256-x';" in policy
    assert "unsafe-eval" not in policy
    assert "http" not in policy
