"""The report of a soak, from what was counted."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Sequence
from datetime import UTC, datetime

from .faults import Kind
from .year import PAGES, Account

KINDS: dict[Kind, str] = {
    "kill": "a command killed (`kill -9`) at a random moment",
    "full disk": "a disk with 0 to 150 KB left during a command",
    "clock back": "a clock 30 hours back between collecting and building",
    "clock forward": "a clock 49 hours ahead for a morning",
    "twice": "two crons at the same moment, every command twice",
    "restart": "the database server stopped at once and started again during a command",
}


def page(accounts: Sequence[Account], command: str) -> str:
    """The whole page; ``command`` repeats the run."""
    made = f"{datetime.now(UTC):%Y-%m-%d} on {platform.machine()}, Python {platform.python_version()}"
    lines = [
        "# Days with faults",
        "",
        "<!-- written by proof/soak.py -->",
        "",
        (
            f"Run on {made}, by `{command}`; `make soak` lives a year on each database. A simulated market on loopback is collected, built, published and watched "
            "with the real commands, a process each, every simulated day; a dashboard serves it all the time. On days "
            "drawn by a seed something breaks; then cron comes again, an hour later. The market has its own story: "
            "four days without an answer, a list three times as long, every fifth price unreadable, a jump of 30 %, "
            "three of five sellers gone for days, and a feed that renames its columns, which a person answers with a "
            "mapping. What must be true was written down before (`proof/soaking/checks.py`) and is checked after "
            "each fault and at the end, against the same days with nobody in the way."
        ),
        "",
        _table(["", *(a.database for a in accounts)], _counts(accounts)),
        "",
        "## Faults",
        "",
        "Given, and in brackets how many met the command at work rather than before or after it.",
        "",
        _table(["fault", *(a.database for a in accounts)], _faults(accounts)),
        "",
        "## Memory, file handles, time",
        "",
        _table(["", *(a.database for a in accounts)], _standing(accounts)),
        "",
        "## What must be true",
        "",
        (
            "After each fault: every payload that was sent is in the ledger once, with the counts of the undisturbed "
            "days and all of its files; no file is left that no batch names, and no temporary one; stamps only "
            "increase; each date stands on the tape once and none is left out; `index verify` passes. At the end "
            "also: `index verify --level 2` finds every payload identical; each row of the tape has the value, rule, "
            "inputs and rules of the undisturbed days; every alarm of theirs was told, and none without cause; "
            "the ledger keeps every drift alarm. A restart or a full disk ends a command in one sentence or not at all. "
            "The server answers every page each day, its handles do not grow, and its memory stands still while "
            "the data do."
        ),
        "",
        *_violations(accounts),
        "",
        "## What a wrong clock leaves",
        "",
        (
            "A clock that was ahead is not undone: stamps never go back, so what is published until the time it "
            "showed has passed is stamped later than it was, and is *backcast* where that is beyond the grace of "
            "a day. A clock that is behind refuses what was observed after the time it shows "
            "(`future_time`); `rentmark ingest FEED --again` reads the same bytes again when it is right. Keep the "
            "machine's time by NTP, and collect hours after the day."
        ),
    ]
    return "\n".join(lines) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)])


def _counts(accounts: Sequence[Account]) -> list[list[str]]:
    return [
        ["simulated days", *(f"{a.days}" for a in accounts)],
        ["seed", *(f"{a.seed}" for a in accounts)],
        ["commands run", *(f"{a.commands:,}" for a in accounts)],
        ["kills survived", *(f"{a.hit['kill']} of {a.hit['kill']}" for a in accounts)],
        ["batches checked, records in them", *(f"{a.batches:,}, {a.records:,}" for a in accounts)],
        ["rows of the tape checked (backcast)", *(f"{a.rows:,} ({a.backcast})" for a in accounts)],
        ["times verified", *(f"{a.verified:,}" for a in accounts)],
        ["alarms of `watch` expected, told", *(f"{a.alarms_expected}, {a.alarms_told}" for a in accounts)],
        ["… told a second time, after a kill or by the other cron", *(f"{a.told_again}" for a in accounts)],
        [
            "drift alarms expected, in the ledger, told by `collect`",
            *(f"{a.drift_expected}, {a.drift_kept}, {a.drift_told}" for a in accounts),
        ],
        ["files of killed commands set aside", *(f"{a.strays}" for a in accounts)],
        ["lost, doubled or not as expected", *(f"{len(a.violations)}" for a in accounts)],
        ["minutes", *(f"{a.seconds / 60:.0f}" for a in accounts)],
    ]


def _faults(accounts: Sequence[Account]) -> list[list[str]]:
    return [
        [text, *(f"{a.faults[kind]} ({a.hit[kind]})" if a.faults[kind] else "–" for a in accounts)]
        for kind, text in KINDS.items()
    ]


def _standing(accounts: Sequence[Account]) -> list[list[str]]:
    def spread(values: Sequence[float]) -> str:
        tenth = max(1, len(values) // 10)
        early, late = values[tenth : 2 * tenth] or values, values[-tenth:]
        return f"{statistics.median(early):.1f} → {statistics.median(late):.1f}"

    rows = [
        ["requests answered by the server", *(f"{a.served:,}" for a in accounts)],
        ["its file handles, second and last tenth of the days", *(spread(a.handles) for a in accounts)],
        ["its memory, MB, second and last tenth of the days", *(spread(a.server_mb) for a in accounts)],
        [
            f"its memory, MB, before, in the middle of and after rounds of {len(PAGES)} requests on data that stand still",
            *(", ".join(f"{mb:.0f}" for mb in a.resting_mb) for a in accounts),
        ],
    ]
    for step in accounts[0].seconds_of:
        rows.append([f"`{step}`: seconds", *(spread(a.seconds_of[step]) for a in accounts)])
        rows.append([f"`{step}`: peak memory, MB", *(spread(a.peaks_of[step]) for a in accounts)])
    return rows


def _violations(accounts: Sequence[Account]) -> list[str]:
    found = [f"- {a.database}: {sentence}" for a in accounts for sentence in a.violations]
    return ["What did not hold:", "", *found] if found else ["All of it held."]
