"""Which commands were carried out: the same comment may arrive under two GUIDs, and acts once."""

from datetime import datetime

from sqlalchemy import delete, select

from bot.storage.database import Database
from bot.storage.store import adding, write
from bot.storage.tables import commands


class Commands:
    """A command is claimed by a key of its own in one version of a comment, as `issue:accept`."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def claim(self, comment_id: int, updated_at: str, key: str, *, claimant: str, now: datetime) -> bool:
        """Whether `claimant` (a workflow id) may carry this command out.

        The first claimant may, and is told so again when it asks again; everybody else may not.
        """
        claim = {"comment_id": comment_id, "updated_at": updated_at, "key": key, "claimant": claimant, "at": now}
        table = commands.c
        holder = select(table.claimant).where(
            table.comment_id == comment_id, table.updated_at == updated_at, table.key == key
        )
        with self._engine.begin() as connection:
            connection.execute(adding(self._engine, commands, claim))
            return bool(connection.execute(holder).scalar_one() == claimant)

    def prune(self, before: datetime) -> int:
        """Forget older claims; how many there were. Who asks knows that no delivery of them can come again."""
        return write(self._engine, delete(commands).where(commands.c.at < before))
