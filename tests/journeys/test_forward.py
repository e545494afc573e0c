"""What comes later, through the real command line: calendar, settlements, curve, simulate, and plain sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from rentmark.workspace import Workspace
from rentmark.workspace.templates import DEMO

from tests.journeys.conftest import OFFERS, REAL_RULES
from tests.journeys.forward_made import market
from tests.journeys.typed import ask, type_words

GCP_SAMPLE = "feeds/gcp_pricing_2026-07-30_excerpt.yml"
ON = ("--benchmark", "h100-sxm-list")
PAST = ("--as-of", "2026-08-18", "--reconstructed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A workspace with an invented market of a year and its settlements imported."""
    made = market(tmp_path_factory.mktemp("forward") / "w", ask)
    ask("settlements", "import", made / "settlements.csv", "--workspace", made)
    return made


@pytest.fixture
def asks(folder):
    return lambda *words: ask(*words, "--workspace", folder)


@pytest.fixture
def says(folder):
    return lambda *words: type_words(*words, "--workspace", folder)


def test_calendar_lists_last_trade_roll_and_limit_dates_without_a_workspace(tmp_path):
    rows = ask("calendar", "cme-gpu1", "--from", "2026-11", "--months", "2", "--workspace", tmp_path)["rows"]
    assert [row["last_trade"] for row in rows] == ["2026-11-30", "2026-12-31"]
    assert [row["spot_limit_from"] for row in rows] == ["2026-11-24", "2026-12-28"]
    assert [row["roll"] for row in rows] == ["2026-11-30", "2026-12-31"]
    december = ask(
        "calendar", "ffa-like-last7", "--from", "2026-12", "--months", "1", "--workspace", tmp_path
    )
    assert december["rows"][0]["last_trade"] == "2026-12-24"


def test_a_users_own_contract_has_a_calendar_a_curve_and_settlements(person):
    rules = person.workspace / "rentmark.toml"
    page = (Path(__file__).resolve().parents[2] / "docs" / "contracts.md").read_text(encoding="utf-8")
    rules.write_text(rules.read_text() + "\n" + page.split("```toml\n")[1].split("```")[0])
    rows = person.asks("calendar", "mine", "--from", "2026-10", "--months", "2")["rows"]
    assert [row["month"] for row in rows] == ["2026-12", "2027-03"]
    assert (rows[0]["last_trade"], rows[0]["fixings"], rows[0]["unit_gpu_hours"]) == (
        "2026-12-24",
        7,
        8 * 744,
    )
    fields = {f["field"]: f for f in person.asks("contracts", "mine")["fields"]}
    assert fields["period_ends"]["value"] == "month 12 ends on day 24"


def test_settlements_come_in_once_with_gaps_said_and_bad_rows_refused(folder, asks):
    again = asks("settlements", "import", folder / "settlements.csv")
    assert again["already_imported"] is True
    assert (again["records"], again["rejected"], again["duplicates"]) == (again["accepted"] + 2, 2, 0)
    assert [reject["reason"] for reject in again["rejects"]] == ["month_not_listed", "off_tick"]
    assert again["notes"][0] == (
        "ice-hpr 2026-09 has no settlement on 2026-08-11, between days that have one."
    )
    shown = asks("settlements", "show", "ice-hpr", "--month", "2026-10")["rows"]
    assert len(shown) == again["accepted"] // 3


def test_a_curve_shows_marks_beside_a_model_and_says_what_it_is(asks, says):
    board = asks("curve", "ice-hpr", *ON, *PAST, "--months", "3")
    rows = {row["month"]: row for row in board["rows"]}
    assert list(rows) == ["2026-08", "2026-09", "2026-10"]
    assert rows["2026-08"]["mark"] is None
    assert rows["2026-09"]["mark_date"] == "2026-08-14"
    assert rows["2026-08"]["parallel_delta"] == pytest.approx(14 / 31)  # the 18th to the 31st are to come
    assert board["reconstructed"] is True
    assert (board["proxy"], board["origin"]) == (True, "backcast")
    assert board["model"]["reason"] == "expectation, premium unidentified"
    printed = says("curve", "ice-hpr", *ON, *PAST, "--months", "3").out
    assert printed.startswith("MODELLED · RECONSTRUCTED · BACKCAST · PROXY for Ornn")
    assert "expectation, premium unidentified" in printed
    assert "GPU-hours can't be stored" in printed


def test_without_marks_a_curve_says_that_it_is_modelled(says):
    assert "No futures marks; this curve is modelled." in says("curve", "cme-gpu1", *ON, "--months", "1").out


