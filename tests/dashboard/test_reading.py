"""Reading: made once for each state of the data, kept while the database is silent, and never a half-made value."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from rentmark.cli import run
from rentmark.dashboard.failing import drawn_or_told
from rentmark.dashboard.reading import Reading
from rentmark.records import RentmarkError


@pytest.fixture
def root(tmp_path) -> Path:
    folder = tmp_path / "w"
    assert run(["init", str(folder), "--sample"]) == 0
    return folder


@pytest.fixture
def reading(root, monkeypatch):
    """A reading that asks the heads anew each time."""
    from datetime import timedelta

    monkeypatch.setattr("rentmark.dashboard.reading.HEADS_ARE_FRESH", timedelta(0))
    return Reading(root)


class Silence:
    """Stands for a database that does not answer."""

    def __init__(self, monkeypatch) -> None:
        self._patch = monkeypatch

    def falls(self) -> None:
        def silent(_):
            raise RentmarkError("The database does not answer.")

        self._patch.setattr("rentmark.dashboard.reading.data_heads", silent)

    def ends(self) -> None:
        from rentmark.workspace import data_heads

        self._patch.setattr("rentmark.dashboard.reading.data_heads", data_heads)


def rests(reading: Reading) -> None:
    """Wait until the background has nothing left to do."""
    deadline = time.monotonic() + 120
    while reading.is_busy():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_an_answer_is_made_once_until_something_is_committed(root, reading):
    made = []
    for _ in range(3):
        reading.kept("k", 1, make=lambda _: made.append(1))
    assert len(made) == 1
    assert run(["ingest", "tabular", str(root / "offers.csv"), "--workspace", str(root)]) == 0
    reading.kept("k", 1, make=lambda _: made.append(1))
    assert len(made) == 2


def test_changed_rules_are_read_again(root, reading):
    names = set(reading.workspace().configuration.benchmarks)
    rules = root / "rentmark.toml"
    rules.write_text(
        rules.read_text() + '\n[benchmarks.new]\ngrade = "h100-80gb-mixed"\nmethodology = "list-median"\n'
    )
    assert set(reading.workspace().configuration.benchmarks) - names == {"new"}


def test_while_the_database_is_silent_the_last_answer_stands_and_the_frame_says_since_when(
    reading, monkeypatch
):
    assert reading.kept("k", make=lambda _: "first") == "first"
    token = reading.standing().token
    silence = Silence(monkeypatch)
    silence.falls()
    assert reading.kept("k", make=lambda _: "second") == "first"
    with pytest.raises(RentmarkError, match="does not answer"):
        reading.kept("never made", make=lambda _: "x")
    standing = reading.standing()
    assert standing.silent.startswith("Database silent since ")
    assert "; retrying." in standing.silent
    assert standing.token != token
    silence.ends()
    assert reading.standing() == type(standing)(token, None, writing=False)


def test_what_was_made_while_the_database_went_away_is_not_kept(reading, monkeypatch):
    silence = Silence(monkeypatch)

    def goes_away(_):
        silence.falls()
        return "half"

    with pytest.raises(RentmarkError):
        reading.kept("k", make=goes_away)
    silence.ends()
    assert reading.kept("k", make=lambda _: "whole") == "whole"


def test_many_askers_at_once_make_an_answer_once(reading):
    made, started = [], threading.Barrier(6)

    def ask() -> None:
        started.wait()
        reading.kept("k", make=lambda _: made.append(1))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_what_is_made_in_the_background_changes_the_token_when_it_is_there(reading):
    done = threading.Event()

    def make(_):
        done.wait(10)
        return "made"

    before = reading.standing().token
    assert reading.kept_soon("k", make=make) is None
    assert reading.is_busy()
    assert reading.is_waiting()
    done.set()
    rests(reading)
    assert reading.kept_soon("k", make=make) == "made"
    assert reading.standing().token != before


def test_a_page_that_is_patient_gets_what_is_made_soon(reading):
    reading.forget_waiting()
    assert reading.kept_soon("k", make=lambda _: "made", patience=10) == "made"
    assert not reading.is_waiting()


def test_a_background_answer_that_fails_stops_no_other_and_is_told_once_asked_again(reading):
    tried = []

    def fails(_):
        tried.append(1)
        raise ValueError("a defect")

    def refuses(_):
        raise RentmarkError("No such thing.")

    assert reading.kept_soon("bad", make=fails) is None
    assert reading.kept_soon("refused", make=refuses) is None
    assert reading.kept_soon("good", make=lambda _: "made") is None
    rests(reading)
    assert reading.kept_soon("good", make=lambda _: "other") == "made"
    with pytest.raises(RentmarkError, match=r"No such thing\."):
        reading.kept_soon("refused", make=refuses)
    with pytest.raises(RentmarkError, match=r"This view failed \(id [0-9A-F]{4}\); other pages work\."):
        reading.kept_soon("bad", make=fails)
    assert len(tried) == 1


def test_a_view_of_the_past_is_made_in_the_background_and_made_again_when_data_came(root, reading):
    from rentmark.workspace import read_as_of

    assert run(["ingest", "tabular", str(root / "offers.csv"), "--workspace", str(root)]) == 0
    seen = read_as_of("2026-08-01", reconstructed=True)
    assert reading.view_ready("h100-list", None)
    assert reading.view_ready("h100-list", seen, patience=120)
    assert reading.view_ready("h100-list", seen)
    assert run(["index", "build", "h100-list", "--workspace", str(root)]) == 0
    assert not reading.view_ready("h100-list", seen)
    rests(reading)
    assert reading.view_ready("h100-list", seen)


def test_a_page_that_fails_shows_an_id_that_the_log_has_and_no_traceback(caplog):
    def breaks():
        raise ZeroDivisionError("a defect")

    page, whole = drawn_or_told("Title", breaks)
    told = page.children[1].children
    assert not whole
    assert told.startswith("This view failed (id ")
    assert told.endswith("); other pages work.")
    assert told[21:25] in caplog.text
    assert "ZeroDivisionError" in caplog.text
    assert "ZeroDivisionError" not in told
