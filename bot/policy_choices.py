"""The words that a policy's keys can hold, as enumerations."""

from enum import StrEnum


class Mode(StrEnum):
    """How loud Bouncer is: `observe` writes no verdict, `advise` never blocks, `enforce` may block."""

    OBSERVE = "observe"
    ADVISE = "advise"
    ENFORCE = "enforce"


class Door(StrEnum):
    """What Bouncer stands at."""

    ISSUES = "issues"
    PULLS = "pulls"


class Strictness(StrEnum):
    """How much it takes to let something through: the share of good subjects that may be bounced by mistake."""

    LENIENT = "lenient"
    BALANCED = "balanced"
    STRICT = "strict"


PROMISES = {
    Strictness.LENIENT: 0.05,
    Strictness.BALANCED: 0.10,
    Strictness.STRICT: 0.25,
}  # at most this share of the good subjects is bounced by mistake


MOST_BLIND_JUDGES = 5  # that a policy may ask for


class Role(StrEnum):
    """GitHub's `author_association`, in lower case."""

    OWNER = "owner"
    MEMBER = "member"
    COLLABORATOR = "collaborator"
    CONTRIBUTOR = "contributor"
    FIRST_TIME_CONTRIBUTOR = "first_time_contributor"
    FIRST_TIMER = "first_timer"
    NONE = "none"


class Kind(StrEnum):
    """The sorts of issues that may be held; all others never are."""

    BUG = "bug"
    FEATURE = "feature"
    QUESTION = "question"
    DOCUMENTATION = "documentation"


class ReportSign(StrEnum):
    """What a reader of a report sees without knowing the project, by which a fact may be there."""

    CODE = "code"
    ERROR = "error"  # its text, or a stack trace
    EXAMPLE = "example"  # code or a command to run
    LINK = "link"
    PICTURE = "picture"
    STEPS = "steps"
    VERSION = "version"  # or an environment


class Ask(StrEnum):
    """Whom Bouncer asks without holding the issue."""

    OFF = "off"
    NEWCOMERS = "newcomers"
    ALWAYS = "always"


class Language(StrEnum):
    """What Bouncer writes on an issue. A code is ISO 639-1, and one that there is a file of sentences for."""

    REPORT = "report"  # as the report is written, where there is a file for it; else English
    EN = "en"
    DE = "de"
    ES = "es"
    FR = "fr"
    ID = "id"
    IT = "it"
    JA = "ja"
    KO = "ko"
    NL = "nl"
    PL = "pl"
    PT = "pt"
    RU = "ru"
    TR = "tr"
    UK = "uk"
    VI = "vi"
    ZH = "zh"


def language_of(report: str, wanted: str = Language.REPORT) -> str:
    """The code of the language to write in. report: of the report's, or `und`. wanted: what the policy says."""
    code = report if wanted == Language.REPORT else wanted
    return code if code in set(Language) - {Language.REPORT} else Language.EN.value


class Scope(StrEnum):
    """Whose pull requests are judged."""

    AGENTS = "agents"
    ALL = "all"


class WithoutIssue(StrEnum):
    """What becomes of a pull request that no issue asked for."""

    BOUNCE = "bounce"
    ADVISE = "advise"  # say so, but never bounce for it
    DESCRIPTION = "description"  # judge it against its own description


class ReviewRules(StrEnum):
    """How the judge is asked. The more the question asks for, the more correct code is rejected."""

    DIRECT = "direct"
    EXPLAIN = "explain"
    FULL = "full"
    AGENTIC = "agentic"


class WhenUnavailable(StrEnum):
    """What the check says in `enforce` when a pull request could not be judged for reasons outside the change. What
    the change itself brought about, and what a person must see, is never passed."""

    BLOCK = "block"
    PASS = "pass"  # noqa: S105 - no secret


class WhenUnproved(StrEnum):
    """What becomes of a pull request whose changed code nothing that ran has looked at, and that no issue asks for."""

    PERSON = "person"  # a person looks at it
    SAY = "say"  # the check says so, and nothing waits


class Brief(StrEnum):
    """When coding agents get a brief on an issue."""

    OFF = "off"  # only when somebody asks for it
    AUTO = "auto"


class Permission(StrEnum):
    """GitHub's roles that may be asked of whoever overrides, from least to most."""

    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"
