"""What became of the questions that held issues were asked, told by what people did afterwards."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.live.precision import Bounce, Subject, Word
from bot.policy_choices import Mode
from bot.verdicts import Item


@dataclass(frozen=True, slots=True)
class IssueQuestions:
    """asked: what its reporter was asked for. satisfied: what was ever supplied."""

    asked: tuple[Item, ...]
    satisfied: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One item. answered: the reporter supplied it. needless: nobody did, and a maintainer's act says that the issue
    should not have been held. open: neither."""

    item: Item
    asked: int
    answered: int
    needless: int
    open: int


def question_rows(issues: Mapping[tuple[str, int], IssueQuestions], bounces: Sequence[Bounce]) -> list[QuestionRow]:
    """Of each item that was asked for in an issue which people saw held, the most frequent first."""
    of_issues = [bounce for bounce in bounces if bounce.first.subject is Subject.ISSUE]
    told = [bounce for bounce in of_issues if bounce.first.mode is not Mode.OBSERVE]
    wrong = {(bounce.first.repository, bounce.first.number) for bounce in told if bounce.word is Word.WRONG}
    counted: Counter[tuple[Item, str]] = Counter()
    for key in dict.fromkeys((bounce.first.repository, bounce.first.number) for bounce in told):
        if key in issues:
            counted.update(_of(issues[key], needless=key in wrong))
    rows = [_row(item, counted) for item in Item if any(found is item for found, _ in counted)]
    return sorted(rows, key=lambda row: -row.asked)


def _of(issue: IssueQuestions, *, needless: bool) -> Iterable[tuple[Item, str]]:
    for item in issue.asked:
        yield item, "answered" if item in issue.satisfied else "needless" if needless else "open"


def _row(item: Item, counted: Counter[tuple[Item, str]]) -> QuestionRow:
    answered, needless, left = (counted[item, what] for what in ("answered", "needless", "open"))
    return QuestionRow(item, answered + needless + left, answered, needless, left)
