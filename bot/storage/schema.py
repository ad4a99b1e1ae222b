"""Which migrations there are, and how far a database has come."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData

from bot.storage.tables import inbox_metadata, main_metadata

HERE = Path(__file__).parent / "migrations"


@dataclass(frozen=True)
class Schema:
    """One set of tables with its own line of migrations; the two share a database on PostgreSQL."""

    name: str
    _declared: MetaData

    @property
    def metadata(self) -> MetaData:
        """All its tables. Each store declares its own, so all of them are asked for first."""
        import bot.storage.stores  # noqa: F401

        return self._declared

    @property
    def version_table(self) -> str:
        return f"{self.name}_version"

    def config(self, connection: Connection | None = None) -> Config:
        """Alembic's configuration, on the connection where there is one; there is no alembic.ini."""
        config = Config()
        config.set_main_option("script_location", str(HERE).replace("%", "%%"))
        config.set_main_option("version_locations", str(HERE / self.name).replace("%", "%%"))
        config.set_main_option("path_separator", "newline")
        config.attributes.update(version_table=self.version_table, connection=connection)
        return config

    @cached_property
    def revisions(self) -> tuple[str, ...]:
        """Every revision this version knows, newest first."""
        return tuple(script.revision for script in ScriptDirectory.from_config(self.config()).walk_revisions())

    @property
    def head(self) -> str:
        """The newest revision."""
        return self.revisions[0]

    def revision(self, connection: Connection) -> str | None:
        """The revision a database stands at, `None` before the first migration."""
        context = MigrationContext.configure(connection, opts={"version_table": self.version_table})
        return context.get_current_revision()


MAIN = Schema("main", main_metadata)
INBOX = Schema("inbox", inbox_metadata)
