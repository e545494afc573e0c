"""Answers of the commands of governance, for the page of JSON keys: a held date released, one overridden, an end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.journeys.governed import NAME, day, ingest, new_workspace, offers, version, write_rules

KEYS = "hold_move = 0.2\nrepublication_threshold = 0.01\n"
SECOND = version("1.1.0", day(6), "three sellers are asked for", "min_sellers = 3")
FUTURE = """
[[methodologies.list-median.versions]]
version = "2.0.0"
effective_from = 2099-01-01
announced_on = 2098-06-01
changes = "not announced yet"
"""


def governing_answers(base: Path, ask: Callable[..., Any]) -> dict[str, list[Any]]:
    """By heading of the page."""
    told: dict[str, list[Any]] = {}
    folder = new_workspace(base / "w", KEYS, SECOND + FUTURE)

    def here(command: str, *words: object) -> None:
        answer = ask("index", command, *map(str, words), "--workspace", folder)
        told.setdefault(f"index {command}", []).append(answer)

    two = ("--reason", "seen and checked", "--actor", "bo", "--approved-by", "cy")
    prices = dict.fromkeys(range(1, 8), (3.0, 3.2, 3.4)) | {4: (6.0, 6.4, 6.8), 6: (9.0, 9.4, 9.8)}
    ingest(folder, "first.csv", offers(prices))
    here("build", NAME)
    here("publish", NAME, "--actor", "ann")
    here("build", NAME, "--publish")
    ask("index", "build", "--all", "--workspace", folder)
    for words in (("publish", "--all"), ("build", "--all", "--publish")):
        told[f"index {words[0]} --all"] = [ask("index", *words, "--workspace", folder)]
    here("holds")
    here("show", NAME)
    here("release", NAME, day(4), *two)
    here("override", NAME, day(6), "--value", "3.3", *two)
    here("override", NAME, day(7), "--gap", *two)
    ingest(folder, "late.csv", offers({1: (3.0, 3.21)}, source="late"))
    ask("index", "log", NAME, "--workspace", folder)
    here("overrides")
    here("versions", NAME)
    for more in ((), ("--successor", "h100-next")):
        benchmark = NAME if more else "h100-next"
        last = ("--last-date", "2099-12-31", "--notice", "no seller is left")
        here("cease", benchmark, *last, "--actor", "bo", "--approved-by", "cy", *more)
    here("show", NAME)
    here("statement", NAME)
    write_rules(folder, KEYS)
    here("versions", "h100-next")
    here("log", NAME)
    return told
