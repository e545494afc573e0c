"""The pages after the first, in order; here are the checks, the attestations and what manipulation takes."""

from __future__ import annotations

from ...drawing.tables import Row, Section
from .attacks import DOWN, GRID_FACTOR, GRID_STEPS, TARGETS, UP
from .movement_sections import (
    moves_section,
    names_section,
    panel_section,
    revisions_section,
    sellers_section,
    spread_section,
    sticky_section,
)
from .principles import attestations
from .principles_table import PRINCIPLES
from .review import Review
from .trial_sections import parallel_sections, sensitivity_section
from .wash import WashTrade
from .wording import NONE, number, percent, price, signed_percent

RESULTS = {"met": "✓ met", "not met": "✗ not met", "cannot be computed": "— cannot be computed"}
TITLES = {p.number: p.title for p in PRINCIPLES}
WAYS = {UP: "▲ up", DOWN: "▼ down"}


def sections(review: Review, marks: tuple[str, ...]) -> list[Section]:
    """Every section that has something to say."""
    found = [
        _checks(review, marks),
        _attestations(),
        _reaches(review, marks),
        _puppets(review, marks),
        _wash(review, marks),
        sellers_section(review, marks),
        moves_section(review, marks),
        panel_section(review, marks),
        sensitivity_section(review, marks),
    ]
    if review.parallel is not None:
        found += parallel_sections(review, review.parallel, marks)
    return [
        *found,
        sticky_section(review, marks),
        names_section(review, marks),
        spread_section(review, marks),
        revisions_section(review),
    ]


def _checks(review: Review, marks: tuple[str, ...]) -> Section:
    return Section(
        title="Computed checks",
        under="IOSCO Principles for Financial Benchmarks (FR07/13, 2013); bounds are for the committee to set",
        head=("principle", "asks that", "bound", "found", "result", "evidence"),
        rows=tuple(
            Row(
                (
                    f"{c.principle} {TITLES[c.principle]}",
                    c.asks,
                    _figure(c.threshold),
                    _figure(c.found),
                    RESULTS[c.result],
                    c.evidence,
                ),
                chosen=c.result == "not met",
            )
            for c in review.checks
        ),
        words=(0, 1, 4, 5),
        marks=marks,
    )


def _figure(value: float | None) -> str:
    return NONE if value is None else f"{value:,.4g}"


def _attestations() -> Section:
    return Section(
        title="What a person must attest",
        under="of each principle, also of those with checks above",
        head=("principle", "to attest", "checks above"),
        rows=tuple(
            Row((f"{n} {title}", what, "some" if computed else "attestation only"))
            for n, title, what, computed in attestations()
        ),
        words=(0, 1, 2),
    )


def _reaches(review: Review, marks: tuple[str, ...]) -> Section:
    made = review.manipulation
    rows = []
    for reach in made.reaches:
        for way in (UP, DOWN):
            worst = reach.worst(way)
            rows.append(
                Row(
                    (
                        reach.label,
                        WAYS[way],
                        signed_percent(reach.median_move(way)),
                        NONE if worst is None else signed_percent(worst.move),
                        NONE if worst is None else worst.date.isoformat(),
                        NONE if worst is None or worst.own_micros is None else ", ".join(worst.names),
                        NONE if worst is None else price(worst.own_micros),
                        NONE if worst is None else price(worst.price_micros),
                        f"{reach.n_silenced} of {reach.n_dates}",
                    )
                )
            )
    asked = f"{len(made.dates)} of {made.n_dates} dates with a value"
    notes = [
        (
            f"Asked on {asked}. Prices from a tenth of the value to {GRID_FACTOR} times it, in {GRID_STEPS} geometric steps each "
            "way, and the last one that a screen lets pass; the value is made again with every screen, cap, gate and memory of "
            "the rules. 'At price' is the price nearest to the value that already gets the move."
        ),
        (
            "Prices are set on one day: a patient drift past a screen that follows sellers is not tried. Colluders quote one "
            "price, and pairs are those of the six sellers that move it most alone. An advertised price costs nothing to "
            "change; who must honour it risks the difference to its own price on what is rented meanwhile."
        ),
    ]
    if any(reach.unbounded for reach in made.reaches):
        notes.append(
            "Some moves grow without bound with the price: the figures are those at the end of the grid."
        )
    if not made.by_price:
        notes.append(
            "No rule here looks at how far a price is from others, so only weights, gates and the estimator hold."
        )
    return Section(
        title="Cost to manipulate",
        under="the furthest move of a date, by whom and at what price",
        head=("actor", "way", "median", "worst", "on", "by", "its own price", "at price", "dates silenced"),
        rows=tuple(rows),
        words=(0, 5),
        notes=tuple(notes),
        marks=marks,
    )


def _puppets(review: Review, marks: tuple[str, ...]) -> Section:
    return Section(
        title="Added sellers needed",
        under="names that did not exist, each with one vote",
        head=("move of", "way", "fewest", "on", "median", "dates within ten"),
        rows=tuple(
            Row(
                (
                    percent(p.target, 0),
                    WAYS[p.direction],
                    NONE if p.fewest is None else f"{p.fewest}",
                    NONE if p.fewest_on is None else p.fewest_on.isoformat(),
                    "more than ten" if p.median is None else number(p.median, 1).removesuffix(".0"),
                    f"{p.n_reached} of {p.n_dates}",
                )
            )
            for p in review.manipulation.puppets
        ),
        words=(1,),
        marks=marks,
    )


def _wash(review: Review, marks: tuple[str, ...]) -> Section:
    made = review.wash
    rows = []
    for cost in made.costs:
        least: WashTrade | None = cost.cheapest
        rows.append(
            Row(
                (
                    percent(cost.target, 0),
                    WAYS[cost.direction],
                    NONE if least is None else least.date.isoformat(),
                    NONE if least is None else price(least.price_micros),
                    NONE if least is None else f"{least.gpu_hours:,}",
                    NONE if least is None else price(least.amount_micros),
                    price(cost.median_amount_micros),
                    percent(cost.median_share_of_volume),
                    f"{cost.n_reached} of {cost.n_dates}",
                )
            )
        )
    note = made.reason or (
        "One trade between names that no screen of affiliates or circles knows, in whole GPU-hours, at the cheapest of nine "
        "prices. Its money goes round: what it costs is fees; the amount is what must be there to do it."
    )
    return Section(
        title="Wash trades",
        under=f"the cheapest volume that moves the value by {', '.join(percent(t, 0) for t in TARGETS)}",
        head=(
            "move of",
            "way",
            "cheapest on",
            "at price",
            "GPU-hours",
            "amount, $",
            "median amount, $",
            "of the day's hours",
            "dates",
        ),
        rows=tuple(rows),
        words=(1,),
        notes=(note,),
        marks=marks,
    )
