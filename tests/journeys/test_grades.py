"""Grades at the command line: listed, explained for an observation, restated by a schedule, calibrated."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from math import exp, log
from pathlib import Path
from statistics import median

import pytest

from .conftest import Person, with_rules

RULES = """
[grades.h100-us]
chip = "H100"
form_factor = ["SXM"]
memory_gb = [80]
pricing = "on_demand"
countries = ["US"]
interconnect = ["InfiniBand", "NVLink"]
tenancy = ["single"]
minimum_gpus_at_most = 8

[methodologies.plain]
version = "1.0.0"
inputs = ["listed"]

[methodologies.adjusted]
version = "1.0.0"
inputs = ["listed"]

[methodologies.adjusted.adjustments]
cap = "1.75"

[[methodologies.adjusted.adjustments.factors]]
field = "form_factor"
from = "PCIe"
to = "SXM"
factor = "1.2"
effective_from = 2026-01-01
source = "invented"

[[methodologies.adjusted.adjustments.factors]]
field = "country"
from = "DE"
to = "US"
factor = "1.5"
effective_from = 2026-01-01

[benchmarks.h100]
grade = "h100-sxm-on-demand"
methodology = "plain"

[benchmarks.h100-adjusted]
grade = "h100-sxm-on-demand"
methodology = "adjusted"

