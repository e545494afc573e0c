"""What a model is fitted on: the fixings known at an instant, and reserved prices of the archive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from ..contracts import fixings_known_at
from ..records import Fixing, RentmarkError, UsageError, format_instant
from .core import Workspace
from .views import LATEST, AsOf

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from ..contracts.curve import FixingSeries, Launch, Stepping, TermPrice
    from ..contracts.curve.models import ForwardModel
    from ..contracts.spec import ContractSpec
    from ..records import Refusal
    from ..store import ObservationFile

MODELS = ("flat", "ou", "schwartz-smith")
TERM_WINDOW_DAYS = 31
"""Reserved prices this much older than the newest of their chip are left out: withdrawn, or stale."""
_TERM_COLUMNS = (
    "seller",
    "sku",
    "name_as_written",
    "region",
    "term_months",
    "price_micros",
    "observed_at",
    "known_at",
    "carried_by_source",
)


def as_of_instant(workspace: Workspace, as_of: AsOf | None) -> datetime:
    """The instant of a view; without one, the present of the workspace."""
    return workspace.store.now() if as_of is None else as_of.instant


def fixings_known(workspace: Workspace, benchmark_name: str, as_of: AsOf | None) -> dict[date, Fixing]:
    """The fixings of a benchmark that counted at a view, by date, in their latest revision then.

    Strictly, what was published by then; reconstructed, what was effective by then, each marked so. A
    research benchmark gives its candidates, which have no publication and so no strict past. Raises
    RentmarkError where there is nothing, naming what to run.
    """
    benchmark = workspace.configuration.benchmark(benchmark_name)
    instant = as_of_instant(workspace, as_of)
    store = workspace.store
    if benchmark.research:
        if as_of is not None and not as_of.reconstructed:
            raise UsageError(
                f"{benchmark_name} is a research benchmark and is never published; add --reconstructed to "
                "go by when its fixings were effective."
            )
        rows = store.candidates(benchmark_name, LATEST)
    else:
        strict = as_of is not None and not as_of.reconstructed
        rows = store.tape(benchmark_name, as_of=instant if strict else None, revisions="all")
    known = fixings_known_at(rows, instant)
    if not known:
        flag = "" if benchmark.research else " --publish"
        then = "" if as_of is None else f" at {format_instant(instant)}"
        raise RentmarkError(
            f"{benchmark_name} has no fixings known{then}; run `rentmark index build {benchmark_name}{flag}` first"
            + (", or add --reconstructed." if as_of is not None and not as_of.reconstructed else ".")
        )
    if as_of is not None and as_of.reconstructed:
        return {day: replace(row, reconstructed=True) for day, row in known.items()}
    return known


def stepping_of(workspace: Workspace, benchmark_name: str) -> Stepping:
    """How the fixing dates of a benchmark are counted, by the calendar of its methodology."""
    from ..contracts.curve import Stepping
    from ..index.windows import is_fixing_date

    methodology = workspace.configuration.benchmark(benchmark_name).methodology
    if methodology.calendar == "every_day":
        return Stepping()
    return Stepping(lambda day: is_fixing_date(methodology, day))


def fitted_model(
    name: str,
    series: FixingSeries,
    settles: Mapping[date, Mapping[str, int]],
    spec: ContractSpec,
    launches: Sequence[Launch],
) -> ForwardModel | Refusal:
    """The model of a name, fitted on what was known; raises UsageError for an unknown name."""
    from ..contracts.curve import FlatModel, fit_ou, fit_schwartz_smith
    from ..records import Refusal

    if name not in MODELS:
        raise UsageError(f"--model {name} is unknown; it is one of {', '.join(MODELS)}.")
    if launches and name != "schwartz-smith":
        raise UsageError(f"--launch goes with --model schwartz-smith; {name} knows no launches.")
    if not len(series):
        return Refusal("no_fixings", f"{series.benchmark} has no OK or THIN fixing to expect from.")
    if name == "flat":
        return FlatModel(series)
    if name == "ou":
        return fit_ou(series)
    return fit_schwartz_smith(series, settles, spec, launches)


def read_launches(texts: Iterable[str]) -> list[Launch]:
    """Scheduled launches as written, in order of their days; raises UsageError for one that can't be read."""
    from ..contracts.curve import read_launch

    return sorted(read_launch(text) for text in texts)


