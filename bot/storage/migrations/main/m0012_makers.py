"""Who pushed to a pull request, which ones are a coding agent's for good, a maintainer's word that one is a person's,
and the base branch that a verdict and an override are about."""

import sqlalchemy as sa
from alembic import op

revision = "m0012"
down_revision = "m0011"


def upgrade() -> None:
    op.create_table(
        "pushes",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("head", sa.Text(), primary_key=True),
        sa.Column("who", sa.Text(), primary_key=True),
        sa.Column("is_bot", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("pushes_head", "pushes", ["repo_id", "head"])
    op.create_table(
        "agent_pulls",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("reasons", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "person_words",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("repo_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("permission", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("said_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("ended_by", sa.Text(), nullable=False),
    )
    op.create_index("person_words_subject", "person_words", ["repo_id", "number"])
    op.add_column("gates", sa.Column("base_branch", sa.Text(), nullable=False, server_default=""))
    op.add_column("overrides", sa.Column("base_branch", sa.Text(), nullable=False, server_default=""))
