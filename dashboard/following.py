"""A page that comes back for its job: how far it is, why it failed, or what it made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dash import Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from .failing import message
from .jobs import Jobs
from .routing import view_of
from .theme import Theme

JOB_POLL_MILLISECONDS = 700


def working(sentence: str) -> Component:
    """How far a job is."""
    return html.Div(f"Working: {sentence} …", className="message", role="status")


def job_parts(prefix: str) -> list[Component]:
    """What a page needs beside the place of the result: the job's name, and the clock that asks for it."""
    return [
        dcc.Store(id=f"{prefix}-job"),
        dcc.Interval(id=f"{prefix}-poll", interval=JOB_POLL_MILLISECONDS, disabled=True),
    ]


def follow(
    app: Dash,
    jobs: Jobs,
    prefix: str,
    *,
    place: str,
    gone: str,
    drawn: Callable[[Any, str, Theme], Component],
) -> None:
    """Ask for the job named in ``{prefix}-job`` until it ends, and put what comes of it into ``{prefix}-{place}``.

    ``gone`` is said of a job that is no longer in memory; ``drawn`` gets the result, the job's name and the theme.
    """

    @app.callback(
        Output(f"{prefix}-{place}", "children", allow_duplicate=True),
        Output(f"{prefix}-poll", "disabled", allow_duplicate=True),
        Input(f"{prefix}-poll", "n_intervals"),
        State(f"{prefix}-job", "data"),
        State("view", "data"),
        prevent_initial_call=True,
    )
    def polled(_: int | None, name: str | None, asked: dict[str, Any] | None) -> Any:
        job = jobs.find(name or "")
        if job is None:
            return message(gone, "warn"), True
        if job.state == "failed":
            return message(job.sentence, "bad"), True
        if job.state != "done":
            return working(job.sentence), False
        return drawn(job.result, job.name, view_of(asked or {}).theme), True
