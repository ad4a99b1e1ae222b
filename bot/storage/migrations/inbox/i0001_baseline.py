"""Version 0.1.0: `migrate` makes a new database's tables as the code has them, and later changes begin here."""

revision = "i0001"
down_revision = None


def upgrade() -> None:
    """Nothing is older."""
