"""Many texts read at once are read as they are one by one: the same values, the same refusals."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rentmark.ingest.columns import (
    Bad,
    Column,
    Fault,
    by_presence,
    clean_text,
    first_stated,
    from_cells,
    group_rows,
    whole_column,
)
from rentmark.ingest.fields import (
    instant,
    money_of,
    number,
    optional_instant,
    prices,
    required_text,
    shared_price_of,
    whole,
)
from rentmark.ingest.held import FEW, Held
from rentmark.ingest.shared_price import price_per_gpu
from rentmark.records import to_microseconds

LATEST = to_microseconds(datetime(2026, 8, 20, tzinfo=UTC))
PRICES = (
    "3.10", "3.1234565", "3.1234575", "0.0000005", "0.0000015", "2.0000005", "999999.9999995", "0.000001",
    "1234567", "12.", ".5", "1e3", "1E-7", "-1", "+2", "0", "0.0", "NaN", "inf", "3,10", "$3", "1_000", "٣", " ",
    "0.29333333333333333", "3.1234564999999999999", "99999999999999",
)  # fmt: skip
INSTANTS = (
    "2026-08-14T06:00:00Z", "2026-08-14 06:00:00Z", "2026-08-14T06:00:00.5Z", "2026-08-14T06:00:00.1234567Z",
    "2026-08-14T06:00:00+02:00", "2026-08-14T06:00:00-23:59", "2026-08-14T06:00:00+24:00", "2026-02-30T00:00:00Z",
    "2026-08-14T24:00:00Z", "2026-08-14T06:00:60Z", "2026-08-14T06:60:00Z", "2026-13-01T00:00:00Z",
    "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-23:00",
    "1969-12-31T23:59:59.999999Z", "2026-08-14", "2026-08-14Z", "2026-08-14+02:00", "2026-08-14T06:00:00",
    "2026-08-14T06Z", "20260814T060000Z", "2027-01-01T00:00:00Z", "yesterday", "2026-08-14T06:00:0\N{DIGIT NINE}Z",
    "2026-08-14t06:00:00z", "1755151200",
)  # fmt: skip
NUMBERS = ("0.995", "1", "-1", "1e300", "1e400", "nan", "0.1", "00.5", "5.", "x", "123456789012.25")
WHOLES = ("8", "0", "+8", "8.0", "-8", "08", "999999999", "1000000000", "eight", "8.5")

READERS: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "prices": (prices(), PRICES),
    "prices in cents": (prices(100), PRICES),
    "instant": (instant(None, latest=LATEST), INSTANTS),
    "instant in a zone": (instant("Europe/Berlin", latest=None), INSTANTS),
    "optional instant": (optional_instant(None, latest=LATEST), INSTANTS),
    "number": (number, NUMBERS),
    "whole": (whole("bad_number"), WHOLES),
    "whole or zero": (whole("bad_number", zero=True), WHOLES),
    "required text": (required_text("missing_seller"), ("amber", "basalt")),
}


def held(texts: list[str | None]) -> Column[str | None]:
    """A column of texts in an Arrow array, however few they are."""
    cleaned = [clean_text("field", text) for text in texts]
    return Column("field", Held(pa.array(cleaned, pa.string())), np.arange(len(texts)))


def same_as_one_by_one(reader: Callable[[Any], Any], texts: list[str | None]) -> None:
    together = held(texts).convert(reader)
    alone = from_cells("field", texts).convert(reader)
    rows = np.arange(len(texts))
    assert together.at(rows) == alone.at(rows)
    assert together.faults[together.codes].tolist() == alone.faults[alone.codes].tolist()


@pytest.mark.parametrize("name", READERS)
def test_the_hard_cases_are_read_alike(name: str) -> None:
    reader, texts = READERS[name]
    same_as_one_by_one(reader, [*texts, None])
    for text in texts:
        same_as_one_by_one(reader, [text])


digits = st.text("0123456789", min_size=1, max_size=14)
decimals = st.builds(
    lambda whole, rest: f"{whole}.{rest}" if rest else whole, digits, st.text("0123456789", max_size=14)
)
ties = st.builds(lambda n: f"{n // 10**6}.{n % 10**6:06d}5", st.integers(0, 10**9))


@settings(deadline=None)
@given(st.lists(st.one_of(decimals, ties, st.sampled_from(PRICES), st.none()), min_size=1, max_size=20))
def test_prices_round_alike(texts: list[str | None]) -> None:
    same_as_one_by_one(prices(), texts)
    same_as_one_by_one(prices(100), texts)


moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).flatmap(
    lambda moment: st.sampled_from(
        [
            f"{moment.isoformat()}Z",
            f"{moment.isoformat(sep=' ')}+05:30",
            f"{moment:%Y-%m-%dT%H:%M:%S}Z".zfill(20),
        ]
    )
)


@settings(deadline=None)
@given(st.lists(st.one_of(moments, st.sampled_from(INSTANTS), st.none()), min_size=1, max_size=20))
@example(["2026-08-14T06:00:00Z", "2026-02-30T00:00:00Z"])
def test_instants_are_read_alike(texts: list[str | None]) -> None:
    same_as_one_by_one(instant(None, latest=LATEST), texts)
    same_as_one_by_one(optional_instant("UTC", latest=None), texts)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(decimals, ties, st.sampled_from(PRICES), st.none()),
            st.one_of(
                st.integers(1, 16), st.just(10**9), st.none(), st.just(Fault("bad_gpu_count", "gpus", "x"))
            ),
        ),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from([1, 100]),
)
def test_a_shared_price_is_the_exact_quotient_rounded_once(
    rows: list[tuple[str | None, Any]], per_unit: int
) -> None:
    texts = [text for text, _ in rows]
    counts: Column[Any] = Column("gpus", [count for _, count in rows], np.arange(len(rows)))
    together = price_per_gpu(held(texts), counts, per_unit)
    alone = price_per_gpu(from_cells("field", texts), counts, per_unit)
    everyone = np.arange(len(rows))
    assert together.at(everyone) == alone.at(everyone)


@given(st.one_of(decimals, st.sampled_from(PRICES)), st.integers(1, 64), st.sampled_from([1, 100]))
def test_the_short_way_of_sharing_a_price_is_the_long_one(text: str, gpus: int, per_unit: int) -> None:
    from rentmark.ingest.fields import micros_of

    exact = money_of(text, per_unit)
    expected = exact if isinstance(exact, Bad) else micros_of(exact / gpus)
    assert shared_price_of(text, gpus, per_unit) == expected


def test_a_column_of_differing_texts_is_cleaned_as_its_cells_are() -> None:
    cells = [f"  text {place}\u2003" if place % 7 else " " for place in range(FEW + 10)]
    cells[3], cells[5], cells[8] = "a\tb", "x" * 1_001, "é" * 600
    column = whole_column("field", pa.array([cell.encode() for cell in cells], pa.binary()))
    assert isinstance(column.values, Held)
    assert list(column.values) == [clean_text("field", cell) for cell in cells]
    assert column.values[3] == Fault("malformed_record", "field", "a\N{REPLACEMENT CHARACTER}b")
    assert column.values[:4] == list(column.values)[:4]
    few = whole_column("field", pa.array([b" a ", b"", b"b\x01"], pa.binary()))
    assert list(few.values) == [clean_text("field", cell) for cell in (" a ", "", "b\x01")]
    broken = whole_column("field", pa.array([b"\xff"] * (FEW + 1), pa.binary()))
    assert broken.faults.all()


def test_many_cells_with_a_fault_among_them_are_read_one_by_one() -> None:
    fault = Fault("malformed_record", "field", "a list of 2")
    cells: list[Any] = [f"text {place}" for place in range(FEW + 1)] + [fault, "\ud800", None]
    column = from_cells("field", cells)
    assert column.at(np.arange(FEW, FEW + 4)) == [
        f"text {FEW}", fault, clean_text("field", "\ud800"), None,
    ]  # fmt: skip


texts_or_none = st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=12)


@given(texts_or_none, texts_or_none, st.booleans())
def test_the_first_text_that_is_there_is_taken_row_by_row(
    one: list[str | None], other: list[str | None], in_arrow: bool
) -> None:
    rows = min(len(one), len(other))
    make = held if in_arrow else (lambda texts: from_cells("field", texts))
    left, right = make(one[:rows]), make(other[:rows])
    everyone = np.arange(rows)
    assert first_stated([left, right]).at(everyone) == [
        a or b for a, b in zip(one[:rows], other[:rows], strict=True)
    ]
    assert by_presence(left, "there", "blank").at(everyone) == ["there" if a else "blank" for a in one[:rows]]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_rows_are_grouped_alike_by_a_table_and_by_sorting(rows: list[tuple[int, int]]) -> None:
    def columns(width: int) -> list[Column[int]]:
        return [Column("c", range(width), np.array(codes)) for codes in zip(*rows, strict=True)]

    for found, expected in zip(
        group_rows(columns(3), len(rows)), group_rows(columns(2**20), len(rows)), strict=True
    ):
        assert np.array_equal(found, expected)
