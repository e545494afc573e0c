"""Invented ratings, offers, serving rows, an account and producers, and the commands that read them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

RATINGS = """version,published,provider,tier,completeness,source_url,sellers
2.0,2025-11-06,Amber,Gold,8 of 8 (invented),https://invented.example,
2.0,2025-11-06,Basalt,Gold,8 of 8 (invented),https://invented.example,
2.0,2025-11-06,Cinder,Gold,8 of 8 (invented),https://invented.example,
2.0,2025-11-06,Dune Cloud,Silver,8 of 8 (invented),https://invented.example,dune;dune-eu
2.0,2025-11-06,Ember,Silver,8 of 8 (invented),https://invented.example,
2.0,2025-11-06,Flint,Silver,8 of 8 (invented),https://invented.example,
2.0,2025-11-06,Garnet,Bronze,8 of 8 (invented),https://invented.example,
2.0,2025-11-06,Halite,Unavailable,8 of 8 (invented),https://invented.example,
2.0,2025-11-06,Iolite,Underperforming,8 of 8 (invented),https://invented.example,
3.0,2026-09-23,Amber,Bronze,,,
3.0,2026-09-23,Halite,Platinum,,,
"""
PRICES = {
    "amber": "3.00", "basalt": "3.30", "cinder": "3.60",
    "dune": "2.00", "ember": "2.20", "flint": "2.40",
    "garnet": "1.50", "halite": "1.80",
}  # fmt: skip
SERVING = (
    "# Invented rows in the layout of a serving benchmark\n"
    "hardware,framework,model,precision,spec_method,disagg,isl,osl,conc,num_prefill_gpu,num_decode_gpu,date,"
    "tput_per_gpu,output_tput_per_gpu,input_tput_per_gpu,median_intvty,p99_intvty,median_tpot,median_ttft\n"
    "h100,engine,invented,fp4,none,False,8192,1024,64,8,8,2026-05-18,4000,500,3500,20,15,0.05,0.9\n"
    "h100,engine,invented,fp4,none,False,8192,1024,16,8,8,2026-05-18,2000,250,1750,50,40,0.02,0.5\n"
    "h100,engine,invented,fp4,none,False,8192,1024,8,8,8,2026-05-19,1000,125,875,100,80,0.01,0.4\n"
    "h100,engine,invented,fp4,none,False,8192,1024,4,8,8,2026-05-19,400,50,350,150,120,,0.3\n"
    "h100,rival,invented,fp4,mtp,True,8192,1024,64,4,12,2026-02-06,5000,800,,30,,0.0333333,0.8\n"
    "h100,rival,invented,fp4,mtp,True,8192,1024,,4,12,2026-05-19,1200,200,,120,,0.0083333,0.3\n"
    "h100,slow,invented,fp4,none,False,8192,1024,64,8,8,2026-05-19,3000,300,2700,10,9,0.1,0.9\n"
    "h100,slow,invented,fp4,none,False,8192,1024,32,8,8,2026-05-19,2500,250,2250,15,12,0.0666667,0.9\n"
    "h100,lone,invented,fp4,none,False,8192,1024,64,8,8,2026-05-19,3000,300,2700,10,9,0.1,0.9\n"
    "h100,fast,invented,fp4,none,False,8192,1024,64,8,8,2026-05-19,3000,300,2700,200,150,0.005,0.1\n"
    "h100,fast,invented,fp4,none,False,8192,1024,32,8,8,2026-05-19,2000,200,1800,300,250,0.0033333,0.1\n"
    "h100,engine,invented,fp4,none,False,8192,1024,2,8,8,2026-05-19,400,0,350,160,120,0.00625,0.3\n"
)
ACCOUNT = """
[account]
name = "invented chat service"
from = 2026-07-01
to = 2026-07-10
output_net_of_downtime = false

[[rented]]
name = "invented cloud"
gpus = 10
usd_per_gpu_hour = 2.50
goodput_loss = 0.05

[[owned]]
name = "hall A"
gpus = 2
capex_usd_per_gpu = 30000
life_years = 5
rate = 0.10
kilowatts_per_gpu = 1.2
pue = 1.3
load = 0.8
usd_per_kwh = 0.08
utilisation = 0.7

[[spending]]
kind = "staff"
usd = 900.00

[[output]]
name = "before"
from = 2026-07-01
to = 2026-07-04
attempts = 10000
slo_met = 0.9
correct = 0.8
tokens_per_task = 500

[[output]]
name = "after"
from = 2026-07-05
to = 2026-07-08
attempts = 20000
slo_met = 0.9
correct = 0.8
tokens_per_task = 500

[[upgrade]]
name = "new serving stack"
on = 2026-07-05
usd = 2000.00

[[upgrade]]
name = "another model"
on = 2026-07-10
usd = 100.00

[token]
usd_per_gpu_hour = 2.60
output_tokens_per_second_per_gpu = 200
utilisation = 0.5
acceptance = 0.9
"""
BREACHED = """
[account]
from = 2026-07-01
to = 2026-07-10

