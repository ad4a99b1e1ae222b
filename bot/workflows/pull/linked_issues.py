"""The issues a pull request names, as far as Bouncer may read them, and what they amount to."""

from dataclasses import replace

from bot.github.client import RepositoryClient
from bot.github.errors import Gone, NotFound
from bot.github.values import LinkedIssue, Pull
from bot.policy import Agents, Policy
from bot.pulls.agents import no_persons_word
from bot.pulls.issue_links import links
from bot.pulls.request import Request, request
from bot.workflows.commands import Right, may

MOST = 5  # issues that are weighed


def read_request(
    client: RepositoryClient, pull: Pull, known: tuple[LinkedIssue, ...], policy: Policy, web_url: str
) -> Request:
    """What a pull request was asked to do. known: what GitHub's own list told; only what is not in it costs a call.
    web_url: GitHub's. Raises `GitHubError`.

    Of another repository an issue is read when it is public and of the same owner: else whoever reads the verdict could
    read what they may not, or a stranger would say what is asked for.
    """
    own = client.repository.full_name
    named = links(pull, own, [(each.place, each.number) for each in known], web_url)
    listed = {(issue.place.lower(), issue.number): issue for issue in known}
    issues, unread, lost = [], False, False
    for link in named[:MOST]:
        told = listed.get(((link.place or own).lower(), link.number))
        if told and link.place and (told.private or _owner(told.place) != _owner(own)):
            unread = True
        elif told:
            issues.append(told if link.place else replace(told, place=""))
        elif not link.place and (read := _read(client, link)):
            issues.append(read)
        else:
            lost = lost or not link.guess
    return request(pull, tuple(issues), policy, unread=unread, lost=lost)


def may_allow(client: RepositoryClient, agents: Agents, author: str, issue: LinkedIssue) -> bool:
    """Whether an issue of this repository may allow what a person must look at: all who wrote it, edited it or brought
    it here are people who may write here, none of them an agent or the pull request's author, and no App wrote it for
    one. Whatever GitHub does not tell means no. Raises `GitHubError`."""
    writers = client.writers(issue.number)
    if "" in writers or client.get_issue(issue.number).app_id is not None:
        return False
    return all(
        login.lower() != author.lower()
        and not no_persons_word(login, login.endswith("[bot]"), False, agents)
        and may(Right.WRITE, client.permission(login))
        for login in writers
    )


def _read(client: RepositoryClient, link: LinkedIssue) -> LinkedIssue | None:
    """`None` for one that was deleted, transferred, made a discussion, or is a pull request."""
    try:
        issue = client.get_issue(link.number)
    except (NotFound, Gone):
        return None
    if issue.is_pull_request:
        return None
    return replace(
        link,
        title=issue.title,
        body=issue.body,
        author=issue.author,
        labels=issue.labels,
        open=issue.state == "open",
    )


def _owner(full_name: str) -> str:
    return full_name.partition("/")[0].lower()
