"""Payloads that are one JSON document with a list of records in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..records import Refusal
from .feed import FeedContext
from .raw import RawTable
from .read_json import parse_document, read_objects
from .unpack import unpack


def read_document(payload: bytes, context: FeedContext) -> Any | Refusal:
    """The parsed document, numbers as the texts they were written in, or why it is none."""
    unpacked = unpack(payload, context.origin_name)
    if isinstance(unpacked, Refusal):
        return unpacked
    if unpacked.format != "json":
        return Refusal(
            "not_this_format", f"{context.origin_name} is {unpacked.format.upper()}, not a JSON document."
        )
    return parse_document(unpacked.content, context.origin_name)


def list_in(document: Any, key: str, context: FeedContext) -> list[Any] | Refusal:
    """The list called ``key`` of a document, or the document itself where ``key`` is empty."""
    found = document.get(key) if key and isinstance(document, Mapping) else None if key else document
    if not isinstance(found, list):
        what = f"no list called {key}" if key else "no list"
        return Refusal("not_this_format", f"{context.origin_name} has {what}; name the feed it came from.")
    return found or Refusal("empty_payload", f"{context.origin_name} holds no records.")


def candidates_of(
    items: Iterable[Any],
    expand: Callable[[Any], Iterable[Any]],
    fields: Collection[str],
    what: str = "are no offers of GPUs",
) -> RawTable:
    """The records that items of a document stand for, as text columns.

    ``expand`` gives the candidate prices of an item side by side (see :func:`.candidates.flat`); an item
    that gives none is passed over, and a note says how many were, as they ``what``.
    """
    found: list[Any] = []
    passed_over = 0
    for item in items:
        candidates = list(expand(item))
        passed_over += not candidates
        found += candidates
    raw = read_objects(found, fields)
    if passed_over:
        raw = replace(raw, notes=(f"passed over, as they {what}: {passed_over}",))
    return raw


def read_offers(
    payload: bytes,
    fields: Collection[str],
    context: FeedContext,
    passed_over: Callable[[Any], bool] = lambda _: False,
) -> tuple[dict[str, Any], RawTable] | Refusal:
    """The document and its ``offers`` as text columns.

    Entries for which ``passed_over`` holds are no records: they take a place in the payload but
    are not counted; a note says how many.
    """
    document = read_document(payload, context)
    if isinstance(document, Refusal):
        return document
    offers = list_in(document, "offers", context)
    if isinstance(offers, Refusal):
        return offers
    skipped = {place for place, offer in enumerate(offers) if passed_over(offer)}
    raw = read_objects(offers, fields, skipped=skipped)
    if skipped:
        raw = replace(raw, notes=(f"passed over, as they are no offers: {len(skipped)}",))
    return document, raw


def text_beside(document: Mapping[str, Any], key: str) -> str | None:
    """A text beside the list of offers, or None; another kind of value is named, not written out."""
    value = document.get(key)
    return value if value is None or isinstance(value, str) else f"a {type(value).__name__}"
