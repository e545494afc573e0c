"""Comparing hedges: rent books against contracts, benchmarks and methods, ranked by what they would have left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..records import RentmarkError, UsageError, format_instant, month_of
from .core import Workspace
from .desk import Sources, last_day
from .hedging import read_rent_file
from .programmes import NO_ACCOUNT

if TYPE_CHECKING:
    from ..backtest.ranking import BookRanking, Candidate, RankedHedge

MOST_CANDIDATES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgeComparison:
    """What `hedge compare` came to; ``refused`` are books that could not be judged, each in a sentence."""

    role: Literal["buyer", "provider"]
    methods: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    status: dict[str, str]
    books: tuple[BookRanking, ...]
    refused: tuple[tuple[str, str], ...]
    simulated: bool
    backcast: bool
    candidate: bool
    now: str


def rent_files(paths: Sequence[Path]) -> list[Path]:
    """The rent files named, and every ``.csv`` of a folder named, in order; raises RentmarkError for none."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.iterdir() if each.suffix.lower() == ".csv")
            if not inside:
                raise RentmarkError(f"There is no .csv file in {path}; name a folder of rent files.")
            found += inside
        else:
            found.append(path)
    return found


def compare_hedges(
    workspace: Workspace,
    books: Sequence[Path],
    *,
    contracts: Sequence[str] = (),
    benchmarks: Sequence[str] = (),
    methods: Sequence[str] = (),
    role: Literal["buyer", "provider"] = "buyer",
    tell: Callable[[str], None] = lambda _text: None,
) -> HedgeComparison:
    """Rank contracts on benchmarks, or benchmarks alone, and methods for each rent book.

    ``contracts`` are ``NAME`` (on each of ``benchmarks``, or its own) or ``NAME=BENCHMARK``. A book that
    can't be read or judged is refused with its sentence and the others go on. Raises UsageError for unknown
    methods or nothing to compare, and RentmarkError for an unknown contract or a benchmark without fixings.
    """
    from ..backtest import METHODS, read_rent
    from ..backtest.methods import DEFAULTS
    from ..backtest.ranking import rank_hedges

    for name in methods:
        if name not in METHODS:
            raise UsageError(f"method is {name!r}; known methods: {', '.join(METHODS)}.")
    chosen = tuple(dict.fromkeys(methods)) or DEFAULTS
    if not contracts and not benchmarks:
        raise UsageError(
            "nothing to compare: name contracts with --contracts or benchmarks with --benchmarks."
        )
    now = workspace.store.now()
    found = _Candidates(workspace)
    candidates = found.of(contracts, benchmarks, tell)
    ranked: list[BookRanking] = []
    refused: list[tuple[str, str]] = []
    files = rent_files(books)
    for number, path in enumerate(files, start=1):
        tell(f"book {number} of {len(files)}: {path.name}")
        try:
            book = read_rent(
                read_rent_file(path), path.name, today=now.date(), simulated=workspace.store.simulated
            )
            ranked.append(rank_hedges(book, candidates, chosen, role=role))
        except RentmarkError as error:
            refused.append((path.name, str(error)))
    return HedgeComparison(
        role=role,
        methods=chosen,
        candidates=candidates,
        status=found.status,
        books=tuple(ranked),
        refused=tuple(refused),
        simulated=workspace.store.simulated or found.simulated,
        backcast=found.backcast,
        candidate=found.candidate,
        now=format_instant(now),
    )


