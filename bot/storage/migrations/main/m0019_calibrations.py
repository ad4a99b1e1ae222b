"""What judges' labels are worth on this server, and in single repositories. An earlier version reads none of it."""

import sqlalchemy as sa
from alembic import op

revision = "m0019"
down_revision = "m0018"


def upgrade() -> None:
    op.create_table(
        "calibrations",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("judge", sa.Text(), primary_key=True),
        sa.Column("source", sa.Text(), primary_key=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("calibration", sa.Text(), nullable=False),
    )
