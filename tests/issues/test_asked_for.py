"""What a project's maintainers ask reporters for, seen in whole reports."""

from dataclasses import replace
from typing import Any

from bot.issues.asked_for import fact_lines
from bot.issues.decide import decide_issue, with_facts, with_judgement
from bot.issues.facts import IssueFacts, IssueHistory
from bot.issues.lifecycle import after_answer, plan
from bot.issues.messages import Note
from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge
from bot.policy import Policy
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.words import question_sentence
from bot.reports import IssueText, Reply, Report
from bot.verdicts import Decision, IssueKind, Item, Verdict
from tests.issues.builders import facts, judgement, policy, report, text_in
from tests.support.cases import cases

QUESTION = "Please attach `debug.log`; see https://acme.example/logs for where it is."
LOG = {"fact": "debug log", "question": QUESTION, "when": ["crashes", "hangs"], "words": ["debug.log"]}
CRASH = (
    "The wallet crashes at start instead of opening its window.\n\n"
    "Steps to reproduce:\n\n1. Start `walletd` 2.3 on Debian 12\n2. Press Open"
)
TITLE = "walletd crashes at start"


def seen(body: str, *replies: str, title: str = TITLE) -> Report:
    return parse(IssueText(title, body, tuple(Reply("dana", True, reply) for reply in replies)))


def judged(read: Report, rules: Policy, history: IssueHistory = IssueHistory()) -> Verdict:  # noqa: B008
    looked = with_judgement(IssueFacts(read, association="none", history=history), rules, OfflineJudge())
    return decide_issue(looked, rules)


@cases
def test_a_fact_is_there_or_not(want: dict[str, Any], body: str, replies: tuple[str, ...], there: bool | None) -> None:
    rules = policy(issues={"ask_for": [{**LOG, **want}]})
    read = seen(f"{CRASH}\n\n{body}", *replies)
    assert [line.clear for line in fact_lines(read, read.kind, rules)] == ([] if there is None else [there])


def test_what_a_judge_sees_or_saw_is_there() -> None:
    rules = policy(issues={"ask_for": [{**LOG, "when": [], "words": [], "signs": ["steps"]}]})
    read = report()
    assert [line.clear for line in fact_lines(read, read.kind, rules)] == [False]
    assert [line.clear for line in fact_lines(read, read.kind, rules, {Item.STEPS})] == [True]
    seen_by_judge = facts(
        judgement=judgement(0.01, items={Item.STEPS: True}, judge="gpt-4.1 with issue-specification/2")
    )
    assert decide_issue(seen_by_judge, rules).decision is Decision.ACCEPT


def test_only_kinds_that_the_policy_names_need_it() -> None:
    rules = policy(issues={"ask_for": [{**LOG, "when": [], "kinds": ["feature"]}]})
    assert fact_lines(report(), IssueKind.BUG, rules) == ()
    assert [line.fact for line in fact_lines(report(), IssueKind.FEATURE, rules)] == ["debug log"]


def test_a_report_without_it_is_held_in_the_maintainers_words() -> None:
    """Whatever the judge and the strictness say; an answer releases it, and the comment says what is there."""
    rules = policy(issues={"strictness": "lenient", "ask_for": [LOG]})
    verdict = judged(seen(CRASH), rules)
    assert (verdict.decision, verdict.label, verdict.judge) == (Decision.BOUNCE, None, "nobody")
    assert issue_reasons(verdict) == ("This repository asks for “debug log” in such reports, and it is not there.",)
    [asked] = verdict.questions
    assert question_sentence(asked, "de") == QUESTION
    held = plan(IssueFacts(seen(CRASH)), verdict, rules)
    assert "- [ ] debug log\n" in text_in(held) and f"1. {QUESTION}\n" in text_in(held)
    chatter = judged(seen(CRASH, f"> {QUESTION}\n\nI will look."), rules, held.history)
    assert chatter.decision is Decision.BOUNCE
    answered = judged(seen(CRASH, "Here is debug.log: [x](https://files.example/x.txt)"), rules, held.history)
    assert answered.decision is Decision.ACCEPT
    assert ("debug log", True) in [(line.fact, line.clear) for line in answered.checklist]
    cleared = plan(IssueFacts(seen(CRASH), history=held.history, labels=("needs-clarification",)), answered, rules)
    assert cleared.labels_remove == ("needs-clarification",) and "- [x] debug log" in text_in(cleared)


