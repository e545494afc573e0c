"""Comparing from a page: other rules on the same data, fixed in the background; nothing is published or stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from ..records import RentmarkError
from ..workspace import Method, compare_methodologies, comparison_row, preset_rows, rule_choices
from .charts import Series, step_chart
from .failing import message
from .following import follow, job_parts, working
from .formats import NONE
from .jobs import Jobs
from .parts import Cell, table, text_field
from .reading import Reading
from .routing import View
from .theme import Theme

OWN_RULES = ""
KEYS = ("estimator", "seller_statistic", "weights", "min_sellers", "cap")
"""The keys of a methodology that the form changes."""


def comparison_form(view: View, reading: Reading, name: str) -> Component:
    """A preset or these rules changed by five inputs, and Run."""
    if view.as_of is not None:
        return message("Rules are compared on all that is known now; choose As of: latest.")
    rules = reading.workspace().configuration.benchmark(name).methodology
    choices = rule_choices()
    presets = [{"value": OWN_RULES, "label": "these rules, changed"}]
    presets += [
        {"value": row["preset"], "label": f"{row['index']} ({row['publisher']})"}
        for row in preset_rows()["presets"]
    ]
    return html.Div([
        html.Div(
            [
                dmc.Select(id="compare-preset", label="Preset", data=presets, value=OWN_RULES, allowDeselect=False, w=280),
                *(
                    dmc.Select(id=f"compare-{key}", label=key.replace("_", " "), data=choices[key],
                               value=getattr(rules, key), allowDeselect=False, w=200)
                    for key in ("estimator", "seller_statistic", "weights")
                ),
                text_field("compare-min_sellers", "min sellers", value=str(rules.min_sellers), w=120),
                text_field("compare-cap", "cap, a share", value="" if rules.cap is None else str(rules.cap), w=120),
                html.Button("Run", id="compare-run", className="button primary", type="button"),
            ],
            className="row fields",
        ),
        html.P("The same grade and data are fixed again under these rules. Nothing is published or stored.", className="muted"),
        html.Div(id="compare-result", role="region", **{"aria-label": "Comparison", "aria-live": "polite"}),
        dcc.Store(id="compare-name", data=name),
        *job_parts("compare"),
    ])  # fmt: skip


def register(app: Dash, reading: Reading) -> None:
    """Run in the background, tell how far it is, show."""
    jobs = Jobs()

    @app.callback(
        output=[
            Output("compare-job", "data"),
            Output("compare-poll", "disabled"),
            Output("compare-result", "children"),
        ],
        inputs={"clicks": Input("compare-run", "n_clicks")},
        state={
            "name": State("compare-name", "data"),
            "preset": State("compare-preset", "value"),
            "given": {key: State(f"compare-{key}", "value") for key in KEYS},
        },
        prevent_initial_call=True,
    )
    def run(*, clicks: int | None, name: str, preset: str, given: Mapping[str, str]) -> Any:
        if not clicks:
            return no_update, no_update, no_update
        try:
            method = asked_method(reading, name, preset, given)

            def work(tell: Any) -> Any:
                def progress(done: int, of: int, label: str) -> None:
                    tell(f"{done} of {of} done, {label}")

                return comparison_row(
                    compare_methodologies(reading.workspace(), name, [method], progress=progress)
                )

            return jobs.start(work), False, working("waiting")
        except RentmarkError as error:
            return no_update, True, message(error.sentence, "bad")

    follow(
        app, jobs, "compare", place="result", gone="This comparison is no longer in memory; run it again.",
        drawn=lambda row, _, theme: compared(row, theme),
    )  # fmt: skip


def asked_method(reading: Reading, name: str, preset: str, given: Mapping[str, str]) -> Method:
    """What a form asks for. Raises RentmarkError where nothing is changed or a field can't be read."""
    if preset != OWN_RULES:
        return Method("preset", preset)
    rules = reading.workspace().configuration.benchmark(name).methodology
    changes: dict[str, Any] = {}
    for key in KEYS:
        text = (given.get(key) or "").strip()
        now = getattr(rules, key)
        if text == ("" if now is None else str(now)):
            continue
        if key == "min_sellers":
            if not (text.isascii() and text.isdecimal()):
                raise RentmarkError(f"min sellers is {text!r}; write a whole number.")
            changes[key] = int(text)
        else:
            changes[key] = text
    if not changes:
        raise RentmarkError("These are the rules as they stand; change one, or choose a preset.")
    return Method("benchmark", name, changes)


def compared(row: Mapping[str, Any], theme: Theme) -> Component:
    """Both series side by side: figures, and the chart."""
    first, other = row["compared"][0], row["compared"][-1]
    if other["reason"] is not None and not other["days"]:
        return message(f"{other['label']}: {other['reason']}", "warn")
    held = other["against_first"]
    return html.Div([
        table(
            ["", first["label"], other["label"]],
            [
                ["Dates with a value", *(_dates(each) for each in (first, other))],
                ["Mean, $/GPU-h", *(each["mean"] or f"{NONE} ({each['mean_reason']})" for each in (first, other))],
                ["Unchanged days", *(_share(each["share_unchanged"]) for each in (first, other))],
                ["Largest seller, mean", *(_share(each["top_share_mean"]) for each in (first, other))],
            ],
            caption="Both methodologies in figures", narrow=True, wraps=(1, 2),
        ),
        html.P(_difference(held)),
        step_chart(
            [Series(each["label"], _drawable(each["days"], modelled=each is other)) for each in (first, other)],
            name="compare-chart", theme=theme,
        ),
        *_assumed(other),
        html.P("Re-fixed on today's archive for comparison: not published, not candidates.", className="muted"),
    ])  # fmt: skip


def _difference(held: Mapping[str, Any]) -> str:
    if held["mean_difference"] is None:
        return f"They can't be held against each other: {held['reason']}."
    correlation = NONE if held["correlation"] is None else f"{held['correlation']:.3f}"
    return (
        f"On {held['common_dates']:,} common dates it differs by {held['mean_absolute_difference']} on average, at most "
        f"{held['largest_absolute_difference']} (on {held['largest_on']}). Changes correlate {correlation}; on "
        f"{held['opposite_sign']} dates they move in opposite directions."
    )


def _assumed(each: Mapping[str, Any]) -> list[Component]:
    if not each["assumed"] and not each["not_expressed"]:
        return []
    said: list[Cell] = []
    if each["assumed"]:
        said.append("Undisclosed and so assumed: " + ", ".join(each["assumed"]) + ".")
    said += [f"Not expressed: {text}" for text in each["not_expressed"]]
    return [html.Ul([html.Li(text) for text in said])]


def _dates(each: Mapping[str, Any]) -> str:
    states = ", ".join(f"{n:,} {status}" for status, n in each["statuses"].items() if n)
    return f"{each['dates']:,}: {states}" if states else f"{NONE} ({each['reason']})"


def _share(value: float | None) -> str:
    return NONE if value is None else f"{100 * value:.1f} %"


def _drawable(days: Sequence[Mapping[str, Any]], *, modelled: bool) -> list[dict[str, Any]]:
    """Days of a comparison with the keys a chart reads."""
    absent = {
        "p25": None, "p75": None, "n_sellers": None, "origin": None, "simulated": False, "revision": 0,
        "state": "candidate" if modelled else "published", "reconstructed": False,
    }  # fmt: skip
    return [{**absent, **day} for day in days]
