"""Jumps: one seller's large move waits until others have moved, too."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...records import format_micros
from ..ballot import Ballot
from ..estimators import Earlier
from ..exact import exact
from ..methodology import Methodology
from .base import Found, Screened, Sitting


def uncorroborated_jumps(methodology: Methodology, sitting: Sitting) -> Found:
    """Votes that moved by more than ``jump.move`` since they last stood, and too few others with them.

    A move is a ratio, so that up by a quarter is as far as down by a fifth. It counts as corroborated
    once ``jump.others`` other sellers have moved the same way by ``jump.others_move`` or more since that
    date (Computable, CGI methodology: 25 %, two others, 10 %). A vote that did not stand is no
    reference, so a price that stays is measured against the one before it, until that is older than
    ``wait_days``: then it is taken as it is.
    """
    jump = None if methodology.screen is None else methodology.screen.jump
    if jump is None:
        return Found()
    history = sitting.state.history(sitting.tier, sitting.day, jump.wait_days)
    far, along = 1 + exact(jump.move), 1 + exact(jump.others_move)
    out, notes = [], []
    for b in sitting.ballots:
        before = _reference(b, history)
        if before is None:
            continue
        ratio = Fraction(b.value_micros, before.votes[b.id])
        upward = ratio > 1
        if (ratio if upward else 1 / ratio) <= far:
            continue
        earlier = [e for e in history if e.date <= before.date]
        others = {o.seller for o in sitting.ballots if _moved(o, earlier, along, upward=upward)} - {b.seller}
        said = (
            f"{b.seller} moved from {format_micros(before.votes[b.id])} on {before.date} to "
            f"{format_micros(b.value_micros)}, {float(ratio):.4f} times; {len(others)} others moved along, "
            f"{jump.others} needed"
        )
        if len(others) < jump.others:
            out.append(Screened(b, "jump_uncorroborated", said))
        else:
            notes.append(f"corroborated jump: {said}")
    return Found(tuple(out), tuple(notes))


def _reference(ballot: Ballot, history: Sequence[Earlier]) -> Earlier | None:
    """The latest earlier fixing in which this vote stood."""
    return next((earlier for earlier in reversed(history) if ballot.id in earlier.votes), None)


def _moved(ballot: Ballot, history: Sequence[Earlier], along: Fraction, *, upward: bool) -> bool:
    before = _reference(ballot, history)
    if before is None:
        return False
    ratio = Fraction(ballot.value_micros, before.votes[ballot.id])
    return (ratio if upward else 1 / ratio) >= along
