"""A file of orders is run whole or not at all: a bad row is one sentence naming it."""

from __future__ import annotations

from datetime import date

import pytest
from rentmark.contracts import CONTRACTS
from rentmark.contracts.account.orders_file import read_orders
from rentmark.records import RentmarkError

HEADER = "date,contract,month,lots"
GOOD = "2026-08-03,cme-gpu1,2026-09,-5"


def test_orders_are_read_with_their_signs_and_ids():
    payload = f"{HEADER},strategy\n{GOOD},\n2026-08-04,ICE-HPR,2026-10,+7,roll\n".encode()
    first, second = read_orders(payload, "plan.csv", CONTRACTS)
    assert (first.order_id, first.day, first.lots, first.strategy) == ("order-1", date(2026, 8, 3), -5, None)
    assert (second.contract, second.lots, second.strategy) == ("ice-hpr", 7, "roll")


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (b"", "plan.csv holds no orders"),
        (b"\xff\xfe", "plan.csv is no CSV in UTF-8"),
        (b'date,"', "plan.csv is no CSV in UTF-8"),
        (b"date,contract,month\n", "plan.csv lacks the column lots"),
        (f"{HEADER}\n{GOOD},7\n".encode(), "plan.csv row 1 has 5 cells and the header 4"),
        (f"{HEADER}\n{GOOD}\n{GOOD.replace('-5', '1.5')}\n".encode(), "plan.csv row 2 has lots '1.5'"),
        (
            f"{HEADER}\n{GOOD.replace('cme-gpu1', 'gpu')}\n".encode(),
            "plan.csv row 1 has contract 'gpu', which is none",
        ),
        (
            f"{HEADER}\n{GOOD.replace('2026-08-03', 'soon')}\n".encode(),
            "plan.csv row 1: date 'soon' is not a date",
        ),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence(payload, said):
    with pytest.raises(RentmarkError) as refused:
        read_orders(payload, "plan.csv", CONTRACTS)
    assert said in refused.value.sentence
