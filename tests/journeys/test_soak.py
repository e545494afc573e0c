"""Three weeks of a collector's days with faults; ``make soak`` lives the whole year, on both databases."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

PROOF = Path(__file__).resolve().parents[2] / "proof"


@pytest.fixture
def soaking(monkeypatch: pytest.MonkeyPatch):
    """The modules of the proof, which stands outside the product."""
    monkeypatch.syspath_prepend(str(PROOF))
    from soaking import market, reference, year

    yield market, reference, year
    for name in [name for name in sys.modules if name.split(".")[0] == "soaking"]:
        del sys.modules[name]


def test_kills_full_disks_wrong_clocks_and_two_crons_lose_and_double_nothing(soaking, tmp_path: Path):
    market, reference, year = soaking
    story = market.Market(market.SHORT)
    expected = reference.undisturbed(tmp_path / "reference", story)
    account = year.Soak(tmp_path / "soak", story, expected, share=1.0, watch_every=4, resting_rounds=5).run()
    assert account.violations == []
    assert account.hit["kill"] > 0
    assert {"clock back", "clock forward", "twice"} <= set(account.hit)
    assert account.batches == sum(map(len, expected.batches)) > 30
    assert account.rows == 2 * market.SHORT.days
    assert account.alarms_told == len(expected.alarms) >= len(market.SHORT.watch_alarms())
    assert account.drift_kept == len(market.SHORT.drift_alarms()) == 3
