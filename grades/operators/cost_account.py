"""The account of a period as a person writes it: all spending and all output, checked line by line.

Every table is frozen rules-as-data; a mistake is one sentence that names the table, the key and its value.
Layouts are documented in ``docs/operators.md``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ...records import NaiveInstantError, UsageError, day_start, parse_instant
from ...records.specs import SpecModel
from .cost_formulas import FailureRule
from .service_levels import MLPERF

Amount = Annotated[Decimal, Field(max_digits=24, decimal_places=12)]
"""Written with at most 24 digits, so that exact arithmetic stays small."""
Count = Annotated[int, Field(le=10**15)]
SPENDING_KINDS = ("storage", "network", "licences", "support", "staff", "services", "other")
SpendingKind = Literal["storage", "network", "licences", "support", "staff", "services", "other"]
BARE_DATE = len("2026-07-01")
MICROSECOND = timedelta(microseconds=1)
MICROSECONDS_PER_HOUR = 3_600_000_000


def read_edge(value: object, *, end: bool) -> datetime:
    """An edge of a time span: a date is its whole day (an end is its last day), an instant is itself.

    Raises ValueError for what is neither, and for an instant without a zone.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("the time has no zone; add Z for UTC")
        return value.astimezone(UTC)
    if isinstance(value, date):
        return day_start(value + timedelta(days=1) if end else value)
    text = str(value).strip()
    try:
        if len(text) == BARE_DATE:
            return read_edge(date.fromisoformat(text), end=end)
        return parse_instant(text)
    except NaiveInstantError:
        raise ValueError("the time has no zone; add Z for UTC") from None
    except ValueError:
        raise ValueError(
            "it must be a date such as 2026-07-01 or a time such as 2026-07-01T08:00:00Z"
        ) from None


class Span(SpecModel):
    """A stretch of time [from, to): dates are whole days, so ``to = 2026-07-31`` ends at its midnight."""

    start: datetime = Field(alias="from")
    end: datetime = Field(alias="to")

    @field_validator("start", mode="before")
    @classmethod
    def _read_start(cls, value: object) -> datetime:
        return read_edge(value, end=False)

    @field_validator("end", mode="before")
    @classmethod
    def _read_end(cls, value: object) -> datetime:
        return read_edge(value, end=True)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end <= self.start:
            raise ValueError("it ends before it begins; turn from and to around.")
        return self

    def overlaps(self, other: Span) -> bool:
        """Whether the two share any time."""
        return self.start < other.end and other.start < self.end

    @property
    def hours(self) -> Fraction:
        """How long it is, exactly."""
        return hours_covered([self])


def hours_covered(spans: Iterable[Span]) -> Fraction:
    """Hours that spans cover together; an hour that two of them cover counts once."""
    microseconds, reached = 0, None
    for span in sorted(spans, key=lambda each: each.start):
        start = span.start if reached is None else max(span.start, reached)
        if span.end > start:
            microseconds += (span.end - start) // MICROSECOND
            reached = span.end
    return Fraction(microseconds, MICROSECONDS_PER_HOUR)


class Account(Span):
    """The period, and how its output was counted."""

    name: str = "account"
    output_net_of_downtime: bool = True
    """True where output is what customers got in the period: then nothing is divided by 1 − g."""


class Failures(SpecModel):
    """What failures cost, from which the goodput loss g is computed; see ``cost_formulas.goodput_loss``."""

    job_gpus: Count = Field(ge=1)
    mtbf_gpu_hours: Amount = Field(gt=0)
    detect_hours: Amount = Field(ge=0)
    checkpoint_hours: Amount = Field(ge=0)
    restart_hours: Amount = Field(ge=0)
    repair_hours: Amount = Field(default=Decimal(0), ge=0)
    blast_radius_gpus: Count = Field(default=0, ge=0)
    rule: FailureRule = "sum"


class Rented(SpecModel):
    """GPUs paid by the hour. ``hours`` default to those of the period."""

    name: str = "rented"
    gpus: Count = Field(ge=1)
    usd_per_gpu_hour: Amount = Field(gt=0)
    hours: Amount | None = Field(default=None, gt=0)
    goodput_loss: Amount | None = Field(default=None, ge=0, lt=1)
    failures: Failures | None = None

    @model_validator(mode="after")
    def _one_loss(self) -> Self:
        if self.goodput_loss is not None and self.failures is not None:
            raise ValueError("it states goodput_loss and failures, which are one thing twice; keep one.")
        return self


class Owned(SpecModel):
    """Owned GPUs; amounts are dollars per GPU, and a year where the key says so."""

    name: str = "owned"
    gpus: Count = Field(ge=1)
    capex_usd_per_gpu: Amount = Field(gt=0)
    salvage_usd_per_gpu: Amount = Field(default=Decimal(0), ge=0)
    life_years: int = Field(ge=1, le=50)
    rate: Amount = Field(ge=0, lt=1)
    """Cost of capital a year: 0.10 is ten percent."""
    kilowatts_per_gpu: Amount = Field(default=Decimal(0), ge=0)
    colocation_usd_per_kw_month: Amount = Field(default=Decimal(0), ge=0)
    colocation_bundles_power: bool = False
    pue: Amount = Field(default=Decimal(1), ge=1)
    load: Amount = Field(default=Decimal(1), ge=0, le=1)
    usd_per_kwh: Amount = Field(default=Decimal(0), ge=0)
    maintenance_usd_per_gpu_year: Amount = Field(default=Decimal(0), ge=0)
    staff_usd_per_gpu_year: Amount = Field(default=Decimal(0), ge=0)
    insurance_usd_per_gpu_year: Amount = Field(default=Decimal(0), ge=0)
    availability: Amount = Field(default=Decimal(1), gt=0, le=1)
    utilisation: Amount = Field(default=Decimal(1), gt=0, le=1)

    @model_validator(mode="after")
    def _salvage_within(self) -> Self:
        if self.salvage_usd_per_gpu > self.capex_usd_per_gpu:
            raise ValueError("salvage_usd_per_gpu is above capex_usd_per_gpu; check both.")
        return self


