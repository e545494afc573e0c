"""What a licence text says of use in an index, and through whose hands a source came."""

from __future__ import annotations

import re

from ..records.observation import Rights

USER_ASSERTED = "user-asserted"
"""The licence of a file that states none: its owner brought it and answers for it."""

AGGREGATOR_OF_SOURCE: dict[str, str] = {
    "adriannutiu/gpu-rental-prices": "gpurentalprices.com",
    "ccir-index/cri-h100": "ccir.io",
    "the-full-stack/website:cloud-gpus.csv": "fullstackdeeplearning.com",
    "Cyclenerd/google-cloud-pricing-cost-calculator": "Cyclenerd",
}
"""Collectors known to have gathered other sellers' prices, by the source name they publish under."""

_FORBIDS = re.compile(r"\bnc\b|\bnon ?commercial\b|\binternal\b")
_ALLOWS = re.compile(
    r"\bcc by\b(?! (?:sa|nd))|\bcreative commons attribution\b(?! (?:share ?alike|no ?deriv))"
    rf"|\bmit\b|\bapache\b|^{USER_ASSERTED.replace('-', ' ')}$"
)


def rights_of_license(text: str) -> Rights:
    """Index rights of a licence text (definitions.md): CC BY, MIT and Apache allow index use.

    Non-commercial and internal-use texts forbid it; any other text is unknown, and share-alike
    and no-derivatives variants of CC BY are left unknown rather than read in our favour.
    """
    words = " ".join(re.findall(r"[a-z0-9]+", text.lower()))
    if _FORBIDS.search(words):
        return "forbidden"
    return "allowed" if _ALLOWS.search(words) else "unknown"
