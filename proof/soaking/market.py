"""The source of the soak: a simulated market on loopback, what becomes of it, and the rules it is read under.

Everything is invented: :mod:`rentmark.ingest.simulated` makes the prices, and its rows say so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from rentmark.ingest.simulated import SimulatedMarket

FIRST = date(2025, 9, 1)
SEED = 20261130
BENCHMARKS = ("h100-list", "h100-traded")
STEP = 1.3
"""What every price is multiplied by from the day of the jump on."""

RULES = """
[grades.h100-80gb-mixed]
chip = "H100"
form_factor = ["SXM", "unstated"]
memory_gb = [80]
pricing = "on_demand"

[grades.h100-sxm]
chip = "H100"
form_factor = ["SXM"]
memory_gb = [80]
pricing = "on_demand"

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 3
thin_sellers = 5

[methodologies.traded-median]
version = "1.0.0"
inputs = ["trade", "listed"]
vote = ["observation"]
weights = "volume"
estimator = "volume_weighted_median"
min_sellers = 3
min_gpu_hours = 200

[benchmarks.h100-list]
grade = "h100-80gb-mixed"
methodology = "list-median"

[benchmarks.h100-traded]
grade = "h100-sxm"
methodology = "traded-median"

[mappings.changed]
unit = "per_gpu_hour"
currency = "USD"
columns = { observed_at = "seen_at", price_micros = "usd_per_gpu", price_original = "usd_total" }

[collect.offers]
feed = "tabular"
url = "ADDRESS/offers"
seconds_between_requests = 0

[collect.trades]
feed = "trades"
url = "ADDRESS/trades"
seconds_between_requests = 0
"""
MENDED = '[collect.offers]\nmapping = "changed"'
"""What a person writes for ``[collect.offers]`` once the feed has changed."""


@dataclass(frozen=True)
class Story:
    """What becomes of the market, by number of the day: each brings alarms that must fire."""

    days: int
    outage: range
    """No answer at all (404)."""
    tripled: int
    """Every row three times, a minute apart."""
    refused: int
    """Every fifth price is no number."""
    jump: int
    """All prices are a third higher from then on."""
    vanished: range
    """Three of five sellers are absent."""
    changed: int
    """Columns have other names from then on; a person mends the rules on that day."""

    @property
    def told(self) -> frozenset[int]:
        """Days on which something happens to the market itself."""
        edges = {self.vanished.start, self.vanished.stop}
        return frozenset({*self.outage, *edges, self.tripled, self.refused, self.jump, self.changed})

    def watch_alarms(self) -> set[tuple[str, str, date]]:
        """Alarms of `watch` that must fire: kind, benchmark, date."""
        last_gap, first_missing = self.day(self.outage.start + 2), self.day(self.outage.start)
        found: set[tuple[str, str, date]] = set()
        for name in BENCHMARKS:
            found |= {
                ("gap_run", name, last_gap),
                ("stale", name, first_missing + timedelta(days=3)),
                ("jump", name, self.day(self.jump)),
            }
        return found | {("few_sellers", "h100-list", self.day(self.vanished.start))}

    def drift_alarms(self) -> set[tuple[str, date]]:
        """Alarms of `collect` that must fire: code, day."""
        return {
            ("record_count", self.day(self.tripled)),
            ("reject_share", self.day(self.refused)),
            ("sellers_vanished", self.day(self.vanished.start)),
        }

    def day(self, number: int) -> date:
        """The date of a day's number, from 0."""
        return FIRST + timedelta(days=number)


YEAR = Story(365, range(60, 64), 120, 140, 100, range(180, 188), 240)
HALF = Story(183, range(60, 64), 80, 92, 70, range(120, 127), 140)
QUARTER = Story(92, range(30, 34), 45, 52, 40, range(60, 66), 70)
SHORT = Story(20, range(15, 19), 4, 6, 8, range(14, 15), 10)


class Market:
    """The payloads of each day, as the story has them."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self._simulated = SimulatedMarket(SEED, FIRST, story.days, outage_days=())

    def payloads(self, number: int) -> dict[str, bytes]:
        """What ``offers`` and ``trades`` answer on the morning after a day; nothing in an outage."""
        story = self.story
        if number in story.outage:
            return {}
        texts = {p.feed_id: p.payload.decode() for p in self._simulated.payloads(story.day(number))}
        offers, trades = _Table(texts["tabular"]), _Table(texts["trades"])
        if number >= story.jump:
            offers.scale("price_usd_per_hour_total", "price_per_gpu_hour")
            trades.scale("price_usd_per_gpu_hour")
        if number in story.vanished:
            gone = {name for place, name in enumerate(sorted(offers.values("seller"))) if place % 5 > 1}
            offers.keep("seller", lambda seller: seller not in gone)
        if number == story.tripled:
            offers.repeat("observed_at", 3)
        if number == story.refused:
            offers.spoil("price_per_gpu_hour", 5)
        if number >= story.changed:
            offers.rename(
                observed_at="seen_at", price_per_gpu_hour="usd_per_gpu", price_usd_per_hour_total="usd_total"
            )
        return {"offers": offers.to_bytes(), "trades": trades.to_bytes()}


class _Table:
    """A CSV without quotes, changed in place."""

    def __init__(self, text: str) -> None:
        self.header, *self.rows = [line.split(",") for line in text.splitlines()]

    def values(self, column: str) -> set[str]:
        place = self.header.index(column)
        return {row[place] for row in self.rows}

    def scale(self, *columns: str) -> None:
        for place in map(self.header.index, columns):
            for row in self.rows:
                row[place] = f"{float(row[place]) * STEP:.4f}" if row[place] else ""

    def keep(self, column: str, wanted: Callable[[str], bool]) -> None:
        place = self.header.index(column)
        self.rows = [row for row in self.rows if wanted(row[place])]

    def repeat(self, column: str, times: int) -> None:
        place = self.header.index(column)
        made = []
        for row in self.rows:
            for n in range(times):
                stamp = row[place].replace(":00Z", f":{n:02d}Z")
                made.append([*row[:place], stamp, *row[place + 1 :]])
        self.rows = made

    def spoil(self, column: str, every: int) -> None:
        place = self.header.index(column)
        for row in self.rows[::every]:
            row[place] = "n/a"

    def rename(self, **names: str) -> None:
        self.header = [names.get(name, name) for name in self.header]

    def to_bytes(self) -> bytes:
        return ("\n".join(map(",".join, [self.header, *self.rows])) + "\n").encode()


@contextmanager
def on_loopback(pages: dict[str, bytes]) -> Iterator[str]:
    """Serve what stands in ``pages`` at the moment of asking; anything else is 404. Yields the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path.removeprefix("/"))
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_arguments: object) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except (ConnectionError, TimeoutError):
                return  # who asked was killed

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
