"""What a report says beside an interval: how often such a one held the truth in the study."""

from __future__ import annotations

from .measured import MEASURED, MEASURED_RUNS

TOO_SHORT_BELOW = 90.0


def coverage_range(quantity: str, interval: str, n: int) -> tuple[float, float, int] | None:
    """Least and most coverage in percent over the processes, and the studied n it is taken from.

    That n is the largest one studied that is not above n, or the smallest one there is: a longer
    history is never promised a shorter one's luck. None for an interval that was not studied.
    """
    sizes = sorted({key[3] for key in MEASURED if key[:2] == (quantity, interval)})
    if not sizes:
        return None
    size = max((each for each in sizes if each <= n), default=sizes[0])
    shares = [
        value for key, value in MEASURED.items() if (key[0], key[1], key[3]) == (quantity, interval, size)
    ]
    return min(shares), max(shares), size


def coverage_note(quantity: str, interval: str, n: int) -> str | None:
    """Coverage in words, with *too short* where a process left it under 90 %."""
    found = coverage_range(quantity, interval, n)
    if found is None:
        return None
    least, most, size = found
    verdict = "too short: " if least < TOO_SHORT_BELOW else ""
    span = f"{least:.1f} %" if least == most else f"{least:.1f} to {most:.1f} %"
    return f"{verdict}held the truth in {span} of {MEASURED_RUNS:,} simulated cases at n = {size}"
