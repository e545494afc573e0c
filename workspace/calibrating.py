"""Calibrating: an adjustment factor estimated from the archive."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from ..grades import rules_of
from ..records import RentmarkError, UsageError, day_start, format_instant
from .core import Workspace
from .views import AsOf

if TYPE_CHECKING:
    from ..grades.adjustment import Factor


def read_step(field: str, from_text: str, to_text: str) -> Factor:
    """The step that `grade calibrate` estimates; its factor is 1 until it is.

    Raises UsageError for a field that is not adjusted or a value that is none of its kind.
    """
    from ..grades.adjustment import ADJUSTED_RULES, Factor

    if field not in ADJUSTED_RULES:
        raise UsageError(f"--field {field} is not adjusted; known: {', '.join(ADJUSTED_RULES)}.")

    def value(text: str) -> str | int:
        """A whole number where the field is one; what is none is refused with the rest."""
        counted = field in ("gpu_count", "term_months")
        return int(text) if counted and text.isascii() and text.isdigit() else text

    table = {
        "field": field,
        "from": value(from_text),
        "to": value(to_text),
        "factor": "1",
        "effective_from": date.min,
    }
    return Factor.read(table, "The step")


def calibrate_factor(
    workspace: Workspace,
    grade_name: str,
    step: Factor,
    *,
    first: date | None = None,
    last: date | None = None,
    as_of: AsOf | None = None,
) -> dict[str, Any]:
    """The documented JSON of `grade calibrate`: a factor from pairs of one seller at one time.

    ``first`` and ``last`` bound the UTC days of observation. Raises RentmarkError where no seller offers
    both sides on one day, or where the step does not lead from a near-miss to the grade.
    """
    from ..grades.adjustment import ADJUSTED_RULES
    from ..grades.calibrate import as_plain, calibrate, pair_columns, price_pairs, suggested_factor

    grade = workspace.configuration.grade(grade_name)
    asked = [rule for rule in rules_of(grade) if rule.code in ADJUSTED_RULES[step.field]]
    if not all(rule.met_by({rule.column: step.to_value}) for rule in asked):
        raise UsageError(
            f"grade {grade_name} does not admit {step.field} {step.to_value}; name what it wants."
        )
    if asked and all(rule.met_by({rule.column: step.from_value}) for rule in asked):
        raise UsageError(
            f"grade {grade_name} admits {step.field} {step.from_value} as it is; there is nothing to restate."
        )
    store = workspace.store
    seen_until = store.now() if as_of is None else as_of.instant
    reconstructed = as_of is not None and as_of.reconstructed
    files = store.observation_files(as_of=None if reconstructed else seen_until)
    if not files:
        raise RentmarkError("No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.")
    with workspace.engine() as engine:
        table = engine.observations(store.file_paths(files))
        seen = table.filter((table.known_at if reconstructed else table.recorded_at) <= seen_until)
        if first is not None:
            seen = seen.filter(seen.observed_at >= day_start(first))
        if last is not None:
            seen = seen.filter(seen.observed_at < day_start(last + timedelta(days=1)))
        pairs = engine.to_arrow(price_pairs(seen, grade, step))
        products = engine.to_arrow(price_pairs(seen, grade, step, all_products=True))
        simulated = store.simulated
    if pairs.num_rows == 0:
        raise RentmarkError(
            f"No seller offers {grade_name} with {step.field} {step.from_value} and {step.to_value} on one day, "
            "all else equal; there is nothing to estimate from."
        )
    result = calibrate(step, pairs, products)
    nobody = "every seller's ratio is administered; there is no market spread to estimate from"
    suggested = suggested_factor(result)
    return {
        "grade": grade_name,
        "field": step.field,
        "from": str(step.from_value),
        "to": str(step.to_value),
        "pairs": result.pairs,
        "pairs_administered": result.pairs_administered,
        "sellers_used": result.sellers_used,
        "median": as_plain(result.median, nobody),
        "mean": as_plain(result.mean, nobody),
        "suggested_factor": suggested,
        "reason": None if suggested is not None else nobody,
        "first_date": None if result.first_day is None else result.first_day.isoformat(),
        "last_date": None if result.last_day is None else result.last_day.isoformat(),
        "as_of": format_instant(seen_until),
        "reconstructed": reconstructed,
        "simulated": simulated,
        "held_equal": list(pair_columns(step)),
        "sellers": [
            {
                "seller": s.seller,
                "pairs": s.pairs,
                "distinct_pairs": s.distinct_pairs,
                "ratio": s.ratio,
                "variation": s.variation,
                "level_variation": s.level_variation,
                "verdict": s.verdict,
            }
            for s in result.sellers
        ],
    }
