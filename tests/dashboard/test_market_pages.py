"""The market pages on the shared real data, in a real browser. Expected figures: computed twice by the task's authors."""

from __future__ import annotations

import csv
import io
import re
from datetime import date, timedelta
from urllib.request import urlopen

import pytest
from rentmark.cli import run

from tests.dashboard.visitor import Visitor
from tests.journeys.conftest import Person

FIRST_PATHS = """() => {
  const graph = document.querySelector('#benchmark-chart .js-plotly-plot');
  const find = meta => graph.data.findIndex(t => t.meta === meta);
  const path = (meta, kind) => graph.querySelector(`.scatterlayer .trace${graph._fullData[find(meta)].uid} ${kind}`)
    .getAttribute('d');
  return {band: path('band', 'path.js-fill'), line: path('line-own', 'path.js-line')};
}"""


def test_keyboard_alone_leads_to_the_story_of_a_day(visitor):
    visitor.goes("/")
    visitor.tabs_to('a[href="/b/h100-list"]')
    visitor.presses("Enter")
    visitor.arrives_at("/b/h100-list")
    visitor.tabs_to("a.story")
    visitor.presses("Enter")
    visitor.arrives_at("/fixing/h100-list/2026-08-22")
    for back in range(1, 9):
        visitor.presses("ArrowLeft")
        visitor.arrives_at(f"/{date(2026, 8, 22) - timedelta(days=back)}")
    text = visitor.waits()
    assert "$3.465950" in text
    assert "22 votes" in text
    assert "The value lies between latitude $3.370000 and scaleway $3.561900." in text
    assert "One seller (spheron) moved it; without it, unchanged." in text
    moved = visitor.page.inner_text("tr:has-text('spheron').middle")
    assert "2.650000 → 3.920000" in moved
    assert "3.370000 → 3.370000" in moved
    assert "20 of 22 sellers did not change their price." in text
    assert visitor.page.title() == "h100-list, 2026-08-14 · Rentmark"
    visitor.presses("ArrowRight")
    visitor.arrives_at("/2026-08-15")


def test_a_gap_is_drawn_as_nothing_and_said_in_words(visitor):
    text = visitor.goes("/b/h100-list?range=All")
    assert "∅ GAP min_sellers 2<3" in text
    assert "No price on 2026-07-05: 2 sellers, 3 needed. Nearest: 2026-07-06." in text
    told = visitor.page.evaluate(
        """() => { const g = document.querySelector('#benchmark-chart .js-plotly-plot');
        return g.data.filter(t => ['band', 'line-own'].includes(t.meta)).map(t => [t.meta, [...t.x].map(String)]); }"""
    )
    for meta, across in told:
        assert across[0].startswith("2026-07-06"), meta
        assert not any(x.startswith("2026-07-05") for x in across), meta
    ticks = visitor.page.evaluate(
        "document.querySelector('#benchmark-chart .js-plotly-plot').layout.shapes.filter(s => (s.name||'').startsWith('gap')).map(s => s.name)"
    )
    assert ticks == ["gap 2026-07-05"]


def test_isolated_days_have_width_and_the_band_has_one_closed_piece_a_run(visitor):
    """On the shared data one gap at the start leaves one run; 2026-07-06, the first day, is drawn as wide as a day."""
    visitor.goes("/b/h100-list?range=All")
    paths = visitor.page.evaluate(FIRST_PATHS)
    assert len(re.findall("M", paths["band"])) == 1
    assert len(re.findall("Z", paths["band"])) == 1
    assert len(re.findall("M", paths["line"])) == 1
    start, first_step = re.match(r"M([\d.]+),[\d.]+(?:L|H)([\d.]+)", paths["line"]).groups()
    assert float(first_step) - float(start) > 5


def test_a_view_of_the_past_shows_nothing_later_on_any_page(visitor):
    for path in ("/", "/b/h100-list", "/fixing/h100-list/2026-07-31"):
        visitor.goes(f"{path}?as_of=2026-08-01")
        assert "What was known on 2026-08-01 (reconstructed)" in visitor.page.inner_text("#strips")
        assert visitor.page.get_attribute("#frame", "class") == "framed"
        content = visitor.page.evaluate("document.querySelector('#main').outerHTML")
        later = {d for d in re.findall(r"2026-(?:08|09)-\d\d", content) if d > "2026-08-01"}
        assert later == set(), path
        drawn = visitor.page.evaluate(
            "[...document.querySelectorAll('.js-plotly-plot')].flatMap(g => g.data).filter(t => t.meta != 'band')"
            ".flatMap(t => [...(t.x || [])]).filter(x => typeof x === 'string' && (x.startsWith('2026-08-01T1') || x > '2026-08-02'))"
        )
        assert drawn == [], path
    visitor.goes("/fixing/h100-list/2026-08-14?as_of=2026-08-01")
    assert "h100-list has no row on 2026-08-14; rows run from 2026-07-05 to 2026-07-31." in visitor.text


