"""The first tables: ledger, manifest, rejects, methodologies, candidates, tape, certificates."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from rentmark.store.migrations.append_only import refuse_changes

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

APPEND_ONLY = ("batch", "observation_file", "reject", "methodology", "fixing", "certificate")


def upgrade() -> None:
    _create_ledger()
    _create_fixings()
    _create_certificates()
    for table in APPEND_ONLY:
        refuse_changes(table)


def _key(name: str, *constraints: sa.schema.SchemaItem, nullable: bool = False) -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column(name, kind, *constraints, nullable=nullable, autoincrement=False)


def _batch(table: str, name: str = "batch_id", *, nullable: bool = False) -> sa.Column[int]:
    return _key(name, sa.ForeignKey("batch.batch_id", name=op.f(f"fk_{table}_{name}")), nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _integer(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """Counts, micro-USD, and instants in microseconds since 1970 UTC."""
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


def _create_ledger() -> None:
    op.create_table(
        "meta", _text("name"), _text("value"), sa.PrimaryKeyConstraint("name", name=op.f("pk_meta"))
    )
    op.create_table(
        "batch",
        _key("batch_id"),
        _text("feed"),
        _text("feed_version"),
        _text("mapping_hash"),
        _text("payload_digest"),
        _text("origin_name"),
        _integer("payload_bytes"),
        _integer("received_at"),
        _integer("recorded_at"),
        _integer("recorded_at_real"),
        _integer("records"),
        _integer("accepted"),
        _integer("rejected"),
        _integer("duplicates"),
        _integer("duplicates_archived"),
        _text("rights"),
        _flag("simulated"),
        _text("refusal_code", nullable=True),
        _text("refusal_sentence", nullable=True),
        _batch("batch", "supersedes", nullable=True),
        _text("notes"),
        sa.PrimaryKeyConstraint("batch_id", name=op.f("pk_batch")),
        sa.UniqueConstraint(
            "payload_digest",
            "feed",
            "feed_version",
            "mapping_hash",
            name=op.f("uq_batch_payload_digest_feed_feed_version_mapping_hash"),
        ),
        sa.CheckConstraint("records = accepted + rejected + duplicates", name=op.f("ck_batch_counts_add_up")),
    )
    op.create_index("ix_batch_recorded_at", "batch", ["recorded_at"])
    op.create_index("ix_batch_supersedes", "batch", ["supersedes"])
    op.create_table(
        "observation_file",
        _batch("observation_file"),
        _text("month"),
        _text("path"),
        _integer("rows"),
        _integer("bytes"),
        _text("sha256"),
        _integer("first_observed_at"),
        _integer("last_observed_at"),
        _integer("corrections"),
        sa.PrimaryKeyConstraint("batch_id", "month", name=op.f("pk_observation_file")),
        sa.UniqueConstraint("path", name=op.f("uq_observation_file_path")),
    )
    op.create_table(
        "reject",
        _batch("reject"),
        _key("ordinal"),
        _integer("position"),
        _text("reason"),
        _text("field"),
        _text("value"),
        _text("sentence"),
        sa.PrimaryKeyConstraint("batch_id", "ordinal", name=op.f("pk_reject")),
    )
    op.create_index("ix_reject_reason", "reject", ["reason"])
    op.create_table(
        "methodology",
        _text("methodology_hash"),
        _text("resolved"),
        _integer("saved_at"),
        _integer("saved_at_real"),
        sa.PrimaryKeyConstraint("methodology_hash", name=op.f("pk_methodology")),
    )


def _fixing_columns(*, on_tape: bool) -> list[sa.Column[Any]]:
    return [
        _text("benchmark"),
        sa.Column("date", sa.Date, nullable=False),
        _integer("value_micros", nullable=True),
        _text("status"),
        _text("rule", nullable=True),
        _text("tier", nullable=True),
        _integer("n_observations"),
        _integer("n_sellers"),
        _integer("n_votes"),
        _integer("n_venues"),
        _integer("gpu_seconds"),
        _integer("p25_micros", nullable=True),
        _integer("p75_micros", nullable=True),
        _text("top_weight", nullable=True),
        sa.Column("carried_from", sa.Date, nullable=True),
        _text("methodology"),
        _text("methodology_version"),
        _text("methodology_hash"),
        _text("input_digest"),
        _integer("effective_at"),
        _flag("simulated"),
        _flag("reconstructed"),
        _text("rights"),
        _flag("settlement_grade"),
        _integer("revision"),
        _text("origin", nullable=not on_tape),
        _integer("published_at", nullable=not on_tape),
        _integer("published_at_real", nullable=not on_tape),
        _integer("built_as_of", nullable=True),
        _text("actor", nullable=True),
        _text("approved_by", nullable=True),
        _text("judgement", nullable=True),
        _text("reason", nullable=True),
        _text("previous_digest", nullable=True),
        _text("row_digest", nullable=not on_tape),
    ]


def _value_or_gap(table: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(
        "(status = 'GAP') = (value_micros IS NULL)", name=op.f(f"ck_{table}_value_or_gap")
    )


def _create_fixings() -> None:
    op.create_table(
        "candidate",
        _text("view"),
        _integer("built_at"),
        *_fixing_columns(on_tape=False),
        sa.PrimaryKeyConstraint("benchmark", "view", "date", name=op.f("pk_candidate")),
        _value_or_gap("candidate"),
    )
    op.create_table(
        "fixing",
        _key("sequence"),
        *_fixing_columns(on_tape=True),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_fixing")),
        sa.UniqueConstraint("benchmark", "date", "revision", name=op.f("uq_fixing_benchmark_date_revision")),
        _value_or_gap("fixing"),
    )
    op.create_index("ix_fixing_published_at", "fixing", ["published_at"])


def _create_certificates() -> None:
    op.create_table(
        "certificate",
        _key("sequence"),
        _text("contract"),
        _text("month"),
        _text("benchmark"),
        _integer("price_micros"),
        _text("who"),
        _text("reason"),
        _text("input_digest", nullable=True),
        _flag("simulated"),
        _integer("certified_at"),
        _integer("certified_at_real"),
        _text("previous_digest", nullable=True),
        _text("row_digest"),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_certificate")),
    )
    op.create_index(
        "ix_certificate_contract_month_benchmark", "certificate", ["contract", "month", "benchmark"]
    )
    op.create_index("ix_certificate_certified_at", "certificate", ["certified_at"])
