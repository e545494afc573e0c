"""Hedge: a rent file against a benchmark, and the report of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..records import RentmarkError, UsageError
from .attributions import attributions_of
from .books import NO_FILES, OwnFiles, OwnRent, with_study
from .break_evidence import panel_moves, second_source
from .core import Workspace
from .showing import fixings_for_use

if TYPE_CHECKING:
    from ..backtest import HedgeReport

RENT_LIMIT_BYTES = 20 * 1024 * 1024


def read_rent_file(path: Path) -> bytes:
    """The bytes of a rent file; raises RentmarkError where there is none or it is too large."""
    if not path.is_file():
        raise RentmarkError(f"There is no rent file {path}; check the path.")
    size = path.stat().st_size
    if size > RENT_LIMIT_BYTES:
        raise RentmarkError(
            f"{path} is {size / 1024**2:.0f} MB; the limit is {RENT_LIMIT_BYTES // 1024**2} MB."
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise RentmarkError(f"{path} can't be read: {error.strerror}.") from None


def read_premium(text: str) -> Decimal:
    """An entry premium in percent; raises UsageError for what is no number."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise UsageError(f"--entry-premium {text} is not a number of percent; write 2.5.") from None
    if not value.is_finite():
        raise UsageError(f"--entry-premium {text} is not finite; write 2.5.")
    return value


def hedge_rent(
    workspace: Workspace,
    rent_name: str,
    rent: bytes,
    benchmark_name: str,
    *,
    contract_name: str | None = None,
    role: Literal["buyer", "provider"] = "buyer",
    gpus: int | None = None,
    method: str = "ols",
    entry_premium_percent: Decimal = Decimal(0),
    provider: str | None = None,
    second_source_name: str | None = None,
    break_dates: Sequence[date] = (),
) -> HedgeReport:
    """Judge how much of a rent a hedge on the benchmark would have covered, as of the workspace's clock.

    ``provider`` is whom one rents from, as the panel names it; ``second_source_name`` a benchmark to hold
    steps of the gap against; ``break_dates`` are tested for a break.
    """
    from ..backtest import read_rent

    own = OwnRent(
        rent=read_rent(
            rent, rent_name, today=workspace.store.now().date(), simulated=workspace.store.simulated
        )
    )
    return hedge_own(
        workspace,
        own,
        benchmark_name,
        contract_name=contract_name,
        role=role,
        gpus=gpus,
        method=method,
        entry_premium_percent=entry_premium_percent,
        provider=provider,
        second_source_name=second_source_name,
        break_dates=break_dates,
    )


def hedge_own(
    workspace: Workspace,
    own: OwnRent,
    benchmark_name: str,
    *,
    contract_name: str | None = None,
    role: Literal["buyer", "provider"] | None = None,
    gpus: int | None = None,
    method: str = "ols",
    entry_premium_percent: Decimal = Decimal(0),
    provider: str | None = None,
    second_source_name: str | None = None,
    break_dates: Sequence[date] = (),
    files: OwnFiles = NO_FILES,
) -> HedgeReport:
    """The same for a rent already read: a plain file, or a book of contracts with the files beside it.

    ``role`` of a book is its own unless it is given here. Raises UsageError where both differ, or GPUs
    are given beside a book's plan.
    """
    from ..backtest import hedge

    if own.role is not None and role is not None and role != own.role:
        raise UsageError(f"--role {role} contradicts {own.rent.name}, whose role is {own.role}; keep one.")
    if own.plan is not None and gpus is not None:
        raise UsageError(f"--gpus {gpus} has no use with a rent book; write gpus in {own.rent.name}.")
    side = role or own.role or "buyer"
    fixings = fixings_for_use(workspace, benchmark_name)
    if not workspace.configuration.benchmark(benchmark_name).research:
        fixings = workspace.store.tape(benchmark_name, revisions="all")
    now = workspace.store.now()
    contract = None if contract_name is None else workspace.configuration.contract(contract_name)
    if contract is not None and workspace.configuration.benchmark(benchmark_name).research:
        raise RentmarkError(
            f"{benchmark_name} is a research benchmark: contracts do not settle on it; leave --contract out."
        )
    report = hedge(
        own.rent,
        fixings,
        benchmark=benchmark_name,
        now=now,
        contract=contract,
        role=side,
        gpus=gpus,
        ratio_method=method,
        entry_premium_percent=entry_premium_percent,
        known_breaks=break_dates,
        panel=panel_moves(workspace, benchmark_name, provider=provider),
        second_source=None if second_source_name is None else second_source(workspace, second_source_name),
        plan=own.plan,
    )
    report = replace(report, attributions=attributions_of(workspace, benchmark_name))
    return with_study(workspace, report, own, files, provider=provider)


def write_report(report: HedgeReport, path: Path, *, command: str | None = None) -> None:
    """Write the self-contained HTML report, with the command that made it at the foot of its first page.

    Raises RentmarkError where the file can't be written.
    """
    from ..backtest import render_report

    try:
        path.write_text(render_report(report, command=command), encoding="utf-8")
    except OSError as error:
        raise RentmarkError(f"{path} can't be written: {error.strerror}.") from None
