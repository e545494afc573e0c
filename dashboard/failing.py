"""What a page says when it can't be drawn: the sentence of a refusal, or an id that stands in the log."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable

from dash import html
from dash.development.base_component import Component

from ..records import RentmarkError

log = logging.getLogger("rentmark.dashboard")


def failure_id() -> str:
    """Four hexadecimal digits by which a person and the log name the same failure."""
    return secrets.token_hex(2).upper()


def failed_sentence(error: BaseException) -> str:
    """The sentence ``This view failed (id 7F3A); other pages work.``; the log has the traceback under that id."""
    name = failure_id()
    log.error("view failed, id %s", name, exc_info=error)
    return f"This view failed (id {name}); other pages work."


def message(sentence: str, kind: str = "") -> Component:
    """A sentence in the place of what can't be shown. ``kind`` is "", "warn" or "bad"."""
    return html.Div(sentence, className=f"message {kind}".strip(), role="status")


def pending(text: str) -> Component:
    """The place of something that is being made; the page is drawn again once it is there."""
    return html.P(text, className="pending muted")


def drawn_or_told(title: str, draw: Callable[[], Component]) -> tuple[Component, bool]:
    """A page, or its title with the sentence of what went wrong; and whether it was drawn."""
    try:
        return draw(), True
    except RentmarkError as error:
        return html.Div([html.H1(title), message(error.sentence)]), False
    except Exception as error:  # noqa: BLE001 – the boundary: one page fails, the others work
        return html.Div([html.H1(title), message(failed_sentence(error), "bad")]), False
