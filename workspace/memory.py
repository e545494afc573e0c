"""Giving memory back between large steps, so that a long run of files peaks no higher than one."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

LARGE_PAYLOAD_BYTES = 16 * 1024 * 1024
"""From this size on it is worth the milliseconds."""
_KEPT_MILLISECONDS = 100
"""Long enough for the next slice of rows to take what the last one left."""


@contextmanager
def memory_for(payload_bytes: int) -> Iterator[None]:
    """Have Arrow keep the memory of large pieces for the next ones, and give it back in the end.

    Its usual pool, mimalloc, returns each to the system and gets it anew, blanked: measured on a million rows, a
    sixth of all processor time. jemalloc, or the C library where Arrow was built without, does not.
    """
    if payload_bytes <= LARGE_PAYLOAD_BYTES:
        yield
        return
    import pyarrow as pa

    jemalloc = "jemalloc" in pa.supported_memory_backends()
    before = pa.default_memory_pool()
    if jemalloc:
        pa.jemalloc_set_decay_ms(_KEPT_MILLISECONDS)
    pa.set_memory_pool(pa.jemalloc_memory_pool() if jemalloc else pa.system_memory_pool())
    try:
        yield
    finally:
        give_back_memory()
        pa.set_memory_pool(before)


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
