"""What of an issue is judged: its text and which of its comments, and the digest of all that a judge sees."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from bot.github.values import Comment, Issue
from bot.issues.facts import IssueFacts
from bot.issues.kind import named_kind
from bot.issues.parse import parse
from bot.issues.templates import Template
from bot.markdown.commands import parse as parse_commands
from bot.markdown.mail import own_words, sentences_in
from bot.policy import Agents, Policy
from bot.pulls.agents import agents_account, is_known_agent
from bot.rendering.words import own_sentences
from bot.reports import GitHubFields, IssueText, Reply

MOST_REPLIES = 60
MOST_REPLIED = 100_000  # characters; what older comments supplied is remembered as ticked


def text_of(issue: Issue, replies: tuple[Reply, ...], agents: Agents) -> IssueText:
    """With what GitHub says of it. agents: the policy's. A bot that is no coding agent writes notices."""
    return IssueText(issue.title, issue.body, replies, GitHubFields(issue.labels, issue.type, by_bot(issue, agents)))


def by_bot(issue: Issue, agents: Agents) -> bool:
    """Whether its author is a bot, and no coding agent: the issues that such a bot opens are notices."""
    return issue.author_is_bot and not is_known_agent(issue.author, True, agents)


def by_agent(issue: Issue, agents: Agents) -> bool:
    """Whether a coding agent wrote it: its account's, or an App's for somebody."""
    return issue.app_id is not None or bool(agents_account(issue.author, issue.author_is_bot, agents))


def facts_of(
    issue: Issue, replies: tuple[Reply, ...], policy: Policy, templates: tuple[Template, ...] = ()
) -> IssueFacts:
    """What the issue itself tells."""
    return IssueFacts(
        report=parse(text_of(issue, replies, policy.pulls.agents), templates),
        author=issue.author,
        association=issue.association,
        author_is_bot=issue.author_is_bot,
        labels=issue.labels,
        state=issue.state,
        locked=issue.locked,
        by_agent=by_agent(issue, policy.pulls.agents),
    )


class Written(Protocol):
    """An issue, wherever it was read."""

    @property
    def title(self) -> str: ...

    @property
    def body(self) -> str: ...


def replies_of(
    issue: Issue, comments: tuple[Comment, ...], slug: str, own: Iterable[Comment] = ()
) -> tuple[Reply, ...]:
    """What people wrote below it in their own words, as far as a judge would read it: the newest of the reporter's, and
    the newest of all others', so that nobody talks the reporter out of what is read. A thread of any length takes
    bounded time to read. own: Bouncer's."""
    said = _said_by_bouncer(own)
    mine = [comment for comment in comments if is_reporters(comment, issue)]
    others = [comment for comment in comments if not is_reporters(comment, issue)]
    kept = {each.id: each.body for group in (mine, others) for each in _newest(group, slug, said)}
    read = [comment for comment in comments if comment.id in kept]
    return tuple(Reply(each.author, is_reporters(each, issue), kept[each.id]) for each in read)


def is_reporters(comment: Comment, issue: Issue) -> bool:
    """Whether a deleted account was the reporter's, nobody can tell."""
    return comment.author == issue.author not in ("", "ghost")


def wrote_since(issue: Issue, comments: Iterable[Comment], slug: str, own: Iterable[Comment]) -> bool:
    """Whether the reporter wrote since the issue was closed, more than commands and what a mail program adds. own:
    Bouncer's comments."""
    said = _said_by_bouncer(own)
    since = (each for each in comments if is_reporters(each, issue) and each.created_at >= issue.closed_at)
    return any(_told(each, slug, said) for each in since)


def _said_by_bouncer(own: Iterable[Comment]) -> frozenset[str]:
    """What replies may repeat: the questions of this issue, which a model or the policy may have worded, and all that
    Bouncer ever asks, since its comment is edited once they are answered. What another bot says, a reporter may say,
    too: whoever lets one speak takes nobody's answer away."""
    return own_sentences() | sentences_in(each.body[:MOST_REPLIED] for each in [*own][-MOST_REPLIES:])


def _told(comment: Comment, slug: str, said: Collection[str]) -> str:
    """What a person says in it. Bots do not reply, and a comment of nothing but commands says nothing of the issue."""
    text = "" if comment.author_is_bot else own_words(comment.body, said)
    lines = [line for line in text.splitlines() if line.strip()]
    return text if len(lines) > len(parse_commands(text, slug)) else ""


def _newest(comments: list[Comment], slug: str, said: Collection[str]) -> Iterator[Comment]:
    left = MOST_REPLIED
    for comment in reversed(comments[-MOST_REPLIES:]):
        if not (text := _told(comment, slug, said)):
            continue
        left -= len(comment.body)
        if left < 0:
            return
        yield replace(comment, body=text)


def text_digest(issue: Issue, replies: tuple[Reply, ...]) -> str:
    """Names everything a judge is told of an issue: what was written, and the kind that GitHub's words for it name."""
    kind = named_kind((issue.type, *issue.labels))
    return digest_of(issue, replies) + (f" {kind}" if kind else "")


def digest_of(issue: Written, replies: tuple[Reply, ...] = ()) -> str:
    """Names what was written; without replies what its author wrote. Line ends are GitHub's business, not theirs."""
    parts = [issue.title, issue.body, *(part for reply in replies for part in (reply.author, reply.body))]
    return hashlib.sha256(json.dumps([part.replace("\r\n", "\n") for part in parts]).encode()).hexdigest()
