"""The feeds: one small module per format of payload. Adding one is a module, a line here, and an answers file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..feed import Feed
from .gpurentalprices import GpuRentalPrices
from .tabular import Tabular
from .trades import Trades
from .vast import Vast

__all__ = ["FEEDS"]

FEEDS: Mapping[str, Feed] = MappingProxyType(
    {feed.id: feed for feed in (Tabular(), GpuRentalPrices(), Vast(), Trades())}
)
"""Every feed by its name on the command line."""
