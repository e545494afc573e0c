"""What is comparable: chip catalogue, reading of names as written, grade specs and their rules.

Owns the answer to "is this the same good?", and how a near-miss is restated to it (``adjustment``;
``calibrate`` estimates a factor and is imported where it is used). May import records.
``grades.operators`` holds what is measured apart from the rent: ratings, usable output, full cost.
"""

from __future__ import annotations

from .adjustment import AdjustmentSchedule, Factor, usable_adjustments
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
from .interconnect import INTERCONNECTS, canonical_interconnect
from .names import NameReading, canonical_chip, read_name, read_names
from .rules import GradeRule, first_refusal, grade_rules, rules_of
from .shipped import shipped_grades
from .spec import UNSTATED, UNSTATED_IF_SILENT, Grade, Rating, RuleCode

__all__ = [
    "ALIASES",
    "CATALOGUE",
    "FORM_FACTORS",
    "INTERCONNECTS",
    "UNSTATED",
    "UNSTATED_IF_SILENT",
    "AdjustmentSchedule",
    "Alias",
    "Chip",
    "Factor",
    "Grade",
    "GradeRule",
    "NameReading",
    "Rating",
    "RuleCode",
    "aliases_hash",
    "canonical_chip",
    "canonical_form_factor",
    "canonical_interconnect",
    "canonical_memory",
    "catalogue_hash",
    "first_refusal",
    "grade_rules",
    "inside_price_band",
    "read_name",
    "read_names",
    "rules_of",
    "seller_at",
    "shipped_grades",
    "usable_adjustments",
]
