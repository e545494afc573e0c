"""Seeds: the same one draws the same paths, whatever ran before."""

from __future__ import annotations

import numpy as np

Seed = int | np.random.Generator


def generator(seed: Seed) -> np.random.Generator:
    """A generator of its own for an integer seed; a Generator is used as it stands."""
    return seed if isinstance(seed, np.random.Generator) else np.random.Generator(np.random.PCG64(seed))
