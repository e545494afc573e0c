"""What is noted of a file is true of every row in it, and a doubt is noted as one."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.records.schemas import OBSERVATION_SCHEMA
from rentmark.store import Store
from rentmark.store.file_facts import MOST_NAMED, FileFacts, days_of_repeats, facts_by_month

from .making import DAY, HOUR, START, commit, observation

FEW = {
    "seller": ["a", "a|b", "b"],
    "venue": [None, "a", "floor"],
    "sku": [None, "k", "n|SXM|80"],
    "name_as_written": [None, "n"],
    "form_factor": [None, "SXM"],
    "memory_gb": [None, 80],
    "region": [None, "us"],
    "gpu_count": [None, 1, 8],
    "machine": [None, "m"],
    "term_months": [None, 1],
    "tier": ["listed", "executable"],
    "kind": ["offer", "offer", "trade"],
}


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    count = draw(st.integers(1, 12))
    rows = []
    for number in range(count):
        changes = {name: draw(st.sampled_from(values)) for name, values in FEW.items()}
        seen = START + draw(st.integers(0, 2)) * DAY + draw(st.integers(0, 11)) * HOUR
        rows.append(observation(observed_at=seen, position=number, payload_digest="0" * 64, **changes))
    return rows


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """The offer key as the definitions spell it, with the day."""
    written = "|".join(str(row[n] or "") for n in ("name_as_written", "form_factor", "memory_gb"))
    sku = written if row["sku"] is None else row["sku"]
    names = ("tier", "source", "seller", "region", "pricing", "term_months", "gpu_count", "machine")
    return (row["observed_at"].date(), row["venue"] or row["seller"], sku, *(row[n] for n in names))


@settings(deadline=None)
@given(tables())
def test_days_of_repeats_are_those_of_a_plain_count(rows):
    counted = Counter(key_of(row) for row in rows if row["kind"] != "trade")
    expected = {key[0] for key, count in counted.items() if count > 1}
    table = pa.Table.from_pylist(rows, OBSERVATION_SCHEMA)
    assert days_of_repeats(table) == expected
    facts = facts_by_month(table)("2026-08")
    assert facts.repeats == any(day.month == 8 for day in expected)
    for name, value in facts.constants.items():
        assert {row[name] for row in rows} == {value}
    assert set(facts.chips or ()) == {row["chip"] for row in rows}


def test_facts_are_kept_in_the_ledger_by_month(sqlite_store: Store):
    may = START - timedelta(days=80)
    rows = [observation(observed_at=may + n * HOUR, seller=f"s{n}", venue="it's") for n in range(3)]
    rows += [observation(observed_at=START + n * HOUR, price_micros=n + 1) for n in range(2)]
    commit(sqlite_store, rows)
    first, second = sqlite_store.observation_files()
    facts = [FileFacts.from_text(file.facts or "") for file in (first, second)]
    assert [each.repeats for each in facts] == [False, True]
    assert facts[0].sources == ("invented",)
    assert "venue" not in facts[0].constants
    assert facts[0].constants["machine"] is None
    assert FileFacts.from_text(facts[0].to_text()) == facts[0]


@pytest.mark.parametrize(("count", "named"), [(MOST_NAMED, True), (MOST_NAMED + 1, False)])
def test_too_many_sources_are_not_named(count: int, named: bool):
    rows = [observation(source=f"s{n:03d}", position=n, payload_digest="0") for n in range(count)]
    facts = facts_by_month(pa.Table.from_pylist(rows, OBSERVATION_SCHEMA))("2026-07")
    assert (facts.sources is not None) == named
