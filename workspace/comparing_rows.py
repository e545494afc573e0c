"""A comparison as the command line prints it, and as a file for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..index.comparing import FEWEST_CHANGES
from ..index.presets import PRESETS, Keyed, Preset, preset_named
from ..records import UsageError, format_micros, neutral
from .comparing import Compared, Comparison, Method
from .config import FILE_NAME, read_configuration
from .input_files import write_text_file
from .rows import instant, price


def comparison_row(comparison: Comparison) -> dict[str, Any]:
    """The documented JSON of `index compare`."""
    first = comparison.compared[0]
    return {
        "benchmark": comparison.benchmark,
        "grade": first.benchmark.grade_name,
        "as_of": instant(comparison.seen_until),
        "simulated": comparison.simulated,
        "compared": [_compared_row(each, first) for each in comparison.compared],
    }


def _compared_row(each: Compared, first: Compared) -> dict[str, Any]:
    own, preset = each.figures, _preset(each.method)
    missing = each.reason or "fewer than two dates with a value"
    return {
        "label": each.method.label,
        "kind": each.method.kind,
        "name": each.method.name,
        "preset_version": None if preset is None else preset.version,
        "grade": each.benchmark.grade_name,
        "same_grade": each.benchmark.grade == first.benchmark.grade,
        "methodology_hash": each.benchmark.methodology_hash,
        "assumed": []
        if preset is None
        else [k for k, v in preset.methodology.items() if v.standing == "assumed"],
        "not_expressed": [] if preset is None else list(preset.not_expressed),
        "rule": each.rule,
        "reason": each.reason,
        "dates": own.n_dates,
        "statuses": dict(own.statuses),
        "gap_rules": dict(own.gap_rules),
        "screened": dict(own.screened),
        "first_value": None if own.first_value is None else own.first_value.isoformat(),
        "last_value": None if own.last_value is None else own.last_value.isoformat(),
        "mean": price(own.mean_micros),
        "mean_reason": None if own.mean_micros is not None else missing,
        "volatility": own.volatility,
        "volatility_reason": None if own.volatility is not None else missing,
        "share_unchanged": own.share_unchanged,
        "share_unchanged_reason": None if own.share_unchanged is not None else missing,
        "top_share_mean": own.top_share_mean,
        "top_share_mean_reason": None if own.top_share_mean is not None else missing,
        "top_share_highest": own.top_share_highest,
        "top_share_highest_reason": None if own.top_share_highest is not None else missing,
        "against_first": None if each is first else _against_row(each),
        "days": [
            {
                "date": fixing.date.isoformat(),
                "value": price(fixing.value_micros),
                "status": fixing.status,
                "rule": fixing.rule,
                "reason": fixing.rule if fixing.value_micros is None else None,
            }
            for fixing in each.fixings
        ],
    }


def _against_row(each: Compared) -> dict[str, Any]:
    """How a series differs from the first."""
    other = each.against
    unpaired = each.reason or "too few dates on which both have a value"
    still = unpaired if other.n_changes < FEWEST_CHANGES else "one of them never changes"
    return {
        "common_dates": other.n_common,
        "changes": other.n_changes,
        "mean_difference": price(other.mean_difference_micros),
        "mean_absolute_difference": price(other.mean_absolute_micros),
        "largest_absolute_difference": price(other.largest_absolute_micros),
        "largest_on": None if other.largest_on is None else other.largest_on.isoformat(),
        "correlation": other.correlation,
        "correlation_reason": None if other.correlation is not None else still,
        "tracking_error": other.tracking_error,
        "opposite_sign": len(other.opposite),
        "opposite_sign_dates": [day.isoformat() for day in other.opposite],
        "one_moved": other.one_moved,
        "reason": None if other.tracking_error is not None else unpaired,
    }


def _preset(method: Method) -> Preset | None:
    return preset_named(method.name) if method.kind == "preset" else None


def write_comparison(comparison: Comparison, path: Path) -> int:
    """Write the days side by side as CSV: per methodology value, status and rule; returns the number of days.

    Raises UsageError for another kind of file, RentmarkError where it can't be written.
    """
    if path.suffix.lower() != ".csv":
        raise UsageError(f"--csv {path.name}: write a name that ends in .csv.")
    by_date = [{f.date: f for f in each.fixings} for each in comparison.compared]
    days = sorted({day for held in by_date for day in held})
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    labels = [neutral(each.method.label) for each in comparison.compared]
    writer.writerow(
        ["date", *(f"{label} {what}" for label in labels for what in ("usd_per_gpu_hour", "status", "rule"))]
    )
    for day in days:
        cells: list[str] = []
        for held in by_date:
            fixing = held.get(day)
            value = None if fixing is None else fixing.value_micros
            cells += [
                "" if value is None else format_micros(value),
                "" if fixing is None else fixing.status,
                "" if fixing is None else fixing.rule or "",
            ]
        writer.writerow([day.isoformat(), *cells])
    write_text_file(path, text.getvalue())
    return len(days)


def preset_rows(name: str | None = None, root: Path | None = None) -> dict[str, Any]:
    """The documented JSON of `index presets`: all shipped ones, or the one named. Raises UsageError for no preset.

    Where ``root`` is a workspace, its methodologies that are made from a preset are named with it.
    """
    chosen = list(PRESETS.values()) if name is None else [preset_named(name)]
    file = None if root is None else root / FILE_NAME
    made = read_configuration(file).presets if file is not None and file.is_file() else {}
    users = {p.name: [m for m, made_from in made.items() if made_from == p.reference] for p in chosen}
    return {"presets": [preset_row(preset, users[preset.name]) for preset in chosen]}


def preset_row(preset: Preset, used_by: Sequence[str] = ()) -> dict[str, Any]:
    """One preset, each key with its standing; ``used_by`` are methodologies of the workspace made from it."""
    return {
        "preset": preset.name,
        "version": preset.version,
        "index": preset.index,
        "publisher": preset.publisher,
        "summary": preset.summary,
        "read": preset.read,
        "keys": [_key_row(key, keyed) for key, keyed in preset.methodology.items()],
        "grade": [_key_row(key, keyed) for key, keyed in preset.grade.items()],
        "not_expressed": list(preset.not_expressed),
        "toml": preset_toml(preset),
        "used_by": list(used_by),
    }


def _key_row(key: str, keyed: Keyed) -> dict[str, str]:
    return {"key": key, "value": toml_value(keyed.value), "standing": keyed.standing, "source": keyed.source}


def preset_toml(preset: Preset) -> str:
    """The preset written out as a table of ``rentmark.toml``: it stands still whatever a later version ships."""
    lines = [f"[methodologies.{preset.name}]", f'version = "{preset.reference}"']
    lines += [f"{key} = {toml_value(k.value)}  # {k.standing}" for key, k in preset.methodology.items()]
    return "\n".join(lines)


def toml_value(value: Any) -> str:
    """A value as TOML writes it: texts, whole numbers, lists, and tables on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_value(held)}" for key, held in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(held) for held in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)
