"""What is comparable: chip catalogue, reading of names as written, grade specs and their rules.

Owns the answer to "is this the same good?". May import records. ``grades.operators`` holds what
is measured apart from the rent: ratings, usable output, full cost.
"""

from __future__ import annotations

from .aliases import ALIASES, Alias, aliases_hash, seller_at
from .catalogue import (
    CATALOGUE,
    FORM_FACTORS,
    canonical_form_factor,
    canonical_memory,
    catalogue_hash,
    inside_price_band,
)
from .chips import Chip
from .names import NameReading, canonical_chip, read_name, read_names
from .rules import grade_rules
from .spec import UNSTATED, UNSTATED_IF_SILENT, Grade, Rating, RuleCode

__all__ = [
    "ALIASES",
    "CATALOGUE",
    "FORM_FACTORS",
    "UNSTATED",
    "UNSTATED_IF_SILENT",
    "Alias",
    "Chip",
    "Grade",
    "NameReading",
    "Rating",
    "RuleCode",
    "aliases_hash",
    "canonical_chip",
    "canonical_form_factor",
    "canonical_memory",
    "catalogue_hash",
    "grade_rules",
    "inside_price_band",
    "read_name",
    "read_names",
    "seller_at",
]