def test_a_fact_that_is_there_supplies_no_item_for_good() -> None:
    rules = policy(issues={"ask_for": [{**LOG, "fact": "version", "when": [], "words": ["saving"]}]})
    looked = facts(judgement=judgement(0.01))
    verdict = decide_issue(looked, rules)
    assert [(line.item, line.clear) for line in verdict.checklist if line.fact] == [(Item.VERSION, True)]
    assert Item.VERSION not in plan(looked, verdict, rules).history.satisfied


def test_what_the_judge_would_ask_besides_comes_after_it() -> None:
    version = {**LOG, "fact": "version", "when": [], "words": [], "signs": ["version"]}
    rules = policy(issues={"ask_for": [version]})
    verdict = decide_issue(facts(), rules)
    assert [line.fact or line.item for line in verdict.checklist if not line.clear] == ["version", Item.STEPS]
    assert question_sentence(verdict.questions[0]) == QUESTION
    assert [question.item for question in verdict.questions] == [Item.VERSION, Item.STEPS], "nothing is asked twice"


def test_a_question_that_the_policy_asks_something_of_is_held() -> None:
    rules = policy(issues={"ask_for": [{**LOG, "when": [], "kinds": ["question"]}]})
    read = report(kind=IssueKind.QUESTION, items={Item.SUBJECT: "the cache"})
    looked = facts(report=read, judgement=judgement(0.01, kind=IssueKind.QUESTION))
    assert decide_issue(looked, rules).decision is Decision.BOUNCE


def test_a_judge_is_told_what_the_policy_asks_for() -> None:
    rules = policy(issues={"ask_for": [LOG]})
    assert with_facts(seen(CRASH), rules).asked_for == (("debug log", False),)
    assert with_facts(seen(f"{CRASH} debug.log"), rules).asked_for == (("debug log", True),)
    assert with_facts(seen(CRASH), Policy()).asked_for == ()


def test_a_long_text_of_near_misses_tells_nothing() -> None:
    words = ["debug " * 9 + "log" for _ in range(30)]
    rules = policy(issues={"ask_for": [{**LOG, "fact": f"log {n}", "words": words} for n in range(10)]})
    read = replace(report(), visible_text="crashes\n" + "debug " * 10_000)
    assert [line.clear for line in fact_lines(read, IssueKind.BUG, rules)] == [False] * 10


@cases
def test_who_is_asked_where_nothing_is_held(
    ask: str, strictness: str, association: str, probability: float, words: float, asked: list[Item]
) -> None:
    rules = policy(issues={"ask": ask, "strictness": strictness})
    said = report(features={"specific_words": words})
    verdict = decide_issue(facts(report=said, association=association, judgement=judgement(probability)), rules)
    assert verdict.decision is Decision.ACCEPT
    assert [question.item for question in verdict.questions] == asked
    assert ("Nothing waits for it" in " ".join(issue_reasons(verdict))) is bool(asked)


def test_where_nothing_waits_nobody_is_asked_what_the_report_says() -> None:
    """Whatever the judge makes of it; where the report is held, the judge has the last word."""
    struck = judgement(0.5, items={Item.OBSERVED: False, Item.STEPS: False, Item.VERSION: False})
    said = report(items={Item.OBSERVED: "It starts, but I see no settings", Item.STEPS: None, Item.VERSION: None})
    for strictness, first in (("lenient", Item.VERSION), ("strict", Item.OBSERVED)):
        rules = policy(issues={"ask": "always", "strictness": strictness})
        verdict = decide_issue(facts(report=said, judgement=struck), rules)
        assert verdict.questions[0].item is first
        assert (Item.OBSERVED in verdict.missing) is (strictness == "strict")


