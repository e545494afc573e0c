"""The nineteen Principles for Financial Benchmarks (IOSCO, final report FR07/13, July 2013) as data.

Titles are those of the report. What a person must attest, and every threshold, are this project's own words and
choices: IOSCO sets no numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Principle:
    """One principle: its number and title, and what no computation shows, so that a person must attest it.

    ``computed`` says whether checks are made of it, too.
    """

    number: int
    title: str
    computed: bool
    attest: str


PRINCIPLES: tuple[Principle, ...] = (
    Principle(1, "Overall Responsibility of the Administrator", False, "Who answers for every part of the determination."),
    Principle(2, "Oversight of Third Parties", False, "How collectors and calculating agents are overseen, in writing."),
    Principle(3, "Conflicts of Interest for Administrators", False, "That conflicts are identified, disclosed and kept apart."),
    Principle(4, "Control Framework for Administrators", False, "That a control framework exists, is kept to and is disclosed in summary."),
    Principle(5, "Internal Oversight", False, "Who oversees the benchmark, with which terms of reference."),
    Principle(6, "Benchmark Design", True, "That the grade and its sellers represent the interest that is to be measured."),
    Principle(7, "Data Sufficiency", True, "That the prices come from an active market formed by supply and demand."),
    Principle(8, "Hierarchy of Data Inputs", True, "When and by whom expert judgement is used, and that it is recorded."),
    Principle(9, "Transparency of Benchmark Determinations", True, "That an explanation reaches users with each determination."),
    Principle(10, "Periodic Review", True, "That the market is reviewed at intervals and the outcome is public where it changes anything."),
    Principle(11, "Content of the Methodology", True, "That the methodology is published with its rationale and its limits."),
    Principle(12, "Changes to the Methodology", True, "That users were given notice and heard before a material change."),
    Principle(13, "Transition", True, "That a written policy says what happens, and with what notice, if the benchmark ceases."),
    Principle(14, "Submitter Code of Conduct", False, "That whoever submits prices is under a code; prices collected from public lists have no submitter."),
    Principle(15, "Internal Controls over Data Collection", True, "Who may collect, and how sources are chosen and protected."),
    Principle(16, "Complaints Procedures", False, "Where a user complains, who decides and by when."),
    Principle(17, "Audits", False, "That an auditor independent of the benchmark reviews adherence."),
    Principle(18, "Audit Trail", True, "That records are kept for five years and communications are among them."),
    Principle(19, "Cooperation with Regulatory Authorities", False, "That records reach an authority that asks for them."),
)  # fmt: skip

THRESHOLDS: Mapping[str, float] = {
    "top_seller_share": 0.25,
    "seller_hhi": 1_800,
    "aggregator_share": 0.5,
    "leave_one_out": 0.05,
    "one_seller_move": 0.05,
    "coverage": 0.98,
    "min_sellers": 3,
    "thinnest_sellers": 5,
    "trade_dates": 0.5,
    "unchanged": 0.9,
    "carried_dates": 0.05,
    "restatement": 0.01,
}
"""Bounds of the checks. ``seller_hhi`` is where the US Merger Guidelines of 2023 (guideline 1) call a market highly
concentrated, ``coverage`` the share that peers ask before a period settles without a certificate; the others are
chosen here and are for a committee to replace."""
