"""Conservation over random order histories: run the account on each, reckon it anew, keep the figures.

Run: ``python proof/conservation.py --histories 10000``. Writes ``docs/conservation.md``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from account_histories import check, make_history, write

RESULT = Path(__file__).resolve().parents[1] / "docs" / "conservation.md"

PROMISES = (
    "on every day the three accounts sum to zero in micro-dollars, in cents and in lots;",
    (
        "cash is the sum of its lines: each stream has paid its exact total rounded half-even, never more than half a "
        "cent from it, however small a tick is worth (ICE August: 744 GPU-hours × $0.001 = $0.744 a lot);"
    ),
    (
        "the variation of a contract month is (last price − entry) × unit × lots over its trades, and at final settlement "
        "(FSP − entry) × unit × lots, to the micro-dollar, close-outs included;"
    ),
    "fees are the schedule or what was billed; deposits are the calls that were met;",
    "every call is the sum of its lines: balance, initial margin, and their difference;",
    "the explanation of profit and loss leaves exactly 0 unexplained.",
)


def main() -> int:
    """Run the proof and write its result; exit 1 naming the first history that breaks a promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--first-seed", type=int, default=1)
    asked = parser.parse_args()
    started = time.perf_counter()
    held: Counter[str] = Counter()
    for seed in range(asked.first_seed, asked.first_seed + asked.histories):
        history = make_history(seed)
        try:
            held += check(history, write(history))
        except AssertionError as error:
            sys.stderr.write(f"history {seed} breaks a promise: {error}\n")
            return 1
    seconds = time.perf_counter() - started
    rows = [f"| {name} | {count:,} |" for name, count in held.items()]
    text = "\n".join(
        [
            "# Conservation of the account",
            "",
            "<!-- written by proof/conservation.py -->",
            "",
            (
                f"Run on {datetime.now(UTC).date()} over {asked.histories:,} random order histories, seeds "
                f"{asked.first_seed} to {asked.first_seed + asked.histories - 1}, in {seconds:.0f} s on one core. Contracts, "
                "prices, fees and rates of the histories are invented. In every one of them:"
            ),
            "",
            *(f"- {promise}" for promise in PROMISES),
            "",
            "| what the histories held | count |",
            "|---|---|",
            *rows,
            "",
            "Three hundred of them run in `make test` (`tests/contracts/account/test_conservation.py`).",
            "",
        ]
    )
    RESULT.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
