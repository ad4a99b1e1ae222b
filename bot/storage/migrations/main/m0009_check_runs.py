"""Which check run shows a commit's gate. For commits of before that has to be looked up once."""

import sqlalchemy as sa
from alembic import op

revision = "m0009"
down_revision = "m0008"


def upgrade() -> None:
    op.create_table(
        "check_runs",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("head", sa.Text(), primary_key=True),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("annotated", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.execute(
        "INSERT INTO check_runs (repo_id, head, run_id, annotated, at)"
        " SELECT repo_id, head, 0, true, CURRENT_TIMESTAMP FROM gates"
        " UNION SELECT repo_id, head, 0, true, CURRENT_TIMESTAMP FROM merge_groups"
    )
