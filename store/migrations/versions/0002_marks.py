"""Marks: imported settlements files, and the daily settlement of each contract month in each vintage."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from rentmark.store.migrations.append_only import refuse_changes

revision = "0002"
down_revision = "0004"
branch_labels = None
depends_on = None

APPEND_ONLY = ("mark_import", "mark")


def upgrade() -> None:
    op.create_table(
        "mark_import",
        _key("import_id"),
        _text("payload_digest"),
        _text("origin_name"),
        _integer("payload_bytes"),
        _integer("records"),
        _integer("accepted"),
        _integer("rejected"),
        _integer("duplicates"),
        _text("rejects"),
        _text("notes"),
        _integer("recorded_at"),
        _integer("recorded_at_real"),
        sa.PrimaryKeyConstraint("import_id", name=op.f("pk_mark_import")),
        sa.UniqueConstraint("payload_digest", name=op.f("uq_mark_import_payload_digest")),
        sa.CheckConstraint(
            "records = accepted + rejected + duplicates", name=op.f("ck_mark_import_counts_add_up")
        ),
    )
    op.create_index("ix_mark_import_recorded_at", "mark_import", ["recorded_at"])
    op.create_table(
        "mark",
        _key("sequence"),
        _key("import_id", sa.ForeignKey("mark_import.import_id", name=op.f("fk_mark_import_id"))),
        _text("contract"),
        _text("month"),
        sa.Column("trade_date", sa.Date, nullable=False),
        _integer("settle_micros"),
        _integer("bid_micros", nullable=True),
        _integer("ask_micros", nullable=True),
        _integer("volume", nullable=True),
        _integer("open_interest", nullable=True),
        _integer("vintage"),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_mark")),
        sa.UniqueConstraint(
            "contract",
            "month",
            "trade_date",
            "vintage",
            name=op.f("uq_mark_contract_month_trade_date_vintage"),
        ),
    )
    for table in APPEND_ONLY:
        refuse_changes(table)


def _key(name: str, *constraints: sa.schema.SchemaItem) -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column(name, kind, *constraints, nullable=False, autoincrement=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _integer(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """Counts, micro-USD, and instants in microseconds since 1970 UTC."""
    return sa.Column(name, sa.BigInteger, nullable=nullable)
