"""Programmes and comparisons on the invented sample, asked through the command line."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

PROGRAMMES = """
[programmes.strip]
instruments = [{ contract = "weekly", benchmark = "h100-list" }]
method = "naive"
rent_chip = "H200"

[programmes.capped-stack]
instruments = [{ contract = "weekly", benchmark = "h100-list" }]
style = "stack"
months_ahead = 2
method = "ols"
max_ratio = 0.5
max_lots = 40

[programmes.far]
instruments = [{ contract = "cme-gpu1" }]
months_ahead = 3
"""
"""Rules on a contract that settles on whatever fixings there are, and on one whose months go to determination."""


def settlements() -> str:
    """A settlement of the invented contract on the last days of June to August 2026, one corrected later."""
    lines = ["trade_date,contract,month,settle,bid,ask,volume,open_interest,vintage"]
    for month, first, last in (
        ("2026-07", date(2026, 6, 29), date(2026, 7, 31)),
        ("2026-08", date(2026, 7, 30), date(2026, 8, 31)),
        ("2026-09", date(2026, 8, 30), date(2026, 8, 31)),
    ):
        day = first
        while day <= last:
            lines.append(f"{day},weekly,{month},2.900,,,,,{day}")
            day += timedelta(days=1)
    lines.append("2026-06-30,weekly,2026-07,2.950,,,,,2026-08-01")
    return "\n".join(lines) + "\n"


def summer(rent: str) -> str:
    """The rent file from the last days of June 2026 on."""
    header, *rows = rent.splitlines()
    return "\n".join([header, *(row for row in rows if row[:10] >= "2026-06-25"), ""])


def hedge_answers(folder: Path, ask: Callable[..., Any]) -> dict[str, list[Any]]:
    """Answers of `hedge programme` and `hedge compare` in a workspace of the sample with the weekly contract."""
    told: dict[str, list[Any]] = {"hedge programme": [], "hedge compare": []}
    with (folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(PROGRAMMES)
    rent, late = folder / "rent.csv", folder / "summer.csv"
    late.write_text(summer(rent.read_text(encoding="utf-8")), encoding="utf-8")
    broken = folder / "broken.csv"
    broken.write_text("price\n3\n", encoding="utf-8")

    def programme(*words: str | Path) -> Any:
        told["hedge programme"].append(ask("hedge", "programme", *words, "--workspace", folder))
        return told["hedge programme"][-1]

    def compare(*words: str | Path, code: int = 0) -> Any:
        told["hedge compare"].append(ask("hedge", "compare", *words, "--workspace", folder, code=code))
        return told["hedge compare"][-1]

    programme(rent, "-p", "strip", "--gpus", "64")
    programme(late, "-p", "far", "--benchmark", "h100-list")
    programme(rent, "-p", "capped-stack", "--role", "provider")
    marks = folder / "settlements.csv"
    marks.write_text(settlements(), encoding="utf-8")
    ask("settlements", "import", marks, "--workspace", folder)
    programme(late, "-p", "strip")
    compare(rent, broken, "--contracts", "weekly,cme-gpu1", "--benchmarks", "h100-list")
    compare(rent, "--benchmarks", "h100-list", "--methods", "naive,dcc")
    compare(late, "--benchmarks", "h100-list")
    compare(broken, "--benchmarks", "h100-list", code=1)
    return told
