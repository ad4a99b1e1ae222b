"""The repository's own `.github/bouncer.yml`."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

PATH = ".github/bouncer.yml"


class Mode(StrEnum):
    """How loud Bouncer is: `observe` writes nothing, `advise` never blocks, `enforce` may block."""

    OBSERVE = "observe"
    ADVISE = "advise"
    ENFORCE = "enforce"


class Strictness(StrEnum):
    """A promise, not a threshold: the share of good issues that may be bounced by mistake, at most."""

    LENIENT = "lenient"  # 5%
    BALANCED = "balanced"  # 10%
    STRICT = "strict"  # 20%


class Role(StrEnum):
    """GitHub's `author_association`, in lower case."""

    OWNER = "owner"
    MEMBER = "member"
    COLLABORATOR = "collaborator"
    CONTRIBUTOR = "contributor"
    FIRST_TIME_CONTRIBUTOR = "first_time_contributor"
    FIRST_TIMER = "first_timer"
    NONE = "none"


class Section(BaseModel):
    """Strict and frozen: unknown keys are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


LabelName = Annotated[str, Field(min_length=1, max_length=50)]


class Exempt(Section):
    """Whose issues, and which issues, Bouncer leaves alone."""

    authors: tuple[str, ...] = Field((), description="Logins whose issues are never judged.")
    roles: tuple[Role, ...] = Field((), description="Author associations whose issues are never judged.")
    labels: tuple[str, ...] = Field((), description="Issues carrying one of these labels are never judged.")


class Labels(Section):
    """Names of the labels Bouncer sets."""

    needs_clarification: LabelName = Field("needs-clarification", description="Set on an issue that is held back.")
    agent_ready: LabelName | None = Field(None, description="Set on an issue that is clear; absent means never.")


class NoResponse(Section):
    """What happens when nobody answers. Both are off unless given."""

    remind_after_days: int | None = Field(None, ge=1, le=365, description="One reminder after so many silent days.")
    close_after_days: int | None = Field(None, ge=1, le=365, description="Close after so many silent days.")


class Budgets(Section):
    """How many judgements a day, counted in UTC. Over the budget a verdict is UNAVAILABLE."""

    per_repository: int = Field(500, ge=0, description="Judgements a day for the whole repository.")
    per_author: int = Field(30, ge=0, description="Judgements a day for the issues of one author.")


class Issues(Section):
    """The input door."""

    enabled: bool = Field(True, description="Judge issues at all.")
    strictness: Strictness = Field(
        Strictness.BALANCED, description="At most 5% (lenient), 10% (balanced) or 20% (strict) false bounces."
    )
    labels: Labels = Labels()
    exempt: Exempt = Exempt()
    max_questions: int = Field(3, ge=1, le=3, description="The most questions one comment asks.")
    no_response: NoResponse = NoResponse()


class Policy(Section):
    """The whole file. An empty file is the default policy."""

    version: Literal[1] = Field(1, description="The version of this format.")
    mode: Mode = Field(Mode.ADVISE, description="observe writes nothing, advise never blocks, enforce may block.")
    issues: Issues = Issues()
    budgets: Budgets = Budgets()
