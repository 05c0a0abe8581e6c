"""Runs the migrations on the connection it is handed, inside that connection's transaction."""

from alembic import context

from app.storage.tables import SCHEMA, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table_schema=SCHEMA,
)
with context.begin_transaction():
    context.run_migrations()
