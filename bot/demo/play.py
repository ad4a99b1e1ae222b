"""Plays the scenario in a house and tells, step by step, what people did and what Bouncer decided and wrote."""

import ast
import re
import time
from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

from bot.demo.sample_repository import AGENT, CRITIC, FIXED, GATED, PULLS, PullStory
from bot.demo.scenario import MAINTAINER, REPOSITORY, STORIES, Story
from bot.demo.server import DemoError, House
from bot.pulls.result import JUDGE as REJECTIONS
from bot.rendering.comment import FIXED_MARKER
from bot.rendering.gate import NAME as GATE
from bot.rendering.issue_view import issue_json
from bot.storage.ledger import Entry
from bot.verdicts import Decision, Verdict
from bot.workflows.pull.check_run import LABEL
from fake_github import IssueView

SECONDS_TO_DECIDE = 240.0
ALL = tuple(story.key for story in (*STORIES, *FIXED, *PULLS, *GATED))
SHORT = ("clarified", "stale", "blocked")  # both doors and the history, in half a minute
HEADINGS = {
    "vague": "A vague report is held",
    "clear": "A clear report: nothing is written",
    "clarified": "A vague report is held, answered and released",
    "stale": "A report of a bug that is fixed already",
    "half": "A report of a bug that is half fixed",
    "rescued": "A review bot rejects a right change",
    "kept": "A review bot rejects a wrong change",
    "asked": "A maintainer says who is right",
    "passed": "A coding agent's change that works",
    "blocked": "A coding agent's change that breaks a test",
    "idle": "A coding agent's change that changes nothing",
}


@dataclass(frozen=True, slots=True)
class DemoStep:
    """Somebody did something (`text` is what they wrote), and, once Bouncer has answered, the decision it led to.

    story: its key. title: of the issue or pull request. page: where Bouncer shows how it was judged, of a pull request
    at the gate. left_alone: why Bouncer does nothing about it, in place of a decision.
    """

    story: str
    title: str
    number: int
    who: str
    what: str
    text: str
    url: str
    decision: Entry | None = None
    page: str = ""
    left_alone: str = ""


def play(house: House, stories: Collection[str] = SHORT) -> Iterator[DemoStep]:
    """Yield every step when it happens, and those that Bouncer decides once more when it has. Raises DemoError.

    stories: the keys of those that are told, in the order of `ALL` whatever theirs.
    """
    for issue in STORIES:
        yield from _issue(house, issue) if issue.key in stories else ()
    for report in FIXED:
        yield from _report(house, report) if report.key in stories else ()
    for pull in PULLS:
        yield from _pull(house, pull) if pull.key in stories else ()
    for gated in GATED:
        yield from _gated(house, gated) if gated.key in stories else ()


def page(house: House, number: int, kind: str = "issues") -> str:
    """Where a person reads the issue, or the pull request (`pull`)."""
    return f"{house.github.web_url}/{REPOSITORY}/{kind}/{number}"


def outcome(house: House) -> dict[str, Any]:
    """Per subject its newest verdict, and the labels and comments that now stand on the fake GitHub."""
    titles = {story.title: story.key for story in (*STORIES, *FIXED, *PULLS, *GATED)}
    shown = [house.github.issue(REPOSITORY, number) for number in house.github.repo(REPOSITORY).issues]
    return {
        "repository": REPOSITORY,
        "github": house.github.web_url,
        "subjects": {titles[issue.title]: _subject(house, issue) for issue in shown if issue.title in titles},
    }


def _reported(house: House, story: Story) -> DemoStep:
    number = house.github.open_issue(REPOSITORY, story.title, story.body, by="reporter")
    return DemoStep(story.key, story.title, number, "the reporter", "opens an issue", story.body, page(house, number))


def _issue(house: House, story: Story) -> Iterator[DemoStep]:
    step = _reported(house, story)
    yield from _await(house, step, decisions=1)
    if story.reply:
        house.github.comment(REPOSITORY, step.number, story.reply, by="reporter")
        yield from _await(house, replace(step, what="replies", text=story.reply), decisions=2)


