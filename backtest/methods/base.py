"""What a hedge-ratio method is: past changes in, one ratio or a refusal out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from ...records import Refusal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RatioMethod(ABC):
    """A way to choose a hedge ratio from past changes alone.

    A new method is one small file with a subclass, listed in ``methods/__init__``; it inherits the
    suite of ``tests/backtest/test_methods.py``.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    minimum_changes: ClassVar[int]
    """Changes it must have seen before its first decision in a simulated programme."""

    @abstractmethod
    def estimate(
        self, rent_changes: NDArray[np.float64], reference_changes: NDArray[np.float64]
    ) -> float | Refusal:
        """The ratio from paired changes in dollars per GPU-hour, or why there is none."""
