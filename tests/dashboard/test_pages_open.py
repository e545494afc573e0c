"""Every page opens in every theme and width: no console error, no outside request, nothing serious for axe-core."""

from __future__ import annotations

import pytest

from tests.dashboard.visitor import Visitor

PAGES = ("/", "/b/h100-list", "/fixing/h100-list/2026-08-14", "/b/h200-list", "/fixing/h100-list/2026-07-05")


ODD = ("/b/no-such", "/no/such/page", "/b/h100-list?as_of=2026-08-01", "/b/h100-list?as_of=1")
"""An error, an unknown address, a view of the past, and one that is no time."""


@pytest.mark.parametrize(("theme", "paths"), [("light", (*PAGES, *ODD)), ("dark", (*PAGES[:3], *ODD[:2]))])
def test_pages_open_without_an_error_and_nothing_serious(browser, served, theme, paths):
    with Visitor.arrives(browser, served, theme=theme, forgives=("404",)) as person:
        for path in paths:
            person.goes(path)
            assert person.serious() == [], path
            assert person.page.evaluate("() => document.documentElement.lang") == "en"


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_is_wider_than_its_window(browser, served, width):
    with Visitor.arrives(browser, served, width=width) as person:
        for path in PAGES:
            person.goes(path)
            assert person.overflow() <= 0, path


def test_the_simulated_market_says_so_on_every_page(demo_visitor):
    for path in ("/", "/b/h100-list", "/b/h100-traded"):
        text = demo_visitor.goes(path)
        assert "SIMULATED" in demo_visitor.page.inner_text("#strips")
        assert "SIMULATED" in text
        assert demo_visitor.serious() == []
