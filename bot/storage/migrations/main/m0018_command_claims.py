"""Commands are claimed by keys of their own, and no longer by the number of their line."""

import sqlalchemy as sa
from alembic import op

revision = "m0018"
down_revision = "m0017"


def upgrade() -> None:
    op.create_table(
        "command_claims",
        sa.Column("comment_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("updated_at", sa.Text(), primary_key=True),
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("claimant", sa.Text(), nullable=False),
    )
