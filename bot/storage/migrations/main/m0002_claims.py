"""Rejections are kept claim by claim: where each stands, what it is about, and what became of it."""

import sqlalchemy as sa
from alembic import op

revision = "m0002"
down_revision = "m0001"


def upgrade() -> None:
    for name, default in (("place", ""), ("topic", "unstated"), ("outcome", "open")):
        op.add_column("rejections", sa.Column(name, sa.Text(), nullable=False, server_default=default))
    op.add_column("rejections", sa.Column("remark", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("rejections", sa.Column("resolved", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE rejections SET outcome = 'refuted' WHERE decision = 'ACCEPT'")
    op.execute("UPDATE rejections SET outcome = 'held' WHERE decision = 'BOUNCE'")
    op.create_index("rejections_at", "rejections", ["repo_id", "at"])
