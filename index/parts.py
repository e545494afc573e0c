"""Parts of a methodology that are tables of their own: screens, corroboration of jumps, the way out of a gap."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from ..records.specs import SpecModel
from .exact import AboveOne, Positive, exact


class Jump(SpecModel):
    """A seller's move beyond ``move`` waits until ``others`` other sellers moved the same way by ``others_move``.

    Moves are ratios to the seller's last vote that stood: 0.25 is up by more than a quarter or down by
    more than a fifth, which is as far. A price that stays for more than ``wait_days`` is taken as it is.
    """

    move: Positive
    others: int = Field(default=2, ge=1)
    others_move: Positive
    wait_days: int = Field(default=5, ge=1, le=92)

    @model_validator(mode="after")
    def _others_move_no_further(self) -> Self:
        if exact(self.others_move) > exact(self.move):
            raise ValueError(
                f"jump.others_move = {self.others_move} is above jump.move = {self.move}; ask less of the others"
            )
        return self


class Screen(SpecModel):
    """Which votes and trades are left out before anything is averaged. A key that is left out screens nothing.

    ``robust_z``: further from the median, in logarithms, than so many robust standard deviations (1.4826
    MAD, at least ln(1 + ``floor``)); where the MAD is zero, a ratio to the median beyond ``band``.
    Asked only of at least ``min_votes`` votes. ``venue_deviation``: a venue whose level is further than
    this from the median of at least three venues. ``administered``: sellers whose list prices are set
    by administration; ``administered_days``: a list price unchanged for so many days counts as such.
    ``affiliates``: groups of names that trade among themselves.
    """

    robust_z: Positive | None = None
    floor: Positive = "0.02"
    band: AboveOne = "2"
    min_votes: int = Field(default=3, ge=3)
    venue_deviation: Positive | None = None
    jump: Jump | None = None
    administered: tuple[str, ...] | None = None
    administered_days: int | None = Field(default=None, ge=2, le=366)
    affiliates: tuple[tuple[str, ...], ...] | None = None
    wash_trades: Literal["exclude", "keep"] = "exclude"
    circular_trades: Literal["exclude", "keep"] = "keep"

    @model_validator(mode="after")
    def _groups_hold_two(self) -> Self:
        for group in self.affiliates or ():
            if len(set(group)) < 2:
                raise ValueError(f"affiliates has the group {list(group)}; a group names at least two")
        return self


class Reopen(SpecModel):
    """What a day must meet after a day without a value of its own, on top of the gates: the way out of a gap.

    A higher bar to leave than to enter keeps a value from flickering. ``days``: so many fixing dates in a
    row must meet every gate, the last of which prints.
    """

    min_sellers: int | None = Field(default=None, ge=1)
    min_votes: int | None = Field(default=None, ge=1)
    min_observations: int | None = Field(default=None, ge=1)
    max_dispersion: Positive | None = None
    days: int = Field(default=1, ge=1, le=31)
