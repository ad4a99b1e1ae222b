"""Signs of life, for the landing page. An earlier version gives and reads none."""

import sqlalchemy as sa
from alembic import op

revision = "m0026"
down_revision = "m0025"


def upgrade() -> None:
    op.create_table(
        "signs",
        sa.Column("what", sa.Text(), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
    )
