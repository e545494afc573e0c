"""Steps that need nothing of each other, two at a time where a payload is large enough to gain by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")

MANY_ROWS = 100_000
"""From so many rows on work is spread over two cores; below it costs more than it brings."""


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
