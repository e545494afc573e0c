"""What the feeds of completed rentals do alike: hours, identity, and what is no completed rental.

A rental that still runs is no completed trade: it is passed over and noted, and comes with a later payload once
it has ended. A completed one was executed when it began and became known when it ended, because only then does
anybody know its hours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa

from ..records import Batch, round_fraction
from ..records.schemas import INSTANT
from .columns import Bad, Column, join
from .feed import Feed, FeedContext
from .hardware import Hardware
from .listing import Priced, batch_of
from .raw import RawTable

_MICROSECONDS = 1_000_000
RUNNING = "still run, or never ran"


def rental_batch(
    feed: Feed,
    raw: RawTable,
    context: FeedContext,
    *,
    executed: Column[int],
    known: Column[int],
    start: Column[int],
    end: Column[int],
    gpus: Column[int],
    trade_id: Column[str],
    hardware: Column[Hardware],
    price: Column[Priced],
    source: str,
    checks: Sequence[Column[Any]] = (),
    doubts: Mapping[str, Column[bool]] | None = None,
    **more: Any,
) -> Batch:
    """Settle the completed rentals of a payload; every one is a trade of its own, and new."""
    seconds = join([start, end, gpus], _gpu_seconds)
    return batch_of(
        feed,
        raw,
        context,
        observed=executed,
        hardware=hardware,
        price=price,
        source=source,
        checks=[executed, known, start, end, seconds, *checks],
        doubts=doubts,
        known_at=join([known, executed], max).to_arrow(pa.int64()).cast(INSTANT),
        reported_at=known,
        start_at=start,
        end_at=end,
        gpu_count=gpus,
        gpu_seconds=seconds,
        trade_id=trade_id,
        trade_status="new",
        **more,
    )


def _gpu_seconds(start: int, end: int, gpus: int) -> int | Bad:
    """Whole GPU-seconds of a rental, half-even; its end must be after its start."""
    seconds = round_fraction(Fraction((end - start) * gpus, _MICROSECONDS))
    return seconds if seconds > 0 else Bad("bad_hours", "end", "")


def identity(*parts: object) -> str:
    """The identity of a trade whose layout has none: everything that tells it apart."""
    return "/".join(str(part) for part in parts)
