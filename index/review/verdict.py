"""The verdict of a review: what a committee reads first, in sentences that carry their figures."""

from __future__ import annotations

from .attacks import DOWN, UP
from .concentration import DIRECT
from .moves import ChangeStory
from .principles_table import PRINCIPLES
from .review import Review
from .spread import NO_TRADES
from .telling import change_sentence
from .wording import count_of, dates_of, percent, short_price, signed_percent


def verdict_word(review: Review) -> str:
    """``6 OF 19 CHECKS NOT MET``, or how many are met where all that can be computed are."""
    results = [check.result for check in review.checks]
    computed = len(results) - results.count("cannot be computed")
    failed = results.count("not met")
    if failed:
        return f"{failed} of {computed} checks not met"
    return f"all {computed} checks met"


def verdict(review: Review) -> list[str]:
    """The sentences, the most telling first."""
    said = [_panel(review), _manipulable(review), _movers(review), _sticky(review), _through(review)]
    return [
        sentence for sentence in (*said, _spread(review), _covered(review), _principles(review)) if sentence
    ]


def _panel(review: Review) -> str:
    made = review.panels
    if made.level is None or made.first_micros is None:
        return ""
    last = made.moves[-1]
    went = (
        f"From {made.first} to {last.after} the value went {short_price(made.first_micros)} to "
        f"{short_price(last.level_micros)} ({signed_percent(made.level)})"
    )
    if made.matched is None:
        return f"{went}; what of it is prices can't be told: {last.reason}."
    apart = f" {count_of(made.n_unexplained, 'move')} could not be taken apart." if made.n_unexplained else ""
    return (
        f"{went}; prices of sellers that were there on both days of each move went {signed_percent(made.matched)}. "
        f"The rest is who came and who left.{apart}"
    )


def _manipulable(review: Review) -> str:
    reach = next((r for r in review.manipulation.reaches if r.kind == "one seller"), None)
    if reach is None:
        return ""
    both = [a for a in (reach.worst(UP), reach.worst(DOWN)) if a is not None]
    if not both:
        return "No one seller could have moved it on any date."
    unbounded = ", and further still with a further price" if reach.unbounded else ""
    dated = " or ".join(f"{signed_percent(a.move)} ({a.names[0]}, {a.date})" for a in both)
    puppets = next((p for p in review.manipulation.puppets if p.target == 0.05 and p.direction == UP), None)
    more = ""
    if puppets is not None and puppets.median is not None:
        more = (
            f" Moving it 5 % up takes {count_of(round(puppets.median), 'added seller')} on the median date."
        )
    return (
        f"One seller alone could have moved it by {dated}{unbounded}; "
        f"the median date by {signed_percent(reach.median_move(UP))} or {signed_percent(reach.median_move(DOWN))}.{more}"
    )


def _movers(review: Review) -> str:
    moved = review.influence
    if not moved.n_moves:
        return "The value never moved in the period."
    top = moved.sellers[0]
    mostly = f", {top.seller} {top.n_moved_it} of them" if top.n_moved_it > 1 else ""
    return f"Of {count_of(moved.n_moves, 'move')}, {moved.n_by_one} vanish without one seller{mostly}."


def largest_move(story: ChangeStory | None) -> str:
    """The sentence of the largest move, with its date."""
    return "" if story is None else f"Largest move, {story.date}: {change_sentence(story)}"


def _sticky(review: Review) -> str:
    held = review.stickiness
    if held.share_unchanged is None:
        return ""
    spell = "" if held.implied_spell is None else f", so a price stands about {dates_of(held.implied_spell)}"
    still = (
        ""
        if held.value_unchanged is None
        else f"; the value itself stays on {percent(held.value_unchanged, 0)}"
    )
    return f"{percent(held.share_unchanged)} of prices are those of the date before{spell}{still}."


def _through(review: Review) -> str:
    held = review.concentrations[2]
    worst = held.worst
    if not held.named or worst is None or worst.top == DIRECT:
        return ""
    mean = dict(held.largest)[worst.top]
    return f"{percent(mean, 0)} of the weight came through one aggregator ({worst.top})."


def _spread(review: Review) -> str:
    spread = review.spread
    if spread.median_spread is None:
        return spread.reason or NO_TRADES
    return (
        f"List prices stand {signed_percent(spread.median_spread)} from traded ones in the median of "
        f"{count_of(len(spread.days), 'date')}."
    )


def _covered(review: Review) -> str:
    held = review.coverage
    rules = ", ".join(f"{rule} {n}" for rule, n in held.rules.items())
    return (
        f"{held.counts['OK'] + held.counts['THIN']} of {count_of(held.dates, 'date')} have a value of their own"
        + (f" ({rules})." if rules else ".")
    )


def _principles(review: Review) -> str:
    results = [check.result for check in review.checks]
    bare = sum(not p.computed for p in PRINCIPLES)
    return (
        f"{results.count('met')} checks met, {results.count('not met')} not met, "
        f"{results.count('cannot be computed')} cannot be computed; {bare} of 19 principles rest on attestation alone."
    )
