"""The gate of each pull request, and every override there ever was."""

import sqlalchemy as sa
from alembic import op

revision = "m0005"
down_revision = "m0004"


def upgrade() -> None:
    op.create_table(
        "gates",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text()),
        sa.Column("judged", sa.Text(), nullable=False),
        sa.Column("labelled", sa.Boolean(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_gates_installation_id", "gates", ["installation_id"])
    op.create_index("ix_gates_due_at", "gates", ["due_at"])
    op.create_index("gates_head", "gates", ["repo_id", "head"])
    op.create_table(
        "overrides",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("repo_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("permission", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("verdict", sa.Text()),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("ended_by", sa.Text(), nullable=False),
    )
    op.create_index("overrides_subject", "overrides", ["repo_id", "number"])
