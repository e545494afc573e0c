"""From the user's own good to the reference's, one dimension at a time, as grades.

The first rung is the own provider, region, grade and term; each rung after it takes one dimension from
the reference, so that two neighbours differ in that dimension alone and the last is the reference's own
grade. A dimension the user does not state is the reference's from the start: its rungs are one
grade, and its line is exactly 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...grades import Grade
from .lines import LineName

PROVIDER_KEYS = ("sellers", "exclude_sellers")
REGION_KEYS = ("countries", "regions", "exclude_regions")
TERM_KEYS = ("pricing", "term_months")
LADDER: tuple[LineName, ...] = ("provider", "region", "grade", "term")
"""The dimensions in the order they are exchanged; rung k is rung k − 1 with ``LADDER[k − 1]`` exchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimensions:
    """What a rent is for, as far as its user says. ``grade`` keeps its own keys of chip, board and size."""

    provider: str | None = None
    region: str | None = None
    grade: Grade | None = None
    term_months: int | None = None
    pricing: str | None = None

    def stated(self) -> dict[LineName, bool]:
        """Whether each dimension is stated."""
        return {
            "provider": self.provider is not None,
            "region": self.region is not None,
            "grade": self.grade is not None,
            "term": self.term_months is not None or self.pricing is not None,
        }


def rungs(own: Dimensions, reference: Grade) -> tuple[Grade, ...]:
    """The five grades from the own good to the reference's."""
    theirs = _keys(reference)
    start = dict(theirs)
    if own.grade is not None:
        start |= {key: value for key, value in _keys(own.grade).items() if _dimension(key) == "grade"}
    if own.provider is not None:
        start |= {"sellers": (own.provider,), "exclude_sellers": None}
    if own.region is not None:
        start |= {"countries": None, "regions": (own.region,), "exclude_regions": None}
    if own.pricing is not None:
        start |= {"pricing": own.pricing}
    if own.term_months is not None:
        start |= {"term_months": (own.term_months,)}
        if own.pricing is None:
            start |= {"pricing": "reserved"}  # a term is what a reservation has
    found = [_grade(start)]
    for name in LADDER:
        start |= {key: value for key, value in theirs.items() if _dimension(key) == name}
        found.append(_grade(start))
    return tuple(found)


def _dimension(key: str) -> LineName:
    if key in PROVIDER_KEYS:
        return "provider"
    if key in REGION_KEYS:
        return "region"
    return "term" if key in TERM_KEYS else "grade"


def _keys(grade: Grade) -> dict[str, Any]:
    return {name: getattr(grade, name) for name in Grade.model_fields}


def _grade(keys: dict[str, Any]) -> Grade:
    # Every part was checked where it was read; a memory size that fits another chip is that chip's own.
    return Grade.model_construct(**keys)
