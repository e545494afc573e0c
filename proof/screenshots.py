"""Pictures of every page of the dashboard, in light, dark and phone width, to be looked at: `make screenshots`.

It serves a workspace on loopback, opens each page in Debian's chromium, and writes one PNG a page and form into a
folder. It says, and exits 1, where a page complains in the console, asks for anything elsewhere, or is wider than its
window. Without a workspace it makes a simulated one.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = os.environ.get("RENTMARK_CHROMIUM", "/usr/bin/chromium")
FORMS = {
    "light": ("light", 1280),
    "dark": ("dark", 1280),
    "phone": ("light", 360),
    "phone-dark": ("dark", 360),
}
RENTMARK = str(Path(sys.executable).parent / "rentmark")


@contextmanager
def served(workspace: Path) -> Iterator[str]:
    """The address of a server on a workspace."""
    command = [RENTMARK, "serve", "--port", "0", "--workspace", str(workspace)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[1].rstrip("/")
        finally:
            server.terminate()


def pages_of(workspace: Path) -> list[str]:
    """One address of every page: each of the header, and for those with a name the first that there is."""
    from rentmark.dashboard.pages import pages_found
    from rentmark.workspace import fixings_shown, open_for_reading

    opened = open_for_reading(workspace, database_url=os.environ.get("RENTMARK_DATABASE_URL") or None)
    configuration = opened.configuration
    names = [name for name in configuration.benchmarks if opened.store.tape(name)] or list(
        configuration.benchmarks
    )
    last = fixings_shown(opened, names[0])[-1].date
    known = {
        "name": names[0],
        "date": last.isoformat(),
        "month": f"{last:%Y-%m}",
        "contract": next(iter(configuration.contracts)),
    }
    found = []
    for page in pages_found():
        contract = page.pattern.startswith("/contracts/")
        values = known | ({"name": known["contract"]} if contract else {})
        wanted = re.findall(r"\{(\w+)\}", page.pattern)
        found.append(page.pattern.format(**{key: values.get(key, known["name"]) for key in wanted}))
    return [*found, f"/b/{names[0]}?as_of={last.isoformat()}", "/no/such/page"]


def photograph(browser: Any, address: str, paths: list[str], folder: Path) -> list[str]:
    """Take every picture; returns the complaints."""
    complaints: list[str] = []
    for form, (theme, width) in FORMS.items():
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda m: m.type == "error" and "404" not in m.text and complaints.append(m.text))
        page.on(
            "request",
            lambda r: r.url.startswith((address, "data:", "blob:")) or complaints.append(f"outside: {r.url}"),
        )
        for path in paths:
            page.goto(address + path)
            page.wait_for_selector("#main > [data-page] h1", state="attached")
            page.wait_for_function(
                "() => [...document.querySelectorAll('#main .chart')].every(c => c.querySelector('.main-svg'))"
                " && !document.querySelector('#main .pending')"
            )
            page.wait_for_timeout(300)
            if "This view failed" in page.inner_text("#main"):
                complaints.append(f"{path} failed in {form}")
            over = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            if over > 0:
                complaints.append(f"{path} is {over} px wider than {width}")
            name = re.sub(r"[^\w.-]+", "_", path.strip("/")) or "market"
            page.screenshot(path=folder / f"{name}.{form}.png", full_page=True)
        context.close()
    return complaints


def main() -> int:
    """Take the pictures and say what is wrong with the pages."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, nargs="?", default=Path("build/screenshots"))
    options.add_argument("--workspace", type=Path, help="default: a simulated one of 62 days")
    options.add_argument("--page", action="append", help="only this address; may be repeated")
    asked = options.parse_args()
    if shutil.which(CHROMIUM) is None:
        sys.stderr.write(f"chromium absent: {CHROMIUM}; apt install chromium, or set RENTMARK_CHROMIUM.\n")
        return 1
    from playwright.sync_api import sync_playwright

    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        workspace = asked.workspace
        if workspace is None:
            workspace = Path(scratch) / "demo"
            subprocess.run(
                [RENTMARK, "demo", str(workspace), "--days", "62", "--json"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        paths = asked.page or pages_of(workspace)
        with served(workspace) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            complaints = photograph(browser, address, paths, asked.folder)
            browser.close()
    sys.stdout.write(f"{len(paths)} pages in {len(FORMS)} forms: {asked.folder}\n")
    for complaint in complaints:
        sys.stderr.write(complaint + "\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
