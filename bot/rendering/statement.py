"""A verdict as an in-toto statement: only what is known of it, with an override as the headline."""

from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version

from bot.policy_file import PolicySource
from bot.pulls.result import PullResult
from bot.rendering.escape import LINE, NAME, one_line
from bot.rendering.pull_reasons import reasons
from bot.statements.verdict import (
    OVERRIDDEN,
    BaseCommit,
    Digest,
    EnvironmentDigest,
    FileDigest,
    GitDigest,
    OverrideNote,
    PolicyDigest,
    RepositoryName,
    StatementSubject,
    VerdictPredicate,
    VerdictStatement,
)
from bot.storage.overrides import Override
from bot.verification.evidence import TrialDigests


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictStanding:
    """A verdict, and how it stands at `stated_at`. repository: `owner/name`, and uri: its address; empty where they are
    not known, and so is number, 0. override: that stands against it. superseded_at: when a newer verdict on the same
    commit was reached."""

    result: PullResult
    judged_at: datetime
    stated_at: datetime
    repository: str = ""
    uri: str = ""
    number: int = 0
    override: Override | None = None
    superseded_at: datetime | None = None


def statement(told: VerdictStanding) -> VerdictStatement:
    """What is signed."""
    result, override = told.result, told.override
    digests, decision = result.facts.trial.digests, result.verdict.decision.value
    why = reasons(result)
    given = override and OverrideNote(
        by=one_line(override.who, NAME), at=override.at, reason=one_line(override.reason, LINE), verdict=decision
    )
    said = VerdictPredicate(
        verdict=OVERRIDDEN if override else decision,
        reason=one_line(why[0], LINE) if why else "",
        ground=result.verdict.ground,
        judge=one_line(result.verdict.judge, NAME),
        repository=RepositoryName(name=told.repository, uri=told.uri) if told.repository else None,
        pull_request=told.number or None,
        base=BaseCommit(digest=GitDigest(git_commit=result.base)) if result.base else None,
        policy=_policy(result.policy),
        environment=_environment(digests),
        tests=Digest(digest=FileDigest(sha256=digests.tests)) if digests.tests else None,
        judged_at=told.judged_at,
        stated_at=told.stated_at,
        override=given,
        superseded_at=told.superseded_at,
        bouncer=version("bouncer-bot"),
    )
    head = StatementSubject(name="head", digest=GitDigest(git_commit=result.head))
    tree = (StatementSubject(name="merged tree", digest=GitDigest(git_tree=digests.tree)),) if digests.tree else ()
    return VerdictStatement(subject=(head, *tree), predicate=said)


def _policy(source: PolicySource | None) -> PolicyDigest | None:
    if source is None:
        return None
    if not source.sha256:
        return PolicyDigest(name="default")
    return PolicyDigest(name=one_line(source.path, NAME), digest=FileDigest(sha256=source.sha256))


def _environment(digests: TrialDigests) -> EnvironmentDigest | None:
    if not digests.environment:
        return None
    own = FileDigest(sha256=digests.environment_of_head) if digests.environment_of_head else None
    return EnvironmentDigest(digest=FileDigest(sha256=digests.environment), of_head=own)