def _report(house: House, story: Story) -> Iterator[DemoStep]:
    """A clear report; what it shows is looked for in the history and run, which takes a while longer."""
    step = _reported(house, story)
    yield step
    for _ in _until_decided(house, step.number):
        issue = house.github.issue(REPOSITORY, step.number)
        told = next((comment.body for comment in issue.bouncer_comments if FIXED_MARKER in comment.body), "")
        if told:
            break
    entry = _entries(house, step.number)[0]
    said = tuple(re.findall(r"\*\*(This is fixed[^*]*|Only a part[^*]*)\*\*", told))
    labels = tuple(f"label {name}" for name in issue.labels)
    yield replace(
        step,
        decision=replace(entry, verdict=replace(entry.verdict, reasons=said, ground=""), applied=(*labels, "comment")),
    )


def _opened(house: House, story: PullStory) -> Generator[DemoStep, None, DemoStep]:
    title, body = story.issue
    issue = yield from _wanted(house, story.key, title, body)
    number = house.github.open_pull(REPOSITORY, story.title, story.change, body=f"Closes #{issue}.", by=story.by)
    who, what = "a coding agent" if story.by == AGENT else "a contributor", f"opens a pull request for #{issue}"
    step = DemoStep(story.key, story.title, number, who, what, story.title, page(house, number, "pull"))
    yield step
    return step


def _pull(house: House, story: PullStory) -> Iterator[DemoStep]:
    opened = yield from _opened(house, story)
    if story.by == AGENT:
        yield _at_the_gate(house, opened)
    remark = {"path": story.path, "line": story.last, "body": f"```suggestion\n{story.suggestion}```"}
    house.github.review(REPOSITORY, opened.number, story.no, remarks=[remark], by=CRITIC)
    rejected = replace(opened, who="a review bot", what="rejects it and suggests a fix", text=story.no)
    yield from _await(house, rejected, decisions=1)
    if story.answer and (ticked := _tick(house, opened.number, story.answer)):
        yield from _await(house, replace(opened, who="the maintainer", what="ticks a box", text=ticked), decisions=2)


def _gated(house: House, story: PullStory) -> Iterator[DemoStep]:
    judged = _at_the_gate(house, (yield from _opened(house, story)))
    yield judged
    if story.override and judged.decision:
        before = _of_check(house, judged.number, "conclusion")
        house.github.comment(REPOSITORY, judged.number, story.override, by=MAINTAINER)
        word = replace(judged, who="the maintainer", what="overrides that", text=story.override, decision=None)
        yield word
        now = _concluded(house, word, before)
        verdict = Verdict(Decision.ACCEPT, None, None, "", None, (f"Overridden by {MAINTAINER}.",))
        yield replace(word, decision=replace(judged.decision, verdict=verdict, applied=(f"check {GATE}: {now}",)))


def _wanted(house: House, story: str, title: str, body: str) -> Generator[DemoStep, None, int]:
    """A maintainer's issue, which the policy exempts; its number."""
    number = house.github.open_issue(REPOSITORY, title, body, by=MAINTAINER)
    step = DemoStep(story, title, number, f"the {MAINTAINER}", "opens an issue", title, page(house, number))
    yield step
    for _ in _until_decided(house, number):
        found = house.subjects.get(house.repo_id, number)
        if found is not None and found.left_alone:
            yield replace(step, left_alone=found.left_alone)
            return number
    raise AssertionError  # it takes too long first


def _at_the_gate(house: House, step: DemoStep) -> DemoStep:
    """What came of an agent's pull request, once its check says so."""
    conclusion = _concluded(house, step, "")
    (entry,) = house.ledger.entries(house.repo_id, step.number)
    judged = replace(entry, applied=(f"check {GATE}: {conclusion}",))
    return replace(step, page=_of_check(house, step.number, "details_url"), decision=judged)


