"""How issues and pull requests ended, for `bouncer report`. An earlier version reads none of it."""

import sqlalchemy as sa
from alembic import op

revision = "m0020"
down_revision = "m0019"


def upgrade() -> None:
    op.create_table(
        "endings",
        sa.Column("guid", sa.Text(), primary_key=True),
        sa.Column("repo_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("sort", sa.Text(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("by_maintainer", sa.Boolean(), nullable=False),
        sa.Column("issues", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
