"""What stands in the folder before a page begins, and what a page takes for granted on its way. All invented."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.docs.blocks import Block
from tests.journeys.account_made import PLAN, SETTLEMENTS, add_account
from tests.journeys.typed import type_words

Preparation = Callable[[Path], None]


def done(*words: str | Path) -> None:
    said = type_words(*words)
    assert said.code == 0, f"{words}: {said.out}{said.err}"


def make_sample(folder: Path) -> None:
    """The quickstart of the README up to the published benchmark; beside it the strict one, built."""
    done("init", folder, "--sample")
    for feed, name in (("tabular", "offers.csv"), ("trades", "trades.csv")):
        done("ingest", feed, folder / name, "--workspace", folder)
    done("index", "build", "h100-list", "--publish", "--workspace", folder)


def with_account(folder: Path) -> None:
    """An account with a blotter, settlements and a plan, under the names the page uses."""
    done("init", folder)
    add_account(folder).rename(folder / "trades.csv")
    (folder / "settlements.csv").write_text(SETTLEMENTS, encoding="utf-8")
    (folder / "plan.csv").write_text(PLAN, encoding="utf-8")


def with_rules(folder: Path) -> None:
    """A new workspace whose methodology caps weights and holds a jump."""
    done("init", folder)
    path = folder / "rentmark.toml"
    text = path.read_text(encoding="utf-8")
    assert "\nmin_sellers = 3" in text
    text = text.replace("\nmin_sellers = 3", "\nhold_move = 0.25\ncap = 0.5\nmin_sellers = 3", 1)
    path.write_text(text, encoding="utf-8")


def with_september(folder: Path) -> None:
    """Five sellers in the first days of September whose prices double on the 4th."""
    rows = ["observed_at,seller,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,pricing,license"]
    for day in range(1, 6):
        price = 6 if day == 4 else 3
        rows += [
            f"2026-09-0{day}T06:00:00Z,invented-{number},H100,SXM5,80,8,{price}.{number}0,on_demand,CC BY 4.0"
            for number in range(5)
        ]
    (folder / "september.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    done("ingest", "tabular", folder / "september.csv", "--workspace", folder)
    done("index", "build", "h100-list", "--publish", "--actor", "ann", "--workspace", folder)


def with_another_rent(folder: Path) -> None:
    """The sample's rent under a second name, and a folder with one book."""
    shutil.copyfile(folder / "rent.csv", folder / "RENT.csv")
    (folder / "books").mkdir()
    shutil.copyfile(folder / "rent.csv", folder / "books" / "first.csv")
    (folder / "rules.toml").write_text(
        'instruments = [{ contract = "ice-hpr", benchmark = "h100-list" }]\nmethod = "naive"\n',
        encoding="utf-8",
    )
    done("index", "build", "h100-sxm-list", "--publish", "--workspace", folder)


STARTS: Final[dict[str, str]] = {
    "account.md": "account",
    "governance.md": "rules",
    **dict.fromkeys(
        (
            "contracts.md", "collecting.md", "dashboard.md", "engines.md", "grades.md", "presets.md", "programmes.md",
            "verify.md", "watch.md", "faq.md", "limits.md", "dictionary.md", "how-to/own-columns.md",
            "how-to/publish-daily.md", "how-to/postgresql.md",
        ),
        "sample",
    ),
}  # fmt: skip
"""Where a page does not begin in an empty folder: a published sample, a new workspace, or one with an account."""
MAKERS: Final[dict[str, Preparation]] = {
    "sample": make_sample,
    "account": with_account,
    "rules": with_rules,
}
BEFORE: Final[dict[tuple[str, str], Preparation]] = {
    ("governance.md", "rentmark index release"): with_september,
    ("programmes.md", "rentmark hedge"): with_another_rent,
    ("presets.md", "rentmark index compare"): with_another_rent,
    ("watch.md", "rentmark watch"): with_another_rent,
}
"""What a page assumes from some block on: by the page and the beginning of that block."""

