"""What a later version may do to tables: columns with a default, an index, a table."""

import sqlalchemy as sa
from alembic import op

from bot.storage.schema import MAIN

revision = "m9999"
down_revision = MAIN.head


def upgrade() -> None:
    op.add_column("subjects", sa.Column("later", sa.Text(), nullable=False, server_default="new"))
    op.add_column("decisions", sa.Column("later", sa.BigInteger()))
    op.create_index("decisions_later", "decisions", ["later"])
    op.create_table("later", sa.Column("id", sa.BigInteger(), primary_key=True, autoincrement=False))
