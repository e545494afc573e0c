"""Data-generating processes with a known hedge ratio. Every one is invented and simulated.

All give paired *changes* in dollars per GPU-hour. ``burn`` steps are thrown away, so that a sample
starts from the process and not from zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

BURN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Changes and the truth behind them.

    ``ratio`` is the minimum-variance ratio at this horizon; ``next_ratio`` that of the change after
    the last (other than ``ratio`` only where variances move); ``full_ratio`` what the rent answers in
    the end, however late; ``three_step_ratio`` what it has answered by the second change after. The three moments are of the process, not of the sample; means are zero.
    """

    rent: NDArray[np.float64]
    reference: NDArray[np.float64]
    ratio: float
    next_ratio: float
    full_ratio: float
    three_step_ratio: float
    rent_variance: float
    reference_variance: float
    covariance: float

    def share_of(self, ratios: NDArray[np.float64]) -> float:
        """The true effectiveness of these ratios, held, one a change: 1 − Var(hedged)/Var(unhedged)."""
        hedged = (
            self.rent_variance
            - 2 * float(ratios.mean()) * self.covariance
            + float((ratios * ratios).mean()) * self.reference_variance
        )
        return 1 - hedged / self.rent_variance


class Process(ABC):
    """A way rents and references come about; ``statement`` is what a reader of the study is told."""

    name: str
    statement: str

    @abstractmethod
    def draw(self, generator: Generator, n: int) -> Sample:
        """``n`` paired changes."""


def autoregressive(generator: Generator, n: int, phi: float) -> NDArray[np.float64]:
    """Gaussian AR(1) of unit innovations, begun ``BURN`` steps earlier."""
    import numpy as np
    from scipy.signal import lfilter

    noise = generator.normal(size=n + BURN)
    found: NDArray[np.float64] = np.asarray(lfilter([1.0], [1.0, -phi], noise))[BURN:]
    return found


@dataclass(frozen=True, slots=True)
class AutoregressivePair(Process):
    """``ΔS = b·ΔF + e``, both AR(1) with the same φ: ratio b, R² b²/(b² + noise²)."""

    name: str
    phi: float
    slope: float = 0.5
    noise: float = 0.5

    @property
    def statement(self) -> str:  # type: ignore[override]
        """The process in words."""
        kind = "independent" if self.phi == 0 else f"AR({self.phi:g})"
        share = self.slope**2 / (self.slope**2 + self.noise**2)
        return (
            f"Gaussian, {kind} reference changes F and noise e, rent change {self.slope:g}·F + {self.noise:g}·e;"
            f" true ratio {self.slope:g}, true effectiveness {share:g}"
        )

    def draw(self, generator: Generator, n: int) -> Sample:
        """``n`` paired changes."""
        reference = autoregressive(generator, n, self.phi)
        rent = self.slope * reference + self.noise * autoregressive(generator, n, self.phi)
        variance = 1 / (1 - self.phi**2)
        return Sample(
            rent=rent,
            reference=reference,
            ratio=self.slope,
            next_ratio=self.slope,
            full_ratio=self.slope,
            three_step_ratio=self.slope,
            rent_variance=(self.slope**2 + self.noise**2) * variance,
            reference_variance=variance,
            covariance=self.slope * variance,
        )


@dataclass(frozen=True, slots=True)
class StickyRent(Process):
    """The rent moves with chance p a step, and then all the way to its target (Calvo 1983).

    The target is b·F plus a Gaussian walk of its own. At one step the ratio is p·b; in the end it is b.
    """

    name: str = "sticky"
    chance: float = 0.25
    slope: float = 0.8
    noise: float = 0.2

    @property
    def three_step_ratio(self) -> float:
        """b·(1 − (1 − p)³): the share of rents that moved within three steps."""
        return self.slope * (1 - (1 - self.chance) ** 3)

    @property
    def statement(self) -> str:  # type: ignore[override]
        """The process in words."""
        one_step = self.chance * self.slope
        return (
            f"Gaussian independent reference changes; the rent stays with chance {1 - self.chance:g}, else moves all the"
            f" way to {self.slope:g}·reference + a walk of sd {self.noise:g}; true one-step ratio {one_step:g}, within"
            f" three steps {self.three_step_ratio:.4g}, in the end {self.slope:g}"
        )

    def draw(self, generator: Generator, n: int) -> Sample:
        """``n`` paired changes."""
        import numpy as np

        steps = n + BURN
        reference = generator.normal(size=steps)
        target = np.cumsum(self.slope * reference + self.noise * generator.normal(size=steps))
        moves = generator.random(steps) < self.chance
        moves[0] = True
        last = np.maximum.accumulate(np.where(moves, np.arange(steps), 0))
        rent = np.diff(target[last])[-n:]
        covariance = self.chance * self.slope
        return Sample(
            rent=rent,
            reference=reference[-n:],
            ratio=covariance,
            next_ratio=covariance,
            full_ratio=self.slope,
            three_step_ratio=self.three_step_ratio,
            # Steps come with chance p and reach back 1/p steps on average: p·(1/p)·(b² + noise²).
            rent_variance=self.slope**2 + self.noise**2,
            reference_variance=1.0,
            covariance=covariance,
        )


