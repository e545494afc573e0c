"""Certificates: settlements that a person certified, append-only and chained like the tape."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ..records import digest_of
from .instant import Clock, next_stamp
from .problems import ChainProblem
from .tables import CERTIFICATE
from .texts import require_storable


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Who certified the final settlement price of a contract month on a benchmark, when and why.

    ``price_micros`` is in micro-USD per GPU-hour. ``input_digest`` names what it rests on, where the
    caller states it. The chain runs over all certificates of a workspace.
    """

    contract: str
    month: str
    benchmark: str
    price_micros: int
    who: str
    reason: str
    input_digest: str | None
    simulated: bool
    certified_at: datetime
    certified_at_real: datetime
    previous_digest: str | None
    row_digest: str | None = None


_FIELDS = tuple(field.name for field in fields(Certificate))
_COLUMNS = [CERTIFICATE.c[name] for name in _FIELDS]


def _seal(certificate: Certificate) -> str:
    # absent values stay out, so that a column added later leaves older digests as they are
    content = {name: getattr(certificate, name) for name in _FIELDS if name != "row_digest"}
    return digest_of({name: value for name, value in content.items() if value is not None})


def append_certificate(
    connection: sa.Connection,
    clock: Clock,
    *,
    contract: str,
    month: str,
    benchmark: str,
    price_micros: int,
    who: str,
    reason: str,
    input_digest: str | None,
    simulated: bool,
) -> Certificate:
    """Append a certificate, sealed onto the last one. Raises RentmarkError for text that can't be stored."""
    for name, text in (("--certify", who), ("--reason", reason)):
        require_storable(name, text)
    last = connection.execute(
        sa.select(CERTIFICATE.c.sequence, CERTIFICATE.c.row_digest)
        .order_by(CERTIFICATE.c.sequence.desc())
        .limit(1)
    ).one_or_none()
    certificate = Certificate(
        contract=contract,
        month=month,
        benchmark=benchmark,
        price_micros=price_micros,
        who=who,
        reason=reason,
        input_digest=input_digest,
        simulated=simulated,
        certified_at=next_stamp(connection, clock),
        certified_at_real=clock.real_now(),
        previous_digest=last.row_digest if last else None,
    )
    certificate = replace(certificate, row_digest=_seal(certificate))
    values: dict[str, Any] = {name: getattr(certificate, name) for name in _FIELDS}
    connection.execute(sa.insert(CERTIFICATE), {"sequence": last.sequence + 1 if last else 1} | values)
    return certificate


def certificates(
    connection: sa.Connection,
    contract: str | None,
    month: str | None,
    benchmark: str | None,
    as_of: datetime | None,
) -> list[Certificate]:
    """Certificates in the order they were given; each argument that is not None filters."""
    query = sa.select(*_COLUMNS).order_by(CERTIFICATE.c.sequence)
    for column, wanted in (
        (CERTIFICATE.c.contract, contract),
        (CERTIFICATE.c.month, month),
        (CERTIFICATE.c.benchmark, benchmark),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    if as_of is not None:
        query = query.where(CERTIFICATE.c.certified_at <= as_of)
    return [Certificate(**row) for row in connection.execute(query).mappings()]


def check_certificates(connection: sa.Connection) -> list[ChainProblem]:
    """Recompute every seal and link of the certificates; returns what does not hold, located."""
    problems: list[ChainProblem] = []
    before: str | None = None
    query = sa.select(CERTIFICATE.c.sequence, *_COLUMNS).order_by(CERTIFICATE.c.sequence)
    for row in connection.execute(query).mappings():
        certificate = Certificate(**{name: row[name] for name in _FIELDS})
        where = (
            f"The certificate {certificate.contract} {certificate.month} on {certificate.benchmark} "
            f"(row {row['sequence']})"
        )
        if _seal(certificate) != certificate.row_digest:
            problems.append(
                _problem("row_altered", row, f"{where} was altered: it does not match its digest.")
            )
        if certificate.previous_digest != before:
            problems.append(
                _problem("link_broken", row, f"{where} does not follow the one before it: one is missing.")
            )
        before = certificate.row_digest
    return problems


def _problem(code: Any, row: Any, sentence: str) -> ChainProblem:
    return ChainProblem(
        code=code,
        sequence=row["sequence"],
        benchmark=row["benchmark"],
        date=None,
        revision=None,
        sentence=sentence,
    )
