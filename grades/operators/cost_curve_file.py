"""Reading producers for a cost curve from CSV bytes."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from ...records import RentmarkError, micros_from_decimal, parse_date
from .cost_curve import Producer

CASH_PARTS = ("power", "colocation", "staff")
CAPITAL_PARTS = ("depreciation", "interest")
NEEDED = ("date", "producer", "capacity")
KNOWN = (*NEEDED, "product", "basis", "full_cost", "cash_cost", *CASH_PARTS, *CAPITAL_PARTS)
MOST_DIGITS = 24


def read_producers_file(payload: bytes, name: str, product: str | None = None) -> tuple[Producer, ...]:
    """Read ``date,producer,capacity`` with ``full_cost[,cash_cost]`` or with the parts of both.

    Costs are dollars per unit of one product on one delivery basis. Parts are ``power, colocation, staff``
    (cash, C1) and ``depreciation, interest`` (with them full, C3). ``product`` keeps the rows of that product.
    Raises RentmarkError for the first thing that can't be read: a producer left out would move all others.
    """
    found: list[Producer] = []
    places: dict[tuple[object, str], str] = {}
    kinds: dict[str, set[str]] = {"product": set(), "basis": set()}
    for where, row in _rows(payload, name):
        if product is not None and row.get("product", "") != product:
            continue
        producer = _producer(row, where)
        key = (producer.date, producer.name.casefold())
        if key in places:
            raise RentmarkError(
                f"{where}: {producer.name} on {producer.date} stands at {places[key]} too; keep one."
            )
        places[key] = where
        found.append(producer)
        for kind, values in kinds.items():
            values.add(row.get(kind, ""))
    if not found:
        wanted = "" if product is None else f" of product {product!r}"
        raise RentmarkError(f"{name} holds no producers{wanted}; it needs a line for each.")
    for kind, values in kinds.items():
        if len(values) > 1:
            listed = ", ".join(value or "(blank)" for value in sorted(values))
            remedy = "choose one with --product" if kind == "product" else "restate costs to one basis"
            raise RentmarkError(
                f"{name} holds several values of {kind} ({listed}); a curve holds one: {remedy}."
            )
    return tuple(found)


def _rows(payload: bytes, name: str) -> list[tuple[str, Mapping[str, str]]]:
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RentmarkError(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    reader = csv.DictReader(io.StringIO(text), strict=True)
    rows: list[tuple[str, Mapping[str, str]]] = []
    try:
        header = [(cell or "").strip() for cell in reader.fieldnames or ()]
        for column in NEEDED:
            if column not in header:
                raise RentmarkError(
                    f"{name} has no column {column}; it needs {', '.join(NEEDED)} and a cost."
                )
        for column in header:
            if column not in KNOWN:
                raise RentmarkError(f"{name} has an unknown column {column}; known: {', '.join(KNOWN)}.")
        for cells in reader:
            where = f"{name} line {reader.line_num}"
            if None in cells or None in cells.values():
                raise RentmarkError(f"{where} does not have {len(header)} cells; complete it.")
            rows.append((where, {key.strip(): value.strip() for key, value in cells.items()}))
    except csv.Error as error:
        raise RentmarkError(f"{name} line {reader.line_num} can't be read as CSV: {error}.") from None
    return rows


def _producer(row: Mapping[str, str], where: str) -> Producer:
    if not row["producer"]:
        raise RentmarkError(f"{where}: producer is blank; name it.")
    try:
        day = parse_date(row["date"])
    except ValueError as error:
        raise RentmarkError(f"{where}: date: {error}.") from None
    capacity = _number(row, "capacity", where)
    if capacity is None:
        raise RentmarkError(f"{where}: capacity is blank; the width of a bar must be stated.")
    if capacity == 0:
        raise RentmarkError(f"{where}: capacity is 0; a producer without capacity has no bar; leave it out.")
    full, cash = _costs(row, where)
    if cash is not None and cash > full:
        raise RentmarkError(
            f"{where}: cash cost {cash} is above full cost {full}, which contains it; check both."
        )
    return Producer(
        date=day,
        name=row["producer"],
        capacity=Fraction(capacity),
        full_micros=_micros(full, where),
        cash_micros=None if cash is None else _micros(cash, where),
    )


def _costs(row: Mapping[str, str], where: str) -> tuple[Decimal, Decimal | None]:
    """Full and cash cost of a row, stated or added up from parts."""
    stated = _number(row, "full_cost", where)
    parts = {part: _number(row, part, where) for part in (*CASH_PARTS, *CAPITAL_PARTS)}
    if stated is not None:
        if any(value is not None for value in parts.values()):
            raise RentmarkError(f"{where}: full_cost and parts of it are both stated; keep one.")
        return stated, _number(row, "cash_cost", where)
    for part, value in parts.items():
        if value is None:
            raise RentmarkError(
                f"{where}: no cost can be told: full_cost is blank, and so is {part}; "
                f"state full_cost, or all of {', '.join(parts)}."
            )
    if row.get("cash_cost"):
        raise RentmarkError(f"{where}: cash_cost and parts of it are both stated; keep one.")
    cash = sum((parts[part] or Decimal(0) for part in CASH_PARTS), Decimal(0))
    return cash + sum((parts[part] or Decimal(0) for part in CAPITAL_PARTS), Decimal(0)), cash


def _number(row: Mapping[str, str], column: str, where: str) -> Decimal | None:
    written = row.get(column, "")
    if written == "":
        return None
    try:
        value = Decimal("" if "_" in written else written)
    except InvalidOperation:
        raise RentmarkError(f"{where}: {column} is {written!r}; write a plain number.") from None
    if (
        not value.is_finite()
        or abs(value.adjusted()) > MOST_DIGITS
        or len(value.as_tuple().digits) > MOST_DIGITS
    ):
        raise RentmarkError(f"{where}: {column} is {written[:40]!r}; write a finite number of usual size.")
    if value < 0:
        raise RentmarkError(f"{where}: {column} is {written}, below 0; costs and capacities are 0 or more.")
    return value


def _micros(usd: Decimal, where: str) -> int:
    try:
        return micros_from_decimal(usd)
    except ValueError as error:
        raise RentmarkError(f"{where}: {error}.") from None
