"""A workspace with an invented published benchmark, an account, a blotter and settlements: all invented."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from rentmark.records import Fixing, day_start
from rentmark.workspace import Workspace

FIRST, LAST = date(2026, 3, 1), date(2026, 10, 31)
RULES = """
[accounts.desk]
cash_available_micros = 60_000_000_000

[accounts.desk.benchmarks]
cme-gpu1 = "h100-list"
ice-hpr = "h100-list"

[accounts.thin]
cash_available_micros = 0
benchmarks = { cme-gpu1 = "h100-list" }

[accounts.desk.interest]
credit_rate_percent = "3.6"
"""
BLOTTER = """trade_id,broker,account,date,contract,month,side,lots,price,fees,action,strategy,desk_note
T1,acme,desk,2026-08-03,cme-gpu1,2026-09,buy,10,3.10,,new,,first
T2,acme,desk,2026-08-04,cme-gpu1,2026-09,sell,2,3.15,12.50,new,,
T3,acme,desk,2026-08-05,ice-hpr,2026-09,buy,4,3.001,,new,,
T2,acme,desk,,,,,,3.16,,amend,,
T3,acme,,,,,,,,,cancel,,
T4,acme,desk,2026-09-02,cme-gpu1,2026-09,sell,8,3.05,,new,roll,
T5,acme,desk,2026-09-02,cme-gpu1,2026-10,buy,8,3.04,,new,roll,
T7,acme,thin,2026-08-03,cme-gpu1,2026-10,buy,3,3.10,,new,,
T6,acme,margin-free,2026-08-05,ice-bkl,2026-09,buy,2,5.001,,new,,
"""
SETTLEMENTS = """trade_date,contract,month,settle,bid,ask,volume,open_interest,vintage
2026-08-05,ice-bkl,2026-09,5.005,5.000,5.010,120,15,2026-08-05T21:00:00Z
2026-08-06,ice-bkl,2026-09,4.905,,,120,15,2026-08-06T21:00:00Z
"""
PLAN = """date,contract,month,lots
2026-08-03,cme-gpu1,2026-10,30000
2026-08-04,cme-gpu1,2026-10,-5
"""


def invented_value(day: date) -> int:
    """A value that falls, rises and repeats, in micro-dollars."""
    number = (day - FIRST).days
    return 3_100_000 + 10_000 * ((number * 7) % 23 - 11) - 1_000 * (number % 60)


def publish_invented(folder: Path, benchmark: str = "h100-list") -> None:
    """Put invented fixings on the tape of a workspace, as if published in their time."""
    with Workspace.open(folder, database_url=None).store as store:
        rows = [
            invented_fixing(benchmark, FIRST + timedelta(days=number))
            for number in range((LAST - FIRST).days + 1)
        ]
        store.append_fixings(lambda _tape, _published_at: rows, benchmark)


def invented_fixing(benchmark: str, day: date) -> Fixing:
    value = invented_value(day)
    return Fixing(
        benchmark=benchmark, date=day, value_micros=value, status="OK", rule=None, tier="listed",
        n_observations=9, n_sellers=5, n_votes=5, n_venues=5, gpu_seconds=0, p25_micros=value, p75_micros=value,
        top_weight="0.200000", carried_from=None, methodology="invented", methodology_version="1.0.0",
        methodology_hash="0" * 64, input_digest="1" * 64, effective_at=day_start(day + timedelta(days=1)),
        simulated=False, reconstructed=False, rights="allowed", settlement_grade=False, origin="live",
    )  # fmt: skip


def add_account(folder: Path) -> Path:
    """State the account in the workspace's rules, publish the benchmark, and write the blotter file."""
    with (folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(RULES)
    publish_invented(folder)
    file = folder / "blotter.csv"
    file.write_text(BLOTTER, encoding="utf-8")
    return file


def alter_an_event(folder: Path) -> None:
    """Change the lots of a trade as someone with the database could."""
    with sqlite3.connect(folder / "rentmark.db") as database:
        database.execute("DROP TRIGGER blotter_event_refuses_update")
        changed = database.execute("UPDATE blotter_event SET lots = 11 WHERE sequence = 1")
        assert changed.rowcount == 1
    database.close()


def account_answers(base: Path, ask: Callable[..., Any]) -> dict[str, list[Any]]:
    """Answers of every command about accounts and legs, by the heading that documents them."""
    folder = base / "desk"
    ask("init", folder)
    file = add_account(folder)
    told: dict[str, list[Any]] = {}

    def here(heading: str, *words: str | Path, code: int = 0, at: Path = folder) -> None:
        told.setdefault(heading, []).append(ask(*words, "--workspace", at, code=code))

    bad = base / "bad.csv"
    bad.write_text(BLOTTER.splitlines()[0] + "\nT9,acme,desk,,,,,,3.16,,amend,,\n", encoding="utf-8")
    picture = base / "picture.csv"
    picture.write_bytes(b"\x89PNG\r\n")
    marks = base / "settlements.csv"
    marks.write_text(SETTLEMENTS, encoding="utf-8")
    plan = base / "plan.csv"
    plan.write_text(PLAN, encoding="utf-8")
    ask("settlements", "import", marks, "--workspace", folder)
    for each, code in ((file, 0), (file, 0), (bad, 1), (picture, 1)):
        here("blotter import", "blotter", "import", each, code=code)
    here("blotter events", "blotter", "events")
    damaged = base / "damaged"
    shutil.copytree(folder, damaged)
    alter_an_event(damaged)
    here("blotter events", "blotter", "events", "--account", "desk", code=1, at=damaged)
    here("positions", "positions", "--through", "2026-08-31")
    here("positions", "positions", "--account", "margin-free", "--through", "2026-08-31")
    here("pnl", "pnl", "desk", "--after", "2026-08-31", "--through", "2026-09-30")
    here("pnl", "pnl", "desk", "--through", "2026-08-31")
    here("account", "account", "desk", "--through", "2026-09-15")
    here("account", "account", "desk", "--through", "2026-10-31")
    here("pnl", "pnl", "margin-free", "--through", "2026-08-31")
    here("account", "account", "thin", "--through", "2026-08-31")
    here("account", "account", "margin-free", "--through", "2026-08-31")
    here(
        "account", "account", "plan", "--orders", plan, "--benchmark", "h100-list", "--through", "2026-09-15"
    )
    here("margin", "margin", "cme-gpu1", "2026-12", "--benchmark", "h100-list", "--on", "2026-09-15")
    here("margin", "margin", "ice-bkl", "2026-09", "--on", "2026-08-05")
    fleet = ("lots", "cme-gpu1", "--gpus", "1000", "--from", "2027-01")
    here("lots", *fleet, "--months", "12", "--sizing", "flat")
    here("lots", "lots", "ice-hpr", "--gpus", "-8", "--from", "2027-01", "--months", "1", "--ratio", "0.01")
    here("lots", *fleet, "--months", "1", "--ratio", "0")
    on = ("--benchmark", "h100-list", "--on", "2026-09-15")
    here("legs strip", "legs", "strip", "ice-hpr", "--from", "2026-10", "--months", "3", *on)
    here("legs calendar", "legs", "calendar", "cme-gpu1", "2026-10", "2026-12", *on)
    here("legs grades", "legs", "grades", "cme-gpu1", "ice-hpr", "2026-10", "--lots", "72", *on)
    for contract in ("cme-gpu1", "ice-hpr"):
        here(
            "legs roll", "legs", "roll", contract, "2026-10", "--from", "2026-08-14", "--to", "2026-11-16",
            "--benchmark", "h100-list",
        )  # fmt: skip
    return told
