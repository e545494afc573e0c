"""Watching: alarms on new data are told once, and the exit code says whether there was one."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from tests.journeys.breaks_made import BREAK, DAYS, FIRST, WATCH_ALL, make_market, offers


@pytest.fixture
def market(person, tmp_path):
    """A person whose workspace holds the invented market, published."""
    make_market(tmp_path)
    with (person.workspace / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(WATCH_ALL)
    person.asks("ingest", "tabular", tmp_path / "market.csv")
    person.asks("index", "build", "h100-list", "--publish")
    return person


def test_an_alarm_is_told_once_and_new_data_bring_only_their_own(market, tmp_path):
    watch = ("watch", tmp_path / "broken.csv", "--benchmark", "h100-list")
    first = market.types(*watch, "--json")
    assert first.code == 1
    steps = [each for each in first.json["alarms"] if each["kind"] == "basis_z"]
    assert [each["date"] for each in steps] == [str(FIRST + timedelta(days=BREAK))]
    assert steps[0]["sentence"].startswith("The gap of broken.csv on h100-list is ")
    assert first.json["fired"] == len(first.json["alarms"])

    again = market.types(*watch, "--json")
    assert again.code == 0
    assert again.json["fired"] == 0
    assert again.json["alarms"] == [each | {"new": False} for each in first.json["alarms"]]

    more = tmp_path / "more.csv"
    more.write_text(offers(DAYS, DAYS + 2, factor=1.3), encoding="utf-8")
    market.asks("ingest", "tabular", more)
    market.asks("index", "build", "h100-list", "--publish")
    later = market.types(*watch, "--json")
    assert later.code == 1
    new = [(each["kind"], each["date"]) for each in later.json["alarms"] if each["new"]]
    jumped = str(FIRST + timedelta(days=DAYS))
    assert ("jump", jumped) in new
    assert all(day >= jumped for _, day in new)
    told = market.types(*watch)
    assert told.code == 0
    assert "0 new alarms as of " in told.out


def test_people_read_what_fired_and_what_could_not_be_looked_for(market, tmp_path):
    said = market.types("watch", tmp_path / "broken.csv", "--benchmark", "h100-list")
    assert said.code == 1
    assert "basis_z" in said.out
    assert "new alarm" in said.out
    short = tmp_path / "short.csv"
    short.write_text("date,rate_usd_per_gpu_hour\n2026-03-01,3.00\n2026-03-02,3.01\n", encoding="utf-8")
    said = market.types("watch", short, "--benchmark", "h100-list")
    assert "not checked: basis_z of short.csv on h100-list: 2 common dates, 61 needed" in said.out


def test_since_counts_everything_anew_and_remembers_nothing(market):
    one = market.types("watch", "--since", "2026-02-01", "--json")
    two = market.types("watch", "--since", "2026-02-01", "--json")
    assert one.code == two.code == 1
    assert one.json["alarms"] == two.json["alarms"]
    assert not (market.workspace / "watch.json").exists()


def test_thresholds_are_data(market, tmp_path):
    rules = market.workspace / "rentmark.toml"
    rules.write_text(rules.read_text(encoding="utf-8") + "z = 400\nstale_days = 366\n", encoding="utf-8")
    said = market.types("watch", tmp_path / "broken.csv", "--benchmark", "h100-list", "--json")
    kinds = {each["kind"] for each in said.json["alarms"]}
    assert "basis_z" not in kinds
    assert "stale" not in kinds
    rules.write_text(rules.read_text(encoding="utf-8") + "zed = 1\n", encoding="utf-8")
    refused = market.types("watch")
    assert refused.code == 2
    assert "[watch]" in refused.err
    assert "zed" in refused.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("rent.csv",), 2, "add --benchmark ID"),
        (("--since", "yesterday"), 2, "--since yesterday is not a date; write 2026-08-01."),
        (("--benchmark", "h100-lost"), 1, "h100-lost"),
        ((), 1, "There is nothing to watch"),
    ],
)
def test_wrong_requests_are_one_sentence(person, tmp_path, words, code, said):
    make_market(tmp_path)
    (tmp_path / "rent.csv").write_text("date,rate_usd_per_gpu_hour\n2026-03-01,3.00\n", encoding="utf-8")
    words = tuple(tmp_path / word if word.endswith(".csv") else word for word in words)
    answer = person.types("watch", *words)
    assert answer.code == code
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_a_memory_that_cannot_be_read_is_not_overwritten(market):
    memory = market.workspace / "watch.json"
    memory.write_text("{half", encoding="utf-8")
    answer = market.types("watch")
    assert answer.code == 1
    assert "delete it to watch from anew" in answer.err
    assert memory.read_text(encoding="utf-8") == "{half"


def test_the_memory_is_plain_and_small(market):
    market.types("watch")
    held = json.loads((market.workspace / "watch.json").read_text(encoding="utf-8"))
    assert set(held) == {"h100-list"}
    assert all(
        key.startswith(("gap_run|", "stale|", "coverage|", "jump|")) for key in held["h100-list"]["fired"]
    )


def test_an_alarm_that_could_not_be_printed_is_told_by_the_next_watch(market, monkeypatch):
    from rentmark.cli import watch_command

    def stopped(_row):
        raise BrokenPipeError

    with monkeypatch.context() as broken:
        broken.setattr(watch_command, "print_json", stopped)
        market.types("watch", "--json")
    assert not (market.workspace / "watch.json").exists()
    assert market.types("watch", "--json").json["fired"] > 0


def test_two_watches_at_once_both_tell_and_both_remember(market):
    from rentmark.workspace import Workspace, remember_told, watch_alarms

    opened = Workspace.open(market.workspace, database_url=None)
    one, two = watch_alarms(opened), watch_alarms(opened, benchmark="h100-list")
    assert one.fired == two.fired != ()
    remember_told(opened, one)
    remember_told(opened, two)
    held = json.loads((market.workspace / "watch.json").read_text(encoding="utf-8"))
    assert sorted(held["h100-list"]["fired"]) == sorted(each.key for each in one.fired)
    assert watch_alarms(opened).fired == ()
    assert list(market.workspace.glob("watch.*")) == [market.workspace / "watch.json"]
    opened.store.close()