[benchmarks.h100-us]
grade = "h100-us"
methodology = "adjusted"
"""
OFFERS = """\
observed_at,seller,gpu_model_raw,form_factor,vram_gb,gpu_count,price_per_gpu_hour,country,interconnect,tenancy,minimum_gpus
2026-07-08T06:00:00Z,amber,H100,SXM,80,8,3.00,US,NDR InfiniBand,dedicated,8
2026-07-08T06:00:00Z,basalt,H100,PCIe,80,8,2.50,US,NVLink,single,8
2026-07-08T06:00:00Z,cobalt,H100,PCIe,80,8,2.00,DE,NVLink,single,8
2026-07-08T06:00:00Z,dune,H100,SXM,80,8,9.00,US,Ethernet,single,8
2026-07-08T06:00:00Z,ember,H100,SXM,80,8,9.00,US,NVLink,shared,8
2026-07-08T06:00:00Z,flint,H100,SXM,80,8,9.00,US,NVLink,single,64
2026-07-08T06:00:00Z,grit,H100,,80,8,9.00,US,,,
2026-07-08T06:00:00Z,amber,H100,SXM,80,8,,US,,,
"""
"""Invented."""


@pytest.fixture
def traded(person: Person, tmp_path: Path) -> Person:
    """A person whose workspace holds the invented offers."""
    with_rules(person, RULES)
    (tmp_path / "offers.csv").write_text(OFFERS)
    person.asks("ingest", "tabular", tmp_path / "offers.csv")
    return person


def answers_of(person: Person, reference: str) -> dict[str, dict]:
    return {g["grade"]: g for g in person.asks("grade", "explain", reference)["grades"]}


@pytest.fixture
def typed(capsys):
    from rentmark.cli import run

    def types(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run(words)
        said = capsys.readouterr()
        return code, said.out, said.err

    return types


def test_a_name_is_read_without_a_workspace_wherever_the_option_stands(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert typed("grade", "--json", "H100")[0] == typed("grade", "H100", "--json")[0] == 0
    assert typed("grade", "--json", "H100") == typed("grade", "H100", "--json")
    assert typed("grade", "name", "H100")[1] == typed("grade", "H100")[1]
    code, out, err = typed("grade", "H1000")
    assert (code, out) == (1, "")
    assert err.startswith("'H1000' ")
    code, out, _ = typed("grade", "list", "--chip", "h100")
    assert code == 0
    assert "h100-sxm-on-demand" in out


def test_grades_are_listed_own_first_each_with_what_it_asks(traded):
    rows = traded.asks("grade", "list")["grades"]
    assert (rows[0]["grade"], rows[0]["origin"]) == ("h100-us", "workspace")
    assert {row["origin"] for row in rows[1:]} == {"shipped"}
    asked = {rule["rule"]: rule["wants"] for rule in rows[0]["rules"]}
    assert asked["interconnect"] == "one of InfiniBand, NVLink"
    assert asked["minimum_gpus_at_most"] == "at most 8"


def test_an_observation_is_held_against_every_grade(traded):
    amber = traded.asks("grade", "explain", "1:0")
    assert amber["meets"] == ["h100-us", "h100-sxm-on-demand"]
    assert amber["observation"]["interconnect"] == "InfiniBand"
    assert amber["observation"]["tenancy"] == "single"
    by_identity = traded.asks("grade", "explain", amber["observation"]["observation_id"])
    assert by_identity == amber


@pytest.mark.parametrize(
    ("position", "grade", "rule", "value", "reason"),
    [
        (1, "h100-us", "form_factor", "PCIe", "form_factor is PCIe; the grade wants SXM."),
        (1, "h100-sxm-spot", "form_factor", "PCIe", "form_factor is PCIe; the grade wants SXM."),
        (0, "h100-sxm-spot", "pricing", "on_demand", "pricing is on_demand; the grade wants spot."),
        (3, "h100-us", "interconnect", "Ethernet", "interconnect is Ethernet; the grade wants one of InfiniBand, NVLink."),
        (4, "h100-us", "tenancy", "shared", "tenancy is shared; the grade wants single."),
        (5, "h100-us", "minimum_gpus_at_most", "64", "minimum_gpus is 64; the grade wants at most 8."),
        (6, "h100-us", "form_factor", None, "form_factor is unstated; the grade wants SXM."),
        (0, "b200-on-demand", "chip", "H100", "chip is H100; the grade wants B200."),
    ],
)  # fmt: skip
def test_for_each_grade_missed_the_first_rule_and_the_value_are_named(
    traded, position, grade, rule, value, reason
):
    told = answers_of(traded, f"1:{position}")[grade]
    assert (told["meets"], told["rule"], told["value"], told["reason"]) == (False, rule, value, reason)


def test_the_terminal_shows_grades_of_the_chip_and_counts_the_rest(traded):
    said = traded.types("grade", "explain", "1:1").out
    assert said.startswith("basalt H100 $2.500000 per GPU-hour, seen 2026-07-08T06:00:00Z\n")
    assert "form_factor is PCIe; the grade wants SXM." in said
    assert "grades of other chips are left out; --all lists them." in said
    assert "b200-on-demand" not in said
    assert "b200-on-demand" in traded.types("grade", "explain", "1:1", "--all").out


@pytest.mark.parametrize(
    ("reference", "code", "said"),
    [
        ("1:7", 1, "Record 7 of batch 1 was refused: offers.csv, record 7: price_per_gpu_hour is ''"),
        ("1:99", 1, "Record 99 of batch 1 is no observation here"),
        ("9:0", 1, "There is no batch 9; `rentmark batches` lists them."),
        ("-12345", 1, "No observation has the id -12345"),
        ("first", 2, "'first' names no observation; write BATCH_ID:POSITION or an observation id."),
        ("99999999999999999999", 2, "names no observation"),
    ],
)
def test_what_is_no_observation_is_one_sentence(traded, reference, code, said):
    answer = traded.types("grade", "explain", reference)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_a_shipped_grade_prices_and_a_schedule_restates_its_near_misses(traded):
    for name in ("h100", "h100-adjusted"):
        traded.asks("index", "build", name, "--publish")
    plain = traded.asks("index", "show", "h100")["rows"][0]
    # amber 3, dune, ember and flint 9 each
    assert (plain["value"], plain["n_sellers"]) == ("9.000000", 4)
    adjusted = traded.asks("index", "show", "h100-adjusted")["rows"][0]
    # and basalt 2.50 × 1.2 = 3, cobalt 2.00 × 1.2 = 2.40: this grade asks for no country
    assert (adjusted["value"], adjusted["n_sellers"]) == ("6.000000", 6)
    told = traded.asks("index", "explain", "h100-adjusted", "2026-07-08")
    basalt = next(o for o in told["observations"] if o["seller"] == "basalt")
    assert basalt["price"] == "2.500000"
    assert basalt["adjustment"] == {
        "steps": ["form_factor PCIe to SXM ×1.2"],
        "factor": 1.2,
        "exact_factor": "6/5",
        "adjusted_price": "3.000000",
        "reason": None,
    }
    assert traded.asks("index", "verify")["passed"]


def test_beyond_the_cap_an_offer_is_out_by_rule_and_explain_shows_how_far(traded):
    traded.asks("index", "build", "h100-us")
    told = traded.asks("index", "explain", "h100-us", "2026-07-08")
    by_seller = {o["seller"]: o for o in told["observations"]}
    # 1.2 × 1.5 = 1.8 is more than 1.75
    assert by_seller["cobalt"]["rule"] == "adjustment_cap"
    assert by_seller["cobalt"]["adjustment"]["exact_factor"] == "9/5"
    assert by_seller["cobalt"]["adjustment"]["adjusted_price"] is None
    assert told["funnel"]["adjustment_cap"] == 1
    assert {o["seller"] for o in told["observations"] if o["in"]} == {"amber", "basalt"}
    assert "restated further than the methodology's cap allows" in traded.types(
        "index", "explain", "h100-us", "2026-07-08"
    ).out  # fmt: skip


PAIRS = "observed_at,seller,gpu_model_raw,form_factor,vram_gb,gpu_count,price_per_gpu_hour\n" + "".join(
    f"2026-07-0{day}T06:00:00Z,{seller},H100,{form},80,8,{price:.2f}\n"
    for day, level in ((1, 2.0), (2, 2.5), (3, 3.0))
    for seller, ratio in (("amber", 1.2), ("basalt", 1.25), ("cobalt", 1.5))
    for form, price in (
        ("PCIe", level),
        # cobalt prices by formula; the others add a little each day
        ("SXM", level * ratio + (0 if seller == "cobalt" else day * 0.1)),
    )
)
"""Invented."""


@pytest.fixture
def paired(person: Person, tmp_path: Path) -> Person:
    (tmp_path / "pairs.csv").write_text(PAIRS)
    person.asks("ingest", "tabular", tmp_path / "pairs.csv")
    return person


CALIBRATE = ("grade", "calibrate", "--grade", "h100-sxm-on-demand", "--field", "form_factor")


def test_a_factor_is_estimated_from_pairs_with_its_interval_count_and_what_was_left_out(paired):
    told = paired.asks(*CALIBRATE, "--from", "PCIe", "--to", "SXM")
    assert (told["pairs"], told["sellers_used"], told["pairs_administered"]) == (6, 2, 3)
    assert {s["seller"]: s["verdict"] for s in told["sellers"]} == {
        "amber": "market",
        "basalt": "market",
        "cobalt": "administered",
    }
    # amber 1.25, 1.28, 1.30 and basalt 1.30, 1.332, 1.35: medians 1.28 and 1.332, between them 1.3057
    assert told["median"]["value"] == pytest.approx((1.28 * 1.332) ** 0.5)
    assert told["median"]["reason"] == "2 sellers; an interval of the median needs 6"
    assert told["mean"]["low"] < told["mean"]["value"] < told["mean"]["high"]
    assert told["suggested_factor"] == "1.306"
    assert (told["first_date"], told["last_date"]) == ("2026-07-01", "2026-07-03")
    said = paired.types(*CALIBRATE, "--from", "PCIe", "--to", "SXM").out
    assert 'As a schedule takes it: factor = "1.306"' in said
    assert "administered" in said


def test_dates_bound_what_is_estimated_from(paired):
    told = paired.asks(
        *CALIBRATE, "--from", "PCIe", "--to", "SXM", "--start", "2026-07-02", "--end", "2026-07-02"
    )
    assert (told["first_date"], told["last_date"], told["pairs"]) == ("2026-07-02", "2026-07-02", 3)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("--from", "NVL", "--to", "SXM"),
            1,
            "No seller offers h100-sxm-on-demand with form_factor NVL and SXM",
        ),
        (("--from", "SXM", "--to", "SXM5"), 2, "a factor leads from SXM to itself; remove it."),
        (("--from", "SXM", "--to", "PCIe"), 2, "does not admit form_factor PCIe; name what it wants."),
        (("--from", "SXN", "--to", "SXM"), 2, "'SXN' is not a form factor"),
    ],
)
def test_a_step_that_can_not_be_estimated_is_one_sentence(paired, words, code, said):
    answer = paired.types(*CALIBRATE, *words)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_an_unknown_field_or_grade_is_one_sentence(paired):
    step = ("--from", "40", "--to", "80")
    answer = paired.types(
        "grade", "calibrate", "--grade", "h100-sxm-on-demand", "--field", "memory_gb", *step
    )
    assert answer.code == 2
    assert "--field memory_gb is not adjusted; known: form_factor, interconnect" in answer.err
    answer = paired.types(
        "grade", "calibrate", "--grade", "h100-sxm", "--field", "gpu_count", "--from", "x", "--to", "8"
    )
    assert answer.code == 2
    answer = paired.types(
        "grade", "calibrate", "--grade", "h1oo", "--field", "gpu_count", "--from", "1", "--to", "8"
    )
    assert answer.code == 1
    assert "There is no grade 'h1oo'" in answer.err


def test_real_sellers_who_price_nodes_by_the_gpu_are_told_apart_from_a_market(person, shared_data):
    path = shared_data / "offers" / "offers_2022-02_2026-08.csv.gz"
    if not path.is_file():
        pytest.skip(f"real data absent: {path}")
    person.asks("ingest", "tabular", path)
    node = ("--field", "gpu_count", "--from", "1", "--to", "8")
    told = person.asks("grade", "calibrate", "--grade", "h100-80gb-mixed", *node)
    by_seller = {s["seller"]: s for s in told["sellers"]}
    # the same price for every GPU, whatever the node, on four price levels of several chips
    assert by_seller["novonimbus"]["verdict"] == "administered"
    assert by_seller["novonimbus"]["ratio"] == 1.0
    assert by_seller["gcp"]["verdict"] == "market"
    assert told["pairs_administered"] == sum(
        s["pairs"] for s in told["sellers"] if s["verdict"] == "administered"
    )
    # the board, counted and divided a second time straight from the file
    board = person.asks(*CALIBRATE, "--from", "PCIe", "--to", "SXM")
    assert {s["seller"]: (s["pairs"], round(s["ratio"], 9)) for s in board["sellers"]} == _board_ratios(path)


def _board_ratios(path: Path) -> dict[str, tuple[int, float]]:
    """H100 80 GB on demand: days on which a seller lists both boards, and the median ratio of SXM to PCIe."""
    sides: dict[tuple, dict[str, list[float]]] = defaultdict(lambda: {"PCIe": [], "SXM": []})
    with gzip.open(path, "rt", encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            form = "SXM" if row["form_factor"].startswith("SXM") else row["form_factor"]
            chosen = (
                row["gpu_model"] == "H100" and row["vram_gb"] in ("80", "80.0") and form in ("PCIe", "SXM")
            )
            if not chosen or row["pricing"] not in ("on_demand", "secure"):
                continue
            if row["carried_by_source"] == "true":
                continue
            key = (row["source"], row["seller"], row["observed_at"][:10], row["gpu_count"], row["region"])
            sides[(*key, row["minimum_gpus"])][form].append(float(row["price_per_gpu_hour"]))
    ratios: dict[str, list[float]] = defaultdict(list)
    for (_, seller, *_), side in sides.items():
        if side["PCIe"] and side["SXM"]:
            ratios[seller].append(log(median(side["SXM"]) / median(side["PCIe"])))
    return {seller: (len(logs), round(exp(median(logs)), 9)) for seller, logs in ratios.items()}
