"""docs/methodology.md describes the program: its examples compute, its keys and rules are the ones in force."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from rentmark.index import EXCLUSIONS, Methodology
from rentmark.index.estimators import ESTIMATORS
from rentmark.workspace.config import resolve
from rentmark.workspace.templates import DEMO, STARTER

from tests.journeys.typed import ask, type_words

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "methodology.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return re.split(r"\n#+ ", PAGE.split(f"# {title}\n", 1)[1])[0]


def table(title: str) -> list[list[str]]:
    """Rows of the table of a section, header left out."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_every_key_of_a_methodology_is_documented_with_its_default():
    documented = {key.strip("`"): default for key, default, _ in table("Every key of a methodology")}
    assert set(Methodology.model_fields) <= set(documented)
    for name, field in Methodology.model_fields.items():
        if documented[name] == "needed":
            assert field.is_required(), name
        elif documented[name] == "none":
            assert field.default is None, name
        else:
            (value,) = tomllib.loads(f"value = {documented[name].strip('`')}").values()
            assert (tuple(value) if isinstance(value, list) else value) == field.default, name


def test_every_gate_is_documented():
    named = set(re.findall(r"`(\w+)`", "".join(row[0] for row in table("3. From votes to a value"))))
    assert named == {key for key in Methodology.model_fields if key.startswith(("min_", "thin_"))}


def test_the_rules_that_leave_an_observation_out_are_named_in_the_order_they_are_asked():
    listed = re.findall(r"^\d\. (`.*?)(?::|$)", section("2. From observations to votes"), re.MULTILINE)
    named = [code for line in listed for code in re.findall(r"`(\w+)`", line)]
    asked_of_rows = list(EXCLUSIONS)[: list(EXCLUSIONS).index("smaller_size_of_machine") + 1]
    assert named == asked_of_rows[-len(named) :]
    asked_of_votes = list(EXCLUSIONS)[len(asked_of_rows) : -1]
    assert list(EXCLUSIONS)[-1] == "tier_not_chosen"
    paragraph = section("2. From observations to votes").split("Votes then meet the screens")[1]
    assert re.findall(r"`(\w+)`", paragraph.split(")")[0]) == asked_of_votes


def test_the_table_in_short_says_what_the_shipped_rules_say():
    shipped = resolve(tomllib.loads(STARTER)).methodologies
    demo = resolve(tomllib.loads(DEMO)).methodologies
    assert (set(shipped), set(demo)) == ({"list-median"}, {"list-median", "traded-median"})
    rows = {row[0]: row[1:] for row in table("In short")}
    assert rows["no value unless"] == [
        f"{shipped['list-median'].min_sellers} sellers",
        f"{demo['traded-median'].min_sellers} sellers and, of trades, {demo['traded-median'].min_gpu_hours} GPU-hours",
    ]
    listed, traded = shipped["list-median"], demo["traded-median"]
    assert (listed.inputs, listed.vote, listed.estimator, listed.weights) == (
        ("listed",),
        ("seller",),
        "median",
        "seller",
    )
    assert (traded.inputs, traded.vote, traded.estimator, traded.weights) == (
        ("trade", "listed"),
        ("observation",),
        "volume_weighted_median",
        "volume",
    )
    assert listed.cutoff is None
    assert traded.cutoff is None


def test_the_trades_by_hand_come_to_the_value_in_the_text():
    trades = [[float(cell) for cell in row] for row in table("`traded-median` by hand")]
    prices = [round(price * 1_000_000) for price, _, _ in trades]
    hours = [round(hours) for _, hours, _ in trades]
    assert [sum(hours[: n + 1]) for n in range(len(hours))] == [cumulative for _, _, cumulative in trades]
    stated = re.search(r"is reached at \*\*(\d\.\d\d)\*\*", PAGE)
    assert stated is not None
    value = ESTIMATORS["volume_weighted_median"].estimate(prices, hours)
    assert value == round(float(stated[1]) * 1_000_000)


def test_equal_weights_give_the_lower_of_the_two_middle_votes_and_a_median_their_mean():
    votes = [2_000_000, 2_250_000, 2_750_000, 3_000_000]
    assert ESTIMATORS["volume_weighted_median"].estimate(votes, [1] * 4) == 2_250_000
    assert ESTIMATORS["median"].estimate(votes, [1] * 4) == 2_500_000


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample workspace with the list benchmark published."""
    folder = tmp_path_factory.mktemp("page") / "w"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RENTMARK_DATABASE_URL", raising=False)
        assert type_words("init", folder, "--sample").code == 0
        for feed, name in (("tabular", "offers.csv"), ("trades", "trades.csv")):
            ask("ingest", feed, folder / name, "--workspace", folder)
        ask("index", "build", "h100-list", "--publish", "--workspace", folder)
        yield folder


def test_the_sample_day_is_what_the_text_says(sample):
    told = ask("index", "explain", "h100-list", "2026-08-14", "--workspace", sample)
    text = " ".join(section("`list-median` on the sample of 2026-08-14").split())
    assert f"the value is **{told['fixing']['value']}**" in text
    middle = [vote["value"] for vote in told["votes"][4:6]]
    assert len(told["votes"]) == 10
    assert text.startswith("Ten invented sellers")
    assert f"the middle two ask {middle[0][:4]} and {middle[1][:4]}" in text
    out = {code: count for code, count in told["funnel"].items() if code != "in"}
    assert out == {"pricing": 1, "form_factor": 1, "carried_by_source": 1, "input_tier": 3}
    left_out = "a spot price, a PCIe card, an old price repeated by its source, and three trades"
    assert f"Six rows do not vote: {left_out}" in text


def test_the_gap_of_the_sample_is_what_the_text_says(sample):
    told = ask("index", "explain", "h100-list", "2026-07-05", "--workspace", sample)
    (gate,) = [gate for gate in told["gates"] if gate["rule"] == told["fixing"]["rule"]]
    assert (told["fixing"]["status"], gate["rule"], gate["found"], gate["needed"]) == (
        "GAP",
        "min_sellers",
        2,
        3,
    )
    text = " ".join(section("`list-median` on the sample of 2026-08-14").split())
    assert "On 2026-07-05 two sellers are there and three are needed: GAP, `min_sellers`." in text
