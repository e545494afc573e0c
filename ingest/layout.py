"""What ``tabular`` and ``trades`` share: the user's own files, read through a mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..records import Refusal, to_microseconds
from ..records.observation import Rights
from ..records.schemas import INSTANT
from .account import Value
from .columns import Bad, Column, Fault, constant, join
from .feed import FeedContext
from .fields import (
    PRICE_BASIS_WORDS,
    PRICING_WORDS,
    SERVICE_WORDS,
    choice,
    flag,
    instant,
    interconnect,
    optional_instant,
    required_text,
    tenancy,
    usd,
    whole,
)
from .hardware import Hardware, read_hardware
from .mapping import TableMapping
from .places import country_of
from .raw import RawTable, listed
from .read_csv import read_csv
from .read_json import read_json_lines
from .read_parquet import read_parquet
from .rights import AGGREGATOR_OF_SOURCE, USER_ASSERTED, rights_of_license
from .unpack import unpack

T = TypeVar("T")

OWN_SOURCE = "user"
"""The source of a file that names none."""
VAST_VENUE = "vast.ai"
"""The marketplace whose regions are known to be ``Place, CC`` with a country's code."""

_HOUR_MICROSECONDS = 3_600_000_000


def read_table(payload: bytes, mapping: TableMapping, context: FeedContext) -> RawTable | Refusal:
    """Read the columns a mapping asks for, from whatever format the bytes are."""
    unpacked = unpack(payload, context.origin_name)
    if isinstance(unpacked, Refusal):
        return unpacked
    asked = {field: mapping.column_of(field) for field in mapping.fields()}
    wanted = {column for column in asked.values() if column is not None}
    content, truncated = unpacked.content, unpacked.truncated
    origin = context.origin_name
    raw: RawTable | Refusal
    if unpacked.format == "parquet":
        raw = read_parquet(content, wanted, origin_name=origin)
    elif unpacked.format == "json":
        raw = read_json_lines(content, wanted, truncated=truncated, origin_name=origin)
    else:
        raw = read_csv(content, wanted, delimiter=mapping.delimiter, truncated=truncated, origin_name=origin)
    if isinstance(raw, Refusal):
        return raw
    absent = _absent(raw, mapping)
    if absent is not None:
        one_name = raw.names[0] if len(raw.names) == 1 else ""
        other = next((mark for mark in ";\t|," if mark in one_name), None)
        remedy = (
            "Add it, or map it in rentmark.toml."
            if other is None
            else f"It seems to be separated by {other!r}: state that delimiter in a mapping."
        )
        return Refusal(
            "missing_column", f"{origin} lacks {absent}; its columns are {listed(raw.names)}. {remedy}"
        )
    if raw.records == 0:
        return Refusal("empty_payload", f"{origin} holds no records.")
    unread = [name for name in raw.names if name not in wanted]
    if unread:
        raw = replace(raw, notes=(*raw.notes, f"columns that are not read: {listed(unread)}"))
    if truncated:
        cut = Refusal("truncated_payload", f"{origin} ends early; the rows before are in. Fetch it again.")
        raw = replace(raw, refusal=cut)
    return raw


def _absent(raw: RawTable, mapping: TableMapping) -> str | None:
    """The first column that is needed and not there, in words."""

    def there(field: str) -> bool:
        return mapping.column_of(field) in raw.names

    for field, column in mapping.columns.items():
        if column and not there(field):
            return f"the column {column!r}, which the mapping names for {field}"
    alternatives: list[tuple[str, ...]] = [("observed_at",), ("chip", "name_as_written")]
    if mapping.seller is None:
        alternatives.append(("seller",))
    if mapping.kind == "trade":
        alternatives += [("trade_id",), ("price_micros", "amount_micros")]
    else:
        alternatives.append(("price_micros",))
    for fields in alternatives:
        if not any(there(field) for field in fields):
            names = " or ".join(mapping.column_of(field) or field for field in fields)
            return f"the column {names}"
    return None


