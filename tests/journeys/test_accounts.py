"""An account through the real command line: blotter in, positions, calls, profit and loss explained, bad input."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.journeys.account_made import BLOTTER, PLAN, RULES, SETTLEMENTS, add_account
from tests.journeys.typed import Said, ask, type_words

HEADER = BLOTTER.splitlines()[0]


class Desk:
    """Types commands in a workspace with an invented benchmark, account and blotter."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "blotter.csv"

    def asks(self, *words, code: int = 0):
        return ask(*words, "--workspace", self.folder, code=code)

    def types(self, *words) -> Said:
        return type_words(*words, "--workspace", self.folder)

    def keeps(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture
def desk(tmp_path) -> Desk:
    folder = tmp_path / "w"
    ask("init", folder)
    add_account(folder)
    return Desk(folder)


@pytest.fixture
def traded(desk) -> Desk:
    desk.asks("settlements", "import", desk.keeps("settlements.csv", SETTLEMENTS))
    desk.asks("blotter", "import", desk.file)
    return desk


def test_a_blotter_is_imported_once_and_a_longer_one_adds_only_what_is_new(desk):
    first = desk.asks("blotter", "import", desk.file)
    assert (first["records"], first["accepted"], first["already_imported"]) == (9, 9, False)
    assert first["notes"] == ["columns not read: desk_note"]
    again = desk.asks("blotter", "import", desk.file)
    assert again == first | {"already_imported": True}
    longer = desk.keeps(
        "longer.csv", BLOTTER + "T8,acme,desk,2026-09-03,cme-gpu1,2026-10,sell,1,3.00,,new,,\n"
    )
    grown = desk.asks("blotter", "import", longer)
    assert (grown["accepted"], grown["duplicates"]) == (1, 9)
    standing = {trade["trade_id"]: trade for trade in desk.asks("blotter", "events")["trades"]}
    assert standing["T2"]["price"] == "3.160000"
    assert standing["T3"]["cancelled"]
    assert len(desk.asks("blotter", "events", "--account", "desk")["events"]) == 8


def test_positions_stand_by_month_with_where_their_mark_comes_from(traded):
    answer = {
        each["standing"]["account"]: each
        for each in traded.asks("positions", "--through", "2026-08-31")["accounts"]
    }
    # a blotter states facts: thin could not meet its call (see `account thin`) and holds what was reported
    assert [row["lots"] for row in answer["thin"]["rows"]] == [3]
    (row,) = answer["desk"]["rows"]
    assert (row["contract"], row["month"], row["lots"], row["gpu_hours"]) == ("cme-gpu1", "2026-09", 8, 5_840)
    assert row["modelled"]
    assert answer["desk"]["standing"]["modelled_marks"]
    assert answer["desk"]["standing"]["proxy_for"] == {
        "cme-gpu1": "Silicon Data H100 on-demand settlement price, United States"
    }
    (imported,) = answer["margin-free"]["rows"]
    assert (imported["mark"], imported["mark_date"], imported["modelled"]) == (
        "4.905000",
        "2026-08-06",
        False,
    )
    codes = [alert["code"] for alert in answer["margin-free"]["alerts"]]
    assert codes == ["stale_mark", "open_interest"]  # 25 days old; 2 of 15 lots are more than 10 %


def test_profit_and_loss_is_explained_to_nothing_and_periods_add_up(traded):
    whole = traded.asks("pnl", "desk", "--through", "2026-10-15")
    assert whole["unexplained"] == "0.000000"
    assert whole["parts"]["roll"] != "0.000000"
    assert whole["parts"]["accrued_fixings"] != "0.000000"
    assert sum(map(Decimal, whole["parts"].values())) == Decimal(whole["total"])
    assert sum(Decimal(line["amount"]) for line in whole["lines"]) == Decimal(whole["total"])
    first = traded.asks("pnl", "desk", "--through", "2026-09-02")
    second = traded.asks("pnl", "desk", "--after", "2026-09-02", "--through", "2026-10-15")
    for part, amount in whole["parts"].items():
        assert Decimal(first["parts"][part]) + Decimal(second["parts"][part]) == Decimal(amount)
    said = traded.types("pnl", "desk", "--through", "2026-10-15", "--explain").out
    for word in (
        "accrued fixings",
        "curve move",
        "new trades",
        "roll",
        "fees",
        "unexplained",
        "MODELLED MARKS",
    ):
        assert word in said


def test_every_call_is_explained_line_by_line(traded):
    answer = traded.asks("account", "desk", "--through", "2026-09-15")
    assert answer["calls"]
    for call in answer["calls"]:
        for part, total in (
            ("balance", call["balance"]),
            ("required", call["initial"]),
            ("call", call["amount"]),
        ):
            assert sum(Decimal(line["amount"]) for line in call["lines"] if line["part"] == part) == Decimal(
                total
            )
    assert answer["explained"]
    for money in ("total", "cash"):
        assert sum(Decimal(account[money]) for account in answer["accounts"].values()) == 0
    for before, after in zip(answer["days"], answer["days"][1:], strict=False):
        assert before["closing"] == after["opening"]
    assert answer["margin"]["method"] == "historical"
    assert answer["margin"]["modelled"]
    assert [row["method"] for row in answer["liquidity"]] == ["historical", "bootstrap"]


def test_a_call_that_is_not_met_is_closed_out_step_by_step(traded):
    said = traded.types("account", "thin", "--through", "2026-08-31").out
    for word in (
        "is due and not met",
        "close-out: sold 3 of 3 lots",
        "nothing is left to close",
        "the holder owes",
    ):
        assert word in said
    steps = [step["code"] for step in traded.asks("account", "thin", "--through", "2026-08-31")["steps"]]
    assert steps == ["call_issued", "call_unmet", "closed_out", "account_closed", "shortfall"]


def test_orders_are_tried_at_stated_marks_and_say_simulated(traded):
    plan = traded.keeps("plan.csv", PLAN)
    answer = traded.asks(
        "account", "plan", "--orders", plan, "--benchmark", "h100-list", "--through", "2026-08-31"
    )
    assert answer["standing"]["simulated_fills"]
    assert answer["trades"][0]["note"].startswith("simulated fill at the modelled mark")
    assert {alert["code"] for alert in answer["alerts"]} >= {"single_month_accountability", "reportable"}


def test_both_margins_are_shown_and_both_are_modelled(traded):
    methods = traded.asks(
        "margin", "cme-gpu1", "2026-12", "--lots", "10", "--benchmark", "h100-list", "--on", "2026-09-15"
    )["methods"]
    assert methods["published"]["reason"] == "No margin: cme-gpu1 publishes no margin."
    for method in ("historical", "proxy"):
        assert methods[method]["modelled"]
        assert Decimal(methods[method]["initial"]) > 0


def test_a_thousand_gpus_are_986_3_lots_and_the_day_count_shows_only_when_flat(desk):
    month = desk.asks("lots", "cme-gpu1", "--gpus", "1000", "--from", "2026-09", "--months", "1")["months"][0]
    assert round(month["exact_lots"], 1) == 986.3
    assert "day_count_gpu_hours" not in month
    ice = desk.asks("lots", "ice-hpr", "--gpus", "1000", "--from", "2026-09", "--months", "1")["months"][0]
    assert (ice["exact_lots"], ice["lots"]) == (1_000.0, 1_000)
    flat = desk.asks(
        "lots", "cme-gpu1", "--gpus", "1000", "--from", "2027-01", "--months", "12", "--sizing", "flat"
    )
    by_month = {row["month"]: row for row in flat["months"]}
    assert round(100 * by_month["2027-02"]["excess_share"], 1) == 8.6
    assert by_month["2027-01"]["excess_share"] < 0
    assert by_month["2027-02"]["day_count_gpu_hours"] == 58_000


def test_a_roll_shows_its_yield_on_its_own_line_and_a_missing_mark_names_the_day(traded):
    said = traded.types(
        "legs", "roll", "cme-gpu1", "2026-09", "--from", "2026-08-14", "--to", "2026-10-20", "--lots", "10",
        "--benchmark", "h100-list",
    ).out  # fmt: skip
    assert "roll yield" in said
    assert "MODELLED MARKS" in said
    gone = traded.types(
        "legs",
        "roll",
        "ice-bkl",
        "2026-09",
        "--from",
        "2026-08-05",
        "--to",
        "2026-10-20",
        "--marks",
        "imported",
    )
    assert gone.code == 1
    assert "ice-bkl 2026-09 has no mark on 2026-09-30, a day with the roll into 2026-10" in gone.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("positions",), 1, "No trades yet. Run `rentmark blotter import FILE`."),
        (("pnl", "desk"), 1, "There is no account 'desk' in the blotter; known: none yet."),
        (("blotter", "import", "absent.csv"), 1, "There is no blotter absent.csv; check the path."),
        (("account", "desk", "--marks", "best-ever"), 2, "--marks is 'best-ever'; it is best, imported, flat."),
        (("account", "x", "--orders", "absent.csv"), 1, "There is no orders file absent.csv"),
        (("account", "x", "--liquidity-days", "0"), 2, "--liquidity-days 0 is no number of days"),
        (("lots", "cme-gpu1", "--gpus", "0", "--from", "2026-09"), 2, "--gpus 0 hedges nothing"),
        (("lots", "cme-gpu1", "--gpus", "8", "--from", "2026-09", "--ratio", "all"), 2, "--ratio all is not a number"),
        (("lots", "cme-gpu1", "--gpus", "8", "--from", "2026-09", "--sizing", "round"), 2, "it is per_month or flat."),
        (("lots", "cme-gpu9", "--gpus", "8", "--from", "2026-09"), 1, "There is no contract 'cme-gpu9'"),
        (("margin", "cme-gpu1", "2026-12"), 1, "no settlements and no benchmark to model marks from"),
        (("legs", "calendar", "cme-gpu1", "2026-12", "2026-10"), 2, "has no far month; name a later one."),
        (("legs", "strip", "cme-gpu1", "--from", "2026-10", "--months", "2", "--lots", "0"), 2, "a strip of 0 lots"),
        (("legs", "grades", "cme-gpu1", "ice-hpr", "2026-10", "--ratio", "-1"), 2, "--ratio -1 is no number above 0"),
        (("legs", "roll", "cme-gpu1", "2026-09", "--from", "soon"), 2, "is not a date"),
        (("positions", "--benchmark", "h100-list", "--benchmark", "h100-sxm-list", "--account", "x"), 2, "keep one."),
    ],
)  # fmt: skip
def test_a_wrong_command_is_answered_in_one_plain_line(desk, words, code, said):
    answer = desk.types(*words)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err
    assert len(answer.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "T9,acme,desk,,,,,,3.16,,amend,,",
            "it amends trade T9 of acme, which is unknown; send the new trade first.",
        ),
        ("T1,acme,,,,,,,,,cancel,,", "it cancels trade T1 of acme, which is unknown"),
        (
            "T1,acme,desk,2026-08-03,cme-gpu1,2026-09,buy,1,3.105,,new,,",
            "no multiple of the tick of cme-gpu1, 0.010000",
        ),
        (
            "T1,acme,desk,2026-08-03,cme-gpu1,2026-09,buy,1.5,3.10,,new,,",
            "lots is '1.5'; write a whole number",
        ),
        (
            "T1,acme,desk,2026-08-03,cme-gpu1,2031-09,buy,1,3.10,,new,,",
            "cme-gpu1 2031-09 is not listed on 2026-08-03",
        ),
    ],
)
def test_a_bad_row_of_a_blotter_is_a_plain_sentence_and_the_good_row_is_in(desk, row, said):
    good = "G1,acme,desk,2026-08-03,cme-gpu1,2026-09,buy,1,3.10,,new,,,"
    mixed = desk.asks("blotter", "import", desk.keeps("mixed.csv", f"{HEADER}\n{good[:-1]}\n{row}\n"))
    assert (mixed["accepted"], mixed["rejected"]) == (1, 1)
    assert said in mixed["rejects"][0]["sentence"]
    alone = desk.types("blotter", "import", desk.keeps("alone.csv", f"{HEADER}\n{row}\n"))
    assert alone.code == 1
    assert said in alone.out
    assert alone.err == "alone.csv: no row was accepted; correct the rows.\n"


