"""The endpoints: one entry for each question, named as on the command line, answering what `--json` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ...records import RentmarkError, UsageError
from ...records.rules import REJECT_REASONS
from ...workspace import (
    Workspace,
    alias_rows,
    contract_calendar,
    contract_lines,
    contract_rows,
    curve,
    explained_row,
    feed_rows,
    grade_rows,
    ledger_row,
    mark_row,
    market,
    marks_of,
    operator_history,
    ratings_view,
    ratings_view_row,
    read_date,
    revision_rows,
    seller_rows,
    settle_month,
    settlement_row,
    shown_row,
    view_made,
)
from .parameters import AS_OF, FORMAT, JSON_ONLY, RECONSTRUCTED, Parameter, read_view

Values = Mapping[str, Any]
Answer = Callable[[Workspace, Values], dict[str, Any]]
REJECTS_LISTED: Final = 50
MOST_REJECTS: Final = 100_000
VIEW: Final = (AS_OF, RECONSTRUCTED)
BENCHMARK: Final = Parameter("benchmark", "text", "Benchmark of rentmark.toml.", place="path")
CONTRACT: Final = Parameter("contract", "text", "Contract id; see contracts.", place="path")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One question. ``rows`` is the key whose list the CSV prints; ``keys`` are those every answer has."""

    name: str
    path: str
    summary: str
    answer: Answer
    keys: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()
    rows: str | None = None

    @property
    def asked(self) -> tuple[Parameter, ...]:
        """All parameters, the format included."""
        return (*self.parameters, JSON_ONLY if self.rows is None else FORMAT)

    @property
    def rule(self) -> str:
        """The path as Flask writes it."""
        return self.path.replace("{", "<").replace("}", ">")


def _benchmarks(workspace: Workspace, _: Values) -> dict[str, Any]:
    rules = workspace.configuration
    rows = []
    for name in rules.benchmarks:
        benchmark = rules.benchmark(name)
        rows.append({
            "benchmark": name, "grade": benchmark.grade_name, "chip": benchmark.grade.chip,
            "methodology": benchmark.methodology_name, "research": benchmark.research,
        })  # fmt: skip
    return {"benchmarks": rows}


def _market(workspace: Workspace, values: Values) -> dict[str, Any]:
    return market(workspace, as_of=read_view(values))


def _show(workspace: Workspace, values: Values) -> dict[str, Any]:
    name, view = values["benchmark"], read_view(values)
    view_made(workspace, name, view)
    return shown_row(workspace, name, as_of=view, last=values["last"])


def _revisions(workspace: Workspace, values: Values) -> dict[str, Any]:
    name = values["benchmark"]
    return {"benchmark": name, "rows": revision_rows(workspace, name)}


def _explain(workspace: Workspace, values: Values) -> dict[str, Any]:
    name, view, day = values["benchmark"], read_view(values), read_date(values["date"], "date")
    view_made(workspace, name, view)
    return explained_row(workspace, name, day, as_of=view)


def _contracts(workspace: Workspace, _: Values) -> dict[str, Any]:
    return {"contracts": contract_rows(workspace.root)}


def _contract(workspace: Workspace, values: Values) -> dict[str, Any]:
    return {"contract": values["contract"], "fields": contract_lines(workspace.root, values["contract"])}


def _calendar(workspace: Workspace, values: Values) -> dict[str, Any]:
    return contract_calendar(workspace.root, values["contract"], values["from"], values["months"])


def _settlements(workspace: Workspace, values: Values) -> dict[str, Any]:
    contract = values["contract"]
    workspace.configuration.contract(contract)
    known = marks_of(workspace, contract, read_view(values))
    rows = [mark_row(m) for m in known.values() if values["month"] in (None, m.month)]
    return {"contract": contract, "rows": rows}


def _settle(workspace: Workspace, values: Values) -> dict[str, Any]:
    settlement = settle_month(
        workspace, values["contract"], values["month"], values["benchmark"], certify_by=None, reason=None
    )
    return settlement_row(settlement, explain=True)


def _curve(workspace: Workspace, values: Values) -> dict[str, Any]:
    return curve(
        workspace,
        values["contract"],
        values["benchmark"],
        as_of=read_view(values),
        model_name=values["model"] or "flat",
        months=values["months"],
    )


def _feeds(_: Workspace, __: Values) -> dict[str, Any]:
    return {"feeds": feed_rows()}


def _batches(workspace: Workspace, _: Values) -> dict[str, Any]:
    return {"batches": [ledger_row(entry) for entry in workspace.store.ledger()]}


def _rejects(workspace: Workspace, values: Values) -> dict[str, Any]:
    store, batch, reason = workspace.store, values["batch"], values["reason"]
    if batch is not None and batch not in {entry.batch_id for entry in store.ledger()}:
        raise RentmarkError(f"There is no batch {batch}; /api/v1/batches lists them.")
    if (values["limit"] or 1) > MOST_REJECTS:
        raise UsageError(
            f"limit is {values['limit']}; at most {MOST_REJECTS} rejects are listed here, "
            "`rentmark rejects --export` writes all."
        )
    counts = store.reject_counts(batch)
    if reason is not None:
        counts = {code: count for code, count in counts.items() if code == reason}
    rows = store.rejects(batch_id=batch, reason=reason, limit=values["limit"] or REJECTS_LISTED)
    return {"counts": counts, "rejects": rows}


