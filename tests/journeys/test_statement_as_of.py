"""A benchmark statement as of a day of the past holds nothing that came later: no date, name, source or rating."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime

import pytest
from rentmark.workspace import SystemClock

from tests.journeys.governed import NAME, day, ingest, new_workspace, offers, publish, version, write_rules
from tests.journeys.typed import ask, type_words

PRICES = (3.0, 3.2, 3.4)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
FIFTH = datetime(2026, 7, 5, 12, tzinfo=UTC)
RATED = 'rating = { scheme = "clustermax", at_least = "silver" }\n'
RATINGS = """version,published,provider,tier
{rows}
"""
"""Invented."""


def ratings(folder, release: str, on: date, better: str) -> None:
    rows = [f"{release},{on},seller-{n},{better if n == 1 else 'Gold'}" for n in (1, 2, 3)]
    path = folder.parent / f"ratings-{release}.csv"
    path.write_text(RATINGS.format(rows="\n".join(rows)), encoding="utf-8")
    ask("operators", "import", path, "--workspace", folder)


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """A workspace on its last day, and what its statement said on the fifth, before everything later."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RENTMARK_DATABASE_URL", raising=False)

        def on(number: int, hour: int = 9) -> None:
            instant = datetime(2026, 7, number, hour, tzinfo=UTC)
            patch.setattr(SystemClock, "now", lambda _: instant)

        on(3)
        keys = "hold_move = 0.2\nrepublication_threshold = 0.01\n"
        folder = new_workspace(tmp_path_factory.mktemp("stated") / "w", keys)
        rules = (folder / "rentmark.toml").read_text(encoding="utf-8")
        ratings(folder, "1.0", date(2025, 3, 26), "Silver")

        def write(versions: str = "") -> None:
            write_rules(folder, keys, versions)
            text = (folder / "rentmark.toml").read_text(encoding="utf-8")
            head = 'form_factor = ["SXM"]\n'
            assert head in rules
            (folder / "rentmark.toml").write_text(text.replace(head, head + RATED), encoding="utf-8")

        write()
        ingest(folder, "first.csv", offers(dict.fromkeys((1, 2), PRICES)))
        publish(folder)
        on(5)
        ingest(folder, "second.csv", offers({3: PRICES, 4: (6.0, 6.2, 6.4)}))
        publish(folder)  # the third; the fourth is held
        on(5, 12)
        then = ask("index", "statement", NAME, "--workspace", folder)

        on(8)
        write(version("1.1.0", day(7), "three sellers are asked for", "min_sellers = 3"))
        ratings(folder, "2.0", date(2025, 11, 6), "Bronze")  # two sellers are left
        late = dict.fromkeys((5, 6, 7), (6.0, 6.2, 6.4))
        ingest(folder, "late.csv", offers(late | {2: (2.0, 2.0, 2.0)}, source="a-late-source"))
        people = ("--actor", "bo", "--approved-by", "cy", "--reason", "seen and checked")
        ask("index", "build", NAME, "--workspace", folder)
        ask("index", "override", NAME, str(day(3)), "--value", "3.1", *people, "--workspace", folder)
        on(9)
        ask("index", "restate", NAME, str(day(2)), "--reason", "a late file", "--workspace", folder)
        words = ("--last-date", "2026-07-31", "--notice", "No seller is left", *people[:4])
        ask("index", "cease", NAME, *words, "--workspace", folder)
        yield folder, then


def stated(folder, *words: str) -> dict:
    return ask("index", "statement", NAME, *words, "--workspace", folder)


def test_no_date_after_the_day_stands_in_it(story):
    folder, _ = story
    made = stated(folder, "--as-of", "2026-07-05T12:00:00Z")
    text = type_words("index", "statement", NAME, "--as-of", "2026-07-05T12:00:00Z", "--workspace", folder)
    found = {date.fromisoformat(d) for d in DATE.findall(json.dumps(made) + text.out)}
    assert found, "it names dates at all"
    assert max(found) == date(2026, 7, 5)
    today = json.dumps(stated(folder))
    assert max(date.fromisoformat(d) for d in DATE.findall(today)) == date(2026, 7, 31), (
        "the end is told today"
    )
    for later in ("a-late-source", "1.1.0", "No seller is left"):
        assert later in today
        assert later not in json.dumps(made) + text.out


def test_it_says_what_it_said_then(story):
    folder, then = story
    made = stated(folder, "--as-of", "2026-07-05T12:00:00Z")
    assert made["sections"] == then["sections"]
    assert made["methodology_hash"] == then["methodology_hash"] != stated(folder)["methodology_hash"]
    assert (then["as_of"], then["view"], then["reconstructed"]) == (None, None, False)
    assert (made["as_of"], made["generated_at"]) == ("2026-07-05T12:00:00Z", "2026-07-05T12:00:00Z")
    said = {s["title"]: " ".join(s["sentences"]) for s in made["sections"]}
    assert "Set by judgement so far: 0. Held now: 1." in said["Judgement"]
    assert "Restatements so far: 0." in said["Errors and revisions"]
    assert "No end is announced." in said["End of the benchmark"]
    assert "3 dates from 2026-07-01 to 2026-07-03: 3 OK." in said["The tape"]


def test_the_day_stands_at_its_head_in_text_and_page(story, tmp_path):
    folder, _ = story
    file = tmp_path / "s.html"
    words = ("index", "statement", NAME, "--as-of", "2026-07-05", "--workspace", folder)
    text = type_words(*words).out
    assert ", as of 2026-07-05T00:00:00Z" in text
    assert "**What was recorded here by 2026-07-05**" in text
    assert type_words(*words, "--output", file).code == 0
    page = file.read_text(encoding="utf-8")
    assert '<p class="strip">What was recorded here by 2026-07-05</p>' in page
    assert "generated 2026" not in text + page


def test_a_reconstructed_view_knows_what_was_public_then(story):
    """By the sixth the late file's offers of the second and fifth were public, though nobody here had them."""
    folder, _ = story
    strict = stated(folder, "--as-of", "2026-07-06")
    made = stated(folder, "--as-of", "2026-07-06", "--reconstructed")
    assert made["reconstructed"]
    assert made["view"] == "What was known on 2026-07-06 (reconstructed)"
    assert "a-late-source" in json.dumps(made)
    assert "a-late-source" not in json.dumps(strict)
    early = stated(folder, "--as-of", "2026-07-02", "--reconstructed")
    assert "a-late-source" not in json.dumps(early)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--as-of", "July"), "--as-of July is not a time; write 2026-08-01 or 2026-08-01T16:00:00Z."),
        (("--reconstructed",), "--reconstructed needs --as-of; add --as-of 2026-08-01."),
    ],
)
def test_a_view_that_is_none_is_refused_in_a_sentence(story, words, said):
    answer = type_words("index", "statement", NAME, *words, "--workspace", story[0])
    assert (answer.code, answer.out, answer.err) == (2, "", said + "\n")


@pytest.mark.parametrize("command", [("index", "statement"), ("index", "build"), ("index", "show")])
def test_a_view_of_what_has_not_come_is_refused(story, command):
    answer = type_words(*command, NAME, "--as-of", "2999-01-01", "--workspace", story[0])
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("--as-of 2999-01-01 has not come yet, it is 2")
    assert answer.err.endswith("; leave --as-of out for what is known now.\n")
