"""Full cost: all spending over the output customers could use; breaches and retries stay in the spending."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.grades.operators import full_cost, micros, read_cost_file, read_requests_file
from rentmark.records import RentmarkError

HEAD = "[account]\nfrom = 2026-07-01\nto = 2026-07-10\n"
RENTED = "[[rented]]\ngpus = 10\nusd_per_gpu_hour = 2.50\n"
"""Ten GPUs for 240 hours: $6,000."""


def account(text: str, requests: str | None = None):
    served = None if requests is None else read_requests_file(requests.encode(), "requests.csv")
    return full_cost(read_cost_file((HEAD + text).encode(), "account.toml"), served)


def output(first: int = 1, last: int = 10, name: str = "output", **keys) -> str:
    lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
    return f'[[output]]\nname = "{name}"\nfrom = 2026-07-{first:02}\nto = 2026-07-{last:02}\n{lines}'


def test_all_spending_is_divided_by_the_output_that_counts():
    """6,000 + 400 + 100 over 10,000 · 0.8 · 0.5 = 4,000 tasks of 250 tokens."""
    text = RENTED + '[[spending]]\nkind = "storage"\nusd = 400\n[[spending]]\nkind = "staff"\nusd = 100.00\n'
    found = account(text + output(attempts=10_000, slo_met=0.8, correct=0.5, tokens_per_task=250))
    assert found.usd == 6500
    assert found.cash_usd == 6500
    assert (found.accepted_tasks, found.accepted_tokens) == (4000, 1_000_000)
    assert found.usd_per_successful_task == F(6500, 4000)
    assert found.usd_per_million_accepted_tokens == 6500
    assert found.notes == ()


def test_output_counted_net_of_downtime_is_not_charged_for_it_again():
    loss = RENTED + "goodput_loss = 0.2\n"
    net = account(loss + output(accepted_tasks=1000))
    assert net.usd == 6000
    assert "not divided by 1 − g" in net.notes[0]
    gross = account("output_net_of_downtime = false\n" + loss + output(accepted_tasks=1000))
    assert gross.usd == F(6000) / F(8, 10)
    assert gross.lines[0].note == "divided by 1 − g, g = 0.2000"


def test_a_failure_table_gives_the_loss():
    table = (
        "[rented.failures]\njob_gpus = 10\nmtbf_gpu_hours = 1000\ndetect_hours = 1\ncheckpoint_hours = 2\n"
        "restart_hours = 3\n"
    )
    found = account("output_net_of_downtime = false\n" + RENTED + table + output(accepted_tasks=1000))
    # (1 + 1 + 3)·10 = 50 of 1,000 GPU-hours
    assert found.usd == F(6000) / F(95, 100)
    hopeless = table.replace("1000", "10")
    with pytest.raises(RentmarkError, match=r"failures waste every hour \(g = 1\)"):
        account("output_net_of_downtime = false\n" + RENTED + hopeless + output(accepted_tasks=1000))


OWNED = (
    "[[owned]]\ngpus = 2\ncapex_usd_per_gpu = 8760\nlife_years = 1\nrate = 0\nkilowatts_per_gpu = 1\nusd_per_kwh = 0.10\n"
    "availability = 1\nutilisation = 0.5\n"
)


def test_an_owned_gpu_costs_its_share_of_the_year_idle_or_not():
    """$1 of capital and $0.10 of power an hour, two GPUs, 240 hours; the useful hour carries the idle one."""
    found = account(OWNED + output(accepted_tasks=528))
    assert found.usd == F(2 * 240) * F(11, 10)
    assert found.cash_usd == F(2 * 240) * F(1, 10)
    assert found.owned[0].gpu.usd_per_useful_hour == F(22, 10)
    assert found.usd_per_successful_task == 1


def test_a_breach_makes_its_windows_output_unacceptable_and_leaves_the_spending():
    breach = '[[breach]]\nfrom = 2026-07-07T03:00:00Z\nto = 2026-07-07T04:00:00Z\nwhat = "a tenant\'s logs were readable"\n'
    windows = output(1, 5, accepted_tasks=1000) + output(6, 10, accepted_tasks=9000)
    clean, broken = account(RENTED + windows), account(RENTED + windows + breach)
    assert clean.accepted_tasks == 10_000
    assert (broken.accepted_tasks, broken.usd) == (1000, clean.usd)
    assert [w.breached_by for w in broken.windows] == [None, "a tenant's logs were readable"]
    assert "not acceptable, a tenant's logs were readable. Its spending stays in." in broken.notes[0]
    nothing = account(RENTED + output(6, 10, accepted_tasks=9000) + breach)
    assert nothing.usd_per_successful_task is None
    assert nothing.tasks_reason == "nothing acceptable was produced: accepted tasks are 0"


def test_unknown_output_has_no_cost_and_says_why():
    assert account(RENTED).tasks_reason == "no output is stated"
    only_tokens = account(RENTED + output(accepted_tokens=5_000_000))
    assert (only_tokens.usd_per_successful_task, only_tokens.tasks_reason) == (
        None,
        "no window states its accepted tasks",
    )
    assert only_tokens.usd_per_million_accepted_tokens == 1200
    half = account(RENTED + output(1, 5, accepted_tasks=5) + output(6, 10, accepted_tokens=5))
    assert half.tasks_reason == "a window does not state its accepted tasks, so their sum is unknown"


def test_hours_without_stated_output_are_said():
    found = account(RENTED + output(1, 4, accepted_tasks=5))
    assert found.notes == ("No output is stated for 144.0 of 240.0 hours; their spending is in.",)
    side_by_side = account(RENTED + output(accepted_tasks=5) + output(2, 9, name="batch", accepted_tasks=5))
    assert side_by_side.notes == ()


REQUESTS = (
    "at,ttft_ms,tpot_ms,e2e_ms,correct,output_tokens\n"
    "2026-07-01T00:00:00Z,500,20,900,true,1000\n"
    "2026-07-02T00:00:00Z,2500,20,900,true,1000\n"
    "2026-07-03T00:00:00Z,500,20,900,false,1000\n"
    "2026-07-04T00:00:00Z,500,20,900,true,1000\n"
)


def test_requests_are_judged_by_all_bounds_the_gate_and_the_breaches():
    slo = '[slo]\nbounds = "mlperf-deepseek-r1-server"\n'
    breach = '[[breach]]\nfrom = 2026-07-04\nto = 2026-07-04\nwhat = "x"\n'
    found = account(RENTED + slo + breach, REQUESTS)
    assert found.goodput.share == 0.25
    assert (found.accepted_tasks, found.accepted_tokens) == (1, 1000)
    assert found.usd_per_successful_task == 6000


@pytest.mark.parametrize(
    ("text", "requests", "said"),
    [
        ("[slo]\nttft_ms = 1\n", None, "add --requests FILE"),
        ("", REQUESTS, "has no [slo]"),
        ("[slo]\nttft_ms = 1\n" + output(accepted_tasks=5), REQUESTS, "keep one, or it counts twice"),
        (
            "[slo]\nttft_ms = 1\n",
            REQUESTS.replace("07-04", "08-04"),
            "A request of 2026-08-04T00:00:00Z lies outside",
        ),
    ],
)
def test_requests_that_do_not_fit_are_one_sentence(text, requests, said):
    with pytest.raises(RentmarkError) as refused:
        account(RENTED + text, requests)
    assert said in refused.value.sentence


def upgrade(usd: int, day: int = 6) -> str:
    return f'[[upgrade]]\nname = "new stack"\non = 2026-07-{day:02}\nusd = {usd}\n'


def test_an_upgrade_is_worth_its_extra_output_at_the_cost_before_it():
    """Before: 1,200 tasks in 120 hours, 10 an hour, at $25 an hour: $2.50 each. After: 15 an hour for 120 hours,
    600 more, worth $1,500; the gain of $12.50 an hour pays $1,000 in 80 hours.
    """
    windows = output(1, 5, accepted_tasks=1200) + output(6, 10, accepted_tasks=1800)
    (cheap,) = account(RENTED + windows + upgrade(1000)).upgrades
    assert (cheap.unit, cheap.per_hour_before, cheap.per_hour_after, cheap.extra) == ("tasks", 10, 15, 600)
    assert (cheap.worth_usd, cheap.hours_to_pay, cheap.paid) == (1500, 80, True)
    (dear,) = account(RENTED + windows + upgrade(2000)).upgrades
    assert (dear.worth_usd, dear.hours_to_pay, dear.paid) == (1500, 160, False)
    assert account(RENTED + windows + upgrade(1000)).usd == 7000, "its own cost is in the spending"


def test_an_upgrade_that_brought_nothing_did_not_pay():
    windows = output(1, 5, accepted_tasks=1200) + output(6, 10, accepted_tasks=1100)
    (found,) = account(RENTED + windows + upgrade(100)).upgrades
    assert (found.paid, found.extra, found.hours_to_pay, found.reason) == (
        False,
        -100,
        None,
        "output did not rise",
    )


def test_two_upgrades_are_each_held_against_their_neighbours():
    windows = (
        output(1, 2, accepted_tasks=480)
        + output(3, 4, accepted_tasks=960)
        + output(5, 10, accepted_tasks=2880)
    )
    first, second = account(RENTED + windows + upgrade(10, 3) + upgrade(20, 5)).upgrades
    assert (first.per_hour_before, first.per_hour_after, first.hours_after) == (10, 20, 48)
    assert (second.per_hour_before, second.per_hour_after, second.paid) == (20, 20, False)


@pytest.mark.parametrize(
    ("windows", "said"),
    [
        ("", "the output windows do not all state tasks, nor all tokens"),
        (output(accepted_tasks=5), "window 'output' spans the change; part it there"),
        (output(6, 10, accepted_tasks=5), "no output window lies wholly before the change"),
        (output(1, 5, accepted_tasks=5), "no output window lies wholly after the change"),
        (
            output(1, 5, attempts=5, slo_met=0, correct=1) + output(6, 10, accepted_tasks=5),
            "nothing acceptable was produced before the change, so the extra output has no price",
        ),
    ],
)
def test_an_upgrade_that_can_not_be_judged_says_why(windows, said):
    (found,) = account(RENTED + windows + upgrade(100)).upgrades
    assert (found.paid, found.worth_usd, found.reason) == (None, None, said)


def test_the_token_form_stands_beside_the_account():
    token = (
        "[token]\nusd_per_gpu_hour = 2.60\noutput_tokens_per_second_per_gpu = 200\nutilisation = 0.5\nacceptance = 0.8\n"
        "goodput_loss = 0.1\noverhead_usd_per_million = 0.10\n"
    )
    found = account(RENTED + token)
    assert found.token_usd_per_million == F(26, 10) / F(2592, 10_000) + F(1, 10)
    assert micros(found.token_usd_per_million) == 10_130_864


AMOUNTS = st.integers(1, 400).map(lambda quarter: f"{quarter / 4:.2f}")


@settings(max_examples=60, deadline=None)
@given(st.lists(AMOUNTS, min_size=1, max_size=5), st.integers(1, 10_000), st.integers(2, 5))
def test_spending_adds_up_and_more_output_never_costs_more_a_piece(amounts, tasks, factor):
    text = RENTED + "".join(f'[[spending]]\nkind = "other"\nusd = {usd}\n' for usd in amounts)
    found = account(text + output(accepted_tasks=tasks))
    assert found.usd == 6000 + sum(F(usd) for usd in amounts)
    more = account(text + output(accepted_tasks=tasks * factor))
    assert more.usd_per_successful_task * factor == found.usd_per_successful_task
