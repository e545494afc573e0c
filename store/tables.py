"""The SQL tables, written once for SQLite and PostgreSQL (SQLAlchemy Core).

Instants are integer microseconds since 1970 UTC, prices integer micro-USD. Keys are numbered by the
writer under the write lock, so they carry no gaps and mean the same in both databases. What is in
``migrations/versions`` creates exactly these tables; a test holds the two together.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ..records import from_microseconds, to_microseconds

_Columns = list[sa.Column[Any]]

METADATA = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


class Instant(sa.TypeDecorator[datetime]):
    """An aware instant in UTC, kept as microseconds since 1970; a naive one raises ValueError."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> int | None:  # noqa: ARG002
        """Count microseconds."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"the instant {value.isoformat()} has no time zone")
        return to_microseconds(value)

    def process_result_value(self, value: int | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        """Give back the instant in UTC."""
        return None if value is None else from_microseconds(value)


def _key(name: str) -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column(name, kind, primary_key=True, autoincrement=False)


def _batch_link(name: str, *, primary: bool = False, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(
        name,
        sa.BigInteger().with_variant(sa.Integer, "sqlite"),
        sa.ForeignKey("batch.batch_id"),
        primary_key=primary,
        nullable=nullable,
        autoincrement=False,
    )


def _import_link(table: str, *, primary: bool = False) -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    link = sa.ForeignKey(f"{table}.import_id")
    return sa.Column("import_id", kind, link, primary_key=primary, nullable=False, autoincrement=False)


META = sa.Table(
    "meta",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
"""Facts fixed when the workspace was created: its identity, whether it is simulated, when."""

BATCH = sa.Table(
    "batch",
    METADATA,
    _key("batch_id"),
    sa.Column("feed", sa.Text, nullable=False),
    sa.Column("feed_version", sa.Text, nullable=False),
    sa.Column("mapping_hash", sa.Text, nullable=False),
    sa.Column("payload_digest", sa.Text, nullable=False),
    sa.Column("origin_name", sa.Text, nullable=False),
    sa.Column("payload_bytes", sa.BigInteger, nullable=False),
    sa.Column("received_at", Instant, nullable=False),
    sa.Column("recorded_at", Instant, nullable=False, index=True),
    sa.Column("recorded_at_real", Instant, nullable=False),
    sa.Column("records", sa.BigInteger, nullable=False),
    sa.Column("accepted", sa.BigInteger, nullable=False),
    sa.Column("rejected", sa.BigInteger, nullable=False),
    sa.Column("duplicates", sa.BigInteger, nullable=False),
    # how many of the duplicates repeat what the archive held, the rest repeat their own payload
    sa.Column("duplicates_archived", sa.BigInteger, nullable=False),
    sa.Column("rights", sa.Text, nullable=False),
    sa.Column("simulated", sa.Boolean, nullable=False),
    sa.Column("refusal_code", sa.Text),
    sa.Column("refusal_sentence", sa.Text),
    _batch_link("supersedes", nullable=True),
    sa.Column("notes", sa.Text, nullable=False),  # a JSON list of sentences
    sa.Column("fetched_from", sa.Text),  # the address, where it was fetched and not handed over
    sa.UniqueConstraint("payload_digest", "feed", "feed_version", "mapping_hash"),
    sa.CheckConstraint("records = accepted + rejected + duplicates", name="counts_add_up"),
    sa.Index(None, "supersedes"),
)
"""The ledger: one row per committed payload and reading of it."""

OBSERVATION_FILE = sa.Table(
    "observation_file",
    METADATA,
    _batch_link("batch_id", primary=True),
    sa.Column("month", sa.Text, primary_key=True),
    sa.Column("path", sa.Text, nullable=False, unique=True),
    sa.Column("rows", sa.BigInteger, nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False),
    sa.Column("sha256", sa.Text, nullable=False),
    sa.Column("first_observed_at", Instant, nullable=False),
    sa.Column("last_observed_at", Instant, nullable=False),
    # trade events that correct or cancel an earlier one: a reader of trades needs these files too
    sa.Column("corrections", sa.BigInteger, nullable=False),
    sa.Column("facts", sa.Text),  # JSON of what is true of all its rows (store.file_facts); null: not known
)
"""The manifest of the observation archive: a file counts only if it is named here."""

REJECT = sa.Table(
    "reject",
    METADATA,
    _batch_link("batch_id", primary=True),
    _key("ordinal"),
    sa.Column("position", sa.BigInteger, nullable=False),
    sa.Column("reason", sa.Text, nullable=False, index=True),
    sa.Column("field", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("sentence", sa.Text, nullable=False),
)

METHODOLOGY = sa.Table(
    "methodology",
    METADATA,
    sa.Column("methodology_hash", sa.Text, primary_key=True),
    sa.Column("resolved", sa.Text, nullable=False),  # canonical JSON
    sa.Column("saved_at", Instant, nullable=False),
    sa.Column("saved_at_real", Instant, nullable=False),
)


def _fixing_columns(*, on_tape: bool) -> _Columns:
    """The columns of a Fixing; on the tape those that publishing fills may not be null."""
    return [
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("date", sa.Date, nullable=False),
        sa.Column("value_micros", sa.BigInteger),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("rule", sa.Text),
        sa.Column("tier", sa.Text),
        sa.Column("n_observations", sa.BigInteger, nullable=False),
        sa.Column("n_sellers", sa.BigInteger, nullable=False),
        sa.Column("n_votes", sa.BigInteger, nullable=False),
        sa.Column("n_venues", sa.BigInteger, nullable=False),
        sa.Column("gpu_seconds", sa.BigInteger, nullable=False),
        sa.Column("p25_micros", sa.BigInteger),
        sa.Column("p75_micros", sa.BigInteger),
        sa.Column("top_weight", sa.Text),
        sa.Column("carried_from", sa.Date),
        sa.Column("methodology", sa.Text, nullable=False),
        sa.Column("methodology_version", sa.Text, nullable=False),
        sa.Column("methodology_hash", sa.Text, nullable=False),
        sa.Column("input_digest", sa.Text, nullable=False),
        sa.Column("effective_at", Instant, nullable=False),
        sa.Column("simulated", sa.Boolean, nullable=False),
        sa.Column("reconstructed", sa.Boolean, nullable=False),
        sa.Column("rights", sa.Text, nullable=False),
        sa.Column("settlement_grade", sa.Boolean, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("origin", sa.Text, nullable=not on_tape),
        sa.Column("published_at", Instant, nullable=not on_tape),
        sa.Column("published_at_real", Instant, nullable=not on_tape),
        sa.Column("built_as_of", Instant),
        sa.Column("actor", sa.Text),
        sa.Column("approved_by", sa.Text),
        sa.Column("judgement", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("details", sa.Text),  # canonical JSON
        sa.Column("previous_digest", sa.Text),
        sa.Column("row_digest", sa.Text, nullable=not on_tape),
    ]


_VALUE_OR_GAP = "(status = 'GAP') = (value_micros IS NULL)"

CANDIDATE = sa.Table(
    "candidate",
    METADATA,
    sa.Column("view", sa.Text, nullable=False),
    sa.Column("built_at", Instant, nullable=False),
    *_fixing_columns(on_tape=False),
    sa.PrimaryKeyConstraint("benchmark", "view", "date"),
    sa.CheckConstraint(_VALUE_OR_GAP, name="value_or_gap"),
)
"""Fixings that were built and not published; replaced as a whole per benchmark and view."""

FIXING = sa.Table(
    "fixing",
    METADATA,
    _key("sequence"),
    *_fixing_columns(on_tape=True),
    sa.UniqueConstraint("benchmark", "date", "revision"),
    sa.CheckConstraint(_VALUE_OR_GAP, name="value_or_gap"),
    sa.Index(None, "published_at"),
)
"""The tape: append-only, ``sequence`` is the order of appending."""

CERTIFICATE = sa.Table(
    "certificate",
    METADATA,
    _key("sequence"),
    sa.Column("contract", sa.Text, nullable=False),
    sa.Column("month", sa.Text, nullable=False),
    sa.Column("benchmark", sa.Text, nullable=False),
    sa.Column("price_micros", sa.BigInteger, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("input_digest", sa.Text),
    sa.Column("simulated", sa.Boolean, nullable=False),
    sa.Column("certified_at", Instant, nullable=False),
    sa.Column("certified_at_real", Instant, nullable=False),
    sa.Column("previous_digest", sa.Text),
    sa.Column("row_digest", sa.Text, nullable=False),
    sa.Index(None, "contract", "month", "benchmark"),
    sa.Index(None, "certified_at"),
)
"""Settlements that a person certified; a later row replaces an earlier one, both stay."""

RATING_IMPORT = sa.Table(
    "rating_import",
    METADATA,
    _key("import_id"),
    sa.Column("scheme", sa.Text, nullable=False),
    sa.Column("payload_digest", sa.Text, nullable=False),
    sa.Column("origin_name", sa.Text, nullable=False),
    sa.Column("payload_bytes", sa.BigInteger, nullable=False),
    sa.Column("reader_version", sa.Text, nullable=False),
    sa.Column("records", sa.BigInteger, nullable=False),
    sa.Column("accepted", sa.BigInteger, nullable=False),
    sa.Column("duplicates", sa.BigInteger, nullable=False),
    sa.Column("correction_reason", sa.Text),
    sa.Column("simulated", sa.Boolean, nullable=False),
    sa.Column("recorded_at", Instant, nullable=False, index=True),
    sa.Column("recorded_at_real", Instant, nullable=False),
    sa.UniqueConstraint("payload_digest", "scheme"),
    sa.CheckConstraint("records = accepted + duplicates", name="counts_add_up"),
)
"""Imported files of operator ratings; a file is read whole or not at all."""

RATING = sa.Table(
    "rating",
    METADATA,
    _import_link("rating_import", primary=True),
    _key("ordinal"),
    sa.Column("scheme", sa.Text, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("published_on", sa.Date, nullable=False),
    sa.Column("operator", sa.Text, nullable=False),
    sa.Column("operator_key", sa.Text, nullable=False),
    sa.Column("tier", sa.Text, nullable=False),
    sa.Column("completeness", sa.Text),
    sa.Column("source_url", sa.Text),
    sa.Column("sellers", sa.Text, nullable=False),  # a JSON list of names
    sa.Index(None, "scheme", "published_on"),
)
"""Ratings as imported. A later row for an operator and date is a correction; both stay."""

MARK_IMPORT = sa.Table(
    "mark_import",
    METADATA,
    _key("import_id"),
    sa.Column("payload_digest", sa.Text, nullable=False, unique=True),
    sa.Column("origin_name", sa.Text, nullable=False),
    sa.Column("payload_bytes", sa.BigInteger, nullable=False),
    sa.Column("records", sa.BigInteger, nullable=False),
    sa.Column("accepted", sa.BigInteger, nullable=False),
    sa.Column("rejected", sa.BigInteger, nullable=False),
    sa.Column("duplicates", sa.BigInteger, nullable=False),
    sa.Column("rejects", sa.Text, nullable=False),  # a JSON list of refused rows with their reasons
    sa.Column("notes", sa.Text, nullable=False),  # a JSON list of sentences
    sa.Column("recorded_at", Instant, nullable=False, index=True),
    sa.Column("recorded_at_real", Instant, nullable=False),
    sa.CheckConstraint("records = accepted + rejected + duplicates", name="counts_add_up"),
)
"""Imported files of daily settlements."""

MARK = sa.Table(
    "mark",
    METADATA,
    _key("sequence"),
    _import_link("mark_import"),
    sa.Column("contract", sa.Text, nullable=False),
    sa.Column("month", sa.Text, nullable=False),
    sa.Column("trade_date", sa.Date, nullable=False),
    sa.Column("settle_micros", sa.BigInteger, nullable=False),
    sa.Column("bid_micros", sa.BigInteger),
    sa.Column("ask_micros", sa.BigInteger),
    sa.Column("volume", sa.BigInteger),
    sa.Column("open_interest", sa.BigInteger),
    sa.Column("vintage", Instant, nullable=False),
    sa.UniqueConstraint("contract", "month", "trade_date", "vintage"),
)
"""Daily settlements of contract months. A later vintage of a day is a correction; both stay."""

BLOTTER_IMPORT = sa.Table(
    "blotter_import",
    METADATA,
    _key("import_id"),
    sa.Column("payload_digest", sa.Text, nullable=False),
    sa.Column("rules_hash", sa.Text, nullable=False),
    sa.Column("origin_name", sa.Text, nullable=False),
    sa.Column("payload_bytes", sa.BigInteger, nullable=False),
    sa.Column("records", sa.BigInteger, nullable=False),
    sa.Column("accepted", sa.BigInteger, nullable=False),
    sa.Column("rejected", sa.BigInteger, nullable=False),
    sa.Column("duplicates", sa.BigInteger, nullable=False),
    sa.Column("rejects", sa.Text, nullable=False),  # a JSON list of refused rows with their reasons
    sa.Column("notes", sa.Text, nullable=False),  # a JSON list of sentences
    sa.Column("refusal_code", sa.Text),
    sa.Column("refusal_sentence", sa.Text),
    sa.Column("simulated", sa.Boolean, nullable=False),
    sa.Column("recorded_at", Instant, nullable=False, index=True),
    sa.Column("recorded_at_real", Instant, nullable=False),
    sa.UniqueConstraint("payload_digest", "rules_hash"),
    sa.CheckConstraint("records = accepted + rejected + duplicates", name="counts_add_up"),
)
"""Imported blotter files."""

BLOTTER_EVENT = sa.Table(
    "blotter_event",
    METADATA,
    _key("sequence"),
    _import_link("blotter_import"),
    sa.Column("position", sa.BigInteger, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("broker", sa.Text, nullable=False),
    sa.Column("trade_id", sa.Text, nullable=False),
    sa.Column("account", sa.Text),
    sa.Column("traded_on", sa.Date),
    sa.Column("contract", sa.Text),
    sa.Column("month", sa.Text),
    sa.Column("lots", sa.BigInteger),
    sa.Column("price_micros", sa.BigInteger),
    sa.Column("fees_micros", sa.BigInteger),
    sa.Column("strategy", sa.Text),
    sa.Column("event_id", sa.Text),
    sa.Column("previous_digest", sa.Text),
    sa.Column("row_digest", sa.Text, nullable=False),
    sa.Index(None, "broker", "trade_id"),
)
"""Trades, amendments and cancellations as brokers reported them, each sealed onto the one before."""

GOVERNANCE = sa.Table(
    "governance",
    METADATA,
    _key("sequence"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("date", sa.Date),
    sa.Column("content", sa.Text, nullable=False),  # canonical JSON
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("approved_by", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Column("simulated", sa.Boolean, nullable=False),
    sa.Column("recorded_at", Instant, nullable=False, index=True),
    sa.Column("recorded_at_real", Instant, nullable=False),
    sa.Column("previous_digest", sa.Text),
    sa.Column("row_digest", sa.Text, nullable=False),
    sa.Index(None, "subject", "kind"),
)
"""Holds, corrections not made, versions and cessations, each sealed onto the one before."""

APPEND_ONLY = (
    BATCH,
    OBSERVATION_FILE,
    REJECT,
    METHODOLOGY,
    FIXING,
    CERTIFICATE,
    RATING_IMPORT,
    RATING,
    MARK_IMPORT,
    MARK,
    BLOTTER_IMPORT,
    BLOTTER_EVENT,
    GOVERNANCE,
)
"""Tables whose rows the database itself refuses to change or delete."""
