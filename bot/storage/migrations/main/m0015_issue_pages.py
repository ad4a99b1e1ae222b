"""The secret address of an issue's page, given when it is first needed; and why the policy leaves an issue alone."""

import sqlalchemy as sa
from alembic import op

revision = "m0015"
down_revision = "m0014"


def upgrade() -> None:
    op.add_column("subjects", sa.Column("token", sa.Text()))
    op.add_column("subjects", sa.Column("digest", sa.Text()))
    op.add_column("subjects", sa.Column("left_alone", sa.Text(), nullable=False, server_default=""))
    op.create_index("ix_subjects_digest", "subjects", ["digest"], unique=True)
