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
# more keys: skus, term_months, countries, regions, exclude_regions, services, sellers,
#            exclude_sellers, min_gpus, max_gpus, price_basis

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
estimator = "median"                   # median, volume_weighted_median
min_sellers = 3                        # hard gate: fewer distinct sellers print no value
# more keys: weights, min_votes, min_observations, min_venues, min_gpu_hours, thin_sellers,
#            thin_observations, include_carried, suspect, calendar, cutoff, lookback_hours,
#            staleness_hours, fallback, carry_days, decimals, publication_lag_hours,
#            publication_grace_hours, finality_hours

# --- Benchmarks: a grade priced by a methodology. research = true is never published. ------------

[benchmarks.h100-list]
grade = "h100-80gb-mixed"
methodology = "list-median"

[benchmarks.h100-sxm-list]
grade = "h100-sxm"
methodology = "list-median"

# --- Mappings: your own column names, zone, unit, rights: `rentmark ingest tabular F --mapping mine`

# [mappings.mine]
# time_zone = "UTC"
# [mappings.mine.columns]
# observed_at = "timestamp"
# price_per_gpu_hour = "usd"
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