_PYTHON = "the test is what it installs and runs"
_DOCKER = "needs a container engine; tests/release holds Dockerfile and compose file to their rules"
_POSTGRES = "needs a PostgreSQL server; tests/store starts one and runs the store on it"
_PACKAGE = "installs packages of the system or from an index"
_SERVER = "serves until it is stopped; tests/dashboard asks a running one over HTTP"
NOT_RUN: Final[dict[str, str]] = {
    "make demo": f"{_PYTHON}; tests/journeys/test_demo.py runs what it runs",
    "make test": _PYTHON,
    "rentmark serve --port 8050": _SERVER,
    "rentmark serve": _SERVER,
    'pip install "rentmark[postgres]"': _PACKAGE,
    'pip install "rentmark[spark]"': _PACKAGE,
    "apt-get install openjdk-17-jre-headless": _PACKAGE,
    "pip install pip-audit": _PACKAGE,
    "pip-audit": "asks a database of advisories that is elsewhere",
    "createdb rentmark": _POSTGRES,
    "export RENTMARK_DATABASE_URL=postgresql+psycopg://rentmark@db.internal/rentmark": _POSTGRES,
    "docker build -t rentmark .": _DOCKER,
    'docker run --rm -v "$PWD/W:/workspace" rentmark market': _DOCKER,
    "docker compose run --rm rentmark init /workspace": _DOCKER,
    "docker compose up --detach": _DOCKER,
    "docker compose run --rm rentmark collect": _DOCKER,
    "docker compose run --rm rentmark index build h100-list --publish --actor cron": _DOCKER,
    "rentmark index build h100-list --engine spark --master local[2]": "a Java machine starts for minutes; "
    "tests/store/test_spark_engine.py holds its values",
    "rentmark index build h100-list --engine spark --master spark://host:7077": "needs a cluster",
    "rentmark grade calibrate --grade h100-sxm-on-demand --field form_factor --from PCIe --to SXM --end 2026-06-30": "the "
    "invented sample holds no seller with both; tests/journeys/test_grades.py calibrates on data that do",
    'rentmark index cease h100-list --last-date 2026-12-31 --notice "No seller is left" --successor h100-next '
    "--actor bo --approved-by cy": "its date must lie ahead of the day it is run; tests/journeys/governing_made.py "
    "ends a benchmark in 2099",
}  # fmt: skip
"""Commands that a page shows and no test of the documentation runs, each with the reason."""
MAY_EXIT_1: Final = ("rentmark watch",)
"""Commands of ``sh`` blocks whose exit says that an alarm fired: the sample ends long before today, so one does."""
READ_BY: Final[dict[tuple[str, str], str]] = {
    ("README.md", "sh"): "tests/journeys/test_readme.py",
    ("contracts.md", "csv"): "tests/contracts/test_contracts_page.py",
    ("feeds.md", "csv tabular"): "tests/ingest/test_documented_layouts.py",
    ("feeds.md", "csv trades"): "tests/ingest/test_documented_layouts.py",
    ("feeds.md", "toml mapping"): "tests/ingest/test_documented_layouts.py",
    ("feeds.md", "toml parameters"): "tests/ingest/test_documented_layouts.py",
    ("grades.md", "toml grade"): "tests/grades/test_documented_grades.py",
    ("grades.md", "toml schedule"): "tests/grades/test_documented_grades.py",
    **{
        ("operators.md", info): "tests/grades/operators/test_documented_layouts.py"
        for info in ("csv ratings", "toml account", "toml slo", "csv requests", "csv producers")
    },
    **{
        ("rent-book.md", info): "tests/journeys/test_rent_book_page.py"
        for info in (
            "toml book",
            "csv rates",
            "csv usage",
            "csv invoices",
            "csv exchange",
            "csv incidents",
            "csv output",
        )
    },
}
"""Blocks that a test of their topic reads and holds, by page and fence."""
DRAWINGS: Final = {("README.md", "")}
"""Blocks that are neither a command nor a file."""


def is_followed(block: Block) -> bool:
    """Whether a block is run here rather than held by another test."""
    return (block.page, block.info) not in READ_BY and (block.page, block.info) not in DRAWINGS
