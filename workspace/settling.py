"""Settle: a contract month on the fixings as they were published."""

from __future__ import annotations

from datetime import date

from ..contracts import (
    Certificate,
    ContractSpec,
    Settlement,
    certify,
    fixings_for_settlement,
    listing_refusal,
    settle,
)
from ..records import RentmarkError, UsageError
from .core import Workspace
from .rulebook import cessation


def settle_month(
    workspace: Workspace,
    contract_name: str,
    month: str,
    benchmark_name: str,
    *,
    certify_by: str | None = None,
    reason: str | None = None,
) -> Settlement:
    """Settle ``month`` (YYYY-MM), with any certificate on record; ``certify_by`` puts one on record.

    Raises UsageError for a month that is none, RentmarkError for a research benchmark, an unknown
    name, or a month that needs no certificate.
    """
    spec = workspace.configuration.contract(contract_name)
    require_known_month(spec, month, workspace.store.now().date())
    benchmark = workspace.configuration.benchmark(benchmark_name)
    if benchmark.research:
        raise RentmarkError(f"{benchmark_name} is a research benchmark: contracts do not settle on it.")
    rows = workspace.store.tape(benchmark_name, revisions="all")
    if not rows:
        raise RentmarkError(
            f"{benchmark_name} has no published fixings; run `rentmark index build {benchmark_name} --publish` first."
        )
    now = workspace.store.now()
    fixings = fixings_for_settlement(spec, month, rows, now)
    on_record = [
        Certificate(
            contract=row.contract,
            month=row.month,
            benchmark=row.benchmark,
            who=row.who,
            reason=row.reason,
            certified_at=row.certified_at,
            price_micros=row.price_micros,
        )
        for row in workspace.store.certificates(contract_name, month, benchmark_name)
    ]
    certificate = on_record[-1] if on_record else None
    end = cessation(workspace, benchmark_name)
    settled = settle(
        spec,
        month,
        fixings,
        benchmark=benchmark_name,
        now=now,
        certificate=certificate,
        ceased_on=None if end is None else end.last_date,
    )
    if certify_by is None:
        if reason is not None:
            raise UsageError("--reason goes with --certify; name who certifies.")
        return settled
    if reason is None:
        raise UsageError("--certify needs --reason; say why the month may settle.")
    given = certify(settled, who=certify_by, reason=reason, certified_at=now)
    if given.price_micros is None:
        raise RentmarkError(f"{contract_name} {month} on {benchmark_name} has no mean to certify.")
    workspace.store.certify(
        contract=given.contract,
        month=given.month,
        benchmark=given.benchmark,
        price_micros=given.price_micros,
        who=given.who,
        reason=given.reason,
    )
    return settle_month(workspace, contract_name, month, benchmark_name)


def require_known_month(spec: ContractSpec, month: str, today: date) -> None:
    """Refuse what is no month of a contract, and one beyond those listed today; past ones were listed.

    Raises UsageError with the month and the months there are.
    """
    refusal = listing_refusal(spec, month, today)
    if refusal is None or refusal.code == "month_expired":
        return
    if refusal.code == "month_off_cycle" or month[:7] > f"{today:%Y-%m}":
        raise UsageError(refusal.sentence)
