"""What a pull request was asked to do: the issues it names, weighed against each other and the policy. Pure.

Only what others wrote is a specification, and only that is executed. What the author says, there or in an issue of
their own, and what a branch's name leads to, is read by the judge and decides nothing by itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.already_fixed.examples import ExampleSource
from bot.github.values import LinkedIssue, Pull
from bot.issues.kind import asks_for_behaviour, asks_for_documentation
from bot.markdown.visible import visible, visible_line
from bot.policy import Policy
from bot.policy_choices import WhenUnproved, WithoutIssue
from bot.pulls.facts import RequestKind, Statement
from bot.pulls.issue_links import specification
from bot.pulls.statements import claims

NO_ISSUE = "It names no issue, and the policy asks for one: write `Fixes #…` into the description."
MAY_NOT = (
    "Issue {number} asks for part of this, but allows nothing: it does not come from people with write access alone, "
    "or from the pull request's author."
)
LOST = "What it names as its issue is not an issue, or cannot be read from here."


@dataclass(frozen=True, slots=True)
class Request:
    """said: what it is held against, in words. specification: what others asked for. description: what its author says,
    and what may have been asked. waiving: the issues of this repository by others than its author, which alone waive a
    named risk, as far as their writers may. claims: what it says of itself.

    demanded: the issues by others that ask for behaviour, as `issue 12`; empty where none does. sources: the texts of
    those that its author neither wrote nor edited: their examples are run.
    issues: those it is held against; none where one of them lies elsewhere.
    documentation: one of them asks for documentation, comments or layout, so a change of these alone may be all that
    was wanted. unproved: what becomes of code that nothing looks at. remarks: what the reader should know; risks: what
    a person should look at. Both are sentences in Bouncer's own words.
    """

    asked: RequestKind
    said: str = ""
    specification: str = ""
    description: str = ""
    waiving: tuple[LinkedIssue, ...] = ()
    claims: tuple[Statement, ...] = ()
    issues: tuple[LinkedIssue, ...] = ()
    documentation: bool = False
    demanded: str = ""
    unproved: WhenUnproved = WhenUnproved.SAY
    sources: tuple[ExampleSource, ...] = ()
    remarks: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()


def request(
    own: Pull, issues: tuple[LinkedIssue, ...], policy: Policy, *, unread: bool = False, lost: bool = False
) -> Request:
    """issues: those it names, surest first. unread: GitHub knows of an issue that Bouncer may not read. lost: it names
    what is no issue, or is gone."""
    unclear = policy.issues.labels.needs_clarification
    named = tuple(issue for issue in issues if not issue.guess)
    waiting = tuple(issue for issue in named if _waits(issue, unclear))
    clear = tuple(issue for issue in named if issue not in waiting)
    if clear:
        asked = _held_against(own, clear, waiting)
    elif waiting:
        asked = Request(RequestKind.UNCLEAR, f"{_first(waiting)} {_carry(waiting)} the label for unclear issues.")
    else:
        guessed = tuple(issue for issue in issues if issue.open and not _waits(issue, unclear))
        asked = _described(own, guessed, policy.pulls.require_linked_issue, unread=unread, lost=lost)
    return replace(asked, unproved=policy.pulls.unproved, claims=claims(own.title, own.body))


def _held_against(own: Pull, clear: tuple[LinkedIssue, ...], waiting: tuple[LinkedIssue, ...]) -> Request:
    others = tuple(issue for issue in clear if issue.author != own.author)
    mine = tuple(issue for issue in clear if issue.author == own.author)
    closed = tuple(issue for issue in clear if not issue.open)
    asking = tuple(issue for issue in others if asks_for_behaviour(issue.title, issue.body, issue.labels))
    closed_already = f"{_first(closed)} {_are(closed)} closed already."
    unclear = f"{_first(waiting)}, which it says it closes too, still {_carry(waiting)} the label for unclear issues."
    return Request(
        asked=RequestKind.ISSUE,
        said=f"Judged against {_names(clear)}." if others else f"{_first(mine)} {_are(mine)} by its own author.",
        specification=texts(others),
        description=_joined(texts(mine), specification(own.title, own.body)),
        waiving=tuple(issue for issue in others if not issue.place),
        issues=() if any(issue.place for issue in clear) else clear,
        documentation=any(asks_for_documentation(issue.title, issue.labels) for issue in clear),
        demanded=_names(asking) if asking else "",
        sources=tuple(
            source(_names((issue,)), issue.title, issue.body, (issue.author, *issue.editors))
            for issue in asking
            if own.author not in (issue.author, *issue.editors)
        ),
        remarks=(closed_already,) if closed else (),
        risks=(unclear,) if waiting else (),
    )


def source(name: str, title: str, body: str, writers: tuple[str, ...] = ()) -> ExampleSource:
    """What an issue's readers see of it."""
    return ExampleSource(name, visible_line(title).text, visible(body).text, writers)


def _described(
    own: Pull, guessed: tuple[LinkedIssue, ...], without: WithoutIssue, *, unread: bool, lost: bool
) -> Request:
    """For want of an issue, it is held against its own words."""
    if guessed:
        said = f"It names no issue. Its branch name refers to {_names(guessed)}, which the judge reads too."
    elif unread:
        said = "Its issue is elsewhere and may not be read from here, so it is judged against its description."
    elif without is WithoutIssue.BOUNCE:
        return Request(RequestKind.NOTHING, remarks=(LOST,) if lost else ())
    else:
        said = "It names no issue, so it is judged against its own description."
    advice = (NO_ISSUE,) if without is WithoutIssue.ADVISE and not unread else ()
    return Request(
        asked=RequestKind.DESCRIPTION,
        said=said,
        description=_joined(texts(guessed), specification(own.title, own.body)),
        documentation=asks_for_documentation(own.title, ()),
        remarks=(*advice, *((LOST,) if lost else ())),
    )


def _waits(issue: LinkedIssue, unclear: str) -> bool:
    """The label means that only here; elsewhere it may be anybody's."""
    return not issue.place and any(label.lower() == unclear.lower() for label in issue.labels)


def texts(issues: Iterable[LinkedIssue]) -> str:
    """All that they ask for."""
    return _joined(*(specification(issue.title, issue.body) for issue in issues))


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _names(issues: tuple[LinkedIssue, ...]) -> str:
    numbers = [f"{issue.place}#{issue.number}" if issue.place else str(issue.number) for issue in issues]
    return f"{'issue' if len(numbers) == 1 else 'issues'} {', '.join(numbers)}"


def _first(issues: tuple[LinkedIssue, ...]) -> str:
    """The same at the beginning of a sentence."""
    return f"I{_names(issues)[1:]}"


def _are(issues: tuple[LinkedIssue, ...]) -> str:
    return "is" if len(issues) == 1 else "are"


def _carry(issues: tuple[LinkedIssue, ...]) -> str:
    return "carries" if len(issues) == 1 else "carry"
