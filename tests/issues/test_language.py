"""Which language a report is in, and what is decided of it. To take English for another is the worst mistake."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bot.issues.decide import decide_issue
from bot.issues.language import language, specific_words
from bot.issues.lifecycle import not_held, plan
from bot.issues.messages import Note
from bot.issues.parse import parse
from bot.rendering.words import question_sentence, sentence
from bot.reports import IssueText, Reply
from bot.verdicts import Decision, IssueKind, Item, Question, Verdict
from tests.issues.builders import HELD, LABEL, facts, judgement, policy, report, text_in
from tests.support.cases import cases

DATA = Path(__file__).parents[1] / "data"
FILES = ("kinds_of_reports", "short_reports", "one_sentence_reports")


def test_our_own_reports_are_told_and_none_wrongly() -> None:
    rows = [json.loads(line) for name in FILES for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]
    told = [(row["id"], row["language"], parse(IssueText(row["title"], row["body"])).language) for row in rows]
    assert [row for row in told if row[2] not in (row[1], "und")] == []
    others = [(name, code) for name, written, code in told if written != "en"]
    assert sum(code == "und" for _, code in others) <= 0.02 * len(others)


@cases
def test_in_doubt_it_is_no_other_language(text: str, code: str) -> None:
    assert language(text) == code


@cases
def test_words_of_what_is_written_without_spaces(text: str, words: list[str]) -> None:
    assert [*specific_words(text)] == words


def test_half_a_character_is_of_no_language() -> None:
    assert language("\u202e\u200b\x00\ud800") == "und"


@pytest.mark.parametrize("length", [4_000, 65_536])
@pytest.mark.parametrize("piece", ["a", "ab ", "漢", "é_", "'", "\u202e", "Über den "])
def test_a_text_of_any_length_is_told_by_its_beginning(piece: str, length: int) -> None:
    text = (piece * length)[:length]
    assert language(text) == language(text[:4_000])


def loads_the_model(text: str) -> bool:
    code = (
        "import sys; from bot.issues.parse import parse; from bot.reports import IssueText;"
        "parse(IssueText(sys.argv[1], '')); sys.exit(10 + bool({'numpy', 'py3langid'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code, text], check=False).returncode
    assert ended in (10, 11)
    return ended == 11


@cases
def test_the_model_is_not_loaded_for_english_nor_where_the_script_decides(text: str) -> None:
    assert not loads_the_model(text)


def test_it_is_loaded_for_the_rest() -> None:
    assert loads_the_model("Die Anwendung stürzt beim Speichern ab")


@cases
def test_a_long_report_is_told_by_its_common_words_alone(code: str, sentence: str) -> None:
    """It is read in a process that has no time to load a model."""
    assert parse(IssueText("", sentence * 1_500)).language == code
    assert loads_the_model(sentence * 20) is (code == "und")


def test_what_stands_far_below_does_not_count() -> None:
    english, german = "The button does not work when I click it. ", "Der Knopf geht nicht, wenn ich ihn drücke. "
    assert language(english * 100 + german * 1_000) == "en"
    assert language(german * 100 + english * 1_000) == "de"


def test_a_reply_in_another_language_does_not_change_the_reporters() -> None:
    reply = Reply("maintainer", False, "Thank you, can you tell us which version of the program you have? " * 5)
    said = IssueText("Fehler beim Drucken", "Beim Drucken im Querformat fehlt die rechte Spalte.", (reply,))
    assert parse(said).language == "de"
    assert parse(IssueText("Bug", "", (Reply("ana", True, "Der Knopf zum Speichern geht nicht."),))).language == "de"


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
