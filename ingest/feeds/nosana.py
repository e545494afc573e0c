"""``nosana``: jobs of the Nosana network, as its indexer lists them.

``{address, market, node, payer, price, state, timeStart, timeEnd, timeout, usdRewardPerHour, listedAt}``, one job, a
list, or a list in ``jobs``. ``price`` is millionths of a NOS **per second**; times are unix seconds; ``state`` is 0 queued,
1 running, 2 completed, 3 stopped, and only the last two are completed rentals. ``market`` is an address that stands for
a class of GPU: which one is stated as a parameter.

``usdRewardPerHour`` is the network's own dollar price, and is used where it is there; else ``price`` is converted
by the dated NOS series that is stated. Where both are there and differ by more than a quarter, the record is marked
``prices_disagree``. Neither holds the network's fee, which the payer pays on top.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal

from pydantic import Field

from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..candidates import flat
from ..columns import Bad, Column, join
from ..documents import candidates_of, list_in, read_document
from ..feed import FeedContext, FeedTerms
from ..fields import required_text
from ..hardware import named_hardware
from ..listing import Priced, read_price
from ..parameters import FeedParameters, Rented, missing
from ..rates import RateBook, RateSeries
from ..rentals import RUNNING, rental_batch
from ..unix_times import unix_instant

_FIELDS = (
    "address", "market", "node", "payer", "price", "state", "timeStart", "timeEnd", "usdRewardPerHour",
)  # fmt: skip
_MICRO_UNITS = 1_000_000
_SECONDS_PER_HOUR = 3_600
_FURTHEST = Fraction(1, 4)
VENUE = "nosana"


class NosanaParameters(FeedParameters):
    """Which GPU each market rents, and the dollar price of NOS."""

    markets: dict[str, Rented] = Field(min_length=1)
    nos_usd: RateSeries | None = None


class Nosana:
    """Finished jobs of the Nosana network."""

    id = "nosana"
    version = "1"
    kind: Literal["trade"] = "trade"
    terms = FeedTerms(
        rights="unknown",
        license="public ledger; no terms for the data are stated",
        attribution="Nosana (https://nosana.com)",
        link="https://nosana.com",
    )
    lag_hours = 0
    complete_snapshot = False
    summary = "Jobs of the Nosana network (JSON); markets and NOS price as parameters"
    parameters = NosanaParameters
    source = "nosana"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one job or a list of jobs."""
        document = read_document(payload, context)
        if isinstance(document, Refusal):
            return refused(document)
        jobs: list[Any] | Refusal
        if isinstance(document, dict) and "market" in document and "timeStart" in document:
            jobs = [document]
        else:
            jobs = list_in(document, "" if isinstance(document, list) else "jobs", context)
        if isinstance(jobs, Refusal):
            return refused(jobs)
        stated = context.parameters
        if not isinstance(stated, NosanaParameters):
            return refused(missing(context.origin_name, "which GPUs its markets rent", "markets", self.id))
        raw = candidates_of(jobs, _finished, _FIELDS, RUNNING)
        book = None if stated.nos_usd is None else RateBook(stated.nos_usd)
        latest = to_microseconds(context.received_at)
        start, end = (
            raw.column(key).convert(unix_instant(latest=latest, zero=False))
            for key in ("timeStart", "timeEnd")
        )
        rented = raw.column("market").convert(
            lambda market: stated.markets.get(market or "") or Bad("unknown_chip")
        )
        gpus = rented.convert(lambda what: what.gpu_count)
        name: Column[str | None] = rented.convert(lambda what: what.name)
        priced: list[Column[Any]] = [raw.column("usdRewardPerHour"), raw.column("price"), gpus, start]
        return rental_batch(
            self,
            raw,
            context,
            executed=start,
            known=end,
            start=start,
            end=end,
            gpus=gpus,
            trade_id=raw.column("address").convert(required_text("missing_trade_id")),
            hardware=named_hardware(name),
            price=join(priced, lambda usd, nos, count, at: _price(usd, nos, count, at, book)),
            source=self.source,
            seller=raw.column("node").convert(required_text("missing_seller")),
            buyer=raw.column("payer"),
            venue=VENUE,
            service="container",
            checks=[raw.column("state").convert(_is_finished), rented],
            doubts={
                "prices_disagree": join(
                    priced, lambda usd, nos, count, at: _disagree(usd, nos, count, at, book)
                )
            },
        )


def _finished(job: Any) -> Iterable[Any]:
    """A job that has ended; what says neither is looked at."""
    if isinstance(job, dict) and job.get("state") in ("0", "1"):
        return
    yield flat(job, _FIELDS)


def _is_finished(state: str | None) -> str | Bad:
    return state if state in {"2", "3"} else Bad("bad_choice")


def _price(usd: str | None, nos: str | None, gpus: int, moment: int, book: RateBook | None) -> Priced | Bad:
    if usd is not None:
        return read_price(usd, "usdRewardPerHour", gpus=gpus, unit="per_instance_hour")
    return _from_nos(nos, gpus, moment, book)


def _from_nos(nos: str | None, gpus: int, moment: int, book: RateBook | None) -> Priced | Bad:
    """Millionths of a NOS per second as USD per GPU-hour."""
    return read_price(
        nos, "price", gpus=gpus, per_unit=_MICRO_UNITS, times=_SECONDS_PER_HOUR, unit="per_second",
        currency="NOS", books={} if book is None else {"NOS": book}, moment=moment,
    )  # fmt: skip


def _disagree(usd: str | None, nos: str | None, gpus: int, moment: int, book: RateBook | None) -> bool:
    if usd is None or nos is None or book is None:
        return False
    one, other = _price(usd, nos, gpus, moment, book), _from_nos(nos, gpus, moment, book)
    if isinstance(one, Bad) or isinstance(other, Bad):
        return False
    return abs(one.price_micros - other.price_micros) > _FURTHEST * one.price_micros
