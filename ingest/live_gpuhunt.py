"""The package ``gpuhunt`` as a collector: its catalogue of one provider, in the layout of its own CSV.

A thin adapter. The package asks the provider itself, with the keys it documents, outside the limits of
:mod:`.live`; what it returns is written down here as one payload, which then is read as any other.
"""

from __future__ import annotations

import csv
import io
import logging
from typing import Any

from ..records import Refusal, RentmarkError

COLUMNS = (
    "instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory", "spot",
    "disk_size", "gpu_vendor",
)  # fmt: skip


def gpuhunt_catalogue(provider: str) -> bytes | Refusal:
    """The offers gpuhunt finds of a provider, as CSV; a Refusal where it fails or finds none.

    Raises RentmarkError where the package is missing.
    """
    try:
        import gpuhunt
    except ModuleNotFoundError:
        raise RentmarkError(
            'The provider of a [collect.NAME] table needs the package gpuhunt; run `pip install "rentmark[gpuhunt]"`.'
        ) from None
    # It logs whole tracebacks; what matters of them is in the exception below.
    logging.getLogger("gpuhunt").addHandler(logging.NullHandler())
    try:
        items = gpuhunt.query(provider=provider)
    except Exception as error:  # noqa: BLE001 - whatever the package meets is told, and stops this source alone
        return Refusal("no_answer", f"gpuhunt could not read {provider} ({type(error).__name__}: {error}).")
    if not items:
        return Refusal(
            "empty_payload", f"gpuhunt found no offer of {provider}; check its name and the keys it needs."
        )
    return catalogue_csv(items)


def catalogue_csv(items: Any) -> bytes:
    """Catalogue items as CSV, in the order they came; what an item does not state is blank."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for item in items:
        writer.writerow([_cell(getattr(item, name, None)) for name in COLUMNS])
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    plain = getattr(value, "value", value)  # the vendor is an enumeration
    return repr(plain) if isinstance(plain, float) else str(plain)