def test_questions_where_nothing_waits() -> None:
    """No label and no hold; an answer ends it as it ends a hold, and what was asked is not asked again."""
    labels = {"agent_ready": "ready", "within_reach": "reach"}
    rules = policy(issues={"ask": "newcomers", "strictness": "lenient", "labels": labels})
    vague = seen("The import of a folder forgets subfolders.", title="Import is wrong")
    verdict = judged(vague, rules)
    assert (verdict.decision, len(verdict.questions)) == (Decision.ACCEPT, 2)
    asks = plan(IssueFacts(vague), verdict, rules)
    assert (asks.labels_add, asks.history.held, asks.outcome) == ((), False, "clear: 2 asked")
    assert "Nothing waits for it, but answers would help" in text_in(asks) and "needs-clarification" not in text_in(
        asks
    )
    again = judged(vague, rules, asks.history)
    assert text_in(plan(IssueFacts(vague, history=asks.history), again, rules)) == text_in(asks), "edited into the same"
    told = seen("The import of a folder forgets subfolders.", "1. Open a.txt\n2. Save\n\n`Error: ENOSPC` with 3.2")
    answered = plan(IssueFacts(told, history=asks.history), judged(told, rules, asks.history), rules)
    assert "this is clear now" in text_in(answered) and "ready" in answered.labels_add, "agents start on the answers"
    watched = policy(mode="observe", issues={"ask": "newcomers", "strictness": "lenient"})
    silent = plan(IssueFacts(vague), verdict, watched)
    assert (silent.outcome, silent.writes) == ("ACCEPT, 2 would be asked: observed, nothing written", False)


@cases
def test_a_maintainers_label_asks(
    wanted: bool, by_label: bool, probability: float, more: dict[str, Any], decision: str, asked: int, said: str
) -> None:
    rules = policy(issues={"ask_on_label": wanted, **more})
    history = IssueHistory(label_by_human=True, asked_by_label=by_label)
    verdict = decide_issue(facts(judgement=judgement(probability), history=history), rules)
    assert (verdict.decision, len(verdict.questions)) == (decision, asked)
    assert said in " ".join(issue_reasons(verdict))


def test_what_a_maintainers_label_asks_is_awaited() -> None:
    """The comment does not say that nothing waits; a part of an answer is replied to, and the label stays theirs."""
    rules = policy(issues={"ask_on_label": True, "labels": {"agent_ready": "ready"}})
    history = IssueHistory(label_by_human=True, asked_by_label=True)
    labelled = facts(judgement=judgement(0.01), history=history, labels=("needs-clarification",))
    verdict = decide_issue(labelled, rules)
    asks = plan(labelled, verdict, rules)
    assert (asks.labels_add, asks.labels_remove, asks.history.held) == ((), (), False)
    assert "Before anyone starts on it" in text_in(asks) and "Nothing waits" not in text_in(asks)
    part = replace(report(), items={**report().items, Item.STEPS: "press save"})
    later = replace(labelled, report=part, history=asks.history)
    again = decide_issue(later, rules)
    after = after_answer(later, verdict, again, plan(later, again, rules))
    assert [question.item for question in again.questions] == [Item.VERSION]
    assert isinstance(after.answer, Note) and after.answer.template == "still_missing"
    whole = replace(part, items={**part.items, Item.VERSION: "2.3"})
    last = replace(later, report=whole, history=after.history)
    done = plan(last, decide_issue(last, rules), rules)
    assert "this is clear now" in text_in(done) and (done.labels_add, done.labels_remove) == ((), ())


def test_enough_is_said_only_of_what_lacks_nothing() -> None:
    whole = facts(report=report(items={Item.OBSERVED: "x"}), judgement=judgement(0.01))
    assert issue_reasons(decide_issue(whole, Policy())) == ("The report says enough to act on.",)
    lacking = decide_issue(facts(judgement=judgement(0.01)), Policy())
    assert issue_reasons(lacking) == (
        "`balanced` does not hold it; missing: steps to reproduce and the version and environment.",
    )
    ruled = decide_issue(facts(judgement=replace(judgement(judge="offline/1"), probability=None)), Policy())
    assert issue_reasons(ruled)[0].startswith("No rule of `balanced` holds it; missing: steps to reproduce")
