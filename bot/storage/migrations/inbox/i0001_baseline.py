"""The inbox as version 0.1.0 has it. Frozen: what changes later is a migration of its own."""

import sqlalchemy as sa
from alembic import op

revision = "i0001"
down_revision = None

big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "inbox",
        sa.Column("seq", big, sa.Identity(always=True), primary_key=True),
        sa.Column("guid", sa.Text(), nullable=False),
        sa.Column("delivery", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("routed_at", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("guid", name="inbox_guid"),
        sqlite_autoincrement=True,
    )
    pending = sa.text("routed_at IS NULL")
    op.create_index("inbox_pending", "inbox", ["seq"], sqlite_where=pending, postgresql_where=pending)
