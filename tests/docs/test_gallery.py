"""Each policy of the gallery does what the sentence above it says, clause by clause."""

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from bot.changes.kinds import kind_of
from bot.changes.values import Change, FileChange, FileStatus
from bot.github.client import RepositoryClient
from bot.github.values import LinkedIssue, Pull
from bot.issues import lifecycle
from bot.issues.decide import decide_issue
from bot.issues.exemptions import why_exempt, why_not_held
from bot.issues.facts import IssueFacts, IssueHistory
from bot.issues.lifecycle import Plan
from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge
from bot.policy import Policy
from bot.policy_choices import Door, Role
from bot.policy_file import PolicyError, load
from bot.pulls.admission import left_by_name, left_by_paths
from bot.pulls.agents import authorship
from bot.pulls.facts import PullFacts
from bot.pulls.request import request
from bot.rendering.comment import MARKER
from bot.rendering.gate import gate_view
from bot.reports import IssueText
from bot.verdicts import Decision, Left
from bot.workflows.issue.fix_notice import brief_invited
from bot.workflows.issue.judging import ReportRead
from bot.workflows.pull.person_actions import RANKS, may_override
from tests.docs.pages import DOCS
from tests.issues.builders import text_in
from tests.pulls.results import decided
from tests.pulls.test_decide import BREAKS
from tests.verification.environments.test_prepare import StandIn, prepared, program

