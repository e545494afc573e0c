"""docs/json.md is what `--json` prints: every key is documented, every documented key occurs, nulls have reasons."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from rentmark.cli.app import app
from rentmark.records import seal
from rentmark.workspace import Workspace
from typer.main import get_command

from tests.journeys.account_made import account_answers
from tests.journeys.book_made import book_answers
from tests.journeys.breaks_made import break_answers
from tests.journeys.collecting_made import collecting_answers
from tests.journeys.forward_made import forward_answers
from tests.journeys.governing_made import governing_answers
from tests.journeys.hedges_made import hedge_answers
from tests.journeys.json_page import PAGE, Reading, homes, sections, tree_of
from tests.journeys.operators_made import operator_answers
from tests.journeys.review_made import review_answers
from tests.journeys.serving_made import serve_answer
from tests.journeys.typed import ask

OWN_RULES = """
[methodologies.traded]
version = "1.0.0"
inputs = ["trade", "listed"]
vote = ["observation"]
weights = "volume"
estimator = "volume_weighted_median"
min_sellers = 2
min_gpu_hours = 200
fallback = "carry"
carry_days = 2

[benchmarks.h100-traded]
grade = "h100-sxm"
methodology = "traded"

[benchmarks.h100-study]
grade = "h100-sxm"
methodology = "list-median"
research = true

[methodologies.adjusted]
version = "1.0.0"
inputs = ["listed"]

[[methodologies.adjusted.adjustments.factors]]
field = "form_factor"
from = "PCIe"
to = "SXM"
factor = "1.2"
effective_from = 2026-01-01

[benchmarks.h100-adjusted]
grade = "h100-sxm-on-demand"
methodology = "adjusted"

[methodologies.too-strict]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 99

[benchmarks.h100-gaps]
grade = "h100-sxm"
methodology = "too-strict"

[methodologies.capped]
version = "1.0.0"
inputs = ["trade", "listed"]
vote = ["observation"]
weights = "volume"
estimator = "volume_weighted_median"
cap = "0.34"
min_sellers = 3

[benchmarks.h100-capped]
grade = "h100-sxm"
methodology = "capped"

[methodologies.screened]
version = "1.0.0"
inputs = ["listed"]
screen = { robust_z = "0.5", floor = "0.001" }

[benchmarks.h100-screened]
grade = "h100-sxm"
methodology = "screened"

[methodologies.as-sofr]
preset = "sofr"

[methodologies.too-few-to-screen]
version = "1.0.0"
inputs = ["listed"]
screen = { robust_z = "3", min_votes = 99, jump = { move = "0.5", others = 1, others_move = "0.1" } }

[benchmarks.h100-unscreened]
grade = "h100-sxm"
methodology = "too-few-to-screen"

