"""Files a person names on the command line, read whole within a limit."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from ..records import RentmarkError, UsageError, micros_from_text
from .listing import read_date

LIMIT_BYTES = 64 * 1024 * 1024


def read_input_file(path: Path, what: str) -> bytes:
    """The bytes of a file. Raises RentmarkError where there is none, it is too large, or can't be read."""
    if not path.is_file():
        raise RentmarkError(f"There is no {what} {path}; check the path.")
    try:
        size = path.stat().st_size
        if size > LIMIT_BYTES:
            raise RentmarkError(
                f"{path} is {size / 1024**2:.0f} MB; the limit is {LIMIT_BYTES // 1024**2} MB."
            )
        return path.read_bytes()
    except OSError as error:
        raise RentmarkError(f"{path} can't be read: {error.strerror}.") from None


def write_text_file(path: Path, text: str) -> None:
    """Write a file. Raises RentmarkError where that fails."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RentmarkError(f"{path} can't be written: {error.strerror}.") from None


def read_positive_price(text: str, option: str) -> int:
    """A price above 0 in dollars as micro-USD. Raises UsageError naming the option and its value."""
    try:
        micros = micros_from_text(text)
    except ValueError:
        raise UsageError(f"{option} {text} is not a price; write 2.60.") from None
    if micros <= 0:
        raise UsageError(f"{option} {text} is not above 0; write 2.60.")
    return micros


def read_optional_date(text: str | None, option: str) -> date | None:
    """A date option, or None where it was not given."""
    return None if text is None else read_date(text, option)
