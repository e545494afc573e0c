"""Incidents are the user's own money, by kind and month; what can't be valued is refused in a sentence."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from rentmark.backtest import render_report
from rentmark.backtest.incidents import KINDS, read_incidents
from rentmark.backtest.rent_study import RentStudy
from rentmark.records import RentmarkError

from .making import monthly_case, run, wander

TODAY = date(2026, 12, 31)
RATES = {date(2026, 3, 1): 2_000_000, date(2026, 3, 10): 3_000_000}
HEADER = "date,kind,hours,amount,note\n"


def read(*rows):
    return read_incidents((HEADER + "\n".join(rows) + "\n").encode(), "incidents.csv", RATES, today=TODAY)


def test_an_amount_is_taken_as_stated_and_hours_alone_are_worth_the_rent_of_their_day():
    found = read(
        "2026-03-09,failed,10,,",
        "2026-03-10,failed,10,,",
        "2026-03-10,slo_miss,10,7.50,partial",
        "2026-04-01,breach,,5000,",
    )
    assert [each.amount_micros for each in found.incidents] == [
        20_000_000,
        30_000_000,
        7_500_000,
        5_000_000_000,
    ]
    assert [each.valued for each in found.incidents] == [True, True, False, False]
    assert found.amount_micros(["failed", "slo_miss"]) == 57_500_000
    assert found.amount_micros(month="2026-04") == 5_000_000_000
    assert sum(found.amount_micros([kind]) for kind in KINDS) == found.amount_micros()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2026-03-09,party,10,,", "write failed, slo_miss, breach, unpaid or unused"),
        ("2026-03-09,failed,,,", "state an amount, or hours"),
        ("2026-02-01,failed,10,,", "state an amount, or hours"),  # before any rent
        ("2026-03-09,failed,0,,", "hours must be above zero"),
        ("2026-03-09,unpaid,,-5,", "above zero"),
        ("2027-03-09,unpaid,,5,", "after today"),
        ("soon,unpaid,,5,", "YYYY-MM-DD"),
    ],
)
def test_a_row_that_cannot_be_valued_is_refused_in_a_sentence(row, said):
    found = read("2026-03-09,failed,10,,", row)
    (reject,) = found.rejects
    assert reject.sentence.startswith("incidents.csv line 3: ")
    assert said in reject.sentence
    assert found.rows_read == len(found.incidents) + len(found.rejects)


def test_a_file_without_a_usable_incident_is_refused():
    with pytest.raises(RentmarkError, match=r"no usable incident; .*line 2"):
        read("2026-03-09,party,10,,")
    with pytest.raises(RentmarkError, match="lacks the column kind"):
        read_incidents(b"date,hours,amount\n", "incidents.csv", RATES, today=TODAY)


def test_the_first_page_puts_the_money_beside_each_risk_and_the_section_beside_the_hedged_part():
    rents, references = monthly_case(wander(40, seed=3), wander(40, seed=5))
    report = run(rents, references, gpus=8)
    plain = render_report(report)
    assert plain.count("$ —") > 3
    found = read("2026-03-09,failed,10,,", "2026-03-10,breach,,5000,", "2026-03-10,unused,,70,")
    page = render_report(replace(report, rent_study=RentStudy(incidents=found)))
    first = page.split('class="page"', maxsplit=1)[0]
    for risk, money in (
        ("failed deployment", "$20"),
        ("a breach", "$5,000"),
        ("unused", "$70"),
        ("pay", "$0"),
    ):
        item = next(line for line in first.splitlines() if risk in line and "<li>" in line)
        assert item.endswith(f'<span class="bare">{money}</span></li>')
    assert "What the hedge cannot do" in page
    assert "No position in futures pays for any of these." in page
