"""The feeds: one small module per format of payload. Adding one is a module, a line here, and an answers file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..feed import Feed
from .akash import Akash
from .aws_spot import AwsSpot
from .azure import Azure
from .ccir_book import CcirBook
from .ccir_rates import CcirRates
from .fsdl import Fsdl
from .gcp import Gcp
from .gpuhunt import GpuHunt
from .gpurentalprices import GpuRentalPrices
from .host_rentals import HostRentals
from .hotaisle import HotAisle
from .lambda_cloud import Lambda
from .nosana import Nosana
from .oci import Oci
from .runpod import RunPod
from .sfcompute import SfCompute
from .shadeform import Shadeform
from .skypilot import SkyPilot
from .tabular import Tabular
from .tardellirs import Tardellirs
from .trades import Trades
from .vast import Vast
from .verda import Verda

__all__ = ["FEEDS"]

_OFFERS: tuple[Feed, ...] = (
    Tabular(),
    GpuRentalPrices(),
    Vast(),
    SkyPilot(),
    GpuHunt(),
    Gcp(),
    Fsdl(),
    RunPod(),
    Azure(),
    AwsSpot(),
    Lambda(),
    Shadeform(),
    Verda(),
    HotAisle(),
    Oci(),
    CcirBook(),
    CcirRates(),
    Tardellirs(),
)
_TRADES: tuple[Feed, ...] = (Trades(), SfCompute(), Akash(), Nosana(), HostRentals())
FEEDS: Mapping[str, Feed] = MappingProxyType({feed.id: feed for feed in (*_OFFERS, *_TRADES)})
"""Every feed by its name on the command line: offers first, then trades."""
