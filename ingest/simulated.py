"""The simulated GPU rental market: a pure function from a seed and a day to payload bytes.

What it returns is invented and says so: origin names begin with ``simulated``, every row has
``simulated`` true and the source ``rentmark-simulated``. The market, in order of cause:

* a **latent price** per chip, mean-reverting around a drifting level (Schwartz and Smith 2000), with a
  scarcity, a glut and the launch of a newer chip: :mod:`.simulation.process`;
* **list prices** of 25 sellers, which stand still between reviews (Calvo 1983; Sheshinski and Weiss 1977)
  and so lag the latent price; sellers enter, leave and fall silent; a region costs more; a spot price is now
  and then 0, which a feed refuses: :mod:`.simulation.quotes`;
* **trades** below list, a few of them corrected or cancelled days later: :mod:`.simulation.trades`;
* a **collector outage** on two weekdays, on which there is no payload at all;
* a **renter** whose rent follows the market in part: :mod:`.simulation.rent`.

The same seed gives the same bytes on every machine (:mod:`.simulation.stable`), and a longer window
begins with the payloads of the shorter one, so no day knows anything of a later one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from ..records import UsageError
from .simulation.process import latent_log_prices
from .simulation.quotes import LICENSE, SOURCE, list_prices, offers_csv
from .simulation.rent import RENT_KINDS, RentKind, rent_csv
from .simulation.scenario import B200_LAUNCH_DAY, CHIPS
from .simulation.stable import exponential
from .simulation.trades import TradeTape, trades_csv

__all__ = [
    "B200_LAUNCH_DAY",
    "CHIPS",
    "DEFAULT_DAYS",
    "DEFAULT_FIRST_DAY",
    "DEFAULT_GPUS",
    "DEFAULT_OUTAGE_DAYS",
    "DEFAULT_RENT_ORIGIN_NAME",
    "DEFAULT_SEED",
    "LICENSE",
    "RENT_KINDS",
    "SOURCE",
    "RentKind",
    "SimulatedMarket",
    "SimulatedPayload",
    "rent_series",
]

DEFAULT_SEED: Final = 2026
DEFAULT_FIRST_DAY: Final = date(2023, 9, 1)
DEFAULT_DAYS: Final = 1111
"""Thirty-seven calendar months, 2023-09-01 to 2026-09-15: the last one is still accruing."""
DEFAULT_OUTAGE_DAYS: Final = frozenset({date(2026, 8, 11), date(2026, 8, 12)})
"""A Tuesday and a Wednesday without payloads: 19 of August's 21 business days and 29 of its 31 days stand."""
DEFAULT_GPUS: Final = 512
DEFAULT_RENT_ORIGIN_NAME: Final = "simulated-rent.csv"


@dataclass(frozen=True, slots=True)
class SimulatedPayload:
    """Bytes as a collector would have received them on one day, for the feed that reads them."""

    feed_id: str
    origin_name: str
    payload: bytes


class SimulatedMarket:
    """A simulated market over ``days`` days from ``first_day``; all of it follows from ``seed``.

    Raises UsageError when the seed is negative or there are no days.
    """

    def __init__(
        self,
        seed: int = DEFAULT_SEED,
        first_day: date = DEFAULT_FIRST_DAY,
        days: int = DEFAULT_DAYS,
        *,
        outage_days: Iterable[date] = DEFAULT_OUTAGE_DAYS,
    ) -> None:
        _check_window(seed, days)
        self.seed = seed
        self.first_day = first_day
        self.last_day = first_day + timedelta(days=days - 1)
        self.outage_days = frozenset(outage_days)
        self._latent = latent_log_prices(seed, first_day, days)
        self._lists = list_prices(seed, first_day, self._latent)
        self._tape = TradeTape(seed, first_day, self._lists, self.outage_days)

    @property
    def days(self) -> tuple[date, ...]:
        """Every day of the window, outages included."""
        return tuple(self.first_day + timedelta(days=number) for number in range(len(self._latent)))

    def payloads(self, day: date) -> list[SimulatedPayload]:
        """That day's offers (feed ``tabular``) and trades (feed ``trades``); none on an outage day.

        Raises UsageError for a day outside the window.
        """
        number = self._number(day)
        if day in self.outage_days:
            return []
        lists = self._lists
        offers = offers_csv(
            day, lists.prices[number].tolist(), lists.active[number].tolist(), lists.carried[number].tolist()
        )
        trades = trades_csv(day, self._tape.trades_on(day), self._tape.amendments_on(day))
        return [
            SimulatedPayload("tabular", f"simulated-offers-{day}.csv", offers),
            SimulatedPayload("trades", f"simulated-trades-{day}.csv", trades),
        ]

    def latent_usd_per_gpu_hour(self, chip: str) -> tuple[float, ...]:
        """The price nobody in the market sees, one per day: what an index of it is judged against.

        Raises UsageError for a chip the market does not have.
        """
        for index, name in enumerate(CHIPS):
            if name == chip:
                return tuple(exponential(self._latent[:, index]).tolist())
        raise UsageError(f"chip is {chip!r}; the simulated market has {', '.join(CHIPS)}.")

    def _number(self, day: date) -> int:
        if not self.first_day <= day <= self.last_day:
            raise UsageError(
                f"{day} is outside the simulated market; ask for a day from {self.first_day} to {self.last_day}."
            )
        return (day - self.first_day).days


def rent_series(
    kind: RentKind = "own_provider",
    *,
    seed: int = DEFAULT_SEED,
    first_day: date = DEFAULT_FIRST_DAY,
    days: int = DEFAULT_DAYS,
    gpus: int = DEFAULT_GPUS,
) -> bytes:
    """An invented renter's CSV ``date,rate_usd_per_gpu_hour,gpu_hours`` in the market of the same seed.

    ``own_provider``: one provider that reprices about every three weeks and drifts from the market;
    ``market``: follows it closely; ``fixed``: one price throughout. Raises UsageError on a wrong argument.
    """
    _check_window(seed, days)
    return rent_csv(kind, seed, first_day, days, gpus)


def _check_window(seed: int, days: int) -> None:
    if seed < 0:
        raise UsageError(f"seed is {seed}; use a whole number from 0 up.")
    if days < 1:
        raise UsageError(f"days is {days}; a market needs at least one.")
