"""The dated values of the real offers, from a table built here straight from the CSV file.

The values were computed twice, independently of this engine, when the job was written down.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rentmark.index import (
    ESTIMATORS,
    Benchmark,
    Composition,
    Window,
    composition,
    leave_one_out,
    windows_between,
)
from rentmark.records import format_micros, micros_from_text

from .making import LATER, WINDOW, World, benchmark, offer

FILE = "offers/offers_2022-02_2026-08.csv.gz"
SOURCE = "adriannutiu/gpu-rental-prices"
FIRST, LAST = date(2026, 7, 5), date(2026, 8, 22)
GRADE = {"sources": [SOURCE], "chip": "H100", "memory_gb": [80], "pricing": "on_demand"}
MIXED = benchmark({**GRADE, "form_factor": ["SXM", "unstated"]}, min_sellers=3)
STRICT = benchmark({**GRADE, "form_factor": ["SXM"]}, min_sellers=3)
FORMS = {"SXM4": "SXM", "SXM5": "SXM"}
"""How the file writes two of its form factors, and how the catalogue does."""


@pytest.fixture(scope="module")
def real(engine: Any, shared_data: Path) -> World:
    """The H100 rows of the merged file; exact repeats are duplicates and stay out."""
    path = shared_data / FILE
    if not path.is_file():
        pytest.skip(f"real data absent: {path}")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    rows: dict[int, dict[str, Any]] = {}
    for number, record in enumerate(frame[frame["gpu_model"] == "H100"].to_dict("records")):
        row = read(record, number)
        rows.setdefault(row["observation_id"], row)
    return World(engine, list(rows.values()))


def read(record: dict[Any, str], number: int) -> dict[str, Any]:
    """One row of the file as an observation; a blank cell says nothing."""
    cell = {name: text or None for name, text in record.items()}
    venue, slash, host = record["seller"].partition("/")
    observed_at = pd.Timestamp(record["observed_at"]).to_pydatetime()
    form = cell["form_factor"]
    return offer(
        source=record["source"],
        source_commit=cell["source_commit"],
        sku=cell["sku"],
        name_as_written=cell["gpu_model_raw"],
        seller=host if slash else record["seller"],
        venue=venue if slash else None,
        observed_at=observed_at,
        known_at=observed_at,
        form_factor=FORMS.get(form, form) if form else None,
        memory_gb=whole(cell["vram_gb"]),
        gpu_count=whole(cell["gpu_count"]),
        minimum_gpus=whole(cell["minimum_gpus"]),
        machine=cell["machine"],
        price_micros=micros_from_text(record["price_per_gpu_hour"]),
        region=cell["region"],
        pricing="on_demand" if record["pricing"] == "secure" else record["pricing"],
        carried_by_source=record["carried_by_source"].lower() == "true",
        license=cell["license"],
        service="unstated",
        position=number,
    )


def whole(text: str | None) -> int | None:
    return None if text is None else int(float(text))


def all_windows(rules: Benchmark) -> list[Window]:
    return windows_between(rules.methodology, FIRST, LAST, LATER)


@pytest.fixture(scope="module")
def mixed(real: World) -> dict[date, Any]:
    return {f.date: f for f in real.fixings(MIXED, all_windows(MIXED))}


@pytest.mark.parametrize(
    ("day", "value", "sellers"),
    [
        ("2026-07-06", "3.120000", 10),
        ("2026-07-07", "3.250000", 15),
        ("2026-07-08", "3.120000", 14),
        ("2026-07-10", "3.900000", 13),
        ("2026-07-18", "2.990000", 15),
        ("2026-07-25", "2.990000", 21),
        ("2026-08-04", "3.310000", 22),
        ("2026-08-14", "3.465950", 22),
        ("2026-08-22", "3.330000", 22),
    ],
)
def test_the_mixed_grade_prints_the_known_values(mixed, day, value, sellers):
    fixing = mixed[date.fromisoformat(day)]
    assert (format_micros(fixing.value_micros), fixing.n_sellers, fixing.status) == (value, sellers, "OK")


def test_the_first_day_is_a_gap_of_two_sellers(mixed):
    fixing = mixed[FIRST]
    assert (fixing.status, fixing.rule, fixing.n_sellers, fixing.value_micros) == (
        "GAP",
        "min_sellers",
        2,
        None,
    )


@pytest.mark.parametrize(
    ("day", "value", "sellers"), [("2026-07-10", "3.250000", 7), ("2026-08-14", "3.270000", 10)]
)
def test_the_strict_grade_prints_the_known_values(real, day, value, sellers):
    chosen = [w for w in all_windows(STRICT) if w.date == date.fromisoformat(day)]
    (fixing,) = real.fixings(STRICT, chosen)
    assert (format_micros(fixing.value_micros), fixing.n_sellers) == (value, sellers)


def test_a_listed_only_benchmark_is_never_settlement_grade(mixed):
    assert not any(fixing.settlement_grade for fixing in mixed.values())


def test_every_day_of_the_range_has_a_row(mixed):
    assert sorted(mixed) == [FIRST + timedelta(days=number) for number in range((LAST - FIRST).days + 1)]
    assert all((f.value_micros is None) == (f.status == "GAP") for f in mixed.values())


def test_the_real_rows_are_marked_as_they_are_filtered(real):
    marks = real.marked(MIXED, all_windows(MIXED))
    kept = sorted(key for key, code in marks.items() if code is None)
    assert real.filtered(MIXED, all_windows(MIXED)) == kept
    assert len(kept) > 500


def test_without_spheron_the_fourteenth_of_august_prints_3_37_as_the_day_before(real, mixed):
    ballots = real.ballots(MIXED, all_windows(MIXED))
    values = {}
    for day in (date(2026, 8, 13), date(2026, 8, 14)):
        assert mixed[day].status == "OK"
        without = {left.seller: left.value_micros for left in leave_one_out(MIXED, ballots[day], WINDOW)}
        values[day.day] = without["spheron"]
    assert values == {13: micros_from_text("3.37"), 14: micros_from_text("3.37")}


@pytest.mark.parametrize(
    ("day", "change", "matched", "common"),
    [
        # computed twice, independently of this engine, when the job was written down
        ("2026-07-07", "0.130000", "0.000000", 10),
        ("2026-07-08", "-0.130000", "-0.455000", 14),
        ("2026-08-14", "0.135950", "0.135950", 22),
    ],
)
def test_the_composition_of_three_dated_moves(real, mixed, day, change, matched, common):
    after = date.fromisoformat(day)
    before = after - timedelta(days=1)
    ballots = real.ballots(MIXED, all_windows(MIXED))
    made = composition(MIXED, (before, ballots[before]), (after, ballots[after]))
    assert isinstance(made, Composition)
    assert format_micros(made.change_micros) == change
    assert made.level_after_micros == mixed[after].value_micros
    assert made.price_micros is not None
    assert (format_micros(made.price_micros), len(made.common)) == (matched, common)
    parts = made.price_micros + made.entry_micros + (made.exit_micros or 0)
    assert parts + made.residual_micros == made.change_micros


@pytest.mark.parametrize(
    ("day", "entry", "left", "came", "gone"),
    [
        # where sellers only came, or one only went, its effect is the level's move less the matched one
        ("2026-07-07", "0.130000", "0.000000", 5, 0),
        ("2026-07-08", "0.000000", "0.325000", 0, 1),
        ("2026-08-14", "0.000000", "0.000000", 0, 0),
    ],
)
def test_entry_and_exit_are_measured_apart_and_leave_nothing_on_those_days(
    real, day, entry, left, came, gone
):
    after = date.fromisoformat(day)
    before = after - timedelta(days=1)
    ballots = real.ballots(MIXED, all_windows(MIXED))
    made = composition(MIXED, (before, ballots[before]), (after, ballots[after]))
    assert isinstance(made, Composition)
    assert (format_micros(made.entry_micros), format_micros(made.exit_micros or 0)) == (entry, left)
    assert (len(made.entered), len(made.left), made.residual_micros) == (came, gone, 0)


def test_the_move_of_the_fourteenth_of_august_is_of_two_sellers_and_named(real):
    ballots = real.ballots(MIXED, all_windows(MIXED))
    before, after = date(2026, 8, 13), date(2026, 8, 14)
    made = composition(MIXED, (before, ballots[before]), (after, ballots[after]))
    assert isinstance(made, Composition)
    asked = {(b.seller, day.day): b.value_micros for day in (before, after) for b in ballots[day]}
    changed = {s for s, day in asked if day == 14 and asked[s, 13] != asked[s, 14]}
    assert {m.name for m in made.movers} == changed == {"scaleway", "spheron"}


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_every_estimator_prints_on_the_real_panel(real, name):
    # no answer is known here: that each is defined, and within the votes but for the chains, is what is held
    keys: dict[str, Any] = {
        "trimmed_mean": {"tail": 0.1},
        "winsorised_mean": {"tail": 0.1},
        "central_third_mean": {"spread_floor": 0.03, "memory_days": 90},
        "matched_chain": {"memory_days": 7},
        "time_dummy": {"memory_days": 14, "splice": "mean"},
    }.get(name, {})
    if ESTIMATORS[name].reads & {"volume", "instants"}:
        return  # there are no trades in this file
    rules = benchmark({**GRADE, "form_factor": ["SXM", "unstated"]}, min_sellers=3, estimator=name, **keys)
    windows = all_windows(rules)
    ballots = real.ballots(rules, windows)
    fixings = real.fixings(rules, windows)
    assert sum(f.status == "OK" for f in fixings) >= 40
    for fixing in fixings:
        if fixing.value_micros is not None and "chain" not in name and "dummy" not in name:
            values = [b.value_micros for b in ballots[fixing.date]]
            assert min(values) <= fixing.value_micros <= max(values)