def reserved_prices(workspace: Workspace, chip: str, as_of: AsOf | None) -> list[TermPrice]:
    """The reserved prices of a chip that the archive knew at a view, those of its newest month."""
    import pyarrow as pa
    import pyarrow.compute as pc

    instant = as_of_instant(workspace, as_of)
    strict = None if as_of is None or as_of.reconstructed else instant
    found: list[pa.Table] = []
    newest: datetime | None = None
    files = [f for f in workspace.store.observation_files(strict) if may_hold_reserved(f, chip)]
    for month in sorted({file.month for file in files}, reverse=True):
        if newest is not None and month < f"{newest - timedelta(days=TERM_WINDOW_DAYS):%Y-%m}":
            break
        table = _reserved(workspace, [file for file in files if file.month == month], chip)
        clock = "known_at" if as_of is not None and as_of.reconstructed else "observed_at"
        table = table.filter(
            pc.less_equal(table.column(clock), pa.scalar(instant, table.schema.field(clock).type))
        )
        if table.num_rows:
            found.append(table)
            newest = newest or pc.max(table.column("observed_at")).as_py()
    if newest is None:
        return []
    oldest = newest - timedelta(days=TERM_WINDOW_DAYS)
    return [_term_price(row) for row in pa.concat_tables(found).to_pylist() if row["observed_at"] > oldest]


def may_hold_reserved(file: ObservationFile, chip: str) -> bool:
    """Whether a reserved offer of a chip may stand in a file, by what was noted of it when it was written."""
    from ..store.file_facts import FileFacts

    if file.facts is None:
        return True
    facts = FileFacts.from_text(file.facts)
    asked = {"pricing": "reserved", "kind": "offer", "carried_by_source": False}
    if any(facts.constants.get(name, value) != value for name, value in asked.items()):
        return False
    termless = facts.constants.get("term_months", "") is None
    return not termless and (facts.chips is None or chip in facts.chips)


def _reserved(workspace: Workspace, files: Sequence[ObservationFile], chip: str) -> pa.Table:
    """The reserved offers of a chip in these files; of a file, which never changes, a reader keeps them."""
    import pyarrow as pa

    from .reader_pool import keep, recalled

    tables = []
    for file in files:
        key = ("reserved", file.path, chip)
        table = recalled(workspace, key)
        if table is None:
            table = _reserved_of(workspace.store.file_paths([file])[0], chip)
            keep(workspace, key, table)
        tables.append(table)
    return pa.concat_tables(tables)


def _reserved_of(path: Path, chip: str) -> pa.Table:
    import pyarrow.parquet as pq

    table = pq.read_table(
        path,
        columns=list(_TERM_COLUMNS),
        filters=[
            ("pricing", "=", "reserved"),
            ("chip", "=", chip),
            ("kind", "=", "offer"),
            ("carried_by_source", "=", False),
        ],
    )
    return table.filter(table.column("term_months").is_valid())


def _term_price(row: Mapping[str, object]) -> TermPrice:
    from ..contracts.curve import TermPrice

    observed_at = row["observed_at"]
    assert isinstance(observed_at, datetime)  # the schema of the archive
    return TermPrice(
        seller=str(row["seller"]),
        sku=str(row["sku"] or row["name_as_written"] or "unnamed"),
        region=str(row["region"] or "unstated"),
        term_months=int(str(row["term_months"])),
        price_micros=int(str(row["price_micros"])),
        observed_on=observed_at.date(),
    )
