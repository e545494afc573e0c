"""Hedge programmes: rules from rentmark.toml or a file, run on the tape and the marks of the store."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..records import RentmarkError, UsageError
from .core import Workspace
from .desk import Sources
from .input_files import read_input_file, write_text_file
from .views import AsOf

if TYPE_CHECKING:
    from ..backtest.programmes import Instrument, ProgrammeRun, ProgrammeSpec

NO_ACCOUNT = ""
"""A name no account has: the rules are then the defaults."""


def programme_named(workspace: Workspace, name: str) -> tuple[str, ProgrammeSpec]:
    """A programme of rentmark.toml by name, or of a TOML file by its path, with the name it goes by.

    Raises RentmarkError where there is neither, and UsageError for rules that can't stand.
    """
    if name in workspace.configuration.programmes:
        return name, workspace.configuration.programmes[name]
    path = Path(name)
    if path.suffix.lower() == ".toml":
        return path.stem, _from_file(path)
    return name, workspace.configuration.programme(name)


def _from_file(path: Path) -> ProgrammeSpec:
    from ..backtest.programmes import read_programme

    payload = read_input_file(path, "programme file")
    try:
        values = tomllib.loads(payload.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path.name} can't be read: {error}.") from None
    except RecursionError:
        raise UsageError(f"{path.name} can't be read: its values are nested too deeply.") from None
    return read_programme(values, path.name)


def run_programme_on(
    workspace: Workspace,
    programme: str,
    rent_name: str,
    rent: bytes,
    *,
    role: Literal["buyer", "provider"] = "buyer",
    gpus: int | None = None,
    benchmarks: Sequence[str] = (),
    as_of: AsOf | None = None,
) -> ProgrammeRun:
    """Run a programme day by day on a rent file, as known now or at an as-of instant.

    ``benchmarks`` are ``NAME`` for every contract or ``CONTRACT=NAME`` for one, and go before the
    programme's own, these before the account's. Raises RentmarkError where a contract has no benchmark or
    nothing is published, and UsageError for a reconstructed view.
    """
    from ..backtest import read_rent
    from ..backtest.programmes import run_hedge_programme

    if as_of is not None and as_of.reconstructed:
        raise UsageError("a programme runs on the tape; leave --reconstructed out.")
    name, rules = programme_named(workspace, programme)
    account = NO_ACCOUNT if rules.account is None else rules.account
    if rules.account is not None and rules.account not in workspace.configuration.accounts:
        raise RentmarkError(
            f"programme {name} names account {rules.account!r}; add [accounts.{rules.account}]."
        )
    stated = _stated(benchmarks)
    whole = [
        f"{each.contract}={found}"
        for each in rules.instruments
        if (found := stated.get(each.contract) or stated.get("") or each.benchmark)
    ]
    sources = Sources(workspace, account, benchmarks=whole, as_of=as_of)
    now = workspace.store.now() if as_of is None else as_of.instant
    return run_hedge_programme(
        name,
        rules,
        read_rent(rent, rent_name, today=now.date(), simulated=workspace.store.simulated),
        [instrument_of(workspace, sources, each.contract, as_of) for each in rules.instruments],
        role=role,
        now=now,
        gpus=gpus,
        rules=sources.rules,
    )


def _stated(benchmarks: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in benchmarks:
        contract, _, name = text.rpartition("=")
        if contract in found:
            raise UsageError(f"--benchmark {text} names a benchmark for the same contract twice; keep one.")
        found[contract] = name
    return found


def instrument_of(workspace: Workspace, sources: Sources, contract: str, as_of: AsOf | None) -> Instrument:
    """A contract with the tape it fixes on and its settlements as first published, as known then.

    Raises RentmarkError where no benchmark is named for it or nothing of it is published.
    """
    from ..backtest.programmes import Instrument, first_prints
    from ..store.marks import mark_rows

    view = sources.view(contract)
    if view is None:
        raise RentmarkError(
            f"No benchmark is named for {contract}; name one with --benchmark {contract}=NAME or in the programme."
        )
    rows = mark_rows(workspace.store, contract)
    if as_of is not None:
        rows = [row for row in rows if row.recorded_at is not None and row.recorded_at <= as_of.instant]
    stated, corrected = first_prints(rows)
    return Instrument(view=view, stated=stated, corrected=corrected)


def programme_row(run: ProgrammeRun) -> dict[str, Any]:
    """The documented JSON of `hedge programme`."""
    from ..backtest.programmes import programme_to_json

    return programme_to_json(run)


def write_programme_page(run: ProgrammeRun, path: Path, *, command: str | None = None) -> None:
    """Write the self-contained HTML page of a run; raises RentmarkError where the file can't be written."""
    from ..backtest.programmes import render_programme

    write_text_file(path, render_programme(run, command=command))
