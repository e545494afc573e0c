"""The documentation builds as a site without a warning, with every page and every exported name in it."""

from __future__ import annotations

import importlib.util
import re
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.blocks import DOCS, ROOT

pytest.importorskip("zensical")


def load_site():
    spec = importlib.util.spec_from_file_location("site_of_the_docs", ROOT / "proof" / "site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SITE = load_site()


class Page(HTMLParser):
    """The links and the ids of a page, and what it loads by itself."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if named.get("id"):
            self.ids.add(named["id"])
        if tag == "a" and named.get("href"):
            self.links.append(named["href"])
        if tag in {"script", "img", "iframe"} and named.get("src"):
            self.loads.append(named["src"])
        if tag == "link" and named.get("rel") in {"stylesheet", "icon"}:
            self.loads.append(named["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    base = tmp_path_factory.mktemp("site")
    SITE.prepare(base)
    assert SITE.build(base) == []
    return base / "build" / "site"


def test_every_page_is_on_the_site_and_its_links_lead_somewhere(site):
    for source in DOCS.rglob("*.md"):
        assert (site / source.relative_to(DOCS)).with_suffix(".html").is_file(), source
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path.relative_to(site)} links to {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids | {"__skip"}, (
                    f"{path.relative_to(site)}: {link}"
                )


def test_the_site_asks_for_nothing_elsewhere(site):
    for path in site.rglob("*.html"):
        assert [load for load in Page(path).loads if re.match(r"(https?:)?//", load)] == [], path


def test_the_reference_holds_every_exported_name(site):
    for room in SITE.ROOMS:
        ids = Page(site / "reference" / f"rentmark-{room}.html").ids
        missing = {name.lower() for name in import_module(f"rentmark.{room}").__all__} - {
            i.lower() for i in ids
        }
        assert not {name for name in missing if name.strip("_")}, room


def test_a_link_that_leads_nowhere_is_a_warning(tmp_path):
    SITE.prepare(tmp_path)
    (tmp_path / "build/docs/faq.md").write_text("# A page\n\n[gone](nowhere.md)\n", encoding="utf-8")
    assert any("page does not exist" in line for line in SITE.build(tmp_path))