def test_an_index_that_ceased_is_a_plain_sentence(traded):
    rules = traded.folder / "rentmark.toml"
    text = rules.read_text(encoding="utf-8")
    assert RULES in text
    rules.write_text(
        text.replace(RULES, RULES + "\n[accounts.desk.ceased]\nh100-list = 2026-08-20\n"), encoding="utf-8"
    )
    assert traded.asks("positions", "--account", "desk", "--through", "2026-08-20")["accounts"]
    answer = traded.types("positions", "--account", "desk", "--through", "2026-08-31")
    assert answer.code == 1
    assert answer.err.startswith(
        "h100-list ceased on 2026-08-20: cme-gpu1 has no index to fix on by 2026-08-21;"
    )


def test_an_earlier_as_of_knows_neither_later_trades_nor_later_fixings(traded):
    answer = traded.types("positions", "--as-of", "2026-08-31")
    assert (answer.code, answer.err) == (1, "No trades yet. Run `rentmark blotter import FILE`.\n")


def test_an_as_of_between_two_files_sees_the_first_alone(desk):
    first = desk.asks("blotter", "import", desk.file)
    amended = desk.keeps("later.csv", f"{HEADER}\nT1,acme,desk,,,,buy,12,,,amend,,\n")
    desk.asks("blotter", "import", amended)
    now = desk.asks("blotter", "events")["trades"][0]
    then = desk.asks("blotter", "events", "--as-of", first["recorded_at"])["trades"][0]
    assert (then["lots"], now["lots"], now["events"]) == (10, 12, 2)
    held = [
        desk.asks("positions", "--account", "desk", "--through", "2026-08-31", *words)["accounts"][0]["rows"][
            0
        ]["lots"]
        for words in ((), ("--as-of", first["recorded_at"]))
    ]
    assert held == [10, 8]


def test_an_account_of_the_rules_that_states_nonsense_is_refused_with_its_key(desk):
    with (desk.folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write("\n[accounts.bad.margin]\nquantile = 1.5\n")
    answer = desk.types("positions")
    assert answer.code == 2
    assert "[accounts.bad] has margin.quantile = 1.5" in answer.err
