"""The holder's own cash: what is paid in on calls, what is called, what is paid out again.

None of it moves between the three accounts: a deposit is the holder's money going from one of its
pockets to another, so conservation is a matter of the ledger alone.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from ...records import MICROS_PER_CENT
from .rules import AccountRules
from .statement import Call, Step, cents_text


class Funding:
    """Calls and deposits of one account; amounts are whole cents.

    ``deposited_cents`` is what has been paid in less what was paid out. A call is met in full or not at
    all, out of ``cash_available_micros`` of the rules.
    """

    def __init__(self, rules: AccountRules) -> None:
        self._rules = rules
        available = rules.cash_available_micros
        self._available_cents = None if available is None else available // MICROS_PER_CENT
        self._due_on: dict[int, int] = {}
        self.deposited_cents = 0
        self.calls: list[Call] = []

    @property
    def pending_cents(self) -> int:
        """What has been called and is not due yet."""
        return sum(call.amount_cents for call in self.calls if call.status == "pending")

    def issue(self, call: Call, day_number: int) -> Step:
        """Put a call out on the account's n-th day; it is due so many days of the account later."""
        self._due_on[call.number] = day_number + self._rules.close_out.due_after_days
        self.calls.append(call)
        return Step(
            day=call.day,
            code="call_issued",
            sentence=f"call {call.number}: {call.lines[-1].text}",
            amount_cents=call.amount_cents,
        )

    def meet(self, day: date, day_number: int) -> tuple[int, list[Step]]:
        """Pay the calls due today; returns the cents paid in and what happened, unmet calls included."""
        deposit = 0
        steps: list[Step] = []
        for place, call in enumerate(self.calls):
            if call.status != "pending" or self._due_on[call.number] != day_number:
                continue
            amount = cents_text(call.amount_cents)
            if self._available_cents is None or call.amount_cents <= self._available_cents:
                sentence = f"call {call.number} of {call.day} is met: {amount} paid in"
                deposit += call.amount_cents
                if self._available_cents is not None:
                    self._available_cents -= call.amount_cents
                self.calls[place] = replace(call, status="met", due=day)
            else:
                sentence = (
                    f"call {call.number} of {call.day} for {amount} is due and not met: "
                    f"{cents_text(self._available_cents)} is at hand; the close-out begins"
                )
                self.calls[place] = replace(call, status="unmet", due=day)
            steps.append(
                Step(
                    day=day,
                    code="call_met" if self.calls[place].status == "met" else "call_unmet",
                    sentence=sentence,
                    amount_cents=call.amount_cents,
                )
            )
        self.deposited_cents += deposit
        return deposit, steps

    def lapse(self) -> None:
        """Calls still pending when a close-out ends are not met any more: the close-out stood in for them."""
        self.calls = [
            replace(call, status="unmet") if call.status == "pending" else call for call in self.calls
        ]

    def pay_out(self, day: date, balance_cents: int, initial_cents: int) -> tuple[int, list[Step]]:
        """Pay out what stands above initial margin, where the rules say so and nothing is called."""
        excess = balance_cents - initial_cents
        if self._rules.excess != "paid_out" or excess <= 0 or self.pending_cents:
            return 0, []
        self.deposited_cents -= excess
        if self._available_cents is not None:
            self._available_cents += excess
        sentence = f"{cents_text(excess)} above initial margin is paid out"
        return excess, [Step(day=day, code="paid_out", sentence=sentence, amount_cents=excess)]
