"""The threads of a repository's past as `bouncer learn` reads them: what a report showed when it was opened, and what
maintainers asked for in their first answers. Pure.

Who counts as a maintainer is what GitHub says of a comment's author (`PastEvent.maintainer`), never what a text says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from bot.backtest.endings import (
    GIVING,
    MENTION,
    IssueEnding,
    PastOutcome,
    Signal,
    first_answers,
    outcome,
    questions_in,
)
from bot.backtest.judging import TemplatesOf, facts_of_past, why_left_out
from bot.backtest.values import PastAct, PastIssue, RepositoryPast
from bot.changes.readers import Rows, beside
from bot.issues.asked_for import ToldFacts, facts_told
from bot.issues.language import specific_words
from bot.issues.templates import template_of
from bot.plain_text import as_words
from bot.policy import Agents, Policy
from bot.policy_choices import ReportSign
from bot.verdicts import IssueKind

MOST_SENTENCES = 5  # of one thread
_GIVES = re.compile(GIVING)  # a word of asking, and not of what is asked for


class AskedFact(Rows):
    """One that maintainers of most projects ask for; `threads.toml` says what each part means."""

    fact: str
    asked: tuple[str, ...]
    signs: tuple[ReportSign, ...]
    words: tuple[str, ...]
    question: str


class _Table(Rows):
    facts: tuple[AskedFact, ...]


FACTS = beside(__file__, _Table).facts


@dataclass(frozen=True, slots=True)
class PastThread:
    """template: the name of the one that it was written in. told: what the report shows of facts. sentences: in which
    maintainers ask, before the reporter's next word. asked: the facts of `FACTS` that they ask for. own: other words of
    theirs that stand for something in particular. led_on: the reporter answered, and it was fixed or done."""

    number: int
    at: datetime
    kind: IssueKind
    template: str
    told: ToldFacts
    outcome: PastOutcome
    sentences: tuple[str, ...]
    asked: frozenset[str]
    own: frozenset[str]

    @property
    def signal(self) -> Signal:
        return self.outcome.signal

    @property
    def led_on(self) -> bool:
        return self.outcome.answered and self.outcome.ending in (
            IssueEnding.FIXED,
            IssueEnding.DONE,
        )


def threads_of(past: RepositoryPast, policy: Policy, templates: TemplatesOf) -> Iterator[PastThread]:
    """Oldest first; without what the policy leaves alone, and texts that somebody may have edited since."""
    for issue in reversed(past.issues):
        facts = facts_of_past(issue, policy, templates, private=past.private)
        if not issue.text_known or why_left_out(issue, facts, policy):
            continue
        report = facts.report
        sentences = first_questions(issue, policy.pulls.agents)
        said = [as_words(sentence) for sentence in sentences]
        yield PastThread(
            number=issue.number,
            at=issue.at,
            kind=report.kind,
            template=template_of(report, templates(issue.at)),
            told=facts_told(report, policy),
            outcome=outcome(issue, policy.pulls.agents),
            sentences=sentences,
            asked=frozenset(each.fact for each in FACTS if any(_asks_for(each, sentence) for sentence in said)),
            own=frozenset(
                word
                for sentence in sentences
                for word in specific_words(MENTION.sub(" ", sentence))
                if word.isalnum() and not _GIVES.fullmatch(word)
            ),
        )


def first_questions(issue: PastIssue, agents: Agents) -> tuple[str, ...]:
    """The sentences in which maintainers ask for more, from their first answer to the reporter's next word."""
    found: list[str] = []
    first = first_answers(issue, agents)
    for event in issue.events:
        if event.act is PastAct.COMMENTED and event.by == issue.author and found:
            break
        if event in first:
            found += questions_in(event.text, issue.author)
    return tuple(found[:MOST_SENTENCES])


def sentences_about(fact: AskedFact, thread: PastThread) -> tuple[str, ...]:
    """Those of a thread that ask for it."""
    return tuple(sentence for sentence in thread.sentences if _asks_for(fact, as_words(sentence)))


def _asks_for(fact: AskedFact, sentence: str) -> bool:
    return any(as_words(word) in sentence for word in fact.asked)
