"""What a feed is: a pure function from payload bytes to observations and rejects, with its terms."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..records import Batch
from ..records.observation import Kind, Rights
from .mapping import TableMapping
from .parameters import FeedParameters


@dataclass(frozen=True, slots=True)
class FeedTerms:
    """What a source's terms say of use in an index, and how it wants to be named."""

    rights: Rights
    license: str
    attribution: str
    link: str


@dataclass(frozen=True, slots=True)
class FeedContext:
    """What a feed knows of a payload besides its bytes.

    ``received_at`` is when it reached us, in UTC: nothing in it can be later. ``collected_at``
    is set only where we fetched the payload ourselves, and dates a payload without a stamp of
    its own. ``mapping`` says how the user's own table is read, ``parameters`` what another payload
    leaves unsaid. ``simulated`` marks every observation simulated, whatever the payload says.
    """

    payload_digest: str
    received_at: datetime
    origin_name: str
    mapping: TableMapping | None = None
    simulated: bool = False
    collected_at: datetime | None = None
    parameters: FeedParameters | None = None


class Feed(Protocol):
    """One format of payload. Feeds have no state; each is one small module of ``ingest.feeds``."""

    @property
    def id(self) -> str:
        """The name on the command line."""

    @property
    def version(self) -> str:
        """Version of the reading; a change in what a payload becomes raises it."""

    @property
    def kind(self) -> Kind:
        """Whether the payload holds offers or trades."""

    @property
    def terms(self) -> FeedTerms:
        """Data rights, licence, attribution and link."""

    @property
    def lag_hours(self) -> int:
        """Hours from ``observed_at`` to ``known_at`` where the payload states no stamp."""

    @property
    def complete_snapshot(self) -> bool:
        """Whether a payload lists everything on offer, so that what is absent is not on offer."""

    @property
    def summary(self) -> str:
        """One line for the list of feeds."""

    @property
    def parameters(self) -> type[FeedParameters] | None:
        """What its payloads may leave to the user to state; None where they say everything."""

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read a payload. Never raises for its content: what cannot be read is in the Batch."""
