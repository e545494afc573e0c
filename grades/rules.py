"""A grade as predicates over a table of observations: one list serves the filter and `explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .spec import UNSTATED, UNSTATED_IF_SILENT, Grade, RuleCode

if TYPE_CHECKING:
    import ibis

SELLER_STATES_FORM_FACTOR = "seller_states_form_factor"
"""Boolean column the panel adds: this seller states a form factor for this chip in the window."""


def grade_rules(grade: Grade, table: ibis.Table) -> list[tuple[RuleCode, Any]]:
    """The rules of a grade as (code, predicate that a row must meet), in the order asked.

    A row that does not say what a rule asks for fails it: unknown is never a guess. With
    ``unstated_if_silent`` the table must hold the column SELLER_STATES_FORM_FACTOR.
    """
    rules: list[tuple[RuleCode, Any]] = [("chip", table.chip == grade.chip)]
    if grade.form_factor is not None:
        stated = (
            table.form_factor.isin(list(grade.stated_form_factors)) if grade.stated_form_factors else None
        )
        silent = table.form_factor.isnull()
        if UNSTATED in grade.form_factor or UNSTATED_IF_SILENT in grade.form_factor:
            rules.append(("form_factor", silent if stated is None else silent | stated.fill_null(False)))
        else:
            rules.append(("form_factor", stated))
        if UNSTATED_IF_SILENT in grade.form_factor and UNSTATED not in grade.form_factor:
            rules.append(("seller_states_form_factor", ~(silent & table[SELLER_STATES_FORM_FACTOR])))
    listed: list[tuple[RuleCode, Any, tuple[Any, ...] | None]] = [
        ("memory_gb", table.memory_gb, grade.memory_gb),
        ("pricing", table.pricing, None if grade.pricing is None else (grade.pricing,)),
        ("price_basis", table.price_basis, None if grade.price_basis is None else (grade.price_basis,)),
        ("source", table.source, grade.sources),
        ("sku", table.sku, grade.skus),
        ("term_months", table.term_months, grade.term_months),
        ("service", table.service, grade.services),
        ("country", table.country, grade.countries),
        ("region", table.region, grade.regions),
        ("seller", table.seller, grade.sellers),
    ]
    for code, column, allowed in listed:
        if allowed is not None:
            rules.append((code, column.isin(list(allowed))))
    if grade.exclude_regions is not None:
        excluded = table.region.isin(list(grade.exclude_regions))
        rules.append(("exclude_region", ~excluded.fill_null(False)))
    if grade.exclude_sellers is not None:
        rules.append(("exclude_seller", ~table.seller.isin(list(grade.exclude_sellers))))
    if grade.min_gpus is not None:
        rules.append(("min_gpus", table.gpu_count >= grade.min_gpus))
    if grade.max_gpus is not None:
        rules.append(("max_gpus", table.gpu_count <= grade.max_gpus))
    return [(code, predicate.fill_null(False)) for code, predicate in rules]
