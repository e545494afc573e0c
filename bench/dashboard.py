"""The dashboard under load: cold board, callbacks, fifty clients, ten thousand requests.

Run: ``python bench/dashboard.py``. It makes a workspace of invented offers (5 years, 50 benchmarks of 10 chips in 5
regions, 40 sellers each), builds and publishes it, serves it with ``rentmark serve`` and asks it with headless Chromium
and with plain HTTP clients, all on this machine. ``--keep FOLDER`` keeps the workspace for another run. Writes
``docs/bench-dashboard.md`` and appends rows of ``case, size, seconds, baseline, baseline_seconds, ratio, peak_mb`` to
``build/bench.json``; the baseline of a row is the bound it is held against.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2 as httpx
import numpy as np

RESULT = Path(__file__).resolve().parents[1] / "docs" / "bench-dashboard.md"
CHIPS = (
    ("H100", "80", 3.0), ("H200", "141", 3.6), ("B200", "192", 5.0), ("A100", "80", 1.6), ("L40S", "48", 0.9),
    ("L4", "24", 0.6), ("MI300X", "192", 2.4), ("RTX 4090", "24", 0.4), ("GH200", "96", 2.0), ("B300", "288", 6.0),
)  # fmt: skip
REGIONS = ("us-east", "us-west", "eu-west", "eu-north", "ap-east")
FIRST_DAY = date(2021, 9, 1)
COLUMNS = "observed_at,seller,sku,gpu_model,vram_gb,gpu_count,price_per_gpu_hour,region,pricing"
CHROMIUM = "/usr/bin/chromium"
CLIENTS, RATE, LOAD_SECONDS = 50, 10, 60
MEMORY_REQUESTS = 10_000
BOUNDS = {"cold": 1.5, "busy": 3.0, "callback": 0.3}
MOST_GROWTH = 0.1
"""Share by which memory may grow between the first thousand requests and the last."""


def names() -> list[str]:
    """The fifty benchmarks."""
    return [f"{chip.lower().replace(' ', '-')}-{region}" for chip, _, _ in CHIPS for region in REGIONS]


def rules() -> str:
    """Rules of the fifty benchmarks: one methodology, a grade for each chip and region."""
    text = ['[methodologies.list-median]\nversion = "1.0.0"\ninputs = ["listed"]\nmin_sellers = 3']
    for name, (chip, region) in zip(names(), ((c, r) for c, _, _ in CHIPS for r in REGIONS), strict=True):
        text.append(
            f'[grades.{name}]\nchip = "{chip}"\npricing = "on_demand"\nregions = ["{region}"]\n'
            f'[benchmarks.{name}]\ngrade = "{name}"\nmethodology = "list-median"'
        )
    return "\n".join(text)


def write_offers(path: Path, first: date, days: int, sellers: int, seed: int) -> int:
    """Invented offers of some days: each seller shows each grade once a day, a fifth of them move."""
    draws = np.random.default_rng(seed)
    rows = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(COLUMNS + "\n")
        grades = [(chip, memory, level, region) for chip, memory, level in CHIPS for region in REGIONS]
        factor = np.exp(draws.normal(0, 0.15, (len(grades), sellers)))
        for n in range(days):
            day = first + timedelta(days=n)
            moved = draws.random((len(grades), sellers)) < 0.2
            factor = np.where(moved, factor * np.exp(draws.normal(0, 0.02, factor.shape)), factor)
            lines = [
                f"{day}T{seller % 24:02d}:00:00Z,seller-{seller:02d},{chip}-{region},{chip},{memory},8,"
                f"{level * factor[g, seller]:.4f},{region},on_demand\n"
                for g, (chip, memory, level, region) in enumerate(grades)
                for seller in range(sellers)
            ]
            file.writelines(lines)
            rows += len(lines)
    return rows


def make_workspace(root: Path, days: int, sellers: int) -> int:
    """Ingest the years one file at a time, build and publish; returns how many records there are."""
    from rentmark.workspace import Workspace, build_and_publish, ingest_files

    workspace = Workspace.create(root, database_url=None, text=rules())
    rows, begun = 0, time.perf_counter()
    for year, start in enumerate(range(0, days, 365)):
        file = root / "offers.csv"
        rows += write_offers(file, FIRST_DAY + timedelta(days=start), min(365, days - start), sellers, year)
        ingest_files(workspace, "tabular", [file])
        file.unlink()
        print(f"{rows:,} offers in, {time.perf_counter() - begun:.0f} s", file=sys.stderr)
    build_and_publish(workspace, names(), actor="bench")
    print(f"built and published, {time.perf_counter() - begun:.0f} s", file=sys.stderr)
    workspace.store.close()
    return rows


@dataclass
class Served:
    """A server as another process."""

    address: str
    process: subprocess.Popen[str]
    log: list[str] = field(default_factory=list)

    def megabytes(self) -> float:
        """Resident memory now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found.group(1)) / 1024