class Spending(SpecModel):
    """Any other spending of the period, in dollars."""

    kind: SpendingKind
    name: str = ""
    usd: Amount = Field(ge=0)


class Output(Span):
    """What a window produced: counts as measured, or attempts with the two shares.

    N = attempts × P(SLO met) × P(correct | SLO met). ``tokens_per_task`` turns tasks into tokens.
    """

    name: str = "output"
    attempts: Count | None = Field(default=None, gt=0)
    slo_met: Amount | None = Field(default=None, ge=0, le=1)
    correct: Amount | None = Field(default=None, ge=0, le=1)
    accepted_tasks: Count | None = Field(default=None, gt=0)
    accepted_tokens: Count | None = Field(default=None, gt=0)
    tokens_per_task: Amount | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        shares = (self.slo_met, self.correct)
        if self.accepted_tasks is not None and any(share is not None for share in shares):
            raise ValueError("it states accepted_tasks and shares of attempts; keep one.")
        if (
            self.accepted_tasks is not None
            and self.attempts is not None
            and self.accepted_tasks > self.attempts
        ):
            raise ValueError(f"accepted_tasks = {self.accepted_tasks} is above attempts = {self.attempts}.")
        if any(share is not None for share in shares) and (self.attempts is None or None in shares):
            raise ValueError("shares need all of attempts, slo_met and correct; add what is missing.")
        if self.accepted_tasks is None and None in shares and self.accepted_tokens is None:
            raise ValueError(
                "it states no output; give accepted_tasks, accepted_tokens, or attempts with shares."
            )
        if self.accepted_tokens is not None and self.tokens_per_task is not None:
            raise ValueError("it states accepted_tokens and tokens_per_task; keep one.")
        return self


class Breach(Span):
    """Access outside the agreed boundaries: what was served meanwhile is not acceptable, however fast."""

    what: str = Field(min_length=1)


class Upgrade(SpecModel):
    """A change of operations with its own cost. Output before and after it comes from the output windows."""

    name: str = Field(min_length=1)
    on: datetime
    usd: Amount = Field(ge=0)

    @field_validator("on", mode="before")
    @classmethod
    def _read_on(cls, value: object) -> datetime:
        return read_edge(value, end=False)


class Slo(SpecModel):
    """Bounds of a request, for a requests file: a shipped set by name, or one's own in milliseconds."""

    bounds: str | None = None
    ttft_ms: Amount | None = Field(default=None, gt=0)
    tpot_ms: Amount | None = Field(default=None, gt=0)
    e2e_ms: Amount | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        own = (self.ttft_ms, self.tpot_ms, self.e2e_ms)
        if self.bounds is not None and self.bounds not in MLPERF:
            raise ValueError(f"there are no bounds {self.bounds!r}; known: {', '.join(MLPERF)}.")
        if (self.bounds is None) == all(bound is None for bound in own):
            raise ValueError("give bounds by name, or one or more of ttft_ms, tpot_ms, e2e_ms, and not both.")
        return self


class TokenForm(SpecModel):
    """The cost of a token from the output of a stack, beside the account."""

    usd_per_gpu_hour: Amount = Field(gt=0)
    output_tokens_per_second_per_gpu: Amount = Field(gt=0)
    utilisation: Amount = Field(gt=0, le=1)
    acceptance: Amount = Field(gt=0, le=1)
    goodput_loss: Amount = Field(default=Decimal(0), ge=0, lt=1)
    overhead_usd_per_million: Amount = Field(default=Decimal(0), ge=0)


class CostFile(SpecModel):
    """A whole account, read."""

    account: Account
    rented: tuple[Rented, ...] = ()
    owned: tuple[Owned, ...] = ()
    spending: tuple[Spending, ...] = ()
    output: tuple[Output, ...] = ()
    breach: tuple[Breach, ...] = ()
    upgrade: tuple[Upgrade, ...] = ()
    slo: Slo | None = None
    token: TokenForm | None = None


LINES: dict[str, type[SpecModel]] = {
    "rented": Rented,
    "owned": Owned,
    "spending": Spending,
    "output": Output,
    "breach": Breach,
    "upgrade": Upgrade,
}
"""Tables that may stand several times, ``[[name]]``."""
SINGLES: dict[str, type[SpecModel]] = {"account": Account, "slo": Slo, "token": TokenForm}
"""Tables that stand once, ``[name]``."""


def read_tables(document: dict[str, Any], where: str) -> CostFile:
    """Read parsed tables into an account. Raises UsageError with one sentence."""
    known = (*SINGLES, *LINES)
    for key in document:
        if key not in known:
            raise UsageError(f"{where} has an unknown table {key}; known: {', '.join(known)}.")
    if "account" not in document:
        raise UsageError(f"{where} has no [account] with from and to; add it.")
    values: dict[str, Any] = {}
    for name, model in SINGLES.items():
        if name in document:
            if not isinstance(document[name], dict):
                raise UsageError(f"{where} has {name} = {document[name]!r}; write a table [{name}].")
            values[name] = model.read(document[name], f"{where} [{name}]")
    for name, model in LINES.items():
        lines = document.get(name, [])
        if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
            raise UsageError(f"{where} has {name} = {lines!r}; write tables [[{name}]].")
        values[name] = tuple(
            model.read(line, f"{where} [[{name}]] {number}") for number, line in enumerate(lines, start=1)
        )
    return CostFile.model_construct(**values)