[contracts.weekly]
name = "invented contract that settles on whatever fixings there are"
exchange = "none, invented"
chip = "H100"
status_line = "invented, not listed"
listed = false
official_underlying = "h100-list"
official_benchmark = "h100-list"
unit_rule = "fixed"
fixed_gpu_hours = 100
tick_micros = 10000
averaging = "every_day"
last_trade = "last_fixing_day"
missing_index = { certify_coverage_percent = 1, certify_longest_gap_days = 31 }
"""
INVOICES = """start,end,amount_usd,gpu_hours
2026-06-01,2026-06-30,2900.00,1000
2026-07-01,2026-07-31,3000.00,1000
2026-08-01,2026-08-31,2800.00,1000
2026-08-15,2026-08-20,many,1000
"""
"""Invented; the last row is refused."""
CORRECTION_OF_A_SAMPLE_TRADE = 0.10
"""Dollars taken off the price of one trade of the sample file."""


def corrected_trade(trades: str) -> str:
    """A file with a correction of the last trade of a sample file, and a column that nobody reads."""
    header, *rows = trades.splitlines()
    cells = dict(zip(header.split(","), rows[-1].split(","), strict=True))
    cells["status"] = "corrected"
    cells["reported_at"] = "2026-09-07T00:00:00Z"
    cells["price_usd_per_gpu_hour"] = (
        f"{float(cells['price_usd_per_gpu_hour']) - CORRECTION_OF_A_SAMPLE_TRADE:.4f}"
    )
    return f"{header},desk\n{','.join(cells.values())},7\n"


def forge_the_last_fixing(folder: Path, benchmark: str) -> None:
    """Change the end of a tape as someone with the database could: value and digest, so that the chain holds."""
    last = Workspace.open(folder, database_url=None).store.tape_sequence(benchmark)[-1]
    assert last.value_micros is not None
    forged = replace(last, value_micros=last.value_micros + 250_000)
    with sqlite3.connect(folder / "rentmark.db") as database:
        triggers = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            database.execute(f'DROP TRIGGER "{name}"')
        changed = database.execute(
            "UPDATE fixing SET value_micros = ?, row_digest = ? WHERE row_digest = ?",
            (forged.value_micros, seal(forged), last.row_digest),
        )
        assert changed.rowcount == 1
    database.close()


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Answers of every command by the heading that documents them."""
    base = tmp_path_factory.mktemp("documented")
    told: dict[str, list] = {heading: [] for heading in sections()}
    folder, simulated = base / "w", base / "simulated"

    def here(heading: str, *words: str | Path, code: int = 0, at: Path = folder):
        answer = ask(*words, "--workspace", at, code=code)
        told[heading].append(answer)
        return answer

    told["demo"].append(ask("demo", simulated, "--days", "40"))
    told["init"] += [ask("init", folder, "--sample"), ask("init", base / "bare")]
    with (folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(OWN_RULES)
    told["feeds"].append(ask("feeds"))
    told["grade name"] += [
        ask("grade", "H100 SXM5 80GB"),
        ask("grade", "A100"),
        ask("grade", "MIG 1g.5gb", code=1),
    ]

    here("ingest", "ingest", "tabular", folder / "offers.csv")
    here("ingest", "ingest", "tabular", folder / "offers.csv")
    here("ingest", "ingest", "trades", folder / "trades.csv")
    here("ingest", "ingest", "tabular", folder / "rent.csv", code=1)
    here("rejects", "rejects")
    here("rejects", "rejects", "--batch", "1", "--reason", "missing_price", "--limit", "1")

    here("market", "market")
    here("index build", "index", "build", "h100-list")
    here("index show", "index", "show", "h100-list", "--last", "60")
    here("index publish", "index", "publish", "h100-list", "--through", "2026-07-31")
    here("index build", "index", "build", "h100-list", "--publish")
    here("index build", "index", "build", "h100-traded", "--publish")
    here("index build", "index", "build", "h100-study")
    here("index build", "index", "build", "h100-gaps", "--publish")
    here("index build", "index", "build", "h100-list", "--as-of", "2026-08-01", "--reconstructed")
    here("index show", "index", "show", "h100-list")
    here("index show", "index", "show", "h100-traded")
    (folder / "correction.csv").write_text(corrected_trade((folder / "trades.csv").read_text()))
    here("ingest", "ingest", "trades", folder / "correction.csv")
    here("batches", "batches")
    here(
        "index restate", "index", "restate", "h100-traded", "2026-08-31", "--reason", "a trade was corrected"
    )
    here("index revisions", "index", "revisions", "h100-traded")
    for benchmark, day in (
        ("h100-list", "2026-08-14"),
        ("h100-list", "2026-07-05"),
        ("h100-list", "2026-07-02"),
        ("h100-traded", "2026-08-31"),
        ("h100-study", "2026-08-14"),
        ("h100-list", "2026-07-20"),  # a seller enters
    ):
        here("index explain", "index", "explain", benchmark, day)
    here("grade list", "grade", "list")
    for place in ("1:0", "1:5"):
        here("grade explain", "grade", "explain", place)
    here(
        "grade calibrate", "grade", "calibrate", "--grade", "h100-sxm-on-demand",
        "--field", "form_factor", "--from", "PCIe", "--to", "SXM",
    )  # fmt: skip
    here("index build", "index", "build", "h100-adjusted")
    here("index explain", "index", "explain", "h100-adjusted", "2026-08-14")
    for benchmark, day in (
        ("h100-capped", "2026-08-30"),
        ("h100-screened", "2026-08-14"),
        ("h100-unscreened", "2026-08-14"),
    ):
        here("index build", "index", "build", benchmark)
        here("index explain", "index", "explain", benchmark, day)
    here("index compare", "index", "compare", "h100-list")
    here("index compare", "index", "compare", "h100-list", "h100-traded", "--csv", base / "days.csv")
    here("index presets", "index", "presets")
    here("index presets", "index", "presets", "sofr")
    handed = ("--output", base / "tape.csv", "--archive", base / "handed")
    here("index export", "index", "export", "h100-list", *handed)
    here("index export", "index", "export", "h100-list", "--output", base / "again.csv")
    told["index verify"].append(
        ask("index", "verify", "--published", base / "tape.csv", handed[2], handed[3])
    )
    here("index verify", "index", "verify")
    here("index verify", "index", "verify", "h100-traded", "--level", "2")

    here("market", "market")
    here("market", "market", "--as-of", "2026-08-01", "--reconstructed")

    told["index review"] += review_answers(folder, ask)

    told["serve"].append(serve_answer(folder))

    here("contracts", "contracts")
    here("contracts NAME", "contracts", "cme-gpu1")
    here("contracts NAME", "contracts", "weekly")
    for contract, month, benchmark in (
        ("cme-gpu1", "2026-08", "h100-list"),
        ("ice-hpr", "2026-07", "h100-list"),
        ("cme-gpu1", "2024-03", "h100-list"),
        ("weekly", "2050-12", "h100-list"),
        ("weekly", "2050-12", "h100-gaps"),
        ("weekly", "2026-07", "h100-list"),
    ):
        here("Settlement", "settle", contract, month, "--benchmark", benchmark)
    here(
        "Settlement", "settle", "ice-hpr", "2026-07", "--benchmark", "h100-list",
        "--certify", "a person", "--reason", "one day of 31",
    )  # fmt: skip
    for month in ("2023-09", "2023-10", "2023-11"):
        here("Settlement", "settle", "cme-gpu1", month, "--benchmark", "h100-list", at=simulated)

    rent, invoices, short = folder / "rent.csv", base / "invoices.csv", base / "short.csv"
    invoices.write_text(INVOICES)
    short.write_text("date,rate_usd_per_gpu_hour\n2026-08-03,3.00\n")
    here("Hedge report", "hedge", rent, "--benchmark", "h100-list")
    here("Hedge report", "hedge", rent, "--benchmark", "h100-list", "--contract", "cme-gpu1")
    here("Hedge report", "hedge", rent, "--benchmark", "h100-list", "--contract", "weekly", "--gpus", "64")
    here("Hedge report", "hedge", rent, "--benchmark", "h100-list", "--gpus", "64", "--method", "naive")
    here("Hedge report", "hedge", invoices, "--benchmark", "h100-study", "--role", "provider")
    here("Hedge report", "hedge", short, "--benchmark", "h100-traded")
    rising = base / "rising.csv"  # a provider's price that only rises has no bad month
    rates = (f"{date(2023, 5, 3) + timedelta(days=n)},{2 + n / 1000:.3f}\n" for n in range(1_216))
    rising.write_text("date,rate_usd_per_gpu_hour\n" + "".join(rates))
    here("Hedge report", "hedge", rising, "--benchmark", "h100-list", "--role", "provider")
    (base / "book").mkdir()
    told["Hedge report"] += book_answers(base / "book", folder, ask)
    hedged = base / "hedged"
    shutil.copytree(folder, hedged)
    for heading, answered in hedge_answers(hedged, ask).items():
        told[heading] += answered

    (base / "accounts").mkdir()
    for heading, answered in account_answers(base / "accounts", ask).items():
        told[heading] += answered
    (base / "collecting").mkdir()
    for heading, answered in collecting_answers(base / "collecting", ask).items():
        told[heading] += answered
    (base / "operators").mkdir()
    for heading, answered in operator_answers(base / "operators", ask).items():
        told[heading] += answered

    (base / "breaks").mkdir()
    for heading, answered in break_answers(base / "breaks", ask).items():
        told[heading] += answered

    (base / "governing").mkdir()
    for heading, answered in governing_answers(base / "governing", ask).items():
        told[heading] += answered
    (base / "forward").mkdir()
    for heading, answered in forward_answers(base / "forward", ask).items():
        told[heading] += answered

    damaged = base / "damaged"
    shutil.copytree(folder, damaged)
    forge_the_last_fixing(damaged, "h100-list")
    here("index verify", "index", "verify", "h100-list", code=1, at=damaged)
    here("index review", "index", "review", "h100-list", "--from", "2026-08-12", at=damaged)
    for payload in (damaged / "archive" / "raw").rglob("*"):
        if payload.is_file():
            payload.chmod(0o644)
            payload.write_bytes(payload.read_bytes()[:-1])
    here("index verify", "index", "verify", "--level", "2", code=1, at=damaged)
    return told


PRINTED = [h for h in sections() if h[0].islower() and h not in ("settle", "hedge report")] + [
    "Settlement",
    "Hedge report",
]
"""Headings of the page that document a whole answer; settle and hedge print one object each."""


@pytest.fixture(scope="module")
def readings(answers):
    """Each command's answers held against its table."""
    held = {heading: Reading(tree_of(heading)) for heading in PRINTED}
    for heading, reading in held.items():
        for answer in answers[heading]:
            reading.read(answer)
    return held


@pytest.mark.parametrize("heading", PRINTED)
def test_every_key_is_documented_with_its_type_and_every_absent_figure_has_a_reason(
    readings, answers, heading
):
    assert answers[heading], "no answer was asked for"
    problems = sorted(readings[heading].problems)
    assert not problems, "docs/json.md and the answer differ:\n" + "\n".join(problems)


def test_every_documented_key_occurs(readings):
    met = set().union(*(reading.met for reading in readings.values()))
    missing = sorted(homes() - met)
    assert not missing, "documented, and no command asked above printed it:\n" + "\n".join(missing)


def leaves(command, words: tuple[str, ...] = ()) -> set[str]:
    """The commands that print something, by the words that call them."""
    inner = getattr(command, "commands", None)
    if inner is None:
        return {" ".join(words)}
    return set().union(*(leaves(each, (*words, name)) for name, each in inner.items()))


def test_every_command_has_its_table():
    documented = {h.removesuffix(" --all") for h in sections() if h[0].islower()} - {"contracts NAME"}
    assert sorted(leaves(get_command(app)) - documented) == [], "commands without a table in docs/json.md"
    assert sorted(documented - leaves(get_command(app))) == [], "tables of no command"


def test_every_row_of_a_table_says_what_the_key_means():
    tables = PAGE.read_text(encoding="utf-8").split("\n### ", 1)[1]
    rows = [line.strip("| ").split(" | ") for line in tables.splitlines() if line.startswith("| `")]
    assert [cells[0] for cells in rows if len(cells) != 3] == []


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"unhedged": "1.000000"}, "hedged is missing"),
        ({"unhedged": "1.0", "hedged": "1.000000"}, "unhedged is '1.0', which is no usd"),
        ({"unhedged": None, "hedged": "1.000000"}, "unhedged is null and no reason stands beside it"),
        ({"unhedged": "1.000000", "hedged": "1.000000", "more": 1}, "more is not documented"),
    ],
)
def test_a_key_that_breaks_the_page_is_found(answer, problem):
    reading = Reading(tree_of("Swing"))
    reading.read(answer)
    assert reading.problems == {problem}


def test_not_a_number_is_no_number():
    reading = Reading(tree_of("Effectiveness"))
    reading.read(dict.fromkeys(tree_of("Effectiveness").keys, float("nan")) | {"reason": "a test"})
    assert "in_sample is nan, which is no number" in reading.problems
