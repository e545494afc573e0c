"""A fixing's story in the terminal."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .output import print_line, print_table
from .working import print_working

MOST_PAYLOADS = 8
"""Payloads that are written out; the JSON holds all of them."""
MOST_FIXINGS = 7
"""Earlier fixings that are written out, the latest; the JSON holds all of them."""


def print_explanation(row: dict[str, Any], *, everything: bool) -> None:
    """Print value, gates, votes with the middle marked, the funnel and who moves it."""
    fixing = row["fixing"]
    value = f"${fixing['value']}" if fixing["value"] else "—"
    marks = [
        m for m, on in (("SIMULATED", fixing["simulated"]), ("RECONSTRUCTED", fixing["reconstructed"])) if on
    ]
    marks += ["BACKCAST"] if fixing["origin"] == "backcast" else []
    marks += ["CANDIDATE"] if fixing["state"] == "candidate" else []
    print_line(
        f"{row['benchmark']} {fixing['date']}: {value} {fixing['status']}"
        + (f" {fixing['rule']}" if fixing["rule"] else "")
        + (f"  [{' · '.join(marks)}]" if marks else "")
    )
    window = row["window"]
    print_line(f"window {window['start']} to {window['end']}, as of {window['as_of']}")
    for gate in row["gates"]:
        sign = "✓" if gate["met"] else "✗"
        found, needed = (v if isinstance(v, int) else f"{v:.6f}" for v in (gate["found"], gate["needed"]))
        ask = f"{needed} at most" if gate["at_most"] else f"{needed} needed"
        tier = f"{gate['tier']}: " if len(row["tiers"]) > 1 else ""
        print_line(f"  {sign} {tier}{gate['rule']} {found} of {ask}{_short(gate)}")
    if row["refusal"] is not None:
        print_line(f"  No value of its own: {row['refusal']['how_far'] or row['refusal']['sentence']}.")
        if row["refusal"]["nearest_date"] is not None:
            print_line(f"  Nearest with one: {row['refusal']['nearest_date']}.")
    _print_votes(row)
    print_working(row)
    _print_state(row["read"])
    _print_records(row)
    print_line("From observations to votes:")
    reasons = {o["rule"]: o["reason"] for o in row["observations"] if o["rule"]}
    for code, count in row["funnel"].items():
        print_line(f"  {count:>6}  {'entered the panel' if code == 'in' else f'{reasons[code]} ({code})'}")
    _print_restated_and_rated(row["observations"])
    _print_reconciled(row["reconciled"])
    if everything:
        print_table(
            ["seller", "name", "form", "GB", "pricing", "$/GPU-h", "observed at", "in", "why not"],
            [
                [
                    o["seller"],
                    o["name_as_written"],
                    o["form_factor"],
                    o["memory_gb"],
                    o["pricing"],
                    o["price"],
                    o["observed_at"],
                    "in" if o["in"] else "out",
                    o["reason"],
                ]
                for o in row["observations"]
            ],
        )
    print_line(
        f"methodology {fixing['methodology']} {fixing['methodology_version']} {fixing['methodology_hash'][:12]} · "
        f"inputs {fixing['input_digest'][:12]} · revision {fixing['revision']}"
    )


def _short(gate: dict[str, Any]) -> str:
    """How far an unmet gate was."""
    away = gate["short_by"]
    if gate["met"]:
        return ""
    return (
        f": {away if isinstance(away, int) else f'{away:.6f}'} {'too much' if gate['at_most'] else 'short'}"
    )


def _print_records(row: dict[str, Any]) -> None:
    """From raw records to observations of the window, payload by payload."""
    if not row["payloads"]:
        return
    print_line("From records to observations of the window:")
    for p in row["payloads"][:MOST_PAYLOADS]:
        print_line(
            f"  {p['origin_name']}: {p['records']:,} records − {p['rejected']:,} rejected − {p['duplicates']:,} "
            f"duplicates = {p['accepted']:,}; {p['in_window']:,} in the window"
        )
    if len(row["payloads"]) > MOST_PAYLOADS:
        print_line(f"  … and {len(row['payloads']) - MOST_PAYLOADS:,} more payloads; --json lists all.")


def _print_state(read: dict[str, Any] | None) -> None:
    """What rules that look back read of earlier fixings."""
    if read is None:
        return
    print_line("Read of earlier fixings:")
    for rule in read["rules"]:
        print_line(f"  {rule['rule']}: {rule['sentence']}")
    for fixing in read["fixings"][-MOST_FIXINGS:]:
        value = fixing["value"] or "—"
        print_line(f"    {fixing['date']} {fixing['status']} {value}, {fixing['n_votes']:,} votes remembered")


def _print_reconciled(lines: list[dict[str, Any]]) -> None:
    """One line where everything agrees, else each figure that does not."""
    apart = [line for line in lines if not line["agrees"]]
    value = next((line for line in lines if line["what"] == "value"), None)
    for line in apart:
        print_line(
            f"  ✗ {line['what']}: worked {line['worked']}, printed {line['printed']} ({line['sentence']})"
        )
    if not apart:
        worked = "" if value is None else f"; value {value['worked']}: {value['sentence']}"
        print_line(f"Reconciled: all {len(lines)} figures are what their working comes to{worked}.")


def _print_restated_and_rated(observations: list[dict[str, Any]]) -> None:
    """Near-misses restated by the adjustment schedule, one by one, and what the grade's rating key did."""
    for observed in observations:
        adjustment = observed["adjustment"]
        if adjustment is not None:
            became = adjustment["adjusted_price"] or f"left out ({observed['rule']})"
            print_line(
                f"  restated: {observed['seller']} {observed['price']} × {adjustment['factor']:g} = {became} "
                f"({'; '.join(adjustment['steps'])})"
            )
    rated = Counter((o["seller"], o["rating"]) for o in observations if o["rating"] is not None)
    for (seller, rating), count in sorted(rated.items()):
        print_line(f"  rating: {seller}, {count:,} observations: {rating}")


def _print_votes(row: dict[str, Any]) -> None:
    votes = row["votes"]
    if not votes:
        print_line("No votes.")
        return
    without = {w["seller"]: w["value"] or f"no value ({w['reason']})" for w in row["without_seller"]}
    middle = _middle(row["steps"], votes)
    print_table(
        ["seller", "$/GPU-h", "share", "obs.", "without it", ""],
        [
            [
                v["seller"],
                v["value"],
                None if v["share"] is None else f"{100 * v['share']:.2f} %",
                v["n_observations"],
                without[v["seller"]],
                "◂ middle" if i in middle else "",
            ]
            for i, v in enumerate(votes)
        ],
    )


def _middle(steps: list[dict[str, Any]], votes: list[dict[str, Any]]) -> set[int]:
    """The places of the votes that a median was taken from; empty where the value is made another way."""
    made = [step for step in steps if step["operation"] != "round"]
    if len(made) != 1:
        return set()
    if made[0]["operation"] == "middle":
        return {(len(votes) - 1) // 2, len(votes) // 2}
    if made[0]["operation"] == "quantile":
        return {place for place, vote in enumerate(votes) if vote["value"] == made[0]["result"]}
    return set()
