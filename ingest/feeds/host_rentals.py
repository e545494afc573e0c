"""``host-rentals``: what a host rented out, segment by segment.

``{gpu_segments: [{start, end, rate, gpu_count}]}``, one machine or a list of them, each with an optional
``machine_id`` and ``gpu_name``. The contracted rate may change during a rental, so that each segment is a trade of its
own. ``end`` is null while it runs; times are unix seconds or ISO 8601. Whose machine it is, its chip where the file is
silent, and whether ``rate`` is dollars of one GPU or of the whole segment, are stated as parameters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ...records import Batch, Refusal, to_microseconds
from ..account import refused
from ..candidates import flat, part
from ..columns import Column, join
from ..documents import candidates_of, read_document
from ..feed import FeedContext, FeedTerms
from ..hardware import named_hardware
from ..listing import read_price, required_count
from ..parameters import HostParameters, missing
from ..rentals import RUNNING, identity, rental_batch
from ..rights import USER_ASSERTED
from ..unix_times import any_instant

_SEGMENT = ("start", "end", "rate", "gpu_count")
_MACHINE = ("machine_id", "gpu_name")
_LIST = "gpu_segments"


class HostRentals:
    """A host's own finished rentals."""

    id = "host-rentals"
    version = "1"
    kind: Literal["trade"] = "trade"
    terms = FeedTerms(
        rights="allowed",
        license=USER_ASSERTED,
        attribution="the host's own records",
        link="",
    )
    lag_hours = 0
    complete_snapshot = False
    summary = "A host's rental segments (JSON); seller, chip and unit of the rate as parameters"
    parameters = HostParameters
    source = "host-rentals"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read the segments of one or more machines."""
        document = read_document(payload, context)
        if isinstance(document, Refusal):
            return refused(document)
        machines = document if isinstance(document, list) else [document]
        if not any(isinstance(machine, dict) and _LIST in machine for machine in machines):
            return refused(
                Refusal(
                    "not_this_format",
                    f"{context.origin_name} has no list called {_LIST}; name the feed it came from.",
                )
            )
        stated = context.parameters
        if not isinstance(stated, HostParameters):
            return refused(missing(context.origin_name, "whose machine it is", "seller, name, unit", self.id))
        raw = candidates_of(_segments(machines), _ended, (*_SEGMENT, *_MACHINE), RUNNING)
        if raw.records == 0:
            return refused(Refusal("empty_payload", f"{context.origin_name} holds no finished rental."))
        latest = to_microseconds(context.received_at)
        start, end = (raw.column(key).convert(any_instant(latest=latest)) for key in ("start", "end"))
        gpus = raw.column("gpu_count").convert(required_count)
        shared = stated.unit == "per_instance_hour"
        name: Column[str | None] = raw.column("gpu_name").convert(lambda text: text or stated.name)
        return rental_batch(
            self,
            raw,
            context,
            executed=start,
            known=end,
            start=start,
            end=end,
            gpus=gpus,
            trade_id=join(
                [raw.column("machine_id"), start, gpus, raw.column("rate")],
                lambda machine, begin, count, rate: identity(
                    stated.seller, machine or "", begin, count, rate
                ),
            ),
            hardware=named_hardware(name),
            price=join(
                [raw.column("rate"), gpus],
                lambda text, count: read_price(text, "rate", gpus=count if shared else 1, unit=stated.unit),
            ),
            source=self.source,
            seller=stated.seller,
            venue=stated.venue,
            machine=raw.column("machine_id"),
        )


def _segments(machines: list[Any]) -> Iterable[Any]:
    """The segments of each machine beside what it says of itself; what is no list of them is one record."""
    for machine in machines:
        segments = part(machine, _LIST) if isinstance(machine, dict) else machine
        about = flat(machine, _MACHINE) if isinstance(machine, dict) else {}
        if not isinstance(segments, list):
            yield [segments]
            continue
        for segment in segments:
            yield flat(segment, _SEGMENT, **about) if isinstance(segment, dict) else segment


def _ended(segment: Any) -> Iterable[Any]:
    """A segment that has ended: its ``end`` is there."""
    if isinstance(segment, dict) and segment.get("end") is None:
        return
    yield segment
