"""A judgement's result as deciding made it; the page is made of it when somebody looks."""

import sqlalchemy as sa
from alembic import op

revision = "m0017"
down_revision = "m0016"


def upgrade() -> None:
    op.add_column("judgements", sa.Column("result", sa.Text(), nullable=False, server_default=""))