def types_and_enters(visitor, selector, text):
    """Type and press Enter within one task of the browser: no timer runs between them, as on a busy machine."""
    visitor.page.eval_on_selector(
        selector,
        """(field, text) => {
            Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text)
            field.dispatchEvent(new Event('input', {bubbles: true}))
            field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', code: 'Enter', bubbles: true}))
        }""",
        text,
    )


def test_the_as_of_control_sets_and_leaves_a_view_of_the_past(visitor):
    visitor.goes("/b/h100-list")
    visitor.page.click("#as-of-button")
    visitor.page.fill("#as-of-text", "not a day")
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_selector("text=not a day is not a time")
    types_and_enters(visitor, "#as-of-text", "2999-01-01")
    visitor.page.wait_for_selector("text=2999-01-01 has not come yet")
    visitor.page.fill("#as-of-text", "2026-08-01")
    visitor.page.click("#as-of-show")
    text = visitor.waits_for("/b/h100-list?as_of=2026-08-01")
    assert "$3.120" in text
    visitor.page.click("#nav a")
    visitor.waits_for("/?as_of=2026-08-01")
    visitor.page.click("#as-of-button")
    visitor.page.click("#as-of-latest")
    visitor.page.wait_for_function("() => document.querySelector('#main > [data-page]').dataset.page === '/'")


@pytest.mark.parametrize(
    "path",
    [
        "/b/h100-list?range=1M&day=2026-08-14",
        "/?compare=h100-list,h200-list&range=1M",
        "/fixing/h100-list/2026-08-13?as_of=2026-08-20",
    ],
)
def test_an_address_in_a_fresh_context_says_the_same(browser, served, path):
    with Visitor.arrives(browser, served) as first:
        first.goes(path)
        first.page.wait_for_function("() => !document.querySelector('#main').innerText.includes('…')")
        said, address = first.text, first.page.url
    with Visitor.arrives(browser, served) as second:
        assert address.startswith(served)
        second.goes(address.removeprefix(served))
        assert second.text == said


@pytest.mark.parametrize(
    ("path", "words", "part"),
    [
        ("/csv/b/h100-list.csv", ("index", "show", "h100-list"), "rows"),
        (
            "/csv/fixing/h100-list/2026-08-14/votes.csv",
            ("index", "explain", "h100-list", "2026-08-14"),
            "votes",
        ),
        ("/csv/market.csv", ("market",), "rows"),
    ],
)
def test_the_csv_of_a_view_is_the_json_of_the_command_line(served, real_workspace, capsys, path, words, part):
    told = Person(capsys, real_workspace).asks(*words)[part]
    with urlopen(served + path) as answer:
        rows = list(csv.DictReader(io.StringIO(answer.read().decode())))
    assert len(rows) == len(told)
    for row, expected in zip(rows, told, strict=True):
        for key, value in expected.items():
            if value is None:
                assert row[key] == "", key
            elif isinstance(value, str):
                assert row[key] == value, key
            elif isinstance(value, bool):
                assert row[key] == str(value).lower(), key
            elif isinstance(value, int | float):
                assert float(row[key]) == value, key
    if part == "rows":
        assert {"simulated", "reconstructed", "state", "origin", "status"} <= rows[0].keys()


def test_a_slash_searches_and_the_theme_is_kept(visitor):
    visitor.goes("/")
    visitor.presses("/")
    assert visitor.page.evaluate("() => document.activeElement.id") == "search"
    visitor.page.keyboard.type("sxm")
    visitor.presses("ArrowDown")
    visitor.presses("Enter")
    visitor.waits_for("/b/h100-sxm-list")
    scheme = "() => document.documentElement.getAttribute('data-mantine-color-scheme')"
    assert visitor.page.evaluate(scheme) == "light"
    visitor.page.click("#theme-button")
    visitor.page.wait_for_function(
        "() => document.documentElement.getAttribute('data-mantine-color-scheme') === 'dark'"
    )
    visitor.goes("/")
    assert visitor.page.evaluate(scheme) == "dark"
    drawn = "() => document.querySelector('.js-plotly-plot').layout.paper_bgcolor"
    assert visitor.page.evaluate(drawn) == "#0F1318"


def test_an_unknown_address_is_a_404_with_a_sentence(browser, served):
    with Visitor.arrives(browser, served, forgives=("404",)) as person:
        text = person.goes("/nowhere/<b>x</b>")
        assert "There is no page /nowhere/<b>x</b>." in text
        assert person.page.evaluate("document.querySelectorAll('#main b').length") == 0


def test_serving_a_folder_without_a_workspace_says_what_to_run(tmp_path, capsys):
    assert run(["serve", "--port", "0", "--workspace", str(tmp_path)]) == 1
    assert "rentmark init" in capsys.readouterr().err


def test_serving_the_demo_does_not_go_with_json(tmp_path, capsys):
    assert run(["demo", str(tmp_path / "demo"), "--serve", "--json"]) == 2
    assert "--serve does not go with --json" in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()