def test_strictly_nothing_of_today_is_known_on_an_earlier_day(says, asks):
    said = says("curve", "ice-hpr", *ON, "--as-of", "2026-08-18", "--months", "1")
    assert said.code == 1
    assert "has no fixings known at 2026-08-18T00:00:00Z" in said.err
    assert "add --reconstructed" in said.err
    assert asks("settlements", "show", "ice-hpr", "--as-of", "2026-08-18")["rows"] == []
    assert asks("settlements", "show", "ice-hpr", *PAST)["rows"] != []


def test_a_curve_panel_gives_the_premium_with_its_interval(asks):
    board = asks("curve", "ice-hpr", *ON, *PAST, "--months", "5", "--model", "schwartz-smith")
    assert board["model"]["premium_identified"] is True
    december = next(row for row in board["rows"] if row["month"] == "2026-12")
    premium = december["premium"]
    assert premium["low"] < premium["percent"] < premium["high"]
    ratio = float(december["modelled"]) / float(december["expectation"]) - 1
    assert 100 * ratio == pytest.approx(premium["percent"], abs=0.1)
    alone = asks("curve", "cme-gpu1", *ON, *PAST, "--months", "2", "--model", "schwartz-smith")
    assert alone["model"]["premium_identified"] is False
    assert alone["rows"][1]["premium"]["percent"] is None


def test_two_days_are_compared_month_by_month(asks):
    answer = asks("curve", "ice-hpr", *ON, *PAST, "--months", "3", "--against", "2026-07-18")
    then = {row["month"]: row for row in answer["against"]["rows"]}
    now = {row["month"]: row for row in answer["rows"]}
    assert then["2026-09"]["mark_date"] == "2026-07-17"
    for key in ("mark", "modelled"):
        change = float(now["2026-09"][key]) - float(then["2026-09"][key])
        assert float(then["2026-09"][f"{key}_change"]) == pytest.approx(change, abs=1e-9)
    assert then["2026-08"]["mark_change_reason"] == "one of the two days has none"


def test_reserved_prices_of_the_archive_make_strips_and_refuse_the_negative_one(asks):
    term = asks("curve", "cme-gpu1", *ON, "--months", "1")["term"]
    strips = [(s["region"], s["from_months"], s["to_months"], s["label"]) for s in term["strips"]]
    assert ("us", 12, 36, "administered, term") in strips
    assert len(strips) == 6  # 1 to 12 and 12 to 36 months in three regions
    assert {refused["rule"] for refused in term["refused"]} == {"negative_strip", "one_tenor"}
    negative = next(r["reason"] for r in term["refused"] if r["rule"] == "negative_strip")
    assert "36 months at 1.900000 and 60 months at 0.200000 imply -2.350000" in negative


def test_the_gcp_sample_gives_eleven_administered_strips_through_the_archive(person, shared_data):
    (person.workspace / "rentmark.toml").write_text(REAL_RULES, encoding="utf-8")
    person.asks("ingest", "tabular", shared_data / OFFERS)
    person.asks("index", "build", "h100-list", "--publish")
    person.asks("ingest", "gcp", shared_data / GCP_SAMPLE)
    board = person.asks("curve", "cme-gpu1", "--benchmark", "h100-list", "--months", "1")
    strips = board["term"]["strips"]
    assert len(strips) == 11
    assert {strip["label"] for strip in strips} == {"administered, term"}
    # (36 × 37042.73616816 − 12 × 58518.45085072)/24 a month of 730 hours and 8 GPUs
    assert strips[0]["forward"] == "4.504260"


def test_one_seed_simulates_the_same_paths_and_the_file_says_simulated(folder, asks, tmp_path):
    words = ("simulate", "h100-sxm-list", "--model", "garch", "--paths", "50", "--days", "30", "--seed", "7")
    first, second = (asks(*words, "--out", tmp_path / name) for name in ("one.csv", "two.csv"))
    assert {**first, "as_of": None} == {**second, "as_of": None}
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    lines = (tmp_path / "one.csv").read_text().splitlines()
    assert lines[0].startswith("# SIMULATED paths of h100-sxm-list")
    assert len(lines) == 32
    assert len(lines[2].split(",")) == 51
    assert first["simulated"] is True
    assert asks(*words[:-1], "8")["fan"] != first["fan"]


