"""What a step chart draws of each state: worked on invented rows."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.dashboard.charts.runs import runs_of
from rentmark.dashboard.charts.series import Series
from rentmark.dashboard.charts.spark import spark
from rentmark.dashboard.charts.steps import step_chart, step_figure
from rentmark.dashboard.safety import CARTESIAN

FIRST = date(2026, 7, 1)


def row(offset: int, value: str | None = "3.000000", status: str = "OK", **more):
    """An invented row of `index show`."""
    held = {"OK", "THIN"}
    return {
        "date": (FIRST + timedelta(days=offset)).isoformat(),
        "value": value,
        "status": status,
        "p25": "2.500000" if status in held else None,
        "p75": "3.500000" if status in held else None,
        "n_sellers": 5,
        "state": "published",
        "origin": "live",
        "simulated": False,
        "reconstructed": False,
        "revision": 0,
        "methodology_hash": "a" * 64,
        "methodology_version": "1.0.0",
    } | more


def drawn(rows, **options):
    """The figure of one line with band and strip."""
    asked = {
        "theme": "light",
        "days": None,
        "band": True,
        "sellers": True,
        "chosen": None,
        "unit": "$",
        "height": 300,
    }
    return step_figure([Series("x", rows)], **{**asked, **options})


def traces(figure, meta):
    return [t for t in figure.data if t.meta == meta]


def pieces(across):
    """Split where a trace holds None."""
    found = [[]]
    for x in across:
        if x is None:
            found.append([])
        else:
            found[-1].append(x)
    return [piece for piece in found if piece]


def test_a_day_alone_between_gaps_is_a_day_wide():
    figure = drawn([row(0), row(1, None, "GAP"), row(2), row(3, None, "GAP"), row(4)])
    (line,) = traces(figure, "line-own")
    assert [piece[-1] - piece[0] for piece in pieces(line.x)] == [timedelta(days=1)] * 3
    assert line.line.shape == "linear"


def test_a_band_is_one_closed_polygon_for_each_run_without_a_gap():
    figure = drawn([row(0), row(1), row(2, None, "GAP"), row(3), row(5)])
    (band,) = traces(figure, "band")
    polygons = pieces(band.x)
    assert len(polygons) == 3
    assert all(polygon[0] == polygon[-1] for polygon in polygons)
    assert band.fill == "toself"
    gap = datetime(2026, 7, 3)
    assert not any(polygon[0] <= gap + timedelta(hours=12) <= max(polygon) for polygon in polygons)


def test_each_state_has_a_mark_of_its_own():
    figure = drawn(
        [
            row(0, origin="backcast"),
            row(1, status="THIN"),
            row(2, status="CARRIED", p25=None),
            row(3, None, "GAP"),
            row(4, revision=1),
            row(5, methodology_hash="b" * 64, methodology_version="2.0.0"),
            row(6, state="candidate", origin=None, methodology_hash="b" * 64),
            row(7, simulated=True, methodology_hash="b" * 64),
        ]
    )
    assert traces(figure, "thin")[0].marker.symbol == "circle-open"
    assert traces(figure, "revised")[0].marker.symbol == "triangle-up"
    assert traces(figure, "line-carried")[0].line.dash == "dot"
    assert traces(figure, "line-candidate")[0].line.dash == "dash"
    assert traces(figure, "line-own")[0].line.dash == "solid"
    assert [s.name for s in figure.layout.shapes if (s.name or "").startswith("gap")] == ["gap 2026-07-04"]
    said = [a.text for a in figure.layout.annotations]
    assert "BACKCAST, live from 2026-07-02" in said
    assert "rules 2.0.0" in said
    assert "SIMULATED" in said
    assert any("axis from $" in text for text in said)


def test_a_carried_day_and_a_gap_have_no_band():
    (band,) = traces(drawn([row(0), row(1, status="CARRIED", p25=None), row(2)]), "band")
    assert len(pieces(band.x)) == 2


def test_a_reconstructed_view_is_not_drawn_as_a_candidate():
    figure = drawn([row(0, state="candidate", reconstructed=True, origin=None)])
    assert traces(figure, "line-candidate") == []


def test_no_tick_lies_beyond_the_last_day():
    figure = drawn([row(n) for n in range(40)])
    last = datetime(2026, 7, 1) + timedelta(days=40)
    assert max(figure.layout.xaxis.tickvals) < last
    assert figure.layout.xaxis.range[1] == last


def test_lines_differ_by_dash_and_the_sixth_is_left_out():
    rows = [row(0), row(1)]
    figure = step_figure(
        [Series(f"s{n}", rows) for n in range(6)],
        theme="dark", days=None, band=False, sellers=False, chosen=None, unit="$", height=300,
    )  # fmt: skip
    lines = traces(figure, "line-own")
    assert len(lines) == 5
    assert len({line.line.dash for line in lines}) == 5
    assert len({line.line.color for line in lines}) == 5


def test_modelled_and_proxy_are_said_at_the_line_end():
    line = Series("curve", [row(0)], modelled=True, proxy_for="OCPI")
    assert line.label == "curve PROXY for OCPI MODELLED"
    (trace,) = traces(
        step_figure(
            [line], theme="light", days=None, band=False, sellers=False, chosen=None, unit="$", height=300
        ),
        "line-own",
    )
    assert trace.line.dash == "dot"


def test_a_chart_without_a_row_is_drawn_empty():
    assert step_chart([Series("x", [])], name="c", theme="light") is not None


@given(st.sets(st.integers(0, 60), min_size=1))
def test_runs_hold_every_row_once_and_part_at_every_missing_day(days):
    rows = [row(day) for day in sorted(days)]
    runs = runs_of(rows)
    assert [r for run in runs for r in run] == rows
    assert len(runs) == sum(day - 1 not in days for day in days)


@pytest.mark.parametrize(("values", "strokes"), [(["1", "2"], 1), (["1", None, "2"], 2), ([None], 0)])
def test_a_sparkline_leaves_gaps_open(values, strokes):
    points = [{"date": (FIRST + timedelta(days=n)).isoformat(), "value": v} for n, v in enumerate(values)]
    image = spark(points, "x, 90 days", "light")
    if not strokes:
        assert image is None
        return
    assert image.src.count("M") == strokes
    assert image.alt == "x, 90 days"


def test_the_small_plotly_is_of_the_installed_version():
    import plotly

    whole = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    versions = [
        re.search(r"v(\d+\.\d+\.\d+)", path.read_text(encoding="utf-8")[:300]).group(1)
        for path in (whole, CARTESIAN)
    ]
    assert versions[0] == versions[1]
