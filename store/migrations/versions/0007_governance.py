"""Governance: holds, corrections that were not made, versions and cessations, sealed one onto the other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from rentmark.store.migrations.append_only import refuse_changes

revision = "0007"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "governance",
        sa.Column(
            "sequence",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            nullable=False,
            autoincrement=False,
        ),
        _text("kind"),
        _text("subject"),
        sa.Column("date", sa.Date, nullable=True),
        _text("content"),
        _text("actor"),
        _text("approved_by", nullable=True),
        _text("reason", nullable=True),
        sa.Column("simulated", sa.Boolean, nullable=False),
        _integer("recorded_at"),
        _integer("recorded_at_real"),
        _text("previous_digest", nullable=True),
        _text("row_digest"),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_governance")),
    )
    op.create_index("ix_governance_subject_kind", "governance", ["subject", "kind"])
    op.create_index("ix_governance_recorded_at", "governance", ["recorded_at"])
    refuse_changes("governance")


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _integer(name: str) -> sa.Column[int]:
    """Instants in microseconds since 1970 UTC."""
    return sa.Column(name, sa.BigInteger, nullable=False)
