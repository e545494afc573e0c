"""Giving memory back between large steps, so that a long run of files peaks no higher than one."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

LARGE_PAYLOAD_BYTES = 16 * 1024 * 1024
"""From this size on it is worth the milliseconds."""


def give_back_memory() -> None:
    """Return what Arrow and the C library hold in reserve to the system; does nothing where neither can."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Any:
    """The function of the GNU C library; None with another one."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
