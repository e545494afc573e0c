"""What a report says beside a test: how often it rejects a true null at about this n."""

from __future__ import annotations

from .sizes import SIZES, SIZES_RUNS


def measured_sizes(test: str, n: int) -> tuple[dict[str, float], int] | None:
    """Rejections of a true null in percent by process, and the studied n they are taken from.

    That n is the largest one studied that is not above n, or the smallest one there is. None for a
    test that was not studied.
    """
    sizes = sorted({key[2] for key in SIZES if key[0] == test})
    if not sizes:
        return None
    size = max((each for each in sizes if each <= n), default=sizes[0])
    found = {key[1]: value for key, value in SIZES.items() if key[0] == test and key[2] == size}
    return found, size


def size_note(test: str, n: int) -> str | None:
    """The sizes in words: ``rejects a true null in 5.1 % (independent), 9.0 % (AR(0.5)) …``."""
    found = measured_sizes(test, n)
    if found is None:
        return None
    shares, size = found
    told = ", ".join(f"{value:.1f} % ({process})" for process, value in shares.items())
    return (
        f"at a nominal 5 % it rejects a true null in {told} of {SIZES_RUNS:,} simulated cases at n = {size}"
    )
