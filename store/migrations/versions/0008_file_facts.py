"""Facts of an observation file that spare a panel whole steps; null for files written before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("observation_file", sa.Column("facts", sa.Text, nullable=True))
