"""From an issue's text to the comment on GitHub: an attempt changes nothing, and bodies at the edge get a verdict."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from bot.demo.scenario import STORIES
from bot.github.deliveries import Delivery
from bot.github.events import read
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
from bot.verdicts import Decision, Effect, IssueKind, Item, Question, SpecificationLabel, Verdict
from tests.injections.corpus import ATTEMPTS, BODY, HOPELESS_BODY, HOPELESS_TITLE, REPLY, TITLE, Attempt, each_attempt
from tests.issues.builders import text_in
from tests.rendering.github_markdown import alive

before_or_after = pytest.mark.parametrize("before", [False, True], ids=["after", "before"])


class Gullible:
    """A judge that believes every attempt, and says what the attempt would like to have said."""

    name = "gpt-4.1 with issue-specification/2"

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


LONGEST = 65_536  # characters, the most GitHub takes
CLEAR = next(story for story in STORIES if story.key == "clear")
SPACE = "\u200b"

HOPELESS = {
    "empty": "",
    "blank": " \r\n\t\r\n",
    "zero-width": SPACE * 400,
    "html": "<div><table><tr><td><br></td></tr></table></div>" * 20,
    "image": "![Screenshot 2024-05-05](https://github.com/user-attachments/assets/0a1b)",
    "html image": '<img width="1200" alt="image" src="https://github.com/user-attachments/assets/0a1b">',
    "long nothing": "a" * LONGEST,
    "long lines": ("It does not work.\n" * LONGEST)[:LONGEST],
    "long markup": ("![" * LONGEST)[:LONGEST],
    "marks": "\u202e\u2066\u0301" * 100,
}
OTHER_LANGUAGES = {
    "ar": "عند الضغط على زر الحفظ لا يحدث أي شيء ولا تظهر أي رسالة خطأ في التطبيق",
    "he": "כאשר לוחצים על כפתור השמירה לא קורה כלום ואין שום הודעת שגיאה ביישום",
    "ja": "保存ボタンを押しても何も起こらず、エラーメッセージも表示されません。",
}


@pytest.mark.parametrize("body", HOPELESS.values(), ids=HOPELESS)
def test_nothing_said_is_held(body: str) -> None:
    verdict, comment = look(IssueText("It is broken", body), OfflineJudge())
    assert verdict.decision is Decision.BOUNCE
    assert 1 <= len(verdict.questions) <= 3
    assert strange(comment) == []
    assert len(comment) < LONGEST


@pytest.mark.parametrize("number", [None, "", 0, [], {"text": "x"}], ids=str)
def test_a_body_that_is_no_text_is_an_empty_one(number: Any) -> None:
    issue = {"number": 1, "title": "It is broken", "body": number, "user": {"login": "reporter"}}
    repository = {"id": 1, "full_name": "acme/widgets"}
    found = read("issues", {"action": "opened", "installation": {"id": 1}, "issue": issue, "repository": repository})
    assert isinstance(found, Delivery) and found.issue is not None
    verdict, _ = look(IssueText(found.issue.title, found.issue.body), OfflineJudge())
    assert verdict.decision is Decision.BOUNCE


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: SPACE.join(text.split(" ")).replace(SPACE, f" {SPACE}"),
        lambda text: f"\u202a{text}\u202c",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: (
            f"{text}\n```\n{'2024-05-05 12:00:01 INFO kettle.table row written' * 2000}"[: LONGEST - 4] + "\n```"
        ),
    ],
    ids=["zero-width", "direction", "windows", "longest"],
)
def test_a_clear_report_stays_clear(spoil: Callable[[str], str]) -> None:
    verdict, comment = look(IssueText(CLEAR.title, spoil(CLEAR.body)), OfflineJudge())
    assert verdict.decision is Decision.ACCEPT
    assert comment == ""
    hidden = [found for found in verdict.evidence if found.effect is Effect.HIDDEN]
    assert bool(hidden) is (SPACE in spoil("a b") or "\u202a" in spoil("a b"))


class Polyglot:
    """A judge that asks in the language of the report."""

    name = "gpt-4.1 with issue-specification/2"

    def __init__(self, question: str, quote: str) -> None:
        self._question = Question(Item.STEPS, question, quote)

    def judge(self, report: Report) -> Judgement:
        items = {Item.OBSERVED: True, Item.STEPS: False, Item.VERSION: False}
        label = SpecificationLabel.IMPOSSIBLE_TO_SOLVE
        return Judgement(label, 0.99, IssueKind.BUG, self.name, items, (self._question,))


def test_questions_are_in_the_reports_language_where_the_judge_can() -> None:
    body = OTHER_LANGUAGES["ja"]
    judge: IssueJudge = Polyglot("保存ボタンを押す前に、何を入力しましたか。", "保存ボタンを押しても")
    report = parse(IssueText("保存", body))
    facts = IssueFacts(report, judge.judge(report), "reporter", "none", False, (), "open", False)
    verdict = decide_issue(facts, Policy())
    comment = text_in(plan(facts, verdict, Policy()))
    assert verdict.questions[0].text == "保存ボタンを押す前に、何を入力しましたか。"
    assert "何を入力しましたか" in comment and "保存ボタンを押しても" in comment
    theirs, _, english = comment.partition("<summary>In English</summary>")
    assert "どのバージョンを" in theirs and "Which version" in english
    assert "Which version" not in theirs, "languages are not mixed"
