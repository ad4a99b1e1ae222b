"""Subjects, the ledger, installations, commands and cached policies."""

import sqlalchemy as sa
from alembic import op

revision = "m0001"
down_revision = None

big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def moment() -> sa.DateTime:
    return sa.DateTime(timezone=True)


def key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), primary_key=True, autoincrement=False)


def upgrade() -> None:
    op.create_table(
        "subjects",
        key("repo_id"),
        key("number"),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("label_by_human", sa.Boolean(), nullable=False),
        sa.Column("comment_id", sa.BigInteger()),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("satisfied", sa.Text(), nullable=False),
        sa.Column("judged_hash", sa.Text(), nullable=False),
        sa.Column("latest_seq", sa.BigInteger(), nullable=False),
        sa.Column("verdict", sa.Text()),
        sa.Column("asked_at", moment()),
        sa.Column("reminded_at", moment()),
        sa.Column("retry_at", moment()),
        sa.Column("retries", sa.Integer(), nullable=False),
    )
    op.create_index("ix_subjects_installation_id", "subjects", ["installation_id"])
    op.create_index("ix_subjects_retry_at", "subjects", ["retry_at"])

    op.create_table(
        "decisions",
        sa.Column("workflow_id", sa.Text(), primary_key=True),
        sa.Column("repo_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", moment(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("probability", sa.Float()),
        sa.Column("judge", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text()),
        sa.Column("applied", sa.Text(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("tokens_in", sa.BigInteger(), nullable=False),
        sa.Column("tokens_out", sa.BigInteger(), nullable=False),
        sa.Column("money", sa.Float(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
    )
    op.create_index("decisions_repo_at", "decisions", ["repo_id", "at"])

    op.create_table(
        "spending",
        sa.Column("id", big, sa.Identity(always=True), primary_key=True),
        sa.Column("workflow_id", sa.Text(), nullable=False),
        sa.Column("at", moment(), nullable=False),
        sa.Column("judge", sa.Text(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("tokens_in", sa.BigInteger(), nullable=False),
        sa.Column("tokens_out", sa.BigInteger(), nullable=False),
        sa.Column("money", sa.Float(), nullable=False),
    )
    op.create_index("ix_spending_at", "spending", ["at"])

    op.create_table(
        "disagreements",
        sa.Column("workflow_id", sa.Text(), primary_key=True),
        sa.Column("repo_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("at", moment(), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text()),
    )
    op.create_index("disagreements_subject", "disagreements", ["repo_id", "number"])

    op.create_table(
        "installations",
        key("id"),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("created_at", moment(), nullable=False),
        sa.Column("suspended", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "installed_repositories",
        key("installation_id"),
        key("repo_id"),
        sa.Column("full_name", sa.Text(), nullable=False),
        sa.Column("added_at", moment(), nullable=False),
    )
    op.create_table(
        "commands",
        key("comment_id"),
        sa.Column("updated_at", sa.Text(), primary_key=True),
        sa.Column("line", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("claimant", sa.Text(), nullable=False),
    )
    op.create_table(
        "policies",
        sa.Column("repository", sa.Text(), primary_key=True),
        sa.Column("text", sa.Text()),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("fetched_at", moment(), nullable=False),
    )
