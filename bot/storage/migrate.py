"""Bring the tables up to date."""

import logging

from alembic import command
from sqlalchemy.exc import SQLAlchemyError

from bot.storage.database import Database, DatabaseError, begin_exclusively

NEW = "A new database: %s. If Bouncer had another one, name that by BOUNCER_DATABASE_URL"
# A relative address leads elsewhere from another working directory, and all that was known would seem forgotten.
NEW_FOR_APP = (
    "A new, empty database for an App that the settings name: %s. If Bouncer worked before, stop it and name its own "
    "database by BOUNCER_DATABASE_URL, with the whole path: sqlite:////PATH"
)

log = logging.getLogger(__name__)


def migrate(database: Database, *, has_app: bool = False) -> None:
    """Create or upgrade every table; does nothing when they are up to date. A new database gets the tables that the
    code has, and no migration runs. has_app: the settings name an App, so there may have been a database before.

    Each schema migrates in one transaction under a lock, so any number of processes may start at once, and a failed
    migration leaves the database as it was. Raises DatabaseError when the database does not answer.
    """
    for engine, schema in database.schemas:
        try:
            with engine.connect() as connection, connection.begin():
                begin_exclusively(connection)
                found = schema.revision(connection)
                config = schema.config(connection)
                if found is None:
                    schema.metadata.create_all(connection, checkfirst=False)
                    command.stamp(config, "head")
                elif found in schema.revisions[1:]:
                    command.upgrade(config, "head")
        except SQLAlchemyError as error:
            raise DatabaseError.of(engine, error) from None
        if found is None and engine is database.main and engine.dialect.name == "sqlite":
            if has_app:
                log.warning(NEW_FOR_APP, engine.url.database)
            else:
                log.info(NEW, engine.url.database)
    database.check()
