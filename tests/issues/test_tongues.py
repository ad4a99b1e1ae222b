"""What is decided and planned about a report in another language, and what of it is in which one."""

from dataclasses import replace

from bot.issues.decide import decide_issue
from bot.issues.lifecycle import not_held, plan
from bot.issues.messages import Note
from bot.rendering.words import question_sentence, sentence
from bot.verdicts import Decision, IssueKind, Item, Question, Verdict
from tests.issues.builders import HELD, LABEL, facts, judgement, policy, report, text_in

KOREAN = report(language="ko")


def test_an_exempt_issue_is_let_go_in_its_language() -> None:
    said = text_in(not_held(facts(report=KOREAN, history=HELD, labels=(LABEL,)), "its author is exempt", policy()))
    assert sentence("ko", "notes.exempted") in said.partition("<details>")[0]
    assert "its author is exempt" in said.partition("<details>")[2]


def test_a_report_of_a_vulnerability_is_pointed_to_the_policy_in_its_language() -> None:
    verdict = Verdict(Decision.ACCEPT, None, None, "nobody", IssueKind.VULNERABILITY)
    planned = plan(facts(report=KOREAN), verdict, policy())
    assert sentence("ko", "notes.vulnerability_unsaid") in text_in(planned)
    pointer = sentence("ko", "notes.vulnerability", policy="[`SECURITY.md`](https://x.example/SECURITY.md)")
    assert pointer in text_in(
        replace(planned, comment=Note("vulnerability", {"policy": "https://x.example/SECURITY.md"}))
    )


def test_what_could_not_be_judged_says_so_in_its_language() -> None:
    verdict = Verdict(Decision.UNAVAILABLE, None, None, "nobody", None, ("The model is away.",))
    said = text_in(plan(facts(report=KOREAN, history=HELD, labels=(LABEL,)), verdict, policy()), "note")
    assert sentence("ko", "notes.unavailable") in said.partition("<details>")[0]
    assert "The model is away." in said.partition("<details>")[2]


def test_no_question_of_ours_joins_a_models_in_another_language_than_the_comments() -> None:
    own = Question(Item.STEPS, "저장 버튼을 누르기 전에 무엇을 입력하셨나요?")
    given = facts(report=KOREAN, judgement=judgement(questions=(own,)))
    assert len(decide_issue(given, policy()).questions) > 1
    assert decide_issue(given, policy(issues={"comment": {"language": "en"}})).questions == (own,)


def test_a_section_that_the_policy_wants_is_asked_for_by_its_own_name_in_every_language() -> None:
    verdict = decide_issue(facts(report=KOREAN), policy(issues={"required_sections": ["Browser"]}))
    [asked] = [question for question in verdict.questions if "fill_in" in question.keys]
    assert question_sentence(asked).startswith("The section “Browser” is missing or empty. Please fill it in, or reply")
    assert question_sentence(asked, "ja").startswith("「Browser」の項目がないか、空です。")


def test_what_a_judge_found_open_is_asked_in_fixed_words_elsewhere() -> None:
    reasoning = "The report does not say which version is used."
    whole = report(items={Item.OBSERVED: "x"}, language="ko")
    given = facts(report=whole, judgement=judgement(items={Item.OBSERVED: True}, reasoning=reasoning))
    [asked] = decide_issue(given, policy()).questions
    assert reasoning in question_sentence(asked)
    assert question_sentence(asked, "ko") == sentence("ko", "questions.version")