class _Candidates:
    """Candidates from the tape, each worked out once for all books."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._through = last_day(workspace, None)
        self.status: dict[str, str] = {}
        self.simulated = self.backcast = self.candidate = False

    def of(
        self, contracts: Sequence[str], benchmarks: Sequence[str], tell: Callable[[str], None]
    ) -> tuple[Candidate, ...]:
        """Every contract on every benchmark it is to be compared on, or the benchmarks alone."""
        pairs: list[tuple[str | None, str | None]] = []
        for text in contracts:
            contract, _, named = text.partition("=")
            wanted: list[str | None] = [named] if named else [*benchmarks] or [None]
            pairs += [(contract, each) for each in wanted]
        if not contracts:
            pairs = [(None, name) for name in benchmarks]
        pairs = list(dict.fromkeys(pairs))
        if len(pairs) > MOST_CANDIDATES:
            raise UsageError(f"{len(pairs)} candidates are too many to rank; name at most {MOST_CANDIDATES}.")
        found: list[Candidate] = []
        for named_contract, on in pairs:
            tell(f"settling {named_contract or on}")
            found.append(
                self._benchmark(on or "") if named_contract is None else self._contract(named_contract, on)
            )
        return tuple(found)

    def _contract(self, contract: str, benchmark: str | None) -> Candidate:
        from ..backtest.ranking import contract_candidate

        named = [] if benchmark is None else [f"{contract}={benchmark}"]
        sources = Sources(self._workspace, NO_ACCOUNT, benchmarks=named)
        spec = sources.spec(contract)
        if spec.period != "month":
            raise UsageError(
                f"{contract} settles on the balance of a month; compare contracts of whole months."
            )
        view = sources.view(contract)
        if view is None:
            raise RentmarkError(
                f"No benchmark is named for {contract}; write {contract}=BENCHMARK or name --benchmarks."
            )
        self.status[contract] = spec.status_line
        self.simulated |= view.simulated
        self.backcast |= view.backcast
        months = sorted({month_of(row.date) for row in view.rows})
        return contract_candidate(view, months, self._through, spec)

    def _benchmark(self, benchmark: str) -> Candidate:
        from ..backtest.ranking import benchmark_candidate
        from ..backtest.series import first_published
        from .showing import fixings_for_use

        rows = fixings_for_use(self._workspace, benchmark)
        if not self._workspace.configuration.benchmark(benchmark).research:
            rows = self._workspace.store.tape(benchmark, revisions="all")
        self.simulated |= any(row.simulated for row in rows)
        self.backcast |= any(row.origin == "backcast" for row in rows)
        self.candidate |= any(row.state == "candidate" for row in rows)
        return benchmark_candidate(benchmark, first_published(rows, self._workspace.store.now()))


def comparison_of_hedges_row(found: HedgeComparison) -> dict[str, Any]:
    """The documented JSON of `hedge compare`."""
    return {
        "role": found.role,
        "methods": list(found.methods),
        "now": found.now,
        "simulated": found.simulated,
        "backcast": found.backcast,
        "fixing_state": "candidate" if found.candidate else "published",
        "proxy": any(each.proxy for each in found.candidates),
        "candidates": [
            {
                "contract": each.contract,
                "benchmark": each.benchmark,
                "status": None if each.contract is None else found.status[each.contract],
                "proxy": each.proxy,
                "months": len(each.references),
            }
            for each in found.candidates
        ],
        "books": [_book_row(each) for each in found.books],
        "ranking": [_hedge_row(book, each) for book in found.books for each in book.ranked],
        "refused": [{"book": name, "sentence": sentence} for name, sentence in found.refused],
    }


def _book_row(book: BookRanking) -> dict[str, Any]:
    best, compared = book.best, book.comparison
    row: dict[str, Any] = {
        "book": book.name,
        "digest": book.digest,
        "months": book.months,
        "best": None if best is None else best.candidate.name,
        "best_method": None if best is None else best.method,
        "verdict": None if best is None else best.verdict.name,
        "spa_p_value": None if compared is None else _rounded(compared.spa_p_value),
        "in_set": [] if compared is None else list(compared.in_set),
    }
    reason = book.reason or (None if compared is None else compared.reason)
    if reason is not None:
        row["reason"] = reason
    return row


def _hedge_row(book: BookRanking, each: RankedHedge) -> dict[str, Any]:
    judged = each.judged.to_json()
    outcome = each.judged.outcome
    row: dict[str, Any] = {
        "book": book.name,
        "rank": each.rank,
        "contract": each.candidate.contract,
        "benchmark": each.candidate.benchmark,
        "method": each.method,
        "verdict": each.verdict.name,
        "changes": each.changes,
        "unseen_months": each.judged.out_of_sample_months,
        **{
            key: _rounded(judged[key])
            for key in (
                "in_sample",
                "walk_forward",
                "walk_forward_low",
                "walk_forward_high",
                "swing_unhedged",
                "swing_hedged",
            )
        },
        "probability_worse": None if outcome is None else _rounded(outcome.probability_worse),
        "set_p_value": _rounded(each.set_p_value),
        "in_set": each.in_set,
    }
    reasons = [text for text in (each.verdict.because, judged.get("reason"), book.reason) if text]
    if each.rank is None and book.reason is None:
        reasons.append("not ranked: it has no figure on the months the others share")
    if reasons:
        row["reason"] = "; ".join(dict.fromkeys(reasons))
    return row


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 10) + 0.0
