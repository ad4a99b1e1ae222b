"""The repository's own policy, `.github/bouncer.yml`, as a value: its sections and keys. `bot.policy_file` reads it."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from bot.policy_choices import (
    MOST_BLIND_JUDGES,
    Ask,
    Brief,
    Door,
    Kind,
    Language,
    Mode,
    Permission,
    ReportSign,
    ReviewRules,
    Role,
    Scope,
    Strictness,
    WhenUnavailable,
    WhenUnproved,
    WithoutIssue,
)
from bot.policy_problems import (
    BRANCH_GLOB_PATTERN,
    BRANCH_PATTERN,
    COMMAND_PATTERN,
    EMAIL_PATTERN,
    FOLDER_PATTERN,
    IMAGE_PATTERN,
    LABEL_PATTERN,
    LINE_PATTERN,
    LOGIN_PATTERN,
    MARKDOWN_PATTERN,
    PATH_GLOB_PATTERN,
    QUESTION_PATTERN,
    SIGN_PATTERN,
    TEAM_PATTERN,
    opens_code,
)
from bot.strict_yaml import code_span


class PolicySection(BaseModel):
    """Strict and frozen: unknown keys are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


LabelName = Annotated[str, Field(min_length=1, max_length=50, pattern=LABEL_PATTERN)]
Login = Annotated[str, Field(max_length=100, pattern=LOGIN_PATTERN)]


Heading = Annotated[str, Field(max_length=100, pattern=LINE_PATTERN)]
Markdown = Annotated[str, Field(min_length=1, max_length=1000, pattern=MARKDOWN_PATTERN)]


class Exempt(PolicySection):
    """Whose issues, and which issues, are never held."""

    authors: tuple[Login, ...] = Field((), description="Logins whose issues are never held, such as `renovate[bot]`.")
    roles: tuple[Role, ...] | None = Field(
        None,
        description="Author associations whose issues are never held; absent: owner, member and collaborator in public "
        "repositories, nobody in private ones; `[]` nobody.",
    )
    labels: tuple[LabelName, ...] = Field((), description="Issues with one of these labels are never held.")


class Only(PolicySection):
    """Which issues are looked at at all. Each list that is given must be met."""

    kinds: tuple[Kind, ...] = Field((), description="Only issues of these kinds are judged; empty: all kinds.")
    labels: tuple[LabelName, ...] = Field(
        (), description="Only issues with one of these labels are judged; empty: all issues."
    )


FactName = Annotated[str, Field(max_length=60, pattern=LINE_PATTERN)]
Question = Annotated[str, Field(max_length=300, pattern=QUESTION_PATTERN)]
Words = Annotated[tuple[Annotated[str, Field(max_length=60, pattern=LINE_PATTERN)], ...], Field(max_length=30)]


