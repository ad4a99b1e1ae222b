"""Tests that a model wrote from a specification, and maintainers' answers to what verification left open."""

import sqlalchemy as sa
from alembic import op

revision = "m0003"
down_revision = "m0002"


def moment() -> sa.DateTime:
    return sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "written_tests",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("tests", sa.Text(), nullable=False),
        sa.Column("written_at", moment(), nullable=False),
    )
    op.create_table(
        "answers",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("question", sa.Text(), primary_key=True),
        sa.Column("specification", sa.Text(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("expected", sa.Text()),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("at", moment(), nullable=False),
    )
    op.create_index("answers_specification", "answers", ["repo_id", "specification"])
