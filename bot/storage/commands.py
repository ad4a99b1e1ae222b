"""Which commands were carried out: the same comment may arrive under two GUIDs, and acts once."""

from sqlalchemy import select

from bot.storage.database import Database
from bot.storage.store import adding
from bot.storage.tables import command_claims, commands


class Commands:
    """A command is claimed by a key of its own in one version of a comment, as `issue:accept`."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def claim(self, comment_id: int, updated_at: str, key: str, *, claimant: str) -> bool:
        """Whether `claimant` (a workflow id) may carry this command out.

        The first claimant may, and is told so again when it asks again; everybody else may not.
        """
        if self._done_before_keys(comment_id, updated_at, claimant):
            return False
        claim = {"comment_id": comment_id, "updated_at": updated_at, "key": key, "claimant": claimant}
        table = command_claims.c
        holder = select(table.claimant).where(
            table.comment_id == comment_id, table.updated_at == updated_at, table.key == key
        )
        with self._engine.begin() as connection:
            connection.execute(adding(self._engine, command_claims, claim))
            return bool(connection.execute(holder).scalar_one() == claimant)

    def _done_before_keys(self, comment_id: int, updated_at: str, claimant: str) -> bool:
        """Whether another run of the same workflow did it when commands were claimed by their lines."""
        query = select(commands.c.claimant).where(
            commands.c.comment_id == comment_id, commands.c.updated_at == updated_at
        )
        with self._engine.connect() as connection:
            others = connection.execute(query).scalars().all()
        workflow = claimant.partition(":")[0]
        return any(other.partition(":")[0] == workflow and other != claimant for other in others)
