"""Every table as SQLAlchemy Core metadata: `main` for the application, `inbox` for deliveries.

On SQLite the two live in a file each. The schema itself comes from the migrations; a test holds the two in step.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Identity,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from bot.storage.columns import BigInt, Moment

inbox_metadata = MetaData()
main_metadata = MetaData()

inbox = Table(
    "inbox",
    inbox_metadata,
    Column("seq", BigInt, Identity(always=True), primary_key=True),
    Column("guid", Text, nullable=False),
    Column("delivery", Text, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("routed_at", Moment),
    UniqueConstraint("guid", name="inbox_guid"),
    sqlite_autoincrement=True,
)
# The pump asks for unrouted rows many times a second; routed ones pile up for a week.
Index(
    "inbox_pending",
    inbox.c.seq,
    sqlite_where=text("routed_at IS NULL"),
    postgresql_where=text("routed_at IS NULL"),
)

subjects = Table(
    "subjects",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("repository", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("held", Boolean, nullable=False),
    Column("label_by_human", Boolean, nullable=False),
    Column("label", Text, nullable=False),
    Column("comment_id", BigInteger),
    Column("asked", Text, nullable=False),
    Column("satisfied", Text, nullable=False),
    Column("judged_hash", Text, nullable=False),
    Column("latest_seq", BigInteger, nullable=False),
    Column("verdict", Text),
    Column("asked_at", Moment),
    Column("reminded_at", Moment),
    Column("retry_at", Moment, index=True),
    Column("retries", Integer, nullable=False),
    Column("private", Boolean, nullable=False),
    Column("token", Text),
    Column("digest", Text, unique=True, index=True),
    Column("left_alone", Text, nullable=False),
    Index("subjects_held", "repo_id", "held", "state"),
    Index("subjects_waiting", "repo_id", "retry_at"),
)

# All that figures are made of, for beside it a row is long, and dashboards count very many.
_COUNTED = ("repo_id", "at", "seq", "subject", "decision", "number", "mode", "kind", "ground", "judge")
decisions = Table(
    "decisions",
    main_metadata,
    Column("workflow_id", Text, primary_key=True),
    Column("repo_id", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("author", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("mode", Text, nullable=False),
    Column("decision", Text, nullable=False),
    Column("label", Text),
    Column("probability", Float),
    Column("judge", Text, nullable=False),
    Column("kind", Text),
    Column("applied", Text, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("tokens_in", BigInteger, nullable=False),
    Column("tokens_out", BigInteger, nullable=False),
    Column("money", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("ground", Text, nullable=False),
    Index("decisions_repo_at", *_COUNTED, "calls", "tokens_in", "tokens_out", "money"),
)

spending = Table(
    "spending",
    main_metadata,
    Column("id", BigInt, Identity(always=True), primary_key=True),
    Column("workflow_id", Text, nullable=False),
    Column("at", Moment, nullable=False, index=True),
    Column("judge", Text, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("tokens_in", BigInteger, nullable=False),
    Column("tokens_out", BigInteger, nullable=False),
    Column("money", Float, nullable=False),
)

disagreements = Table(
    "disagreements",
    main_metadata,
    Column("workflow_id", Text, primary_key=True),
    Column("repo_id", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("who", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("act", Text, nullable=False),
    Column("verdict", Text),
    Index("disagreements_subject", "repo_id", "number"),
)

endings = Table(
    "endings",
    main_metadata,
    Column("guid", Text, primary_key=True),
    Column("repo_id", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("sort", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("by_maintainer", Boolean, nullable=False),
    Column("issues", Text, nullable=False),
    Column("at", Moment, nullable=False, index=True),
)

installations = Table(
    "installations",
    main_metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("account", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("suspended", Boolean, nullable=False),
)

installed_repositories = Table(
    "installed_repositories",
    main_metadata,
    Column("installation_id", BigInteger, primary_key=True, autoincrement=False),
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("full_name", Text, nullable=False),
    Column("added_at", Moment, nullable=False),
)

repositories = Table(
    "repositories",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("full_name", Text, nullable=False),
    Column("private", Boolean, nullable=False),
    Column("heard_at", Moment, nullable=False),
)

reviews = Table(
    "reviews",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("review", Text),
    Column("comment_id", BigInteger),
    Column("question", Text, nullable=False),
)

gates = Table(
    "gates",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("repository", Text, nullable=False),
    Column("head", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("decision", Text),
    Column("judged", Text, nullable=False),
    Column("labelled", Boolean, nullable=False),
    Column("due_at", Moment, index=True),
    Column("run_id", Text, nullable=False),
    Column("pushed_at", Moment),
    Column("bounced", Text, nullable=False),
    Column("people_asked", Boolean, nullable=False),
    Column("base_branch", Text, nullable=False),
    Column("left_alone", Text, nullable=False),
    Index("gates_head", "repo_id", "head"),
    Index("gates_state", "repo_id", "state"),
)

merge_groups = Table(
    "merge_groups",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("head", Text, primary_key=True),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("repository", Text, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("pulls", Text, nullable=False),
    Column("base", Text, nullable=False),
    Column("stood", Text, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("due_at", Moment, index=True),
)

check_runs = Table(
    "check_runs",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("head", Text, primary_key=True),
    Column("run_id", BigInteger, nullable=False),
    Column("annotated", Boolean, nullable=False),
    Column("open", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
)

overrides = Table(
    "overrides",
    main_metadata,
    Column("id", Text, primary_key=True),
    Column("repo_id", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("head", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("permission", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("verdict", Text),
    Column("ended_at", Moment),
    Column("ended_by", Text, nullable=False),
    Column("carried_from", Text, nullable=False),
    Column("base_branch", Text, nullable=False),
    Index("overrides_subject", "repo_id", "number"),
)

pushes = Table(
    "pushes",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("head", Text, primary_key=True),
    Column("who", Text, primary_key=True),
    Column("is_bot", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
    Index("pushes_head", "repo_id", "head"),
)

agent_pulls = Table(
    "agent_pulls",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("reasons", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

person_words = Table(
    "person_words",
    main_metadata,
    Column("id", Text, primary_key=True),
    Column("repo_id", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("head", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("permission", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("said_at", Moment, nullable=False),
    Column("at", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("ended_by", Text, nullable=False),
    Index("person_words_subject", "repo_id", "number"),
)

judgements = Table(
    "judgements",
    main_metadata,
    Column("run_id", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("repo_id", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("repository", Text, nullable=False),
    Column("head", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("decision", Text, nullable=False),
    Column("sentence", Text, nullable=False),
    Column("annotations", Text, nullable=False),
    Column("result", Text, nullable=False),
    UniqueConstraint("digest", name="judgements_digest"),
    Index("judgements_subject", "repo_id", "number"),
    Index("judgements_head", "repo_id", "head"),
)

rejections = Table(
    "rejections",
    main_metadata,
    Column("run_id", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("repo_id", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("repository", Text, nullable=False),
    Column("head", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("decision", Text, nullable=False),
    Column("sentence", Text, nullable=False),
    Column("reviewer", Text, nullable=False),
    Column("result", Text, nullable=False),
    UniqueConstraint("digest", name="rejections_digest"),
    Index("rejections_subject", "repo_id", "number"),
)

fixes = Table(
    "fixes",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("repository", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("found", Text, nullable=False),
    Column("said", Text, nullable=False),
    Column("brief", Text, nullable=False),
    Column("brief_wanted", Boolean, nullable=False),
    Column("label", Text, nullable=False),
    Column("told_at", Moment),
    Column("close_at", Moment, index=True),
    Column("objected", Boolean, nullable=False),
    Column("written", Boolean, nullable=False),
)

fixes_used = Table(
    "fixes_used",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("pull", BigInteger, primary_key=True, autoincrement=False),
    Column("issue", BigInteger, primary_key=True, autoincrement=False),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("unneeded", Boolean, nullable=False),
    Column("holding", Boolean, nullable=False),
    Index("fixes_used_issue", "repo_id", "issue"),
)

commands = Table(
    "commands",
    main_metadata,
    Column("comment_id", BigInteger, primary_key=True, autoincrement=False),
    Column("updated_at", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("claimant", Text, nullable=False),
    Column("at", Moment, nullable=False, index=True),
)

policies = Table(
    "policies",
    main_metadata,
    Column("repository", Text, primary_key=True),
    Column("text", Text),
    Column("etag", Text, nullable=False),
    Column("fetched_at", Moment, nullable=False),
    Column("valid", Text),
)

templates = Table(
    "templates",
    main_metadata,
    Column("repository", Text, primary_key=True),
    Column("etag", Text, nullable=False),
    Column("files", Text, nullable=False),
    Column("fetched_at", Moment, nullable=False),
)

written_tests = Table(
    "written_tests",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),
    Column("tests", Text, nullable=False),
    Column("written_at", Moment, nullable=False),
)

calibrations = Table(
    "calibrations",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("judge", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("made_at", Moment, nullable=False),
    Column("calibration", Text, nullable=False),
)

answers = Table(
    "answers",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("question", Text, primary_key=True),
    Column("specification", Text, nullable=False),
    Column("call", Text, nullable=False),
    Column("expected", Text),
    Column("who", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Index("answers_specification", "repo_id", "specification"),
)

# Which Apps this database served; 0: one whose id the web process did not know.
apps = Table(
    "apps",
    main_metadata,
    Column("app_id", BigInteger, primary_key=True, autoincrement=False),
    Column("seen_at", Moment, nullable=False),
)

# What workers tell of themselves, and when: see `bot/storage/heartbeats.py`.
signs = Table(
    "signs",
    main_metadata,
    Column("what", Text, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("count", BigInteger, nullable=False),
)

# How many verdicts of each repository were removed because they were kept long enough, and up to when.
removals = Table(
    "removals",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("verdicts", BigInteger, nullable=False),
    Column("until", Moment, nullable=False),
)

welcomes = Table(
    "welcomes",
    main_metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("installation_id", BigInteger, nullable=False, index=True),
    Column("repository", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("digest", Text, nullable=False, unique=True, index=True),
    Column("branch", Text, nullable=False),
    Column("made_at", Moment, nullable=False),
    Column("issues", Text, nullable=False),
)
