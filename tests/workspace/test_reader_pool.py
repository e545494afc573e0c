"""What a reader keeps between questions changes no answer: the board, stories, sellers and explanations stay as they are."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta

import pyarrow.compute as pc
import pytest
from rentmark.cli import run
from rentmark.records import RentmarkError, day_start
from rentmark.store.recent import recent_of
from rentmark.store.spans import Spans
from rentmark.workspace import (
    Workspace,
    change_story,
    explain_fixing,
    explanation_row,
    fixing_rows,
    market,
    open_for_reading,
    panel_sellers,
)
from rentmark.workspace.forward import may_hold_reserved, reserved_prices
from rentmark.workspace.market_board import SPARK_DAYS
from rentmark.workspace.reader_pool import MOST_LASTING, KeptDays, Lasting
from rentmark.workspace.showing import fixings_shown, last_fixings_shown, recent_shown

FIRST = date(2026, 4, 1)
DAYS = 100
RULES = """
[grades.h100]
chip = "H100"

[grades.h100-eu]
chip = "H100"
regions = ["eu"]

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 3

[methodologies.cutoff]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 2
cutoff = "16:00 America/New_York"
lookback_hours = 48

[methodologies.shared]
version = "1.0.0"
inputs = ["listed"]
vote = ["seller", "region"]
min_sellers = 2
max_aggregator_share = "0.9"

[methodologies.traded]
version = "1.0.0"
inputs = ["trade", "listed"]
min_sellers = 2

[methodologies.weekly]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 2
calendar = "weekly"
weekday = "wednesday"

[benchmarks.h100-list]
grade = "h100"
methodology = "list-median"

[benchmarks.h100-cutoff]
grade = "h100-eu"
methodology = "cutoff"

[benchmarks.h100-shared]
grade = "h100"
methodology = "shared"

[benchmarks.h100-traded]
grade = "h100"
methodology = "traded"

[benchmarks.h100-weekly]
grade = "h100"
methodology = "weekly"

[benchmarks.h100-loose]
grade = "h100-eu"
methodology = "list-median"

[benchmarks.h100-empty]
grade = "h100"
methodology = "list-median"
"""
BUILT = ("h100-list", "h100-cutoff", "h100-shared", "h100-traded", "h100-weekly")
HEADER = "observed_at,seller,source,sku,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,region,pricing,license"


def offers(first: int, days: int) -> str:
    """Invented: four sellers in two regions, prices that move, days on which too few are left."""
    lines = [HEADER]
    for n in range(first, first + days):
        for place, seller in enumerate(("amber", "birch", "cedar", "coral")):
            if n % 17 == 0 and place > 1:
                continue
            price = 2 + place / 4 + (n * (place + 3) % 7) / 20
            for hour in (3, 15, 22):
                at = f"{FIRST + timedelta(days=n)}T{hour:02d}:30:00Z"
                lines.append(
                    f"{at},{seller},invented,h100-{seller},H100,SXM5,80,8,{price + hour / 1000:.3f},"
                    f"{('eu', 'us')[(place + hour) % 2]},on_demand,MIT"
                )
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Five benchmarks published, one built, one never built."""
    root = tmp_path_factory.mktemp("pool") / "w"
    assert run(["init", str(root)]) == 0
    (root / "rentmark.toml").write_text(RULES, encoding="utf-8")
    (root / "offers.csv").write_text(offers(0, DAYS), encoding="utf-8")
    assert run(["ingest", "tabular", str(root / "offers.csv"), "-w", str(root)]) == 0
    for name in BUILT:
        assert run(["index", "build", name, "--publish", "-w", str(root)]) == 0
    assert run(["index", "build", "h100-loose", "-w", str(root)]) == 0
    return root


@pytest.fixture
def fresh(folder):
    """The workspace as a command opens it: an engine for each question, nothing kept."""
    workspace = Workspace.open(folder, database_url=None)
    yield workspace
    workspace.store.close()


