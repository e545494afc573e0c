"""Where a payload was fetched from, if it was not handed over as a file."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("batch", sa.Column("fetched_from", sa.Text, nullable=True))
