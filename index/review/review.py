"""The review of a period, all sections together: a function of its days and of what the archive says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ...records import Fixing
from ..ballot import Ballot
from ..methodology import Benchmark
from .concentration import KINDS, Concentration, concentration
from .coverage import Coverage, coverage
from .days import Day
from .influence import Influence, influence
from .manipulation import Manipulation, manipulation
from .panels import Panels, panels
from .parallel import Parallel
from .principles import Check, Findings, Provenance, checks
from .replaying import Replay, replay
from .revisions import Revisions, revisions
from .sensitivity import BallotsOf, Sensitivity, sensitivity
from .spread import Spread, list_to_transacted
from .stickiness import Stickiness, stickiness
from .wash import Wash, wash_trades


@dataclass(frozen=True, slots=True)
class Material:
    """What a review is made of.

    ``sequence`` is the tape in the order in which it was appended, ``tiers`` the ballots of all tiers of the grade,
    whichever the methodology uses, and ``ballots_of`` answers with those of the period under other rules.
    """

    benchmark: Benchmark
    days: Sequence[Day]
    sequence: Sequence[Fixing]
    tiers: Mapping[date, Sequence[Ballot]]
    ballots_of: BallotsOf
    provenance: Provenance
    parallel: Parallel | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """Every section of a review."""

    benchmark: Benchmark
    days: tuple[Day, ...]
    coverage: Coverage
    concentrations: tuple[Concentration, ...]
    influence: Influence
    panels: Panels
    spread: Spread
    stickiness: Stickiness
    revisions: Revisions
    manipulation: Manipulation
    wash: Wash
    sensitivity: tuple[Sensitivity, ...]
    parallel: Parallel | None
    replay: Replay
    checks: tuple[Check, ...]

    @property
    def first(self) -> date:
        """The first date of the period."""
        return self.days[0].fixing.date

    @property
    def last(self) -> date:
        """The last date of the period."""
        return self.days[-1].fixing.date


def review(material: Material) -> Review:
    """Make every section. Raises ValueError for a period without a fixing date."""
    benchmark, days = material.benchmark, material.days
    covered = coverage(days)
    held = tuple(concentration(benchmark, days, kind) for kind in KINDS)
    moved, sticky = influence(benchmark, days), stickiness(benchmark, days)
    restated = revisions(material.sequence, days[0].fixing.date, days[-1].fixing.date)
    attacked, replayed = manipulation(benchmark, days), replay(benchmark, days)
    return Review(
        benchmark=benchmark,
        days=tuple(days),
        coverage=covered,
        concentrations=held,
        influence=moved,
        panels=panels(benchmark, days),
        spread=list_to_transacted(material.tiers),
        stickiness=sticky,
        revisions=restated,
        manipulation=attacked,
        wash=wash_trades(benchmark, days),
        sensitivity=tuple(sensitivity(benchmark, days, material.ballots_of)),
        parallel=material.parallel,
        replay=replayed,
        checks=tuple(
            checks(
                Findings(
                    rules=benchmark.methodology,
                    days=days,
                    coverage=covered,
                    sellers=held[0],
                    aggregators=held[2],
                    influence=moved,
                    manipulation=attacked,
                    stickiness=sticky,
                    revisions=restated,
                    replay=replayed,
                    provenance=material.provenance,
                    has_parallel=material.parallel is not None,
                )
            )
        ),
    )
