"""Bring the tables up to date."""

from alembic import command
from sqlalchemy.exc import SQLAlchemyError

from bot.storage.database import Database, DatabaseError, begin_exclusively


def migrate(database: Database) -> None:
    """Create or upgrade every table; does nothing when they are up to date.

    Each schema migrates in one transaction under a lock, so any number of processes may start at once, and a failed
    migration leaves the database as it was. Raises DatabaseError when the database does not answer.
    """
    for engine, schema in database.schemas:
        try:
            with engine.connect() as connection, connection.begin():
                begin_exclusively(connection)
                config = schema.config()
                config.attributes["connection"] = connection
                if schema.revision(connection) in (None, *schema.revisions):
                    command.upgrade(config, "head")
        except SQLAlchemyError as error:
            raise DatabaseError.of(engine, error) from None
    database.check()
