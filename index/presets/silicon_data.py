"""Silicon Data's rental indices: records restated as one good, a mean per provider, a weighted mean of those."""

from __future__ import annotations

from .base import SECOND_HAND, Preset, assumed, public

_PAGE = "Silicon Data, Silicon Index product page, section 3 (daily calculation and independent validation)"

SILICON_DATA = Preset(
    name="silicon-data",
    version="1.0.0",
    index="Silicon Data GPU rental indices (SDH100RT, SDB200RT, SDA100RT)",
    publisher="Silicon Data",
    summary="mean of the providers' mean prices, each record restated as the base good",
    read="product page and the publisher's blog of 2026-03-12, read 2026-11; the methodology document not read",
    methodology={
        "inputs": assumed(
            ["executable", "listed"],
            "platform rates and private transactions are named, their mix is not; quotes and list prices are taken",
        ),
        "hierarchy": assumed("pool", "no order among kinds of input is published"),
        "tier_weights": assumed({"executable": 1, "listed": 1}, "no weights by kind of input are published"),
        "weights": assumed("tier", "goes with the pool; the weights of providers are not published"),
        "vote": public(["observation"], f"records enter one by one before the provider means; {SECOND_HAND}"),
        "estimator": public(
            "mean_of_means", f"Σ w·P over provider means; {SECOND_HAND}; the weights w are equal here"
        ),
        "screen": assumed(
            {"robust_z": "3.5"},
            "outliers are removed by “statistically robust methods” that are not named; 3.5 is Iglewicz & Hoaglin 1993",
        ),
        "min_sellers": assumed(3, "40 and more providers are said to be there; no minimum is published"),
        "calendar": public("weekdays", f"{_PAGE}: every business day"),
    },
    grade={
        "pricing": public(
            "on_demand", "the underlying of CME GPU1 is the on-demand price; third-party note, read 2026-10"
        ),
        "countries": public(
            ["US"], "the underlying of CME GPU1 is of the United States; third-party note, read 2026-10"
        ),
    },
    not_expressed=(
        "records are restated as the base good by factors that are not published; state your own as adjustments",
        "the weights of providers",
        "the day-over-day review by people, and the price bands",
        "history is filled backward and restated when the methodology changes; a tape here is never rewritten",
    ),
)