@contextmanager
def served(root: Path) -> Iterator[Served]:
    """``rentmark serve`` on a free port, ended afterwards."""
    command = [
        str(Path(sys.executable).parent / "rentmark"),
        "serve",
        "--port",
        "0",
        "--workspace",
        str(root),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    first = process.stdout.readline()
    found = re.search(r"http://\S+/", first)
    if found is None:
        raise SystemExit(f"The server did not start: {first}{process.stdout.read()}")
    told = Served(found.group(0), process)
    threading.Thread(target=lambda: told.log.extend(process.stdout or ()), daemon=True).start()
    try:
        yield told
    finally:
        process.terminate()
        process.wait(timeout=20)


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def board_seconds(browser: Any, address: str) -> tuple[float, int]:
    """Seconds from an empty cache to the board with every row, and the Plotly graphs on it."""
    context = browser.new_context()
    page = context.new_page()
    begun = time.perf_counter()
    page.goto(address, wait_until="commit")
    # looked for in every frame: a locator that waits looks less and less often, at last each half second
    page.wait_for_function(
        "n => { const last = document.querySelectorAll('main table tbody tr')[n - 1];"
        " return last && last.getClientRects().length > 0; }",
        arg=len(names()),
    )
    seconds = time.perf_counter() - begun
    graphs = page.locator(".js-plotly-plot").count()
    context.close()
    return seconds, graphs


def callback_seconds(browser: Any, address: str, day: date, visits: int) -> list[float]:
    """Seconds of each callback while a person walks from benchmark to benchmark and through the days of one."""
    context = browser.new_context()
    page = context.new_page()
    seconds: list[float] = []

    def finished(request: Any) -> None:
        if "_dash-update-component" in request.url:
            timing = request.timing
            seconds.append((timing["responseEnd"] - timing["requestStart"]) / 1_000)

    page.on("requestfinished", finished)
    for name in random.Random(7).choices(names(), k=visits):  # noqa: S311 - chance here is no secret
        page.goto(f"{address}b/{name}")
        page.locator("main [data-page]").wait_for()
        page.goto(f"{address}fixing/{name}/{day}")
        page.locator("main [data-page]").wait_for()
        page.wait_for_timeout(200)
        day -= timedelta(days=1)
    context.close()
    return seconds


def addresses() -> list[str]:
    """What plain clients ask for."""
    some = names()
    return [
        "", "healthz", "metrics", "api/v1/market", "api/v1/benchmarks", "api/v1/batches", "csv/market.csv",
        *(f"api/v1/index/show/{name}?last=30" for name in some[:10]), *(f"b/{name}" for name in some[:5]),
    ]  # fmt: skip


def load(address: str, seconds: int) -> tuple[list[float], list[str]]:
    """Fifty clients, ten requests a second in all: seconds of each, and what went wrong."""
    times: list[float] = []
    errors: list[str] = []
    asked = addresses()
    begun = time.perf_counter()

    def client(number: int) -> None:
        with httpx.Client(base_url=address, timeout=30) as http:
            turn = number
            while (due := begun + turn / RATE) < begun + seconds:
                time.sleep(max(0.0, due - time.perf_counter()))
                at = time.perf_counter()
                try:
                    answer = http.get(asked[turn % len(asked)])
                    if answer.status_code != httpx.codes.OK:
                        errors.append(f"{answer.status_code} {asked[turn % len(asked)]}")
                except httpx.HTTPError as error:
                    errors.append(repr(error))
                times.append(time.perf_counter() - at)
                turn += CLIENTS

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(client, range(CLIENTS)))
    return times, errors


def memory(server: Served, requests: int) -> tuple[float, float]:
    """Megabytes after a tenth of the requests and after all."""
    asked = addresses()
    early = 0.0
    with httpx.Client(base_url=server.address, timeout=60) as http:
        for number in range(requests):
            answer = http.get(asked[number % len(asked)], headers={"Accept-Encoding": "gzip"})
            answer.raise_for_status()
            if number == requests // 10:
                early = server.megabytes()
    return early, server.megabytes()


