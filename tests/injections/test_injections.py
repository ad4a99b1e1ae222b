"""From the text of the issue to the comment on GitHub: an attempt changes nothing but what is reported about it."""

import json

import pytest

from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts, IssueHistory
from bot.issues.lifecycle import plan
from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge
from bot.judges.protocol import IssueJudge, Judgement, NoJudgement
from bot.policy import Policy
from bot.rendering.comment import MARKER
from bot.rendering.issue_view import issue_json
from bot.reports import IssueText, Reply, Report
from bot.verdicts import Decision, Effect, IssueKind, Question, SpecificationLabel, Verdict
from tests.injections.corpus import ATTEMPTS, BODY, HOPELESS_BODY, HOPELESS_TITLE, REPLY, TITLE, Attempt, each_attempt
from tests.issues.builders import text_in
from tests.rendering.github_markdown import alive

before_or_after = pytest.mark.parametrize("before", [False, True], ids=["after", "before"])


class Gullible:
    """A judge that believes every attempt, and says what the attempt would like to have said."""

    name = "gpt-4.1 with issue-specification/1"

    def __init__(self, kind: IssueKind | None = None) -> None:
        self._kind = kind

    def judge(self, report: Report) -> Judgement | NoJudgement:
        items = dict.fromkeys(report.items, True)
        kind = self._kind or report.kind
        return Judgement(SpecificationLabel.WELL_SPECIFIED, 0.0, kind, self.name, items)


class Mouthpiece:
    """A judge that holds the report, and repeats the attempt in its questions."""

    name = "offline/1"

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    def judge(self, report: Report) -> Judgement | NoJudgement:
        questions = tuple(Question(item, self._attempt.text[:300], self._attempt.text) for item in report.items)
        items = dict.fromkeys(report.items, False)
        return Judgement(SpecificationLabel.VAGUE, 0.99, report.kind, self.name, items, questions)


def hopeless(attempt: Attempt | None = None, *, before: bool = False) -> IssueText:
    """The hopeless report with the attempt added where it belongs."""
    title, body, replies = HOPELESS_TITLE, HOPELESS_BODY, ()
    if attempt is None:
        return IssueText(title, body)
    if attempt.place == TITLE:
        title = attempt.text
    if attempt.place == BODY:
        body = f"{attempt.text}\n\n{body}" if before else f"{body}\n\n{attempt.text}"
    if attempt.place == REPLY:
        return IssueText(title, body, (Reply(attempt.author, attempt.author == "reporter", attempt.text),))
    return IssueText(title, body, replies)


def look(text: IssueText, judge: IssueJudge) -> tuple[Verdict, str]:
    """One look, end to end: the verdict, and the comment, empty when none is written."""
    return judged(parse(text), judge)


def judged(report: Report, judge: IssueJudge) -> tuple[Verdict, str]:
    facts = IssueFacts(report, judge.judge(report), "reporter", "none", False, (), "open", False, IssueHistory())
    verdict = decide_issue(facts, Policy())
    return verdict, text_in(plan(facts, verdict, Policy()))


def strange(comment: str) -> list[str]:
    """What is alive in the comment and not Bouncer's own marker or fold."""
    own = (f"html_block: {MARKER}", "html_block: <details>\n<summary>Why", "html_block: </details>")
    return [found for found in alive(comment) if not found.startswith(own)]


def test_there_are_enough_attempts_of_each_sort() -> None:
    assert len({attempt.name for attempt in ATTEMPTS}) == len(ATTEMPTS) >= 60
    assert sum(attempt.hidden for attempt in ATTEMPTS) >= 15


@each_attempt
@before_or_after
def test_the_evidence_makes_the_verdict(attempt: Attempt, before: bool) -> None:
    verdict, comment = look(hopeless(attempt, before=before), OfflineJudge())
    assert verdict.decision is Decision.BOUNCE
    assert verdict.label in (SpecificationLabel.VAGUE, SpecificationLabel.IMPOSSIBLE_TO_SOLVE)
    assert 1 <= len(verdict.questions) <= 3
    assert strange(comment) == []


@each_attempt
@before_or_after
def test_a_judge_that_was_talked_round_accepts_nothing(attempt: Attempt, before: bool) -> None:
    report = parse(hopeless(attempt, before=before))
    for kind in (None, *IssueKind):
        verdict, comment = judged(report, Gullible(kind))
        assert (verdict.decision, comment) == (Decision.UNAVAILABLE, ""), kind


@each_attempt
def test_hidden_text_is_reported_and_only_that(attempt: Attempt) -> None:
    verdict, comment = look(hopeless(attempt), OfflineJudge())
    hidden = [found for found in verdict.evidence if found.effect is Effect.HIDDEN]
    assert bool(hidden) is attempt.hidden
    assert all(found.found in comment.replace("`", "") for found in hidden)


@each_attempt
def test_a_judge_that_repeats_the_attempt_brings_nothing_to_life(attempt: Attempt) -> None:
    verdict, comment = look(hopeless(attempt), Mouthpiece(attempt))
    assert verdict.decision is Decision.BOUNCE
    assert strange(comment) == []
    assert comment.count("<!--") == 1
    printed = json.dumps(issue_json(verdict), ensure_ascii=False)
    assert printed.isprintable()


@each_attempt
def test_orders_are_not_passed_on_to_whoever_reads_the_comment(attempt: Attempt) -> None:
    for judge in (OfflineJudge(), Mouthpiece(attempt)):
        _, comment = look(hopeless(attempt), judge)
        assert "WELL_SPECIFIED" not in comment


def test_without_an_attempt_the_verdict_is_the_same() -> None:
    verdict, comment = look(hopeless(), OfflineJudge())
    assert verdict.decision is Decision.BOUNCE and strange(comment) == []
    assert not any(found.effect is Effect.HIDDEN for found in verdict.evidence)
