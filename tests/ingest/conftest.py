"""What the tests of the feeds share: a context for a payload, and one way to read it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from rentmark.ingest import FeedContext, TableMapping, parse_payload
from rentmark.records import Batch, sha256_hex

RECEIVED_AT = datetime(2026, 8, 20, tzinfo=UTC)

Parse = Callable[..., Batch]


@pytest.fixture(scope="session")
def parse() -> Parse:
    """``parse(feed_id, payload, …)``: a batch, after checking that its account adds up."""

    def read(
        feed_id: str,
        payload: bytes | str,
        *,
        mapping: TableMapping | None = None,
        received_at: datetime = RECEIVED_AT,
        origin_name: str = "payload",
        **context: Any,
    ) -> Batch:
        content = payload.encode() if isinstance(payload, str) else payload
        batch = parse_payload(
            feed_id,
            content,
            FeedContext(sha256_hex(content), received_at, origin_name, mapping, **context),
        )
        assert batch.records == batch.accepted + batch.rejected + batch.duplicates
        return batch

    return read
