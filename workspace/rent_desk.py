"""The rent desk: a rent that is in memory, read, confirmed and judged, without a file of it being written."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..records import STATUSES_OBSERVED, RentmarkError, UsageError, format_micros, median_half_even
from .books import OwnRent
from .core import Workspace
from .exporting import csv_of, main_table, marks_of_row, tables_of, workbook_of
from .hedging import RENT_LIMIT_BYTES, hedge_own
from .samples import sample_files
from .showing import fixings_for_use

if TYPE_CHECKING:
    from ..backtest import FirstPage, HedgeReport

MOST_ROWS = 1_000_000
LARGEST_UNPACKED_BYTES = 256 * 1024**2
LONGEST_TEXT_BYTES = 1_000
PARQUET_MAGIC = b"PAR1"
SUFFIXES = (".csv", ".parquet")
SAMPLE = "rent.csv"
SHOWN_REFUSALS = 5


@dataclass(frozen=True, slots=True)
class RentFile:
    """A rent file in memory, as its user named it."""

    name: str
    payload: bytes


def sample_rent() -> RentFile:
    """The invented rent of ``rentmark init --sample``."""
    return RentFile(SAMPLE, sample_files()[SAMPLE])


def check_rent_file(name: str, size: int) -> None:
    """Refuse a file by its name and size, before it is read. Raises UsageError in one sentence."""
    if not name.lower().endswith(SUFFIXES):
        raise UsageError(
            f"{name} is no {' or '.join(SUFFIXES)} file; save the rent as one of them. Nothing was kept."
        )
    if size > RENT_LIMIT_BYTES:
        shown = f"{size / 1024**3:.1f} GB" if size >= 1024**3 else f"{size / 1024**2:.0f} MB"
        raise UsageError(
            f"{name} is {shown}; the limit is {RENT_LIMIT_BYTES // 1024**2} MB. Nothing was kept."
        )


def read_rent_upload(workspace: Workspace, file: RentFile, *, unit: str | None = None) -> OwnRent:
    """Read a rent file in memory, in the unit its user states. Raises RentmarkError with the remedy."""
    from .books import own_rent_of

    check_rent_file(file.name, len(file.payload))
    payload = file.payload
    if payload.startswith(PARQUET_MAGIC) or file.name.lower().endswith(".parquet"):
        payload = _csv_of_parquet(file)
    return own_rent_of(workspace, file.name, payload, unit=unit)


def reading_of_rent(own: OwnRent) -> dict[str, Any]:
    """How a rent was read, for its user to confirm."""
    rent = own.rent
    days = rent.days
    rates = sorted(day.rate_micros for day in days)
    hours = None
    if days and all(day.gpu_seconds is not None for day in days):
        hours = sum(day.gpu_seconds or 0 for day in days) / 3600
    return {
        "name": rent.name,
        "kind": rent.kind,
        "rows_read": rent.rows_read,
        "rows_used": rent.rows_used,
        "rows_refused": rent.rows_refused,
        "refused": [reject.sentence for reject in rent.rejects[:SHOWN_REFUSALS]],
        "first_date": days[0].date.isoformat() if days else None,
        "last_date": days[-1].date.isoformat() if days else None,
        "days": len(days),
        "median_rate": format_micros(median_half_even(rates)) if rates else None,
        "lowest_rate": format_micros(rates[0]) if rates else None,
        "highest_rate": format_micros(rates[-1]) if rates else None,
        "gpu_hours": hours,
        "role": own.role,
        "book": own.plan is not None,
        "notes": list(rent.notes),
        "simulated": rent.simulated,
    }


def unit_options(workspace: Workspace, own: OwnRent, benchmark: str) -> dict[str, Any] | None:
    """What to ask of a rent whose level looks like another unit; None where it does not.

    ``question`` is ``Median rate 312, reference 3.1``; ``answers`` are the units it may be in, ``correct``
    last. Raises RentmarkError where the benchmark has no fixings.
    """
    from ..backtest import common_dates
    from ..backtest.units import suspected_unit

    fixings = fixings_for_use(workspace, benchmark)
    observed = {f.date: f.value_micros for f in fixings if f.status in STATUSES_OBSERVED and f.value_micros}
    common = common_dates(own.rent.rates, observed)
    found = suspected_unit(common)
    if found is None:
        return None
    rent = median_half_even(sorted(each.rent_micros for each in common))
    reference = median_half_even(sorted(each.reference_micros for each in common))
    return {
        "question": f"Median rate {format_micros(rent)}, reference {format_micros(reference)}",
        "answers": [found, "correct"],
    }


def method_rows() -> list[dict[str, str]]:
    """The methods of a hedge ratio by name, with the words a person reads."""
    from ..backtest import METHODS

    return [{"method": name, "label": method.label} for name, method in METHODS.items()]


def judge_rent(
    workspace: Workspace,
    file: RentFile,
    benchmark: str,
    *,
    contract: str | None = None,
    role: Literal["buyer", "provider"] | None = None,
    method: str = "ols",
    unit: str | None = None,
    gpus: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> HedgeReport:
    """The hedge report of a rent in memory. ``tell`` is given what is being done. Raises RentmarkError."""
    tell(f"reading {file.name}")
    own = read_rent_upload(workspace, file, unit=unit)
    tell(f"hedging {file.name} on {benchmark}")
    return hedge_own(workspace, own, benchmark, contract_name=contract, role=role, gpus=gpus, method=method)


def report_first_page(report: HedgeReport, *, theme: Literal["light", "dark"] = "light") -> FirstPage:
    """What the first page of a report says and draws, in the colours of a theme."""
    from ..backtest import first_page

    return first_page(report, theme=theme)


def report_file(report: HedgeReport, kind: str, *, command: str | None = None) -> bytes:
    """A report as a file: html, json, csv or xlsx. Raises UsageError for another kind."""
    if kind == "html":
        from ..backtest import render_report

        return render_report(report, command=command).encode()
    row = report.to_json()
    if kind == "json":
        import json

        return (json.dumps(row, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
    if kind == "csv":
        return csv_of(main_table("hedge", row)).encode()
    if kind == "xlsx":
        return workbook_of(tables_of(row), marks_of_row(row), report.now.replace(tzinfo=None))
    raise UsageError(f"A report comes as html, json, csv or xlsx, not as {kind}.")


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


def _refuse_long_texts(name: str, table: Any) -> None:
    """Raise RentmarkError where a text is longer than any cell of a rent file."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for column in table.column_names:
        for chunk in table.column(column).chunks:
            values = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
            if _is_text(values.type) and (pc.max(pc.binary_length(values)).as_py() or 0) > LONGEST_TEXT_BYTES:
                raise RentmarkError(
                    f"{name} has texts of over {LONGEST_TEXT_BYTES} bytes in {column}. Nothing was kept."
                )