[[rented]]
gpus = 10
usd_per_gpu_hour = 2.50

[[output]]
from = 2026-07-01
to = 2026-07-10
accepted_tasks = 1000

[[breach]]
from = 2026-07-02T00:00:00Z
to = 2026-07-02T01:00:00Z
what = "another tenant's logs were readable"
"""
JUDGED = """
[account]
from = 2026-07-01
to = 2026-07-10

[[spending]]
kind = "other"
usd = 0

[slo]
bounds = "mlperf-deepseek-r1-server"
"""
REQUESTS = (
    "at,ttft_ms,tpot_ms,e2e_ms,correct,output_tokens\n"
    "2026-07-01T00:00:00Z,500,20,900,true,1000\n"
    "2026-07-02T00:00:00Z,2500,20,900,true,1000\n"
)
PRODUCERS = """date,producer,capacity,full_cost,cash_cost
2026-01-01,amber,10,10,5
2026-01-01,basalt,10,12,6
2026-07-01,amber,10,8,5
2026-07-01,basalt,10,6,4
2026-07-01,cinder,5,9,
"""
ALONE = "date,producer,capacity,full_cost\n2026-07-01,amber,10,8\n"
RULES = """
[grades.clusters]
chip = "H100"
form_factor = ["SXM"]
memory_gb = [80]

[benchmarks.clusters]
grade = "clusters"
methodology = "list-median"
"""


def offers() -> str:
    """Three days of offers of managed clusters; a seller of bare metal that no rating speaks of; one unrated."""
    header = "observed_at,seller,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,pricing,service"
    rows = [
        f"2026-07-0{day}T06:00:00Z,{seller},H100,SXM,80,8,{price},on_demand,managed_cluster"
        for day in (1, 2, 3)
        for seller, price in PRICES.items()
    ]
    rows.append("2026-07-04T06:00:00Z,iolite,H100,SXM,80,8,1.00,on_demand,managed_cluster")
    rows += [
        f"2026-07-01T06:00:00Z,jasper,H100,SXM,80,8,2.50,on_demand,{s}" for s in ("bare_metal", "unstated")
    ]
    return "\n".join([header, *rows]) + "\n"


def write_files(folder: Path) -> None:
    """All of them under plain names."""
    texts = {
        "ratings.csv": RATINGS,
        "clusters.csv": offers(),
        "serving.csv": SERVING,
        "account.toml": ACCOUNT,
        "breached.toml": BREACHED,
        "judged.toml": JUDGED,
        "requests.csv": REQUESTS,
        "producers.csv": PRODUCERS,
        "alone.csv": ALONE,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def operator_answers(base: Path, ask: Callable[..., Any]) -> dict[str, list[Any]]:
    """What the commands about operators, output and cost print, by the heading that documents them."""
    folder = base / "w"
    ask("init", folder)
    with (folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(RULES)
    write_files(base)
    told: dict[str, list[Any]] = {}

    def here(heading: str, *words: str | Path) -> None:
        told.setdefault(heading, []).append(ask(*words, "--workspace", folder))

    ask("ingest", "tabular", base / "clusters.csv", "--workspace", folder)
    here("operators import", "operators", "import", base / "ratings.csv")
    here("operators import", "operators", "import", base / "ratings.csv")
    (base / "again.csv").write_text(RATINGS.replace("Garnet,Bronze", "Garnet,Silver"), encoding="utf-8")
    here("operators import", "operators", "import", base / "again.csv", "--correct", "misread")
    here("operators list", "operators", "list")
    here("operators list", "operators", "list", "--as-of", "2025-12-01", "--reconstructed")
    here("operators list", "operators", "list", "--tier", "gold")
    here("operators history", "operators", "history", "garnet")
    here("operators premium", "operators", "premium", "clusters")
    here("operators premium", "operators", "premium", "clusters", "--include-unstated", "--reference", "gold")
    ask("index", "build", "clusters", "--publish", "--workspace", folder)
    serving = ("output", base / "serving.csv", "--target")
    here("output", *serving, "60")
    here("output", *serving, "60", "--rent", "2.60", "--compare", "rival/mtp", "--compare", "engine/none")
    here(
        "output",
        *serving,
        "60",
        "--framework",
        "engine",
        "--rent",
        "2.00..3.00",
        "--from",
        "2026-05-01",
        "--to",
        "2026-05-31",
    )
    here("output", *serving, "60", "--compare", "rival/mtp", "--compare", "engine/none", "--max-ttft", "1")
    here(
        "output",
        *serving,
        "60",
        "--framework",
        "engine",
        "--min-p99",
        "1",
        "--benchmark",
        "clusters",
        "--date",
        "2026-07-02",
    )
    here("cost account", "cost", base / "account.toml")
    here("cost account", "cost", base / "breached.toml")
    here("cost account", "cost", base / "judged.toml", "--requests", base / "requests.csv")
    here("cost curve", "cost", "curve", base / "producers.csv", "--price", "7")
    here("cost curve", "cost", "curve", base / "alone.csv")
    return told
