"""A year of simulated days on each database, with kills, full disks, wrong clocks, restarts and two crons at once.

Run: ``python proof/soak.py``. Writes ``docs/soak.md``; exits 1 where anything did not hold.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "proof"), str(ROOT / "tests" / "store")]

RESULT = ROOT / "docs" / "soak.md"


@contextmanager
def database(kind: str) -> Iterator[dict[str, object]]:
    """Where a soak keeps its tables, and what restarts the server, as arguments of ``Soak``."""
    if kind == "sqlite":
        yield {}
        return
    from postgres import new_schema, restartable

    with restartable() as (url, restart):
        yield {"url": new_schema(url, "soak"), "restart": restart}


def main() -> int:
    """Soak and report."""
    from postgres import found
    from soaking.market import HALF, QUARTER, SHORT, YEAR, Market
    from soaking.page import page
    from soaking.reference import undisturbed
    from soaking.year import Soak

    stories = {"year": YEAR, "half": HALF, "quarter": QUARTER, "short": SHORT}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sqlite", choices=[*stories, "none"], default="year", help="how long, on SQLite")
    parser.add_argument(
        "--postgresql", choices=[*stories, "none"], default="year", help="how long, on PostgreSQL"
    )
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument(
        "--share", type=float, default=0.3, help="of the quiet days on which something breaks"
    )
    parser.add_argument("--watch-every", type=int, default=3, help="days between two watches without a fault")
    parser.add_argument("--result", type=Path, default=RESULT)
    asked = parser.parse_args()
    kinds = {"sqlite": asked.sqlite, "postgresql": asked.postgresql}
    kinds = {kind: length for kind, length in kinds.items() if length != "none"}
    if "postgresql" in kinds and not found():
        del kinds["postgresql"]
        print("PostgreSQL is missing: run `apt-get install postgresql`; SQLite alone is tried.")
    command = " ".join(["python proof/soak.py", *sys.argv[1:]])
    accounts = []

    def tell(line: str) -> None:
        print(line, flush=True)

    with tempfile.TemporaryDirectory(prefix="rentmark-soak-") as folder:
        expected = {}
        for kind, length in kinds.items():
            market = Market(stories[length])
            if length not in expected:
                expected[length] = undisturbed(Path(folder) / f"reference-{length}", market, tell)
            with database(kind) as arguments:
                soak = Soak(
                    Path(folder) / kind, market, expected[length], seed=asked.seed, share=asked.share,
                    watch_every=asked.watch_every, tell=tell, **arguments,
                )  # fmt: skip
                accounts.append(soak.run())
            asked.result.write_text(page(accounts, command), encoding="utf-8")
    print(asked.result.read_text(encoding="utf-8"))
    return int(any(account.violations for account in accounts))


if __name__ == "__main__":
    sys.exit(main())
