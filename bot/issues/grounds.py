"""The rules that decide about an issue, by name."""

from enum import StrEnum


class IssueGround(StrEnum):
    """Which rule decided. Stored with its verdict; `bot.rendering.issue_reasons` has its sentence."""

    PRIVATE = "reads like a vulnerability"
    NEVER_HELD = "of a kind that is never held"
    UNREAD = "could not be read"
    REPOSITORY_BUDGET = "the repository's budget is spent"
    AUTHOR_BUDGET = "the author's budget is spent"
    NO_JUDGE = "no judge was asked"
    NO_ANSWER = "the judge did not answer"
    CONTRADICTED = "the judge contradicts the report"
    CLEAR = "says enough"
    ANSWERABLE = "a question that can be answered"
    SUPPLIED = "what was asked for is there"
    NOTHING_TO_ASK = "nothing to ask for"
    SECTIONS = "sections are missing"
    LEAVES_OUT = "leaves something out"
