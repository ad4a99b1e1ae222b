"""Whether a commit's check run may be in progress, so that whoever leaves the commit completes it."""

import sqlalchemy as sa
from alembic import op

revision = "m0016"
down_revision = "m0015"


def upgrade() -> None:
    op.add_column("check_runs", sa.Column("open", sa.Boolean(), nullable=False, server_default=sa.false()))
