"""A workspace that is empty, half-built, locked, or on a database that goes away: a sentence, then recovery by itself."""

from __future__ import annotations

import os
import re
import sqlite3

import pytest
import sqlalchemy as sa
from rentmark.cli import run

from tests.dashboard.conftest import serving
from tests.dashboard.forwarder import Forwarder
from tests.dashboard.visitor import Visitor
from tests.store.postgres import found, new_schema
from tests.store.postgres import serving as serving_postgres

TEN_SECONDS = 10_000


def says(person: Visitor, text: str, where: str = "#frame", timeout: int = TEN_SECONDS) -> None:
    """Wait until the page says something, without a reload."""
    person.page.wait_for_function(
        "([where, text]) => document.querySelector(where).innerText.includes(text)",
        arg=[where, text],
        timeout=timeout,
    )


def test_an_empty_and_a_half_built_workspace_say_what_to_run_and_fill_by_themselves(browser, tmp_path):
    folder = tmp_path / "w"
    assert run(["init", str(folder), "--sample"]) == 0
    with serving(folder) as address, Visitor.arrives(browser, address) as person:
        assert "No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`." in person.goes("/")
        assert person.serious() == []
        assert run(["ingest", "tabular", str(folder / "offers.csv"), "--workspace", str(folder)]) == 0
        says(person, "Data is in, nothing is built. Run `rentmark index build h100-list`.")
        assert run(["index", "build", "h100-list", "--workspace", str(folder)]) == 0
        says(person, "CANDIDATE")
        text = person.goes("/b/h100-list?day=2026-08-14")
        assert "$2.870" in text
        assert "Candidates only; these values may change." in text


def test_while_another_command_writes_the_page_says_so(browser, tmp_path):
    folder = tmp_path / "w"
    assert run(["init", str(folder)]) == 0
    with serving(folder) as address, Visitor.arrives(browser, address) as person:
        person.goes("/")
        held = sqlite3.connect(folder / "rentmark.db", isolation_level=None)
        held.execute("BEGIN IMMEDIATE")
        says(person, "Another command is writing; you see the last committed values.")
        held.execute("ROLLBACK")
        held.close()
        person.page.wait_for_function(
            "() => document.querySelector('#writing').innerText === ''", timeout=TEN_SECONDS
        )


@pytest.mark.skipif(not found() and not os.environ.get("CI"), reason="PostgreSQL is missing")
def test_a_database_that_goes_away_is_told_and_comes_back_without_a_reload(browser, tmp_path, monkeypatch):
    folder = tmp_path / "w"
    with serving_postgres() as server:
        url = sa.make_url(new_schema(server, "dashboard"))
        door = Forwarder(url.port)
        through = url.set(port=door.port).render_as_string(hide_password=False)
        monkeypatch.setenv("RENTMARK_DATABASE_URL", through)
        assert run(["init", str(folder), "--sample"]) == 0
        assert run(["ingest", "tabular", str(folder / "offers.csv"), "--workspace", str(folder)]) == 0
        assert run(["index", "build", "h100-list", "--publish", "--workspace", str(folder)]) == 0
        with serving(folder) as address, Visitor.arrives(browser, address, forgives=("503",)) as person:
            before = person.goes("/b/h100-list?day=2026-08-14")
            assert "$2.870" in before
            door.shut()
            says(person, "Database silent since", "#trouble")
            told = person.page.inner_text("#trouble")
            assert re.fullmatch(r"Database silent since \d\d:\d\d UTC\. Showing \d\d:\d\d; retrying\.", told)
            assert person.text == before, "what was last read stays"
            assert person.page.request.get(address + "/healthz").status == 503
            door.open()
            person.page.wait_for_function(
                "() => document.querySelector('#trouble').innerText === ''", timeout=TEN_SECONDS
            )
            assert person.page.request.get(address + "/healthz").status == 200
            assert person.waits() == before
        door.shut()
