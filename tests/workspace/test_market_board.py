"""The board, the panel behind a fixing, and the reader that writes nothing: on a small invented market."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from rentmark.cli import run
from rentmark.records import RentmarkError
from rentmark.workspace import (
    AsOf,
    Workspace,
    build,
    data_heads,
    fixing_rows,
    forget_views,
    is_being_written,
    market,
    open_for_reading,
    panel_sellers,
    publish,
    view_made,
)
from rentmark.workspace.sellers_behind import LOOKBACK_FIXINGS

FIRST = date(2026, 6, 1)
RULES = """
[grades.h100]
chip = "H100"

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 3

[benchmarks.h100-list]
grade = "h100"
methodology = "list-median"

[benchmarks.h100-empty]
grade = "h100"
methodology = "list-median"
"""
HEADER = (
    "observed_at,seller,source,sku,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,pricing,license"
)
LAST = FIRST + timedelta(days=34)


def offers() -> str:
    """Invented: three sellers a day; day 33 has two; amber moves on the last day, coral comes on day 4."""
    lines = [HEADER]
    for n in range(35):
        prices = {"amber": "2.00", "birch": "3.00", "cedar": "4.00"}
        if n == 34:
            prices["birch"] = "3.30"
        if n == 33:
            del prices["cedar"]
        if n == 4:
            prices["coral"] = "9.00"
        lines += [
            f"{FIRST + timedelta(days=n)}T12:00:00Z,{seller},invented,h100-{seller},H100,SXM5,80,8,{price},on_demand,MIT"
            for seller, price in prices.items()
        ]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A workspace with one benchmark published."""
    root = tmp_path_factory.mktemp("board") / "w"
    assert run(["init", str(root)]) == 0
    (root / "rentmark.toml").write_text(RULES, encoding="utf-8")
    (root / "offers.csv").write_text(offers(), encoding="utf-8")
    assert run(["ingest", "tabular", str(root / "offers.csv"), "--workspace", str(root)]) == 0
    assert run(["index", "build", "h100-list", "--publish", "--workspace", str(root)]) == 0
    return root


@pytest.fixture
def reader(folder):
    """The workspace as the dashboard opens it."""
    workspace = open_for_reading(folder, database_url=None)
    yield workspace
    workspace.store.close()


def line(workspace, name="h100-list", as_of=None):
    return next(row for row in market(workspace, as_of=as_of)["rows"] if row["benchmark"] == name)


def test_a_move_is_against_the_last_day_with_a_value_and_says_so_where_that_is_older(reader):
    row = line(reader)
    assert (row["date"], row["value"]) == (LAST.isoformat(), "3.300000")
    assert row["change_1d"] == pytest.approx(0.1, abs=1e-9)
    assert row["change_1d_from"] == (FIRST + timedelta(days=32)).isoformat()
    assert row["previous_is_older"] is True
    assert (row["n_changed"], row["n_entered"], row["n_left"]) == (1, 0, 0)
    assert "without birch, no value (min_sellers)" in row["sentence"]


def test_thirty_days_reach_back_to_a_day_with_a_value(reader):
    """Thirty days before the last one is day 4, which has a value: (3.00 + 4.00) / 2 of four sellers."""
    row = line(reader)
    assert row["change_30d_from"] == (FIRST + timedelta(days=4)).isoformat()
    assert row["change_30d"] == pytest.approx(3.3 / 3.5 - 1, abs=1e-9)


def test_a_benchmark_without_rows_says_why_and_every_figure_is_null(reader):
    row = line(reader, "h100-empty")
    assert row["reason"] == "Data is in, nothing is built. Run `rentmark index build h100-empty`."
    assert (row["value"], row["change_1d"], row["n_changed"], row["date"]) == (None, None, None, None)
    assert row["change_1d_reason"] == row["reason"]


