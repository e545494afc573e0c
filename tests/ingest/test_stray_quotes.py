"""A quotation mark that is never closed costs its own row and no other."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.ingest.quotes import neutralise_stray_quotes
from rentmark.records import Batch

Parse = Callable[..., Batch]
HEADER = "observed_at,seller,gpu_model,price_per_gpu_hour,region\n"


def row(seller: str, region: str = "x") -> str:
    return f"2026-08-14T06:00:00Z,{seller},H100,3.10,{region}\n"


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ('2026-08-14T06:00:00Z,"amber,H100,3.10,x\n', "malformed_record"),
        ('2026-08-14T06:00:00Z,"am\n', "truncated_row"),
    ],
)
@pytest.mark.parametrize("later_quotes", [0, 1])
def test_an_unclosed_quote_does_not_swallow_the_rows_behind_it(
    parse: Parse, damaged: str, reason: str, later_quotes: int
) -> None:
    after = row("cobalt", '"Texas, US"') if later_quotes else row("cobalt")
    batch = parse("tabular", HEADER + row("basalt") + damaged + after + row("dolomite"))
    assert batch.observations["seller"].to_pylist() == ["basalt", "cobalt", "dolomite"]
    assert batch.rejects["reason"].to_pylist() == [reason]
    assert batch.rejects["position"].to_pylist() == [1]


def test_a_value_over_two_lines_in_a_column_nobody_reads_is_left_alone(parse: Parse) -> None:
    payload = HEADER.replace("region", "remark") + row("amber", '"two\nlines, and a comma"') + row("basalt")
    batch = parse("tabular", payload)
    assert batch.observations["seller"].to_pylist() == ["amber", "basalt"]
    assert batch.rejected == 0


def test_marks_inside_a_value_are_left_alone(parse: Parse) -> None:
    batch = parse("tabular", HEADER + row("amber", '19" rack') + row("basalt", '"a ""quoted"" word"'))
    assert batch.observations["region"].to_pylist() == ['19" rack', 'a "quoted" word']


@settings(deadline=None)
@given(
    st.lists(st.lists(st.text(alphabet='ab",\n', max_size=6), min_size=3, max_size=3), min_size=1, max_size=8)
)
def test_well_formed_files_are_never_changed(rows: list[list[str]]) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    content = buffer.getvalue().encode()
    assert neutralise_stray_quotes(content, 3, ",") is content


@settings(deadline=None)
@given(st.text(alphabet='ab",\n', max_size=60))
def test_only_quotation_marks_are_ever_changed(text: str) -> None:
    content = text.encode()
    changed = neutralise_stray_quotes(content, 3, ",")
    assert len(changed) == len(content)
    assert bytes(changed).replace(b"\x01", b'"') == content
