"""Pull requests whose rejection was put to the test: the newest rejection, and Bouncer's comment about it."""

import sqlalchemy as sa
from alembic import op

revision = "m0004"
down_revision = "m0003"


def upgrade() -> None:
    op.create_table(
        "pulls",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("review", sa.Text()),
        sa.Column("comment_id", sa.BigInteger()),
        sa.Column("question", sa.Text(), nullable=False),
    )
    op.create_index("ix_pulls_installation_id", "pulls", ["installation_id"])
