"""The renter of one region, hedged on the others: the figures of the definitions, through the command line."""

from __future__ import annotations

import csv
import gzip
import io

import pytest

from tests.journeys.conftest import GCP, with_rules

RULES = """
[grades.a100-spot-elsewhere]
chip = "A100"
memory_gb = [40]
pricing = "spot"
skus = ["a2-highgpu-1g"]
exclude_regions = ["us-central1"]

[methodologies.regions-median]
version = "1.0.0"
inputs = ["listed"]
vote = ["seller", "region"]
weights = "vote"
estimator = "median"
min_sellers = 1
min_votes = 3

[benchmarks.a100-elsewhere]
grade = "a100-spot-elsewhere"
methodology = "regions-median"
research = true
"""


def rent_of_us_central1(payload: bytes) -> str:
    """One value per UTC day of a snapshot."""
    rows = csv.DictReader(io.StringIO(gzip.decompress(payload).decode()))
    own = ("a2-highgpu-1g", "spot", "us-central1")
    lines = [
        f"{row['observed_at'][:10]},{row['price_per_gpu_hour']}"
        for row in rows
        if (row["sku"], row["pricing"], row["region"]) == own
    ]
    return "\n".join(["date,rate_usd_per_gpu_hour", *lines, ""])


def near(value):
    return pytest.approx(value, abs=0.0005)


def test_the_hedge_would_not_have_covered_the_rent(person, shared_data, tmp_path):
    with_rules(person, RULES)
    counts = person.asks("ingest", "tabular", shared_data / GCP)
    assert counts["records"] == counts["accepted"] + counts["rejected"] + counts["duplicates"] == 315_321
    person.asks("index", "build", "a100-elsewhere")
    refused = person.types("index", "publish", "a100-elsewhere")
    assert refused.code == 1
    assert "research" in refused.err
    assert person.types("settle", "cme-gpu1", "2026-07", "--benchmark", "a100-elsewhere").code == 1
    rent = tmp_path / "rent.csv"
    rent.write_text(rent_of_us_central1((shared_data / GCP).read_bytes()), encoding="utf-8")
    report_file = tmp_path / "report.html"
    row = person.asks("hedge", rent, "--benchmark", "a100-elsewhere", "--report", report_file)

    observation, monthly, tenor = (row["regression"][k] for k in ("observation", "monthly", "hedge"))
    assert observation["ratio"] == near(0.1793)
    assert (observation["ratio_low"], observation["ratio_high"]) == (near(-0.212), near(0.571))
    assert (observation["r_squared"], observation["n"]) == (near(0.0694), 188)
    assert observation["share_unchanged"] == near(0.952)
    assert observation["influential_date"] == "2023-08-10"
    assert observation["ratio_without_most_influential"] == near(-0.1019)
    assert (monthly["ratio"], monthly["ratio_low"], monthly["ratio_high"]) == (
        near(0.2113),
        near(-0.174),
        near(0.596),
    )
    assert (monthly["r_squared"], monthly["n"]) == (near(0.1059), 38)
    assert (tenor["ratio"], tenor["r_squared"], tenor["n"]) == (near(0.2665), near(0.2197), 38)
    naive, ols = row["effectiveness"]["naive"], row["effectiveness"]["ols"]
    assert (naive["in_sample"], naive["walk_forward"]) == (near(-1.370), near(-2.456))
    assert (ols["in_sample"], ols["walk_forward"]) == (near(0.106), near(-0.452))
    assert naive["out_of_sample_months"] == ols["out_of_sample_months"] == 14
    assert (row["verdict"], row["method"], row["proxy"], row["fixing_state"]) == (
        "not shown",
        "ols",
        True,
        "candidate",
    )
    assert row["sentence"].startswith("On this evidence the hedge would not have covered your rent")
    assert row["basis_stationarity"]["adf_p"] >= 0.99
    assert row["basis_stationarity"]["stable"] is False
    assert row["breaks"]["descriptive"] is True
    wide, fine = row["breaks"]["mean_shifts"]
    assert wide["trim"] == 0.15
    assert wide["by_bic"] == wide["by_lwz"] == ["2026-01-22"]
    assert fine["trim"] == 0.05
    assert fine["partitions"][5]["dates"] == [
        "2023-08-10", "2025-11-06", "2026-01-22", "2026-04-02", "2026-06-11",
    ]  # fmt: skip
    (case,) = row["breaks"]["cases"]
    assert (case["date"], case["causes"]) == ("2026-01-22", ["own rent"])
    assert case["own_move"] > 0 > case["reference_move"]
    standing = {each["cause"]: each["standing"] for each in case["findings"]}
    assert standing == {"methodology": "no", "own rent": "holds", "market": "undetermined"}
    assert case["findings"][0]["evidence"] == (
        "no dated change; the votes of both days (38) moved −8.3 %, the reference −8.3 %"
    )
    assert case["findings"][2]["evidence"] == "there is no second source"
    page = report_file.read_text(encoding="utf-8")
    assert "would not have covered your rent" in page
    assert "≈ break 2026-01-22" in page
    assert "No stable basis (ADF p above 0.99)" in page
    assert "PROXY" in page

    compared = person.asks("hedge", "compare", rent, "--benchmarks", "a100-elsewhere")
    assert compared["fixing_state"] == "candidate"
    told = {each["method"]: each["walk_forward"] for each in compared["ranking"]}
    assert told == {"ols": near(-0.452), "naive": near(-2.456)}
    assert compared["books"][0]["in_set"] == ["none"]  # not hedging was the best that could be done
