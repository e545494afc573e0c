"""A margin call worked out line by line: what the balance was made of, what is required, what is called."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from ...records import MICROS_PER_CENT
from ..accounts import LedgerLine
from .margin import MarginRequirement
from .statement import Call, CallLine, cents_text


def balance_lines(
    before: date | None,
    opening_cents: int,
    lines: Sequence[LedgerLine],
    deposit_cents: int,
    closing_cents: int,
) -> tuple[CallLine, ...]:
    """From the balance of the day before to the day's, movement by movement; they add up exactly.

    Movements are exact in micro-dollars and paid in whole cents; the difference is a line of its own.
    """
    opened = "nothing paid in yet" if before is None else f"balance at the end of {before}"
    found = [CallLine(part="balance", text=opened, amount_micros=opening_cents * MICROS_PER_CENT)]
    found += [
        CallLine(part="balance", text=line.explanation, amount_micros=line.amount_micros) for line in lines
    ]
    if deposit_cents:
        found.append(
            CallLine(
                part="balance",
                text="paid in on calls due today",
                amount_micros=deposit_cents * MICROS_PER_CENT,
            )
        )
    rest = closing_cents * MICROS_PER_CENT - sum(line.amount_micros for line in found)
    if rest:
        found.append(
            CallLine(
                part="balance",
                text="owed below a cent: cash moves as round(total today) − round(total yesterday)",
                amount_micros=rest,
            )
        )
    return tuple(found)


def requirement_lines(requirement: MarginRequirement) -> tuple[CallLine, ...]:
    """What the initial margin is made of, down to the rounding up to a cent; they add up exactly."""
    found = [
        CallLine(part="required", text=line.sentence, amount_micros=line.amount_micros)
        for line in requirement.lines
    ]
    total = sum(line.amount_micros for line in found)
    rest = requirement.initial_cents * MICROS_PER_CENT - total
    if rest:
        text = (
            "rounded up to a cent" if total >= 0 else "the position gains on that change: nothing is required"
        )
        found.append(CallLine(part="required", text=text, amount_micros=rest))
    return tuple(found)


def make_call(
    number: int,
    day: date,
    *,
    balance_cents: int,
    pending_cents: int,
    requirement: MarginRequirement,
    made_of: Sequence[CallLine],
) -> Call:
    """The call that brings the balance, with the calls still pending, back to initial margin."""
    amount = requirement.initial_cents - balance_cents - pending_cents
    pending = f" − {cents_text(pending_cents)} called before and not due yet" if pending_cents else ""
    sentence = (
        f"the balance of {cents_text(balance_cents)}{' and calls pending' if pending_cents else ''} is below "
        f"maintenance margin of {cents_text(requirement.maintenance_cents)}; called: initial margin "
        f"{cents_text(requirement.initial_cents)} − ({cents_text(balance_cents)}){pending} = {cents_text(amount)}"
    )
    return Call(
        number=number,
        day=day,
        due=None,
        balance_cents=balance_cents,
        initial_cents=requirement.initial_cents,
        maintenance_cents=requirement.maintenance_cents,
        pending_cents=pending_cents,
        amount_cents=amount,
        status="pending",
        requirement=requirement,
        lines=(
            *made_of,
            *requirement_lines(requirement),
            CallLine(part="call", text=sentence, amount_micros=amount * MICROS_PER_CENT),
        ),
    )
