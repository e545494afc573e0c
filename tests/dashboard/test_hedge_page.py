"""The rent desk in a browser: a file is read, confirmed, judged, downloaded, forgotten; a wrong one is told why."""

from __future__ import annotations

import re

import pytest
from rentmark.cli import run
from rentmark.dashboard.jobs import Held, Jobs
from rentmark.dashboard.uploads import file_name
from rentmark.records import RentmarkError

from tests.dashboard.conftest import serving
from tests.dashboard.visitor import Visitor
from tests.journeys.conftest import GCP
from tests.journeys.test_real_hedge import RULES, rent_of_us_central1


@pytest.fixture(scope="module")
def gcp(shared_data, tmp_path_factory):
    """The A100 regions of GCP but one, built for study, and the rent of that one."""
    folder = tmp_path_factory.mktemp("rent-desk")
    assert run(["init", str(folder / "w")]) == 0
    (folder / "w" / "rentmark.toml").write_text(RULES, encoding="utf-8")
    where = ["--workspace", str(folder / "w")]
    assert run(["ingest", "tabular", str(shared_data / GCP), *where]) == 0
    assert run(["index", "build", "a100-elsewhere", *where]) == 0
    (folder / "rent.csv").write_text(rent_of_us_central1((shared_data / GCP).read_bytes()), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def address(gcp):
    """A server on it."""
    with serving(gcp / "w") as found:
        yield found


@pytest.fixture
def person(browser, address):
    """A renter before it."""
    with Visitor.arrives(browser, address) as renter:
        yield renter


def gives(person, file) -> None:
    person.page.set_input_files("#hedge-upload input", file)
    person.page.wait_for_selector("#hedge-confirm")


def judged(person) -> str:
    person.page.click("#hedge-confirm")
    return person.page.wait_for_selector("#hedge-verdict").inner_text()


def test_the_rent_of_us_central1_is_told_that_it_would_not_have_been_covered(person, browser, gcp, tmp_path):
    person.goes("/hedge")
    gives(person, gcp / "rent.csv")
    read = person.page.inner_text("#hedge-read")
    assert "We read your file as: rent.csv, rates by day" in read
    assert "189 of 189 used, 0 refused" in read
    assert "2023-05-08 to 2026-07-30" in read
    assert person.serious() == []
    said = judged(person)
    assert said.startswith("On this evidence the hedge would not have covered your rent")
    report = person.page.inner_text("#hedge-report")
    assert "VERDICT: NOT SHOWN" in report
    assert "The gap has no stable level (ADF p above 0.99)" in report
    assert "PROXY" in report
    assert person.page.locator("#hedge-report img.drawing").count() >= 3
    assert person.serious() == []
    with person.page.expect_download() as download:
        person.page.click("#hedge-report >> text=HTML")
    saved = tmp_path / "report.html"
    download.value.save_as(saved)
    assert saved.stat().st_size < 3_000_000
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(saved.as_uri())
    assert page.inner_text(".verdict p.first") == said
    assert page.locator(".tile").count() == 4
    assert page.locator("svg").count() >= 3
    context.close()
    for kind in ("JSON", "CSV", "XLSX"):
        with person.page.expect_download() as download:
            person.page.click(f"#hedge-report >> text=/^{kind}$/")
        assert download.value.suggested_filename == f"hedge-report.{kind.lower()}"


def test_rent_in_cents_is_asked_about_and_not_guessed(person, gcp, tmp_path):
    lines = (gcp / "rent.csv").read_text(encoding="utf-8").splitlines()
    cents = [
        lines[0],
        *(f"{day},{float(rate) * 100:.4f}" for day, rate in (line.split(",") for line in lines[1:])),
    ]
    file = tmp_path / "cents.csv"
    file.write_text("\n".join([*cents, ""]), encoding="utf-8")
    person.goes("/hedge")
    gives(person, file)
    assert re.search(
        r"Median rate [\d.]+, reference [\d.]+: is the rent", person.page.inner_text("#hedge-read")
    )
    person.page.click("#hedge-confirm")
    person.page.wait_for_selector("#hedge-report >> text=Say which unit the rent is in first.")
    person.page.click("label:has-text('cents')")
    assert judged(person).startswith("On this evidence the hedge would not have covered your rent")
    assert "--unit cents" in person.page.text_content("#hedge-report")


def test_a_parquet_file_is_read_as_its_csv(person, gcp, tmp_path):
    import pyarrow.csv as arrow_csv
    import pyarrow.parquet as pq

    pq.write_table(arrow_csv.read_csv(gcp / "rent.csv"), tmp_path / "rent.parquet")
    person.goes("/hedge")
    gives(person, tmp_path / "rent.parquet")
    assert "189 of 189 used" in person.page.inner_text("#hedge-read")


def test_a_file_too_large_or_of_another_kind_is_refused_before_anything_is_sent(person, tmp_path):
    large = tmp_path / "rent.csv"
    with large.open("wb") as file:
        file.truncate(1024**3)
    sent: list[str] = []
    person.goes("/hedge")
    person.page.on(
        "request", lambda request: sent.append(request.method) if request.method == "POST" else None
    )
    before = len(sent)
    person.page.set_input_files("#hedge-upload input", large)
    person.page.wait_for_selector("text=rent.csv is 1.0 GB; the limit is 20 MB. Nothing was sent.")
    other = tmp_path / "rent.exe"
    other.write_bytes(b"MZ")
    person.page.set_input_files("#hedge-upload input", other)
    person.page.wait_for_selector("text=rent.exe is no .csv or .parquet file")
    assert person.page.locator("#hedge-confirm").count() == 0
    assert len(sent) - before <= 3, "only the poll of the frame"


@pytest.mark.parametrize(
    ("name", "payload", "words"),
    [
        ("noise.csv", bytes(range(256)) * 40, "noise.csv"),
        ("empty.csv", b"", "empty.csv"),
        ("<img src=x onerror=alert(1)>.csv", b"date,rate_usd_per_gpu_hour\n2026-01-01,x\n", "<img src=x"),
        ("formula.csv", b"date,rate_usd_per_gpu_hour\n=1+1,3.10\n", "=1+1"),
        ("rent.parquet", b"PAR1 and no more", "can't be read as Parquet"),
    ],
)
def test_hostile_files_are_told_what_is_wrong_and_stay_text(person, tmp_path, name, payload, words):
    file = tmp_path / name.replace("/", "")
    file.write_bytes(payload)
    person.goes("/hedge")
    person.page.set_input_files("#hedge-upload input", file)
    person.page.wait_for_selector("#hedge-read .message, #hedge-told .message")
    told = person.page.inner_text("#hedge-told") + person.page.inner_text("#hedge-read")
    assert words in told
    assert "Traceback" not in told
    assert person.page.locator("#hedge-read img").count() == 0


def test_choices_stand_in_the_address_and_the_file_does_not(person, gcp):
    person.goes("/hedge?role=provider&method=naive")
    assert person.page.input_value("#hedge-role") == "I rent out (provider)"
    gives(person, gcp / "rent.csv")
    assert "rent.csv" not in person.page.url
    assert "The rent file is not in this link." in person.text
    person.page.click("#hedge-method")
    person.page.click("[role=option]:has-text('OLS')")
    person.page.wait_for_function("() => location.search.includes('method=ols')")
    assert "role=provider" in person.page.url
    assert person.page.locator("#hedge-confirm").count() == 1, "the file is still there"


def test_a_report_that_is_no_more_is_a_sentence(person):
    answer = person.page.request.get(person.address + "/report/none.html")
    assert answer.status == 404
    assert answer.text() == "This report is no longer in memory; run it again.\n"


def test_what_is_held_is_forgotten_in_time_and_the_oldest_first():
    held = Held(kept_seconds=0.0)
    assert held.get(held.put("rent", 1)) is None
    held = Held(most_bytes=10)
    first, second = held.put("a", 6), held.put("b", 6)
    assert (held.get(first), held.get(second)) == (None, "b")
    held.drop(second)
    assert held.get(second) is None


def test_a_job_tells_what_it_does_and_why_it_failed():
    import time

    def refuse(tell):
        raise RentmarkError("It can't be done.")

    def breaks(tell):
        raise ZeroDivisionError

    jobs = Jobs()
    named = [jobs.start(lambda tell: tell("half") or 7), jobs.start(refuse), jobs.start(breaks)]
    for _ in range(100):
        states = [jobs.find(name).state for name in named]
        if "waiting" not in states and "running" not in states:
            break
        time.sleep(0.05)
    done, refused, broken = (jobs.find(name) for name in named)
    assert (done.state, done.result) == ("done", 7)
    assert (refused.state, refused.sentence) == ("failed", "It can't be done.")
    assert broken.sentence.startswith("This view failed (id ")


@pytest.mark.parametrize(
    ("name", "bare"),
    [("../../etc/passwd", "passwd"), ("C:\\rent.csv", "rent.csv"), ("a\x00b.csv", "a?b.csv"), ("", "file")],
)
def test_a_name_is_only_a_name(name, bare):
    assert file_name(name) == bare
