"""Exports: every table, every mark, and no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile

import pytest
from rentmark.records import RentmarkError, UsageError, neutral
from rentmark.workspace.exporting import csv_of, export_row, main_table, tables_of

ROW = {
    "verdict": "not shown",
    "simulated": True,
    "proxy": False,
    "origin": "backcast",
    "now": "2026-08-01T00:00:00Z",
    "rent": {"name": '=HYPERLINK("x")', "rows": 3},
    "notes": ["+one", "two"],
    "months": [
        {"month": "2026-07", "rate": "-3.000000", "ratio": -0.5, "lots": None, "pnl": None, "what": "@run"},
        {"month": "2026-08", "rate": "2.500000", "ratio": 1.0, "lots": 3, "pnl": {"0%": "1.000000"}, "what": "-x"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@sum", "\t=1", "\r=1", "-", "=", "+"])
def test_text_that_reads_as_a_formula_is_neutralised(text):
    assert neutral(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=b", "-3.000000", "+1", "-1e5", "2026-08", "rent.csv", "'=x"])
def test_numbers_and_plain_text_stay_as_they_are(text):
    assert neutral(text) == text


def test_a_csv_holds_the_main_table_with_its_marks():
    written = list(csv.DictReader(io.StringIO(csv_of(main_table("hedge", ROW)))))
    assert [row["month"] for row in written] == ["2026-07", "2026-08"]
    assert [row["rate"] for row in written] == ["-3.000000", "2.500000"]
    assert [row["what"] for row in written] == ["'@run", "'-x"]
    assert [row["pnl.0%"] for row in written] == ["", "1.000000"]
    assert "pnl" not in written[0]
    assert {row["report.simulated"] for row in written} == {"true"}
    assert {row["report.origin"] for row in written} == {"backcast"}


def test_every_figure_of_an_answer_is_in_some_table():
    tables = {table.name: table for table in tables_of(ROW)}
    assert set(tables) == {"summary", "months"}
    summary = dict(tables["summary"].rows)
    assert summary["rent.name"] == '=HYPERLINK("x")'
    assert summary["notes"] == "+one; two"


def test_a_workbook_has_no_formula_and_the_same_bytes_each_time(tmp_path):
    one, two = tmp_path / "one.xlsx", tmp_path / "two.xlsx"
    export_row("hedge", ROW, one)
    export_row("hedge", ROW, two)
    assert one.read_bytes() == two.read_bytes()
    with zipfile.ZipFile(one) as book:
        sheets = [book.read(name).decode() for name in book.namelist() if "worksheets/sheet" in name]
        texts = book.read("xl/sharedStrings.xml").decode()
    assert len(sheets) == 2
    assert not any(re.search(r"<f[ >]", sheet) for sheet in sheets)
    assert "=HYPERLINK(" in texts
    assert "SIMULATED · BACKCAST" in texts
    assert any("<v>-3</v>" in sheet for sheet in sheets)


def test_json_is_the_answer_itself(tmp_path):
    export_row("hedge", ROW, tmp_path / "a.JSON")
    assert json.loads((tmp_path / "a.JSON").read_text()) == ROW


def test_another_suffix_and_a_place_that_cannot_be_written_are_said(tmp_path):
    with pytest.raises(UsageError, match=r"ends in \.pdf; it is \.csv, \.json, \.xlsx"):
        export_row("hedge", ROW, tmp_path / "a.pdf")
    with pytest.raises(RentmarkError, match="can't be written"):
        export_row("hedge", ROW, tmp_path / "absent" / "a.csv")
