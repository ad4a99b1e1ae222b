"""What the repositories are called that rows name by their number."""

from sqlalchemy import select

from bot.storage.database import Database
from bot.storage.tables import gates, installed_repositories, judgements, repositories, subjects


def repository_names(database: Database) -> dict[int, str]:
    """`owner/name` by number, as it was last seen. One that was forgotten is absent."""
    names: dict[int, str] = {}
    with database.main.connect() as connection:
        for table in (judgements, gates, subjects):
            names |= {
                row[0]: row[1] for row in connection.execute(select(table.c.repo_id, table.c.repository).distinct())
            }
        for known in (installed_repositories.c, repositories.c):
            names |= {row[0]: row[1] for row in connection.execute(select(known.repo_id, known.full_name))}
    return names
