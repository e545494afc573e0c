"""What a hedge-ratio method is: past changes in, one ratio or a refusal out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ...records import Refusal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Side = Literal["buyer", "provider"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioEstimate:
    """A ratio with its 95 % interval and what made it; None comes with a ``reason``."""

    n: int
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str | None = None
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The estimate with stable keys; ``reason`` stands beside a null."""
        values: dict[str, Any] = {
            "ratio": self.ratio,
            "ratio_low": self.low,
            "ratio_high": self.high,
            "interval": self.interval,
            "n": self.n,
        }
        if self.reason is not None:
            values["reason"] = self.reason
        return values


class RatioMethod(ABC):
    """A way to choose a hedge ratio from past changes alone.

    A new method is one small file with a subclass, listed in ``methods/__init__``; it inherits the
    suite of ``tests/backtest/test_methods.py``.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    minimum_changes: ClassVar[int]
    """Changes it must have seen before its first decision in a simulated programme."""
    interval_name: ClassVar[str]
    """What its interval is made by, for tables; what it holds fixed is said here."""
    reads_levels: ClassVar[bool] = False
    """Whether it adds the changes up to levels, so that they must follow one upon the other."""

    @abstractmethod
    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """The ratio from paired changes in dollars per GPU-hour, or why there is none."""

    @abstractmethod
    def interval(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, float] | Refusal:
        """The 95 % interval of that ratio, or why there is none. Asked only where there is a ratio."""

    def weights(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> tuple[float, ...] | Refusal:
        """What a month's position takes of the hours of that month and the next ones; sums to the ratio."""
        ratio = self.estimate(rent_changes, reference_changes)
        return ratio if isinstance(ratio, Refusal) else (ratio,)

    def for_side(self, side: Side) -> RatioMethod:  # noqa: ARG002 - only a method with a tail asks
        """The method for who pays the rent or receives it; the same one unless it looks at one tail."""
        return self

    def judge(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> RatioEstimate:
        """Ratio and interval together, refusals turned into reasons."""
        n = len(rent_changes)
        ratio = self.estimate(rent_changes, reference_changes)
        if isinstance(ratio, Refusal):
            return RatioEstimate(n=n, reason=ratio.sentence)
        ends = self.interval(rent_changes, reference_changes)
        if isinstance(ends, Refusal):
            return RatioEstimate(n=n, ratio=ratio, reason=ends.sentence)
        return RatioEstimate(n=n, ratio=ratio, low=ends[0], high=ends[1], interval=self.interval_name)


def require(
    rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64], minimum: int
) -> Refusal | None:
    """Why nothing can be estimated: too few changes, or a reference that stood still."""
    n = len(reference_changes)
    if n < minimum or n < 2:
        return Refusal("too_short", f"{n} changes, {max(minimum, 2)} needed")
    assert len(rent_changes) == n
    if bool((reference_changes == reference_changes[0]).all()):
        return Refusal("constant_reference", "the reference did not vary, so no ratio can be estimated")
    return None


def require_dynamic(
    rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
) -> Refusal | None:
    """Why a model of changing variances is refused: under 250 changes, or over 50 % zeros in either."""
    missing = require(rent_changes, reference_changes, DYNAMIC_MINIMUM)
    if missing is not None:
        return missing
    for name, changes in (("rent", rent_changes), ("reference", reference_changes)):
        zeros = float((changes == 0).mean())
        if zeros > MOST_ZEROS:
            return Refusal(
                "mostly_unchanged", f"{zeros * 100:.1f} % of the {name} changes are 0, at most 50 % allowed"
            )
        if bool((changes == changes[0]).all()):
            return Refusal("constant_rent", f"the {name} changed by the same amount every time")
    return None


DYNAMIC_MINIMUM = 250
MOST_ZEROS = 0.5
