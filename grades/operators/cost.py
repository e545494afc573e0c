"""Full cost of a period: all spending, divided by the output that customers could use.

Exact fractions of dollars; what is printed is rounded once to micro-USD, half-even. Failed attempts and
retries stay in the spending. Output of a window that an access breach touches is not acceptable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from ...records import MICROS_PER_USD, RentmarkError, round_fraction
from .cost_account import Breach, CostFile, Failures, Output, Owned, Rented, Slo, hours_covered
from .cost_formulas import (
    HOURS_PER_YEAR,
    OwnedGpu,
    capital_per_year,
    goodput_loss,
    owned_gpu,
    usd_per_million_accepted_tokens,
)
from .service_levels import MLPERF, Goodput, Request, ServiceLevel, slo_goodput
from .upgrades import UpgradeOutcome, judge_upgrades

MILLION = 1_000_000


def micros(usd: Fraction) -> int:
    """Dollars as integer micro-USD, rounded half-even."""
    return round_fraction(usd * MICROS_PER_USD)


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """One line of spending, in dollars."""

    kind: str
    name: str
    usd: Fraction
    cash_usd: Fraction
    """What of it would be saved by stopping: all of it, but for owned GPUs power, colocation and staff."""
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowOutput:
    """What a window counts for. None is unknown; a window in breach counts zero."""

    span: Output
    attempts: Fraction | None
    accepted_tasks: Fraction | None
    accepted_tokens: Fraction | None
    breached_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedHour:
    """An owned GPU-hour that served, in dollars."""

    name: str
    gpu: OwnedGpu


@dataclass(frozen=True, slots=True, kw_only=True)
class CostResult:
    """The account worked out. Dollars are exact fractions; per-unit figures are None with a reason."""

    file: CostFile
    hours: Fraction
    lines: tuple[CostLine, ...]
    owned: tuple[OwnedHour, ...]
    windows: tuple[WindowOutput, ...]
    goodput: Goodput | None
    level: ServiceLevel | None
    accepted_tasks: Fraction | None
    accepted_tokens: Fraction | None
    tasks_reason: str | None
    tokens_reason: str | None
    upgrades: tuple[UpgradeOutcome, ...]
    token_usd_per_million: Fraction | None
    notes: tuple[str, ...]

    @property
    def usd(self) -> Fraction:
        """All spending of the period, C3."""
        return sum((line.usd for line in self.lines), Fraction(0))

    @property
    def cash_usd(self) -> Fraction:
        """What of the spending would be saved by stopping, C1 for owned GPUs."""
        return sum((line.cash_usd for line in self.lines), Fraction(0))

    @property
    def usd_per_successful_task(self) -> Fraction | None:
        """Spending ÷ accepted tasks."""
        return self.usd / self.accepted_tasks if self.accepted_tasks else None

    @property
    def usd_per_million_accepted_tokens(self) -> Fraction | None:
        """Spending ÷ accepted tokens, times a million."""
        return self.usd / self.accepted_tokens * MILLION if self.accepted_tokens else None


def full_cost(file: CostFile, requests: Sequence[Request] | None = None) -> CostResult:
    """Work out an account. ``requests`` is a requests file, judged by the account's ``slo``.

    Raises RentmarkError where requests come without bounds, bounds without requests, or requests lie
    outside the period.
    """
    hours = file.account.hours
    notes: list[str] = []
    lines = [_rented(line, hours, file, notes) for line in file.rented]
    owned = [OwnedHour(name=line.name, gpu=_owned_gpu(line)) for line in file.owned]
    lines += [_owned(line, each.gpu, hours) for line, each in zip(file.owned, owned, strict=True)]
    for spent in file.spending:
        usd = Fraction(spent.usd)
        lines.append(CostLine(kind=spent.kind, name=spent.name, usd=usd, cash_usd=usd))
    running = sum((line.usd for line in lines), Fraction(0))
    for change in file.upgrade:
        usd = Fraction(change.usd)
        lines.append(CostLine(kind="upgrade", name=change.name, usd=usd, cash_usd=usd))
    level = None if file.slo is None else _level(file.slo)
    goodput = _goodput(file, requests, level)
    windows = tuple(_window(window, file.breach) for window in file.output)
    tasks, tasks_reason = _total([w.accepted_tasks for w in windows], "tasks", goodput)
    tokens, tokens_reason = _total([w.accepted_tokens for w in windows], "tokens", goodput)
    notes += _window_notes(file, windows)
    token = file.token
    return CostResult(
        file=file,
        hours=hours,
        lines=tuple(lines),
        owned=tuple(owned),
        windows=windows,
        goodput=goodput,
        level=level,
        accepted_tasks=tasks,
        accepted_tokens=tokens,
        tasks_reason=tasks_reason,
        tokens_reason=tokens_reason,
        upgrades=judge_upgrades(
            file, [(w.span, w.accepted_tasks, w.accepted_tokens) for w in windows], running / hours
        ),
        token_usd_per_million=None
        if token is None
        else usd_per_million_accepted_tokens(
            usd_per_gpu_hour=Fraction(token.usd_per_gpu_hour),
            tokens_per_second_per_gpu=Fraction(token.output_tokens_per_second_per_gpu),
            utilisation=Fraction(token.utilisation),
            acceptance=Fraction(token.acceptance),
            goodput_loss=Fraction(token.goodput_loss),
            overhead_usd_per_million=Fraction(token.overhead_usd_per_million),
        ),
        notes=tuple(notes),
    )


def _loss(line: Rented) -> Fraction:
    if line.failures is not None:
        return failure_loss(line.failures)
    return Fraction(line.goodput_loss or Decimal(0))


def failure_loss(failures: Failures) -> Fraction:
    """The goodput loss g of a failures table."""
    return goodput_loss(
        job_gpus=failures.job_gpus,
        mtbf_gpu_hours=Fraction(failures.mtbf_gpu_hours),
        detect_hours=Fraction(failures.detect_hours),
        checkpoint_hours=Fraction(failures.checkpoint_hours),
        restart_hours=Fraction(failures.restart_hours),
        repair_hours=Fraction(failures.repair_hours),
        blast_radius_gpus=failures.blast_radius_gpus,
        rule=failures.rule,
    )


def _rented(line: Rented, period_hours: Fraction, file: CostFile, notes: list[str]) -> CostLine:
    hours = period_hours if line.hours is None else Fraction(line.hours)
    usd = line.gpus * Fraction(line.usd_per_gpu_hour) * hours
    loss = _loss(line)
    note = None
    if loss >= 1:
        raise RentmarkError(
            f"[[rented]] {line.name}: failures waste every hour (g = 1), so nothing could be produced; "
            "check mtbf_gpu_hours."
        )
    if loss and file.account.output_net_of_downtime:
        notes.append(
            f"{line.name}: output is counted net of downtime, so the goodput loss of {float(loss):.2%} is in it "
            "already and spending is not divided by 1 − g."
        )
    elif loss:
        usd /= 1 - loss
        note = f"divided by 1 − g, g = {float(loss):.4f}"
    return CostLine(kind="rented", name=line.name, usd=usd, cash_usd=usd, note=note)


def _owned_gpu(line: Owned) -> OwnedGpu:
    return owned_gpu(
        capital=capital_per_year(
            Fraction(line.capex_usd_per_gpu),
            Fraction(line.salvage_usd_per_gpu),
            Fraction(line.rate),
            line.life_years,
        ),
        kilowatts=Fraction(line.kilowatts_per_gpu),
        colocation_usd_per_kw_month=Fraction(line.colocation_usd_per_kw_month),
        colocation_bundles_power=line.colocation_bundles_power,
        pue=Fraction(line.pue),
        load=Fraction(line.load),
        usd_per_kwh=Fraction(line.usd_per_kwh),
        maintenance=Fraction(line.maintenance_usd_per_gpu_year),
        staff=Fraction(line.staff_usd_per_gpu_year),
        insurance=Fraction(line.insurance_usd_per_gpu_year),
        availability=Fraction(line.availability),
        utilisation=Fraction(line.utilisation),
    )


def _owned(line: Owned, gpu: OwnedGpu, period_hours: Fraction) -> CostLine:
    """The period's share of a year's cost: an idle owned GPU costs what a busy one does."""
    share = period_hours / HOURS_PER_YEAR * line.gpus
    return CostLine(kind="owned", name=line.name, usd=gpu.full * share, cash_usd=gpu.cash * share)


def _level(slo: Slo) -> ServiceLevel:
    if slo.bounds is not None:
        return MLPERF[slo.bounds]
    own = {"ttft_ms": slo.ttft_ms, "tpot_ms": slo.tpot_ms, "e2e_ms": slo.e2e_ms}
    return ServiceLevel(**{name: float(bound) for name, bound in own.items() if bound is not None})


def _goodput(
    file: CostFile, requests: Sequence[Request] | None, level: ServiceLevel | None
) -> Goodput | None:
    if requests is None:
        if level is not None:
            raise RentmarkError("The account states [slo] and no requests were given; add --requests FILE.")
        return None
    if level is None:
        raise RentmarkError(
            "Requests were given and the account has no [slo]; state the bounds they must meet."
        )
    if file.output:
        raise RentmarkError("Output is stated by [[output]] and by requests; keep one, or it counts twice.")
    outside = [r.at for r in requests if not file.account.start <= r.at < file.account.end]
    if outside:
        raise RentmarkError(
            f"A request of {_shown(outside[0])} lies outside the account's period; widen it or leave that out."
        )
    return slo_goodput(requests, level, [(b.start, b.end) for b in file.breach])


def _shown(instant: datetime) -> str:
    return instant.isoformat().replace("+00:00", "Z")


def _window(window: Output, breaches: Sequence[Breach]) -> WindowOutput:
    tasks = None if window.accepted_tasks is None else Fraction(window.accepted_tasks)
    attempts = None if window.attempts is None else Fraction(window.attempts)
    if attempts is not None and window.slo_met is not None and window.correct is not None:
        tasks = attempts * Fraction(window.slo_met) * Fraction(window.correct)
    tokens = None if window.accepted_tokens is None else Fraction(window.accepted_tokens)
    if tasks is not None and window.tokens_per_task is not None:
        tokens = tasks * Fraction(window.tokens_per_task)
    broken = next((breach.what for breach in breaches if breach.overlaps(window)), None)
    if broken is not None:
        tasks = None if tasks is None else Fraction(0)
        tokens = None if tokens is None else Fraction(0)
    return WindowOutput(
        span=window, attempts=attempts, accepted_tasks=tasks, accepted_tokens=tokens, breached_by=broken
    )


def _total(
    found: Sequence[Fraction | None], what: str, goodput: Goodput | None
) -> tuple[Fraction | None, str | None]:
    """The sum over windows, or None with the reason: an unknown window makes an unknown sum."""
    if goodput is not None:
        total = Fraction(goodput.accepted if what == "tasks" else goodput.accepted_tokens)
    elif not found:
        return None, "no output is stated"
    elif all(value is None for value in found):
        return None, f"no window states its accepted {what}"
    elif any(value is None for value in found):
        return None, f"a window does not state its accepted {what}, so their sum is unknown"
    else:
        total = sum((value for value in found if value is not None), Fraction(0))
    return total, None if total else f"nothing acceptable was produced: accepted {what} are 0"


def _window_notes(file: CostFile, windows: Sequence[WindowOutput]) -> list[str]:
    notes = [
        f"{w.span.name} from {_shown(w.span.start)}: not acceptable, {w.breached_by}. Its spending stays in."
        for w in windows
        if w.breached_by is not None
    ]
    if windows:
        hours = file.account.hours
        silent = hours - hours_covered(w.span for w in windows)
        if silent:
            notes.append(
                f"No output is stated for {float(silent):,.1f} of {float(hours):,.1f} hours; "
                "their spending is in."
            )
    return notes
