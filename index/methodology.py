"""Methodologies as data: every rule that turns observations into a value, versioned and hashed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ..grades.spec import Grade
from ..records import TIERS, UsageError, digest_of, read_zone
from ..records.observation import Tier
from ..records.specs import SpecModel
from .estimators import ESTIMATORS

VoteKey = Literal["seller", "region", "observation"]
CALENDARS = ("every_day", "weekdays")
_CUTOFF = re.compile(r"^([01]\d|2[0-3]):([0-5]\d) (\S+)\Z")


class Methodology(SpecModel):
    """The rules of a benchmark. See ``definitions``: every key has one meaning.

    Hard gates (``min_*``) refuse a value; soft gates (``thin_*``) print it as THIN.
    ``cutoff`` is ``"16:00 America/New_York"``; without it a fixing date is a UTC day.
    """

    version: str = Field(min_length=1)
    inputs: tuple[Tier, ...] = Field(min_length=1)
    vote: tuple[VoteKey, ...] = ("seller",)
    seller_statistic: Literal["median", "mean"] = "median"
    estimator: str = "median"
    weights: Literal["seller", "vote", "volume"] = "seller"
    min_sellers: int = Field(default=1, ge=1)
    min_votes: int = Field(default=1, ge=1)
    min_observations: int = Field(default=1, ge=1)
    min_venues: int = Field(default=1, ge=1)
    min_gpu_hours: int = Field(default=0, ge=0)
    thin_sellers: int | None = Field(default=None, ge=1)
    thin_observations: int | None = Field(default=None, ge=1)
    include_carried: bool = False
    suspect: Literal["keep", "exclude"] = "keep"
    calendar: str = "every_day"
    cutoff: str | None = None
    lookback_hours: int | None = Field(default=None, ge=1)
    staleness_hours: int | None = Field(default=None, ge=1)
    fallback: Literal["gap", "carry"] = "gap"
    carry_days: int = Field(default=0, ge=0)
    decimals: int = Field(default=6, ge=0, le=6)
    publication_lag_hours: int = Field(default=0, ge=0)
    publication_grace_hours: int = Field(default=24, ge=0)
    finality_hours: int = Field(default=24, ge=0)

    @field_validator("inputs", "vote")
    @classmethod
    def _no_repeats(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(values)) != len(values):
            raise ValueError("it names one thing twice")
        return values

    @field_validator("estimator")
    @classmethod
    def _known_estimator(cls, value: str) -> str:
        if value not in ESTIMATORS:
            raise ValueError(f"it must be one of {', '.join(sorted(ESTIMATORS))}")
        return value

    @field_validator("calendar")
    @classmethod
    def _known_calendar(cls, value: str) -> str:
        if value not in CALENDARS:
            raise ValueError(f"it must be one of {', '.join(CALENDARS)}")
        return value

    @field_validator("cutoff")
    @classmethod
    def _readable_cutoff(cls, value: str | None) -> str | None:
        if value is None:
            return None
        match = _CUTOFF.match(value)
        if match is None:
            raise ValueError("write it as HH:MM and a time zone, such as 16:00 America/New_York")
        read_zone(match.group(3))
        return value

    @model_validator(mode="after")
    def _without_contradiction(self) -> Self:
        if "seller" not in self.vote and "observation" not in self.vote:
            raise ValueError('vote must name "seller" or "observation"')
        if "observation" in self.vote and len(self.vote) > 1:
            raise ValueError('vote = ["observation"] stands alone: each observation is one vote')
        if self.fallback == "carry" and self.carry_days == 0:
            raise ValueError("fallback = carry needs carry_days of at least 1")
        if self.fallback == "gap" and self.carry_days:
            raise ValueError(
                f"carry_days = {self.carry_days} has no effect; set fallback = carry or remove it"
            )
        if self.thin_sellers is not None and self.thin_sellers <= self.min_sellers:
            raise ValueError(
                f"thin_sellers = {self.thin_sellers} must be above min_sellers = {self.min_sellers}"
            )
        if self.thin_observations is not None and self.thin_observations <= self.min_observations:
            raise ValueError(
                f"thin_observations = {self.thin_observations} must be above "
                f"min_observations = {self.min_observations}"
            )
        if self.weights == "volume" and "trade" not in self.inputs:
            raise ValueError('weights = "volume" needs trades; add "trade" to inputs')
        if self.min_gpu_hours and "trade" not in self.inputs:
            raise ValueError(f'min_gpu_hours = {self.min_gpu_hours} needs trades; add "trade" to inputs')
        unordered = [t for t in TIERS if t in self.inputs]
        if list(self.inputs) != unordered:
            raise ValueError(f"inputs must keep the order of quality: {', '.join(unordered)}")
        return self

    @property
    def cutoff_parts(self) -> tuple[int, int, str] | None:
        """The cut-off as (hour, minute, IANA zone), or None for UTC days."""
        if self.cutoff is None:
            return None
        match = _CUTOFF.match(self.cutoff)
        if match is None:  # the validator admits no other
            raise UsageError(f"cutoff = {self.cutoff!r} can't be read; write it as HH:MM and a zone.")
        return int(match.group(1)), int(match.group(2)), match.group(3)


class BenchmarkSpec(SpecModel):
    """A benchmark: a grade priced by a methodology. A research benchmark is never published."""

    grade: str
    methodology: str
    research: bool = False


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark with everything resolved: what its values depend on, and the hash of it."""

    name: str
    grade_name: str
    grade: Grade
    methodology_name: str
    methodology: Methodology
    research: bool
    catalogue_hash: str

    def resolved(self) -> dict[str, Any]:
        """All rules with every default spelled out, as plain JSON values."""
        return {
            "grade": self.grade.model_dump(mode="json"),
            "grade_name": self.grade_name,
            "methodology": self.methodology.model_dump(mode="json"),
            "methodology_name": self.methodology_name,
            "catalogue": self.catalogue_hash,
        }

    @property
    def methodology_hash(self) -> str:
        """SHA-256 over everything resolved; one changed rule changes it."""
        return digest_of(self.resolved())

    @classmethod
    def from_resolved(cls, name: str, resolved: dict[str, Any]) -> Benchmark:
        """Rebuild a benchmark from what the tape recorded when it published."""
        return cls(
            name=name,
            grade_name=resolved["grade_name"],
            grade=Grade.read(resolved["grade"], f"recorded grade {resolved['grade_name']}"),
            methodology_name=resolved["methodology_name"],
            methodology=Methodology.read(
                resolved["methodology"], f"recorded methodology {resolved['methodology_name']}"
            ),
            research=False,
            catalogue_hash=resolved["catalogue"],
        )
