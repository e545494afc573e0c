"""``akash``: leases of the Akash network, as its REST interface lists them.

``{leases: [{lease: {id: {owner, dseq, gseq, oseq, provider, bseq}, state, price: {denom, amount}, created_at,
closed_on, reason}, escrow_payment}]}``. ``created_at`` and ``closed_on`` are block heights; ``amount`` is millionths of
the denomination **per block**, of which there are 600 an hour, one about every 6 seconds: so USD an hour =
amount × 600 / 1e6 × price of the denomination. ``uakt`` is the AKT token, whose dollar price is stated as a dated
series; ``uact`` is pegged to the dollar and counts as one.

A lease pays for processor, memory and disk, too, and tells neither the chip nor how many: what each lease (by its
``dseq``, or ``"*"`` for all) rented is stated, as are the times of blocks. Leases that are not closed are no completed
rentals. What is stated is assumed by whoever states it, and its hash stands on the batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..candidates import flat, part
from ..columns import Bad, Column, join
from ..documents import candidates_of, list_in, read_document
from ..feed import FeedContext, FeedTerms
from ..fields import required_text, whole
from ..hardware import named_hardware
from ..listing import Priced, read_price
from ..parameters import FeedParameters, Rented, missing
from ..rates import BlockClock, BlockTimes, RateBook, RateSeries
from ..rentals import RUNNING, identity, rental_batch

_ID = ("owner", "dseq", "gseq", "oseq", "provider", "bseq")
_FIELDS = (
    *(f"lease.id.{key}" for key in _ID), "lease.state", "lease.price.denom", "lease.price.amount",
    "lease.created_at", "lease.closed_on",
)  # fmt: skip
BLOCKS_PER_HOUR = 600
_MICRO_UNITS = 1_000_000
_OPEN = frozenset({"active", "insufficient_funds"})
VENUE = "akash"


class AkashParameters(FeedParameters):
    """The dollar price of AKT, the times of blocks, and what the leases rented."""

    akt_usd: RateSeries | None = None
    block_times: BlockTimes
    leases: dict[str, Rented] = Field(min_length=1)


class Akash:
    """Closed leases of the Akash network."""

    id = "akash"
    version = "1"
    kind: Literal["trade"] = "trade"
    terms = FeedTerms(
        rights="unknown",
        license="public ledger; no terms for the data are stated",
        attribution="Akash Network (https://akash.network)",
        link="https://akash.network",
    )
    lag_hours = 0
    complete_snapshot = False
    summary = "Leases of the Akash network (JSON); AKT price, block times and leased GPUs as parameters"
    parameters = AkashParameters
    source = "akash"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one list of leases."""
        document = read_document(payload, context)
        leases = document if isinstance(document, Refusal) else list_in(document, "leases", context)
        if isinstance(leases, Refusal):
            return refused(leases)
        stated = context.parameters
        if not isinstance(stated, AkashParameters):
            return refused(
                missing(
                    context.origin_name, "what was leased and when", "block_times, leases, akt_usd", self.id
                )
            )
        raw = candidates_of(leases, _closed, _FIELDS, RUNNING)
        clock = BlockClock(stated.block_times)
        book = None if stated.akt_usd is None else RateBook(stated.akt_usd)
        latest = to_microseconds(context.received_at)
        start, end = (
            raw.column(f"lease.{key}").convert(lambda text: _time_of(text, clock, latest))
            for key in ("created_at", "closed_on")
        )
        rented = raw.column("lease.id.dseq").convert(
            lambda dseq: stated.leases.get(dseq or "", stated.leases.get("*")) or Bad("unknown_chip")
        )
        gpus = rented.convert(lambda what: what.gpu_count)
        name: Column[str | None] = rented.convert(lambda what: what.name)
        return rental_batch(
            self,
            raw,
            context,
            executed=start,
            known=end,
            start=start,
            end=end,
            gpus=gpus,
            trade_id=join([raw.column(f"lease.id.{key}") for key in _ID], _identity),
            hardware=named_hardware(name),
            price=join(
                [raw.column("lease.price.amount"), raw.column("lease.price.denom"), gpus, start],
                lambda amount, denom, count, moment: _price(amount, denom, count, moment, book),
            ),
            source=self.source,
            seller=raw.column("lease.id.provider").convert(required_text("missing_seller")),
            buyer=raw.column("lease.id.owner"),
            venue=VENUE,
            service="container",
            checks=[raw.column("lease.state").convert(_is_closed), rented],
        )


def _closed(lease: Any) -> Iterable[Any]:
    """A lease that is closed; what says neither is looked at."""
    state = part(lease, "lease.state")
    if not (isinstance(state, str) and state in _OPEN):
        yield flat(lease, _FIELDS)


def _is_closed(state: str | None) -> str | Bad:
    return "closed" if state == "closed" else Bad("bad_choice")


def _identity(*parts: str | None) -> str | Bad:
    owner, dseq, *rest = parts
    return identity(owner, dseq, *rest) if owner and dseq else Bad("missing_trade_id")


def _time_of(text: str | None, clock: BlockClock, latest: int) -> int | Bad:
    """The time of a block height; 0 is one that has not come."""
    height = None if text is None else whole("bad_number", zero=True)(text)
    if isinstance(height, Bad):
        return height
    if not height:
        return Bad("missing_time")
    moment = clock.at(height)
    if moment is None:
        return Bad("missing_block_time")
    return Bad("future_time") if moment > latest else moment


def _price(
    amount: str | None, denom: str | None, gpus: int, moment: int, book: RateBook | None
) -> Priced | Bad:
    """Millionths per block as USD per GPU-hour: × 600 blocks / 1e6 × the dollar price of the denomination."""
    if denom not in {"uakt", "uact"}:
        return Bad("unsupported_currency", "lease.price.denom", denom or "")
    currency, books = "USD", {}
    if denom == "uakt":
        currency, books = "AKT", {} if book is None else {"AKT": book}
    found = read_price(
        amount, "lease.price.amount", gpus=gpus, per_unit=_MICRO_UNITS, times=BLOCKS_PER_HOUR,
        currency=currency, books=books, moment=moment,
    )  # fmt: skip
    return (
        found
        if isinstance(found, Bad)
        else Priced(found.price_micros, found.written, f"{denom}_per_block", currency, found.fx_rate)
    )
