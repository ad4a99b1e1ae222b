"""What became of a report's bug: what was found, what was said of it, and the brief for coding agents."""

import sqlalchemy as sa
from alembic import op

revision = "m0008"
down_revision = "m0007"


def upgrade() -> None:
    op.create_table(
        "fixes",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("found", sa.Text(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("brief", sa.Text(), nullable=False),
        sa.Column("brief_wanted", sa.Boolean(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("told_at", sa.DateTime(timezone=True)),
        sa.Column("close_at", sa.DateTime(timezone=True)),
        sa.Column("objected", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_fixes_installation_id", "fixes", ["installation_id"])
    op.create_index("ix_fixes_close_at", "fixes", ["close_at"])
