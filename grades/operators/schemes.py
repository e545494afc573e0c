"""Rating schemes as data: ordered tiers, dated releases, and what kind of service a rating speaks of.

A scheme is shipped; the ratings under it are brought by the user, see ``ratings_file``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches

from ...records import Refusal, UsageError
from ...records.observation import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingScheme:
    """How a publisher rates operators.

    ``tiers`` run from best to worst. ``missing`` are words that say that an operator could not be rated:
    they are no tier and stand below nothing. ``services`` are the kinds of service a rating holds for.
    """

    id: str
    name: str
    publisher: str
    tiers: tuple[str, ...]
    missing: tuple[str, ...]
    services: tuple[Service, ...]
    criteria: tuple[str, ...]
    releases: Mapping[str, date]
    """Releases whose date of publication is known, by version."""
    tier_from: Mapping[str, date] = field(default_factory=dict)
    """Tiers that did not exist from the start, with the release that brought them."""
    unclear: Mapping[str, str] = field(default_factory=dict)
    """Words that are written where a tier belongs and name more than one, with the remedy."""
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Everything that may stand as a tier, best first, then what means missing."""
        return (*self.tiers, *self.missing)

    @property
    def price_is_a_criterion(self) -> bool:
        """Whether the rating itself looks at the price, so that price against tier is circular."""
        return "pricing" in self.criteria

    def read_tier(self, written: str) -> str | Refusal:
        """The tier (or the word for missing) that a written one stands for; case does not matter."""
        key = " ".join(written.split()).casefold()
        for word in self.words:
            if word.casefold() == key:
                return word
        for word, remedy in self.unclear.items():
            if word.casefold() == key:
                return Refusal("unclear_tier", f"tier {written!r} is not one tier of {self.name}; {remedy}")
        near = get_close_matches(written, self.words, n=1)
        hint = f"did you mean {near[0]}?" if near else f"its tiers are {', '.join(self.words)}."
        return Refusal("unknown_tier", f"tier {written!r} is unknown to {self.name}; {hint}")

    def at_or_above(self, tier: str) -> tuple[str, ...]:
        """The tiers from the best down to ``tier``.

        Raises UsageError for a word that is no tier, and for one that means missing.
        """
        read = self.read_tier(tier)
        if isinstance(read, Refusal):
            raise UsageError(f"{self.id}: {read.sentence}")
        if read in self.missing:
            raise UsageError(
                f"{self.id}: {read} means that an operator could not be rated; it is missing, not a tier. "
                f"The lowest tier is {self.tiers[-1]}."
            )
        return self.tiers[: self.tiers.index(read) + 1]

    def applies_to(self, service: str) -> bool:
        """Whether a rating says anything about this kind of service."""
        return service in self.services


CLUSTERMAX = RatingScheme(
    id="clustermax",
    name="ClusterMAX",
    publisher="SemiAnalysis, whose trademark ClusterMAX is",
    tiers=("Platinum", "Gold", "Silver", "Bronze", "Participation Ribbon", "Underperforming"),
    missing=("Unavailable",),
    services=("managed_cluster",),
    criteria=(
        "security",
        "lifecycle",
        "orchestration",
        "storage",
        "networking",
        "reliability",
        "monitoring",
        "pricing",
        "partnerships",
        "availability",
    ),
    # the day of 2.1 (April 2026) is not known, so that version is taken with whatever date the file states
    releases={"1.0": date(2025, 3, 26), "2.0": date(2025, 11, 6), "3.0": date(2026, 9, 23)},
    tier_from={"Participation Ribbon": date(2026, 9, 23)},
    unclear={
        "Not Recommended": "it is printed over both Underperforming and Unavailable; write which it is.",
    },
    notes=(
        "Ratings hold for managed clusters only: not for bare metal, containers or token APIs.",
        "Unavailable means that the publisher could not test the operator: missing, not worst.",
        "Tiers are relative to peers: an operator can fall without having changed.",
    ),
)
"""ClusterMAX, as published in releases 1.0 to 3.0 (SemiAnalysis 2025-2026)."""

SCHEMES: Mapping[str, RatingScheme] = {CLUSTERMAX.id: CLUSTERMAX}


def rating_scheme(scheme_id: str) -> RatingScheme:
    """The scheme of an id. Raises UsageError naming the known ones."""
    scheme = SCHEMES.get(scheme_id)
    if scheme is None:
        raise UsageError(f"There is no rating scheme {scheme_id!r}; known: {', '.join(SCHEMES)}.")
    return scheme
