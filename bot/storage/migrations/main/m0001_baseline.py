"""Every table of `main` as version 0.1.0 has it. Frozen: what changes later is a migration of its own."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "m0001"
down_revision = None


def columns(kind: Any, *names: str, nullable: bool = False, **options: Any) -> Iterable[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=nullable, autoincrement=False, **options) for name in names]


text = partial(columns, sa.Text())
number = partial(columns, sa.BigInteger())
count = partial(columns, sa.Integer())
amount = partial(columns, sa.Float())
flag = partial(columns, sa.Boolean())
moment = partial(columns, sa.DateTime(timezone=True))
row_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "subjects",
        *number("repo_id", "number", primary_key=True),
        *number("installation_id", index=True),
        *text("repository", "author", "state"),
        *flag("held", "label_by_human"),
        *text("label"),
        *number("comment_id", nullable=True),
        *text("asked", "satisfied", "judged_hash"),
        *number("latest_seq"),
        *text("verdict", nullable=True),
        *moment("asked_at", "reminded_at", nullable=True),
        *moment("retry_at", nullable=True, index=True),
        *count("retries"),
        *flag("private"),
        *text("token", nullable=True),
        *text("digest", nullable=True, unique=True, index=True),
        *text("left_alone"),
        sa.Index("subjects_held", "repo_id", "held", "state"),
        sa.Index("subjects_waiting", "repo_id", "retry_at"),
    )
    op.create_table(
        "decisions",
        *text("workflow_id", primary_key=True),
        *number("repo_id", "number"),
        *text("author"),
        *moment("at"),
        *number("seq"),
        *text("mode", "decision"),
        *text("label", nullable=True),
        *amount("probability", nullable=True),
        *text("judge"),
        *text("kind", nullable=True),
        *text("applied"),
        *count("calls"),
        *number("tokens_in", "tokens_out"),
        *amount("money", "seconds"),
        *text("verdict", "subject", "ground"),
        sa.Index(
            *("decisions_repo_at", "repo_id", "at", "seq", "subject", "decision", "number", "mode", "kind", "ground"),
            *("judge", "calls", "tokens_in", "tokens_out", "money"),
        ),
    )
    op.create_table(
        "spending",
        sa.Column("id", row_id, sa.Identity(always=True), primary_key=True),
        *text("workflow_id"),
        *moment("at", index=True),
        *text("judge"),
        *count("calls"),
        *number("tokens_in", "tokens_out"),
        *amount("money"),
    )
    op.create_table(
        "disagreements",
        *text("workflow_id", primary_key=True),
        *number("repo_id", "number"),
        *text("who"),
        *moment("at"),
        *text("act"),
        *text("verdict", nullable=True),
        sa.Index("disagreements_subject", "repo_id", "number"),
    )
    op.create_table(
        "endings",
        *text("guid", primary_key=True),
        *number("repo_id", "number"),
        *text("sort", "who"),
        *flag("by_maintainer"),
        *text("issues"),
        *moment("at", index=True),
    )
    op.create_table(
        "installations",
        *number("id", primary_key=True),
        *text("account"),
        *moment("created_at"),
        *flag("suspended"),
    )
    op.create_table(
        "installed_repositories",
        *number("installation_id", "repo_id", primary_key=True),
        *text("full_name"),
        *moment("added_at"),
    )
    op.create_table(
        "repositories",
        *number("repo_id", primary_key=True),
        *number("installation_id", index=True),
        *text("full_name"),
        *flag("private"),
        *moment("heard_at"),
    )
    op.create_table(
        "reviews",
        *number("repo_id", "number", primary_key=True),
        *number("installation_id", index=True),
        *text("review", nullable=True),
        *number("comment_id", nullable=True),
        *text("question"),
    )
    op.create_table(
        "gates",
        *number("repo_id", "number", primary_key=True),
        *number("installation_id", index=True),
        *text("repository", "head", "state"),
        *text("decision", nullable=True),
        *text("judged"),
        *flag("labelled"),
        *moment("due_at", nullable=True, index=True),
        *text("run_id"),
        *moment("pushed_at", nullable=True),
        *text("bounced"),
        *flag("people_asked"),
        *text("base_branch", "left_alone"),
        sa.Index("gates_head", "repo_id", "head"),
        sa.Index("gates_state", "repo_id", "state"),
    )
    op.create_table(
        "merge_groups",
        *number("repo_id", primary_key=True),
        *text("head", primary_key=True),
        *number("installation_id", index=True),
        *text("repository"),
        *number("number"),
        *text("state", "pulls", "base", "stood"),
        *moment("asked_at"),
        *moment("due_at", nullable=True, index=True),
    )
    op.create_table(
        "check_runs",
        *number("repo_id", primary_key=True),
        *text("head", primary_key=True),
        *number("run_id"),
        *flag("annotated", "open"),
        *moment("at"),
    )
    op.create_table(
        "overrides",
        *text("id", primary_key=True),
        *number("repo_id", "number"),
        *text("head", "who", "permission", "reason"),
        *moment("at"),
        *text("verdict", nullable=True),
        *moment("ended_at", nullable=True),
        *text("ended_by", "carried_from", "base_branch"),
        sa.Index("overrides_subject", "repo_id", "number"),
    )
    op.create_table(
        "pushes",
        *number("repo_id", "number", primary_key=True),
        *text("head", "who", primary_key=True),
        *flag("is_bot"),
        *moment("at"),
        sa.Index("pushes_head", "repo_id", "head"),
    )
    op.create_table(
        "agent_pulls",
        *number("repo_id", "number", primary_key=True),
        *text("reasons"),
        *moment("at"),
    )
    op.create_table(
        "person_words",
        *text("id", primary_key=True),
        *number("repo_id", "number"),
        *text("head", "who", "permission", "reason"),
        *moment("said_at", "at"),
        *moment("ended_at", nullable=True),
        *text("ended_by"),
        sa.Index("person_words_subject", "repo_id", "number"),
    )
    op.create_table(
        "judgements",
        *text("run_id", primary_key=True),
        *text("digest", "token"),
        *number("repo_id", "number"),
        *number("installation_id", index=True),
        *text("repository", "head"),
        *moment("at"),
        *text("decision", "sentence", "annotations", "result"),
        sa.UniqueConstraint("digest", name="judgements_digest"),
        sa.Index("judgements_head", "repo_id", "head"),
        sa.Index("judgements_subject", "repo_id", "number"),
    )
    op.create_table(
        "rejections",
        *text("run_id", primary_key=True),
        *text("digest", "token"),
        *number("repo_id", "number"),
        *number("installation_id", index=True),
        *text("repository", "head"),
        *moment("at"),
        *text("decision", "sentence", "reviewer", "result"),
        sa.UniqueConstraint("digest", name="rejections_digest"),
        sa.Index("rejections_subject", "repo_id", "number"),
    )
    op.create_table(
        "fixes",
        *number("repo_id", "number", primary_key=True),
        *number("installation_id", index=True),
        *text("repository", "run_id", "digest", "found", "said", "brief"),
        *flag("brief_wanted"),
        *text("label"),
        *moment("told_at", nullable=True),
        *moment("close_at", nullable=True, index=True),
        *flag("objected", "written"),
    )
    op.create_table(
        "fixes_used",
        *number("repo_id", "pull", "issue", primary_key=True),
        *number("installation_id", index=True),
        *flag("unneeded", "holding"),
        sa.Index("fixes_used_issue", "repo_id", "issue"),
    )
    op.create_table(
        "commands",
        *number("comment_id", primary_key=True),
        *text("updated_at", "key", primary_key=True),
        *text("claimant"),
        *moment("at", index=True),
    )
    op.create_table(
        "policies",
        *text("repository", primary_key=True),
        *text("text", nullable=True),
        *text("etag"),
        *moment("fetched_at"),
        *text("valid", nullable=True),
    )
    op.create_table(
        "templates",
        *text("repository", primary_key=True),
        *text("etag", "files"),
        *moment("fetched_at"),
    )
    op.create_table(
        "written_tests",
        *number("repo_id", primary_key=True),
        *text("key", primary_key=True),
        *text("tests"),
        *moment("written_at"),
    )
    op.create_table(
        "calibrations",
        *number("repo_id", primary_key=True),
        *text("judge", "source", primary_key=True),
        *moment("made_at"),
        *text("calibration"),
    )
    op.create_table(
        "answers",
        *number("repo_id", "number", primary_key=True),
        *text("question", primary_key=True),
        *text("specification", "call"),
        *text("expected", nullable=True),
        *text("who"),
        *moment("at"),
        sa.Index("answers_specification", "repo_id", "specification"),
    )
    op.create_table(
        "apps",
        *number("app_id", primary_key=True),
        *moment("seen_at"),
    )
    op.create_table(
        "signs",
        *text("what", primary_key=True),
        *moment("at"),
        *number("count"),
    )
    op.create_table(
        "removals",
        *number("repo_id", primary_key=True),
        *number("verdicts"),
        *moment("until"),
    )
    op.create_table(
        "welcomes",
        *number("repo_id", primary_key=True),
        *number("installation_id", index=True),
        *text("repository", "token"),
        *text("digest", unique=True, index=True),
        *text("branch"),
        *moment("made_at"),
        *text("issues"),
    )