@pytest.fixture
def reader(folder):
    """The workspace as the dashboard opens it."""
    workspace = open_for_reading(folder, database_url=None)
    yield workspace
    workspace.store.close()


@pytest.mark.parametrize("name", [*BUILT, "h100-loose"])
def test_a_reader_answers_what_a_fresh_engine_answers(fresh, reader, name):
    rows = fixing_rows(fresh, name)
    gaps = [row["date"] for row in rows if row["status"] == "GAP"]
    for day in dict.fromkeys([rows[-1]["date"], rows[len(rows) // 2]["date"], rows[0]["date"], *gaps[-1:]]):
        asked = name, date.fromisoformat(day)
        for _ in range(2):  # the second time from what was kept
            assert change_story(reader, *asked) == change_story(fresh, *asked)
        assert panel_sellers(reader, *asked) == panel_sellers(fresh, *asked)
        assert explanation_row(explain_fixing(reader, *asked)) == explanation_row(
            explain_fixing(fresh, *asked)
        )


def test_the_board_is_that_of_whole_tapes(fresh, reader):
    names = [*BUILT, "h100-loose", "h100-empty", "h100-list"]
    ends = recent_shown(reader, names, days=SPARK_DAYS)
    for name in names[:-2]:
        assert ends[name] == recent_of(fixings_shown(fresh, name), days=SPARK_DAYS)
    assert isinstance(ends["h100-empty"], RentmarkError)
    board, again = market(fresh), market(reader)
    assert json.dumps(board | {"as_of": None}) == json.dumps(again | {"as_of": None})
    assert {row["benchmark"] for row in board["rows"] if row["n_changed"] is not None} == {
        *BUILT,
        "h100-loose",
    }


def test_a_chart_of_some_days_has_the_rows_that_a_whole_one_has(reader):
    for name in (*BUILT, "h100-loose"):
        rows = fixings_shown(reader, name)
        first = rows[-1].date - timedelta(days=29)
        assert last_fixings_shown(reader, name, days=30) == [row for row in rows if row.date >= first]
        assert fixing_rows(reader, name, days=30) == [
            row for row in fixing_rows(reader, name) if row["date"] >= first.isoformat()
        ]


def test_the_story_of_published_fixings_is_worked_out_once_however_much_is_committed(folder, reader):
    told = market(reader)
    asked = []

    class Unasked:
        """Stands for a pool that must not be asked."""

        def taken(self, workspace):
            asked.append(workspace)
            raise AssertionError

    day = FIRST + timedelta(days=DAYS)
    (folder / "more.csv").write_text(offers(DAYS, 1), encoding="utf-8")
    assert run(["ingest", "tabular", str(folder / "more.csv"), "-w", str(folder)]) == 0
    pool, reader.store.readers = reader.store.readers, Unasked()
    for name in BUILT:
        row = next(row for row in told["rows"] if row["benchmark"] == name)
        assert change_story(reader, name, date.fromisoformat(row["date"]))["sentence"] == row["sentence"]
    assert asked == []
    reader.store.readers = pool
    assert run(["index", "build", "h100-list", "--publish", "-w", str(folder)]) == 0
    assert change_story(reader, "h100-list", day)["date"] == day.isoformat()


def test_what_is_kept_has_an_end():
    lasting = Lasting()
    for number in range(MOST_LASTING + 5):
        lasting.put(number, {"n": number})
    assert lasting.get(4) is None
    assert lasting.get(5) == {"n": 5}
    lasting.put("new", {})
    assert lasting.get(6) is None  # 5 was asked for since
    assert lasting.get(5) is not None


def test_engines_are_used_again_and_closed_with_the_workspace(folder):
    workspace = open_for_reading(folder, database_url=None)
    pool = workspace.store.readers
    with pool.taken(workspace) as first, pool.taken(workspace) as second, pool.taken(workspace) as third:
        assert len({id(first), id(second), id(third)}) == 3
    with pool.taken(workspace) as again:
        assert again in (first, second, third)
    with pytest.raises(RentmarkError), pool.taken(workspace) as broken:
        raise RentmarkError("It failed.")
    with pool.taken(workspace) as after:
        assert after is not broken
        workspace.store.close()
    with pool.taken(workspace) as late:
        assert late is not after  # closed when it was given back


def test_a_span_is_the_rows_of_its_days(reader, monkeypatch):
    files = reader.store.observation_files()
    paths = reader.store.file_paths(files)
    start, end = day_start(FIRST + timedelta(days=28)), day_start(FIRST + timedelta(days=33))
    rows = Spans(1 << 24).read(paths, start, end)  # over the end of a month
    whole = Spans(1 << 24).read(paths, day_start(FIRST), day_start(FIRST + timedelta(days=DAYS + 1)))
    assert whole.num_rows == sum(file.rows for file in files)
    meets = pc.and_(pc.greater_equal(whole["observed_at"], start), pc.less(whole["observed_at"], end))
    assert rows.equals(whole.filter(meets).combine_chunks())
    assert rows.num_rows > 0
    monkeypatch.setattr("rentmark.store.spans.MOST_ROWS", 0)  # by row groups, as of files too large to keep
    assert Spans(1 << 24).read(paths, start, end).equals(rows)
    assert Spans(0).read(paths, start, end).equals(rows)


def test_kept_days_are_read_once_and_make_room(reader, monkeypatch):
    kept, files = KeptDays(), reader.store.observation_files()
    spans = [
        (day_start(FIRST + timedelta(days=n)), day_start(FIRST + timedelta(days=n + 1))) for n in range(3)
    ]
    near = [f for f in files if f.month == "2026-04"]
    asked = []

    def paths():
        asked.append(1)
        return reader.store.file_paths(near)

    names = tuple(file.path for file in near)
    first = kept.rows((names, *spans[0]), paths)
    assert kept.rows((names, *spans[0]), paths) is first
    assert (len(asked), first[0].num_rows) == (1, len(first[1]))
    monkeypatch.setattr("rentmark.workspace.reader_pool.KEPT_BYTES", 1)
    kept.rows((names, *spans[1]), paths)
    assert kept.rows((names, *spans[0]), paths) is not first
    assert len(asked) == 3


def test_reserved_prices_skip_files_that_can_hold_none_and_miss_no_price(tmp_path, monkeypatch):
    root = tmp_path / "w"
    assert run(["init", str(root)]) == 0
    (root / "rentmark.toml").write_text(RULES, encoding="utf-8")
    plain = offers(0, 3)
    (root / "plain.csv").write_text(plain, encoding="utf-8")
    lines = plain.replace("license", "license,term_months", 1).splitlines()
    mixed = [lines[0]] + [f"{line},{'' if n % 2 else 12}" for n, line in enumerate(lines[1:])]
    mixed = [line.replace("on_demand", "reserved") if line.endswith(",12") else line for line in mixed]
    text = "\n".join(mixed).replace("invented", "invented-terms") + "\n"
    (root / "mixed.csv").write_text(text, encoding="utf-8")
    for name in ("plain.csv", "mixed.csv"):
        assert run(["ingest", "tabular", str(root / name), "-w", str(root)]) == 0
    with Workspace.open(root, database_url=None).store as store:
        files = store.observation_files()
        assert sorted(may_hold_reserved(file, "H100") for file in files) == [False, True]
        assert not any(may_hold_reserved(file, "B200") for file in files)
        assert all(may_hold_reserved(replace(file, facts=None), "B200") for file in files)
    skipping = open_for_reading(root, database_url=None)
    found = [reserved_prices(skipping, "H100", None) for _ in range(2)]  # the second time from what was kept
    skipping.store.close()
    monkeypatch.setattr("rentmark.workspace.forward.may_hold_reserved", lambda _file, _chip: True)
    whole = Workspace.open(root, database_url=None)
    assert found == [reserved_prices(whole, "H100", None)] * 2
    assert len(found[0]) == sum(line.endswith(",12") for line in mixed) > 0
    whole.store.close()
