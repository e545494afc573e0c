"""Votes gathered by seller, for estimators of two levels."""

from __future__ import annotations

from collections import defaultdict

from .base import Slate
from .steps import Term


def terms_by_seller(slate: Slate) -> list[tuple[str, list[Term]]]:
    """Each seller's terms with weight, in ascending order of price; sellers by name."""
    gathered: dict[str, list[Term]] = defaultdict(list)
    ids = slate.ids or [(term.label, None, None) for term in slate.terms()]
    for vote, term in zip(ids, slate.terms(), strict=True):
        if term.weight:
            gathered[vote[0]].append(term)
    return sorted(gathered.items())
