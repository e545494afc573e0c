"""Caps: weights changed as little as possible so that no seller, venue, aggregator or pair holds too much.

The shares sought are the closest to the stated ones, in the sense of least information (Kullback–Leibler
divergence, Csiszár 1975), under all caps at once: each share is multiplied by a factor of at most one for
every group it is in, and a factor is below one only where its group's cap binds. They are found by going
round the groups (Bregman 1967; iterative proportional fitting of Deming & Stephan 1940, with caps for
margins), in 40-digit arithmetic that is alike on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ..records import Refusal
from .estimators.steps import DIGITS, decimal_of

MOST_ROUNDS = 2000
"""Rounds before caps are taken for unreachable: near the border of what is possible each round gains little."""
TOLERANCE = Decimal("1e-14")
"""How far a factor may still move in a round when the shares are taken as found."""
OVER = Decimal("1e-12")
"""A share above its cap by less than a trillionth meets it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Votes whose weight together is capped. ``floor`` lifts it, where a methodology has one.

    ``kind`` is the key of the methodology. ``covering``: every vote is in some group of this kind.
    """

    kind: str
    name: str
    members: tuple[int, ...]
    cap: Fraction
    floor: Fraction = Fraction(0)
    covering: bool = True


@dataclass(frozen=True, slots=True)
class CapLine:
    """A cap or a floor that bound: the group's share before and after, six decimals, and the bound."""

    kind: str
    name: str
    before: str
    after: str
    bound: str


def hold_caps(
    weights: Sequence[int], groups: Sequence[Group]
) -> tuple[list[Fraction], tuple[CapLine, ...]] | Refusal:
    """Shares of the whole that meet all caps and floors, with the lines of those that bound.

    Where none binds the shares are the weights' own. Returns the Refusal ``cap_infeasible`` where no
    shares can meet them.
    """
    total = sum(weights)
    own = [Fraction(weight, total) for weight in weights]
    refusal = too_few(own, groups)
    if refusal is not None:
        return refusal
    if all(g.floor <= sum((own[i] for i in g.members), Fraction(0)) <= g.cap for g in groups):
        return own, ()
    if _are_apart(groups):
        return _filled(own, groups)
    share = [decimal_of(s) for s in own]
    factors = [Decimal(1)] * len(groups)
    for _ in range(MOST_ROUNDS):
        moved = _go_round(share, factors, groups)
        if moved is None:
            break
        if moved < TOLERANCE:
            after = [_share_of(share, group) for group in groups]
            if all(a <= decimal_of(g.cap) + OVER for a, g in zip(after, groups, strict=True)):
                return [Fraction(s) for s in share], _lines(own, groups, factors, after)
    return Refusal("cap_infeasible", f"no weights of these votes hold {_kinds(groups)} at once")


def _are_apart(groups: Sequence[Group]) -> bool:
    """Whether groups share no vote and have no floor: then the closest shares follow at once, exactly."""
    placed = [place for group in groups for place in group.members]
    return len(placed) == len(set(placed)) and not any(group.floor for group in groups)


def _filled(
    own: list[Fraction], groups: Sequence[Group]
) -> tuple[list[Fraction], tuple[CapLine, ...]] | Refusal:
    """Capped groups at their cap, the rest in proportion, until no group of the rest is above its own."""
    before = [sum((own[i] for i in group.members), Fraction(0)) for group in groups]
    held: set[int] = set()
    while True:
        room = 1 - sum((groups[n].cap for n in held), Fraction(0))
        rest = 1 - sum((before[n] for n in held), Fraction(0))
        if rest <= 0 < room:
            return Refusal("cap_infeasible", f"no weights of these votes hold {_kinds(groups)}")
        grown = room / rest if rest > 0 else Fraction(1)
        over = {n for n, group in enumerate(groups) if n not in held and before[n] * grown > group.cap}
        if not over:
            break
        held |= over
    factors = [groups[n].cap / before[n] if n in held else grown for n in range(len(groups))]
    shares = [share * grown for share in own]
    for group, factor in zip(groups, factors, strict=True):
        for place in group.members:
            shares[place] = own[place] * factor
    lines = tuple(
        CapLine(g.kind, g.name, *(f"{float(x):.6f}" for x in (before[n], before[n] * factors[n], g.cap)))
        for n, g in enumerate(groups)
        if n in held
    )
    return shares, lines


def too_few(own: Sequence[Fraction], groups: Sequence[Group]) -> Refusal | None:
    """The refusal where so few groups of a kind can't hold the whole weight, or too many hold a floor."""
    for kind in dict.fromkeys(group.kind for group in groups):
        these = [g for g in groups if g.kind == kind and any(own[i] for i in g.members)]
        if not these:
            continue
        room = sum((group.cap for group in these), Fraction(0))
        if these[0].covering and room < 1:
            return Refusal("cap_infeasible", f"{kind} {these[0].cap} × {len(these)} groups < 1")
        if sum((group.floor for group in these), Fraction(0)) > 1:
            return Refusal("cap_infeasible", f"weight_floor {these[0].floor} × {len(these)} sellers > 1")
    return None


def _go_round(share: list[Decimal], factors: list[Decimal], groups: Sequence[Group]) -> Decimal | None:
    """Set each group's factor anew, the others held; returns the largest move, None where nothing is left."""
    largest = Decimal(0)
    for place, group in enumerate(groups):
        inside = _sum(share[i] for i in group.members)
        if not inside:
            continue
        outside = DIGITS.subtract(_sum(share), inside)
        bare = DIGITS.divide(inside, factors[place])
        alone = DIGITS.divide(bare, DIGITS.add(bare, outside))
        bound = (
            group.cap
            if alone > decimal_of(group.cap)
            else group.floor
            if alone < decimal_of(group.floor)
            else None
        )
        factor = Decimal(1)
        if bound is not None and bound < 1:
            odds = decimal_of(bound / (1 - bound))
            factor = DIGITS.divide(DIGITS.multiply(odds, outside), bare)
        if not factor:
            return None
        step = DIGITS.divide(factor, factors[place])
        largest = max(largest, abs(DIGITS.subtract(step, Decimal(1))))
        factors[place] = factor
        members = set(group.members)
        share[:] = [DIGITS.multiply(s, step) if i in members else s for i, s in enumerate(share)]
        total = _sum(share)
        share[:] = [DIGITS.divide(s, total) for s in share]
    return largest


def _share_of(share: Sequence[Decimal], group: Group) -> Decimal:
    return _sum(share[i] for i in group.members)


def _sum(values: Iterable[Decimal]) -> Decimal:
    total = Decimal(0)
    for value in values:
        total = DIGITS.add(total, value)
    return total


def _kinds(groups: Sequence[Group]) -> str:
    return ", ".join(dict.fromkeys(group.kind for group in groups))


def _lines(
    own: Sequence[Fraction], groups: Sequence[Group], factors: Sequence[Decimal], after: Sequence[Decimal]
) -> tuple[CapLine, ...]:
    lines = []
    for group, factor, now in zip(groups, factors, after, strict=True):
        if factor != 1:
            before = sum((own[i] for i in group.members), Fraction(0))
            bound, kind = (group.cap, group.kind) if factor < 1 else (group.floor, "weight_floor")
            lines.append(
                CapLine(kind, group.name, f"{float(before):.6f}", f"{now:.6f}", f"{float(bound):.6f}")
            )
    return tuple(lines)
