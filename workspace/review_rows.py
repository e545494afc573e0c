"""The documented JSON of `index review`. Prices are six-decimal strings, shares and statistics numbers."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from ..index.review.principles import attestations
from ..index.review.principles_table import PRINCIPLES
from ..index.review.telling import change_sentence
from ..index.review.verdict import verdict, verdict_word
from .review_attack_rows import manipulation_row, parallel_row, sensitivity_row
from .rows import difference_row, instant, price

if TYPE_CHECKING:
    from ..index.review.concentration import Concentration, Held
    from ..index.review.coverage import Coverage
    from ..index.review.influence import Influence, LevelWithout
    from ..index.review.panels import PanelMove, Panels
    from ..index.review.principles import Check
    from ..index.review.revisions import Revision, Revisions
    from ..index.review.spread import Spread, SpreadDay
    from ..index.review.stickiness import Stickiness
    from .reviewing import Reviewed

TITLES = {p.number: p.title for p in PRINCIPLES}


def rows_of_review(reviewed: Reviewed) -> dict[str, Any]:
    """The whole review."""
    made = reviewed.review
    benchmark = made.benchmark
    return {
        "benchmark": benchmark.name,
        "grade": benchmark.grade_name,
        "methodology": benchmark.methodology_name,
        "methodology_version": benchmark.methodology.version,
        "methodology_hash": benchmark.methodology_hash,
        "from": made.first.isoformat(),
        "to": made.last.isoformat(),
        "marks": list(reviewed.marks),
        "live_from": day_text(reviewed.live_from),
        "made_at": instant(reviewed.made_at),
        "verdict": verdict_word(made),
        "sentences": verdict(made),
        "checks": [
            {
                "principle": c.principle,
                "title": TITLES[c.principle],
                "check": c.name,
                "asks": c.asks,
                "threshold": c.threshold,
                "found": c.found,
                "result": c.result,
                "evidence": c.evidence,
                "reason": _why_no_figure(c),
            }
            for c in made.checks
        ],
        "attestations": [
            {"principle": number, "title": title, "attest": attest, "computed": computed}
            for number, title, attest, computed in attestations()
        ],
        "coverage": _coverage(made.coverage),
        "concentration": [_concentration(c) for c in made.concentrations],
        "leave_one_out": _influence(made.influence),
        "composition": _panels(made.panels),
        "list_to_transacted": _spread(made.spread),
        "stickiness": _stickiness(made.stickiness),
        "revisions": _revisions(made.revisions),
        "manipulation": manipulation_row(made.manipulation, made.wash),
        "sensitivity": [sensitivity_row(s) for s in made.sensitivity],
        "parallel": None if made.parallel is None else parallel_row(made.parallel),
        "replay": {
            "rows": made.replay.n_rows,
            "other_rules": made.replay.n_other_rules,
            "sentence": made.replay.sentence,
            "differences": [difference_row(d) for d in made.replay.differences],
        },
        "attributions": list(reviewed.attributions),
    }


def _why_no_figure(check: Check) -> str | None:
    if check.result == "cannot be computed":
        return check.evidence
    return "the answer is yes or no" if check.found is None else None


def day_text(day: date | None) -> str | None:
    """A date as ISO 8601, or None."""
    return None if day is None else day.isoformat()


def _coverage(held: Coverage) -> dict[str, Any]:
    return {
        "dates": held.dates,
        "counts": dict(held.counts),
        "rules": dict(held.rules),
        "observed_share": held.observed,
        "longest_gap": held.longest_gap,
        "longest_gap_from": day_text(held.longest_gap_from),
        "fewest_sellers": held.fewest_sellers,
        "fewest_sellers_on": day_text(held.fewest_sellers_on),
        "median_sellers": held.median_sellers,
        "reason": "no date has a value of its own" if held.median_sellers is None else None,
        "days": [
            {"date": d.date.isoformat(), "status": d.status, "rule": d.rule, "n_sellers": d.n_sellers}
            for month in held.months
            for d in month.days
        ],
    }


def _held(held: Held | None) -> dict[str, Any] | None:
    if held is None:
        return None
    return {
        "date": held.date.isoformat(),
        "n_names": held.n_names,
        "top": held.top,
        "top_share": held.top_share,
        "hhi": held.hhi,
    }


def _concentration(made: Concentration) -> dict[str, Any]:
    return {
        "kind": made.kind,
        "named": made.named,
        "median_top_share": made.median_top_share,
        "median_hhi": made.median_hhi,
        "reason": None if made.days else "no date has a value of its own",
        "highest_share": _held(made.worst),
        "highest_hhi": _held(made.highest_hhi),
        "names": [{"name": name, "mean_share": share} for name, share in made.largest],
        "days": [_held(held) for held in made.days],
    }


def _level(found: LevelWithout | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "date": found.date.isoformat(),
        "seller": found.seller,
        "value": price(found.value_micros),
        "without": price(found.without_micros),
        "move": found.move,
        "reason": found.reason,
    }


def _influence(made: Influence) -> dict[str, Any]:
    return {
        "moves": made.n_moves,
        "moves_by_one_seller": made.n_by_one,
        "dates_needing_one_seller": made.n_needed,
        "largest": _level(made.largest),
        "largest_move": None if made.largest_move is None else change_sentence(made.largest_move),
        "sellers": [
            {
                "seller": s.seller,
                "dates": s.n_dates,
                "mean_absolute_move": s.mean_absolute,
                "largest": _level(s.largest),
                "dates_needed": s.n_needed,
                "moves_made_alone": s.n_moved_it,
                "reason": None if s.mean_absolute is not None else "no date has a value without it",
            }
            for s in made.sellers
        ],
        "days": [_level(found) for found in made.days],
        "changes": [
            {
                "date": s.date.isoformat(),
                "change": price(s.change_micros),
                "changed": len(s.changed),
                "entered": len(s.entered),
                "left": len(s.left),
                "moved_it": list(s.moved_it),
                "sentence": change_sentence(s),
            }
            for s in made.stories
            if s.change_micros
        ],
    }


def _move(move: PanelMove | None) -> dict[str, Any] | None:
    if move is None:
        return None
    return {
        "before": move.before.isoformat(),
        "after": move.after.isoformat(),
        "level": price(move.level_micros),
        "change": price(move.change_micros),
        "price_effect": price(move.price_micros),
        "entry_effect": price(move.entry_micros),
        "exit_effect": price(move.exit_micros),
        "residual": price(move.residual_micros),
        "n_common": move.n_common,
        "entered": list(move.entered),
        "left": list(move.left),
        "matched_level": price(round(move.matched)),
        "reason": move.reason,
    }


def _panels(made: Panels) -> dict[str, Any]:
    return {
        "first": day_text(made.first),
        "level_change": made.level,
        "matched_change": made.matched,
        "reason": _why_no_panel(made),
        "moves": made.n_moves,
        "moves_by_panel": made.by_panel,
        "not_taken_apart": made.n_unexplained,
        "largest_panel_move": _move(made.largest_panel_move),
        "days": [_move(move) for move in made.moves],
    }


def _why_no_panel(made: Panels) -> str | None:
    if made.level is None:
        return "fewer than two dates have a value of their own"
    return made.moves[-1].reason if made.matched is None else None


def _spread_day(day: SpreadDay | None) -> dict[str, Any] | None:
    if day is None:
        return None
    return {
        "date": day.date.isoformat(),
        "listed": price(day.listed_micros),
        "traded": price(day.trade_micros),
        "spread": day.spread,
        "gpu_hours": day.gpu_hours,
    }


def _spread(made: Spread) -> dict[str, Any]:
    return {
        "median_spread": made.median_spread,
        "trade_dates": made.n_trade_days,
        "gpu_hours": made.gpu_hours,
        "reason": made.reason,
        "lowest": _spread_day(made.lowest),
        "highest": _spread_day(made.highest),
        "days": [_spread_day(day) for day in made.days],
    }


def _stickiness(made: Stickiness) -> dict[str, Any]:
    return {
        "share_unchanged": made.share_unchanged,
        "value_unchanged": made.value_unchanged,
        "implied_spell_dates": made.implied_spell,
        "spells": made.n_spells,
        "median_spell_dates": made.median_spell,
        "open_spells": made.n_open_spells,
        "median_open_spell_dates": made.median_open_spell,
        "reason": None
        if None not in (made.median_spell, made.median_open_spell, made.implied_spell, made.value_unchanged)
        else "the period has no such dates or spell",
        "sellers": [
            {
                "seller": s.seller,
                "dates": s.n_dates,
                "changes": s.n_changes,
                "longest_spell_dates": s.longest_spell,
            }
            for s in made.sellers
        ],
        "days": [
            {"date": d.date.isoformat(), "common": d.n_common, "unchanged": d.n_unchanged} for d in made.days
        ],
    }


def _revision(row: Revision | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "date": row.date.isoformat(),
        "revision": row.revision,
        "before": price(row.before_micros),
        "after": price(row.after_micros),
        "change": price(row.change_micros),
        "published_at": instant(row.published_at),
        "actor": row.actor,
        "restatement_reason": row.reason,
        "reason": "a row has no value" if row.change_micros is None else None,
    }


def _revisions(made: Revisions) -> dict[str, Any]:
    return {
        "published": made.n_published,
        "live": made.n_live,
        "backcast": made.n_backcast,
        "mean_absolute": made.mean_absolute,
        "reason": None if made.mean_absolute is not None else "no published value was restated",
        "largest": _revision(made.largest),
        "rows": [_revision(row) for row in made.rows],
        "rules": [
            {"methodology_version": version, "methodology_hash": digest, "from": day.isoformat()}
            for version, digest, day in made.methodology_hashes
        ],
    }
