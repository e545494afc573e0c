"""Sections about rules that might have been: each key changed, and other rules on the same dates."""

from __future__ import annotations

from markupsafe import Markup

from ...drawing.tables import Row, Section
from .movement_sections import MOST_ROWS, more_of
from .parallel import Parallel
from .plots import parallel_plot
from .review import Review
from .wording import NONE, count_of, number, percent, price, signed_percent, signed_price


def sensitivity_section(review: Review, marks: tuple[str, ...]) -> Section:
    """What each changed key does over the period."""
    asked = [s for s in review.sensitivity if s.n_compared or s.n_gapped]
    ranked = sorted(asked, key=lambda s: (-(s.mean_absolute or 0), -s.n_gapped, s.key))
    refused = [s for s in review.sensitivity if s not in asked]
    notes = [
        "Each row changes one key and fixes the whole period anew; both sides begin with nothing published before."
    ]
    notes += [f"Not possible here: {s.key} = {s.asked}. {s.reason}" for s in refused]
    return Section(
        title="Sensitivity to each key",
        under="the period fixed anew with one key changed",
        head=("key", "is", "asked", "dates changed", "mean size", "largest", "on", "lost", "gained"),
        rows=tuple(
            Row(
                (
                    s.key,
                    s.was,
                    s.asked,
                    f"{s.n_changed} of {s.n_compared}",
                    percent(s.mean_absolute, 2),
                    signed_percent(s.largest, 2),
                    NONE if s.largest_on is None else s.largest_on.isoformat(),
                    f"{s.n_gapped}",
                    f"{s.n_gained}",
                )
            )
            for s in ranked
        ),
        words=(1, 2),
        notes=tuple(notes),
        marks=marks,
    )


def parallel_sections(review: Review, made: Parallel, marks: tuple[str, ...]) -> list[Section]:
    """The other rules on the same dates, and the date on which they differ most."""
    grade = "the same grade" if made.same_grade else "another grade"
    correlated = (
        ""
        if made.correlation_of_changes is None
        else f"; correlation of changes {number(made.correlation_of_changes)}"
    )
    changed = "; ".join(f"{key}: {one} against {other}" for key, one, other in made.changed_keys)
    whole = Section(
        title=f"Parallel run: {made.other} beside {made.one}",
        under=f"$/GPU-h · {grade} · {made.n_differ} of {made.n_both} common dates differ, by "
        f"{percent(made.mean_absolute, 2)} on average{correlated}",
        plot=Markup(parallel_plot(review, made)),  # noqa: S704 - our own SVG, escaped where it is drawn
        head=("constituent", "how", "dates", "mean size, $", "sum, $"),
        rows=tuple(
            Row(
                (
                    e.name,
                    e.change,
                    f"{e.n_dates}",
                    price(round(e.mean_absolute_micros)),
                    signed_price(e.sum_micros),
                )
            )
            for e in made.by_constituent[:MOST_ROWS]
        ),
        words=(0, 1),
        notes=(
            f"What differs: {changed or 'nothing'}.",
            (
                f"A value under {made.one} alone: {count_of(made.n_only_one, 'date')}; under {made.other} alone: "
                f"{count_of(made.n_only_other, 'date')}."
            ),
            (
                "One seller's votes at a time are turned into the other's, those first that move the value more alone; then "
                "weights and caps, then the estimator. What that leaves is the remainder."
            ),
            *more_of(len(made.by_constituent), "constituent"),
        ),
        marks=marks,
    )
    if made.largest is None:
        return [whole]
    day = made.largest
    return [
        whole,
        Section(
            title=f"The largest difference, {day.date}",
            under=f"{price(day.one_micros)} against {price(day.other_micros)}: {signed_price(day.difference_micros)}",
            head=("constituent", "how", f"price under {made.one}", f"under {made.other}", "explains", "why"),
            rows=tuple(
                Row(
                    (
                        p.name,
                        p.change,
                        price(p.before_micros),
                        price(p.after_micros),
                        signed_price(p.explains_micros),
                        p.why or NONE,
                    )
                )
                for p in day.pieces
            ),
            words=(0, 1, 5),
            marks=marks,
        ),
    ]
