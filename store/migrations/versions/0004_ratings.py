"""Operator ratings: imported files, and the rating of each operator in each release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from rentmark.store.migrations.append_only import refuse_changes

revision = "0004"
down_revision = "0001"
branch_labels = None
depends_on = None

APPEND_ONLY = ("rating_import", "rating")


def upgrade() -> None:
    op.create_table(
        "rating_import",
        _key("import_id"),
        _text("scheme"),
        _text("payload_digest"),
        _text("origin_name"),
        _integer("payload_bytes"),
        _text("reader_version"),
        _integer("records"),
        _integer("accepted"),
        _integer("duplicates"),
        _text("correction_reason", nullable=True),
        sa.Column("simulated", sa.Boolean, nullable=False),
        _integer("recorded_at"),
        _integer("recorded_at_real"),
        sa.PrimaryKeyConstraint("import_id", name=op.f("pk_rating_import")),
        sa.UniqueConstraint("payload_digest", "scheme", name=op.f("uq_rating_import_payload_digest_scheme")),
        sa.CheckConstraint("records = accepted + duplicates", name=op.f("ck_rating_import_counts_add_up")),
    )
    op.create_index("ix_rating_import_recorded_at", "rating_import", ["recorded_at"])
    op.create_table(
        "rating",
        _key("import_id", sa.ForeignKey("rating_import.import_id", name=op.f("fk_rating_import_id"))),
        _key("ordinal"),
        _text("scheme"),
        _text("version"),
        sa.Column("published_on", sa.Date, nullable=False),
        _text("operator"),
        _text("operator_key"),
        _text("tier"),
        _text("completeness", nullable=True),
        _text("source_url", nullable=True),
        _text("sellers"),
        sa.PrimaryKeyConstraint("import_id", "ordinal", name=op.f("pk_rating")),
    )
    op.create_index("ix_rating_scheme_published_on", "rating", ["scheme", "published_on"])
    for table in APPEND_ONLY:
        refuse_changes(table)


def _key(name: str, *constraints: sa.schema.SchemaItem) -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column(name, kind, *constraints, nullable=False, autoincrement=False)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _integer(name: str) -> sa.Column[int]:
    """Counts, and instants in microseconds since 1970 UTC."""
    return sa.Column(name, sa.BigInteger, nullable=False)
