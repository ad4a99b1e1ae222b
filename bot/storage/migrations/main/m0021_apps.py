"""Which Apps were served, so that setting up one through a page stays closed. An earlier version reads none of it."""

import sqlalchemy as sa
from alembic import op

revision = "m0021"
down_revision = "m0020"


def upgrade() -> None:
    op.create_table(
        "apps",
        sa.Column("app_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
    )
