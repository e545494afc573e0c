"""Several benchmarks in one call: built in one pass, each told apart, and one that is refused stops no other."""

from __future__ import annotations

import shutil

import pytest
from rentmark.workspace import Workspace, building

from tests.journeys.governed import day, ingest, offers
from tests.journeys.typed import ask, type_words

RULES = """
[grades.h100]
chip = "H100"
[grades.b200]
chip = "B200"
[grades.mi300x]
chip = "MI300X"
[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 2
[methodologies.at-four]
version = "1.0.0"
inputs = ["listed"]
cutoff = "16:00 America/New_York"
[benchmarks.h100-list]
grade = "h100"
methodology = "list-median"
[benchmarks.b200-list]
grade = "b200"
methodology = "list-median"
[benchmarks.h100-at-four]
grade = "h100"
methodology = "at-four"
[benchmarks.h100-study]
grade = "h100"
methodology = "list-median"
research = true
"""
NOTHING = """
[benchmarks.mi300x-list]
grade = "mi300x"
methodology = "list-median"
[benchmarks.mi300x-at-four]
grade = "mi300x"
methodology = "at-four"
"""
"""Of a chip that nobody offers; one would share a pass with the others, one has a panel of its own."""
ALL = ["h100-list", "b200-list", "h100-at-four", "h100-study"]


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A workspace with invented offers of two chips, of a source and in a file each, and nothing built."""
    folder = tmp_path_factory.mktemp("several") / "w"
    assert type_words("init", folder).code == 0
    (folder / "rentmark.toml").write_text(RULES, encoding="utf-8")
    prices = {1: (3.0, 3.2), 2: (3.0,), 3: (3.1, 3.3, 3.4)}
    ingest(folder, "h100.csv", offers(prices))
    others = offers({2: (5.0, 5.2), 3: (5.1, 5.3)}, source="second")
    ingest(folder, "b200.csv", others.replace(",H100,SXM5,80,", ",B200,,,"))
    return folder


@pytest.fixture
def folder(ready, tmp_path, monkeypatch):
    """A copy of it."""
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    copy = tmp_path / "w"
    shutil.copytree(ready, copy)
    return copy


def say(folder, *words):
    return type_words("index", *words, "--workspace", folder)


def by_name(answer: dict) -> dict[str, dict]:
    return {each["benchmark"]: each for each in answer["benchmarks"]}


def prices(rows: list[dict]) -> list[tuple]:
    return [(row["date"], row["value"], row["status"], row["rule"]) for row in rows]


def test_each_of_several_is_what_it_is_alone_in_the_shape_it_has_alone(folder, tmp_path):
    alone = tmp_path / "alone"
    shutil.copytree(folder, alone)
    found = by_name(ask("index", "build", "--all", "--workspace", folder))
    assert list(found) == ALL
    for name in ALL:
        one = ask("index", "build", name, "--workspace", alone)
        together = dict(found[name])
        assert (together.pop("status"), together.pop("sentence")[:7]) == ("built", f"{one['built']} dates")
        assert together.keys() == one.keys()
        assert prices(together["rows"]) == prices(one["rows"])
        assert {k: v for k, v in together.items() if k != "rows"} == {
            k: v for k, v in one.items() if k != "rows"
        }
    assert prices(found["h100-list"]["rows"]) == [
        (str(day(1)), "3.100000", "OK", None),
        (str(day(2)), None, "GAP", "min_sellers"),
        (str(day(3)), "3.300000", "OK", None),
    ]
    # what was built before is told whole when it stands
    again = by_name(ask("index", "build", "--all", "--workspace", folder))
    assert [prices(again[name]["rows"]) for name in ALL] == [prices(found[name]["rows"]) for name in ALL]


def test_benchmarks_that_can_share_a_pass_over_the_archive_do(folder, monkeypatch):
    shared = []
    build_jointly = building.build_jointly

    def counted(workspace, reader, rules, *others, **named):
        shared.append([span.benchmark.name for span in rules])
        return build_jointly(workspace, reader, rules, *others, **named)

    monkeypatch.setattr(building, "build_jointly", counted)
    ask("index", "build", "h100-list", "h100-at-four", "b200-list", "--workspace", folder)
    assert shared == [["h100-list", "b200-list"]], "the one with a cut-off has a panel of its own"


def test_what_refuses_one_is_a_sentence_and_stops_no_other(folder):
    with (folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(NOTHING)
    said = say(folder, "build", "mi300x-list", "h100-list", "h100-lst", "mi300x-at-four", "--publish")
    assert said.code == 1
    told = said.err.splitlines()
    assert [line.split(":")[0] for line in told] == ["mi300x-list", "h100-lst", "mi300x-at-four"]
    assert "meets grade mi300x; ingest data or widen [grades.mi300x]." in told[0]
    assert told[1].endswith("no benchmark 'h100-lst' in rentmark.toml; did you mean h100-list?")
    assert "h100-list" in said.out
    assert "published" in said.out
    assert len(ask("index", "show", "h100-list", "--workspace", folder)["rows"]) == 3
    answer = ask("index", "build", "--all", "--workspace", folder, code=1)
    assert answer["refused"] == 2
    found = by_name(answer)
    assert {name: each["status"] for name, each in found.items()} == {
        **dict.fromkeys(ALL, "built"),
        "mi300x-list": "refused",
        "mi300x-at-four": "refused",
    }
    assert (found["mi300x-list"]["built"], found["mi300x-list"]["rows"]) == (0, [])
    assert found["mi300x-list"]["sentence"].startswith("Nothing to build: ")


def test_a_damaged_file_stops_only_those_who_read_it(folder):
    store = Workspace.open(folder, database_url=None).store
    [lost] = [path for path in store.file_paths(store.observation_files()) if holds(path, "B200")]
    store.close()
    lost.unlink()
    said = say(folder, "build", "h100-list", "b200-list")
    assert said.code == 1
    assert said.err.startswith("b200-list: ")
    assert lost.name in said.err
    assert said.err.count("\n") == 1
    rows = ask("index", "show", "h100-list", "--workspace", folder)["rows"]
    assert [row["value"] for row in rows] == ["3.100000", None, "3.300000"]


def holds(path, chip: str) -> bool:
    import pyarrow.parquet as pq

    return chip in pq.ParquetFile(path).read(columns=["chip"])["chip"].to_pylist()


def test_all_are_published_but_those_for_research(folder):
    first = by_name(ask("index", "build", "--all", "--publish", "--actor", "ann", "--workspace", folder))
    assert {name: (each["status"], each["published"]) for name, each in first.items()} == {
        "h100-list": ("published", 3),
        "b200-list": ("published", 2),
        "h100-at-four": ("published", 3),
        "h100-study": ("research", 0),
    }
    assert first["b200-list"]["sentence"].endswith("Published 2 fixings; origin backcast.")
    assert first["h100-study"]["sentence"].endswith("A research benchmark is never published.")
    second = ask("index", "publish", "--all", "--workspace", folder)
    assert second["refused"] == 0
    assert {each["status"] for each in second["benchmarks"]} == {"nothing_new", "research"}
    named = say(folder, "publish", "h100-list", "h100-study")
    assert named.code == 1
    assert named.err == (
        "h100-study: h100-study is a research benchmark: it may be built and studied, not published.\n"
    )
    assert say(folder, "publish", "h100-study").err == named.err.removeprefix("h100-study: ")
    table = say(folder, "publish", "--all").out
    assert [line.split()[0] for line in table.splitlines() if line.strip()][2:] == ALL
    assert ask("index", "verify", "--workspace", folder)["passed"]


def test_all_are_published_through_a_date(folder):
    ask("index", "build", "--all", "--workspace", folder)
    found = by_name(ask("index", "publish", "--all", "--through", str(day(2)), "--workspace", folder))
    assert [found[name]["published"] for name in ALL] == [2, 1, 2, 0]
    assert [row["date"] for row in found["h100-list"]["rows"]] == [str(day(1)), str(day(2))]


def test_a_view_of_the_past_is_built_of_several(folder):
    words = ("--as-of", str(day(3)), "--reconstructed", "--workspace", folder)
    found = by_name(ask("index", "build", "h100-list", "b200-list", *words))
    assert [row["date"] for row in found["b200-list"]["rows"]] == [str(day(2))]
    assert all(row["reconstructed"] for each in found.values() for row in each["rows"])
    assert prices(ask("index", "show", "h100-list", *words)["rows"]) == prices(found["h100-list"]["rows"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("build",), 2, "Which benchmark? Name one or several, or add --all.\n"),
        (("publish",), 2, "Which benchmark? Name one or several, or add --all.\n"),
        (
            ("build", "h100-list", "--all"),
            2,
            "--all is every benchmark; leave h100-list out, or leave --all out.\n",
        ),
        (("publish", "h100-list"), 1, "Nothing to publish for h100-list; run `rentmark index build"),
        (("build", "--all", "--engine", "dask"), 2, "--engine dask is unknown; choose duckdb or spark.\n"),
    ],
)
def test_wrong_requests_are_one_sentence(folder, words, code, said):
    answer = say(folder, *words)
    assert (answer.code, answer.out) == (code, "")
    assert answer.err.startswith(said)
    assert answer.err.count("\n") == 1


def test_an_empty_archive_is_said_once(tmp_path):
    folder = tmp_path / "w"
    assert type_words("init", folder).code == 0
    (folder / "rentmark.toml").write_text(RULES, encoding="utf-8")
    answer = say(folder, "build", "--all")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == "No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.\n"
    (folder / "rentmark.toml").write_text("", encoding="utf-8")
    assert say(folder, "build", "--all").err == (
        "rentmark.toml names no benchmark; add a [benchmarks.NAME] table.\n"
    )
