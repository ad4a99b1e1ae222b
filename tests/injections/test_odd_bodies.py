"""Bodies at the edge of what GitHub stores: each gets its verdict, and a comment in which nothing is alive."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.demo.scenario import STORIES
from bot.github.deliveries import Delivery
from bot.github.events import read
from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.issues.lifecycle import plan
from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge
from bot.judges.protocol import IssueJudge, Judgement
from bot.policy import Policy
from bot.rendering.issue_reasons import issue_reasons
from bot.reports import IssueText, Report
from bot.verdicts import Decision, Effect, IssueKind, Item, Question, SpecificationLabel
from tests.injections.test_injections import look, strange
from tests.issues.builders import text_in

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


@pytest.mark.parametrize(("code", "body"), OTHER_LANGUAGES.items(), ids=OTHER_LANGUAGES)
def test_the_offline_judge_says_what_it_cannot_read(code: str, body: str) -> None:
    assert parse(IssueText("", body)).language == code
    verdict, comment = look(IssueText(body[:30], body), OfflineJudge())
    assert verdict.decision is Decision.UNAVAILABLE
    assert "does not read" in " ".join(issue_reasons(verdict))
    assert comment == ""


class Polyglot:
    """A judge that asks in the language of the report."""

    name = "gpt-4.1 with issue-specification/1"

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
