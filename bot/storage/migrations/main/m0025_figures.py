"""Everything that a dashboard counts stands in the index, so that it need not read the verdicts."""

from alembic import op

revision = "m0025"
down_revision = "m0024"

_COUNTED = ("repo_id", "at", "seq", "subject", "decision", "number", "mode", "kind", "ground", "judge")
_COST = ("calls", "tokens_in", "tokens_out", "money")


def upgrade() -> None:
    op.drop_index("decisions_repo_at", "decisions")
    op.create_index("decisions_repo_at", "decisions", [*_COUNTED, *_COST])
