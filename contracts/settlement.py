"""Settle one contract month on one benchmark: exact, as published, or not at all.

The final settlement price is the arithmetic mean of the month's fixings,
``FSP_m = (1/N) Σ S_d``, summed in integer micro-dollars and rounded half-even once, to the
contract's decimals. What is missing decides whether there is a price: none missing settles, a
little needs a certificate, more goes to determination, which prints none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

from ..records import STATUSES_OBSERVED, Fixing, Origin, UsageError, divide_half_even, format_instant
from .calendars import fixing_days, unit_gpu_hours
from .in_month import InMonth
from .outcome import (
    CARRIED_NOT_COUNTED,
    NO_TAPE_ROW,
    Certificate,
    MissingDay,
    Settlement,
    SettlementDay,
    SettlementStatus,
    Withheld,
)
from .spec import ContractSpec, contract_hash
from .vintage import counts_at, effective_instants


def settle(
    spec: ContractSpec,
    month: str,
    fixings: Mapping[date, Fixing],
    *,
    benchmark: str,
    now: datetime,
    certificate: Certificate | None = None,
    proxy: bool | None = None,
) -> Settlement:
    """Settle ``month`` (``2026-08``) of a contract on the fixings of ``benchmark`` known at ``now``.

    ``fixings`` holds one tape row per date, as published (see ``fixings_for_settlement``); rows of
    other months may be among them, and the last of them effective before ``now`` is the flat
    expectation of an accruing month. Rows not effective at ``now`` are not looked at. OK and THIN
    count, CARRIED only where the contract says so, GAP and an absent row never.

    A month is ``accruing`` until its last expected fixing is effective. Any backcast, unpublished
    or restated fixing leaves only an indicative price. ``proxy`` is decided by comparing the
    benchmark with the contract's ``official_benchmark`` unless stated; a fixing that is not of
    settlement grade makes it true in any case. ``certificate`` counts where the status is
    ``certify``, from its ``certified_at`` on, and only for the price it certified.

    Raises UsageError where the month is no month, a row is filed under another date or belongs to
    another benchmark, a revision is from after ``now``, ``now`` has no zone, or the certificate is
    for another month.
    """
    _check_fixings(fixings, benchmark, now)
    _check_certificate(certificate, (spec.id, month, benchmark))
    expected = fixing_days(spec, month)
    effective = effective_instants(expected, fixings)
    effective_at = max(effective.values())
    accruing = effective_at > now
    vintage_instant = min(now, effective_at)

    days = tuple(_day(spec, day, fixings.get(day), pending=effective[day] > now) for day in expected)
    counted = [fixings[day.date] for day in days if day.counted]
    missing = tuple(MissingDay(date=d.date, reason=d.reason or "") for d in days if d.state == "missing")
    longest_gap = _longest_run(day.state == "missing" for day in days)
    outcome = _status(spec, len(expected), len(missing), longest_gap)
    status: SettlementStatus = "accruing" if accruing else outcome

    expectation = _last_known(spec, fixings, now)
    seen = [fixings[d.date] for d in days if d.state != "pending" and d.date in fixings]
    in_month = _in_month(days, counted, expectation, outcome) if accruing else None
    rests_on = [*seen, expectation] if accruing and expectation is not None else seen

    mean = _mean(spec, counted) if status in {"settled", "certify"} else None
    certified, withheld = _certified(status, mean, certificate, now)
    if certified is not None:
        status = "settled"
    restated = any(not counts_at(row, vintage_instant) for row in counted)
    withheld += _withheld_by_origin(counted, restated=restated) if mean is not None else ()
    proxy_reason = _proxy_reason(spec, benchmark, seen, proxy)
    averaged = in_month.total if in_month is not None else len(counted)

    return Settlement(
        contract=spec.id,
        contract_hash=contract_hash(spec),
        month=month,
        benchmark=benchmark,
        official_underlying=spec.official_underlying,
        proxy=proxy_reason is not None,
        proxy_reason=proxy_reason,
        status=status,
        origin=_origin(counted),
        expected=len(expected),
        elapsed=sum(day.state != "pending" for day in days),
        fixings=len(counted),
        longest_gap=longest_gap,
        missing=missing,
        final_settlement_price_micros=None if withheld else mean,
        indicative_price_micros=mean if withheld else None,
        withheld=withheld,
        certified_by=None if certified is None else certified.who,
        certified_reason=None if certified is None else certified.reason,
        certified_at=None if certified is None else certified.certified_at,
        unit_gpu_hours=unit_gpu_hours(spec, month),
        simulated=any(row.simulated for row in rests_on),
        reconstructed=any(row.reconstructed for row in rests_on),
        restated=restated,
        effective_at=effective_at,
        in_month=in_month,
        days=tuple(replace(d, weight=Fraction(1, averaged)) if d.counted else d for d in days),
    )


def _check_fixings(fixings: Mapping[date, Fixing], benchmark: str, now: datetime) -> None:
    if now.tzinfo is None:
        raise UsageError(f"now is {now.isoformat()}, which states no time zone; give it in UTC.")
    for day, row in fixings.items():
        if row.date != day:
            raise UsageError(f"the fixing of {row.date} is filed under {day}; file it under its own date.")
        if row.benchmark != benchmark:
            raise UsageError(
                f"the fixing of {day} belongs to {row.benchmark}, not to {benchmark}; settle on one benchmark."
            )
        if row.revision > 0 and row.effective_at <= now and not counts_at(row, now):
            raise UsageError(
                f"the fixing of {day} is revision {row.revision}, not yet published at {format_instant(now)}; "
                "hand in the revision known then."
            )


def _check_certificate(certificate: Certificate | None, subject: tuple[str, str, str]) -> None:
    if certificate is None:
        return
    named = (certificate.contract, certificate.month, certificate.benchmark)
    if named != subject:
        raise UsageError(
            f"the certificate is for {named[0]} {named[1]} on {named[2]}, "
            f"not for {subject[0]} {subject[1]} on {subject[2]}; use it there."
        )


def _counts(spec: ContractSpec, row: Fixing) -> bool:
    if row.value_micros is None:
        return False
    return row.status in STATUSES_OBSERVED or (row.status == "CARRIED" and spec.counts_carried)


def _day(spec: ContractSpec, day: date, row: Fixing | None, *, pending: bool) -> SettlementDay:
    if pending:
        return SettlementDay(date=day, state="pending", weight=Fraction(0))
    if row is None:
        return SettlementDay(date=day, state="missing", weight=Fraction(0), reason=NO_TAPE_ROW)
    counted = _counts(spec, row)
    reason = None
    if not counted:
        reason = CARRIED_NOT_COUNTED if row.status == "CARRIED" else (row.rule or row.status)
    return SettlementDay(
        date=day,
        state="counted" if counted else "missing",
        weight=Fraction(0),
        value_micros=row.value_micros,
        status=row.status,
        origin=row.origin,
        reason=reason,
        revision=row.revision,
        row_digest=row.row_digest,
    )


def _longest_run(flags: Iterable[bool]) -> int:
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest


def _status(spec: ContractSpec, expected: int, missing: int, longest_gap: int) -> SettlementStatus:
    if missing == 0:
        return "settled"
    rule = spec.missing_index
    covered = 100 * (expected - missing) >= rule.certify_coverage_percent * expected
    if covered and missing < expected and longest_gap <= rule.certify_longest_gap_days:
        return "certify"
    return "determination"


def _mean(spec: ContractSpec, counted: Sequence[Fixing]) -> int:
    """The mean in micro-dollars, rounded half-even once to the contract's decimals."""
    total = sum(row.value_micros for row in counted if row.value_micros is not None)
    step: int = 10 ** (6 - spec.final_price_decimals)
    return divide_half_even(total, len(counted) * step) * step


