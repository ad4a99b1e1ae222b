"""Rounds of a pull request, overrides that are carried over, merge groups, and the last valid policy."""

import sqlalchemy as sa
from alembic import op

revision = "m0006"
down_revision = "m0005"


def upgrade() -> None:
    op.add_column("gates", sa.Column("run_id", sa.Text(), nullable=False, server_default=""))
    op.add_column("gates", sa.Column("pushed_at", sa.DateTime(timezone=True)))
    op.add_column("gates", sa.Column("bounced", sa.Text(), nullable=False, server_default=""))
    op.add_column("gates", sa.Column("people_asked", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("overrides", sa.Column("carried_from", sa.Text(), nullable=False, server_default=""))
    op.add_column("policies", sa.Column("valid", sa.Text()))
    op.create_table(
        "merge_groups",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("head", sa.Text(), primary_key=True),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("pulls", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("stood", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_merge_groups_installation_id", "merge_groups", ["installation_id"])
    op.create_index("ix_merge_groups_due_at", "merge_groups", ["due_at"])
