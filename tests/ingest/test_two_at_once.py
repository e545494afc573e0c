"""Steps done two at a time give what they give one by one, errors too."""

from __future__ import annotations

import pytest
from rentmark.ingest.two_at_once import MANY_ROWS, both, each


@pytest.mark.parametrize("rows", [1, MANY_ROWS])
def test_results_stand_in_the_order_of_what_was_asked(rows: int):
    assert each(lambda number: number * number, range(9), rows) == [number * number for number in range(9)]
    assert both(lambda: "one", lambda: "other", rows) == ("one", "other")


@pytest.mark.parametrize("rows", [1, MANY_ROWS])
def test_an_error_of_any_step_is_raised(rows: int):
    def refuse(number: int) -> int:
        if number == 2:
            raise ValueError("two")
        return number

    with pytest.raises(ValueError, match="two"):
        each(refuse, range(4), rows)
    for steps in ((lambda: refuse(2), int), (int, lambda: refuse(2))):
        with pytest.raises(ValueError, match="two"):
            both(*steps, rows)
