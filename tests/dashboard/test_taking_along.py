"""Figures leave the dashboard with their marks: copied, as a picture, and readable without colour."""

from __future__ import annotations

import re

from tests.dashboard.visitor import Visitor

CONTRAST = """() => {
  const parts = c => { const m = c.match(/[\\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null : m; };
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => v / 255)
    .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c) return c; }
    return [255, 255, 255]; };
  return [...document.querySelectorAll('.badge')].map(e => { const style = getComputedStyle(e);
    const [a, b] = [light(parts(style.color)), light(ground(e))].sort((x, y) => y - x);
    return [e.innerText.trim(), (a + .05) / (b + .05)]; });
}"""


def test_a_copied_number_brings_its_citation(browser, served, real_workspace, capsys):
    with Visitor.arrives(browser, served) as person:
        person.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=served)
        person.goes("/fixing/h100-list/2026-08-14")
        person.page.click("text=Copy with citation")
        person.page.wait_for_function("() => document.querySelector('#said').innerText.startsWith('Copied')")
        copied = person.page.evaluate("() => navigator.clipboard.readText()")
        assert re.fullmatch(
            r"h100-list 2026-08-14: \$3\.465950 per GPU-hour, OK, revision 0 \(backcast\); "
            r"methodology [0-9a-f]{12}, inputs [0-9a-f]{12}\. Rentmark\.",
            copied,
        )


def test_the_picture_of_a_chart_carries_its_marks(visitor):
    visitor.goes("/b/h100-list")
    with visitor.page.expect_download() as taken:
        visitor.page.click("text=PNG")
    assert taken.value.suggested_filename == "h100-list-2026-08-22.png"
    with taken.value.path().open("rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    button = visitor.page.query_selector("[data-graph]")
    assert "BACKCAST" in button.get_attribute("data-title")
    drawn = visitor.page.evaluate(
        "() => document.querySelector('.js-plotly-plot').layout.annotations.map(a => a.text).join(' ')"
    )
    assert "BACKCAST" in drawn
    assert "axis from $2." in drawn


def test_the_picture_of_the_simulated_market_says_so(demo_visitor):
    demo_visitor.goes("/b/h100-list")
    drawn = demo_visitor.page.evaluate(
        "() => document.querySelector('.js-plotly-plot').layout.annotations.map(a => a.text).join(' ')"
    )
    assert "SIMULATED" in drawn


def test_every_badge_has_text_and_stays_readable_without_colour(browser, served):
    for theme in ("light", "dark"):
        with Visitor.arrives(browser, served, theme=theme) as person:
            session = person.page.context.new_cdp_session(person.page)
            session.send("Emulation.setEmulatedVisionDeficiency", {"type": "achromatopsia"})
            person.goes("/b/h100-list?as_of=2026-08-01")
            found = person.page.evaluate(CONTRAST)
            assert {"RECONSTRUCTED", "∅ GAP min_sellers 2<3", "OK"} <= {text for text, _ in found}
            assert [(text, ratio) for text, ratio in found if not text or ratio < 4.5] == []