def test_a_day_without_a_value_has_no_move_but_a_reason(reader):
    seen = AsOf(datetime(2026, 7, 5, tzinfo=UTC), reconstructed=True)
    row = line(reader, as_of=seen)
    assert (row["date"], row["status"], row["rule"]) == ("2026-07-04", "GAP", "min_sellers")
    assert (row["value"], row["change_1d"]) == (None, None)
    assert row["change_1d_reason"] == "no value of its own on 2026-07-04"
    assert row["n_changed_reason"] == "min_sellers"


def test_the_headline_is_the_story_of_the_first_benchmark_with_a_value(reader):
    board = market(reader)
    assert board["headline"].startswith("h100-list is $3.300, +10.0 % since 2026-07-03.")
    waiting = market(reader, story_of=lambda _: None)
    assert waiting["headline"] == "h100-list is $3.300, +10.0 % since 2026-07-03."
    assert waiting["rows"][1]["n_changed_reason"] == "being worked out"


def test_the_panel_tells_since_when_each_asks_its_price_and_who_left(reader):
    told = panel_sellers(reader, "h100-list", LAST)
    assert [(s["seller"], s["rank"], s["price"]) for s in told["sellers"]] == [
        ("amber", 1, "2.000000"),
        ("birch", 2, "3.300000"),
        ("cedar", 3, "4.000000"),
    ]
    since = {s["seller"]: (s["since"], s["since_or_earlier"], s["came"]) for s in told["sellers"]}
    assert since["birch"] == (LAST.isoformat(), False, False)
    followed_from = (LAST - timedelta(days=LOOKBACK_FIXINGS)).isoformat()
    assert (told["followed_from"], followed_from) == (followed_from, "2026-06-04")
    assert since["amber"] == (followed_from, True, False)
    assert since["cedar"] == (LAST.isoformat(), False, True)
    assert told["out"] == [{"seller": "coral", "last_price": "9.000000", "last_date": "2026-06-05"}]
    with pytest.raises(RentmarkError, match="no row on 2025-01-01"):
        panel_sellers(reader, "h100-list", date(2025, 1, 1))


def test_a_reader_makes_views_of_the_past_in_memory_and_stores_none(folder, reader):
    seen = AsOf(datetime(2026, 6, 11, tzinfo=UTC), reconstructed=True)
    with pytest.raises(RentmarkError, match="Nothing was known"):
        fixing_rows(reader, "h100-list", as_of=seen)
    view_made(reader, "h100-list", seen)
    rows = fixing_rows(reader, "h100-list", as_of=seen)
    assert rows[-1]["date"] == "2026-06-10"
    assert all(row["reconstructed"] for row in rows)
    other = Workspace.open(folder, database_url=None)
    assert list(other.store.views("h100-list")) == ["latest"]
    other.store.close()
    forget_views(reader)
    assert reader.store.candidates("h100-list", seen.view) == []


def test_a_reader_refuses_to_publish_to_build_the_latest_view_and_to_ingest(reader):
    before = data_heads(reader)
    with pytest.raises(RentmarkError, match="only reads"):
        build(reader, "h100-empty")
    with pytest.raises(RentmarkError, match="only reads"):
        reader.store.append_fixings(lambda *_: [], "h100-list")
    with pytest.raises(RentmarkError, match="only reads"):
        reader.store.save_methodology("a" * 64, {})
    with pytest.raises(RentmarkError):
        publish(reader, "h100-empty", actor="a reader")
    assert data_heads(reader) == before


def test_heads_move_when_something_is_committed_and_writers_are_seen(folder, reader):
    before = data_heads(reader)
    assert not is_being_written(reader)
    other = Workspace.open(folder, database_url=None)
    with other.store.database.writing():
        assert is_being_written(reader)
    build(other, "h100-empty")
    other.store.close()
    assert data_heads(reader) != before
    with other.store.database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM candidate WHERE benchmark = 'h100-empty'")
    other.store.close()
