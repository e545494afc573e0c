"""Random numbers and exponentials that have the same bits on every machine.

``Generator.standard_normal`` may change between NumPy releases and ``exp`` differs in its last bit
between mathematical libraries; either could turn a digit of a price, and with it the digest of a
payload. So this module uses only what is exact or correctly rounded everywhere: the raw output of
PCG64, integer sums, and elementwise + − × ÷ √ on doubles (IEEE 754).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_TERMS: Final = 12
_HALVINGS: Final = 10
_TAYLOR_ORDER: Final = 8


def stream(seed: int, *purpose: int) -> np.random.PCG64:
    """A stream of raw 64-bit numbers for one purpose, independent of the streams of others.

    Separate streams keep one part of the market unchanged when another draws more numbers.
    """
    return np.random.PCG64(np.random.SeedSequence([seed, *purpose]))


def uniforms(bits: np.random.PCG64, *shape: int) -> Floats:
    """Doubles in [0, 1) with 53 random bits, filled in row order."""
    count = int(np.prod(shape))
    raw = np.asarray(bits.random_raw(count), dtype=np.uint64)
    return ((raw >> np.uint64(11)).astype(np.float64) * 2.0**-53).reshape(shape)


def normals(bits: np.random.PCG64, *shape: int) -> Floats:
    """Draws with mean 0 and variance 1, close to normal, within ±6: the sum of twelve uniforms less 6.

    The twelve 32-bit halves of six raw numbers are summed as integers, so the sum is exact in any order.
    """
    count = int(np.prod(shape))
    raw = np.asarray(bits.random_raw(count * _TERMS // 2), dtype=np.uint64).reshape(count, _TERMS // 2)
    low = (raw & np.uint64(0xFFFFFFFF)).astype(np.int64).sum(axis=1)
    high = (raw >> np.uint64(32)).astype(np.int64).sum(axis=1)
    centred = low + high - (_TERMS // 2) * (2**32 - 1)
    draws: Floats = (centred.astype(np.float64) * 2.0**-32).reshape(shape)
    return draws


def exponential(exponent: Floats) -> Floats:
    """Raise e to each element, for |exponent| ≤ 20, within about 1e-12 of the true value.

    The Taylor polynomial of order 8 at exponent/1024, then squared ten times.
    """
    reduced = exponent * 2.0**-_HALVINGS
    result = np.ones_like(reduced)
    for order in range(_TAYLOR_ORDER, 0, -1):
        result = result * reduced / order + 1.0
    for _ in range(_HALVINGS):
        result = result * result
    return result


def round_to_step(values: Floats, step: int) -> Integers:
    """The nearest multiple of ``step`` (ties to even), at least one step."""
    multiples: Integers = np.maximum(np.rint(values / step), 1.0).astype(np.int64)
    return multiples * step


def dollars(ten_thousandths: int) -> str:
    """Write a whole number of $0.0001 as dollars with four decimals: ``24900`` is ``2.4900``."""
    whole, rest = divmod(ten_thousandths, 10_000)
    return f"{whole}.{rest:04d}"
