"""A forward strip from reserved prices: what the later months of a longer commitment cost.

Whoever can reserve for T₁ and for T₂ months at Π per hour pays, for the months between,

``F = (T₂·Π(T₂) − T₁·Π(T₁))/(T₂ − T₁)``  (Bandi & Su, arXiv 2607.12156),

with payments at the end of each month discounted where a rate is given: T becomes the annuity
``A(T) = Σ_{m≤T} (1 + r)^{−m/12}``. It is an upper bound for *term* rental of those months and no mark
for an on-demand future. A seller who sets every price by the same discounts in every region has an
administered schedule and no market of terms behind it; such strips are labelled so. A negative strip
says that the longer commitment costs less in all than the shorter one, which no forward price does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from itertools import pairwise

from ...records import Refusal, UsageError, format_micros, quantise, round_fraction

TERM_LABEL = "term"
ADMINISTERED_LABEL = "administered, term"
FEWEST_REGIONS = 3
"""Regions in which one ratio must hold before it is called administered: two can agree by chance."""
RATIO_TOLERANCE = Fraction(1, 1_000)
"""Relative range within which ratios are one discount: parts of a machine that it leaves out move them a little."""
MONTHS_PER_YEAR = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class TermPrice:
    """The price per GPU-hour of a commitment of ``term_months`` as offered on a day, micro-USD."""

    seller: str
    sku: str
    region: str
    term_months: int
    price_micros: int
    observed_on: date

    @property
    def subject(self) -> str:
        """Seller, machine and region in words."""
        return f"{self.seller} {self.sku} in {self.region}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TermStrip:
    """The forward price of the months after the shorter term up to the longer one.

    ``ratio`` is the longer term's price over the shorter's; ``administered`` whether the seller has
    the same one, to a thousandth, in every region.
    """

    seller: str
    sku: str
    region: str
    from_months: int
    to_months: int
    short_micros: int
    long_micros: int
    forward_micros: int
    observed_on: date
    annual_rate_percent: float | None
    administered: bool = False

    @property
    def ratio(self) -> Fraction:
        """Longer over shorter price per hour."""
        return Fraction(self.long_micros, self.short_micros)

    @property
    def label(self) -> str:
        """What kind of price it is."""
        return ADMINISTERED_LABEL if self.administered else TERM_LABEL


@dataclass(frozen=True, slots=True)
class TermStructure:
    """Strips in order of seller, machine, region and term, and pairs of tenors that give none, with the reason."""

    strips: tuple[TermStrip, ...]
    refusals: tuple[Refusal, ...]


def forward_price(
    short_months: int,
    short_micros: int,
    long_months: int,
    long_micros: int,
    annual_rate_percent: float | None = None,
) -> int | Refusal:
    """The strip between two tenors in micro-USD per GPU-hour, rounded half-even once.

    A refusal, with both tenors, where it is not above zero. Raises UsageError unless the second tenor
    is the longer one and the rate is above −100 %.
    """
    if not 0 < short_months < long_months:
        raise UsageError(
            f"tenors of {short_months} and {long_months} months give no strip; the second must be longer."
        )
    if annual_rate_percent is None:
        exact = Fraction(long_months * long_micros - short_months * short_micros, long_months - short_months)
        forward = round_fraction(exact)
    else:
        short_value = _annuity(short_months, annual_rate_percent)
        long_value = _annuity(long_months, annual_rate_percent)
        forward = quantise(
            (long_value * long_micros - short_value * short_micros) / (long_value - short_value)
        )
    if forward <= 0:
        return Refusal(
            "negative_strip",
            f"{short_months} months at {format_micros(short_micros)} and {long_months} months at "
            f"{format_micros(long_micros)} imply {format_micros(forward)} for months {short_months + 1} to "
            f"{long_months}; no forward price is zero or negative.",
        )
    return forward


def _annuity(months: int, annual_rate_percent: float) -> float:
    growth = 1 + annual_rate_percent / 100
    if not growth > 0:
        raise UsageError(f"a rate of {annual_rate_percent} % a year is not possible; state one above −100 %.")
    return math.fsum(math.pow(growth, -month / MONTHS_PER_YEAR) for month in range(1, months + 1))


def term_structure(prices: Iterable[TermPrice], *, annual_rate_percent: float | None = None) -> TermStructure:
    """The strips between neighbouring tenors of each seller, machine and region.

    Tenors are joined only where they were offered on the same day. A tenor offered twice that day
    takes the lower price, which bounds more closely.
    """
    offers: dict[tuple[str, str, str], dict[int, TermPrice]] = {}
    for price in prices:
        tenors = offers.setdefault((price.seller, price.sku, price.region), {})
        standing = tenors.get(price.term_months)
        if standing is None or (-price.observed_on.toordinal(), price.price_micros) < (
            -standing.observed_on.toordinal(),
            standing.price_micros,
        ):
            tenors[price.term_months] = price
    strips: list[TermStrip] = []
    refusals: list[Refusal] = []
    for _, tenors in sorted(offers.items()):
        ordered = [tenors[months] for months in sorted(tenors)]
        if len(ordered) == 1:
            only = ordered[0]
            refusals.append(
                Refusal(
                    "one_tenor",
                    f"{only.subject}: only {only.term_months} months are offered; two tenors are needed.",
                )
            )
        for short, long in pairwise(ordered):
            made = _strip(short, long, annual_rate_percent)
            if isinstance(made, Refusal):
                refusals.append(made)
            else:
                strips.append(made)
    return TermStructure(_labelled(strips), tuple(refusals))


def _strip(short: TermPrice, long: TermPrice, rate: float | None) -> TermStrip | Refusal:
    if short.observed_on != long.observed_on:
        return Refusal(
            "tenors_of_different_days",
            f"{short.subject}: {short.term_months} months were offered on {short.observed_on} and "
            f"{long.term_months} months on {long.observed_on}; two days make no strip.",
        )
    forward = forward_price(short.term_months, short.price_micros, long.term_months, long.price_micros, rate)
    if isinstance(forward, Refusal):
        return replace(forward, sentence=f"{short.subject}: {forward.sentence}")
    return TermStrip(
        seller=short.seller,
        sku=short.sku,
        region=short.region,
        from_months=short.term_months,
        to_months=long.term_months,
        short_micros=short.price_micros,
        long_micros=long.price_micros,
        forward_micros=forward,
        observed_on=short.observed_on,
        annual_rate_percent=rate,
    )


def _labelled(strips: Sequence[TermStrip]) -> tuple[TermStrip, ...]:
    """Strips with a seller's one ratio in every region called administered."""
    ratios: dict[tuple[str, str, int, int], dict[str, Fraction]] = {}
    for strip in strips:
        key = (strip.seller, strip.sku, strip.from_months, strip.to_months)
        ratios.setdefault(key, {})[strip.region] = strip.ratio
    fixed = {
        key
        for key, by_region in ratios.items()
        if len(by_region) >= FEWEST_REGIONS
        and max(by_region.values()) - min(by_region.values()) <= RATIO_TOLERANCE * max(by_region.values())
    }
    return tuple(
        replace(s, administered=(s.seller, s.sku, s.from_months, s.to_months) in fixed) for s in strips
    )
