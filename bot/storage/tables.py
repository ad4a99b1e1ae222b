"""Every table as SQLAlchemy Core metadata: `main` for the application, `inbox` for deliveries.

On SQLite the two live in a file each. A new database is made of this; an older one gets there by migrations, and a test
holds that it is the same then.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    Identity,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy import text as condition
from sqlalchemy.schema import SchemaItem

BigInt = BigInteger().with_variant(Integer(), "sqlite")  # only INTEGER may be SQLite's row id


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime; SQLite itself would silently drop the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs a time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def columns(kind: Any, *names: str, nullable: bool = False, **options: Any) -> Iterable[Column[Any]]:
    """Columns of one kind."""
    return [Column(name, kind, nullable=nullable, autoincrement=False, **options) for name in names]


text = partial(columns, Text)
number = partial(columns, BigInteger)
count = partial(columns, Integer)
amount = partial(columns, Float)
flag = partial(columns, Boolean)
moment = partial(columns, Moment)


inbox_metadata = MetaData()
main_metadata = MetaData()
_PENDING = condition("routed_at IS NULL")

inbox = Table(
    "inbox",
    inbox_metadata,
    Column("seq", BigInt, Identity(always=True), primary_key=True),
    *text("guid", "delivery"),
    *moment("received_at"),
    *moment("routed_at", nullable=True),
    UniqueConstraint("guid", name="inbox_guid"),
    # The pump asks for unrouted rows many times a second; routed ones pile up for a week.
    Index("inbox_pending", "seq", sqlite_where=_PENDING, postgresql_where=_PENDING),
    sqlite_autoincrement=True,
)


def table(name: str, *parts: SchemaItem) -> Table:
    return Table(name, main_metadata, *parts)


subjects = table(
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
    Index("subjects_held", "repo_id", "held", "state"),
    Index("subjects_waiting", "repo_id", "retry_at"),
)

# All that figures are made of, for beside it a row is long, and dashboards count very many.
_COUNTED = ("repo_id", "at", "seq", "subject", "decision", "number", "mode", "kind", "ground", "judge")
decisions = table(
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
    Index("decisions_repo_at", *_COUNTED, "calls", "tokens_in", "tokens_out", "money"),
)

spending = table(
    "spending",
    Column("id", BigInt, Identity(always=True), primary_key=True),
    *text("workflow_id"),
    *moment("at", index=True),
    *text("judge"),
    *count("calls"),
    *number("tokens_in", "tokens_out"),
    *amount("money"),
)

disagreements = table(
    "disagreements",
    *text("workflow_id", primary_key=True),
    *number("repo_id", "number"),
    *text("who"),
    *moment("at"),
    *text("act"),
    *text("verdict", nullable=True),
    Index("disagreements_subject", "repo_id", "number"),
)

endings = table(
    "endings",
    *text("guid", primary_key=True),
    *number("repo_id", "number"),
    *text("sort", "who"),
    *flag("by_maintainer"),
    *text("issues"),
    *moment("at", index=True),
)

installations = table(
    "installations",
    *number("id", primary_key=True),
    *text("account"),
    *moment("created_at"),
    *flag("suspended"),
)

installed_repositories = table(
    "installed_repositories",
    *number("installation_id", "repo_id", primary_key=True),
    *text("full_name"),
    *moment("added_at"),
)

repositories = table(
    "repositories",
    *number("repo_id", primary_key=True),
    *number("installation_id", index=True),
    *text("full_name"),
    *flag("private"),
    *moment("heard_at"),
)

reviews = table(
    "reviews",
    *number("repo_id", "number", primary_key=True),
    *number("installation_id", index=True),
    *text("review", nullable=True),
    *number("comment_id", nullable=True),
    *text("question"),
)

gates = table(
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
    Index("gates_head", "repo_id", "head"),
    Index("gates_state", "repo_id", "state"),
)

merge_groups = table(
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

check_runs = table(
    "check_runs",
    *number("repo_id", primary_key=True),
    *text("head", primary_key=True),
    *number("run_id"),
    *flag("annotated", "open"),
    *moment("at"),
)

overrides = table(
    "overrides",
    *text("id", primary_key=True),
    *number("repo_id", "number"),
    *text("head", "who", "permission", "reason"),
    *moment("at"),
    *text("verdict", nullable=True),
    *moment("ended_at", nullable=True),
    *text("ended_by", "carried_from", "base_branch"),
    Index("overrides_subject", "repo_id", "number"),
)

pushes = table(
    "pushes",
    *number("repo_id", "number", primary_key=True),
    *text("head", "who", primary_key=True),
    *flag("is_bot"),
    *moment("at"),
    Index("pushes_head", "repo_id", "head"),
)

agent_pulls = table(
    "agent_pulls",
    *number("repo_id", "number", primary_key=True),
    *text("reasons"),
    *moment("at"),
)

person_words = table(
    "person_words",
    *text("id", primary_key=True),
    *number("repo_id", "number"),
    *text("head", "who", "permission", "reason"),
    *moment("said_at", "at"),
    *moment("ended_at", nullable=True),
    *text("ended_by"),
    Index("person_words_subject", "repo_id", "number"),
)

judgements = table(
    "judgements",
    *text("run_id", primary_key=True),
    *text("digest", "token"),
    *number("repo_id", "number"),
    *number("installation_id", index=True),
    *text("repository", "head"),
    *moment("at"),
    *text("decision", "sentence", "annotations", "result"),
    UniqueConstraint("digest", name="judgements_digest"),
    Index("judgements_head", "repo_id", "head"),
    Index("judgements_subject", "repo_id", "number"),
)

rejections = table(
    "rejections",
    *text("run_id", primary_key=True),
    *text("digest", "token"),
    *number("repo_id", "number"),
    *number("installation_id", index=True),
    *text("repository", "head"),
    *moment("at"),
    *text("decision", "sentence", "reviewer", "result"),
    *text("place", "topic", "outcome"),
    *number("remark"),
    *flag("resolved"),
    UniqueConstraint("digest", name="rejections_digest"),
    Index("rejections_subject", "repo_id", "number"),
    Index("rejections_at", "repo_id", "at"),
)

fixes = table(
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

fixes_used = table(
    "fixes_used",
    *number("repo_id", "pull", "issue", primary_key=True),
    *number("installation_id", index=True),
    *flag("unneeded"),
    Index("fixes_used_issue", "repo_id", "issue"),
)

commands = table(
    "commands",
    *number("comment_id", primary_key=True),
    *text("updated_at", "key", primary_key=True),
    *text("claimant"),
    *moment("at", index=True),
)

policies = table(
    "policies",
    *text("repository", primary_key=True),
    *text("text", nullable=True),
    *text("etag"),
    *moment("fetched_at"),
    *text("valid", nullable=True),
)

templates = table(
    "templates",
    *text("repository", primary_key=True),
    *text("etag", "files"),
    *moment("fetched_at"),
)

written_tests = table(
    "written_tests",
    *number("repo_id", primary_key=True),
    *text("key", primary_key=True),
    *text("tests"),
    *moment("written_at"),
)

calibrations = table(
    "calibrations",
    *number("repo_id", primary_key=True),
    *text("judge", "source", primary_key=True),
    *moment("made_at"),
    *text("calibration"),
)

answers = table(
    "answers",
    *number("repo_id", "number", primary_key=True),
    *text("question", primary_key=True),
    *text("specification", "call"),
    *text("expected", nullable=True),
    *text("who"),
    *moment("at"),
    Index("answers_specification", "repo_id", "specification"),
)

# Which Apps this database served; 0: one whose id the web process did not know.
apps = table(
    "apps",
    *number("app_id", primary_key=True),
    *moment("seen_at"),
)

# What workers tell of themselves, and when: see `bot/storage/heartbeats.py`.
signs = table(
    "signs",
    *text("what", primary_key=True),
    *moment("at"),
    *number("count"),
)

# How many verdicts of each repository were removed because they were kept long enough, and up to when.
removals = table(
    "removals",
    *number("repo_id", primary_key=True),
    *number("verdicts"),
    *moment("until"),
)

welcomes = table(
    "welcomes",
    *number("repo_id", primary_key=True),
    *number("installation_id", index=True),
    *text("repository", "token"),
    *text("digest", unique=True, index=True),
    *text("branch"),
    *moment("made_at"),
    *text("issues"),
)
