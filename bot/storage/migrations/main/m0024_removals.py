"""How many verdicts retention removed. An earlier version removes none and reads none of it."""

import sqlalchemy as sa
from alembic import op

revision = "m0024"
down_revision = "m0023"


def upgrade() -> None:
    op.create_table(
        "removals",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("verdicts", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
    )
