"""Three hundred random order histories keep every promise; ten thousand do in proof/conservation.py."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

PROOF = Path(__file__).resolve().parents[3] / "proof" / "account_histories.py"


@pytest.fixture(scope="module")
def histories() -> ModuleType:
    """The proof's own module, loaded from its file."""
    spec = importlib.util.spec_from_file_location("account_histories", PROOF)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_three_hundred_histories_conserve_every_micro_dollar_and_every_cent(histories):
    held: Counter[str] = Counter()
    for seed in range(300):
        history = histories.make_history(seed)
        held += histories.check(history, histories.write(history))
    # the histories reach what they are there for
    for name in ("final settlements", "calls met", "calls not met", "close-outs ended", "shortfalls"):
        assert held[name] > 20, name


def test_a_history_is_made_from_its_seed_alone(histories):
    first, second = (histories.write(histories.make_history(7)) for _ in range(2))
    assert first == second


def test_a_check_fails_where_an_account_is_off_by_a_micro_dollar(histories):
    from dataclasses import replace

    history = histories.make_history(5)
    run = histories.write(history)
    assert run.days
    last = replace(run.short.days[-1], balance_micros=run.short.days[-1].balance_micros + 1)
    broken = replace(run, short=replace(run.short, days=(*run.short.days[:-1], last)))
    with pytest.raises(AssertionError):
        histories.check(history, broken)
