"""Ratings, usable output, full cost and the cost curve through the real command line."""

from __future__ import annotations

import pytest

from tests.journeys.operators_made import (
    ACCOUNT,
    PRODUCERS,
    RATINGS,
    RULES,
    SERVING,
    write_files,
)

SAMPLE = "operators/dsr1_8k1k_all_hw_sample.csv"
MAY = ("--isl", "8192", "--osl", "1024", "--from", "2026-05-01", "--to", "2026-05-31", "--target", "100")


@pytest.fixture
def owner(person, tmp_path):
    """A person with the invented files and a grade of managed clusters."""
    with (person.workspace / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(RULES)
    write_files(tmp_path)
    return person


def test_the_command_of_the_issue_prints_the_published_figures(person, shared_data):
    """Figures: field notes on operators, worked from this sample."""
    answer = person.asks(
        "output", shared_data / SAMPLE, "--hardware", "b200", "--precision", "fp4", *MAY, "--rent", "2.60"
    )
    stacks = {(s["framework"], s["spec_decoding"]): s for s in answer["stacks"]}
    sglang, trt, speculating = (stacks[key] for key in (("sglang", "none"), ("trt", "none"), ("trt", "mtp")))
    assert sglang["output_tokens_per_second_per_gpu"] == pytest.approx(120.41, abs=0.005)
    assert float(sglang["usd_per_million_output"]) == pytest.approx(6.00, abs=0.005)
    assert trt["output_tokens_per_second_per_gpu"] == pytest.approx(189.85, abs=0.005)
    assert float(trt["usd_per_million_output"]) == pytest.approx(3.80, abs=0.005)
    assert (sglang["knots"], sglang["flag"], trt["knots"]) == (5, None, 4)
    assert (speculating["flag"], speculating["usd_per_million_output"]) == ("unreachable", None)
    assert speculating["usd_per_million_output_reason"] == "the fastest knot gives 52.1 tokens/s per user"
    assert "Apache-2.0; attribution required" in answer["source_notice"][0]


def test_two_stacks_side_by_side_with_the_other_readings(person, shared_data):
    words = (
        "output",
        shared_data / SAMPLE,
        "--hardware",
        "b200",
        "--precision",
        "fp4",
        *MAY,
        "--rent",
        "2.60",
    )
    answer = person.types(*words, "--compare", "sglang/none", "--compare", "trt/none")
    assert answer.code == 0
    assert "trt/none yields 1.58 × the output of sglang/none at 100 tokens/s per user" in answer.out
    assert "at the same hourly bill its rent per token is 0.63 of the other's." in answer.out
    assert "Steffen 1.58, linear 1.56, log-linear 1.46" in answer.out
    assert "trt/none: no knot between 72.5 and 124.3 tokens/s per user; the value is rough." in answer.out
    assert "120.41   123.40       120.72      6.00" in answer.out


def test_only_a_join_of_dates_that_is_stated_reaches_the_target_with_speculation(person, shared_data):
    wide = [word.replace("2026-05-01", "2026-02-01") for word in MAY]
    answer = person.asks(
        "output", shared_data / SAMPLE, "--hardware", "b200", "--precision", "fp4", *wide, "--rent", "2.60"
    )
    (joined,) = [s for s in answer["stacks"] if (s["framework"], s["spec_decoding"]) == ("trt", "mtp")]
    assert joined["output_tokens_per_second_per_gpu"] == pytest.approx(283.8, abs=0.05)
    assert (joined["joins_months"], joined["dates"]) == (True, ["2026-02-06", "2026-05-19"])
    assert joined["warnings"][0].startswith("joins rows of 2026-02 and 2026-05")


def test_the_rent_may_be_a_fixing_of_the_chip_the_rows_ran_on(owner, tmp_path):
    owner.asks("ingest", "tabular", tmp_path / "clusters.csv")
    owner.asks("index", "build", "clusters", "--publish")
    words = ("output", tmp_path / "serving.csv", "--framework", "engine", "--target", "60")
    answer = owner.asks(*words, "--benchmark", "clusters", "--date", "2026-07-02")
    (fixing,) = [
        row for row in owner.asks("index", "show", "clusters")["rows"] if row["date"] == "2026-07-02"
    ]
    assert (answer["rent"]["low"], answer["rent"]["status"]) == (fixing["value"], fixing["status"])
    plain = owner.asks(*words, "--rent", fixing["value"])
    assert plain["stacks"][0]["usd_per_million_output"] == answer["stacks"][0]["usd_per_million_output"]
    shown = owner.types(*words, "--benchmark", "clusters", "--date", "2026-07-02")
    assert "clusters on 2026-07-02" in shown.out
    assert "BACKCAST" in shown.out
    other = tmp_path / "other.csv"
    other.write_text(SERVING.replace("h100", "b200"))
    refused = owner.types(
        "output", other, "--target", "60", "--benchmark", "clusters", "--date", "2026-07-02"
    )
    assert refused.code == 1
    assert "The benchmark prices H100 and the rows ran on b200" in refused.err
    gap = owner.types(*words, "--benchmark", "clusters", "--date", "2026-07-04")
    assert gap.code == 1
    assert "clusters has no value on 2026-07-04 (GAP, min_sellers)" in gap.err


def test_a_range_of_rents_gives_both_ends(person, tmp_path):
    write_files(tmp_path)
    words = ("output", tmp_path / "serving.csv", "--framework", "engine", "--target", "60")
    (stack,) = person.asks(*words, "--rent", "2.00..3.00")["stacks"]
    assert stack["usd_per_million_output"] is None
    low, high = (cost["output"] for cost in stack["usd_per_million"])
    assert [person.asks(*words, "--rent", r)["stacks"][0]["usd_per_million_output"] for r in ("2", "3")] == [
        low,
        high,
    ]
    assert f"{float(low):.2f}–{float(high):.2f}" in person.types(*words, "--rent", "2.00..3.00").out


def test_ratings_are_imported_once_and_seen_as_of_an_instant(owner, tmp_path):
    first = owner.asks("operators", "import", tmp_path / "ratings.csv")
    assert (first["records"], first["accepted"], first["already_imported"]) == (11, 11, False)
    again = owner.asks("operators", "import", tmp_path / "ratings.csv")
    assert (again["accepted"], again["already_imported"], again["recorded_at"]) == (
        11,
        True,
        first["recorded_at"],
    )
    early = owner.types("operators", "list", "--as-of", "2025-12-01")
    assert early.code == 1
    assert "add --reconstructed to see what was published by then" in early.err
    before = owner.asks("operators", "list", "--as-of", "2026-09-22T23:59:59Z", "--reconstructed")
    assert (before["version"], before["tiers"]["Unavailable"]) == ("2.0", 1)
    after = owner.asks("operators", "list", "--as-of", "2026-09-23", "--reconstructed")
    assert [(r["operator"], r["tier"]) for r in after["ratings"]] == [
        ("Halite", "Platinum"),
        ("Amber", "Bronze"),
    ]
    missing = [r for r in before["ratings"] if r["tier"] is None]
    assert [(r["operator"], r["as_written"]) for r in missing] == [("Halite", "Unavailable")]
    assert (
        "Unavailable: missing"
        in owner.types("operators", "list", "--as-of", "2026-01-01", "--reconstructed").out
    )
    history = owner.asks("operators", "history", "dune-eu")["ratings"]
    assert [(r["version"], r["operator"], r["tier"]) for r in history] == [("2.0", "Dune Cloud", "Silver")]


def test_the_premium_stands_beside_the_warning_that_it_is_circular(owner, tmp_path):
    """Gold asks 3.00, 3.30, 3.60; silver 2.00, 2.20, 2.40: half as much again, on every day."""
    owner.asks("ingest", "tabular", tmp_path / "clusters.csv")
    owner.asks("operators", "import", tmp_path / "ratings.csv")
    answer = owner.asks("operators", "premium", "clusters", "--reference", "silver")
    by_tier = {p["tier"]: p for p in answer["premiums"]}
    assert by_tier["Gold"]["premium"] == pytest.approx(0.5)
    assert by_tier["Gold"]["premium_low"] < 0.5 < by_tier["Gold"]["premium_high"]
    assert by_tier["Gold"]["dates"] == 3
    assert by_tier["Bronze"]["premium_low_reason"] == "1 and 3 sellers; an interval needs 3 of each"
    assert answer["unrated"] == ["halite"], "missing is not a tier"
    assert any("price by tier is circular" in said for said in answer["warnings"])
    assert "circular" in owner.types("operators", "premium", "clusters").out


def test_a_premium_without_managed_clusters_names_the_way_out(person, shared_data):
    person.asks("ingest", "tabular", shared_data / "offers/offers_2022-02_2026-08.csv.gz")
    person.asks("operators", "import", shared_data / "operators/clustermax_ratings.csv")
    refused = person.types("operators", "premium", "h100-list")
    assert refused.code == 1
    assert "Add --include-unstated" in refused.err
    answer = person.asks("operators", "premium", "h100-list", "--include-unstated")
    assert any("do not state their service" in said for said in answer["warnings"])
    # the 2.0 release was in force through July and August 2026
    assert {"nebius", "crusoe", "azure"} == set(
        next(p for p in answer["premiums"] if p["tier"] == "Gold")["sellers"]
    )


def test_an_account_is_worked_out_and_its_upgrades_judged(owner, tmp_path):
    answer = owner.asks("cost", tmp_path / "account.toml")
    assert answer["accepted_tasks"] == 21_600
    rented = 10 * 2.5 * 240 / 0.95
    assert float(answer["spending"][0]["usd"]) == pytest.approx(rented)
    assert float(answer["usd"]) == pytest.approx(sum(float(line["usd"]) for line in answer["spending"]))
    assert float(answer["usd_per_successful_task"]) == pytest.approx(float(answer["usd"]) / 21_600, abs=1e-6)
    shown = owner.types("cost", tmp_path / "account.toml").out
    assert "upgrade new serving stack: it paid" in shown
    assert "upgrade another model (" in shown
    assert "can't be judged" in shown
    assert owner.asks("cost", "account", tmp_path / "account.toml") == answer
    breached = owner.asks("cost", tmp_path / "breached.toml")
    assert (breached["accepted_tasks"], breached["usd_per_successful_task"]) == (0, None)
    assert "another tenant's logs were readable" in breached["notes"][0]


def test_requests_are_judged_by_the_account(owner, tmp_path):
    answer = owner.types("cost", tmp_path / "judged.toml", "--requests", tmp_path / "requests.csv")
    assert "1 of 2 requests count (50.0 %): 1 missed a bound (ttft_ms ≤ 2000, tpot_ms ≤ 80)" in answer.out


def test_a_producer_improves_and_loses_its_place(owner, tmp_path):
    plot = tmp_path / "curve.svg"
    answer = owner.types("cost", "curve", tmp_path / "producers.csv", "--price", "7", "--plot", plot)
    assert "amber: $10.00 → $8.00, rank 1 of 2 → 2 of 3: it improved but lost a place." in answer.out
    assert "basalt: $12.00 → $6.00, rank 2 of 2 → 1 of 3: it improved and gained a place." in answer.out
    assert "under water at $7.000000: cinder, amber (60.0 % of capacity)" in answer.out
    assert "below $5.000000: amber leaves, 50.0 % of capacity gone" in answer.out
    assert plot.read_text(encoding="utf-8").startswith("<svg ")


SERVING_HEAD, SERVING_ROWS = SERVING.split("\n", 2)[1], SERVING.split("\n")[2:]
MISTAKES = {
    "an unknown tier": (
        "ratings.csv", RATINGS.replace("Garnet,Bronze", "Garnet,Brass"), ("operators", "import"), 1,
        "tier 'Brass' is unknown to ClusterMAX",
    ),
    "two tiers for one operator on one date": (
        "ratings.csv", RATINGS.replace("Ember,Silver", "Amber,Silver"), ("operators", "import"), 1,
        "Amber is Silver here and Gold on line 2, both published 2025-11-06; keep one.",
    ),
    "a frontier with one row": (
        "serving.csv", f"{SERVING_HEAD}\n{SERVING_ROWS[0]}\n", ("output", "--target", "60"), 1,
        "serving.csv has no curve to read: engine/none: one row is no curve",
    ),
    "output 0": (
        "serving.csv", f"{SERVING_HEAD}\n{SERVING_ROWS[-2]}\n", ("output", "--target", "60"), 1,
        "output_tput_per_gpu is 0; a run that produced nothing is no point of a curve.",
    ),
    "zero capacity": (
        "producers.csv", PRODUCERS.replace("cinder,5", "cinder,0"), ("cost", "curve"), 1,
        "producers.csv line 6: capacity is 0",
    ),
    "a negative unit cost": (
        "producers.csv", PRODUCERS.replace("cinder,5,9", "cinder,5,-9"), ("cost", "curve"), 1,
        "full_cost is -9, below 0",
    ),
    "negative spending": (
        "account.toml", ACCOUNT.replace("usd = 900.00", "usd = -900.00"), ("cost",), 2,
        "[[spending]] 1 has usd = '-900.00': input should be greater than or equal to 0.",
    ),
    "no attempts": (
        "account.toml", ACCOUNT.replace("attempts = 10000", "attempts = 0"), ("cost",), 2,
        "[[output]] 1 has attempts = 0: input should be greater than 0.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "words", "code", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_a_file_is_one_plain_sentence(person, tmp_path, name, text, words, code, said):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    answer = person.types(*words, file)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err
    assert len(answer.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("operators", "list"),
            1,
            "No clustermax ratings are imported; run `rentmark operators import FILE.csv`.",
        ),
        (
            ("operators", "list", "--scheme", "stars"),
            2,
            "There is no rating scheme 'stars'; known: clustermax.",
        ),
        (("operators", "import", "absent.csv"), 1, "There is no ratings file absent.csv"),
        (("output", "absent.csv", "--target", "1"), 1, "There is no serving file absent.csv"),
        (("output", "{serving}"), 2, "Missing option"),
        (("output", "{serving}", "--target", "0"), 1, "it must be above 0"),
        (("output", "{serving}", "--target", "inf"), 1, "it must be above 0 and finite"),
        (("output", "{serving}", "--target", "1", "--max-ttft", "inf"), 2, "--max-ttft is inf"),
        (
            ("output", "{serving}", "--target", "1", "--hardware", "b200"),
            1,
            "no row with --hardware b200; it holds h100",
        ),
        (
            ("output", "{serving}", "--target", "1", "--from", "2027-01-01"),
            1,
            "its rows run from 2026-02-06 to 2026-05-19",
        ),
        (("output", "{serving}", "--target", "1", "--rent", "cheap"), 2, "--rent cheap is not a price"),
        (("output", "{serving}", "--target", "1", "--rent", "0"), 2, "--rent 0 is not above 0"),
        (("output", "{serving}", "--target", "1", "--rent", "3..2"), 2, "write the lower end first"),
        (
            ("output", "{serving}", "--target", "1", "--benchmark", "h100-list"),
            2,
            "--benchmark and --date go together",
        ),
        (
            ("output", "{serving}", "--target", "60", "--compare", "engine/none"),
            2,
            "--compare is given twice",
        ),
        (
            ("output", "{serving}", "--target", "60", "--compare", "a/b", "--compare", "c/d"),
            1,
            "There is no stack a/b",
        ),
        (
            ("output", "{serving}", "--target", "60", "--compare", "fast/none", "--compare", "slow/none"),
            1,
            "slow/none has no output at the target",
        ),
        (("cost", "absent.toml"), 1, "There is no cost file absent.toml"),
        (("cost", "curve", "absent.csv"), 1, "There is no producers file absent.csv"),
        (("cost", "curve", "{producers}", "--price", "-1"), 2, "--price -1 is not above 0"),
        (
            ("cost", "curve", "{producers}", "--from", "2026-07-01", "--to", "2026-01-01"),
            1,
            "turn them around",
        ),
        (("cost", "curve", "{producers}", "--to", "2026-03-01"), 1, "No producer is stated for 2026-03-01"),
        (("operators", "premium", "h100-list"), 1, "No clustermax ratings are imported"),
    ],
)
def test_a_wrong_command_is_answered_in_one_plain_line(owner, tmp_path, words, code, said):
    files = {"{serving}": tmp_path / "serving.csv", "{producers}": tmp_path / "producers.csv"}
    answer = owner.types(*(files.get(word, word) for word in words))
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err
    assert len(answer.err.strip().splitlines()) == 1
