"""What each pull request was judged by of its issues' fixes; whether all that is said of a fix was written."""

import sqlalchemy as sa
from alembic import op

revision = "m0010"
down_revision = "m0009"


def upgrade() -> None:
    op.create_table(
        "fixes_used",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("pull", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("issue", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("unneeded", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_fixes_used_installation_id", "fixes_used", ["installation_id"])
    op.create_index("fixes_used_issue", "fixes_used", ["repo_id", "issue"])
    op.add_column("fixes", sa.Column("written", sa.Boolean(), nullable=False, server_default=sa.true()))