def _csv_of_parquet(file: RentFile) -> bytes:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv
    import pyarrow.parquet as pq

    try:
        opened = pq.ParquetFile(io.BytesIO(file.payload))
        texts = [field.name for field in opened.schema_arrow if _is_text(field.type)]
        if opened.metadata.num_rows > MOST_ROWS:
            raise RentmarkError(
                f"{file.name} has {opened.metadata.num_rows:,} rows; the limit is {MOST_ROWS:,}. Nothing was kept."
            )
        groups = [opened.metadata.row_group(number) for number in range(opened.metadata.num_row_groups)]
        if sum(group.total_byte_size for group in groups) > LARGEST_UNPACKED_BYTES:
            raise RentmarkError(
                f"{file.name} unpacks to more than {LARGEST_UNPACKED_BYTES // 1024**2} MB. Nothing was kept."
            )
        # A dictionary of one long text can stand for every row: texts stay in it until their length is known.
        table = pq.ParquetFile(io.BytesIO(file.payload), read_dictionary=texts).read()
        table.validate(full=True)  # damage can point outside of a dictionary
        _refuse_long_texts(file.name, table)
    except (pa.ArrowException, OSError) as error:
        raise RentmarkError(f"{file.name} can't be read as Parquet: {str(error).splitlines()[0]}.") from None
    nested = [field.name for field in table.schema if pa.types.is_nested(field.type)]
    if nested:
        raise RentmarkError(f"{file.name} has the nested column {nested[0]}; keep plain columns only.")
    out = io.BytesIO()
    arrow_csv.write_csv(table, out)
    return out.getvalue()
