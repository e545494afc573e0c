"""The rentmark.toml that `init` and `demo` write, commented for the person who edits it."""

from __future__ import annotations

STARTER = """\
# Rentmark workspace. Rules are data: every key has one meaning (see docs), and the hash of the
# resolved rules stands on every published value. Unknown keys are refused.

# --- Grades: what is the same good and may be averaged. An omitted key filters nothing. ----------

[grades.h100-80gb-mixed]
# sources = ["my-collector"]           # admit only these sources (the `source` column of your files)
chip = "H100"
form_factor = ["SXM", "unstated"]      # "unstated" admits rows that do not say
memory_gb = [80]
pricing = "on_demand"                  # on_demand, spot, reserved, community or serverless
# more keys: interconnect, skus, term_months, countries, regions, exclude_regions, services, tenancy,
#            sellers, exclude_sellers, min_gpus, max_gpus, minimum_gpus_at_least, minimum_gpus_at_most,
#            price_basis, rating = { scheme = "clustermax", at_least = "silver" } (see docs/grades.md)
# `rentmark grade list` shows the shipped grades, which a benchmark names without a table of its own

[grades.h100-sxm]                      # the strict grade: form factor must be stated
chip = "H100"
form_factor = ["SXM"]
memory_gb = [80]
pricing = "on_demand"

# --- Methodologies: how votes become a value, and when none is printed. --------------------------

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]                    # order of preference: trade, executable, listed
vote = ["seller"]                      # one vote per seller; or ["seller", "region"], ["observation"]
seller_statistic = "median"
estimator = "median"                   # thirteen of them: see docs/estimators.md
min_sellers = 3                        # hard gate: fewer distinct sellers print no value
# more keys: hierarchy, blend, tail, partitions, spread_floor, splice, memory_days, weights, tier_weights,
#            capacity_steps, recency, cap, cap_venue, cap_aggregator, max_trade_share, weight_floor, screen,
#            min_votes, min_observations, min_venues, min_gpu_hours, max_aggregator_share, max_dispersion,
#            dispersion_days, reopen, thin_sellers, thin_observations, include_carried, suspect, calendar,
#            weekday, cutoff, lookback_hours, staleness_hours, snapshots, matched_days, fallback, carry_days,
#            decimals, publication_lag_hours, publication_grace_hours, finality_hours, adjustments,
#            holidays, publication_time, outage_sources, outage_carry_days, hold_move, hold_days,
#            republication_window_days, republication_threshold, cessation_notice_days
# [[methodologies.list-median.versions]] states what changes, and from which date on (docs/governance.md)
# preset = "computepulse" starts from a public methodology: `rentmark index presets`, docs/presets.md

# --- Benchmarks: a grade priced by a methodology. research = true is never published. ------------

[benchmarks.h100-list]
grade = "h100-80gb-mixed"
methodology = "list-median"

[benchmarks.h100-sxm-list]
grade = "h100-sxm"
methodology = "list-median"

# --- Contracts: your own beside the shipped ones (`rentmark contracts`); docs/contracts.md has every key.

# [contracts.mine]
# averaging = "business_days"          # every_day, business_days, day_weighted; averaging_last = 7

# --- Watch: thresholds of `rentmark watch`; docs/watch.md has every key and its default. -------------

# [watch]
# jump = 0.10                          # a value that moved by 10 % fires

# --- Mappings: your own column names, zone, unit, rights: `rentmark ingest tabular F --mapping mine`

# [mappings.mine]
# time_zone = "UTC"
# [mappings.mine.columns]
# observed_at = "timestamp"
# price_per_gpu_hour = "usd"

# --- Parameters: what another feed's payload leaves to you: `rentmark ingest skypilot F --mapping amber`

# [mappings.amber]
# feed = "skypilot"                    # docs/feeds.md names the parameters of each feed
# provider = "amber"
# observed_at = 2026-08-14T06:00:00Z

# --- Sources that `rentmark collect` fetches (docs/collecting.md has every key)

# [collect.amber]
# feed = "gpurentalprices"
# url = "https://prices.example/latest.json"
# headers = { Authorization = "Bearer ${AMBER_API_KEY}" }   # secrets come from the environment alone
# interval_hours = 6                   # more keys: method, body, mapping, provider,
#                                      # seconds_between_requests, timeout_seconds, size_limit_mb

# --- Accounts: what a trading account pays, must keep, and is warned of (docs/account.md has every key)

# [accounts.desk]
# membership = "non_member"            # more keys: benchmarks, ceased, fees, cash_available_micros, excess,
#                                      # margin, interest, fills, close_out, warnings
# [accounts.desk.benchmarks]
# cme-gpu1 = "h100-list"
"""

DEMO = """\
# A SIMULATED workspace, made by `rentmark demo`: its clock, sellers, offers, trades and fixings are
# simulated and say so. It refuses any source that is not simulated.
clock = "simulated"

[grades.h100-80gb-mixed]
chip = "H100"
form_factor = ["SXM", "unstated"]
memory_gb = [80]
pricing = "on_demand"

[grades.h100-sxm]
chip = "H100"
form_factor = ["SXM"]
memory_gb = [80]
pricing = "on_demand"

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
vote = ["seller"]
seller_statistic = "median"
estimator = "median"
min_sellers = 3
thin_sellers = 5

[methodologies.traded-median]
version = "1.0.0"
inputs = ["trade", "listed"]           # trades first; list prices where trades are too few
vote = ["observation"]                 # each trade is one vote, weighed by its GPU-hours
weights = "volume"
estimator = "volume_weighted_median"
min_sellers = 3
min_gpu_hours = 200

[benchmarks.h100-list]
grade = "h100-80gb-mixed"
methodology = "list-median"

[benchmarks.h100-traded]
grade = "h100-sxm"
methodology = "traded-median"
"""
