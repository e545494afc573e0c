"""Resolved methodologies by their hash: what every fixing's ``methodology_hash`` stands for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from ..records import RentmarkError, canonical_json
from .instant import Clock, next_stamp
from .tables import METHODOLOGY
from .texts import require_storable


def is_saved(connection: sa.Connection, methodology_hash: str, resolved: Mapping[str, Any]) -> bool:
    """Whether exactly this is kept under the hash already; saving it again needs no write lock."""
    return _saved_text(connection, methodology_hash) == _text(resolved)


def save_methodology(
    connection: sa.Connection, clock: Clock, methodology_hash: str, resolved: Mapping[str, Any]
) -> None:
    """Keep a resolved methodology under its hash, once.

    Raises RentmarkError when other content stands under that hash: it no longer names one thing.
    """
    text = _text(resolved)
    require_storable(f"methodology {methodology_hash}", text)
    known = _saved_text(connection, methodology_hash)
    if known is None:
        connection.execute(
            sa.insert(METHODOLOGY),
            {
                "methodology_hash": methodology_hash,
                "resolved": text,
                "saved_at": next_stamp(connection, clock),
                "saved_at_real": clock.real_now(),
            },
        )
    elif known != text:
        raise RentmarkError(
            f"Methodology {methodology_hash} is kept with other content; its hash must cover all of it."
        )


def methodology(connection: sa.Connection, methodology_hash: str) -> dict[str, Any]:
    """The resolved methodology of a hash. Raises RentmarkError when none is kept."""
    text = _saved_text(connection, methodology_hash)
    if text is None:
        raise RentmarkError(
            f"No methodology is kept under {methodology_hash}; run `rentmark index build` with it first."
        )
    resolved: dict[str, Any] = json.loads(text)
    return resolved


def _text(resolved: Mapping[str, Any]) -> str:
    return canonical_json(dict(resolved)).decode("utf-8")


def _saved_text(connection: sa.Connection, methodology_hash: str) -> str | None:
    """The canonical JSON kept under a hash, or None."""
    return connection.scalar(
        sa.select(METHODOLOGY.c.resolved).where(METHODOLOGY.c.methodology_hash == methodology_hash)
    )