def _concluded(house: House, step: DemoStep, before: str) -> str:
    """What the gate's check says once it says something else than before, and the label with it."""
    for _ in _until_decided(house, step.number):
        check = _check(house, step.number)
        labelled = LABEL in house.github.issue(REPOSITORY, step.number).labels
        if check and check["conclusion"] not in (None, before) and labelled == (check["conclusion"] == "failure"):
            return str(check["conclusion"])
    return before


def _of_check(house: House, number: int, key: str) -> str:
    """What the gate's check says there; empty before it says anything."""
    return str((_check(house, number) or {}).get(key) or "")


def _tick(house: House, number: int, answer: Callable[[list[int]], float]) -> str:
    """Tick the box that is right in Bouncer's question; what stands beside it. Empty when nothing is asked."""
    (comment,) = house.github.replies(REPOSITORY, number)
    asked = re.search(r"\((\[[\d, ]+\])\)", comment.body)
    right = repr(answer(ast.literal_eval(asked[1]))) if asked else ""
    found = re.search(rf"^- \[ \] <!--[^>]*-->(.*`{re.escape(right)}`.*)$", comment.body, re.MULTILINE)
    if found is None:
        return ""
    body = comment.body[: found.start()] + found[0].replace("[ ]", "[x]", 1) + comment.body[found.end() :]
    house.github.edit_remark(REPOSITORY, number, comment.id, body, by=MAINTAINER)
    return re.sub(r"[*`]", "", found[1]).strip()


def _subject(house: House, issue: IssueView) -> dict[str, Any]:
    entries = _entries(house, issue.number)
    is_pull = any(story.title == issue.title for story in (*PULLS, *GATED))
    return {
        "number": issue.number,
        "title": issue.title,
        "url": page(house, issue.number, "pull" if is_pull else "issues"),
        "verdict": issue_json(entries[-1].verdict) if entries else None,
        "earlier": [entry.verdict.decision.value for entry in entries[:-1]],
        "labels": list(issue.labels),
        "check": _check(house, issue.number) if is_pull else None,
        "comments": [{"author": comment.author, "body": comment.body} for comment in issue.comments],
        "answers": [answer.body for answer in house.github.replies(REPOSITORY, issue.number)],
    }


def _check(house: House, number: int) -> dict[str, Any] | None:
    """The gate's check on the newest commit, as it stands."""
    pull = house.github.repo(REPOSITORY).issues[number].pull
    head = pull.head if pull else ""
    runs = [run for run in house.github.checks(REPOSITORY) if (run.name, run.head_sha) == (GATE, head)]
    if not runs:
        return None
    return {"conclusion": runs[-1].conclusion, "title": runs[-1].title, "details_url": runs[-1].details_url}


def _await(house: House, step: DemoStep, *, decisions: int) -> Iterator[DemoStep]:
    yield step
    for _ in _until_decided(house, step.number):
        if len(entries := _entries(house, step.number)) >= decisions:
            yield replace(step, decision=entries[decisions - 1])
            return


def _entries(house: House, number: int) -> tuple[Entry, ...]:
    """The decisions a story is about: of a pull request that a review bot rejected, those on the rejection."""
    entries = house.ledger.entries(house.repo_id, number)
    rejections = tuple(entry for entry in entries if entry.verdict.judge == REJECTIONS)
    rejected = house.github.issue(REPOSITORY, number).title in {story.title for story in PULLS}
    return rejections or (() if rejected else entries)


def _until_decided(house: House, number: int) -> Iterator[None]:
    """Again and again, a while apart. Raises DemoError when it takes too long, or Bouncer has ended."""
    deadline = time.monotonic() + SECONDS_TO_DECIDE
    while True:
        yield
        if not house.is_running():
            raise DemoError(f"Bouncer stopped. It printed:\n{house.log.read_text()}")
        if time.monotonic() > deadline:
            raise DemoError(f"no decision on #{number} within {SECONDS_TO_DECIDE:.0f} s; see {house.log}")
        time.sleep(0.05)
