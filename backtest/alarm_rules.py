"""The thresholds of `rentmark watch`: the table ``[watch]`` of rentmark.toml, every key with a default."""

from __future__ import annotations

from pydantic import Field

from ..records.specs import SpecModel


class WatchRules(SpecModel):
    """When an alarm fires. Shares are fractions; windows count fixing dates, common dates or changes.

    ``recent_days`` is how far back the first watch of a workspace looks for alarms to report.
    """

    gap_run: int = Field(default=3, ge=1, le=366)
    coverage_days: int = Field(default=30, ge=2, le=366)
    coverage_at_least: float = Field(default=0.9, ge=0, le=1)
    stale_days: int = Field(default=3, ge=1, le=366)
    jump: float = Field(default=0.10, gt=0)
    top_weight: float = Field(default=0.5, gt=0, le=1)
    sellers_window: int = Field(default=14, ge=2, le=366)
    sellers_drop: float = Field(default=0.4, gt=0, le=1)
    seller_set_change: float = Field(default=0.4, gt=0, le=1)
    z_window: int = Field(default=60, ge=10, le=2_000)
    z: float = Field(default=4.0, gt=0)
    z_least_move: float = Field(default=0.02, ge=0)
    rolling_window: int = Field(default=60, ge=12, le=2_000)
    r_squared_at_least: float = Field(default=0.2, ge=0, le=1)
    ratio_drop: float = Field(default=0.5, gt=0, le=1)
    cusum_training: int = Field(default=60, ge=12, le=2_000)
    recent_days: int = Field(default=30, ge=1, le=366)


def read_watch(values: object) -> WatchRules:
    """Read the table ``[watch]``; raises UsageError with one sentence."""
    from collections.abc import Mapping

    from ..records import UsageError

    if not isinstance(values, Mapping):
        raise UsageError(f"rentmark.toml has watch = {values!r}; write a table [watch].")
    return WatchRules.read(values, "[watch]")
