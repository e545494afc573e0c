"""The blotter: imported files, and the events brokers reported, sealed one onto the other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from rentmark.store.migrations.append_only import refuse_changes

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

APPEND_ONLY = ("blotter_import", "blotter_event")


def upgrade() -> None:
    op.create_table(
        "blotter_import",
        _key("import_id"),
        _text("payload_digest"),
        _text("rules_hash"),
        _text("origin_name"),
        _integer("payload_bytes"),
        _integer("records"),
        _integer("accepted"),
        _integer("rejected"),
        _integer("duplicates"),
        _text("rejects"),
        _text("notes"),
        _text("refusal_code", nullable=True),
        _text("refusal_sentence", nullable=True),
        sa.Column("simulated", sa.Boolean, nullable=False),
        _integer("recorded_at"),
        _integer("recorded_at_real"),
        sa.PrimaryKeyConstraint("import_id", name=op.f("pk_blotter_import")),
        sa.UniqueConstraint(
            "payload_digest", "rules_hash", name=op.f("uq_blotter_import_payload_digest_rules_hash")
        ),
        sa.CheckConstraint(
            "records = accepted + rejected + duplicates", name=op.f("ck_blotter_import_counts_add_up")
        ),
    )
    op.create_index("ix_blotter_import_recorded_at", "blotter_import", ["recorded_at"])
    op.create_table(
        "blotter_event",
        _key("sequence"),
        _key(
            "import_id",
            sa.ForeignKey("blotter_import.import_id", name=op.f("fk_blotter_event_import_id")),
        ),
        _integer("position"),
        _text("action"),
        _text("broker"),
        _text("trade_id"),
        _text("account", nullable=True),
        sa.Column("traded_on", sa.Date),
        _text("contract", nullable=True),
        _text("month", nullable=True),
        _integer("lots", nullable=True),
        _integer("price_micros", nullable=True),
        _integer("fees_micros", nullable=True),
        _text("strategy", nullable=True),
        _text("event_id", nullable=True),
        _text("previous_digest", nullable=True),
        _text("row_digest"),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_blotter_event")),
    )
    op.create_index("ix_blotter_event_broker_trade_id", "blotter_event", ["broker", "trade_id"])
    for table in APPEND_ONLY:
        refuse_changes(table)


def _key(name: str, *constraints: sa.schema.SchemaItem) -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column(name, kind, *constraints, nullable=False, autoincrement=False)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _integer(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """Counts, micro-USD, and instants in microseconds since 1970 UTC."""
    return sa.Column(name, sa.BigInteger, nullable=nullable)