def _last_known(spec: ContractSpec, fixings: Mapping[date, Fixing], now: datetime) -> Fixing | None:
    known = [row for row in fixings.values() if row.effective_at <= now and _counts(spec, row)]
    return max(known, key=lambda row: (row.effective_at, row.date), default=None)


def _in_month(
    days: Sequence[SettlementDay], counted: Sequence[Fixing], expectation: Fixing | None, outcome: str
) -> InMonth:
    pending = sum(day.state == "pending" for day in days)
    return InMonth(
        known=len(counted),
        total=len(counted) + pending,
        remaining=pending,
        already_missing=len(days) - len(counted) - pending,
        known_sum_micros=sum(row.value_micros for row in counted if row.value_micros is not None),
        expectation_micros=None if expectation is None else expectation.value_micros,
        expectation_date=None if expectation is None else expectation.date,
        on_course=outcome,
    )


def _certified(
    status: SettlementStatus, mean: int | None, certificate: Certificate | None, now: datetime
) -> tuple[Certificate | None, tuple[Withheld, ...]]:
    """The certificate that holds, and what keeps the final price back before origins are looked at."""
    if status == "accruing":
        return None, ("accruing",)
    if status == "determination":
        return None, ("determination",)
    if status == "settled":
        return None, ()
    if certificate is None or certificate.certified_at > now:
        return None, ("certificate_needed",)
    if certificate.price_micros is not None and certificate.price_micros != mean:
        return None, ("certificate_differs",)
    return certificate, ()


def _withheld_by_origin(counted: Sequence[Fixing], *, restated: bool) -> tuple[Withheld, ...]:
    reasons: list[Withheld] = []
    if any(row.state == "candidate" for row in counted):
        reasons.append("candidate")
    if any(row.state == "published" and row.origin != "live" for row in counted):
        reasons.append("backcast")
    if restated:
        reasons.append("restated")
    return tuple(reasons)


def _origin(counted: Sequence[Fixing]) -> Origin | None:
    """Live only where every counting fixing was published in its time; None where none counts."""
    if not counted:
        return None
    return "live" if all(row.origin == "live" for row in counted) else "backcast"


def _proxy_reason(
    spec: ContractSpec, benchmark: str, rows: Sequence[Fixing], stated: bool | None
) -> str | None:
    """Why the benchmark is a proxy, or None where it is the contract's official underlying."""
    reasons = []
    if benchmark != spec.official_benchmark if stated is None else stated:
        reasons.append(f"{benchmark} stands in for {spec.official_underlying}")
    if any(not row.settlement_grade for row in rows):
        reasons.append(f"{benchmark} is not of settlement grade")
    return "; ".join(reasons) or None
