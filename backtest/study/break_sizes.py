"""Sizes and critical values of the tests of breaks, on processes whose null is true.

A test is sized on the null it states, and on processes that break an assumption it makes: rents that stand
still, errors that hang together. Everything here is simulated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from ...records import Refusal
from ..basis import stationarity
from ..breaks import BREAK_TESTS, Levels
from ..breaks.cusum import cusum_path
from ..breaks.cusumsq import squares_path
from ..breaks.engle_granger import engle_granger, most_lags
from ..breaks.gregory_hansen import regime_shift
from ..breaks.johansen import johansen_trace
from ..breaks.mean_shifts import MOST_BREAKS
from ..breaks.recursive import recursive_residuals
from ..breaks.splitting import shortest_side, split_f_statistics
from .processes import PROCESSES, autoregressive

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

LEVEL = 0.95
BATCH = 2_000
STAY = 0.75
"""Chance that a sticky rent stays where it is, as in :class:`StickyRent`."""
FIRST_DAY = date(2000, 1, 1)

Draw = Callable[["Generator", int], "tuple[NDArray[np.float64], NDArray[np.float64]]"]
"""A generator and n to levels (rent, reference) whose changes, gap or levels number n."""


@dataclass(frozen=True, slots=True)
class Null:
    """A process on which a test's null is true. ``assumed`` marks the one its critical value is made for."""

    name: str
    statement: str
    draw: Draw
    assumed: bool = False


