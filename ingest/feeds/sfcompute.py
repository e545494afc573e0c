"""``sfcompute``: completed trades of the SF Compute market, in its two layouts.

**Fills** of the order book: ``{object: "list", has_more, cursor, data: [{dollars_per_node_hour, node_count,
filled_at}]}``, a price per node (8 GPUs), one row per contract. The rows tell neither the chip nor the delivery:
both come from the request, and are stated as parameters. ``filled_at`` is unix seconds.

**Orders** of the older market: ``{object: "order", id, side, status, instance_type, quantity, start_at, end_at,
executed, executed_at, execution_price, …}``, one, or a list of them in ``data``. ``execution_price`` is **total cents
for the whole block** of ``quantity`` nodes. An order that was not filled is no trade and passed over.

The market names neither side, so it stands in for the seller. A block is bought ahead at one price for its whole
window: ``reserved``, unless the parameters say otherwise. A fill has no identity, so that two equal ones of one
second, in one window, cannot be told from a repeat and count once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..candidates import flat
from ..columns import Bad, Column, constant, join
from ..documents import candidates_of, read_document
from ..feed import FeedContext, FeedTerms
from ..fields import instant, micros_of, money_of, required_text
from ..hardware import named_hardware
from ..listing import Priced, read_price, required_count
from ..parameters import WindowParameters, missing
from ..raw import RawTable
from ..rentals import RUNNING, identity, rental_batch
from ..unix_times import unix_instant

_FILL = ("dollars_per_node_hour", "node_count", "filled_at")
_ORDER = (
    "id", "side", "status", "instance_type", "quantity", "start_at", "end_at", "executed", "executed_at",
    "execution_price",
)  # fmt: skip
_UNFILLED = ("open", "cancelled", "canceled", "rejected")
_GPUS_PER_NODE = 8
_MICROSECONDS_PER_HOUR = 3_600_000_000
VENUE = "sfcompute"


class SfCompute:
    """Blocks of GPU hours traded at SF Compute."""

    id = "sfcompute"
    version = "1"
    kind: Literal["trade"] = "trade"
    terms = FeedTerms(
        rights="unknown",
        license="SF Compute terms of service",
        attribution="SF Compute (https://sfcompute.com)",
        link="https://sfcompute.com/legal",
    )
    lag_hours = 0
    complete_snapshot = False
    summary = "Completed trades of SF Compute (JSON); of fills, chip and window as parameters"
    parameters = WindowParameters
    source = "sfcompute"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read a list of fills, or one or more orders."""
        document = read_document(payload, context)
        if isinstance(document, Refusal):
            return refused(document)
        rows = document.get("data") if isinstance(document, dict) else None
        if isinstance(document, dict) and rows is None and document.get("object") == "order":
            rows = [document]
        if not isinstance(rows, list):
            return refused(
                Refusal(
                    "not_this_format",
                    f"{context.origin_name} is neither a list of fills nor an order; name the feed it came from.",
                )
            )
        if not rows:
            return refused(Refusal("empty_payload", f"{context.origin_name} holds no records."))
        if any(isinstance(row, dict) and "instance_type" in row for row in rows):
            return self._orders(
                candidates_of(rows, _order, _ORDER, f"were not filled, or {RUNNING}"), context
            )
        raw = candidates_of(rows, _fill, _FILL)
        if document.get("has_more") is True:
            raw = replace(raw, notes=(*raw.notes, "there are further fills (has_more)"))
        return self._fills(raw, context)

    def _fills(self, raw: RawTable, context: FeedContext) -> Batch:
        stated = context.parameters
        if not isinstance(stated, WindowParameters):
            return refused(
                missing(
                    context.origin_name,
                    "which chip and window it was asked for",
                    "name, start_at, end_at",
                    self.id,
                )
            )
        latest = to_microseconds(context.received_at)
        filled = raw.column("filled_at").convert(unix_instant(latest=latest))
        nodes = raw.column("node_count").convert(required_count)
        each = stated.gpus_per_node
        start, end = to_microseconds(stated.start_at), to_microseconds(stated.end_at)
        name: Column[str | None] = constant("name", stated.name, raw.rows)
        return rental_batch(
            self,
            raw,
            context,
            executed=filled,
            known=filled,
            start=constant("start_at", start, raw.rows),
            end=constant("end_at", end, raw.rows),
            gpus=nodes.convert(lambda count: count * each),
            trade_id=join(
                [filled, nodes, raw.column("dollars_per_node_hour")],
                lambda at, count, price: identity("fill", at, count, price, stated.name, start, end),
            ),
            hardware=named_hardware(name),
            price=raw.column("dollars_per_node_hour").convert(
                lambda text: read_price(text, "dollars_per_node_hour", gpus=each, unit="per_node_hour")
            ),
            source=self.source,
            seller=VENUE,
            venue=VENUE,
            pricing=stated.pricing,
        )

    def _orders(self, raw: RawTable, context: FeedContext) -> Batch:
        stated = context.parameters if isinstance(context.parameters, WindowParameters) else None
        each = _GPUS_PER_NODE if stated is None else stated.gpus_per_node
        latest = to_microseconds(context.received_at)
        executed = raw.column("executed_at").convert(instant(None, latest=latest))
        start, end = (raw.column(key).convert(instant(None, latest=None)) for key in ("start_at", "end_at"))
        nodes = raw.column("quantity").convert(required_count)
        return rental_batch(
            self,
            raw,
            context,
            executed=executed,
            known=executed,
            start=start,
            end=end,
            gpus=nodes.convert(lambda count: count * each),
            trade_id=raw.column("id").convert(required_text("missing_trade_id")),
            hardware=named_hardware(raw.column("instance_type")),
            price=join(
                [raw.column("execution_price"), start, end, nodes],
                lambda text, begin, finish, count: _of_block(text, begin, finish, count * each),
            ),
            source=self.source,
            seller=VENUE,
            venue=VENUE,
            sku=raw.column("instance_type"),
            pricing="reserved" if stated is None else stated.pricing,
            checks=[raw.column("status").convert(_filled)],
        )


def _fill(row: Any) -> Iterable[Any]:
    yield flat(row, _FILL)


def _order(row: Any) -> Iterable[Any]:
    """An order that was filled; what says neither is looked at."""
    if isinstance(row, dict) and (row.get("status") in _UNFILLED or row.get("executed") is False):
        return
    yield flat(row, _ORDER)


def _filled(status: str | None) -> str | Bad:
    return "filled" if status == "filled" else Bad("bad_choice")


def _of_block(text: str | None, start: int, end: int, gpus: int) -> Priced | Bad:
    """Total cents of a block as micro-USD per GPU-hour, rounded once, half-even."""
    dollars = money_of(text, 100)
    if isinstance(dollars, Bad):
        return Bad(dollars.reason, "execution_price", text or "")
    if end <= start:
        return Bad("bad_hours", "end_at", "")
    micros = micros_of(dollars / (Fraction(end - start, _MICROSECONDS_PER_HOUR) * gpus))
    if isinstance(micros, Bad):
        return Bad(micros.reason, "execution_price", text or "")
    return Priced(micros, text or "", "usd_cents_per_block")
