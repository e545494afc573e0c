"""Sections about what moves the value and what holds it: sellers, moves, panel, stickiness, names, spread, revisions."""

from __future__ import annotations

from ...drawing.tables import Row, Section
from .review import Review
from .telling import change_sentence
from .wording import NONE, count_of, number, percent, price, signed_percent, signed_price

MOST_ROWS = 20


def sellers_section(review: Review, marks: tuple[str, ...]) -> Section:
    """The value without each seller, and the moves that vanish with it."""
    held = review.influence
    return Section(
        title="Without one seller",
        under="the level of each date made again without it, and the moves that vanish with it",
        head=(
            "seller",
            "dates",
            "mean size of the move",
            "largest",
            "on",
            "dates that need it",
            "moves it made alone",
        ),
        rows=tuple(
            Row(
                (
                    s.seller,
                    f"{s.n_dates}",
                    percent(s.mean_absolute, 2),
                    NONE if s.largest is None else signed_percent(s.largest.move),
                    NONE if s.largest is None else s.largest.date.isoformat(),
                    f"{s.n_needed}",
                    f"{s.n_moved_it}",
                )
            )
            for s in held.sellers[:MOST_ROWS]
        ),
        notes=more_of(len(held.sellers), "seller"),
        marks=marks,
    )


def moves_section(review: Review, marks: tuple[str, ...]) -> Section:
    """The largest moves, each told."""
    moved = sorted(
        (s for s in review.influence.stories if s.change_micros), key=lambda s: (-abs(s.change), s.date)
    )
    return Section(
        title="The largest moves",
        under=f"of {count_of(len(moved), 'move')} that are not zero",
        head=("date", "move", "matched panel", "story"),
        rows=tuple(
            Row(
                (
                    s.date.isoformat(),
                    signed_price(s.change_micros),
                    signed_price(s.matched_micros),
                    change_sentence(s),
                )
            )
            for s in moved[:MOST_ROWS]
        ),
        words=(3,),
        notes=more_of(len(moved), "move"),
        marks=marks,
    )


def panel_section(review: Review, marks: tuple[str, ...]) -> Section:
    """The moves whose panel changed, taken apart."""
    made = review.panels
    sized = sorted(
        (m for m in made.moves if m.panel_micros), key=lambda m: (-abs(m.panel_micros or 0), m.after)
    )
    notes = [
        (
            "The value and its matched panel part where a seller comes or goes: prices, entry and exit are each measured alone "
            "against the date before, by the estimator without gates, screens and caps; the residual is what they leave."
        ),
        *more_of(len(sized), "move"),
    ]
    if made.n_unexplained:
        notes.append(f"{count_of(made.n_unexplained, 'move')} could not be taken apart.")
    return Section(
        title="Composition against prices",
        under=f"value {signed_percent(made.level)}, matched panel {signed_percent(made.matched)}; of {made.n_moves} moves "
        f"{made.by_panel} are mostly not prices",
        head=("date", "move", "prices", "entry", "exit", "residual", "came", "left"),
        rows=tuple(
            Row(
                (
                    m.after.isoformat(),
                    signed_price(m.change_micros),
                    signed_price(m.price_micros),
                    signed_price(m.entry_micros),
                    signed_price(m.exit_micros),
                    signed_price(m.residual_micros),
                    ", ".join(m.entered) or NONE,
                    ", ".join(m.left) or NONE,
                )
            )
            for m in sized[:MOST_ROWS]
        ),
        words=(6, 7),
        notes=tuple(notes),
        marks=marks,
    )


def sticky_section(review: Review, marks: tuple[str, ...]) -> Section:
    """How often each seller changes its price."""
    held = review.stickiness
    return Section(
        title="Stickiness by seller",
        under=f"{percent(held.share_unchanged)} of prices are those of the date before",
        head=("seller", "dates", "changes", "longest at one price, dates"),
        rows=tuple(
            Row((s.seller, f"{s.n_dates}", f"{s.n_changes}", f"{s.longest_spell}"))
            for s in held.sellers[:MOST_ROWS]
        ),
        notes=(
            (
                f"{held.n_spells} complete spells at one price, {number(held.median_spell, 0)} dates in the median; "
                f"{held.n_open_spells} that the period or an absence cuts off, {number(held.median_open_spell, 0)} dates so far."
            ),
            *more_of(len(held.sellers), "seller"),
        ),
        marks=marks,
    )


def names_section(review: Review, marks: tuple[str, ...]) -> Section:
    """Shares of the weight by seller, venue and aggregator."""
    rows = []
    for held in review.concentrations:
        if not held.named:
            rows.append(Row((held.kind, "no vote names one", *[NONE] * 5)))
            continue
        worst, dense = held.worst, held.highest_hhi
        name, share = held.largest[0]
        rows.append(
            Row(
                (
                    held.kind,
                    name,
                    percent(share),
                    percent(held.median_top_share),
                    NONE if worst is None else f"{percent(worst.top_share)} ({worst.top}, {worst.date})",
                    number(held.median_hhi, 0),
                    NONE if dense is None else f"{number(dense.hhi, 0)} ({dense.date})",
                )
            )
        )
    return Section(
        title="Concentration",
        under="of the weight behind each value; a vote of several venues is split evenly over them",
        head=(
            "by",
            "largest on average",
            "its share",
            "median largest share",
            "highest share",
            "median HHI",
            "highest HHI",
        ),
        rows=tuple(rows),
        words=(1,),
        notes=("HHI: the sum of squared percentages; 10,000 is one name alone.",),
        marks=marks,
    )


def spread_section(review: Review, marks: tuple[str, ...]) -> Section:
    """How far list prices stand from traded ones."""
    made = review.spread
    ends = [("lowest", made.lowest), ("highest", made.highest)]
    return Section(
        title="List to transacted",
        under=made.reason
        or f"list prices stand {signed_percent(made.median_spread)} from traded ones in the median of {len(made.days)} dates",
        head=("", "date", "listed", "traded", "spread", "GPU-hours"),
        rows=tuple(
            Row(
                (
                    word,
                    day.date.isoformat(),
                    price(day.listed_micros),
                    price(day.trade_micros),
                    signed_percent(day.spread),
                    number(day.gpu_hours, 0),
                )
            )
            for word, day in ends
            if day is not None
        ),
        marks=marks if made.days else (),
    )


def revisions_section(review: Review) -> Section:
    """What was restated."""
    made = review.revisions
    return Section(
        title="Revisions",
        under=f"{count_of(len(made.rows), 'restatement')} of {made.n_published} published dates; "
        f"{made.n_live} live, {made.n_backcast} backcast",
        head=("date", "revision", "before", "after", "move", "published", "by", "reason"),
        rows=tuple(
            Row(
                (
                    r.date.isoformat(),
                    f"{r.revision}",
                    price(r.before_micros),
                    price(r.after_micros),
                    signed_price(r.change_micros),
                    NONE if r.published_at is None else r.published_at.date().isoformat(),
                    r.actor or NONE,
                    r.reason or NONE,
                )
            )
            for r in made.rows
        ),
        words=(6, 7),
    )


def more_of(many: int, one: str) -> tuple[str, ...]:
    """A note on the rows that a table leaves out."""
    rest = many - MOST_ROWS
    return (f"And {count_of(rest, one)} more; --json has all.",) if rest > 0 else ()