class Sheet:
    """One file of the user's, its columns by field, and the readings both layouts need."""

    def __init__(self, raw: RawTable, mapping: TableMapping, context: FeedContext) -> None:
        self.raw = raw
        self.mapping = mapping
        self.context = context
        self.received = to_microseconds(context.received_at)

    def text(self, field: str) -> Column[str | None]:
        """The texts of a field; a column without values where the file has none."""
        return self.raw.column(self.mapping.column_of(field))

    def has(self, field: str) -> bool:
        """Whether the file has the column of a field."""
        return self.mapping.column_of(field) in self.raw.columns

    def read(self, field: str, reader: Callable[[str | None], T | Bad]) -> Column[T]:
        """A field, each distinct text read once."""
        return self.text(field).convert(reader)

    def word(self, field: str, words: Mapping[str, str], blank: str) -> Column[str]:
        """A field of few known words; ``blank`` is what the layout says a blank cell means."""
        return self.read(field, choice(words, blank))

    def hardware(self) -> Column[Hardware]:
        """The chip and its shape, from the columns and the name as written."""
        memory: Column[Any] = self.read("memory_gb", whole("bad_memory"))
        return read_hardware(
            self.text("chip"), self.text("form_factor"), memory, self.text("name_as_written")
        )

    def gpu_count(self, hardware: Column[Hardware]) -> Column[int | None]:
        """GPUs of the instance: the column, else the mapping, else the name."""
        default = self.mapping.gpu_count
        stated = self.read("gpu_count", whole("bad_gpu_count"))
        return join([stated, hardware], lambda count, found: count or default or found.gpu_count)

    def times(self) -> tuple[Column[int], Column[int | None], pa.Array]:
        """Observed, the payload's own stamp, and known_at as an Arrow column.

        ``known_at`` is the stamp, else observed_at and the mapping's lag; never before
        ``observed_at``, for nothing is known before it is there.
        """
        zone = self.mapping.time_zone
        observed = self.read("observed_at", instant(zone, latest=self.received))
        stamp = self.read("known_at", optional_instant(zone, latest=self.received))
        seen = observed.to_numpy(missing=0)
        stamped = stamp.to_numpy(missing=np.iinfo(np.int64).min)
        lagged = seen + self.mapping.lag_hours * _HOUR_MICROSECONDS
        known = np.where(stamped == np.iinfo(np.int64).min, lagged, np.maximum(stamped, seen))
        return observed, stamp, pa.array(known, pa.int64()).cast(INSTANT)

    def seller_and_venue(self) -> Column[tuple[str, str | None]]:
        """Seller and venue; ``venue/host`` splits at the slash where no other venue is stated."""
        default = self.mapping.venue

        def read(seller: str, venue: str | None) -> tuple[str, str | None]:
            before, slash, host = (part.strip() for part in seller.partition("/"))
            stated = venue or default
            if slash and before and host and (stated is None or stated == before):
                return host, before
            return seller, stated

        fallback = self.mapping.seller
        sellers = self.text("seller").convert(lambda text: text or fallback)
        required = sellers.convert(required_text("missing_seller"))
        return join([required, self.text("venue")], read)

    def source_and_aggregator(self) -> Column[tuple[str, str | None]]:
        """The source, and the collector through which it came where that is known."""
        default = self.mapping.source or OWN_SOURCE
        collector = self.mapping.aggregator

        def read(source: str | None, aggregator: str | None) -> tuple[str, str | None]:
            named = source or default
            return named, aggregator or collector or AGGREGATOR_OF_SOURCE.get(named)

        return join([self.text("source"), self.text("aggregator")], read)

    def license_and_rights(self) -> Column[tuple[str | None, Rights]]:
        """Licence text and index rights: the column, else the mapping, else the user's own file.

        A blank cell in a column that other rows fill in is a licence not stated: unknown.
        """
        mapping = self.mapping
        column = self.text("license")
        speaks = any(value is not None for value in column.values)
        asserted: tuple[str | None, Rights]
        if mapping.rights is not None or mapping.license is not None:
            text = mapping.license or USER_ASSERTED
            asserted = text, mapping.rights or rights_of_license(text)
        else:
            asserted = (None, "unknown") if speaks else (USER_ASSERTED, "allowed")
        return column.convert(lambda text: asserted if text is None else (text, rights_of_license(text)))

    def country(self, places: Column[tuple[str, str | None]]) -> Column[str | None]:
        """The stated country, else that of the region where it is certain."""

        def read(country: str | None, region: str | None, vast: bool) -> str | None:
            return country or country_of(region, geolocation=vast)

        return join([self.text("country"), self.text("region"), on_vast(places)], read)

    def common(self, hardware: Column[Hardware], places: Column[tuple[str, str | None]]) -> dict[str, Value]:
        """The observation columns that offers and trades read alike."""
        sources = self.source_and_aggregator()
        licenses = self.license_and_rights()
        marked = self.read("simulated", flag)
        simulated = self.context.simulated
        stated = self.mapping.currency
        return {
            "seller": places.convert(lambda pair: pair[0]),
            "venue": places.convert(lambda pair: pair[1]),
            "chip": hardware.convert(lambda found: found.chip),
            "form_factor": hardware.convert(lambda found: found.form_factor),
            "memory_gb": hardware.convert(lambda found: found.memory_gb),
            "name_as_written": hardware.convert(lambda found: found.name_as_written),
            "interconnect": join(
                [self.text("interconnect"), hardware],
                lambda text, found: interconnect(text) or found.interconnect,
            ),
            "currency": self.read("currency", usd(self.has("currency"), stated)),
            "pricing": self.word("pricing", PRICING_WORDS, self.mapping.pricing or "on_demand"),
            "price_basis": self.word("price_basis", PRICE_BASIS_WORDS, "instance"),
            "service": self.word("service", SERVICE_WORDS, "unstated"),
            "tenancy": self.read("tenancy", tenancy),
            "term_months": self.read("term_months", whole("bad_number")),
            "source": sources.convert(lambda pair: pair[0]),
            "aggregator": sources.convert(lambda pair: pair[1]),
            "source_id": self.text("source_id"),
            "sku": self.text("sku"),
            "region": self.text("region"),
            "country": self.country(places),
            "license": licenses.convert(lambda pair: pair[0]),
            "rights": licenses.convert(lambda pair: pair[1]),
            "simulated": marked.convert(lambda mark: mark or simulated),
        }