@dataclass(frozen=True, slots=True)
class CommonLevel(Process):
    """Rent and reference share a walk; the rent's gap to b·reference is AR(φ) and closes again."""

    name: str = "common level"
    slope: float = 0.8
    phi: float = 0.5
    noise: float = 0.5

    @property
    def statement(self) -> str:  # type: ignore[override]
        """The process in words."""
        return (
            f"the reference a Gaussian walk, the rent {self.slope:g}·reference + an AR({self.phi:g}) gap of sd-"
            f"{self.noise:g} innovations; true ratio {self.slope:g}"
        )

    def draw(self, generator: Generator, n: int) -> Sample:
        """``n`` paired changes."""
        import numpy as np

        reference = generator.normal(size=n)
        gap = self.noise * autoregressive(generator, n + 1, self.phi)
        gap_variance = 2 * self.noise**2 * (1 - self.phi) / (1 - self.phi**2)
        return Sample(
            rent=self.slope * reference + np.diff(gap),
            reference=reference,
            ratio=self.slope,
            next_ratio=self.slope,
            full_ratio=self.slope,
            three_step_ratio=self.slope,
            rent_variance=self.slope**2 + gap_variance,
            reference_variance=1.0,
            covariance=self.slope,
        )


@dataclass(frozen=True, slots=True)
class DynamicPair(Process):
    """A bivariate Gaussian DCC-GARCH(1,1) (Engle 2002): both variances and the correlation move."""

    name: str = "DCC-GARCH"
    alpha: float = 0.08
    beta: float = 0.87
    a: float = 0.05
    b: float = 0.90
    mean_correlation: float = 0.7

    @property
    def statement(self) -> str:  # type: ignore[override]
        """The process in words."""
        return (
            f"GARCH(1,1) variances (α {self.alpha:g}, β {self.beta:g}, mean 1), DCC correlation (a {self.a:g},"
            f" b {self.b:g}, mean {self.mean_correlation:g}); the true ratio moves, the next one is asked for"
        )

    def draw(self, generator: Generator, n: int) -> Sample:
        """``n`` paired changes."""
        import numpy as np

        total = n + BURN
        shocks = generator.normal(size=(total, 2))
        found = np.empty((total, 2))
        variances = [1.0, 1.0]
        squares, cross, target = [1.0, 1.0], self.mean_correlation, self.mean_correlation
        rho = target
        for step in range(total):
            first = shocks[step, 0]
            second = rho * first + (1 - rho * rho) ** 0.5 * shocks[step, 1]
            z = (first, second)
            found[step] = [z[0] * variances[0] ** 0.5, z[1] * variances[1] ** 0.5]
            for side in (0, 1):
                omega = 1 - self.alpha - self.beta
                variances[side] = omega + self.alpha * found[step, side] ** 2 + self.beta * variances[side]
                squares[side] = (1 - self.a - self.b) + self.a * z[side] ** 2 + self.b * squares[side]
            cross = (1 - self.a - self.b) * target + self.a * z[0] * z[1] + self.b * cross
            rho = cross / (squares[0] * squares[1]) ** 0.5
        changes = found[BURN:]
        return Sample(
            rent=changes[:, 0],
            reference=changes[:, 1],
            # No closed form for the mean covariance: the target stands in, and only the next ratio is judged.
            ratio=target,
            next_ratio=float(rho * (variances[0] / variances[1]) ** 0.5),
            full_ratio=target,
            three_step_ratio=target,
            rent_variance=1.0,
            reference_variance=1.0,
            covariance=target,
        )


PROCESSES: tuple[Process, ...] = (
    AutoregressivePair("independent", 0.0),
    AutoregressivePair("AR(0.5)", 0.5),
    StickyRent(),
)
"""Processes on which intervals are judged."""
