"""Identities made group by group. Those of observations made before are others, and a repeated offer would not be known."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from rentmark.records import RentmarkError

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing to do where no observation stands; else raise RentmarkError, which leaves everything as it is."""
    if op.get_bind().scalar(sa.text("SELECT count(*) FROM observation_file")):
        raise RentmarkError(
            "The observations of this workspace were identified by a Rentmark from before 0.1.0, and this one would "
            "not recognise a repeated offer among them; make a new workspace with `rentmark init` and ingest the "
            "payloads into it again."
        )
