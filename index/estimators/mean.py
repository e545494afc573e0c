"""The mean: the weighted arithmetic mean of the votes."""

from __future__ import annotations

from ...records import Refusal
from .base import Estimate, Estimator, Slate, without_weight, worked
from .steps import step


def work(slate: Slate) -> Estimate | Refusal:
    """Σ w·p / Σ w, exact. One wild vote moves it without bound: screen, trim or winsorise."""
    refusal = without_weight(slate, "no_votes", "the mean of no votes is not defined")
    return refusal or worked(step("mean of the votes", "mean", slate.terms()))


MEAN = Estimator(
    name="mean",
    summary="arithmetic mean of the votes by their weights",
    source="ILO and others (2020), Consumer Price Index Manual: Concepts and Methods, chapter 8 (Dutot)",
    work=work,
)
