"""What a person asks of an account: positions, profit and loss, the statement; and orders tried out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from ..contracts.account import AccountRun, explain_profit, fill_orders
from ..contracts.account.orders_file import read_orders
from ..records import RentmarkError, UsageError
from .core import Workspace
from .desk import MARK_SOURCES, Desk, MarkSource, Sources, account_names, blotter_trades
from .desk_rows import positions_row, profit_row, statement_row
from .input_files import read_input_file
from .views import AsOf


def positions(
    workspace: Workspace,
    account: str | None,
    *,
    benchmarks: Sequence[str] = (),
    as_of: AsOf | None = None,
    through: date | None = None,
    mark_source: str = "best",
) -> dict[str, Any]:
    """The documented JSON of `positions`: of one account, or of all in the blotter, as brokers reported."""
    names = account_names(workspace, as_of) if account is None else (account,)
    if not names:
        raise RentmarkError("No trades yet. Run `rentmark blotter import FILE`.")
    source = read_mark_source(mark_source)
    found = []
    for name in names:
        sources = Sources(
            workspace, name, benchmarks=benchmarks, as_of=as_of, through=through, mark_source=source
        )
        desk = sources.desk(blotter_trades(workspace, name, as_of))
        found.append(positions_row(desk, desk.run(as_reported=True)))
    return {"accounts": found}


def profit(
    workspace: Workspace,
    account: str,
    *,
    benchmarks: Sequence[str] = (),
    as_of: AsOf | None = None,
    after: date | None = None,
    through: date | None = None,
    mark_source: str = "best",
    explain: bool = False,
) -> dict[str, Any]:
    """The documented JSON of `pnl`: what an account made after one day up to another, and why."""
    sources = Sources(
        workspace,
        account,
        benchmarks=benchmarks,
        as_of=as_of,
        through=through,
        mark_source=read_mark_source(mark_source),
    )
    desk = sources.desk(blotter_trades(workspace, account, as_of))
    run = _run(desk, as_reported=True)
    explained = explain_profit(run, desk.views, after=after, through=desk.through)
    return profit_row(desk, run, explained, explain=explain)


def statement(
    workspace: Workspace,
    account: str,
    *,
    orders: Path | None = None,
    benchmarks: Sequence[str] = (),
    as_of: AsOf | None = None,
    through: date | None = None,
    mark_source: str = "best",
    liquidity_days: int = 20,
    explain: bool = False,
) -> dict[str, Any]:
    """The documented JSON of `account`: of the blotter's trades, or of orders filled at stated marks.

    Calls are met out of the cash the account's rules state, and closed out by rule where they are not.
    """
    if liquidity_days < 1:
        raise UsageError(f"--liquidity-days {liquidity_days} is no number of days; ask for at least 1.")
    sources = Sources(
        workspace,
        account,
        benchmarks=benchmarks,
        as_of=as_of,
        through=through,
        mark_source=read_mark_source(mark_source),
    )
    if orders is None:
        desk = sources.desk(blotter_trades(workspace, account, as_of))
    else:
        desk = _try_orders(workspace, sources, orders)
    return statement_row(desk, _run(desk, as_reported=False), liquidity_days=liquidity_days, explain=explain)


def _run(desk: Desk, *, as_reported: bool) -> AccountRun:
    run = desk.run(as_reported=as_reported)
    if not run.days:
        raise RentmarkError(f"Account {desk.name} has no trades up to {desk.through}; ask for a later day.")
    return run


def _try_orders(workspace: Workspace, sources: Sources, path: Path) -> Desk:
    """A desk of orders filled at the marks of their days: every fill is simulated, and says so.

    Raises RentmarkError, in one sentence, for a row that can't be read or an order that can't be filled.
    """
    known = workspace.configuration.contracts
    orders = read_orders(read_input_file(path, "orders file"), path.name, known)
    late = [order for order in orders if order.day > sources.through]
    if late:
        raise RentmarkError(
            f"order {late[0].order_id} is of {late[0].day}, after {sources.through}; "
            "leave it out or ask for a later day."
        )
    contracts = {order.contract for order in orders}
    marks = {
        key: sources.marks(key, [order.day for order in orders if order.key == key])
        for key in {order.key for order in orders}
    }
    views = {name: view for name in contracts if (view := sources.view(name)) is not None}
    specs = {name: sources.spec(name) for name in contracts}
    return sources.desk(fill_orders(specs, orders, marks, sources.rules, views))


def read_mark_source(text: str) -> MarkSource:
    """Read ``--marks``; raises UsageError for what is none."""
    for source in MARK_SOURCES:
        if text == source:
            return source
    raise UsageError(f"--marks is {text!r}; it is {', '.join(MARK_SOURCES)}.")
