"""Settle one contract month on one benchmark: exact, as published, or not at all.

The final settlement price is the arithmetic mean of the month's fixings,
``FSP_m = (1/N) Σ S_d``, or ``Σ w_d S_d / Σ w_d`` where the contract weighs them by days, summed in
integer micro-dollars and rounded half-even once, to the contract's decimals. What is missing decides
whether there is a price: none missing settles, a little needs a certificate, more goes to
determination, which prints none. A contract may fill a missing day with an earlier value; it says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from ..records import Fixing, Origin, UsageError, divide_half_even, format_instant
from .calendars import fixing_weights, unit_gpu_hours
from .in_month import InMonth
from .month_days import MonthDays, counts, longest_run, month_days
from .outcome import (
    INDEX_CEASED,
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
    ceased_on: date | None = None,
) -> Settlement:
    """Settle ``month`` (``2026-08``) of a contract on the fixings of ``benchmark`` known at ``now``.

    ``fixings`` holds one tape row per date, as published (see ``fixings_for_settlement``); rows of
    other months may be among them, and the last of them effective before ``now`` is the flat
    expectation of an accruing month. Rows not effective at ``now`` are not looked at. OK and THIN
    count, CARRIED only where the contract says so, GAP and an absent row never; a contract whose
    rule is ``latest_published`` then takes the latest value before that day.

    A month is ``accruing`` until its last expected fixing is effective. Any backcast, unpublished
    or restated fixing leaves only an indicative price. ``proxy`` is decided by comparing the
    benchmark with the contract's ``official_benchmark`` unless stated; a fixing that is not of
    settlement grade makes it true in any case. ``certificate`` counts where the status is
    ``certify``, from its ``certified_at`` on, and only for the price it certified. ``ceased_on`` is the
    last fixing date of a benchmark that has ended: a day after it is missing because of that.

    Raises UsageError where the month is no month, a row is filed under another date or belongs to
    another benchmark, a revision is from after ``now``, ``now`` has no zone, or the certificate is
    for another month.
    """
    _check_fixings(fixings, benchmark, now)
    _check_certificate(certificate, (spec.id, month, benchmark))
    weights = fixing_weights(spec, month)
    effective = effective_instants(weights, fixings)
    effective_at = max(effective.values())
    accruing = effective_at > now
    vintage_instant = min(now, effective_at)

    found = month_days(spec, weights, fixings, effective, now)
    if ceased_on is not None:
        found = replace(found, days=tuple(_after_the_end(day, ceased_on) for day in found.days))
    days, counted = found.days, found.counted
    missing = tuple(MissingDay(date=d.date, reason=d.reason or "") for d in days if d.state == "missing")
    longest_gap = longest_run(day.state == "missing" for day in days)
    outcome = _status(spec, len(days), len(missing), longest_gap)
    status: SettlementStatus = "accruing" if accruing else outcome

    expectation = _last_known(spec, fixings, now)
    seen = [fixings[d.date] for d in days if d.state != "pending" and d.date in fixings]
    seen += [row for day, row in found.rows.items() if row.date != day]
    in_month = _in_month(found, expectation, outcome) if accruing else None
    rests_on = [*seen, expectation] if accruing and expectation is not None else seen

    mean = _mean(spec, found) if status in {"settled", "certify"} else None
    certified, withheld = _certified(status, mean, certificate, now)
    if certified is not None:
        status = "settled"
    restated = any(not counts_at(row, vintage_instant) for row in counted)
    withheld += _withheld_by_origin(counted, restated=restated) if mean is not None else ()
    proxy_reason = _proxy_reason(spec, benchmark, seen, proxy)

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
        expected=len(days),
        elapsed=sum(day.state != "pending" for day in days),
        fixings=sum(day.state == "counted" for day in days),
        longest_gap=longest_gap,
        missing=missing,
        filled=sum(day.state == "filled" for day in days),
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
        days=found.with_shares(),
        ceased_on=ceased_on if ceased_on is not None and ceased_on < days[-1].date else None,
    )


def _after_the_end(day: SettlementDay, ceased_on: date) -> SettlementDay:
    ended = day.state == "missing" and day.reason == NO_TAPE_ROW and day.date > ceased_on
    return replace(day, reason=INDEX_CEASED) if ended else day


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


def _status(spec: ContractSpec, expected: int, missing: int, longest_gap: int) -> SettlementStatus:
    if missing == 0:
        return "settled"
    rule = spec.missing_index
    covered = 100 * (expected - missing) >= rule.certify_coverage_percent * expected
    if covered and missing < expected and longest_gap <= rule.certify_longest_gap_days:
        return "certify"
    return "determination"


def _mean(spec: ContractSpec, found: MonthDays) -> int:
    """The mean in micro-dollars, rounded half-even once to the contract's decimals."""
    step: int = 10 ** (6 - spec.final_price_decimals)
    return divide_half_even(found.weighted_sum_micros, found.counted_weight * step) * step


def _last_known(spec: ContractSpec, fixings: Mapping[date, Fixing], now: datetime) -> Fixing | None:
    known = [row for row in fixings.values() if row.effective_at <= now and counts(spec, row)]
    return max(known, key=lambda row: (row.effective_at, row.date), default=None)


def _in_month(found: MonthDays, expectation: Fixing | None, outcome: str) -> InMonth:
    known = sum(day.counted for day in found.days)
    pending = sum(day.state == "pending" for day in found.days)
    return InMonth(
        known=known,
        total=known + pending,
        remaining=pending,
        already_missing=len(found.days) - known - pending,
        known_sum_micros=found.weighted_sum_micros,
        expectation_micros=None if expectation is None else expectation.value_micros,
        expectation_date=None if expectation is None else expectation.date,
        on_course=outcome,
        known_weight=found.counted_weight,
        remaining_weight=found.pending_weight,
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
