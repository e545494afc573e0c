"""A person before the dashboard: goes to pages, presses keys, and hears every console error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

WAIT = 60_000
"""Milliseconds: the machine that tests may be busy with much else."""
NEVER_SHOWN = ("NaN", "None", "undefined", "Traceback", "[object Object]")


class Visitor:
    """One browser context. Console errors and requests to elsewhere fail the test at its end."""

    def __init__(self, page, address: str) -> None:
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        self.forgiven: tuple[str, ...] = ()
        page.set_default_timeout(WAIT)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("request", self._request)

    @classmethod
    @contextmanager
    def arrives(
        cls, browser, address: str, *, theme: str = "light", width: int = 1280, forgives: tuple[str, ...] = ()
    ) -> Iterator[Visitor]:
        """A visitor in a fresh context; ``forgives`` are console texts that the test provokes itself."""
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        person = cls(context.new_page(), address)
        person.forgiven = forgives
        try:
            yield person
            assert [c for c in person.complaints if not any(f in c for f in person.forgiven)] == []
        finally:
            context.close()

    def goes(self, path: str) -> str:
        """Open an address and give the text of the page once it and its charts are drawn."""
        self.page.goto(self.address + path)
        return self.waits()

    def waits(self) -> str:
        """Wait until the page is drawn, its charts too; give its text."""
        self.page.wait_for_selector("#main > [data-page] h1", state="attached")
        self.page.wait_for_function(
            """() => [...document.querySelectorAll('#main .chart')].every(c => c.querySelector('.main-svg'))
                 && document.querySelector('#nav a') && !document.querySelector('#main .pending')"""
        )
        text = self.text
        for word in NEVER_SHOWN:
            assert word not in text, (word, self.page.url)
        return text

    def arrives_at(self, path_end: str) -> None:
        """Wait until the page shown is the one whose address ends so, however much of it is still worked out."""
        self.page.wait_for_function(
            "end => (document.querySelector('#main > [data-page]') || {dataset: {page: ''}})"
            ".dataset.page.endsWith(end)",
            arg=path_end,
        )

    def waits_for(self, path_end: str) -> str:
        """Wait until the page shown is the one whose address ends so, and is drawn."""
        self.arrives_at(path_end)
        return self.waits()

    @property
    def text(self) -> str:
        """What the page says."""
        return self.page.inner_text("#main")

    def presses(self, key: str, times: int = 1) -> None:
        """Press a key."""
        for _ in range(times):
            self.page.keyboard.press(key)

    def tabs_to(self, selector: str, limit: int = 60) -> None:
        """Press Tab until the focus is on what a selector names."""
        for _ in range(limit):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        raise AssertionError(f"{selector} is not reached by {limit} tabs")

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")

    def serious(self) -> list[str]:
        """What axe-core finds serious or critical, as rule and place."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{v['id']}: {node['target']} {node.get('failureSummary', '')[:200]}"
            for v in found
            if v["impact"] in ("serious", "critical")
            for node in v["nodes"][:3]
        ]

    def _console(self, message) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text}")

    def _request(self, request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.complaints.append(f"outside request: {request.url}")
