"""The formulas of full cost: capital recovery, an owned GPU-hour, failures, and a token's cost.

Exact: every figure is a fraction, in US dollars unless said otherwise, and is rounded where it is printed.
Sources: capital recovery and the cost of an owned GPU-hour as in engineering economics (Grant 1930,
"Principles of Engineering Economy"); failures after Young (1974), "A first order approximation to the optimum
checkpoint interval", with half a checkpoint interval lost on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

HOURS_PER_YEAR = 8760
MONTHS_PER_YEAR = 12
FailureRule = Literal["sum", "larger"]


def capital_recovery_factor(rate: Fraction, years: int) -> Fraction:
    """CRF = r(1 + r)ⁿ / ((1 + r)ⁿ − 1): what a dollar of capital costs a year over n years; 1/n at rate 0.

    Raises ValueError for a rate below 0 and for less than one year.
    """
    if rate < 0 or years < 1:
        raise ValueError(
            f"capital recovery needs a rate of 0 or more and a year or more, not {rate}, {years}"
        )
    if rate == 0:
        return Fraction(1, years)
    grown = (1 + rate) ** years
    return rate * grown / (grown - 1)


def capital_per_year(capex: Fraction, salvage: Fraction, rate: Fraction, years: int) -> Fraction:
    """(capex − salvage/(1 + r)ⁿ) · CRF, dollars a year."""
    return (capex - salvage / (1 + rate) ** years) * capital_recovery_factor(rate, years)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedGpu:
    """What one owned GPU costs in a year, in dollars, and how many of its hours are useful."""

    capital: Fraction
    colocation: Fraction
    power: Fraction
    maintenance: Fraction
    staff: Fraction
    insurance: Fraction
    useful_hours: Fraction

    @property
    def full(self) -> Fraction:
        """All of it: C3."""
        return self.cash + self.capital + self.maintenance + self.insurance

    @property
    def cash(self) -> Fraction:
        """Power, colocation and staff: C1, what an owner saves by switching it off."""
        return self.power + self.colocation + self.staff

    @property
    def usd_per_useful_hour(self) -> Fraction:
        """Full cost of an hour that served."""
        return self.full / self.useful_hours


def owned_gpu(
    *,
    capital: Fraction,
    kilowatts: Fraction,
    colocation_usd_per_kw_month: Fraction,
    colocation_bundles_power: bool,
    pue: Fraction,
    load: Fraction,
    usd_per_kwh: Fraction,
    maintenance: Fraction,
    staff: Fraction,
    insurance: Fraction,
    availability: Fraction,
    utilisation: Fraction,
) -> OwnedGpu:
    """[capital + colo·12·kW + kW·PUE·8760·load·$/kWh + maintenance + staff + insurance] / (8760·avail·util).

    Where colocation bundles power, neither the power nor its PUE is counted again.
    """
    power = Fraction(0)
    if not colocation_bundles_power:
        power = kilowatts * pue * HOURS_PER_YEAR * load * usd_per_kwh
    return OwnedGpu(
        capital=capital,
        colocation=colocation_usd_per_kw_month * MONTHS_PER_YEAR * kilowatts,
        power=power,
        maintenance=maintenance,
        staff=staff,
        insurance=insurance,
        useful_hours=HOURS_PER_YEAR * availability * utilisation,
    )


def goodput_loss(
    *,
    job_gpus: int,
    mtbf_gpu_hours: Fraction,
    detect_hours: Fraction,
    checkpoint_hours: Fraction,
    restart_hours: Fraction,
    repair_hours: Fraction,
    blast_radius_gpus: int,
    rule: FailureRule = "sum",
) -> Fraction:
    """The share g of paid GPU-hours that failures waste, at most 1.

    GPU-hours per failure: (t_detect + t_checkpoint/2 + t_init)·job + t_repair·blast radius. With ``rule``
    "larger" the larger of the first two times counts and not their sum, as in SemiAnalysis' model.
    Failures an hour are job/MTBF, so g = waste·(job/MTBF)/job = waste/MTBF.
    """
    lost = checkpoint_hours / 2
    waited = max(detect_hours, lost) if rule == "larger" else detect_hours + lost
    waste = (waited + restart_hours) * job_gpus + repair_hours * blast_radius_gpus
    return min(Fraction(1), waste / mtbf_gpu_hours)


def usd_per_million_accepted_tokens(
    *,
    usd_per_gpu_hour: Fraction,
    tokens_per_second_per_gpu: Fraction,
    utilisation: Fraction,
    acceptance: Fraction,
    goodput_loss: Fraction,
    overhead_usd_per_million: Fraction,
) -> Fraction | None:
    """Price / (0.0036 · q(τ) · utilisation · acceptance · (1 − g)) + overhead per million accepted tokens.

    None where nothing acceptable is produced.
    """
    millions_an_hour = Fraction(36, 10_000) * tokens_per_second_per_gpu
    accepted = millions_an_hour * utilisation * acceptance * (1 - goodput_loss)
    return None if accepted <= 0 else usd_per_gpu_hour / accepted + overhead_usd_per_million
