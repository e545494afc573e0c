"""CME GPU2: the rules of GPU1 for B200, with limits of its own."""

from __future__ import annotations

from rentmark.contracts import CONTRACTS, contract_hash

from .contract_suite import ContractSuite


class TestCmeGpu2(ContractSuite):
    contract = "cme-gpu2"

    def test_the_limits_are_those_of_b200(self):
        limits = CONTRACTS["cme-gpu2"].limits
        assert limits is not None
        # 5,500 in the spot month, accountability 11,000 and 16,500: third-party note citing the filing
        assert (
            limits.spot_month_lots,
            limits.single_month_accountability_lots,
            limits.all_months_accountability_lots,
        ) == (5_500, 11_000, 16_500)

    def test_it_is_another_contract_than_gpu1(self):
        assert CONTRACTS["cme-gpu2"].chip == "B200"
        assert contract_hash(CONTRACTS["cme-gpu2"]) != contract_hash(CONTRACTS["cme-gpu1"])