GALLERY = {
    heading: (sentence, text)
    for heading, sentence, text in re.findall(
        r"^## (.+)\n\n(.+\.)\n\n```yaml\n((?:.+\n)+)```$",
        (DOCS / "gallery.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}

SHOWN = 'I run `export db.sqlite`. It prints "Error: no such table". It should write a file.'
CLEAR = IssueText("Export fails", SHOWN)
AT_LENGTH = IssueText("Export fails", SHOWN + " Many people in our company have waited for this." * 20)
VAGUE = IssueText("Crash", "It crashes.")
VAGUE_WISH = IssueText("Improve it", "Please make it better.")
THIN = IssueText(
    "Broken calendar", "The calendar does not sync to my tablet since yesterday."
)  # more than nothing, and too little to act on
STEPS, VERSION = (f"### {heading}\n\n{{}}\n" for heading in ("Steps to reproduce", "Version"))
FORM = STEPS.format('Run `export db.sqlite`. It prints "Error: no such table".') + VERSION.format("2.3")
NO_VERSION = FORM.replace("2.3", "_No response_")
NO_STEPS = STEPS.format("_No response_") + VERSION.format("2.3") + "### Logs\n\n`Error: no such table`\n"


def facts(text: IssueText, **differs: Any) -> IssueFacts:
    """An issue in a public repository, from outside."""
    report = parse(text)
    looked = IssueFacts(
        report, OfflineJudge().judge(report), "reporter", "none", False, (), "open", False, private=False
    )
    return replace(looked, **differs)


def plan(rules: Policy, text: IssueText, **differs: Any) -> Plan:
    looked, rules = facts(text, **differs), rules.at(Door.ISSUES)
    left = why_not_held(looked, rules)
    return (
        lifecycle.not_held(looked, left, rules) if left else lifecycle.plan(looked, decide_issue(looked, rules), rules)
    )


def held(rules: Policy, *texts: IssueText, **differs: Any) -> list[bool]:
    return [plan(rules, text, **differs).history.held for text in texts]


def labelled(rules: Policy, label: str, *texts: IssueText, **differs: Any) -> list[bool]:
    return [label in plan(rules, text, **differs).labels_add for text in texts]


def silence(rules: Policy) -> list[tuple[int, str]]:
    """What is written on which of the days on which nobody writes, until it is closed."""
    looked, told = facts(VAGUE, history=IssueHistory(held=True, commented=True)), []
    for day in range(1, 366):
        done = lifecycle.silent(looked, day, rules.at(Door.ISSUES))
        looked = replace(looked, history=done.history)
        told += [(day, "reminder")] if done.reminder else [(day, "closed")] if done.close else []
        if done.close:
            break
    return told


def briefed(rules: Policy, *texts: IssueText) -> list[bool]:
    looked = [(facts(text), decide_issue(facts(text), rules)) for text in texts]
    ready = [(verdict.kind, lifecycle.is_ready(seen, verdict)) for seen, verdict in looked]
    return [brief_invited(ReportRead(kind, CLEAR, clear=each, ready=each), rules) for kind, each in ready]


def exempt(rules: Policy) -> list[str]:
    return [role.value for role in Role if why_exempt(facts(VAGUE, association=role.value), rules)]


def check(rules: Policy, **found: Any) -> str | None:
    """The conclusion of the check. found: fields of `PullFacts`."""
    return gate_view(decided(**found), rules.at(Door.PULLS).mode, rules.pulls.unavailable).conclusion


def asked(rules: Policy, *issues: LinkedIssue) -> str | None:
    return check(rules, asked=request(Pull(title="Round up", author="ada"), issues, rules).asked)


def judged(rules: Policy) -> list[str]:
    """Whose pull requests are."""
    opened = {
        "a person": Pull(3, "Round up", "", "ada", False, head_branch="round-up"),
        "the account": Pull(3, "Round up", "", "acme-coder", False, head_branch="round-up"),
        "the branch": Pull(3, "Round up", "", "ada", False, head_branch="bot/round-up"),
        "a known agent": Pull(3, "Round up", "", "devin-ai-integration[bot]", True, head_branch="round-up"),
    }
    return [name for name, each in opened.items() if rules.pulls.enabled and authorship(each, rules.pulls).in_scope]


def left_out(rules: Policy, *paths: str) -> bool:
    files = tuple(FileChange(path, kind_of(path), FileStatus.MODIFIED) for path in paths)
    return left_by_paths(Change(files), PullFacts(), rules.pulls) is Left.PATHS


def left_branches(rules: Policy) -> list[str]:
    whose = authorship(Pull(3, "Round up", "", "ada", False, head_branch="round-up"), rules.pulls)
    branches = ("main", "release/2", "next")
    return [name for name in branches if left_by_name(name, "Round up", whose, rules.pulls)]


class Members:
    """GitHub's answer to what somebody may do, who is named after it; `release-managers` is that team's member."""

    def permission(self, login: str) -> str:
        return login if login in RANKS else "read"

    def in_team(self, team: str, login: str) -> bool:
        return team == login


def overrides(rules: Policy) -> list[str]:
    client = cast(RepositoryClient, Members())
    people = (*RANKS, "release-managers", "writers")
    return [name for name in people if may_override(client, rules.pulls.override, name)]


def ran(rules: Policy) -> tuple[list[str], tuple[str, ...], float]:
    """The lines of the setup, what pytest is to run, and the seconds for it."""
    executor = StandIn()
    with tempfile.TemporaryDirectory() as cache:
        ready = prepared(executor, Path(cache), program(), policy=rules.verify)
    (setup,) = executor.jobs
    return json.loads(setup.argv[-1])["setup"], ready.test.select, ready.seconds


ISSUE = LinkedIssue(12, "Round up", "It should round up.", "bo")
NOTHING_RAN = {"unread": "GitHub did not show it."}
Clause = tuple[str, Callable[[Policy], object], object, object]

# A clause of the sentence or the heading, what shows it, what it is with the policy, and what by default.
PROMISES: dict[str, list[Clause]] = {
    "Watch first": [
        (
            "it judges",
            lambda rules: (decide_issue(facts(VAGUE), rules).decision, judged(rules)),
            *2 * [(Decision.BOUNCE, ["a known agent"])],
        ),
        ("writes nothing", lambda rules: (plan(rules, VAGUE).writes, rules.silent), (False, True), (True, False)),
    ],
    "A small project": [
        ("few questions", lambda rules: len(decide_issue(facts(VAGUE), rules).questions), 2, 3),
        ("no pull requests judged", judged, [], ["a known agent"]),
        ("bug reports alone", lambda rules: held(rules, VAGUE, VAGUE_WISH), [True, False], [True, True]),
        ("with the fewest held", lambda rules: held(rules, VAGUE, THIN), [True, False], [True, True]),
    ],
    "A busy project with an issue form": [
        (
            "the form's sections must be filled",
            lambda rules: held(rules, *(IssueText("Export fails", body) for body in (FORM, NO_VERSION, NO_STEPS))),
            [False, True, True],
            [False, False, False],
        ),
        (
            "the comment begins with your own words",
            lambda rules: text_in(plan(rules, VAGUE)).startswith(f"{MARKER}\nThank you for the report!"),
            True,
            False,
        ),
    ],
    "Silent reports end": [
        ("one reminder after a week", lambda rules: silence(rules)[:-1], [(7, "reminder")], []),
        ("closed after three", lambda rules: silence(rules)[-1:], [(21, "closed")], []),
    ],
    "Issues for coding agents": [
        (
            "only clear ones get it",
            lambda rules: labelled(rules, "agent-ready", CLEAR, VAGUE),
            [True, False],
            [False, False],
        ),
        (
            "members' too",
            lambda rules: labelled(rules, "agent-ready", CLEAR, VAGUE, association="member"),
            [True, False],
            [False, False],
        ),
        ("with a brief", lambda rules: briefed(rules, CLEAR, VAGUE), [True, False], [False, False]),
        (
            "those they often resolve are marked",
            lambda rules: labelled(rules, "good-for-agents", AT_LENGTH, CLEAR),
            [True, False],
            [False, False],
        ),
    ],
    "A team's own repository": [
        (
            "vague tickets come from inside",
            lambda rules: held(rules, VAGUE, CLEAR, association="member"),
            [True, False],
            [False, False],
        ),
        ("nobody is exempt", exempt, [], ["owner", "member", "collaborator"]),
        (
            "the dependency bot",
            lambda rules: held(rules, VAGUE, author="renovate[bot]", author_is_bot=True, by_agent=True),
            [False],
            [True],
        ),
    ],
    "Agents may not break the tests": [
        ("coding agents", judged, ["the account", "the branch", "a known agent"], ["a known agent"]),
        (
            "the check blocks what fails",
            lambda rules: [check(rules, patch=BREAKS), check(rules, **NOTHING_RAN)],
            ["failure", "neutral"],
            ["neutral", "neutral"],
        ),
        (
            "each needs an issue",
            lambda rules: [asked(rules), asked(rules, ISSUE)],
            ["failure", "neutral"],
            ["neutral", "neutral"],
        ),
    ],
    "Everybody's pull requests": [
        (
            "people's changes shall be run as well",
            judged,
            ["a person", "the account", "the branch", "a known agent"],
            ["a known agent"],
        ),
        (
            "documentation alone is left out",
            lambda rules: [
                left_out(rules, *paths)
                for paths in (("README.md", "docs/a.md", "docs/b/c.md"), ("docs/conf.py",), ("docs/a.md", "a.py"))
            ],
            [True, False, False],
            [False, False, False],
        ),
        ("whoever may write may override", overrides, ["write", "maintain", "admin"], ["maintain", "admin"]),
    ],
    "Release branches of a critical project": [
        ("Release branches", left_branches, ["next"], []),
        (
            "a wrong merge is expensive",
            judged,
            ["a person", "the account", "the branch", "a known agent"],
            ["a known agent"],
        ),
        (
            "what could not be judged blocks too",
            lambda rules: [check(rules, **NOTHING_RAN), check(rules, patch=BREAKS)],
            ["action_required", "failure"],
            ["neutral", "neutral"],
        ),
        ("admins and one team decide", overrides, ["admin", "release-managers"], ["maintain", "admin"]),
    ],
    "Tests with a setup of their own": [
        (
            "the lines that install",
            lambda rules: ran(rules)[0],
            ["pip install --editable '.[dev]'"],
            ["pip install -e . pytest"],
        ),
        ("the line that tests", lambda rules: ran(rules)[1], ("tests/unit",), ()),
        ("more time", lambda rules: ran(rules)[2], 900.0, 300.0),
    ],
}


def test_the_gallery_has_ten_policies_and_each_has_its_case_in_one_sentence() -> None:
    assert len(GALLERY) == (DOCS / "gallery.md").read_text(encoding="utf-8").count("\n## ") == 10
    assert list(PROMISES) == list(GALLERY), "what each promises is held below"
    for sentence, _ in GALLERY.values():
        assert sentence.startswith("When ") and sentence.count(".") == 1 and "\n" not in sentence


@pytest.mark.parametrize("heading", GALLERY)
def test_a_policy_of_the_gallery_is_valid_and_says_something(heading: str) -> None:
    policy = load(GALLERY[heading][1])
    assert policy != Policy(), "it is what holds without any file"
    assert [other for other, (_, text) in GALLERY.items() if load(text) == policy] == [heading]


@pytest.mark.parametrize("heading", GALLERY)
def test_every_clause_that_a_policy_promises_is_held(heading: str) -> None:
    """What follows "When …:" is a promise, all of it; what comes before may be one."""
    left = f"{heading}. {GALLERY[heading][0]}"
    for clause, *_ in PROMISES[heading]:
        assert clause in left
        left = left.replace(clause, "", 1)
    assert re.fullmatch(r".*When [^:]*:(?:,| |and|but)*\.", left), left


@pytest.mark.parametrize(
    ("heading", "clause"),
    [(heading, clause) for heading in PROMISES for clause in PROMISES[heading]],
    ids=lambda each: each if isinstance(each, str) else each[0],
)
def test_a_policy_does_what_its_sentence_says(heading: str, clause: Clause) -> None:
    _, shown, with_it, by_default = clause
    assert shown(load(GALLERY[heading][1])) == with_it
    assert shown(Policy()) == by_default


def without_one(rules: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same file without one of its keys, for each of them."""
    for key, value in rules.items():
        rest = {name: other for name, other in rules.items() if name != key}
        if isinstance(value, dict):
            yield from ({**rest, key: less} for less in without_one(value))
        else:
            yield rest


@pytest.mark.parametrize("heading", GALLERY)
def test_a_policy_has_no_key_that_its_sentence_does_not_need(heading: str) -> None:
    for less in without_one(yaml.safe_load(GALLERY[heading][1])):
        with suppress(PolicyError):
            rules = load(yaml.safe_dump(less))
            assert [clause for clause, shown, with_it, _ in PROMISES[heading] if shown(rules) != with_it], less
