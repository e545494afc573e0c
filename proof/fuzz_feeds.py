"""Hostile payloads over every feed: no crash, no hang, memory under a gigabyte, and the account adds up.

Run: ``python proof/fuzz_feeds.py --payloads 20000``. Writes ``docs/fuzz.md``; exits 1 naming the first payload that
breaks a promise (feed, case, seed and kind make it again). The payloads are variants of the answers files of
``tests/ingest/answers`` by the mutations of ``tests/ingest/hostile.py``, 2,000 and more of which run in ``make test``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from rentmark.ingest import FEEDS, FeedContext, parse_payload, read_mapping, split_reading
from rentmark.records import Batch, parse_instant, sha256_hex

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "ingest"
RESULT = ROOT / "docs" / "fuzz.md"
LONGEST_SECONDS = 60
MOST_MEGABYTES = 1_000


def hostile_module() -> ModuleType:
    """The mutations the tests use."""
    spec = importlib.util.spec_from_file_location("hostile", TESTS / "hostile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases() -> list[tuple[str, dict[str, Any]]]:
    """Every case of every feed that is not refused as a whole, where there is little left to break."""
    return [
        (path.stem, case)
        for path in sorted((TESTS / "answers").glob("*.json"))
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
        if case["refusal"] is None
    ]


def read(feed_id: str, case: dict[str, Any], payload: bytes) -> Batch:
    """Parse a payload as its case says."""
    reading = read_mapping(case["mapping"], "[mappings.proof]") if case.get("mapping") else None
    mapping, parameters = split_reading(reading)
    context = FeedContext(
        sha256_hex(payload), parse_instant(case["received_at"]), "payload", mapping, parameters=parameters
    )
    return parse_payload(feed_id, payload, context)


def payloads(hostile: ModuleType, wanted: int, seed: int) -> Iterator[tuple[str, dict[str, Any], str, bytes]]:
    """Feed, case, kind of mutation and bytes: the fixed ones and the bombs of each feed, then random ones."""
    every = cases()
    made = 0
    seen: set[str] = set()
    for feed_id, case in every:
        for payload in hostile.fixed(case["text"]):
            yield feed_id, case, "fixed", payload
            made += 1
        if feed_id in seen:
            continue
        seen.add(feed_id)
        for payload in hostile.bombs(case["text"]):
            yield feed_id, case, "bomb", payload
            made += 1
    generator = random.Random(seed)  # noqa: S311 - chance here is no secret
    by_feed = {name: [case for feed_id, case in every if feed_id == name] for name in sorted(seen)}
    while made < wanted:
        for feed_id, of_feed in by_feed.items():
            mutate, case = generator.choice(hostile.KINDS), generator.choice(of_feed)
            yield feed_id, case, mutate.__name__.strip("_"), mutate(case["text"], generator)
            made += 1


def too_long(_: int, __: FrameType | None) -> None:
    """A payload that takes a minute hangs."""
    raise TimeoutError(f"a payload took more than {LONGEST_SECONDS} s")


@dataclass
class Tally:
    """What the payloads came to."""

    kinds: Counter[str] = field(default_factory=Counter)
    feeds: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")

    def add(self, feed_id: str, kind: str, batch: Batch, seconds: float) -> None:
        """Count one payload."""
        self.kinds[kind] += 1
        self.feeds[feed_id] += 1
        self.ended[_ending(batch)] += 1
        self.slowest = max(self.slowest, (seconds, f"{feed_id}, {kind}"))


def main() -> int:
    """Run the proof and write its result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--payloads", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=20_260_814)
    asked = parser.parse_args()
    hostile = hostile_module()
    signal.signal(signal.SIGALRM, too_long)
    started = time.perf_counter()
    tally = Tally()
    for feed_id, case, kind, payload in payloads(hostile, asked.payloads, asked.seed):
        begun = time.perf_counter()
        signal.alarm(LONGEST_SECONDS)
        try:
            batch = read(feed_id, case, payload)
            hostile.check_account(batch)
        except BaseException:
            Path("build").mkdir(exist_ok=True)
            Path("build/hostile.payload").write_bytes(payload)
            sys.stderr.write(f"{feed_id}, {case['name']}, {kind}: the payload is in build/hostile.payload\n")
            raise
        finally:
            signal.alarm(0)
        tally.add(feed_id, kind, batch, time.perf_counter() - begun)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_000
    if megabytes >= MOST_MEGABYTES:
        sys.stderr.write(f"peak memory was {megabytes} MB; the bound is {MOST_MEGABYTES} MB\n")
        return 1
    RESULT.write_text(page(tally, asked.seed, megabytes, time.perf_counter() - started), encoding="utf-8")
    return 0


def _ending(batch: Batch) -> str:
    if batch.refusal is not None:
        return (
            f"refused: {batch.refusal.code}"
            if batch.records == 0
            else f"{batch.refusal.code}, rows before in"
        )
    return "some records rejected" if batch.rejected else "every record accepted or a duplicate"


def table(head: str, counts: Counter[str]) -> list[str]:
    """Counts as a table, the most frequent first."""
    return [
        f"| {head} | payloads |",
        "|---|---:|",
        *(f"| {k} | {n:,} |" for k, n in counts.most_common()),
        "",
    ]


def page(tally: Tally, seed: int, megabytes: int, seconds: float) -> str:
    """The result in words and tables."""
    total = sum(tally.kinds.values())
    seconds_of_one, which = tally.slowest
    return "\n".join(
        [
            "# Hostile payloads",
            "",
            "<!-- written by proof/fuzz_feeds.py -->",
            "",
            (
                f"Run on {datetime.now(UTC).date()} over {total:,} mutated payloads of all {len(FEEDS)} feeds, seed {seed}, "
                f"in {seconds:.0f} s. Of every one of them the account added up, no exception left the feed, and every "
                f"reject and refusal had a code and a sentence. Peak memory of the whole run was {megabytes} MB; the "
                f"slowest payload took {seconds_of_one:.1f} s ({which})."
            ),
            "",
            *table("what was done to the payload", tally.kinds),
            *table("what became of it", tally.ended),
            *table("feed", tally.feeds),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
