"""Rent books through the command line: real prices taken apart, and bad input told in plain sentences."""

from __future__ import annotations

import csv
import gzip
import io

import pytest

from tests.journeys.book_made import DAYS, write_book
from tests.journeys.conftest import GCP, Person, with_rules
from tests.journeys.test_real_hedge import RULES, rent_of_us_central1
from tests.journeys.typed import ask

BOOK = """
[[contracts]]
name = "us-central1"
provider = "gcp"
region = "us-central1"
grade = "a100-spot-elsewhere"
pricing = "spot"
gpus = 64
rates = "rent.csv"
"""


@pytest.fixture
def real(person, shared_data, tmp_path):
    """The renter of us-central1 with a book, in a workspace that holds that machine's spot prices."""
    payload = (shared_data / GCP).read_bytes()
    (tmp_path / "rent.csv").write_text(rent_of_us_central1(payload), encoding="utf-8")
    (tmp_path / "book.toml").write_text(BOOK, encoding="utf-8")
    reader = csv.DictReader(io.StringIO(gzip.decompress(payload).decode()))
    with (tmp_path / "spot.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, reader.fieldnames)
        writer.writeheader()
        writer.writerows(row for row in reader if row["sku"] == "a2-highgpu-1g" and row["pricing"] == "spot")
    with_rules(person, RULES)
    person.asks("ingest", "tabular", tmp_path / "spot.csv")
    person.asks("index", "build", "a100-elsewhere")
    return person


def test_what_the_real_hedge_left_over_is_the_region_and_the_ratio(real, tmp_path):
    page = tmp_path / "report.html"
    row = real.asks(
        "hedge", "--book", tmp_path / "book.toml", "--benchmark", "a100-elsewhere", "--report", page
    )
    assert row["verdict"] == "not shown"
    assert row["sentence"].startswith("On this evidence the hedge would not have covered your rent")
    # The same rent as in the first issue, so the same regression.
    assert row["regression"]["monthly"]["ratio"] == pytest.approx(0.2113, abs=0.0005)
    found = row["attribution"]
    lines = {each["line"]: each for each in found["lines"]}
    for name in ("volume", "provider", "grade", "term", "cross_index", "methodology", "day_count"):
        assert [lines[name][key] for key in ("amount", "low", "high")] == ["0.000000"] * 3, name
    assert "holds it constant" in lines["provider"]["reason"]
    total = sum(float(each["amount"]) for each in found["lines"])
    assert total == pytest.approx(float(found["total"]), abs=1e-6)
    assert float(found["total"]) == pytest.approx(
        float(found["bill"]) - float(found["budget"]) - float(found["futures_pnl"]), abs=1e-6
    )
    # Own step up in January 2026 and the reference's fall: the region, and that a third of the hours was held.
    assert float(lines["region"]["amount"]) > 0 > float(lines["hedge_ratio"]["amount"])
    assert found["unexplained_share"] < 0.02
    assert f"region explains ${float(lines['region']['amount']):,.0f} of" in row["sentences"][1]
    drawn = page.read_text(encoding="utf-8").split('class="page"', maxsplit=1)[0]
    assert "What the hedge left over, by cause: Region" in drawn
    # Nothing of it was stored: the workspace knows the one benchmark it had.
    assert real.asks("index", "show", "a100-elsewhere", "--last", "1")["rows"]


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A workspace with the invented sample offers, published; nothing below writes to it."""
    folder = tmp_path_factory.mktemp("sample") / "w"
    ask("init", folder, "--sample")
    ask("ingest", "tabular", folder / "offers.csv", "--workspace", folder)
    ask("index", "build", "h100-list", "--publish", "--workspace", folder)
    return folder


@pytest.fixture
def sample(capsys, published):
    """A person in that workspace."""
    return Person(capsys, published)


def hedged(person, *words, code=0):
    answer = person.types("hedge", *words, "--benchmark", "h100-list")
    assert answer.code == code, answer.out + answer.err
    return answer


def test_a_book_of_three_contracts_is_read_whole_and_printed(sample, tmp_path):
    book = write_book(tmp_path)
    answer = hedged(
        sample,
        *("--book", book, "--rates", tmp_path / "exchange.csv", "--method", "naive"),
        *("--incidents", tmp_path / "incidents.csv", "--output-figures", tmp_path / "output.csv"),
        *("--report", tmp_path / "report.html"),
    )
    for said in ("forecast, notice by", "renewal", "capped", "unpaid", "stays open", "not covered"):
        assert said in answer.out, said
    assert "kind is 'party'" in answer.out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for title in (
        "Exposure",
        "Position beside exposure",
        "What the hedge cannot do",
        "Refused rows of other files",
    ):
        assert f"<h2>{title} " in page, title


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rates", "exchange.csv", "--role", "provider"), "contradicts"),
        (("--rates", "exchange.csv", "--gpus", "8"), "write gpus in book.toml"),
        (("--rates", "nowhere.csv"), "There is no file of exchange rates"),
        (("--rates", "exchange.csv", "--unit", "dollars"), "write cents, per-node:8 or correct"),
        (("--rates", "exchange.csv", "--incidents", "rates.csv"), "lacks the column"),
    ],
)
def test_wrong_flags_are_one_sentence(sample, tmp_path, words, said):
    book = write_book(tmp_path)
    named = [tmp_path / each if each.endswith(".csv") else each for each in words]
    answer = sample.types("hedge", "--book", book, "--benchmark", "h100-list", *named)
    assert answer.code in (1, 2)
    assert said in answer.err
    assert len(answer.err.strip().splitlines()) == 1


def test_a_missing_file_and_a_missing_currency_are_named(sample, tmp_path):
    book = write_book(tmp_path)
    answer = hedged(sample, "--book", book)
    assert "invoices.csv line 2: currency is 'EUR on 2026-08-05'" in answer.out
    assert "add it to the file of --rates" in answer.out
    (tmp_path / "usage.csv").unlink()
    assert "names the file usage.csv, which is not in" in hedged(sample, "--book", book, code=1).err


def file_of(tmp_path, rates, header="date,rate_usd_per_gpu_hour"):
    path = tmp_path / "rent.csv"
    path.write_text("\n".join([header, *(f"{day},{rate}" for day, rate in rates), ""]), encoding="utf-8")
    return path


def test_a_rent_in_cents_is_asked_about_and_settled_by_an_answer(sample, tmp_path):
    path = file_of(tmp_path, [(day, 290 + number % 9) for number, day in enumerate(DAYS)])
    asked = hedged(sample, path)
    assert "is the rent in cents, or correct?" in asked.out
    assert "--unit cents" in asked.out
    row = sample.asks("hedge", path, "--benchmark", "h100-list", "--unit", "cents")
    assert row["unit_question"] is None
    assert abs(row["basis"]["mean"]) < 1


def test_short_constant_and_single_month_rents_still_print_what_can_be_said(sample, tmp_path):
    constant = hedged(sample, file_of(tmp_path, [(day, "2.90") for day in DAYS]))
    assert "VERDICT: NOTHING TO HEDGE" in constant.out
    assert "any lots would add risk" in constant.out
    month = hedged(sample, file_of(tmp_path, [(day, f"2.9{n % 9}") for n, day in enumerate(DAYS[31:])]))
    assert "Too short to say whether this hedge covers your rent: 0 monthly changes, 36 needed." in month.out
    assert "basis (rent − fixing" in month.out
    assert "Nothing is attributed: " in month.out
    one = hedged(sample, file_of(tmp_path, [(DAYS[40], "2.95")]))
    assert "VERDICT: TOO SHORT" in one.out


def test_overlapping_invoices_and_hours_of_zero_are_refused_in_sentences(sample, tmp_path):
    path = tmp_path / "bills.csv"
    path.write_text(
        "period_start,period_end,amount,hours,kind\n"
        "2026-07-01,2026-07-31,2900.00,1000,invoice\n"
        "2026-08-01,2026-08-20,2900.00,1000,invoice\n"
        "2026-08-20,2026-08-31,2900.00,1000,invoice\n"
        "2026-08-25,2026-08-26,10.00,0,invoice\n",
        encoding="utf-8",
    )
    row = sample.asks("hedge", "--book", path, "--benchmark", "h100-list")
    reasons = {each["line"]: each["sentence"] for each in row["rent"]["refused"]}
    assert "also on line 4" in reasons[3]
    assert "also on line 3" in reasons[4]
    assert "hours must be above zero" in reasons[5]
    assert (row["rent"]["rows_read"], row["rent"]["rows_used"]) == (4, 1)
    page = tmp_path / "r.html"
    assert (
        "refused, each in --json and the report" not in hedged(sample, "--book", path, "--report", page).err
    )
    assert "also on line 4" in page.read_text(encoding="utf-8")
