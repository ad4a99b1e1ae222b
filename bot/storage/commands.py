"""Which commands were carried out: the same comment may arrive under two GUIDs, and acts once."""

from sqlalchemy import select

from bot.storage.database import Database
from bot.storage.tables import commands, insert


class Commands:
    """A command is one line of one version of a comment."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def claim(self, comment_id: int, updated_at: str, line: int, *, claimant: str) -> bool:
        """Whether `claimant` (a workflow id) may carry this command out.

        The first claimant may, and is told so again when it asks again; everybody else may not.
        """
        statement = insert(self._engine, commands).values(
            comment_id=comment_id, updated_at=updated_at, line=line, claimant=claimant
        )
        holder = select(commands.c.claimant).where(
            commands.c.comment_id == comment_id, commands.c.updated_at == updated_at, commands.c.line == line
        )
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_nothing(index_elements=["comment_id", "updated_at", "line"]))
            return bool(connection.execute(holder).scalar_one() == claimant)
