"""How a value was worked out, in the terminal: screens, caps, each step, and what moved since the day before."""

from __future__ import annotations

from typing import Any

from .output import print_line

MOST_TERMS = 12
"""Terms of a step that are written out; the JSON holds all of them."""


def print_working(row: dict[str, Any]) -> None:
    """Print what was screened and capped, the arithmetic line by line, and the composition of the move."""
    for note in row["screen_notes"]:
        print_line(f"  screen: {note}")
    for out in row["screened"]:
        print_line(f"  left out: {out['seller']} ({out['rule']}): {out['sentence']}")
    for cap in row["caps"]:
        print_line(f"  {cap['rule']}: {cap['name']} {cap['before']:.4f} → {cap['after']:.4f}")
    if len(row["tiers"]) > 1:
        levels = (f"{t['tier']} {t['value'] or '— (' + str(t['reason']) + ')'}" for t in row["tiers"])
        print_line(f"  tiers: {' · '.join(levels)}")
    for step in row["steps"]:
        print_line(f"  {step['name']}: {_terms(step)} = {step['result']}")
    _print_composition(row["composition"])


def _terms(step: dict[str, Any]) -> str:
    plain = len({term["weight"] for term in step["terms"]}) == 1
    sign = " × " if step["operation"] == "product" else ", "
    shown = [
        term["value"] if plain else f"{term['value']} [{term['weight']:g}]"
        for term in step["terms"][:MOST_TERMS]
    ]
    more = len(step["terms"]) - MOST_TERMS
    return sign.join(shown) + (f" and {more} more" if more > 0 else "")


def _print_composition(move: dict[str, Any] | None) -> None:
    if move is None:
        return
    print_line(
        f"Since {move['before']}: {move['change']} = prices {move['price_effect'] or '—'} "
        f"({move['n_common']} in both) + entry {move['entry_effect']} ({len(move['entered'])}) + exit "
        f"{move['exit_effect'] or '—'} ({len(move['left'])}) + residual {move['residual']}"
    )
    for mover in move["movers"]:
        print_line(f"  {mover['name']} {mover['before']} → {mover['after']}")
