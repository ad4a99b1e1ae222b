"""A verdict as an in-toto statement: its shape, for who writes one and for who reads one.

A predicate of its own: SLSA's verification summary has `PASSED` and `FAILED` alone, so a verdict that nobody could
reach, and one that a maintainer overrode, would have to pass as one of the two. What is not known is left out.
"""

from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel

from bot.plain_text import clean
from bot.statements.envelope import EnvelopeError, NotVerified, strict_json

STATEMENT: Final = "https://in-toto.io/Statement/v1"
VERDICT: Final = "pkg:pypi/bouncer-bot#verdict/v1"  # a name that is nobody else's; it leads nowhere
OVERRIDDEN: Final = "OVERRIDDEN"

Commit = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Moment = Annotated[
    datetime, PlainSerializer(lambda at: at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"))
]
Line = Annotated[str, Field(max_length=2000)]
Judged = Literal["ACCEPT", "BOUNCE", "UNAVAILABLE"]


class _Part(BaseModel):
    """Names as in-toto has them; what is not known is ignored, as in-toto has it too."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True)


class GitDigest(_Part):
    """One of them is there."""

    git_commit: Commit | None = None
    git_tree: Commit | None = None


class FileDigest(_Part):
    sha256: Sha256


class StatementSubject(_Part):
    """What the verdict is about: `head`, the commit, and `merged tree`, the files as they would be merged."""

    name: Line
    digest: GitDigest


class BaseCommit(_Part):
    """What it was held against, and would be merged into."""

    digest: GitDigest


class Digest(_Part):
    digest: FileDigest


class PolicyDigest(_Part):
    """name: the file's path; `default` where there is none, and then there is no digest."""

    name: Line
    digest: FileDigest | None = None


class EnvironmentDigest(_Part):
    """Of the recipe for what was installed. of_head: where the change is set up in another way than its base."""

    digest: FileDigest
    of_head: FileDigest | None = None


class RepositoryName(_Part):
    name: Line
    uri: Line


class OverrideNote(_Part):
    """verdict: what the evidence had said."""

    by: Line
    at: Moment
    reason: Line
    verdict: Judged


class VerdictPredicate(_Part):
    """verdict: `OVERRIDDEN` wherever a maintainer's word beats the evidence. judged_at: when it was reached; stated_at:
    when the server said that it stands so. superseded_at: when a newer verdict on the same commit was reached.
    ground: the name of the rule that decided."""

    verdict: Literal["ACCEPT", "BOUNCE", "UNAVAILABLE", "OVERRIDDEN"]
    reason: Line
    ground: Line = ""
    judge: Line = ""
    repository: RepositoryName | None = None
    pull_request: int | None = None
    base: BaseCommit | None = None
    policy: PolicyDigest | None = None
    environment: EnvironmentDigest | None = None
    tests: Digest | None = None
    judged_at: Moment
    stated_at: Moment
    override: OverrideNote | None = None
    superseded_at: Moment | None = None
    bouncer: Line = ""


class VerdictStatement(_Part):
    """The whole statement."""

    type_: Literal["https://in-toto.io/Statement/v1"] = Field(STATEMENT, alias="_type")
    subject: tuple[StatementSubject, ...] = Field(min_length=1, max_length=16)
    predicate_type: Literal["pkg:pypi/bouncer-bot#verdict/v1"] = VERDICT
    predicate: VerdictPredicate

    @property
    def heads(self) -> tuple[str, ...]:
        return tuple(each.digest.git_commit for each in self.subject if each.digest.git_commit)

    @property
    def trees(self) -> tuple[str, ...]:
        return tuple(each.digest.git_tree for each in self.subject if each.digest.git_tree)

    def payload(self) -> bytes:
        """As it is signed."""
        return self.model_dump_json(by_alias=True, exclude_none=True).encode()


def read(payload: bytes) -> VerdictStatement:
    """What was signed. Raises NotVerified where it is no verdict, EnvelopeError where it cannot be read."""
    found = strict_json(payload, "what was signed")
    if found.get("_type") != STATEMENT:
        raise NotVerified(f"What was signed is no in-toto statement of version 1 (`_type` is not {STATEMENT}).")
    if found.get("predicateType") != VERDICT:
        kind = clean(str(found.get("predicateType")), 100)
        raise NotVerified(f"The statement is no verdict of Bouncer's, but {kind}.")
    try:
        return VerdictStatement.model_validate(found)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"])
        raise EnvelopeError(f"the statement cannot be read: {clean(place, 100)} is missing or odd.") from None
