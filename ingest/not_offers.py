"""Files that hold what somebody made of offers, not offers: an administrator's index, a daily panel.

Read as offers, they would let an index eat another index, or count a median as a seller's price.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..records import Refusal

_INDEX_NAMES = frozenset({"index_name", "index_id", "index_value", "index_level", "benchmark_name"})
_STATISTIC = re.compile(
    r"(?:obs_|price_|usd_)?(?:min|max|mean|median|avg|average|stdev|std|p\d{1,2})"
    r"(?:_(?:per_gpu|price|usd|rate|cost|value|hourly).*)?",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"n_(?:rows|obs|observations|offers|sellers|providers)|(?:total_)?observations|(?:obs|row|offer)_count",
    re.IGNORECASE,
)
_FEWEST_STATISTICS = 2
_JSON_KEY = re.compile(rb'"(\w{1,64})"\s*:')
_SEPARATORS = re.compile("[,;\t|]")


def not_an_offer(names: Sequence[str], origin_name: str) -> Refusal | None:
    """A refusal for a table with these column names, if they are those of an index or of a panel."""
    plain = [name.strip().strip('"').lower() for name in names]
    statistics = [name for name in plain if _STATISTIC.fullmatch(name)]
    counts = [name for name in plain if _COUNT.fullmatch(name)]
    index = next((name for name in plain if name in _INDEX_NAMES), None)
    if index is not None:
        return Refusal(
            "not_an_offer",
            f"{origin_name} has a column {index}: it holds published index values, not offers or trades; "
            "ingest the offers themselves.",
        )
    if counts and len(statistics) >= _FEWEST_STATISTICS:
        return Refusal(
            "not_an_offer",
            f"{origin_name} has columns {counts[0]} and {', '.join(statistics)}: it is a summary of offers, "
            "not offers or trades; ingest the offers themselves.",
        )
    return None


def not_an_offer_text(head: bytes, origin_name: str, *, json: bool) -> Refusal | None:
    """As :func:`not_an_offer`, from the first bytes of a CSV or JSON payload."""
    if json:
        return not_an_offer([key.decode() for key in _JSON_KEY.findall(head)], origin_name)
    first = head.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
    return not_an_offer(_SEPARATORS.split(first), origin_name)