class AskFor(PolicySection):
    """A fact that the maintainers ask reporters for."""

    fact: FactName = Field(description="What it is called, such as `debug log`; no two are called the same.")
    question: Question = Field(description="The question to the reporter, a line of Markdown.")
    kinds: Annotated[tuple[Kind, ...], Field(min_length=1)] = Field(
        (Kind.BUG,), description="The kinds of issues that need it."
    )
    when: Words = Field((), description="Needed only in reports with one of these words; empty: in all.")
    signs: tuple[ReportSign, ...] = Field((), description="It is there when one of these is.")
    words: Words = Field(
        (), validate_default=True, description="It is there when one of these words is, such as `debug.log`."
    )

    @field_validator("question")
    @classmethod
    def _closed(cls, text: str) -> str:
        if opens_code(text):
            raise PydanticCustomError("open_code", "must not open a block of code")
        return text

    @field_validator("when", "words")
    @classmethod
    def _are_words(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        if any(not any(map(str.isalnum, word)) for word in words):
            raise PydanticCustomError("no_word", "must hold a letter or digit in each entry")
        return words

    @field_validator("words")
    @classmethod
    def _can_be_seen(cls, words: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if not words and info.data.get("signs") == ():  # no key where it is itself wrong
            raise PydanticCustomError("unseen", "must say how the fact is seen, or give `signs`; else all are held")
        return words


class CommentRules(PolicySection):
    """The language of what Bouncer says on an issue, and the maintainers' own words around it."""

    above: Markdown | None = Field(None, description="Markdown above what Bouncer asks of a reporter.")
    below: Markdown | None = Field(None, description="Markdown below what Bouncer asks of a reporter.")
    language: Language = Field(
        Language.REPORT, description="What Bouncer writes on an issue: the report's language, or always this one."
    )

    @field_validator("above", "below")
    @classmethod
    def _closed(cls, text: str | None) -> str | None:
        if text and opens_code(text):
            raise PydanticCustomError("open_code", "must close the code block that it opens, or it swallows the rest")
        return text


def _other_name(name: str | None, info: ValidationInfo, *keys: str) -> str | None:
    for key in keys:
        other = info.data.get(key)  # absent here when it is itself wrong
        if name and other and name.lower() == other.lower():
            raise PydanticCustomError("same_label", f"must differ from `{key}`; give it another name")
    return name


class Labels(PolicySection):
    """Names of the labels Bouncer sets."""

    needs_clarification: LabelName = Field("needs-clarification", description="Set on an issue that is held back.")
    agent_ready: LabelName | None = Field(None, description="Set on an issue that is clear; absent means never.")
    within_reach: LabelName | None = Field(
        None, description="Set on a clear issue that coding agents often resolve: a guess; absent means never."
    )

    @field_validator("agent_ready", "within_reach")
    @classmethod
    def _differs(cls, name: str | None, info: ValidationInfo) -> str | None:
        return _other_name(name, info, "needs_clarification", "agent_ready")

    def is_holding(self, names: Iterable[str]) -> bool:
        """Whether the label that holds an issue is among these; large and small letters are alike, as on GitHub."""
        return self.needs_clarification.lower() in map(str.lower, names)


class NoResponse(PolicySection):
    """What happens when nobody answers. Both are off unless given."""

    remind_after_days: int | None = Field(
        None, ge=1, le=365, description="One reminder after this many days without an answer."
    )
    close_after_days: int | None = Field(
        None, ge=1, le=365, description="Close after this many days without an answer."
    )

    @field_validator("close_after_days")
    @classmethod
    def _after_reminder(cls, days: int | None, info: ValidationInfo) -> int | None:
        reminder = info.data.get("remind_after_days")
        if days and reminder and days <= reminder:
            raise PydanticCustomError("too_early", "must be more than `remind_after_days`; give people time to answer")
        return days


class FixLabels(PolicySection):
    """Names of the labels that say what became of a report's bug."""

    already_fixed: LabelName = Field(
        "already-fixed", description="Set on a report whose reproduction was run and passes now."
    )
    possibly_fixed: LabelName = Field(
        "possibly-fixed",
        validate_default=True,
        description="Set on a report that may be fixed, if running it did not show whether it is.",
    )

    @field_validator("possibly_fixed")
    @classmethod
    def _differs(cls, name: str | None, info: ValidationInfo) -> str | None:
        return _other_name(name, info, "already_fixed")


class AlreadyFixed(PolicySection):
    """Bug reports about something that is already fixed."""

    enabled: bool = Field(True, description="Look for the fix of each clear bug report, and run what it shows.")
    labels: FixLabels = Field(FixLabels(), description="Names of the labels that say what became of a report's bug.")
    close_after_days: int | None = Field(
        None,
        ge=1,
        le=365,
        description="Close what is already fixed after this many days without an objection; absent means never.",
    )


class Budgets(PolicySection):
    """How many judgements a day, counted in UTC. Over the budget a verdict is UNAVAILABLE."""

    per_repository: int = Field(
        500, ge=0, description="Judgements a day for the whole repository; whoever pushes has half of them at most."
    )
    per_author: int = Field(30, ge=0, description="Judgements a day for the issues of one author.")


class Issues(PolicySection):
    """The input door: issues."""

    enabled: bool = Field(True, description="Judge issues at all.")
    mode: Mode | None = Field(None, description="How much Bouncer writes on issues; absent: as `mode` says.")
    strictness: Strictness = Field(
        Strictness.BALANCED,
        description="When an issue is held: at most 5% (lenient), 10% (balanced) or 25% (strict) false bounces.",
    )
    labels: Labels = Field(Labels(), description="Names of the labels Bouncer sets.")
    only: Only = Field(Only(), description="Which issues are judged.")
    exempt: Exempt = Field(Exempt(), description="Whose issues, and which issues, are never held.")
    required_sections: Annotated[tuple[Heading, ...], Field(max_length=10)] = Field(
        (), description="Headings that a bug report must have filled, such as `Steps to reproduce`; not with `lenient`."
    )
    ask_for: Annotated[tuple[AskFor, ...], Field(max_length=10)] = Field(
        (), description="Facts without which an issue is held; `bouncer learn` proposes some."
    )
    ask: Ask = Field(
        Ask.OFF,
        description="Ask what `strict` would hold for, and hold nothing: nobody, newcomers to the repository, or all.",
    )
    ask_on_label: bool = Field(
        False,
        description="Ask for what is missing, or say why not, when who may puts the label `needs_clarification` on.",
    )
    comment: CommentRules = Field(CommentRules(), description="Its language, and the maintainers' own words around it.")
    max_questions: int = Field(3, ge=1, le=3, description="The most questions one comment asks.")
    no_response: NoResponse = Field(NoResponse(), description="What happens if nobody answers; nothing by default.")
    already_fixed: AlreadyFixed = Field(
        AlreadyFixed(), validate_default=True, description="Bug reports about something that is already fixed."
    )
    brief: Brief = Field(
        Brief.OFF, description="auto: write a brief for coding agents together with the label `agent_ready` names."
    )

    @field_validator("ask_for")
    @classmethod
    def _named_apart(cls, wanted: tuple[AskFor, ...]) -> tuple[AskFor, ...]:
        names = [each.fact.casefold() for each in wanted]
        if twice := next((name for name in names if names.count(name) > 1), None):
            named = {"fact": code_span(twice)}
            raise PydanticCustomError("same_fact", "must name each fact once, and {fact} is named twice", named)
        return wanted

    @field_validator("already_fixed")
    @classmethod
    def _other_labels(cls, section: AlreadyFixed, info: ValidationInfo) -> AlreadyFixed:
        labels: Labels | None = info.data.get("labels")
        given = (labels.needs_clarification, labels.agent_ready, labels.within_reach) if labels else ()
        taken = {name.lower() for name in given if name}
        if taken & {section.labels.already_fixed.lower(), section.labels.possibly_fixed.lower()}:
            raise PydanticCustomError("same_label", "must name labels that differ from those of `issues.labels`")
        return section

    @field_validator("brief")
    @classmethod
    def _needs_a_label(cls, brief: Brief, info: ValidationInfo) -> Brief:
        labels: Labels | None = info.data.get("labels")
        if brief is Brief.AUTO and labels and not labels.agent_ready:
            raise PydanticCustomError("no_label", "must be `off` as long as `issues.labels.agent_ready` names no label")
        return brief


BranchPrefix = Annotated[str, Field(max_length=200, pattern=BRANCH_PATTERN)]
Email = Annotated[str, Field(max_length=200, pattern=EMAIL_PATTERN)]
SignLine = Annotated[str, Field(max_length=200, pattern=SIGN_PATTERN)]
TeamSlug = Annotated[str, Field(max_length=100, pattern=TEAM_PATTERN)]


class AgentSigns(PolicySection):
    """What a coding agent is recognised by."""

    logins: tuple[Login, ...] = Field((), description="Further logins of coding agents, such as `acme-coder[bot]`.")
    emails: tuple[Email, ...] = Field(
        (), description="Addresses that coding agents write into commits, as author or co-author."
    )
    lines: tuple[SignLine, ...] = Field(
        (),
        description="Lines that coding agents sign a description or a commit message with; `…` at the end is the rest.",
    )
    markers: tuple[SignLine, ...] = Field(
        (), description="HTML comments that coding agents put into a description, such as `acme-run: …`."
    )
    branches: tuple[BranchPrefix, ...] = Field(
        (),
        description="How the branches of coding agents begin, such as `bot/`. Anybody can choose such a name.",
    )
    labels: tuple[LabelName, ...] = Field((), description="Labels that mark a pull request as a coding agent's.")


class Agents(AgentSigns):
    """Who counts as a coding agent, besides those that Bouncer knows. Upper and lower case do not matter."""

    exempt: tuple[Login, ...] = Field(
        (),
        description="Logins that never count as coding agents. What they alone open and push is not judged, also with "
        "`scope: all`.",
    )


class OverrideRules(PolicySection):
    """Who may override a verdict, and for how long."""

    role: Permission = Field(Permission.MAINTAIN, description="The least role in the repository that may override.")
    teams: Annotated[tuple[TeamSlug, ...], Field(max_length=10)] = Field(
        (), description="Slugs of the organisation's teams whose members may override too."
    )
    sticky: bool = Field(
        False,
        description="Keep an override when a push changes only prose that no build names and no test folder holds.",
    )


BranchGlob = Annotated[str, Field(max_length=200, pattern=BRANCH_GLOB_PATTERN)]
TitleGlob = Annotated[str, Field(max_length=200, pattern=LINE_PATTERN)]
PathGlob = Annotated[str, Field(max_length=200, pattern=PATH_GLOB_PATTERN)]


class OnlyPulls(PolicySection):
    """Which pull requests are judged at all."""

    base_branches: Annotated[tuple[BranchGlob, ...], Field(max_length=50)] = Field(
        (), description="Only pull requests into branches of these names are judged, such as `release/*`; empty: all."
    )


class Skip(PolicySection):
    """Which pull requests are left alone. `*` is anything within a part of a path, `**` anything at all."""

    titles: Annotated[tuple[TitleGlob, ...], Field(max_length=50)] = Field(
        (), description="Pull requests with such a title are left alone, such as `chore:*`; never a coding agent's."
    )
    paths: Annotated[tuple[PathGlob, ...], Field(max_length=50)] = Field(
        (),
        description="Left alone if every changed file is one of these, such as `docs/**`; never with tests, "
        "their configuration, CI or a named risk.",
    )


class PullRules(PolicySection):
    """The output door: pull requests."""

    enabled: bool = Field(True, description="Judge pull requests at all.")
    mode: Mode | None = Field(None, description="How much Bouncer writes on pull requests; absent: as `mode` says.")
    scope: Scope = Field(Scope.AGENTS, description="Whose pull requests are judged: coding agents' or everybody's.")
    agents: Agents = Field(Agents(), description="Who counts as a coding agent, besides those that Bouncer knows.")
    require_linked_issue: WithoutIssue = Field(
        WithoutIssue.DESCRIPTION,
        description="A pull request without an issue: bounce it, advise only, or judge it against its description.",
    )
    only: OnlyPulls = Field(OnlyPulls(), description="Which pull requests are judged.")
    skip: Skip = Field(Skip(), description="Which pull requests are left alone.")
    drafts: bool = Field(False, description="Judge drafts too; else they are judged when they become ready.")
    review: ReviewRules = Field(
        ReviewRules.DIRECT,
        description="Ask the judge for a verdict, a verdict with rationale, or with rationale and fix; "
        "`agentic` lets it work through the code to its verdict.",
    )
    strictness: Strictness = Field(
        Strictness.BALANCED,
        description="At most 5% (lenient), 10% (balanced) or 25% (strict) false rejections by the offline judge.",
    )
    unavailable: WhenUnavailable = Field(
        WhenUnavailable.PASS,
        description="In enforce: block or pass what could not be judged for reasons outside the change.",
    )
    unproved: WhenUnproved = Field(
        WhenUnproved.SAY,
        description="Changed code that no test looks at: let a person look at it, or say so.",
    )
    override: OverrideRules = Field(OverrideRules(), description="Who may override a verdict, and for how long.")
    rounds: int = Field(
        3,
        ge=1,
        le=20,
        description="After this many bounced commits of one pull request, a maintainer is asked to decide.",
    )
    attempts: int = Field(1, ge=1, le=5, description="Attempts at the fix that tests a rejection.")


CommandLine = Annotated[str, Field(max_length=1000, pattern=COMMAND_PATTERN)]
Image = Annotated[str, Field(max_length=300, pattern=IMAGE_PATTERN)]


class VerifyPath(PolicySection):
    """A folder that is set up and tested for itself, by command lines that run there."""

    path: str = Field(
        ".", max_length=200, pattern=FOLDER_PATTERN, description="The folder, from the root, such as `services/api`."
    )
    setup: Annotated[tuple[CommandLine, ...], Field(max_length=20)] | None = Field(
        None, description="As `verify.setup`, run in the folder."
    )
    test: CommandLine | None = Field(None, description="As `verify.test`, run in the folder.")


class Verify(PolicySection):
    """How a pull request's code is set up and tested. Read from the base branch, so a pull request cannot change it."""

    reviews: Literal["any", "requested_changes", False, True] = Field(
        "any",
        description="Which reviews of bots have the changes that they suggest run: all of them (`true` too), or those "
        "that request changes.",
    )
    setup: Annotated[tuple[CommandLine, ...], Field(max_length=20)] | None = Field(
        None, description="Shell command lines that install what the tests need; absent means detected, `[]` none."
    )
    test: CommandLine | None = Field(None, description="The shell command line that runs the tests; absent: detected.")
    paths: Annotated[tuple[VerifyPath, ...], Field(max_length=20)] = Field(
        (), description="Folders with a `setup` and `test` of their own, run there when a change concerns them."
    )
    image: Image | None = Field(None, description="Container image to run in, where the executor runs images.")
    submodules: bool = Field(
        False, description="Fetch the base's git submodules, from public repositories of hosts that setup may reach."
    )
    timeout: int = Field(
        300, ge=1, le=3600, description="Seconds that all runs of the tests for one verdict may take together."
    )
    rounds: int = Field(
        2, ge=0, le=5, description="How often the reviewer is asked again when program and fix both fail."
    )
    blind_judges: int = Field(
        2,
        ge=0,
        le=MOST_BLIND_JUDGES,
        description="How many blind judges must agree on what the specification demands; 0 asks none.",
    )

    @field_validator("reviews")
    @classmethod
    def _means_any(cls, reviews: str | bool) -> str | bool:
        return "any" if reviews is True else reviews

    def at(self, folder: str) -> "Verify":
        """As it is for the suite of a folder: what `paths` says of it stands in the place of `setup` and `test`."""
        own = folder and any(each.path == folder for each in self.paths)
        return self.model_copy(update={"setup": None, "test": None}) if own else self


class Policy(PolicySection):
    """The whole file. An empty file is the default policy."""

    version: Literal[1] = Field(1, description="The version of this format.")
    mode: Mode = Field(Mode.ADVISE, description="observe writes no verdict, advise never blocks, enforce may block.")
    issues: Issues = Field(Issues(), description="The input door: issues.")
    pulls: PullRules = Field(PullRules(), description="The output door: pull requests.")
    verify: Verify = Field(Verify(), description="How a pull request's code is set up and tested.")
    budgets: Budgets = Field(Budgets(), description="How many judgements a day, counted in UTC.")

    def at(self, door: Door) -> "Policy":
        """The policy as it goes at one door: its own mode is the mode."""
        own = self.issues.mode if door is Door.ISSUES else self.pulls.mode
        return self.model_copy(update={"mode": own}) if own else self

    @property
    def silent(self) -> bool:
        """Whether nothing at all is written, at no door."""
        return all(self.at(door).mode is Mode.OBSERVE for door in Door)