@contextmanager
def writing(root: Path) -> Iterator[None]:
    """An ingest and a build, over and over, as another process beside."""
    ended = threading.Event()
    rentmark = str(Path(sys.executable).parent / "rentmark")

    def work() -> None:
        turn = 0
        while not ended.is_set():
            file = root / "more.csv"
            write_offers(file, FIRST_DAY + timedelta(days=2_000 + turn), 1, 40, turn)
            for words in (["ingest", "tabular", str(file)], ["index", "build", names()[0]]):
                subprocess.run([rentmark, *words, "--workspace", str(root)], check=False, capture_output=True)
            turn += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def measure(root: Path, days: int, offers: int) -> tuple[list[dict[str, Any]], list[str]]:
    """All measurements in one run: rows for the table of benchmarks, and lines for the page."""
    size = f"{len(names())} benchmarks, {days:,} days, {offers:,} offers"
    rows: list[dict[str, Any]] = []
    lines: list[str] = []

    def row(case: str, seconds: float, bound: float, megabytes: float) -> None:
        rows.append({
            "case": case, "size": size, "seconds": round(seconds, 4), "baseline": "bound of the issue",
            "baseline_seconds": bound, "ratio": round(seconds / bound, 3), "peak_mb": round(megabytes),
        })  # fmt: skip
        lines.append(f"| {case} | {seconds:.2f} | {bound} | {'met' if seconds <= bound else '**not met**'} |")

    with served(root) as server, chromium() as browser:
        first, graphs = board_seconds(browser, server.address)
        row("board, the first load of a new server", first, BOUNDS["cold"], server.megabytes())
        cold = [board_seconds(browser, server.address)[0] for _ in range(5)]
        row(
            "board, empty browser cache, median of 5",
            statistics.median(cold),
            BOUNDS["cold"],
            server.megabytes(),
        )
        with writing(root):
            time.sleep(2)
            busy = [board_seconds(browser, server.address)[0] for _ in range(5)]
        row("board while an ingest and builds run, worst of 5", max(busy), BOUNDS["busy"], server.megabytes())
        calls = callback_seconds(browser, server.address, FIRST_DAY + timedelta(days=days - 1), 30)
        p95 = float(np.quantile(calls, 0.95))
        row(f"callbacks, 95th percentile of {len(calls)}", p95, BOUNDS["callback"], server.megabytes())
        times, errors = load(server.address, LOAD_SECONDS)
        early, late = memory(server, MEMORY_REQUESTS)
    growth = late / early - 1
    lines += [
        "",
        f"- Plotly graphs on the board: {graphs} (at most one).",
        (
            f"- {CLIENTS} clients, {RATE} requests a second in all, {LOAD_SECONDS} s: {len(times)} answered, "
            f"{len(errors)} errors, 95th percentile {np.quantile(times, 0.95):.3f} s."
        ),
        (
            f"- Memory over {MEMORY_REQUESTS:,} requests: {early:.0f} MB after a tenth of them, {late:.0f} MB after all "
            f"({growth:+.1%}; {'flat' if growth <= MOST_GROWTH else 'NOT flat'})."
        ),
        *errors[:5],
    ]
    return rows, lines


def main() -> None:
    """Make or take the workspace, measure, write the page and the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=1_826)
    parser.add_argument("--sellers", type=int, default=40)
    parser.add_argument("--keep", type=Path, help="Folder of a workspace to keep, or kept before.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = asked.keep or Path(scratch) / "w"
        offers = asked.days * asked.sellers * len(names())
        if not (root / "rentmark.toml").exists():
            offers = make_workspace(root, asked.days, asked.sellers)
        rows, lines = measure(root, asked.days, offers)
    today = datetime.now(UTC).date()
    RESULT.write_text(
        "\n".join([
            "# The dashboard under load", "", "<!-- written by bench/dashboard.py -->", "",
            (f"Run on {today}, {platform.machine()}, Python {platform.python_version()}: {len(names())} benchmarks, "
            f"{asked.days:,} days, {asked.sellers} sellers each, {offers:,} invented offers. Server, browser and clients "
            "share the machine's two cores. Repeat: `python bench/dashboard.py`."), "",
            "| measured | seconds | bound | |", "|---|---:|---:|---|", *lines, "",
        ]),
        encoding="utf-8",
    )  # fmt: skip
    print("\n".join(lines), file=sys.stderr)
    out = Path("build/bench.json")
    out.parent.mkdir(exist_ok=True)
    before = json.loads(out.read_text(encoding="utf-8")) if out.exists() else []
    kept = [r for r in before if r["case"] not in {row["case"] for row in rows}]
    out.write_text(json.dumps(kept + rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
