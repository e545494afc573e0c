"""Resolved methodologies by their hash: what every fixing's ``methodology_hash`` stands for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from ..records import RentmarkError, canonical_json, digest_of
from .database import Database
from .instant import Clock, next_stamp
from .problems import ChainProblem
from .tables import FIXING, METHODOLOGY
from .texts import require_storable

_KEPT_TEXT = sa.select(METHODOLOGY.c.resolved).where(METHODOLOGY.c.methodology_hash == sa.bindparam("asked"))


class KeptRules:
    """Keeps resolved methodologies, and knows those that it has seen kept.

    The database refuses to change them, so that a program of many days asks for each of them once.
    """

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def save(
        self, database: Database, clock: Clock, methodology_hash: str, resolved: Mapping[str, Any]
    ) -> None:
        """Keep a resolved methodology under its hash; the same again changes nothing and needs no write lock.

        Raises RentmarkError as ``save_methodology`` does.
        """
        text = _text(resolved)
        if self._seen.get(methodology_hash) == text:
            return
        with database.reading() as connection:
            kept = _saved_text(connection, methodology_hash) == text
        if not kept:
            with database.writing() as connection:
                save_methodology(connection, clock, methodology_hash, resolved)
        self._seen[methodology_hash] = text


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


def check_methodologies(connection: sa.Connection) -> list[ChainProblem]:
    """Every recorded document that its hash does not fit, and every one that tape rows name and is missing."""
    named = set(connection.scalars(sa.select(FIXING.c.methodology_hash).distinct()))
    query = sa.select(METHODOLOGY.c.methodology_hash, METHODOLOGY.c.resolved)
    problems = []
    for number, (kept_hash, text) in enumerate(connection.execute(query), start=1):
        try:
            fits = digest_of(json.loads(text)) == kept_hash
        except ValueError:
            fits = False
        if not fits:
            sentence = f"The rules kept under {kept_hash} were altered: they do not come to that hash."
            problems.append(
                ChainProblem(
                    code="row_altered", sequence=number, benchmark="methodology", date=None, revision=None,
                    sentence=sentence,
                )
            )  # fmt: skip
        named.discard(kept_hash)
    return problems + [_lost(each) for each in sorted(named)]


def _lost(methodology_hash: str) -> ChainProblem:
    return ChainProblem(
        code="row_altered",
        sequence=0,
        benchmark="methodology",
        date=None,
        revision=None,
        sentence=f"The rules of hash {methodology_hash}, which tape rows name, are missing.",
    )


def _text(resolved: Mapping[str, Any]) -> str:
    return canonical_json(dict(resolved)).decode("utf-8")


def _saved_text(connection: sa.Connection, methodology_hash: str) -> str | None:
    """The canonical JSON kept under a hash, or None."""
    text: str | None = connection.scalar(_KEPT_TEXT, {"asked": methodology_hash})
    return text
