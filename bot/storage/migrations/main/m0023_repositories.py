"""What is known of each repository, for whoever may see its pages; pages of review bots' rejections; and which door a
decision came from and by which rule, so that dashboards need not read every verdict. An earlier version leaves the new
columns empty."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "m0023"
down_revision = "m0022"

_SUBJECT = """UPDATE decisions SET subject = CASE
WHEN workflow_id IN (SELECT run_id FROM judgements) THEN 'pull request'
WHEN kind IS NOT NULL OR label IN ('WELL_SPECIFIED', 'REASONABLY_SPECIFIED', 'VAGUE', 'IMPOSSIBLE_TO_SOLVE')
THEN 'issue' ELSE 'review bot''s rejection' END"""
_GROUND = {
    "sqlite": "UPDATE decisions SET ground = coalesce(json_extract(verdict, '$.ground'), '')",
    "postgresql": "UPDATE decisions SET ground = coalesce(verdict::json ->> 'ground', '')",
}
_KNOWN = """INSERT INTO repositories (repo_id, installation_id, full_name, private, heard_at)
SELECT repo_id, max(installation_id), max(repository), {private}, :now FROM subjects GROUP BY repo_id"""

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)  # any delivery is newer


def upgrade() -> None:
    op.create_table(
        "repositories",
        sa.Column("repo_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False, index=True),
        sa.Column("full_name", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("heard_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "rejections",
        sa.Column("run_id", sa.Text(), primary_key=True),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("repo_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("installation_id", sa.BigInteger(), nullable=False, index=True),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.UniqueConstraint("digest", name="rejections_digest"),
    )
    op.create_index("rejections_subject", "rejections", ["repo_id", "number"])
    op.drop_index("decisions_repo_at", "decisions")
    op.create_index("gates_state", "gates", ["repo_id", "state"])
    op.create_index("subjects_held", "subjects", ["repo_id", "held", "state"])
    op.create_index("subjects_waiting", "subjects", ["repo_id", "retry_at"])
    op.add_column("decisions", sa.Column("subject", sa.Text()))
    op.add_column("decisions", sa.Column("ground", sa.Text()))
    dialect = op.get_bind().dialect.name
    op.execute(_SUBJECT)
    op.execute(_GROUND[dialect])
    op.create_index("decisions_repo_at", "decisions", ["repo_id", "at", "subject", "decision"])
    private = "bool_or(private)" if dialect == "postgresql" else "max(private)"
    known = sa.text(_KNOWN.format(private=private))
    op.execute(known.bindparams(sa.bindparam("now", _LONG_AGO, sa.DateTime(timezone=True))))
