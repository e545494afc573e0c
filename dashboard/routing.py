"""Pages and addresses: which page an address names, and the state that an address carries.

Every view's state stands in its address: ``?as_of=2026-08-01`` (reconstructed), ``&seen=recorded`` (what this
workspace had recorded by then), ``&theme=dark``, and whatever a page adds, such as ``range`` or ``day``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlencode

from ..workspace import AsOf, read_as_of
from .theme import Theme

if TYPE_CHECKING:
    from dash import Dash
    from dash.development.base_component import Component

    from .reading import Reading

KEPT = ("as_of", "seen", "theme")
"""What a link to another page takes along."""
SEEN_RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class View:
    """One address as a page is asked to show it.

    ``parameters`` come from the page's pattern, ``query`` from behind the question mark; both are text
    that anyone may have typed.
    """

    path: str
    theme: Theme = "light"
    query: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def as_of(self) -> AsOf | None:
        """The chosen view of the past, or None for the latest. Raises UsageError for what is no time."""
        text = self.query.get("as_of") or None
        return read_as_of(text, reconstructed=text is not None and self.query.get("seen") != SEEN_RECORDED)

    def href(self, path: str | None = None, **changes: str | None) -> str:
        """An address: another page with this one's as-of and theme, or this page with all its state.

        ``changes`` set keys, or drop them where None.
        """
        kept = self.query if path is None else {k: v for k, v in self.query.items() if k in KEPT}
        query = {k: v for k, v in {**kept, **changes}.items() if v}
        where = quote(self.path if path is None else path, safe="/")
        return where + (f"?{urlencode(query)}" if query else "")

    def link_to(self, *parts: str, **changes: str | None) -> str:
        """An address made of parts that may hold any character: ``link_to("b", "h100-list")``."""
        return self.href("/" + "/".join(parts), **changes)


@dataclass(frozen=True, slots=True)
class Page:
    """One page. ``pattern`` such as ``/fixing/{name}/{date}``; ``layout`` draws it.

    ``nav`` is its word in the header, placed by ``order``; pages without one are reached by links.
    ``register`` adds the page's own callbacks, once, when the app is made. A page that holds something a
    person put there, such as an uploaded file, is not ``live``: it is not drawn again when data arrive.
    """

    pattern: str
    title: str
    layout: Callable[[View, Reading], Component]
    nav: str | None = None
    order: int = 0
    register: Callable[[Dash, Reading], None] | None = None
    live: bool = True

    def match(self, path: str) -> dict[str, str] | None:
        """The parameters of a path that this page draws, or None."""
        found = _compiled(self.pattern).fullmatch(path)
        return None if found is None else {k: unquote(v) for k, v in found.groupdict().items()}


def page_of(pages: Sequence[Page], path: str) -> tuple[Page, dict[str, str]] | None:
    """The page that draws a path, with its parameters; None for an unknown address."""
    bare = path.rstrip("/") or "/"
    for page in pages:
        parameters = page.match(bare)
        if parameters is not None:
            return page, parameters
    return None


def view_of(asked: Mapping[str, Any], parameters: Mapping[str, str] | None = None) -> View:
    """The view of what the browser sent: path, search and theme."""
    search = str(asked.get("search") or "")
    query = {k: v[-1] for k, v in parse_qs(search.removeprefix("?"), max_num_fields=50).items()}
    theme: Theme = "dark" if asked.get("theme") == "dark" else "light"
    return View(unquote(str(asked.get("path") or "/")), theme, query, dict(parameters or {}))


def _compiled(pattern: str) -> re.Pattern[str]:
    pieces = re.split(r"\{(\w+)\}", pattern)
    made = "".join(
        re.escape(piece) if index % 2 == 0 else f"(?P<{piece}>[^/]+)" for index, piece in enumerate(pieces)
    )
    return re.compile(made)
