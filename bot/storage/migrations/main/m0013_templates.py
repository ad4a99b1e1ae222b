"""The issue templates of repositories as last fetched."""

import sqlalchemy as sa
from alembic import op

revision = "m0013"
down_revision = "m0012"


def upgrade() -> None:
    op.create_table(
        "templates",
        sa.Column("repository", sa.Text(), primary_key=True),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
    )
