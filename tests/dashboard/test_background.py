"""Work in the background gives way to pages: it waits while one is loaded, goes on under steady load, and serves first who waits."""

from __future__ import annotations

import threading
import time

import pytest
from rentmark.dashboard.background import Background
from rentmark.records import RentmarkError


@pytest.fixture
def quick(monkeypatch):
    """The waits of the background, made short enough for a test and long enough for a busy machine."""
    monkeypatch.setattr("rentmark.dashboard.background.QUIET_SECONDS", 0.4)
    monkeypatch.setattr("rentmark.dashboard.background.PATIENT_SECONDS", 2.0)


def test_nothing_is_begun_while_a_page_is_loaded(quick):
    background, begun = Background(), time.monotonic()
    background.give_way()
    done = background.ask(("later",), lambda: None, first=False)
    assert done.wait(20)
    assert time.monotonic() - begun >= 0.35


def test_under_steady_load_the_work_goes_on(quick):
    background, ended = Background(), threading.Event()

    def load() -> None:
        while not ended.is_set():
            background.give_way()
            time.sleep(0.02)

    asking = threading.Thread(target=load)
    asking.start()
    try:
        begun = time.monotonic()
        assert background.ask(("later",), lambda: None, first=False).wait(20)
        assert time.monotonic() - begun >= 0.4
    finally:
        ended.set()
        asking.join()


def test_what_a_page_waits_for_is_made_at_once_and_before_the_rest(monkeypatch):
    monkeypatch.setattr("rentmark.dashboard.background.QUIET_SECONDS", 600.0)
    monkeypatch.setattr("rentmark.dashboard.background.PATIENT_SECONDS", 600.0)
    background, made = Background(), []
    background.give_way()
    waiting = background.ask(("later",), lambda: made.append("later"), first=False)
    assert background.ask(("now",), lambda: made.append("now"), first=True).wait(20)
    assert made == ["now"]
    background.ask(("later",), lambda: made.append("never"), first=True)  # a page now waits for that, too
    assert waiting.wait(20)
    assert made == ["now", "later"]


def test_a_refusal_stops_nothing_and_pages_are_told_when_all_is_done():
    background = Background()
    rounds = background.rounds

    def refused() -> None:
        raise RentmarkError("There is nothing.")

    assert background.ask(("refused",), refused, first=True).wait(20)
    assert background.ask(("made",), lambda: None, first=True).wait(20)
    deadline = time.monotonic() + 20
    while background.busy:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert background.rounds > rounds
    assert background.quiet(0.0)


def test_at_the_end_what_was_begun_is_finished_and_the_rest_is_dropped(monkeypatch):
    monkeypatch.setattr("rentmark.dashboard.background.QUIET_SECONDS", 0.0)
    background, made, begun, go_on = Background(), [], threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(20)
        made.append("slow")

    background.ask(("slow",), slow, first=False)
    background.ask(("never",), lambda: made.append("never"), first=False)
    assert begun.wait(20)
    ending = threading.Thread(target=background.end, args=(20,))
    ending.start()
    time.sleep(0.05)
    go_on.set()
    ending.join(20)
    assert made == ["slow"]
    assert not background.busy
