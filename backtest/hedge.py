"""The hedge run: a rent book, a benchmark and perhaps a contract in, a judged report out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

from ..contracts import ContractSpec
from ..records import Fixing, Refusal
from .basis import basis_of, stationarity
from .basis_shape import shape_of
from .breakdown import breakdown_of
from .causes import PanelMoves, SecondSource
from .comparing import compare_on
from .effectiveness import effectiveness
from .entry import entry_view
from .hedge_months import EntryRule, contract_months, proxy_months
from .hedge_parts import (
    checked_method,
    known_rent,
    live_from,
    lots_in_words,
    margin_of,
    method_ratios_of,
    methodology_changes,
    next_month,
    origin_of,
    position_of,
    proxy_of,
    regressions_of,
    required_common,
    settlement_basis,
    settlement_shape,
    swing_of,
    why_no_month,
)
from .methods import DEFAULTS, METHODS
from .notes import programme_notes, series_notes, short_history
from .plan import HedgePlan
from .programme import exposures, run_programme, worst_month
from .rent_book import RentBook
from .report_model import HedgeReport, ReferenceDay
from .screens_accounting import accounting_screens
from .sentences import Role, limits_sentence, moved_sentence, verdict_sentence
from .series import first_published, monthly_changes, monthly_means
from .units import unit_question
from .verdict import decide


def hedge(
    rent: RentBook,
    fixings: Sequence[Fixing],
    *,
    benchmark: str,
    now: datetime,
    contract: ContractSpec | None = None,
    role: Role = "buyer",
    gpus: int | None = None,
    ratio_method: str = "ols",
    entry_premium_percent: Decimal = Decimal(0),
    entry_prices_micros: Mapping[str, int] | None = None,
    known_breaks: Sequence[date] = (),
    panel: PanelMoves | None = None,
    second_source: SecondSource | None = None,
    plan: HedgePlan | None = None,
) -> HedgeReport:
    """Judge how much of a rent a hedge on ``benchmark`` would have covered, as seen at ``now``.

    ``fixings`` are all tape rows of the benchmark, every revision, or candidates where it is a
    research benchmark. ``contract`` settles the months; without one the mean of the month's fixings
    stands in and the report says *proxy*. ``gpus`` planned around the clock, or hours in the rent
    file, give lots and bills; with neither, figures are per GPU-hour. ``entry_prices_micros`` are
    the user's own quotes by month (``2026-08``), micro-USD per GPU-hour. ``known_breaks`` are dates to
    test for a break; ``panel`` and ``second_source`` are evidence of what a break was caused by.
    ``plan`` gives the hours of a rent book in place of ``gpus`` and the file's own.

    Raises UsageError for an unknown method, GPUs below 1 or a premium at or below −100 %, and
    RentmarkError when the benchmark has no fixing with a value or shares no date with the rent.
    """
    method = checked_method(ratio_method, gpus, entry_premium_percent).for_side(role)
    tape = [fixing for fixing in fixings if fixing.benchmark == benchmark]
    first = first_published(tape, now)
    rent, unseen = known_rent(rent, now)
    rates = rent.rates
    common = required_common(rent, rates, first, benchmark)
    means = monthly_means(common)
    entry = EntryRule(premium_percent=entry_premium_percent, quotes_micros=entry_prices_micros)
    if contract is None:
        months = proxy_months(rates, first, common, entry)
    else:
        months = contract_months(contract, rates, tape, benchmark=benchmark, now=now, entry=entry)

    monthly = monthly_changes(means)
    regressions = regressions_of(rent, common, monthly, months)
    compared = {name: METHODS[name] for name in DEFAULTS} | {method.name: method}
    judged = {name: effectiveness(each, monthly, side=role) for name, each in compared.items()}
    fixed_until = None if plan is None else plan.fixed_until
    constant = fixed_until is not None or (len(means) > 1 and len(set(rates.values())) == 1)
    verdict = decide(
        judged[method.name],
        regressions["monthly"],
        monthly_change_count=len(monthly),
        rent_is_constant=constant,
    )

    hours = exposures(rent, months, gpus) if plan is None else plan.hours
    programme = run_programme(months, method, role=role, exposure=hours, spec=contract)
    swing = swing_of(judged[method.name], hours, means)
    margin, margin_reason = margin_of(contract, months, programme, first)
    tested = stationarity([each.basis_micros for each in common])
    level = None if isinstance(tested, Refusal) else tested
    changes = methodology_changes(first)
    coming = next_month(months, method, role=role, gpus=gpus, spec=contract, last_rent=max(rates), plan=plan)
    assumed = any(each.entry_source == "flat" for each in months) or not months
    used = [first[each.date] for each in common]
    latest = max(first.values(), key=lambda fixing: fixing.date)
    proxy, proxy_for = proxy_of(contract, benchmark, months)
    doubt = None if rent.unit_confirmed else unit_question(common)

    return HedgeReport(
        rent=rent,
        benchmark=benchmark,
        contract=None if contract is None else contract.id,
        contract_status_line=None if contract is None else contract.status_line,
        official_underlying=None if contract is None else contract.official_underlying,
        role=role,
        method=method.name,
        gpus=gpus,
        entry_premium_percent=entry_premium_percent,
        entry_is_assumed=assumed,
        now=now,
        regressions=regressions,
        method_ratios=method_ratios_of(method, rent, common, monthly, months),
        effectiveness=judged,
        verdict=verdict,
        sentences=(
            verdict_sentence(
                verdict,
                role,
                judged=judged[method.name],
                swing=swing,
                monthly_change_count=len(monthly),
                last_rent_date=max(rates) if fixed_until is None else fixed_until,
                lots=lots_in_words(coming, programme),
            ),
            moved_sentence(
                common,
                role,
                None if level is None else level.p_value,
                None if level is None else level.stable,
            ),
            limits_sentence(role, position_of(programme), entry_is_assumed=assumed),
        ),
        swing=swing,
        basis=basis_of([each.basis_micros for each in common]),
        settlement_basis=settlement_basis(months),
        stationarity=level,
        stationarity_reason=tested.sentence if isinstance(tested, Refusal) else None,
        breakdown=breakdown_of(
            common,
            means,
            tested,
            price_shape=shape_of([each.date for each in common], [each.basis_micros for each in common]),
            settlement_shape=settlement_shape(months),
            spread_evenly=rent.kind == "invoices",
            methodology_changes=changes,
            known_dates=known_breaks,
            panel=panel,
            second=second_source,
        ),
        months=months,
        programme=programme,
        exposure=hours,
        worst=worst_month(programme, role),
        next_month=None if isinstance(coming, Refusal) else coming,
        next_month_reason=coming.sentence if isinstance(coming, Refusal) else None,
        screens=accounting_screens(months, programme, role),
        comparison=compare_on(monthly, judged),
        entry=entry_view(programme, why_no_month(method, months, plan)),
        margin=margin,
        margin_reason=margin_reason,
        common=common,
        reference=tuple(
            ReferenceDay(
                date=fixing.date,
                status=fixing.status,
                value_micros=fixing.value_micros,
                p25_micros=fixing.p25_micros,
                p75_micros=fixing.p75_micros,
            )
            for fixing in first.values()
        ),
        proxy=proxy,
        proxy_for=proxy_for,
        simulated=rent.simulated or any(fixing.simulated for fixing in first.values()),
        reconstructed=any(fixing.reconstructed for fixing in first.values()),
        origin=origin_of(used),
        live_from=live_from(used),
        fixing_state="candidate" if any(each.state == "candidate" for each in used) else "published",
        methodology=f"{latest.methodology} {latest.methodology_version}",
        methodology_hash=latest.methodology_hash,
        methodology_changes=changes,
        unit_question=doubt,
        notes=(
            *rent.notes,
            *([f"{unseen} rent dates after {now.date()} were not used."] if unseen else []),
            *([] if doubt is None else [doubt]),
            *short_history(len(monthly)),
            *series_notes(sorted(rates), common, means, first, tape),
            *programme_notes(
                rent,
                months,
                programme,
                gpus=gpus,
                has_contract=contract is not None,
                premium_percent=entry_premium_percent,
                hours_note=None if plan is None else plan.note(),
            ),
        ),
    )
