"""The user's own files behind a hedge: rent book, exchange rates, incidents, output figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..records import RentmarkError, UsageError
from .core import Workspace
from .input_files import read_input_file
from .sub_indices import SubIndices

if TYPE_CHECKING:
    from ..backtest import HedgeReport, RentBook
    from ..backtest.attribution import Dimensions
    from ..backtest.book import ExchangeRates, HedgeInput
    from ..backtest.plan import HedgePlan
    from ..backtest.sentences import Role

PLAIN_COLUMNS = {"date", "rate_usd_per_gpu_hour", "gpu_hours", "start", "end", "amount_usd"}
"""Columns of a plain rent file, which is one floating contract."""
BOOK_COLUMNS = {"contract", "currency", "provider", "region", "grade", "term_months", "pricing"}
"""Columns that only a rent book has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRent:
    """A rent as a hedge reads it. ``inputs`` and ``plan`` are there where it is a book, not a plain file."""

    rent: RentBook
    role: Role | None = None
    inputs: HedgeInput | None = None
    plan: HedgePlan | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFiles:
    """Files beside the rent: incidents and output figures, None where none was given."""

    incidents: Path | None = None
    output_figures: Path | None = None


NO_FILES = OwnFiles()


def rent_or_book(rent: Path | None, book: Path | None) -> Path:
    """The one file a hedge is asked of; raises UsageError for none or both."""
    if rent is not None and book is not None:
        raise UsageError(f"{rent} and --book {book} are both given; keep one.")
    named = rent or book
    if named is None:
        raise UsageError("No rent is given; write rentmark hedge RENT.csv, or --book BOOK.toml.")
    return named


def read_own_rent(
    workspace: Workspace, path: Path, *, rates: Path | None = None, unit: str | None = None
) -> OwnRent:
    """Read a rent file or a rent book with the files it names, in the unit its user states.

    A plain CSV is one floating contract. Raises RentmarkError, in one sentence, where nothing can be read.
    """
    from ..backtest.book import ExchangeRates, read_exchange_rates
    from .hedging import read_rent_file  # it reads books in turn

    payload = read_rent_file(path)
    if rates is not None and _is_plain(path.name, payload):
        raise UsageError(
            f"--rates has no use with {path.name}, whose rates are in dollars; write rate and currency columns."
        )
    exchange = (
        ExchangeRates()
        if rates is None
        else read_exchange_rates(read_input_file(rates, "file of exchange rates"), rates.name)
    )
    return own_rent_of(
        workspace, path.name, payload, files=_named_files(path, payload), exchange=exchange, unit=unit
    )


def own_rent_of(
    workspace: Workspace,
    name: str,
    payload: bytes,
    *,
    files: Mapping[str, bytes] | None = None,
    exchange: ExchangeRates | None = None,
    unit: str | None = None,
) -> OwnRent:
    """Read the bytes of a rent file or a book; ``files`` are those a book names, by name. Raises RentmarkError."""
    from ..backtest import read_rent
    from ..backtest.book import ExchangeRates, hedge_input, read_book
    from ..backtest.plan import HedgePlan
    from ..backtest.units import in_unit, read_unit

    answer = read_unit(unit)
    today = workspace.store.now().date()
    simulated = workspace.store.simulated
    if _is_plain(name, payload):
        return OwnRent(rent=in_unit(read_rent(payload, name, today=today, simulated=simulated), answer))
    book = read_book(payload, name, dict(files or {}), exchange=exchange or ExchangeRates(), today=today)
    if answer is not None:
        from ..backtest.book.units import book_in_unit

        book = book_in_unit(book, answer)
    made = hedge_input(book, simulated=simulated)
    rent = made.rent if answer is None else replace(made.rent, unit_confirmed=True)
    plan = HedgePlan(by_month=made.plan, ahead=made.ahead, fixed_until=made.fixed_until)
    return OwnRent(rent=rent, role=book.role, inputs=made, plan=plan)


def _is_plain(name: str, payload: bytes) -> bool:
    """Whether a CSV is one floating contract in dollars; what can't be read is left to the plain reader to say."""
    if name.lower().endswith(".toml"):
        return False
    header = payload[:4096].decode("utf-8-sig", errors="replace").lower().split("\n", 1)[0]
    columns = {cell.strip().strip('"') for cell in header.replace(";", ",").replace("\t", ",").split(",")}
    if "period_start" in columns or ("rate" in columns and "date" in columns):
        return False
    return not (columns & BOOK_COLUMNS and columns & PLAIN_COLUMNS)


def _named_files(path: Path, payload: bytes) -> dict[str, bytes]:
    """The CSV files a book names, found beside it. Raises RentmarkError naming one that is not there."""
    from ..backtest.book import read_book_spec

    if path.suffix.lower() != ".toml":
        return {}
    found: dict[str, bytes] = {}
    for name in read_book_spec(payload, path.name).files:
        beside = path.parent / name
        if not beside.is_file():
            raise RentmarkError(
                f"{path.name} names the file {name}, which is not in {path.parent}; check its name."
            )
        found[name] = read_input_file(beside, f"file {name} of {path.name}")
    return found


def with_study(
    workspace: Workspace, report: HedgeReport, own: OwnRent, files: OwnFiles, *, provider: str | None = None
) -> HedgeReport:
    """A report with what rests on the user's own book: exposure, attribution, incidents, cost of output.

    ``provider`` is whom a plain file's rent is paid to, as the archive names it.
    """
    from ..backtest.attribution import attribute
    from ..backtest.book import rented_legs
    from ..backtest.book.cover import exposure_view
    from ..backtest.cost_view import cost_view, read_output_figures
    from ..backtest.incidents import read_incidents
    from ..backtest.rent_study import RentStudy, attribution_sentence

    configuration = workspace.configuration
    legs = None
    if own.inputs is not None and own.inputs.months:
        entries = {each.month: (each.last_rent_date, each.last_rent_micros) for each in report.months}
        legs = rented_legs(own.inputs.months, entries, configuration.grade)
    contract = None if report.contract is None else configuration.contract(report.contract)
    with SubIndices(workspace, report.benchmark) as indices:
        found = attribute(
            report,
            legs,
            reference=indices.grade,
            benchmark_for=indices.benchmark_for,
            index_named=indices.index_named,
            contract=contract,
            dimensions=_dimensions(provider),
        )
    incidents = figures = None
    if files.incidents is not None:
        payload = read_input_file(files.incidents, "file of incidents")
        incidents = read_incidents(
            payload, files.incidents.name, report.rent.rates, today=workspace.store.now().date()
        )
    if files.output_figures is not None:
        payload = read_input_file(files.output_figures, "file of output figures")
        figures = cost_view(report, read_output_figures(payload, files.output_figures.name))
    counted = report.exposure is not None or own.inputs is not None
    study = RentStudy(
        exposure=exposure_view(report, () if own.inputs is None else own.inputs.exposure)
        if counted
        else None,
        attribution=found,
        incidents=incidents,
        cost_view=figures,
    )
    said = attribution_sentence(report, found)
    sentences = report.sentences
    if said is not None:
        sentences = (sentences[0], f"{sentences[1]} {said}", *sentences[2:])
    return replace(report, rent_study=study, sentences=sentences)


def _dimensions(provider: str | None) -> Dimensions:
    from ..backtest.attribution import Dimensions

    return Dimensions(provider=provider)
