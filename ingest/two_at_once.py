"""Steps that need nothing of each other, two at a time where a payload is large enough to gain by it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")

MANY_ROWS = 100_000
"""From so many rows on work is spread over two cores; below it costs more than it brings."""
_SHORT_TURN_SECONDS = 0.0005
_SHORTENING = threading.Lock()


def each(make: Callable[[T], U], items: Iterable[T], rows: int) -> list[U]:
    """``make`` of each item, in their order; the first error of any is raised."""
    if rows < MANY_ROWS:
        return [make(item) for item in items]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(make, items))


def both(one: Callable[[], T], other: Callable[[], U], rows: int) -> tuple[T, U]:
    """What two steps give; an error of either is raised."""
    if rows < MANY_ROWS:
        return one(), other()
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(other)
        return one(), there.result()


@contextmanager
def short_turns() -> Iterator[None]:
    """Let a thread that waits for Python wait half a millisecond, not five, for one that never pauses.

    Beside a long loop of Python, a step of fifteen calls into libraries would else wait longer than it works.
    """
    # The interval is one for all: whoever was first gives it back.
    if not _SHORTENING.acquire(blocking=False):
        yield
        return
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, _SHORT_TURN_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        _SHORTENING.release()