def _from_changes(number: int) -> Draw:
    def draw(generator: Generator, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        import numpy as np

        sample = PROCESSES[number].draw(generator, n)
        return np.concatenate([[0.0], np.cumsum(sample.rent)]), np.concatenate(
            [[0.0], np.cumsum(sample.reference)]
        )

    return draw


def _gap_of(phi: float) -> Draw:
    def draw(generator: Generator, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        import numpy as np

        return autoregressive(generator, n, phi), np.zeros(n)

    return draw


def _walking_gap(generator: Generator, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    return np.cumsum(generator.normal(size=n)), np.zeros(n)


def _walks(generator: Generator, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    both = np.cumsum(generator.normal(size=(2, n)), axis=1)
    return both[0], both[1]


def _sticky_walks(generator: Generator, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    rent, reference = _walks(generator, n)
    moves = generator.random(n) > STAY
    moves[0] = True
    return rent[np.maximum.accumulate(np.where(moves, np.arange(n), 0))], reference


CHANGE_NULLS = (
    Null(
        "independent",
        "constant ratio 0.5, independent Gaussian changes and errors",
        _from_changes(0),
        assumed=True,
    ),
    Null("AR(0.5)", "constant ratio 0.5, changes and errors AR(0.5)", _from_changes(1)),
    Null("sticky", "constant ratio, the rent stays with chance 0.75 and then catches up", _from_changes(2)),
)
GAP_NULLS = (
    Null("independent", "a gap of independent Gaussian values around one mean", _gap_of(0.0), assumed=True),
    Null("AR(0.5)", "an AR(0.5) gap around one mean", _gap_of(0.5)),
    Null("random walk", "a gap without a level: it has no shift, only no mean to keep", _walking_gap),
)
LEVEL_NULLS = (
    Null("random walks", "two independent Gaussian random walks", _walks, assumed=True),
    Null("sticky walk", "the same, the rent shown only when it moves (chance 0.25)", _sticky_walks),
)
ROOT_NULLS = (
    Null("random walk", "a gap that is a Gaussian random walk", _walking_gap, assumed=True),
    Null(
        "sticky walk",
        "a gap that stays with chance 0.75 and then catches up with a walk",
        lambda generator, n: (_sticky_walks(generator, n)[0], _zeros(n)),
    ),
)


def _zeros(n: int) -> NDArray[np.float64]:
    import numpy as np

    return np.zeros(n)


def nulls_of(test: str) -> tuple[Null, ...]:
    """The processes a test is sized on."""
    if test == "adf":
        return ROOT_NULLS
    return {"changes": CHANGE_NULLS, "gap": GAP_NULLS, "levels": LEVEL_NULLS}[BREAK_TESTS[test].reads]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeRow:
    """How often a test rejected at a nominal 5 % although its null was true; refusals do not reject."""

    test: str
    process: str
    n: int
    runs: int
    rejected: int
    refused: int
    assumed: bool

    @property
    def percent(self) -> float:
        """Rejections in percent of runs."""
        return 100 * self.rejected / self.runs


def size_of(test: str, null: Null, n: int, *, runs: int, seed: int) -> SizeRow:
    """Count the rejections of ``runs`` seeded samples in which n values are tested."""
    import numpy as np

    generator = np.random.default_rng(seed)
    rejected = refused = 0
    dates = tuple(FIRST_DAY + timedelta(days=number) for number in range(n + 1))
    for _ in range(runs):
        rent, reference = null.draw(generator, n)
        found = _rejects(test, Levels(dates[: len(rent)], rent, reference))
        rejected += found is True
        refused += found is None
    return SizeRow(
        test=test, process=null.name, n=n, runs=runs, rejected=rejected, refused=refused, assumed=null.assumed
    )


def _rejects(test: str, levels: Levels) -> bool | None:
    if test == "adf":
        found = stationarity([round(each * 1e6) for each in levels.gap])
        return None if isinstance(found, Refusal) else found.stable
    return BREAK_TESTS[test].judge(levels).rejects


def critical_values(test: str, n: int, *, runs: int, seed: int) -> dict[str, float]:
    """Simulated 5 % values on the null the test assumes, by the name of their table."""
    import numpy as np

    generator = np.random.default_rng([seed, n])
    drawn = _statistics(test, generator, n, runs)
    if test == "mean-shift":
        return {
            f"mean-shift-{regimes}": float(np.quantile(drawn, LEVEL ** (1 / regimes)))
            for regimes in range(1, MOST_BREAKS + 1)
        }
    small = test in ("adf", "engle-granger") or test.startswith("gregory-hansen")
    return {test: float(np.quantile(drawn, 1 - LEVEL if small else LEVEL))}


def _statistics(test: str, generator: Generator, n: int, runs: int) -> NDArray[np.float64]:
    import numpy as np

    if test == "adf":
        parts = []
        for start in range(0, runs, 500):
            walks = np.cumsum(generator.normal(size=(min(500, runs - start), n)), axis=1)
            parts.append(adf_statistics(walks))
        return np.concatenate(parts)
    if BREAK_TESTS[test].reads == "levels":
        return np.array(
            [_level_statistic(test, *_walks(generator, n)) for _ in range(runs)], dtype=np.float64
        )
    found = []
    for start in range(0, runs, BATCH):
        rows = min(BATCH, runs - start)
        rent, reference = generator.normal(size=(rows, n)), generator.normal(size=(rows, n))
        found.append(_batch(test, rent, reference, n))
    return np.concatenate(found)


def _batch(
    test: str, rent: NDArray[np.float64], reference: NDArray[np.float64], n: int
) -> NDArray[np.float64]:
    if test in ("cusum", "cusumsq"):
        residuals = recursive_residuals(rent, reference)
        assert not isinstance(residuals, Refusal)
        path = cusum_path(residuals[0]) if test == "cusum" else squares_path(residuals[0])
    elif test == "sup-f":
        path = split_f_statistics(rent, reference, shortest_side(n, 2))
    else:
        path = split_f_statistics(rent, None, shortest_side(n, 1))
    found: NDArray[np.float64] = path.max(axis=-1)
    return found


def _level_statistic(test: str, rent: NDArray[np.float64], reference: NDArray[np.float64]) -> float:
    if test == "engle-granger":
        told = engle_granger(rent, reference)
        assert not isinstance(told, Refusal)
        return told[0]
    if test == "johansen":
        trace = johansen_trace(rent, reference)
        assert trace is not None
        return trace[0]
    shift = BREAK_TESTS[test].shift  # type: ignore[attr-defined]
    found = regime_shift(rent, reference[:, None], shift, most_lags(len(rent)))
    assert found is not None
    return found.adf


def adf_statistics(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ADF statistic of each row, as statsmodels' ``adfuller`` chooses lags by default, all rows at once.

    AIC over 0 to ⌈12·(n/100)^(1/4)⌉ lags on the sample the longest leaves, then the regression with those
    lags on the sample they leave. A test holds it equal to statsmodels.
    """
    import math

    import numpy as np

    n = series.shape[1]
    most = min(math.ceil(12 * math.pow(n / 100, 0.25)), n // 2 - 2)
    criteria = []
    for lags in range(most + 1):
        squares, _ = _dickey_fuller(series, lags, start=most)
        criteria.append((n - 1 - most) * np.log(squares) + 2 * lags)
    chosen = np.argmin(criteria, axis=0)
    found = np.empty(len(series))
    for lags in np.unique(chosen):
        rows = chosen == lags
        found[rows] = _dickey_fuller(series[rows], int(lags), start=int(lags))[1]
    return found


def _dickey_fuller(
    series: NDArray[np.float64], lags: int, *, start: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Residual squares and the t of the lagged level, with a constant, from change ``start`` on."""
    import numpy as np

    n = series.shape[1]
    change = np.diff(series, axis=1)
    parts = [series[:, start : n - 1]]
    parts += [change[:, start - back : n - 1 - back] for back in range(1, lags + 1)]
    design = np.stack(parts, axis=1)
    design = design - design.mean(axis=2, keepdims=True)
    wanted = change[:, start:]
    wanted = wanted - wanted.mean(axis=1, keepdims=True)
    inverse = np.linalg.inv(design @ np.swapaxes(design, 1, 2))
    cross = (design @ wanted[:, :, None])[:, :, 0]
    slopes = (inverse @ cross[:, :, None])[:, :, 0]
    squares = (wanted * wanted).sum(axis=1) - (cross * slopes).sum(axis=1)
    spare = wanted.shape[1] - lags - 2
    return squares, slopes[:, 0] / np.sqrt(inverse[:, 0, 0] * squares / spare)
