"""Files are compressed once and then answered from memory, to those who may see them; the grid comes where it is needed."""

from __future__ import annotations

import gzip
import re

import pytest
from rentmark.dashboard.app import create_app
from rentmark.dashboard.guard import Access
from rentmark.dashboard.safety import PLOTLY
from rentmark.dashboard.static_files import FOLDERS, read_files_once

from tests.dashboard.visitor import Visitor
from tests.journeys.typed import type_words

TOKEN = "an-invented-token-of-the-tests"
GZIP = {"Accept-Encoding": "gzip"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An empty workspace."""
    root = tmp_path_factory.mktemp("files") / "w"
    assert type_words("init", root).code == 0
    return root


def scripts(client, **headers) -> list[str]:
    """The addresses that the first page names."""
    page = client.get("/", headers=headers).get_data(as_text=True)
    return [a for a in re.findall(r'(?:src|href)="(/[^"]+)"', page) if a.startswith(FOLDERS)]


def test_a_kept_file_is_the_file_with_its_headers(folder):
    client = create_app(folder).server.test_client()
    for address in [*scripts(client), PLOTLY]:
        plain = client.get(address)
        first, again = (client.get(address, headers=GZIP) for _ in range(2))
        assert first.status_code == again.status_code == plain.status_code == 200
        assert first.data == again.data
        told = gzip.decompress(again.data) if again.headers.get("Content-Encoding") == "gzip" else again.data
        assert told == plain.data
        for name in ("Content-Type", "Content-Encoding", "Cache-Control", "ETag", "Content-Security-Policy"):
            assert first.headers.get(name) == again.headers.get(name), (address, name)
        if again.headers.get("ETag"):
            asked = GZIP | {"If-None-Match": again.headers["ETag"]}
            assert client.get(address, headers=asked).status_code == 304


def test_a_browser_that_unpacks_nothing_gets_the_file_as_it_is(folder):
    client = create_app(folder).server.test_client()
    address = next(a for a in scripts(client) if a.endswith(".js"))
    packed = client.get(address, headers={"Accept-Encoding": "br"})
    assert packed.headers["Content-Encoding"] == "br"
    assert "Content-Encoding" not in client.get(address).headers
    assert client.get(address, headers={"Accept-Encoding": "br"}).data == packed.data


def test_a_kept_file_is_for_those_who_are_let_in(folder):
    server = create_app(folder, access=Access("0.0.0.0", TOKEN)).server
    known = {"Authorization": f"Bearer {TOKEN}"}
    read_files_once(server, known)
    client = server.test_client()
    for address in scripts(client, **known):
        assert client.get(address, headers=GZIP | known).status_code == 200
        assert client.get(address, headers=GZIP).status_code in (302, 401)
        assert b"function" not in client.get(address, headers=GZIP).data


def test_addresses_without_end_take_no_memory_without_end(folder, monkeypatch):
    monkeypatch.setattr("rentmark.dashboard.static_files.MOST_FILES", 5)
    app = create_app(folder)
    client = app.server.test_client()
    address = scripts(client)[0].split("?")[0]
    for number in range(12):
        assert client.get(f"{address}?m={number}").status_code == 200
    (keep,) = (f for f in app.server.after_request_funcs[None] if f.__name__ == "keep")
    assert 0 < len(keep.__self__._kept) <= 5


def test_the_grid_comes_with_the_first_page_that_has_one_and_once(browser, served):
    with Visitor.arrives(browser, served) as person:
        asked = []
        person.page.on("request", lambda request: asked.append(request.url))
        person.goes("/")
        assert not [url for url in asked if "dash_ag_grid" in url]
        person.goes("/data")
        person.page.wait_for_selector(".grid .ag-row")
        main = [url for url in asked if re.search(r"dash_ag_grid\.(min\.)?.*js", url) and "async" not in url]
        assert len(main) == 1
        person.page.click("#nav >> text=Market")
        person.arrives_at("/")
        person.waits()
        person.page.click("#nav >> text=Data")
        person.arrives_at("/data")
        person.page.wait_for_selector(".grid .ag-row")
        assert len([url for url in asked if url in main]) == 1
