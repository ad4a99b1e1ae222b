"""What happens to a subject while Bouncer is upgraded: how it begins, where its runs may stop, how it has to end.

Each story happens to a number of subjects; the run of each stops at another moment, and one's at none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from bot.rendering.comment import FIXED_MARKER
from bot.rendering.gate import NAME
from bot.rendering.pull import MARKER
from fake_github.views import CheckView, IssueView
from tests.crash import test_kill_at_fixed as fixed
from tests.crash import test_kill_at_gate as gate
from tests.crash import test_kill_in_pull as rejected
from tests.crash.before import Moment
from tests.crash.fleet import POLICY, Fleet, labels_put_on, labels_taken_off
from tests.crash.stopping import BEGUN, ENDED
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE

AGENT = "copilot-swe-agent[bot]"
# As the version before says it, and as this one does: either may have written the check.
BOUNCED = (
    "Bounced: It breaks a test that passes without it: ",
    "Bounced: This change breaks a test that passes without it: ",
)
BAD = "def half(n):\n    return n // 2\n"
GOOD = "def half(n):\n    return n / 2.0\n"


@dataclass(frozen=True)
class Subject:
    """An issue or pull request in a story. begun: the version before had written its comment when it ended, in words of
    its own."""

    fleet: Fleet
    repository: str
    number: int
    begun: bool = False

    def __str__(self) -> str:
        seen = self.seen
        said = [(comment.body[:60], comment.edits) for comment in seen.comments]
        return f"{self.repository}#{self.number}: {seen.labels} {seen.history} {self.posts()} {said}"

    @property
    def seen(self) -> IssueView:
        return self.fleet.github.issue(self.repository, self.number)

    def check(self, head: str = "") -> CheckView:
        """The one check on its head commit, or on another commit."""
        pull = self.fleet.github.repo(self.repository).issues[self.number].pull
        wanted = head or (pull.head if pull else "")
        (found,) = (
            run for run in self.fleet.github.checks(self.repository) if (run.name, run.head_sha) == (NAME, wanted)
        )
        return found

    def posts(self) -> list[str]:
        """What was added to it, in the order of adding."""
        calls = self.fleet.github.writes(self.repository, self.number)
        return [call.path.rpartition("/")[2] for call in calls if call.method == "POST" and call.took_effect]


Act = Callable[[Subject], object]


def nothing(subject: Subject) -> None:
    """Nothing happens."""


@dataclass(frozen=True)
class Story:
    """begin: what makes the subject, in a repository with these files; its number. after: the moment by which that has
    come to its end, when its runs stop only in what `then` brings about. moments: all that are passed from there on.
    meanwhile: what happens while no Bouncer runs. right: fails unless all is as it has to be in the end.
    brief: the moments that the short run takes, as workflow and step. alone: every subject has a repository of its own.
    fix: what is committed on top of the files.
    """

    name: str
    files: Mapping[str, str]
    begin: Callable[[Fleet, str], int]
    moments: tuple[Moment, ...]
    right: Act
    brief: tuple[str, ...]
    after: Moment | None = None
    then: Act = nothing
    meanwhile: Act = nothing
    alone: bool = False
    fix: Mapping[str, str] | None = None


def moments(*runs: tuple[str, str, str]) -> tuple[Moment, ...]:
    """Of runs, each by workflow, occasion and the names of its steps with commas between."""
    return tuple(
        Moment(workflow, occasion, step)
        for workflow, occasion, steps in runs
        for step in (BEGUN, *filter(None, steps.split(", ")), ENDED)
    )


# Issues


def vague(fleet: Fleet, repository: str) -> int:
    return fleet.github.open_issue(repository, VAGUE_TITLE, VAGUE)


def make_clear(subject: Subject) -> None:
    subject.fleet.github.edit_issue(subject.repository, subject.number, title=CLEAR_TITLE, body=CLEAR)


def ask_for_a_look(subject: Subject) -> None:
    subject.fleet.github.comment(subject.repository, subject.number, "/bouncer help\n/bouncer recheck", by="acme")


def is_held(subject: Subject) -> None:
    (comment,) = subject.seen.bouncer_comments
    assert subject.seen.labels == (LABEL,)
    assert sorted(subject.posts()) == ["comments", "labels"]
    assert comment.edits == 0


def is_let_go(subject: Subject) -> None:
    (comment,) = subject.seen.bouncer_comments
    assert subject.seen.labels == ()
    assert sorted(subject.posts()) == ["comments", "labels"]
    assert labels_taken_off(subject.seen.history) == 1
    assert "- [ ]" not in comment.body and comment.edits == 1


def is_clear_in_the_end(subject: Subject) -> None:
    """However far the hold had come."""
    assert subject.seen.labels == ()
    assert labels_put_on(subject.seen.history) == labels_taken_off(subject.seen.history) <= 1
    assert sorted(subject.posts()) in ([], ["labels"], ["comments", "labels"])
    assert not any("- [ ]" in comment.body for comment in subject.seen.bouncer_comments)


def is_held_and_told_so(subject: Subject) -> None:
    assert subject.seen.labels == (LABEL,)
    assert sorted(subject.posts()) == ["comments", "comments", "labels"]
    asked, answer = subject.seen.bouncer_comments
    assert "looked again" in asked.body and asked.edits == 1
    assert "bouncer:answer" in answer.body and answer.edits == 0


def report_what_is_fixed(fleet: Fleet, repository: str) -> int:
    return fleet.github.open_issue(repository, fixed.TITLE, fixed.REPORT)


def is_said_to_be_fixed(subject: Subject) -> None:
    (comment,) = subject.seen.comments
    assert subject.seen.labels == ("already-fixed",)
    assert sorted(subject.posts()) == ["comments", "labels"]
    assert FIXED_MARKER in comment.body
    assert comment.edits <= subject.begun


# Pull requests


def propose(fleet: Fleet, repository: str, code: str, by: str = AGENT) -> int:
    """A commit of its own: those who share one wait for each other."""
    count = len(fleet.github.repo(repository).issues)
    return fleet.github.open_pull(repository, "Halve", {"half.py": f"{code}# {count}\n"}, by=by)


def reject(fleet: Fleet, repository: str) -> int:
    files = {"half.py": rejected.WRONG, "test_half.py": rejected.TESTS}
    number = fleet.github.open_pull(repository, "Add half()", files, by="agent[bot]")
    fleet.github.review(repository, number, "Wrong for odd numbers.", by="critic[bot]", remarks=[rejected.FIX])
    return number


def rejection_holds(subject: Subject) -> None:
    comment, *others = subject.seen.comments
    assert comment.body.startswith(MARKER) and "The rejection holds" in comment.body and comment.edits == 0
    assert others == [] and subject.posts().count("comments") == 1


def break_it(fleet: Fleet, repository: str) -> int:
    return propose(fleet, repository, BAD)


def mend_it(subject: Subject) -> None:
    subject.fleet.github.push_to_pull(
        subject.repository, subject.number, {"half.py": f"{GOOD}# {subject.number}, mended\n"}, by=AGENT
    )


def leave_it(fleet: Fleet, repository: str) -> int:
    return propose(fleet, repository, GOOD)


def by_a_person(fleet: Fleet, repository: str) -> int:
    return propose(fleet, repository, GOOD, by="acme")


def override(subject: Subject) -> None:
    """A second later at least: a word of the same second as a push is taken for one before it."""
    clock = subject.fleet.github.clock
    subject.fleet.github.clock = lambda: clock() + timedelta(seconds=1)
    subject.fleet.github.comment(subject.repository, subject.number, "/bouncer override It is meant.", by="acme")


def queue(subject: Subject) -> None:
    subject.fleet.github.queue(subject.repository, subject.number, by="acme")


def is_bounced(subject: Subject) -> None:
    check = subject.check()
    assert check.conclusion == "failure" and check.title.startswith(BOUNCED), check
    assert subject.seen.labels == ("bounced",)
    assert subject.posts() == ["labels"]


def passes(subject: Subject) -> None:
    assert subject.check().conclusion == "success", subject.check()
    assert subject.seen.labels == ()
    assert subject.posts().count("labels") == labels_taken_off(subject.seen.history) <= 1


def is_overridden(subject: Subject) -> None:
    assert (subject.check().conclusion, subject.check().title) == ("success", "Overridden by acme")
    assert subject.posts().count("labels") == 1
    assert subject.seen.labels == ()
    assert len(subject.seen.bouncer_comments) <= 1


def may_be_merged(subject: Subject) -> None:
    passes(subject)
    repo = subject.fleet.github.repo(subject.repository)
    (group,) = (entry.head for entry in repo.queue if entry.number == subject.number)
    check = subject.check(group)
    assert check.conclusion == "success" and "The merged result was run" in check.summary, check


# Policies


def mend_the_policy(subject: Subject) -> None:
    subject.fleet.github.push(subject.repository, {".github/bouncer.yml": POLICY}, by="acme")


GATE_FILES = {".github/bouncer.yml": gate.POLICY, "half.py": gate.BEFORE, "test_half.py": gate.TESTS}
# One command in two or three runs, where what is stored of pytest is another story's.
PLAIN = "python3 -c 'from half import half; assert half(3) == 1.5'"
PLAIN_FILES = {**GATE_FILES, ".github/bouncer.yml": gate.POLICY.replace("pytest", PLAIN)}
FIXED_FILES = {".github/bouncer.yml": fixed.POLICY, "halves.py": fixed.BEFORE}
REVIEW_FILES = {".github/bouncer.yml": rejected.POLICY + "pulls: {enabled: false}\n"}
HELD_FILES = {".github/bouncer.yml": POLICY}
SPOILT_FILES = {".github/bouncer.yml": "issues: nonsense\n"}

LOOK = "ask, judge, apply"
LOOKED = ("issue begun", "issue ask", "issue judge", "issue apply", "issue ended")
OPENED = ("desk", "pull_request.opened", "act")
JUDGED = ("gate", "", "gather, judge, execute, keep")
DONE = ("desk", "done", "act")
LABELLED = ("desk", "pull_request.labeled", "act")

OF_ISSUES = (
    Story(
        name="held",
        files=HELD_FILES,
        begin=vague,
        moments=moments(("issue", "issues.opened", LOOK)),
        brief=LOOKED,
        right=is_held,
    ),
    Story(
        name="clear-meanwhile",
        files=HELD_FILES,
        begin=vague,
        moments=moments(("issue", "issues.opened", LOOK)),
        brief=LOOKED,
        meanwhile=make_clear,
        right=is_clear_in_the_end,
    ),
    Story(
        name="made-clear",
        files=HELD_FILES,
        begin=vague,
        after=Moment("issue", "issues.opened", ENDED),
        then=make_clear,
        moments=moments(("issue", "issues.edited", LOOK)),
        brief=LOOKED,
        right=is_let_go,
    ),
    Story(
        name="asked",
        files=HELD_FILES,
        begin=vague,
        after=Moment("issue", "issues.opened", ENDED),
        then=ask_for_a_look,
        moments=moments(("issue", "issue_comment.created", f"act, hear, hear the reporter, {LOOK}")),
        brief=("issue act", "issue hear", "issue hear the reporter", "issue apply"),
        right=is_held_and_told_so,
    ),
    Story(
        name="policy",
        files=SPOILT_FILES,
        alone=True,
        begin=vague,
        after=Moment("issue", "issues.opened", ENDED),
        then=mend_the_policy,
        moments=moments(("policy", "push.", "check, renew, renew gates"), ("issue", "retry", LOOK)),
        brief=("policy begun", "policy check", "policy renew", "policy renew gates", "policy ended"),
        right=is_held,
    ),
    Story(
        name="fixed",
        files=FIXED_FILES,
        fix={"halves.py": fixed.AFTER},
        begin=report_what_is_fixed,
        moments=moments(
            ("issue", "issues.opened", LOOK),
            ("fixed", "", "gather, examine, keep, who answers it"),
            ("issue", "found", "found"),
        ),
        brief=("fixed examine", "fixed who answers it", "issue found"),
        right=is_said_to_be_fixed,
    ),
)
OF_PULLS = (
    Story(
        name="rejected",
        files=REVIEW_FILES,
        begin=reject,
        moments=moments(OPENED, ("pull", "pull_request_review.submitted", "hear, examine, apply")),
        brief=("pull examine", "pull apply"),
        right=rejection_holds,
    ),
    Story(
        name="let-through",
        files=GATE_FILES,
        begin=by_a_person,
        moments=moments(OPENED, ("gate", "", "gather, let through"), DONE),
        brief=("desk begun", "desk act", "desk ended", "gate begun", "gate gather", "gate let through", "gate ended"),
        right=passes,
    ),
    Story(
        name="bounced",
        files=GATE_FILES,
        begin=break_it,
        moments=moments(OPENED, JUDGED, DONE, LABELLED),
        brief=("gate judge", "gate execute", "gate keep"),
        right=is_bounced,
    ),
    Story(
        name="mended-meanwhile",
        files=GATE_FILES,
        begin=break_it,
        moments=moments(OPENED, JUDGED, DONE, LABELLED),
        brief=(),  # it executes tests once more; the long run has it
        meanwhile=mend_it,
        right=passes,
    ),
    Story(
        name="overridden",
        files=PLAIN_FILES,
        begin=break_it,
        after=Moment(*DONE[:2], ENDED),
        then=override,
        moments=moments(("pull", "issue_comment.created", "hear"), ("desk", "issue_comment.created", "act")),
        brief=("desk act",),
        right=is_overridden,
    ),
    Story(
        name="queued",
        files=PLAIN_FILES,
        begin=leave_it,
        after=Moment(*DONE[:2], ENDED),
        then=queue,
        moments=moments(("desk", "merge_group.checks_requested", "act"), ("group", "", "gather, execute, keep"), DONE),
        brief=("group keep",),
        right=may_be_merged,
    ),
)
STORIES = (*OF_ISSUES, *OF_PULLS)
