"""Run the migrations on the connection that ``Database.upgrade`` hands over, in its transaction."""

from __future__ import annotations

from alembic import context
from rentmark.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
