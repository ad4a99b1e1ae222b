"""Every judgement of a commit, with its page and the secret address of that."""

import sqlalchemy as sa
from alembic import op

revision = "m0007"
down_revision = "m0006"


def upgrade() -> None:
    op.create_table(
        "judgements",
        sa.Column("run_id", sa.Text(), primary_key=True),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("repo_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("annotations", sa.Text(), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.UniqueConstraint("digest", name="judgements_digest"),
    )
    op.create_index("ix_judgements_installation_id", "judgements", ["installation_id"])
    op.create_index("judgements_subject", "judgements", ["repo_id", "number"])
    op.create_index("judgements_head", "judgements", ["repo_id", "head"])
