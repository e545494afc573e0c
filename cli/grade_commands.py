"""Commands about grades: grade NAME, grade explain, grade list, grade calibrate."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .options import HERE, AsOfOption, JsonOption, ReconstructedOption, WorkspaceOption, open_workspace
from .output import print_error, print_json, print_line, print_table

READ = "name"
"""The command that `rentmark grade "H100 SXM"` stands for."""


class NameOrCommand(TyperGroup):
    """A group whose first word may be a GPU name: `rentmark grade "H100 SXM"` reads it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put READ before words that begin with no command."""
        first = next((word for word in args if not word.startswith("-")), None)
        if first is not None and first not in self.commands:
            args = [READ, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=NameOrCommand,
    no_args_is_help=True,
    subcommand_metavar="NAME | COMMAND [ARGS]...",
    help='Read a GPU name ("H100 SXM5 80GB"); list, explain and calibrate grades.',
)


@app.command(READ)
def read_name(
    name: Annotated[str, typer.Argument(help="A GPU name as written by a seller.")],
    as_json: JsonOption = False,
) -> None:
    """Show how a GPU name is read; what a name does not say stays unknown. The word `name` may be left out."""
    from ..workspace import reading_row

    row = reading_row(name)
    if row["refusal"] is not None:
        if as_json:
            print_json(row)
        else:
            print_error(row["reason"])
        raise typer.Exit(1)
    if as_json:
        print_json(row)
        return
    for key in ("chip", "form_factor", "memory_gb", "gpu_count", "interconnect"):
        value = row[key]
        print_line(f"{key.replace('_', ' '):14} {'— (the name does not say)' if value is None else value}")


@app.command("list")
def list_grades(
    chip: Annotated[str | None, typer.Option("--chip", help="Only grades of this chip.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List the grades a benchmark can name: the workspace's own, then the shipped ones."""
    from ..workspace import grade_rows

    rows = [row for row in grade_rows(workspace) if chip is None or row["chip"].casefold() == chip.casefold()]
    if as_json:
        print_json({"grades": rows})
        return
    print_table(
        ["grade", "origin", "asks for"],
        [
            [r["grade"], r["origin"], "; ".join(f"{rule['rule']} {rule['wants']}" for rule in r["rules"])]
            for r in rows
        ],
    )


@app.command(context_settings={"ignore_unknown_options": True})
def explain(
    observation: Annotated[
        str, typer.Argument(help="BATCH_ID:POSITION or an observation id.", metavar="OBSERVATION")
    ],
    everything: Annotated[bool, typer.Option("--all", help="List grades of other chips, too.")] = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Say which grades an observation meets and, for each it misses, the first rule and the value."""
    from ..workspace import explain_observation

    row = explain_observation(open_workspace(workspace), observation)
    if as_json:
        print_json(row)
        return
    said = row["observation"]
    marks = [
        word for word, on in (("SIMULATED", said["simulated"]), (said["suspect"], said["suspect"])) if on
    ]
    print_line(
        f"{said['seller']} {said['name_as_written'] or said['chip']} ${said['price']} per GPU-hour, seen "
        f"{said['observed_at']}" + (f"  [{' · '.join(marks)}]" if marks else "")
    )
    chip_apart = [g for g in row["grades"] if g["rule"] == "chip"]
    shown = [g for g in row["grades"] if everything or g["rule"] != "chip"]
    if not shown:
        print_line(f"No grade is for {said['chip']}.")
        return
    print_table(
        ["grade", "origin", "meets", "rule", "why not"],
        [
            [
                g["grade"],
                g["origin"],
                "yes" if g["meets"] else "no",
                g["rule"],
                g["reason"] or (g["rating"] if g["meets"] else None),
            ]
            for g in shown
        ],
    )
    if chip_apart and not everything:
        print_line(f"{len(chip_apart)} grades of other chips are left out; --all lists them.")


@app.command()
def calibrate(
    grade: Annotated[str, typer.Option("--grade", help="The good; see `rentmark grade list`.")],
    field: Annotated[
        str, typer.Option("--field", help="form_factor, interconnect, country, gpu_count or term_months.")
    ],
    near_miss: Annotated[str, typer.Option("--from", help="The near-miss, such as PCIe.")],
    good: Annotated[str, typer.Option("--to", help="What the grade wants, such as SXM.")],
    first: Annotated[str | None, typer.Option("--start", help="First UTC day of observations.")] = None,
    last: Annotated[str | None, typer.Option("--end", help="Last UTC day of observations.")] = None,
    as_of: AsOfOption = None,
    reconstructed: ReconstructedOption = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Estimate an adjustment factor from pairs that one seller offers at one time."""
    from ..workspace import calibrate_factor, read_as_of, read_date, read_step

    row = calibrate_factor(
        open_workspace(workspace),
        grade,
        read_step(field, near_miss, good),
        first=None if first is None else read_date(first, "--start"),
        last=None if last is None else read_date(last, "--end"),
        as_of=read_as_of(as_of, reconstructed=reconstructed),
    )
    if as_json:
        print_json(row)
    else:
        _print_calibration(row)


def _print_calibration(row: dict[str, Any]) -> None:
    step = f"{row['field']} {row['from']} to {row['to']}"
    marks = [word for word in ("simulated", "reconstructed") if row[word]]
    print_line(f"{row['grade']}: {step}" + (f"  [{' · '.join(marks).upper()}]" if marks else ""))
    for name in ("median", "mean"):
        print_line(f"  {name} over sellers {_interval(row[name])}")
    print_line(
        f"  {row['pairs']:,} pairs of {row['sellers_used']} sellers, {row['first_date']} to {row['last_date']}; "
        f"{row['pairs_administered']:,} administered pairs left out"
    )
    print_table(
        ["seller", "pairs", "distinct", "ratio", "variation", "of prices", "verdict"],
        [
            [
                s["seller"],
                s["pairs"],
                s["distinct_pairs"],
                f"{s['ratio']:.4f}",
                f"{100 * s['variation']:.2f} %",
                f"{100 * s['level_variation']:.2f} %",
                s["verdict"],
            ]
            for s in row["sellers"]
        ],
        optional=("of prices", "distinct"),
    )
    if row["suggested_factor"] is not None:
        print_line(f'As a schedule takes it: factor = "{row["suggested_factor"]}"')


def _interval(found: dict[str, Any]) -> str:
    if found["value"] is None:
        return f"— ({found['reason']})"
    if found["low"] is None:
        return f"{found['value']:.4f} (no interval: {found['reason']})"
    return (
        f"{found['value']:.4f} ({found['low']:.4f} to {found['high']:.4f}, {100 * found['coverage']:.1f} %)"
    )
