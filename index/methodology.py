"""Methodologies as data: every rule that turns observations into a value, versioned and hashed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ..grades.adjustment import AdjustmentSchedule
from ..grades.aliases import ALIASES, Alias
from ..grades.operators.ratings import OperatorRating
from ..grades.spec import Grade
from ..records import UsageError, digest_of, read_zone
from ..records.observation import Tier
from ..records.specs import SpecModel
from .calendars import RULES, business_days, calendar_digest
from .checks import refuse_contradictions
from .estimators import ESTIMATORS, Estimator
from .exact import Positive, Share, Tail
from .parts import Reopen, Screen
from .ratings_known import ratings_document, read_ratings_document

VoteKey = Literal["seller", "region", "sku", "observation"]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_CUTOFF = re.compile(r"^([01]\d|2[0-3]):([0-5]\d) (\S+)\Z")
DEFAULTS_VERSION = 1
"""Which set of defaults a recorded methodology was written against. What is hashed and recorded leaves a
key at its default out, so that a key added later, with a default that changes nothing, leaves every older
hash as it is. A default itself never changes unless this number rises and FORMER_DEFAULTS keeps it."""
FORMER_DEFAULTS: Mapping[int, Mapping[str, Any]] = {}
"""By version of the defaults: those keys of a methodology whose default changed after it, with the old one."""


class Methodology(SpecModel):
    """The rules of a benchmark. See ``definitions``: every key has one meaning.

    Hard gates (``min_*``, ``max_*``) refuse a value; soft gates (``thin_*``) print it as THIN.
    ``cutoff`` is ``"16:00 America/New_York"``; without it a fixing date is a UTC day.
    """

    version: str = Field(min_length=1)
    inputs: tuple[Tier, ...] = Field(min_length=1)
    hierarchy: Literal["waterfall", "first", "blend", "pool"] = "waterfall"
    blend: Mapping[Tier, Positive] | None = None
    vote: tuple[VoteKey, ...] = ("seller",)
    seller_statistic: Literal["median", "mean"] = "median"
    estimator: str = "median"
    tail: Tail | None = None
    partitions: int | None = Field(default=None, ge=1, le=1440)
    spread_floor: Positive | None = None
    splice: Literal["movement", "window", "mean"] | None = None
    memory_days: int | None = Field(default=None, ge=1, le=92)
    weights: Literal["seller", "vote", "volume", "capacity", "tier"] = "seller"
    tier_weights: Mapping[Tier, int] | None = None
    capacity_steps: tuple[tuple[int, int], ...] | None = None
    recency: Share | None = None
    cap: Share | None = None
    cap_venue: Share | None = None
    cap_aggregator: Share | None = None
    max_trade_share: Share | None = None
    weight_floor: Share | None = None
    screen: Screen | None = None
    min_sellers: int = Field(default=1, ge=1)
    min_votes: int = Field(default=1, ge=1)
    min_observations: int = Field(default=1, ge=1)
    min_venues: int = Field(default=1, ge=1)
    min_gpu_hours: int = Field(default=0, ge=0)
    max_aggregator_share: Share | None = None
    max_dispersion: Positive | None = None
    dispersion_days: int = Field(default=1, ge=1, le=92)
    reopen: Reopen | None = None
    thin_sellers: int | None = Field(default=None, ge=1)
    thin_observations: int | None = Field(default=None, ge=1)
    include_carried: bool = False
    suspect: Literal["keep", "exclude"] = "keep"
    calendar: str = "every_day"
    weekday: Weekday | None = None
    cutoff: str | None = None
    lookback_hours: int | None = Field(default=None, ge=1)
    staleness_hours: int | None = Field(default=None, ge=1)
    snapshots: int | None = Field(default=None, ge=2, le=96)
    matched_days: int | None = Field(default=None, ge=1, le=92)
    fallback: Literal["gap", "none", "carry"] = "gap"
    carry_days: int = Field(default=0, ge=0)
    decimals: int = Field(default=6, ge=0, le=6)
    publication_lag_hours: int = Field(default=0, ge=0)
    publication_grace_hours: int = Field(default=24, ge=0)
    finality_hours: int = Field(default=24, ge=0)
    adjustments: AdjustmentSchedule | None = None
    holidays: tuple[date, ...] | None = None
    publication_time: str | None = None
    outage_sources: tuple[str, ...] | None = None
    outage_carry_days: int = Field(default=0, ge=0, le=31)
    hold_move: Positive | None = None
    hold_days: int = Field(default=3, ge=0, le=31)
    republication_window_days: int | None = Field(default=None, ge=0)
    republication_threshold: Positive | None = None
    cessation_notice_days: int | None = Field(default=None, ge=0)

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
        if value not in RULES:
            business_days(value)
        return value

    @field_validator("cutoff", "publication_time")
    @classmethod
    def _readable_time(cls, value: str | None) -> str | None:
        if value is None:
            return None
        match = _CUTOFF.match(value)
        if match is None:
            raise ValueError("write it as HH:MM and a time zone, such as 16:00 America/New_York")
        read_zone(match.group(3))
        return value

    @field_validator("holidays")
    @classmethod
    def _holidays_in_order(cls, values: tuple[date, ...] | None) -> tuple[date, ...] | None:
        if values is not None and len(set(values)) != len(values):
            raise ValueError("it names one day twice")
        return None if values is None else tuple(sorted(values))

    @field_validator("fallback")
    @classmethod
    def _no_fallback_is_a_gap(cls, value: str) -> str:
        return "gap" if value == "none" else value

    @model_validator(mode="after")
    def _without_contradiction(self) -> Self:
        refuse_contradictions(self)
        return self

    @property
    def cutoff_parts(self) -> tuple[int, int, str] | None:
        """The cut-off as (hour, minute, IANA zone), or None for UTC days."""
        return _time_parts("cutoff", self.cutoff)

    @property
    def publication_parts(self) -> tuple[int, int, str] | None:
        """The publication time as (hour, minute, IANA zone), or None where none is stated."""
        return _time_parts("publication_time", self.publication_time)

    @property
    def rule(self) -> Estimator:
        """The estimator."""
        return ESTIMATORS[self.estimator]

    @property
    def votes_by_name(self) -> bool:
        """Whether a vote is the same vote from day to day: one of a seller, not of one observation."""
        return "observation" not in self.vote

    @property
    def remembers_votes(self) -> bool:
        """Whether the votes that stood are sealed with a fixing, because a later day reads them."""
        screen = self.screen
        jumps = screen is not None and (screen.jump is not None or screen.administered_days is not None)
        pooled = self.dispersion_days > 1
        return jumps or pooled or self.matched_days is not None or "history" in self.rule.reads

    @property
    def reads_state(self) -> bool:
        """Whether a value rests on earlier fixings."""
        carries = self.fallback == "carry" or self.outage_carry_days > 0
        return carries or self.reopen is not None or self.remembers_votes

    @property
    def memory_horizon_days(self) -> int:
        """How many days back any rule reads earlier fixings."""
        screen = self.screen
        jump = screen.jump.wait_days if screen is not None and screen.jump is not None else 0
        unchanged = (screen.administered_days or 0) if screen is not None else 0
        kept = (self.memory_days or 0, self.matched_days or 0, self.dispersion_days - 1)
        return max(self.carry_days, self.outage_carry_days, jump, unchanged, *kept)


def _time_parts(key: str, value: str | None) -> tuple[int, int, str] | None:
    if value is None:
        return None
    match = _CUTOFF.match(value)
    if match is None:  # the validator admits no other
        raise UsageError(f"{key} = {value!r} can't be read; write it as HH:MM and a zone.")
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
    ratings: tuple[OperatorRating, ...] = ()
    """Where the grade asks for a rating: every rating of its scheme known at the as-of instant."""
    aliases: tuple[Alias, ...] = ALIASES
    """The names under which a rated operator may sell."""
    recorded: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """The document these rules were rebuilt from, whose hash is theirs; None where they come from a file."""
    _hashes: list[str] = field(default_factory=list, compare=False, repr=False, init=False)

    def resolved(self) -> dict[str, Any]:
        """What is hashed and recorded: all rules, a key at its default left out, as plain JSON values."""
        if self.recorded is not None:
            return dict(self.recorded)
        document: dict[str, Any] = {
            "defaults": DEFAULTS_VERSION,
            "grade": self.grade.model_dump(mode="json", exclude_defaults=True),
            "grade_name": self.grade_name,
            "methodology": self.methodology.model_dump(mode="json", exclude_defaults=True),
            "methodology_name": self.methodology_name,
            "catalogue": self.catalogue_hash,
        }
        if self.grade.rating is not None:
            document["rated"] = ratings_document(self.ratings, self.aliases)
        if self.methodology.calendar not in RULES:
            document["calendar"] = calendar_digest(self.methodology.calendar)
        return document

    def spelled_out(self) -> dict[str, Any]:
        """All rules with every default written out, for a reader."""
        return self.resolved() | {
            "grade": self.grade.model_dump(mode="json"),
            "methodology": self.methodology.model_dump(mode="json"),
        }

    @property
    def methodology_hash(self) -> str:
        """SHA-256 over everything resolved; one changed rule changes it."""
        if not self._hashes:
            self._hashes.append(digest_of(self.resolved()))
        return self._hashes[0]

    @classmethod
    def from_resolved(cls, name: str, resolved: Mapping[str, Any]) -> Benchmark:
        """Rebuild a benchmark from what the tape recorded when it published, taken as it stands.

        Nothing is held against today's catalogue. Raises RentmarkError for rules of a later version.
        """
        rated = resolved.get("rated")
        ratings, aliases = ((), ALIASES) if rated is None else read_ratings_document(rated)
        rules = dict(resolved["methodology"])
        for version in range(resolved["defaults"], DEFAULTS_VERSION):
            rules = {**FORMER_DEFAULTS.get(version, {}), **rules}
        grade_name, methodology_name = resolved["grade_name"], resolved["methodology_name"]
        return cls(
            name=name,
            grade_name=grade_name,
            grade=Grade.recorded(resolved["grade"], f"The recorded grade {grade_name}"),
            methodology_name=methodology_name,
            methodology=Methodology.recorded(rules, f"The recorded methodology {methodology_name}"),
            research=False,
            catalogue_hash=resolved["catalogue"],
            ratings=ratings,
            aliases=aliases,
            recorded=dict(resolved),
        )
