"""Choices: what the keys of a methodology can be, for a form that tries other rules."""

from __future__ import annotations

from typing import Any, get_args


def rule_choices() -> dict[str, list[str]]:
    """The words that `estimator`, `seller_statistic` and `weights` can be."""
    from ..index import ESTIMATORS, Methodology

    fields = Methodology.model_fields

    def words(key: str) -> list[str]:
        found: list[str] = []
        waiting: list[Any] = [fields[key].annotation]
        while waiting:
            kind = waiting.pop(0)
            inner = get_args(kind)
            found += [each for each in inner if isinstance(each, str)]
            waiting += [each for each in inner if not isinstance(each, str)]
        return found

    return {
        "estimator": list(ESTIMATORS),
        "seller_statistic": words("seller_statistic"),
        "weights": words("weights"),
    }
