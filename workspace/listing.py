"""What the command line lists: feeds, contracts, a name's reading; and dates as people write them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from ..records import Refusal, RentmarkError, UsageError, format_micros, parse_date


def read_date(text: str, what: str) -> date:
    """Read a date argument; raises UsageError naming the argument and its value."""
    try:
        return parse_date(text)
    except ValueError as error:
        raise UsageError(f"{what}: {error}.") from None


def reading_row(name: str) -> dict[str, Any]:
    """How a GPU name is read: null where the name does not say, ``refusal`` where it names no GPU."""
    from ..grades.names import read_name

    reading = read_name(name)
    refused = isinstance(reading, Refusal)
    return {
        "name": name,
        "chip": None if isinstance(reading, Refusal) else reading.chip,
        "form_factor": None if isinstance(reading, Refusal) else reading.form_factor,
        "memory_gb": None if isinstance(reading, Refusal) else reading.memory_gb,
        "gpu_count": None if isinstance(reading, Refusal) else reading.gpu_count,
        "interconnect": None if isinstance(reading, Refusal) else reading.interconnect,
        "refusal": reading.code if isinstance(reading, Refusal) else None,
        "reason": reading.sentence if isinstance(reading, Refusal) else None,
        "read": not refused,
    }


def feed_rows() -> list[dict[str, Any]]:
    """The feeds with their kind, version, data rights and attribution."""
    from ..ingest import FEEDS

    return [
        {
            "feed": feed.id,
            "kind": feed.kind,
            "version": feed.version,
            "rights": feed.terms.rights,
            "license": feed.terms.license,
            "attribution": feed.terms.attribution,
            "link": feed.terms.link,
            "lag_hours": feed.lag_hours,
            "complete_snapshot": feed.complete_snapshot,
            "parameters": [name for name in getattr(feed.parameters, "model_fields", ()) if name != "feed"],
            "summary": feed.summary,
        }
        for feed in FEEDS.values()
    ]


def _contracts(root: Path) -> dict[str, Any]:
    """Shipped contracts, and the user's own where there is a workspace."""
    from ..contracts import CONTRACTS
    from .config import FILE_NAME, read_configuration

    file = root / FILE_NAME
    return dict(read_configuration(file).contracts) if file.exists() else dict(CONTRACTS)


def unit_in_words(spec: Any) -> str:
    """The contract unit: fixed hours, or the hours of the month."""
    if spec.unit_rule == "fixed":
        return f"{spec.fixed_gpu_hours} GPU-hour" + ("" if spec.fixed_gpu_hours == 1 else "s")
    return "hours in the month" + ("" if spec.unit_gpus == 1 else f" × {spec.unit_gpus} GPUs")


def averaging_in_words(spec: Any) -> str:
    """Which fixings are averaged; an assumed calendar says so."""
    last = "" if spec.averaging_last is None else f"last {spec.averaging_last} "
    left = "" if spec.period == "month" else " left in the month"
    if spec.averaging == "every_day":
        return f"mean of {last + 'days' if last else 'every day'}{left}"
    weighed = ", weighed by days" if spec.averaging == "day_weighted" else ""
    calendar = f"{spec.calendar}" + (" (assumed)" if "calendar" in spec.assumed else "")
    return f"mean of {last}business days{left}{weighed}, {calendar}"


def contract_rows(root: Path) -> list[dict[str, Any]]:
    """The contracts in a line each."""
    rows = []
    for name, spec in _contracts(root).items():
        rows.append(
            {
                "contract": name,
                "exchange": spec.exchange,
                "chip": spec.chip,
                "unit": unit_in_words(spec),
                "tick": format_micros(spec.tick_micros),
                "averaging": averaging_in_words(spec),
                "status": spec.status_line,
                "official_underlying": spec.official_underlying,
            }
        )
    return rows


def contract_lines(root: Path, name: str) -> list[dict[str, Any]]:
    """One contract field by field, each with its standing and source."""
    from ..contracts import describe

    return [
        {"field": line.field, "value": line.text, "standing": line.standing, "source": line.source}
        for line in describe(contract_named(root, name))
    ]


def contract_named(root: Path, name: str) -> Any:
    """A contract by its id, shipped or the workspace's own; raises RentmarkError naming those there are."""
    known = _contracts(root)
    if name not in known:
        raise RentmarkError(f"There is no contract {name!r}; known: {', '.join(known)}.")
    return known[name]


def settlement_row(settlement: Any, *, explain: bool) -> dict[str, Any]:
    """The documented JSON of `settle`."""
    from ..contracts import settlement_to_json

    row = settlement_to_json(settlement, explain=explain)
    month = row["in_month"]
    if month is not None and month["known_mean"] is None:
        month["known_mean_reason"] = "no fixing of the month counts yet"
    return row
