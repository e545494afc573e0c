"""ICE BKL: the rules of HPR for B200."""

from __future__ import annotations

from rentmark.contracts import CONTRACTS

from .contract_suite import ContractSuite


class TestIceBkl(ContractSuite):
    contract = "ice-bkl"

    def test_its_underlying_is_the_index_of_b200(self):
        assert CONTRACTS["ice-bkl"].chip == "B200"
        assert "B200" in CONTRACTS["ice-bkl"].official_underlying
