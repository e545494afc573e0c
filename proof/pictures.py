"""The pictures of the README, docs/pictures/*.png: the report and the dashboard on the simulated market.

They are taken again when the pages change: `python proof/pictures.py`. Both say simulated in themselves.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from screenshots import CHROMIUM, RENTMARK, served

PICTURES: Final = Path(__file__).resolve().parents[1] / "docs" / "pictures"
REPORT: Final = {"width": 900, "height": 760}
DASHBOARD: Final = {"width": 1200, "height": 760}


def photograph(browser: Any, address: str, size: dict[str, int], target: Path, ready: str) -> None:
    """Take what a window of that size shows of a page."""
    context = browser.new_context(viewport=size, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(address)
    page.wait_for_selector(ready, state="attached")
    page.wait_for_timeout(6000)  # cells that are worked out in the background fill in
    page.screenshot(path=target)
    context.close()


def main() -> int:
    """Take both; exit 1 where there is no browser."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--workspace", type=Path, help="a simulated workspace with its report; default: a new one"
    )
    asked = options.parse_args()
    if shutil.which(CHROMIUM) is None:
        sys.stderr.write(f"chromium absent: {CHROMIUM}; apt install chromium, or set RENTMARK_CHROMIUM.\n")
        return 1
    from playwright.sync_api import sync_playwright

    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        workspace = asked.workspace or Path(scratch) / "demo"
        if asked.workspace is None:
            subprocess.run(
                [RENTMARK, "demo", str(workspace), "--json"], check=True, stdout=subprocess.DEVNULL
            )
        with served(workspace) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            market = "#main .chart .main-svg"
            photograph(browser, address + "/", DASHBOARD, PICTURES / "dashboard.png", market)
            report = (workspace / "report.html").resolve().as_uri()
            photograph(browser, report, REPORT, PICTURES / "report.png", "h1")
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
