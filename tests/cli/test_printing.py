"""What is printed for people stays readable, and what is printed for programs is JSON."""

from __future__ import annotations

import math
import re

import pytest
from rentmark.cli.output import print_error, print_json, print_table

COLUMNS = ["date", "$/GPU-h", "status", "p25", "p75", "note"]
ROWS = [
    ["2026-08-14", "2.870000", "OK", "2.640000", "3.100000", "an old price repeated by the source"],
    ["2026-08-15", None, "GAP", None, None, "fewer sellers than needed"],
]


@pytest.fixture
def terminal(monkeypatch):
    """Makes the output a terminal of a given width."""

    def of(width: int) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", str(width))

    return of


def printed(capsys, **options) -> str:
    print_table(COLUMNS, ROWS, **options)
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)


def test_absent_values_are_a_dash_and_numbers_stand_to_the_right(capsys):
    lines = printed(capsys).splitlines()
    dates = [line for line in lines if line.strip().startswith("2026")]
    assert len(dates) == 2
    assert dates[0].index("2.870000") + len("2.870000") == dates[1].index("—") + 1


@pytest.mark.parametrize("width", [200, 80, 60, 40, 20])
def test_no_date_price_or_word_is_broken_however_narrow(capsys, terminal, width):
    terminal(width)
    out = printed(capsys)
    for whole in ("2026-08-14", "2.870000", "3.100000", "repeated"):
        assert whole in out


def test_a_narrow_terminal_leaves_out_optional_columns_in_order_and_says_so(capsys, terminal):
    terminal(62)
    out = printed(capsys, optional=("p75", "p25"))
    assert "p25" in out
    assert "3.100000" not in out
    assert out.splitlines()[-1] == "Left out in this narrow terminal: p75; --json has all."
    assert max(len(line) for line in out.splitlines()) <= 62


def test_a_wide_terminal_and_a_pipe_leave_nothing_out(capsys, terminal):
    assert "Left out" not in printed(capsys, optional=("p75", "p25"))
    terminal(120)
    assert "Left out" not in printed(capsys, optional=("p75", "p25"))


def test_brackets_of_a_name_are_printed_as_they_are(capsys):
    print_table(["name"], [["[bold]H100[/bold] [mappings.mine]"]])
    assert "[bold]H100[/bold] [mappings.mine]" in capsys.readouterr().out


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_json_never_holds_what_is_no_json_number(capsys, value):
    with pytest.raises(ValueError, match="JSON"):
        print_json({"value": value})
    assert capsys.readouterr().out == ""


def test_an_error_of_several_lines_is_printed_as_one(capsys):
    print_error("one\n  two\tthree")
    assert capsys.readouterr().err == "one two three\n"
