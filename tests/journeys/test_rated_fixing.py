"""A grade with a minimum rating, from the imported file to the fixing, its explanation and its proof."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Person, with_rules

RULES = """
[grades.h100-rated]
chip = "H100"
form_factor = ["SXM"]
memory_gb = [80]
pricing = "on_demand"
rating = { scheme = "clustermax", at_least = "silver" }

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]

[benchmarks.h100-rated]
grade = "h100-rated"
methodology = "list-median"
"""
DAYS = ("2025-12-01", "2026-09-22", "2026-09-23", "2026-10-01")
SELLERS = {"crusoe": "2.00", "gmi": "4.00", "bare": "9.00"}
"""Prices are invented. The last one rents bare metal, which ratings do not rate."""


def offers(folder: Path) -> Path:
    """Invented offers of each seller on each day."""
    lines = ["observed_at,seller,gpu_model_raw,gpu_count,price_per_gpu_hour,service"]
    for day in DAYS:
        for seller, price in SELLERS.items():
            service = "bare_metal" if seller == "bare" else "managed_cluster"
            lines.append(f"{day}T12:00:00Z,{seller},NVIDIA H100 80GB HBM3,8,{price},{service}")
    path = folder / "offers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def invented_ratings(folder: Path) -> Path:
    """Two invented releases on the dates of published ones: one operator falls, the other rises."""
    path = folder / "ratings.csv"
    path.write_text(
        "version,published,provider,tier\n"
        "2.0,2025-11-06,Crusoe,Gold\n2.0,2025-11-06,GMI,Bronze\n"
        "3.0,2026-09-23,Crusoe,Bronze\n3.0,2026-09-23,GMI,Silver\n"
    )
    return path


def values(person: Person, *flags: str) -> dict[str, str]:
    rows = person.asks("index", "show", "h100-rated", *flags)["rows"]
    return {row["date"]: row["value"] for row in rows if row["date"] in DAYS}


def check(person: Person, ratings: Path) -> None:
    with_rules(person, RULES)
    person.asks("ingest", "tabular", offers(person.workspace.parent))
    refused = person.types("index", "build", "h100-rated")
    assert refused.code == 1
    assert refused.err == (
        "[grades.h100-rated] asks for a clustermax rating and none is imported; "
        "run `rentmark operators import FILE.csv`.\n"
    )
    person.asks("operators", "import", ratings)
    person.asks("index", "build", "h100-rated", "--publish")
    # crusoe is admitted under 2.0, gmi under 3.0, each beside the bare metal that no rating rates:
    # (2 + 9)/2 and (4 + 9)/2
    assert values(person) == {
        "2025-12-01": "5.500000",
        "2026-09-22": "5.500000",
        "2026-09-23": "6.500000",
        "2026-10-01": "6.500000",
    }
    told = {
        day: {o["seller"]: o for o in person.asks("index", "explain", "h100-rated", day)["observations"]}
        for day in DAYS
    }
    assert told["2025-12-01"]["crusoe"]["rating"] == "Gold in release 2.0"
    assert told["2026-10-01"]["gmi"]["rating"] == "Silver in release 3.0"
    # nothing of 3.0 is visible before its date
    for day in ("2025-12-01", "2026-09-22"):
        assert "3.0" not in str([o["rating"] for o in told[day].values()])
        assert told[day]["gmi"]["rule"] == "rating"
    assert told["2026-10-01"]["crusoe"]["rule"] == "rating"
    assert told["2026-10-01"]["bare"]["rating"] == (
        "ignored: ratings speak of managed clusters, and this is bare_metal"
    )
    assert person.asks("index", "verify", "h100-rated")["passed"]


def test_a_fixing_uses_the_release_in_force_and_none_before_its_date(person, tmp_path):
    check(person, invented_ratings(tmp_path))


def test_a_fixing_uses_the_published_releases(person, shared_data):
    path = shared_data / "operators" / "clustermax_ratings.csv"
    if not path.is_file():
        pytest.skip(f"real data absent: {path}")
    check(person, path)


def test_a_reconstructed_view_knows_a_release_from_its_publication_on(person, tmp_path):
    with_rules(person, RULES)
    person.asks("ingest", "tabular", offers(tmp_path))
    person.asks("operators", "import", invented_ratings(tmp_path))
    view = ("--as-of", "2026-09-23T00:00:00Z", "--reconstructed")
    person.asks("index", "build", "h100-rated", *view)
    assert values(person, *view) == {"2025-12-01": "5.500000", "2026-09-22": "5.500000"}
    told = person.asks("index", "explain", "h100-rated", "2026-09-22", *view)
    assert {o["seller"]: o["rating"] for o in told["observations"]}["gmi"] == "Bronze in release 2.0"


def test_a_new_release_changes_the_rules_and_leaves_what_is_published(person, tmp_path):
    with_rules(person, RULES)
    person.asks("ingest", "tabular", offers(tmp_path))
    whole = invented_ratings(tmp_path).read_text().splitlines(keepends=True)
    early, late = tmp_path / "early.csv", tmp_path / "late.csv"
    early.write_text("".join(whole[:3]))
    late.write_text("".join([whole[0], *whole[3:]]))
    person.asks("operators", "import", early)
    person.asks("index", "build", "h100-rated")
    person.asks("index", "publish", "h100-rated", "--through", "2026-09-22")
    person.asks("operators", "import", late)
    stale = person.types("index", "publish", "h100-rated")
    assert stale.code == 1
    assert "The rules of h100-rated changed since it was built" in stale.err
    person.asks("index", "build", "h100-rated", "--publish")
    assert values(person)["2026-10-01"] == "6.500000"
    assert len({row["methodology_hash"] for row in person.asks("index", "show", "h100-rated")["rows"]}) == 2
    assert person.asks("index", "verify", "h100-rated")["passed"]


def test_grade_explain_says_what_the_rating_is_and_where_it_is_ignored(person, tmp_path):
    with_rules(person, RULES)
    person.asks("ingest", "tabular", offers(tmp_path))
    person.asks("operators", "import", invented_ratings(tmp_path))
    told = []
    for position in range(3):
        answer = person.asks("grade", "explain", f"1:{position}")
        told.append(next(g for g in answer["grades"] if g["grade"] == "h100-rated"))
    assert [(g["meets"], g["rule"]) for g in told] == [(True, None), (False, "rating"), (True, None)]
    assert (
        told[1]["reason"] == "gmi is Bronze in ClusterMAX 2.0; the grade wants clustermax Silver or better."
    )
    assert told[2]["rating"] == ("rating ignored: ClusterMAX rates managed clusters, and this is bare_metal")
