"""What would have been said about a new repository's last issues. An earlier version reads none of it."""

import sqlalchemy as sa
from alembic import op

revision = "m0022"
down_revision = "m0021"


def upgrade() -> None:
    op.create_table(
        "welcomes",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False, index=True),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False, unique=True, index=True),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("issues", sa.Text(), nullable=False),
    )
