"""Whether an issue's repository is private, for looks that no delivery brings about; and why the policy leaves a pull
request alone."""

import sqlalchemy as sa
from alembic import op

revision = "m0014"
down_revision = "m0013"


def upgrade() -> None:
    op.add_column("subjects", sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("gates", sa.Column("left_alone", sa.Text(), nullable=False, server_default=""))
