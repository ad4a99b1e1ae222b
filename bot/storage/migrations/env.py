"""Alembic's entry: run the migrations on the connection `bot.storage.migrate` opened and locked."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    transactional_ddl=True,
)
context.run_migrations()
