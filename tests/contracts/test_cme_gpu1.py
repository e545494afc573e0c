"""CME GPU1: a fixed lot of 730 GPU-hours on the business days of the month."""

from __future__ import annotations

from rentmark.contracts import CONTRACTS

from .contract_suite import ContractSuite


class TestCmeGpu1(ContractSuite):
    contract = "cme-gpu1"

    def test_the_calendar_is_assumed_and_says_so(self):
        assert CONTRACTS["cme-gpu1"].calendar == "XNYS"
        assert CONTRACTS["cme-gpu1"].calendar_assumed
