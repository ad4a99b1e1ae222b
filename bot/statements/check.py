"""Whether a verdict that was signed is the one that somebody expects, and lets a change pass. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.plain_text import clean
from bot.statements.verdict import OVERRIDDEN, VerdictStatement

AHEAD = timedelta(minutes=5)  # that two clocks may differ


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementExpectation:
    """What a statement is held against; what is empty is not asked. policy: SHA-256 of the file. overridden: a
    maintainer's override is as good as evidence. max_age: how long ago the server may have said so."""

    head: str = ""
    base: str = ""
    tree: str = ""
    repository: str = ""
    policy: str = ""
    overridden: bool = False
    max_age: timedelta | None = None


def problems(statement: VerdictStatement, expected: StatementExpectation, now: datetime) -> tuple[str, ...]:
    """Why it is not enough, as sentences; empty where it is."""
    return (*_verdict(statement, expected), *_differences(statement, expected), *_age(statement, expected, now))


def unknown(statement: VerdictStatement) -> tuple[str, ...]:
    """What Bouncer did not know, and so did not say."""
    said = statement.predicate
    policy = said.policy and (said.policy.digest or said.policy.name == "default")
    parts = {
        "the repository": said.repository,
        "the base": said.base,
        "the merged tree": statement.trees,
        "the policy": policy,
        "the environment": said.environment,
        "the tests": said.tests,
    }
    return tuple(name for name, there in parts.items() if not there)


def _verdict(statement: VerdictStatement, expected: StatementExpectation) -> Iterator[str]:
    said = statement.predicate
    if said.verdict == OVERRIDDEN or said.override is not None:
        if not expected.overridden:
            who, judged = (said.override.by, said.override.verdict) if said.override else ("somebody", "unknown")
            yield (
                f"{clean(who, 60)} overrode the verdict, which was {judged}: it passes by a person's word and not by "
                "evidence. Use --allow-override where that is enough."
            )
    elif said.verdict != "ACCEPT":
        yield f"The verdict is {said.verdict}, not ACCEPT: {clean(said.reason, 500)}"
    if said.superseded_at is not None:
        newer = f"{said.superseded_at:%Y-%m-%d %H:%M} UTC"
        yield f"There is a newer verdict on this commit, of {newer}. Fetch its statement."


def _differences(statement: VerdictStatement, expected: StatementExpectation) -> Iterator[str]:
    said = statement.predicate
    base = said.base.digest.git_commit if said.base else None
    policy = said.policy.digest.sha256 if said.policy and said.policy.digest else None
    default = said.policy is not None and said.policy.digest is None
    name = said.repository.name if said.repository else None
    yield from _other("head", expected.head, statement.heads)
    yield from _other("base", expected.base, (base,) if base else ())
    yield from _other("merged tree", expected.tree, statement.trees)
    if expected.policy and default:
        yield "It was judged by the default policy, and not by this file."
    else:
        yield from _other("policy's SHA-256", expected.policy, (policy,) if policy else ())
    yield from _other("repository", expected.repository.lower(), (name.lower(),) if name else ())


def _other(what: str, wanted: str, found: tuple[str, ...]) -> Iterator[str]:
    if wanted and not found:
        yield f"The statement names no {what}, so it cannot be compared."
    elif wanted and wanted not in found:
        yield f"The {what} is {clean(', '.join(found), 200)}, not {clean(wanted, 200)}."


def _age(statement: VerdictStatement, expected: StatementExpectation, now: datetime) -> Iterator[str]:
    stated = statement.predicate.stated_at
    if stated - now > AHEAD:
        yield f"It was stated at {stated:%Y-%m-%d %H:%M} UTC, which is still to come: check the clocks."
    if expected.max_age is not None and now - stated > expected.max_age:
        hours = (now - stated) / timedelta(hours=1)
        yield f"It was stated {hours:.1f} hours ago, longer than --max-age allows. Fetch it again."
