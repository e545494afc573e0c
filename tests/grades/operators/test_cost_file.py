"""An account is read from TOML or CSV, and a mistake is one sentence that names the line, the key and the value."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.grades.operators import read_cost_file
from rentmark.records import RentmarkError, UsageError

ACCOUNT = "[account]\nfrom = 2026-07-01\nto = 2026-07-31\n"
RENTED = "[[rented]]\ngpus = 8\nusd_per_gpu_hour = 2.60\n"
OUTPUT = "[[output]]\nfrom = 2026-07-01\nto = 2026-07-31\naccepted_tasks = 1000\n"


def read(text: str, name: str = "account.toml"):
    return read_cost_file(text.encode(), name)


def test_dates_are_whole_days_and_numbers_stay_exact():
    file = read(ACCOUNT + RENTED + OUTPUT)
    assert file.account.start == datetime(2026, 7, 1, tzinfo=UTC)
    assert file.account.end == datetime(2026, 8, 1, tzinfo=UTC)
    assert file.account.hours == 744
    assert file.rented[0].usd_per_gpu_hour == Decimal("2.60")
    half = read(ACCOUNT.replace("2026-07-31", "2026-07-01T12:30:00+02:00") + RENTED)
    assert half.account.hours == Decimal("10.5")


def test_a_table_and_a_csv_say_the_same():
    """Every table of the layout, once in each form."""
    toml = (
        ACCOUNT
        + 'name = "invented"\noutput_net_of_downtime = false\n'
        + RENTED
        + "[rented.failures]\njob_gpus = 8\nmtbf_gpu_hours = 5000\ndetect_hours = 0.1\ncheckpoint_hours = 1\n"
        + 'restart_hours = 0.2\nrule = "larger"\n'
        + "[[owned]]\ngpus = 4\ncapex_usd_per_gpu = 30000\nlife_years = 5\nrate = 0.1\n"
        + '[[spending]]\nkind = "storage"\nusd = 120.50\n'
        + OUTPUT
        + '[[breach]]\nfrom = 2026-07-02T00:00:00Z\nto = 2026-07-02T01:00:00Z\nwhat = "logs were readable"\n'
        + '[[upgrade]]\nname = "new stack"\non = 2026-07-10\nusd = 500\n'
        + "[slo]\nttft_ms = 2000\n"
        + "[token]\nusd_per_gpu_hour = 2.60\noutput_tokens_per_second_per_gpu = 200\nutilisation = 0.5\nacceptance = 0.9\n"
    )
    header = (
        "line,name,from,to,output_net_of_downtime,gpus,usd_per_gpu_hour,failures.job_gpus,failures.mtbf_gpu_hours,"
        "failures.detect_hours,failures.checkpoint_hours,failures.restart_hours,failures.rule,capex_usd_per_gpu,"
        "life_years,rate,kind,usd,accepted_tasks,what,on,ttft_ms,output_tokens_per_second_per_gpu,utilisation,acceptance"
    )
    columns = header.split(",")

    def line(table: str, **cells: str) -> str:
        named = {key.replace("__", "."): value for key, value in cells.items()} | {"line": table}
        named = {"from" if key == "start" else key: value for key, value in named.items()}
        return ",".join(named.get(column, "") for column in columns)

    month = {"start": "2026-07-01", "to": "2026-07-31"}
    lines = [
        header,
        line("account", name="invented", output_net_of_downtime="false", **month),
        line(
            "rented",
            gpus="8",
            usd_per_gpu_hour="2.60",
            failures__job_gpus="8",
            failures__mtbf_gpu_hours="5000",
            failures__detect_hours="0.1",
            failures__checkpoint_hours="1",
            failures__restart_hours="0.2",
            failures__rule="larger",
        ),
        line("owned", gpus="4", capex_usd_per_gpu="30000", life_years="5", rate="0.1"),
        line("spending", kind="storage", usd="120.50"),
        line("output", accepted_tasks="1000", **month),
        line("breach", start="2026-07-02T00:00:00Z", to="2026-07-02T01:00:00Z", what="logs were readable"),
        line("upgrade", name="new stack", on="2026-07-10", usd="500"),
        line("slo", ttft_ms="2000"),
        line(
            "token",
            usd_per_gpu_hour="2.60",
            output_tokens_per_second_per_gpu="200",
            utilisation="0.5",
            acceptance="0.9",
        ),
        "," * (len(columns) - 1),
    ]
    assert read("\n".join(lines), "account.csv") == read(toml)


BAD = {
    "a negative cost": (
        ACCOUNT + '[[spending]]\nkind = "staff"\nusd = -5.00\n',
        "account.toml [[spending]] 1 has usd = '-5.00': input should be greater than or equal to 0.",
    ),
    "no rent": (ACCOUNT + RENTED.replace("2.60", "0"), "[[rented]] 1 has usd_per_gpu_hour = 0"),
    "no attempts": (
        ACCOUNT + RENTED + OUTPUT.replace("accepted_tasks = 1000", "attempts = 0\nslo_met = 1\ncorrect = 1"),
        "[[output]] 1 has attempts = 0: input should be greater than 0.",
    ),
    "output of nothing": (
        ACCOUNT + RENTED + OUTPUT.replace("1000", "0"),
        "[[output]] 1 has accepted_tasks = 0: input should be greater than 0.",
    ),
    "a share above one": (
        ACCOUNT
        + RENTED
        + OUTPUT.replace("accepted_tasks = 1000", "attempts = 5\nslo_met = 1.1\ncorrect = 1"),
        "slo_met = '1.1'",
    ),
    "not a number": (ACCOUNT + RENTED.replace("2.60", "nan"), "usd_per_gpu_hour = 'nan'"),
    "a number beyond measure": (
        ACCOUNT + RENTED.replace("2.60", "1e999999"),
        "usd_per_gpu_hour = '1e999999'",
    ),
    "an unknown key": (
        ACCOUNT + RENTED + "gpu = 8\n",
        "[[rented]] 1 has an unknown key gpu; did you mean gpus?",
    ),
    "a missing key": (
        ACCOUNT + "[[rented]]\ngpus = 8\n",
        "[[rented]] 1 lacks the key usd_per_gpu_hour; add it.",
    ),
    "an unknown table": (
        ACCOUNT + "[[rent]]\ngpus = 8\n",
        "has an unknown table rent; known: account, slo, token",
    ),
    "no account": (RENTED, "has no [account] with from and to"),
    "no spending": (ACCOUNT + OUTPUT, "states no spending"),
    "an end before its beginning": (
        ACCOUNT.replace("2026-07-31", "2026-06-30") + RENTED,
        "account.toml [account]: it ends before it begins; turn from and to around.",
    ),
    "a time without a zone": (
        ACCOUNT.replace("2026-07-31", "2026-07-31T00:00:00") + RENTED,
        "the time has no zone",
    ),
    "no time": (ACCOUNT.replace("2026-07-31", '"July"') + RENTED, "to = 'July': it must be a date"),
    "output outside the period": (
        ACCOUNT + RENTED + OUTPUT.replace("2026-07-31", "2026-08-01"),
        "[[output]] 1 reaches outside",
    ),
    "the same output twice": (
        ACCOUNT + RENTED + OUTPUT + OUTPUT,
        "[[output]] 2 and 1 overlap in time and are both called 'output'",
    ),
    "a breach outside the period": (
        ACCOUNT + RENTED + '[[breach]]\nfrom = 2026-08-02\nto = 2026-08-03\nwhat = "x"\n',
        "[[breach]] 1 lies outside",
    ),
    "an upgrade outside the period": (
        ACCOUNT + RENTED + '[[upgrade]]\nname = "x"\non = 2026-08-01\nusd = 1\n',
        "[[upgrade]] 1 is dated outside",
    ),
    "output that says nothing": (
        ACCOUNT + RENTED + OUTPUT.replace("accepted_tasks = 1000", "tokens_per_task = 5"),
        "it states no output",
    ),
    "half the shares": (
        ACCOUNT + RENTED + OUTPUT.replace("accepted_tasks = 1000", "attempts = 5\nslo_met = 1"),
        "shares need all of",
    ),
    "shares and counts": (
        ACCOUNT + RENTED + OUTPUT + "attempts = 5000\nslo_met = 1\ncorrect = 1\n",
        "accepted_tasks and shares of attempts",
    ),
    "more accepted than tried": (
        ACCOUNT + RENTED + OUTPUT + "attempts = 999\n",
        "accepted_tasks = 1000 is above attempts = 999",
    ),
    "tokens twice": (
        ACCOUNT + RENTED + OUTPUT + "accepted_tokens = 5\ntokens_per_task = 5\n",
        "accepted_tokens and tokens_per_task",
    ),
    "one loss twice": (
        ACCOUNT
        + RENTED
        + "goodput_loss = 0.1\n[rented.failures]\njob_gpus = 8\nmtbf_gpu_hours = 5\ndetect_hours = 0\n"
        "checkpoint_hours = 0\nrestart_hours = 0\n",
        "which are one thing twice",
    ),
    "salvage above the price": (
        ACCOUNT
        + "[[owned]]\ngpus = 1\ncapex_usd_per_gpu = 5\nsalvage_usd_per_gpu = 6\nlife_years = 1\nrate = 0\n",
        "salvage_usd_per_gpu is above capex_usd_per_gpu",
    ),
    "bounds nobody knows": (
        ACCOUNT + RENTED + '[slo]\nbounds = "mlperf"\n',
        "there are no bounds 'mlperf'; known: mlperf-deepseek",
    ),
    "bounds and none": (ACCOUNT + RENTED + "[slo]\n", "give bounds by name, or one or more of"),
    "a table that is a word": ("account = 1\n", "has account = 1; write a table [account]."),
    "lines that are a word": (ACCOUNT + "", "states no spending"),
    "no TOML": ("[account", "can't be read as TOML"),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_a_mistake_is_one_sentence(text, said):
    with pytest.raises(RentmarkError) as refused:
        read(text)
    assert said in refused.value.sentence
    assert refused.value.sentence.startswith("account.toml")
    assert "\n" not in refused.value.sentence
    assert "Decimal(" not in refused.value.sentence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("from,to\n", "has no column line"),
        ("line,from,to\naccount,2026-07-01\n", "account.csv line 2 does not have 3 cells"),
        (
            "line,from,to\naccount,2026-07-01,2026-07-02\naccount,2026-07-01,2026-07-02\n",
            "line 3: a second account row",
        ),
        ("line,from,to\nsurprise,2026-07-01,2026-07-02\n", "line 2: line is 'surprise'; known: account"),
        ('line,from,to\n"account', "can't be read as CSV"),
    ],
)
def test_a_csv_that_is_none_is_one_sentence(text, said):
    with pytest.raises(UsageError) as refused:
        read(text, "account.csv")
    assert said in refused.value.sentence


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)),
    st.sampled_from(["toml", "csv"]),
)
def test_any_bytes_are_an_account_or_one_sentence(payload, kind):
    for whole in (payload, (ACCOUNT + RENTED).encode() + payload):
        try:
            assert read_cost_file(whole, f"account.{kind}").account
        except RentmarkError as refused:
            assert refused.sentence.startswith("account.")  # noqa: PT017
