"""How Rentmark says no: a refusal is a value, an error is one sentence with an exit code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """A value that stands where a result could not be defended: a rule code and one sentence."""

    code: str
    sentence: str


class RentmarkError(Exception):
    """Something was asked that can't be done: one sentence naming the thing, its value, the remedy.

    The command line prints the sentence alone and exits with ``exit_code``:
    1 nothing done or refused, 2 wrong usage.
    """

    exit_code = 1

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class UsageError(RentmarkError):
    """The command, an option or the configuration is wrong; exit code 2."""

    exit_code = 2
