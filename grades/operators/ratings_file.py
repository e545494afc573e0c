"""Reading a ratings file: CSV bytes in, ratings out, or one sentence that names the line and the remedy."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from datetime import date

from ...records import Refusal, RentmarkError, parse_date
from .ratings import OperatorRating, operator_key
from .schemes import RatingScheme

READER_VERSION = "1"
"""Raise it whenever the same bytes would be read otherwise."""
NEEDED = ("version", "published", "provider", "tier")
KNOWN = (*NEEDED, "completeness", "source_url", "sellers", "simulated")
LONGEST_TEXT = 1000


def read_ratings_file(payload: bytes, name: str, scheme: RatingScheme) -> tuple[OperatorRating, ...]:
    """Read ``version,published,provider,tier[,completeness,source_url,sellers,simulated]``.

    A file is read whole or not at all: a release with a row left out would turn that operator's rating
    into a missing one. An exact repeat of a line is read once. Raises RentmarkError for the first thing
    that can't be read.
    """
    rows = _rows(payload, name)
    found: dict[tuple[str, str], tuple[int, OperatorRating]] = {}
    dates: dict[str, tuple[int, date]] = {}
    for line, row in rows:
        rating = _rating(row, f"{name} line {line}", scheme)
        stated = dates.setdefault(rating.version, (line, rating.published_on))
        if stated[1] != rating.published_on:
            raise RentmarkError(
                f"{name} line {line}: version {rating.version} is published {rating.published_on} here and "
                f"{stated[1]} on line {stated[0]}; a release has one date."
            )
        key = (rating.published_on.isoformat(), operator_key(rating.operator))
        earlier = found.get(key)
        if earlier is not None and earlier[1].tier != rating.tier:
            raise RentmarkError(
                f"{name} line {line}: {rating.operator} is {rating.tier} here and {earlier[1].tier} on line "
                f"{earlier[0]}, both published {rating.published_on}; keep one."
            )
        found.setdefault(key, (line, rating))
    if not found:
        raise RentmarkError(f"{name} holds no ratings; it needs a line for each operator.")
    return tuple(rating for _, rating in found.values())


def _rows(payload: bytes, name: str) -> list[tuple[int, Mapping[str, str]]]:
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RentmarkError(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    if "\0" in text:
        raise RentmarkError(f"{name} holds a NUL byte; it is not a CSV file.")
    reader = csv.reader(io.StringIO(text), strict=True)
    rows: list[tuple[int, Mapping[str, str]]] = []
    header: list[str] | None = None
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells) or cells[0].startswith("#"):
                continue
            if header is None:
                header = _header(cells, name)
                continue
            if len(cells) != len(header):
                raise RentmarkError(
                    f"{name} line {reader.line_num} has {len(cells)} cells and the header {len(header)}; "
                    "put text with commas in quotation marks."
                )
            rows.append((reader.line_num, {k: v.strip() for k, v in zip(header, cells, strict=True)}))
    except csv.Error as error:
        raise RentmarkError(f"{name} line {reader.line_num} can't be read as CSV: {error}.") from None
    if header is None:
        raise RentmarkError(f"{name} is empty; it needs the columns {', '.join(NEEDED)}.")
    return rows


def _header(cells: list[str], name: str) -> list[str]:
    header = [cell.strip().casefold() for cell in cells]
    for column in NEEDED:
        if column not in header:
            raise RentmarkError(
                f"{name} has no column {column}; a ratings file needs {', '.join(NEEDED)} "
                f"and has {', '.join(cells)}."
            )
    for column in header:
        if header.count(column) > 1:
            raise RentmarkError(f"{name} has the column {column} twice; keep one.")
        if column not in KNOWN:
            raise RentmarkError(f"{name} has an unknown column {column}; known: {', '.join(KNOWN)}.")
    return header


def _rating(row: Mapping[str, str], where: str, scheme: RatingScheme) -> OperatorRating:
    for column, value in row.items():
        if column in NEEDED and not value:
            raise RentmarkError(f"{where}: {column} is blank; fill it in.")
        if len(value) > LONGEST_TEXT:
            raise RentmarkError(f"{where}: {column} is longer than {LONGEST_TEXT} characters; shorten it.")
    tier = scheme.read_tier(row["tier"])
    if isinstance(tier, Refusal):
        raise RentmarkError(f"{where}: {tier.sentence}")
    if not operator_key(row["provider"]):
        raise RentmarkError(f"{where}: provider {row['provider']!r} is no name; write the operator's name.")
    try:
        published_on = parse_date(row["published"])
    except ValueError as error:
        raise RentmarkError(f"{where}: published: {error}.") from None
    known = scheme.releases.get(row["version"])
    if known is not None and known != published_on:
        raise RentmarkError(
            f"{where}: {scheme.name} {row['version']} was published {known}, not {published_on}; "
            "correct the date, or a fixing would use a rating nobody could know."
        )
    first = scheme.tier_from.get(tier)
    if first is not None and published_on < first:
        raise RentmarkError(
            f"{where}: {scheme.name} has the tier {tier} since {first}, and this release is of {published_on}."
        )
    simulated = row.get("simulated", "").casefold()
    if simulated not in ("", "true", "false"):
        raise RentmarkError(f"{where}: simulated is {row['simulated']!r}; write true or false.")
    return OperatorRating(
        scheme=scheme.id,
        version=row["version"],
        published_on=published_on,
        operator=row["provider"],
        tier=tier,
        completeness=row.get("completeness") or None,
        source_url=row.get("source_url") or None,
        sellers=tuple(s.strip() for s in row.get("sellers", "").split(";") if s.strip()),
        simulated=simulated == "true",
    )
