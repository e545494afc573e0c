"""Methodology, contracts, operators, data: they open in every theme and width and say what the command line says."""

from __future__ import annotations

import pytest
from rentmark.cli import run

from tests.dashboard.conftest import serving
from tests.dashboard.visitor import Visitor
from tests.journeys.operators_made import PRODUCERS

PAGES = (
    "/methodology",
    "/methodology/h100-list",
    "/methodology/h200-list",
    "/contracts",
    "/contracts/cme-gpu1",
    "/contracts/cme-gpu1/2026-08?benchmark=h100-list",
    "/hedge",
    "/operators",
    "/data",
)
WRONG = (
    "/methodology/none",
    "/contracts/none",
    "/contracts/cme-gpu1/never",
    "/operators/nobody",
    "/contracts/cme-gpu1?benchmark=x",
)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_open_without_an_error_and_nothing_serious(browser, served, theme):
    with Visitor.arrives(browser, served, theme=theme) as person:
        for path in (*PAGES, *WRONG):
            person.goes(path)
            assert person.serious() == [], path


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_is_wider_than_its_window(browser, served, width):
    with Visitor.arrives(browser, served, width=width) as person:
        for path in PAGES:
            person.goes(path)
            assert person.overflow() <= 0, path


def test_a_view_of_the_past_frames_them_and_holds_nothing_later(visitor):
    for path in PAGES:
        join = "&" if "?" in path else "?"
        visitor.goes(f"{path}{join}as_of=2026-08-01")
        assert "What was known on 2026-08-01 (reconstructed)" in visitor.page.inner_text("#strips")
        held = visitor.page.content()
        for later in ("3.465950", "3.375000", "2026-08-14", "2026-08-22"):
            assert later not in held, (path, later)


def test_the_rules_stand_in_words_with_coverage_and_the_largest_seller(visitor):
    text = visitor.goes("/methodology/h100-list")
    assert "No value is printed without at least 3 sellers." in text
    assert "Without a value by rule: min_sellers 1." in text
    assert "50.0 % on 2026-07-05, 2 sellers" in text
    assert visitor.page.locator("td.day-gap span").get_attribute("title") == "2026-07-05 GAP, min_sellers"


def test_other_rules_are_fixed_in_the_background_and_nothing_is_stored(visitor, real_workspace):
    from tests.journeys.typed import ask

    before = ask("index", "show", "h100-list", "--workspace", real_workspace)
    visitor.goes("/methodology/h100-list")
    visitor.page.click("#compare-run")
    visitor.page.wait_for_selector("#compare-result >> text=change one, or choose a preset")
    visitor.page.fill("#compare-min_sellers", "2")
    visitor.page.click("#compare-run")
    visitor.page.wait_for_selector("#compare-chart .main-svg")
    told = visitor.page.inner_text("#compare-result")
    assert "49: 48 OK, 1 GAP" in told
    assert "49: 49 OK" in told
    assert "not published, not candidates" in told
    assert ask("index", "show", "h100-list", "--workspace", real_workspace) == before


def test_a_month_says_what_is_known_and_that_it_is_a_proxy(visitor):
    text = visitor.goes("/contracts/cme-gpu1/2026-08?benchmark=h100-list")
    assert "15 of 21 fixings" in text
    assert "PROXY for Silicon Data" in text
    assert "not listed" in text
    assert "No futures marks; this curve is modelled." in text


def test_the_month_under_way_says_what_the_rest_must_average(browser, served_demo, demo_workspace):
    from tests.journeys.typed import ask

    last = ask("index", "show", "h100-list", "--last", "1", "--workspace", demo_workspace)["rows"][0]["date"]
    with Visitor.arrives(browser, served_demo) as person:
        for month in (last[:7], f"{int(last[:4]) + (last[5:7] == '12')}-{int(last[5:7]) % 12 + 1:02d}"):
            row = ask("settle", "cme-gpu1", month, "--benchmark", "h100-list", "--workspace", demo_workspace)
            text = person.goes(f"/contracts/cme-gpu1/{month}?benchmark=h100-list")
            under_way = row["in_month"]
            if under_way is not None and under_way["known"]:
                target = under_way["rest_must_average"][0]
                assert f"{under_way['known']} of {under_way['total']} fixings known" in text
                assert (
                    f"the rest must average ${target['rest_average']} to settle at ${target['settle_at']}"
                    in text
                )
            assert "SIMULATED" in text


def test_the_data_page_says_what_came_in(visitor):
    text = visitor.goes("/data")
    assert "41,767" in text
    assert "205" in text
    assert "No record was refused." in text
    assert "CC BY 4.0" in text


def test_the_batches_as_csv_are_those_of_the_command_line(visitor, real_workspace):
    import csv
    import io

    from tests.journeys.typed import ask

    answer = visitor.page.request.get(visitor.address + "/csv/data/batches.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text())))
    told = ask("batches", "--workspace", real_workspace)["batches"]
    assert [row["payload_digest"] for row in rows] == [row["payload_digest"] for row in told]
    assert [row["accepted"] for row in rows] == [str(row["accepted"]) for row in told]


def test_the_cost_curve_says_who_is_under_water(visitor, tmp_path):
    visitor.goes("/operators")
    visitor.page.fill("#operators-price", "2.50")
    visitor.page.click("#operators-show")
    visitor.page.wait_for_selector(
        "#operators-curve >> text=4 of 6 producers are under water: 50 % of the capacity."
    )
    file = tmp_path / "<b>producers.csv"
    file.write_text(PRODUCERS, encoding="utf-8")
    visitor.page.set_input_files("#operators-upload input", file)
    visitor.page.fill("#operators-price", "7")
    visitor.page.click("#operators-show")
    visitor.page.wait_for_selector("#operators-curve >> text=cinder")
    assert "INVENTED" not in visitor.page.inner_text("#operators-curve")
    visitor.page.fill("#operators-price", "dear")
    visitor.page.click("#operators-show")
    visitor.page.wait_for_selector("#operators-curve >> text=The price dear is not a price")


def test_an_empty_workspace_says_what_to_do(browser, tmp_path):
    folder = tmp_path / "empty"
    assert run(["init", str(folder)]) == 0
    with serving(folder) as address, Visitor.arrives(browser, address) as person:
        assert "No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`." in person.goes("/data")
        for path in (
            "/",
            "/methodology",
            "/methodology/h100-list",
            "/contracts",
            "/contracts/cme-gpu1",
            "/hedge",
            "/operators",
        ):
            person.goes(path)
            assert person.serious() == [], path
