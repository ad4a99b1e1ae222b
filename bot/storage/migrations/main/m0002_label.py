"""The name of the label that holds an issue: the policy may have another one by the time it is taken off."""

import sqlalchemy as sa
from alembic import op

revision = "m0002"
down_revision = "m0001"


def upgrade() -> None:
    op.add_column("subjects", sa.Column("label", sa.Text(), nullable=False, server_default=""))