def on_vast(places: Column[tuple[str, str | None]]) -> Column[bool]:
    """Whether each row is of the one marketplace that writes a region as a place: two values, not one per seller."""
    vast = [not isinstance(place, Fault) and place[1] == VAST_VENUE for place in places.values]
    if not any(vast):
        return constant(places.name, value=False, rows=places.rows)
    return Column(places.name, [False, True], np.array(vast, np.int8)[places.codes])


def price_doubts(
    prices: Column[int], hardware: Column[Hardware], others: Mapping[str, Column[bool]] | None = None
) -> pa.Array:
    """The doubt that marks each row, or null: the price band first, then the name, then ``others``.

    ``others`` maps further reasons of ``SUSPECT_REASONS`` to flags.
    """
    price = prices.to_numpy(missing=0)
    low = hardware.convert(lambda found: found.low_micros).to_numpy(missing=0)
    high = hardware.convert(lambda found: found.high_micros).to_numpy(missing=0)
    outside = pa.array((price < low) | (price > high))
    disagrees = hardware.convert(lambda found: found.disagrees).to_arrow(pa.bool_()).fill_null(False)
    doubts = [("price_outside_band", outside), ("column_disagrees_with_name", disagrees)]
    for reason, column in (others or {}).items():
        doubts.append((reason, column.to_arrow(pa.bool_()).fill_null(False)))
    result = pa.nulls(len(outside), pa.string())
    for reason, doubtful in reversed(doubts):
        result = pc.if_else(doubtful, pa.scalar(reason), result)
    return result
