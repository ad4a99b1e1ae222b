"""What a later version may do to the inbox."""

import sqlalchemy as sa
from alembic import op

from bot.storage.schema import INBOX

revision = "i9999"
down_revision = INBOX.head


def upgrade() -> None:
    op.add_column("inbox", sa.Column("later", sa.Text(), nullable=False, server_default="new"))