def _sellers(workspace: Workspace, values: Values) -> dict[str, Any]:
    view = read_view({**values, "reconstructed": None})
    rows = seller_rows(workspace, None if view is None else view.instant)
    return {"sellers": rows, "aliases": alias_rows()}


def _grades(workspace: Workspace, _: Values) -> dict[str, Any]:
    return {"grades": grade_rows(workspace.root)}


def _operators(workspace: Workspace, values: Values) -> dict[str, Any]:
    view = ratings_view(workspace, scheme=values["scheme"] or "clustermax", as_of=read_view(values))
    return ratings_view_row(view, tier=values["tier"])


def _operator(workspace: Workspace, values: Values) -> dict[str, Any]:
    scheme = values["scheme"] or "clustermax"
    rows = operator_history(workspace, values["operator"], scheme=scheme)
    return {"scheme": scheme, "operator": values["operator"], "ratings": rows}


SCHEME: Final = Parameter("scheme", "text", "Rating scheme; clustermax if left out.")
MONTH: Final = Parameter("month", "month", "Contract month, YYYY-MM.", place="path")
ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    Endpoint("benchmarks", "/benchmarks", "The benchmarks of rentmark.toml.", _benchmarks,
             ("benchmarks",), rows="benchmarks"),
    Endpoint("market", "/market", "The board: each benchmark's value and its moves.", _market,
             ("headline", "as_of", "reconstructed", "simulated", "rows"), VIEW, rows="rows"),
    Endpoint("index-show", "/index/show/{benchmark}",
             "The tape of a benchmark, or candidates marked so where nothing is published.", _show,
             ("benchmark", "rows"),
             (BENCHMARK, *VIEW, Parameter("last", "count", "Only the last N dates.")), rows="rows"),
    Endpoint("index-revisions", "/index/revisions/{benchmark}",
             "Every row of the tape in the order it was appended.", _revisions,
             ("benchmark", "rows"), (BENCHMARK,), rows="rows"),
    Endpoint("index-explain", "/index/explain/{benchmark}/{date}",
             "Why a fixing is what it is: votes, gates, each observation in or out; CSV has the votes.",
             _explain, ("votes", "gates", "observations"),
             (BENCHMARK, Parameter("date", "date", "Fixing date.", place="path"), *VIEW), rows="votes"),
    Endpoint("contracts", "/contracts", "The contracts, filed, announced and your own.", _contracts,
             ("contracts",), rows="contracts"),
    Endpoint("contract", "/contracts/{contract}", "One contract field by field, each with its source.",
             _contract, ("contract", "fields"), (CONTRACT,), rows="fields"),
    Endpoint("calendar", "/calendar/{contract}", "Last trade, roll and limit dates of a contract's months.",
             _calendar, ("rows",),
             (CONTRACT, Parameter("from", "month", "First month; this one if left out."),
              Parameter("months", "count", "How many months.")), rows="rows"),
    Endpoint("settlements", "/settlements/{contract}", "Daily settlements known, latest vintage of each day.",
             _settlements, ("contract", "rows"),
             (CONTRACT, Parameter("month", "month", "Only this contract month."), *VIEW), rows="rows"),
    Endpoint("settle", "/settle/{contract}/{month}", "A contract month on fixings as they were published.",
             _settle, ("status", "sentence", "days"),
             (CONTRACT, MONTH,
              Parameter("benchmark", "text", "Benchmark whose fixings are averaged.", required=True)),
             rows="days"),
    Endpoint("curve", "/curve/{contract}", "The board of months: marks, and a model's prices marked so.",
             _curve, ("contract", "benchmark", "rows", "model"),
             (CONTRACT, Parameter("benchmark", "text", "Benchmark the months fix on.", required=True),
              Parameter("model", "text", "Flat if left out.", choices=("flat", "ou", "schwartz-smith")),
              Parameter("months", "count", "How many months."), *VIEW), rows="rows"),
    Endpoint("feeds", "/feeds", "The feeds with their data rights.", _feeds, ("feeds",), rows="feeds"),
    Endpoint("batches", "/batches", "The ledger: every payload with its counts.", _batches, ("batches",),
             rows="batches"),
    Endpoint("rejects", "/rejects", "Refused records, each with its place, reason and remedy.", _rejects,
             ("counts", "rejects"),
             (Parameter("batch", "count", "Only this batch."),
              Parameter("reason", "text", "Only this reason code.", choices=tuple(REJECT_REASONS)),
              Parameter("limit", "count", f"At most this many; {REJECTS_LISTED} if left out.")),
             rows="rejects"),
    Endpoint("sellers", "/sellers", "Sellers of the archive, and the table of aliases.", _sellers,
             ("sellers", "aliases"), (AS_OF,), rows="sellers"),
    Endpoint("grades", "/grade/list", "The grades a benchmark can name.", _grades, ("grades",), rows="grades"),
    Endpoint("operators", "/operators/list", "The release of ratings in force.", _operators,
             ("scheme", "version", "ratings"),
             (SCHEME, Parameter("tier", "text", "This tier and better ones."), *VIEW), rows="ratings"),
    Endpoint("operator", "/operators/history/{operator}", "An operator's rating in every release imported.",
             _operator, ("scheme", "operator", "ratings"),
             (Parameter("operator", "text", "An operator as a release writes it.", place="path"), SCHEME),
             rows="ratings"),
)  # fmt: skip
