"""Details of a fixing: what is published beside the level and what later days read, as sealed JSON."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = ("candidate", "fixing")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("details", sa.Text, nullable=True))
