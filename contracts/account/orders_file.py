"""Read a file of orders to be filled at stated marks: ``date, contract, month, lots`` a row.

``lots`` are signed whole numbers (positive buys). ``order_id`` and ``strategy`` are optional. An orders
file is a person's own plan: one bad row refuses the whole, naming it, so that no half of a plan is run.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from ...records import RentmarkError, parse_date
from ..spec import ContractSpec
from .fills import AccountOrder

COLUMNS = ("date", "contract", "month", "lots")
OPTIONAL = ("order_id", "strategy")
MOST_DIGITS = 9


def read_orders(payload: bytes, name: str, specs: Mapping[str, ContractSpec]) -> tuple[AccountOrder, ...]:
    """The orders of a file. Raises RentmarkError, in one sentence naming the row, where it can't be read."""
    try:
        rows = list(csv.reader(io.StringIO(payload.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise RentmarkError(f"{name} is no CSV in UTF-8 ({error}); write {', '.join(COLUMNS)}.") from None
    body = [row for row in rows if any(cell.strip() for cell in row)]
    if not body:
        raise RentmarkError(f"{name} holds no orders; write {', '.join(COLUMNS)}.")
    header = [cell.strip().lower() for cell in body[0]]
    for column in COLUMNS:
        if column not in header:
            raise RentmarkError(f"{name} lacks the column {column}; it needs {', '.join(COLUMNS)}.")
    return tuple(
        _order(f"{name} row {number}", number, header, row, specs)
        for number, row in enumerate(body[1:], start=1)
    )


def _order(
    where: str, number: int, header: list[str], row: list[str], specs: Mapping[str, ContractSpec]
) -> AccountOrder:
    if len(row) != len(header):
        raise RentmarkError(f"{where} has {len(row)} cells and the header {len(header)}; correct it.")
    cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
    try:
        day = parse_date(cells["date"])
    except ValueError as error:
        raise RentmarkError(f"{where}: date {error}.") from None
    contract = cells["contract"].lower()
    if contract not in specs:
        raise RentmarkError(
            f"{where} has contract {cells['contract']!r}, which is none here; known: {', '.join(sorted(specs))}."
        )
    lots = cells["lots"]
    digits = lots.removeprefix("+").removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS):
        raise RentmarkError(f"{where} has lots {lots!r}; lots are whole numbers, negative to sell.")
    return AccountOrder(
        order_id=cells.get("order_id") or f"order-{number}",
        contract=contract,
        month=cells["month"],
        day=day,
        lots=int(lots),
        strategy=(cells.get("strategy") or "").lower() or None,
    )
