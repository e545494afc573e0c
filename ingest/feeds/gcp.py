"""``gcp``: Google Cloud prices, as Cyclenerd's calculator publishes them in ``pricing.yml``.

``about.timestamp`` (unix seconds) and ``compute.instance.<type>.cost.<region>.{hour, hour_spot, month_1y,
month_3y}``: dollars of the whole instance. A commitment's price is for a month of 730 hours, as the
calculator itself reckons. ``month`` and ``month_spot`` repeat the hourly prices and are not read. Types without a
GPU are no records.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from ...grades.names import NameReading, read_name
from ...records import Batch, Refusal
from ..account import refused
from ..columns import Bad, join
from ..feed import FeedContext, FeedTerms
from ..hardware import named_hardware
from ..listing import batch_of, read_price, snapshot_time
from ..parameters import SnapshotParameters
from ..read_json import read_objects
from ..read_yaml import Leaf, read_leaves
from ..rights import AGGREGATOR_OF_SOURCE
from ..unix_times import unix_instant
from ..unpack import unpack

_FIELDS = ("type", "region", "term", "price")
_TERMS: dict[str, tuple[str, int | None, int]] = {
    "hour": ("on_demand", None, 1),
    "hour_spot": ("spot", None, 1),
    "month_1y": ("reserved", 12, 730),
    "month_3y": ("reserved", 36, 730),
}
"""Pricing, months of commitment, and hours the price is for."""
_ROOT = ("compute", "instance")
_GPU_FAMILY = re.compile(r"(?:a\d+\w?|g\d+)-.*", re.ASCII)


class Gcp:
    """Google's machine types with GPUs, in every region."""

    id = "gcp"
    version = "1"
    kind: Literal["offer"] = "offer"
    terms = FeedTerms(
        rights="allowed",
        license="Apache-2.0",
        attribution="Google Cloud prices by Cyclenerd, Apache-2.0, (c) 2022-2025 Nils Knieling",
        link="https://github.com/Cyclenerd/google-cloud-pricing-cost-calculator",
    )
    lag_hours = 0
    complete_snapshot = True
    summary = "Google Cloud prices by Cyclenerd (pricing.yml)"
    parameters = SnapshotParameters
    source = "Cyclenerd/google-cloud-pricing-cost-calculator"

    def parse(self, payload: bytes, context: FeedContext) -> Batch:
        """Read one price file."""
        unpacked = unpack(payload, context.origin_name)
        if isinstance(unpacked, Refusal):
            return refused(unpacked)
        leaves = read_leaves(unpacked.content) if unpacked.format == "csv" else []
        stamp = next((leaf.value for leaf in leaves if leaf.path == ("about", "timestamp")), None)
        inside = [leaf for leaf in leaves if leaf.path[: len(_ROOT)] == _ROOT]
        if not inside:
            return refused(
                Refusal(
                    "not_this_format",
                    f"{context.origin_name} has no compute.instance with prices; name the feed it came from.",
                )
            )
        records = list(_candidates(inside))
        if not records:
            return refused(
                Refusal("empty_payload", f"{context.origin_name} holds no price of a machine with GPUs.")
            )
        raw = read_objects(records, _FIELDS)
        types = {leaf.path[2] for leaf in inside if len(leaf.path) > 2}
        without = sum(not _has_gpu(name) for name in types)
        if without:
            raw = replace(raw, notes=(f"passed over, as they are machine types without a GPU: {without}",))
        lost = sum(leaf.malformed and len(leaf.path) < 3 for leaf in leaves)
        if lost:
            raw = replace(raw, notes=(*raw.notes, f"lines that belong to no machine type: {lost}"))
        if unpacked.truncated:
            cut = Refusal(
                "truncated_payload",
                f"{context.origin_name} ends early; the prices before are in. Fetch it again.",
            )
            raw = replace(raw, refusal=cut)
        moment = None if stamp is None else unix_instant(latest=None)(stamp)
        if isinstance(moment, Bad):
            return refused(
                Refusal(
                    "not_this_format", f"{context.origin_name} has a timestamp that is no count of seconds."
                )
            )
        observed = snapshot_time(self, raw, context, moment, "about.timestamp")
        if isinstance(observed, Refusal):
            return refused(observed)
        hardware = named_hardware(raw.column("type"))
        count = hardware.convert(lambda found: found.gpu_count or Bad("bad_gpu_count"))
        term = raw.column("term").convert(lambda text: _TERMS[text] if text in _TERMS else Bad("bad_choice"))
        price = join(
            [raw.column("price"), raw.column("term"), term, count],
            lambda text, column, terms, gpus: read_price(
                text,
                column,
                gpus=gpus,
                hours=terms[2],
                unit="per_instance_hour" if terms[2] == 1 else "per_instance_month",
            ),
        )
        return batch_of(
            self,
            raw,
            context,
            observed=observed,
            hardware=hardware,
            price=price,
            source=self.source,
            aggregator=AGGREGATOR_OF_SOURCE[self.source],
            seller="gcp",
            sku=raw.column("type"),
            gpu_count=count,
            pricing=term.convert(lambda terms: terms[0]),
            term_months=term.convert(lambda terms: terms[1]),
            region=raw.column("region"),
            service="vm",
            checks=[observed, term],
        )


def _candidates(leaves: list[Leaf]) -> list[object]:
    """The prices of machines with GPUs; a line that is no price where one belongs is a record, too."""
    found: list[object] = []
    for leaf in leaves:
        path = leaf.path
        if len(path) < 3 or not _has_gpu(path[2]):
            continue
        if leaf.malformed:
            found.append(leaf.value)
        elif len(path) == 6 and path[3] == "cost" and path[5] in _TERMS:
            found.append({"type": path[2], "region": path[4], "term": path[5], "price": leaf.value})
        elif path[-1] in _TERMS:
            found.append(f"{'.'.join(path)}: {leaf.value}")
    return found


def _has_gpu(machine_type: str) -> bool:
    return bool(_GPU_FAMILY.fullmatch(machine_type)) or isinstance(read_name(machine_type), NameReading)