def test_scenarios_are_laid_over_still_paths_as_stated(asks):
    words = ("simulate", "h100-sxm-list", "--model", "still", "--paths", "1", "--days", "12", "--scenario")
    start = float(asks(*words, "launch")["last_fixing"]["value"])
    outage = asks(*words, "outage", "--scenario-day", "3")["fan"]
    assert [row["mean"] is None for row in outage] == [2 <= n < 8 for n in range(12)]
    launch = asks(*words, "launch", "--scenario-day", "3")["fan"]
    assert float(launch[1]["p50"]) == pytest.approx(start, abs=1e-6)
    assert float(launch[2]["p50"]) == pytest.approx(start * 0.802519, rel=1e-5)  # e^−0.22
    broken = asks(*words, "methodology-break")["fan"]
    assert float(broken[-1]["p50"]) == pytest.approx(start * 1.35, rel=1e-6)
    assert asks(*words, "term-up")["fan"][0]["term"] is not None


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("calendar", "cme-gpu9"), 1, "There is no contract 'cme-gpu9'; known: cme-gpu1"),
        (("calendar", "cme-gpu1", "--from", "2026-13"), 2, "'2026-13' is not a month"),
        (
            ("calendar", "cme-gpu1", "--months", "40"),
            2,
            "40 months of cme-gpu1 were asked for and 36 are listed",
        ),
        (("calendar", "cme-gpu1", "--months", "0"), 2, "--months 0 is no number of months"),
        (("calendar", "ffa-like-balmo", "--from", "2026-08"), 2, "written by its first day"),
        (("settle", "cme-gpu1", "2041-01", *ON), 2, "cme-gpu1 2041-01 is not listed on"),
        (("settlements", "import", "absent.csv"), 1, "There is no settlements file absent.csv"),
        (("settlements", "show", "cme-gpu9"), 1, "There is no contract 'cme-gpu9'"),
        (
            ("curve", "cme-gpu1", *ON, "--model", "magic"),
            2,
            "--model magic is unknown; it is one of flat, ou",
        ),
        (
            ("curve", "cme-gpu1", *ON, "--launch", "2026-11-01"),
            2,
            "--launch goes with --model schwartz-smith",
        ),
        (("curve", "cme-gpu1", "--benchmark", "nobody"), 1, "There is no benchmark 'nobody'"),
        (("curve", "cme-gpu1", *ON, "--rate", "-100"), 2, "state one above −100 %"),
        (("simulate", "h100-sxm-list", "--paths", "0"), 2, "--paths 0 is too few"),
        (("simulate", "h100-sxm-list", "--paths", "10000000"), 2, "are above 50,000,000 prices"),
        (("simulate", "h100-sxm-list", "--seed", "-1"), 2, "--seed -1 is negative"),
        (("simulate", "h100-sxm-list", "--block", "0.2"), 2, "--block 0.2 is too short"),
        (
            ("simulate", "h100-sxm-list", "--model", "ou", "--block", "5"),
            2,
            "--block goes with --model bootstrap",
        ),
        (("simulate", "h100-sxm-list", "--scenario", "crash"), 2, "There is no scenario 'crash'"),
        (
            ("simulate", "h100-sxm-list", "--scenario", "outage", "--days", "5", "--scenario-day", "9"),
            2,
            "scenario outage begins on day 9 of 5",
        ),
        (("simulate", "h100-list", "--reconstructed"), 2, "--reconstructed needs --as-of"),
    ],
)
def test_what_can_not_be_done_is_one_plain_sentence(says, words, code, sentence):
    said = says(*words)
    assert said.code == code, said.err
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_a_file_of_bad_rows_alone_is_refused_and_kept(says, asks, tmp_path):
    file = tmp_path / "doubled.csv"
    file.write_text(
        "trade_date,contract,month,settle\n2026-08-14,cme-gpu1,2026-09,3.10\n2026-08-14,cme-gpu1,2026-09,3.12\n"
    )
    said = says("settlements", "import", file)
    assert said.code == 1
    assert said.err == "doubled.csv: no row was accepted; correct the rows and import it again.\n"
    assert said.out.count("cme-gpu1 2026-09 on 2026-08-14 is given 2 times") == 2


def test_a_series_too_short_for_a_model_is_told_with_the_board_around_it(asks):
    board = asks(
        "curve", "ice-hpr", *ON, "--as-of", "2025-08-20", "--reconstructed", "--months", "2", "--model", "ou"
    )
    assert board["model"]["refusal"] == "too_short"
    assert board["rows"][1]["modelled"] is None
    assert board["rows"][1]["reason"] == board["model"]["reason"]


def test_a_simulated_workspace_takes_no_real_settlements(folder, tmp_path):
    Workspace.create(tmp_path / "demo", database_url=None, text=DEMO).store.close()
    said = type_words("settlements", "import", folder / "settlements.csv", "--workspace", tmp_path / "demo")
    assert said.code == 1
    assert "is not simulated, and this workspace takes simulated sources only" in said.err
