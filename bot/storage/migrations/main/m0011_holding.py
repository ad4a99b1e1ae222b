"""Whether what a pull request's issues show was known to fail still when it was judged."""

import sqlalchemy as sa
from alembic import op

revision = "m0011"
down_revision = "m0010"


def upgrade() -> None:
    op.add_column("fixes_used", sa.Column("holding", sa.Boolean(), nullable=False, server_default=sa.false()))
