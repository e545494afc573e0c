"""One way to write a value as bytes, and its SHA-256: what every digest in Rentmark stands on."""

from __future__ import annotations

import hashlib
import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from .instants import format_instant


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no canonical form")


def canonical_json(value: Any) -> bytes:
    """Write a value as UTF-8 JSON with sorted keys, no spaces, and no NaN.

    Raises TypeError for a type without a canonical form and ValueError for NaN or infinity.
    """
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain
    )
    return text.encode("utf-8")


def sha256_hex(payload: bytes) -> str:
    """The SHA-256 of bytes as 64 hexadecimal digits."""
    return hashlib.sha256(payload).hexdigest()


def digest_of(value: Any) -> str:
    """The SHA-256 of a value's canonical JSON."""
    return sha256_hex(canonical_json(value))
