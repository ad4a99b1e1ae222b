"""Each language says all that English says, in words of its own."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from bot.issues.language import NAMES, language
from bot.issues.messages import Asks, Note
from bot.policy_choices import Language, language_of
from bot.rendering import words
from bot.rendering.issue_messages import message_text
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.words import ENGLISH, languages, question_sentence, question_text, sentence
from bot.verdicts import Item, Question
from tests.rendering.samples import ACCEPT, bounce, unavailable
from tests.support.cases import cases

FOLDER = Path(words.__file__).with_name("languages")
OTHERS = sorted(languages() - {ENGLISH})
FILLED = re.compile(r"\{\w+\}")
VERBATIM = re.compile(r"`[^`]+`|\{label\}")
LABEL = "needs-clarification"


def tables(code: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((FOLDER / f"{code}.toml").read_text(encoding="utf-8"))


def flat(code: str) -> dict[str, str]:
    return {f"{table}.{name}": text for table, entries in tables(code).items() for name, text in entries.items()}


def test_there_are_the_fifteen_and_english_and_the_policy_names_them() -> None:
    fifteen = {"zh", "es", "pt", "ru", "ja", "fr", "de", "ko", "it", "pl", "tr", "vi", "uk", "id", "nl"}
    assert languages() == {ENGLISH, *fifteen}
    assert {each.value for each in Language} == {Language.REPORT, *languages()}
    assert languages() <= set(NAMES)


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_every_sentence_with_what_is_filled_in_and_nothing_else(code: str) -> None:
    english, theirs = flat(ENGLISH), flat(code)
    english = {key: text for key, text in english.items() if not key.startswith("english.")}  # English phrases alone
    assert list(theirs) == list(english), "the same keys in the same order"
    for key, text in theirs.items():
        assert sorted(FILLED.findall(text)) == sorted(FILLED.findall(english[key])), key
        assert VERBATIM.findall(text) == VERBATIM.findall(english[key]), f"{key}: commands and files stay as they are"
        assert text.strip() == text and text != english[key], key
        assert not re.search(r"[<>@#*_\[\]|]", FILLED.sub("", VERBATIM.sub("", text))), f"{key}: no Markdown"


@pytest.mark.parametrize("code", sorted(languages()))
def test_a_file_is_in_the_language_that_it_is_named_after(code: str) -> None:
    texts = [FILLED.sub("", VERBATIM.sub("", text)) for text in flat(code).values()]
    for part in (texts[: len(texts) // 2], texts[len(texts) // 2 :]):
        assert language("\n".join(part)) == code
    assert len(set(texts)) == len(texts), "no sentence stands for two"


def test_every_item_has_its_name_and_its_question() -> None:
    for item in Item:
        assert sentence(ENGLISH, f"items.{item}") and sentence(ENGLISH, f"questions.{item}")


@cases
def test_the_language_of_a_comment(report: str, wanted: str, code: str) -> None:
    assert language_of(report, wanted) == code


def test_a_question_of_fixed_sentences_is_asked_in_each_language_and_a_models_as_it_is() -> None:
    fixed = Question(Item.VERSION, "Which?", "it fails", ("empty", "version"))
    own = Question(Item.VERSION, "Hangi sürüm?", "")
    assert question_text(fixed) == "Which?"
    assert question_text(fixed, "de") == (
        "Dieser Abschnitt ist noch leer. Welche Version verwenden Sie, und auf welchem System?"
    )
    assert question_text(fixed, "zh") == "这一节仍然是空的。您使用的是哪个版本，在什么系统上？", "no space between them"
    assert question_sentence(fixed, "de").startswith("“it fails” — Dieser")
    assert question_text(own, "de") == "Hangi sürüm?"
    named = Question(Item.DETAILS, "Which?", "{label} {section}", ("missing", "fill_in"))
    assert "„{label} {section}“" in question_text(named, "de"), "what a policy names is filled in once"


def text_of(template: str, language: str, **about: object) -> str:
    return message_text(Note(template, about), language)


def parts(text: str) -> tuple[str, str]:
    theirs, _, english = text.partition("<summary>In English</summary>")
    return theirs, english


@pytest.mark.parametrize("code", OTHERS)
def test_a_bounce_is_in_one_language_and_below_it_whole_in_english(code: str) -> None:
    questions = (Question(Item.STEPS, "Where?", "", ("steps",)), Question(Item.DETAILS, "x", "Logs", ("missing",)))
    verdict = replace(bounce("x"), questions=questions)
    theirs, english = parts(message_text(Asks(verdict, LABEL, again=False), code))
    for key, text in flat(ENGLISH).items():
        longest = max(FILLED.split(text), key=len)
        assert longest not in theirs or longest in "“”:", key
    assert issue_reasons(verdict)[0] not in theirs and issue_reasons(verdict)[0] in english
    assert f"`{LABEL}`" in theirs and "`/bouncer accept`" in theirs and "`/bouncer recheck`" in theirs
    assert "Hidden text gives instructions." in english and "gives instructions" not in theirs
    plain = message_text(Asks(verdict, LABEL, again=False), "en")
    assert english.strip().removesuffix("</details>").strip() == plain.partition("\n")[2].strip()


@pytest.mark.parametrize("code", OTHERS)
def test_all_else_on_an_issue_is_in_the_language_too(code: str) -> None:
    said = [
        text_of("cleared", code, verdict=ACCEPT),
        text_of("vulnerability", code, policy=""),
        text_of("vulnerability", code, policy="https://github.example/acme/widgets/security/policy"),
        text_of("accepted", code),
        *(text_of("reminder", code, close_in_days=days) for days in (None, 1, 7)),
        *(text_of("closed", code, days=days) for days in (1, 14)),
    ]
    assert not any("In English" in text for text in said)
    for text in (
        *said,
        text_of("exempted", code, reason="it is exempt"),
        text_of("unavailable", code, verdict=unavailable("It is away.")),
    ):
        theirs, english = parts(text)
        for sentences in flat(ENGLISH).values():
            assert sentences.split("{")[0] not in theirs
        assert all(reason not in theirs for reason in ("it is exempt", "It is away."))
        assert not english or "it is exempt" in english or "It is away." in english
        assert "{" not in text
    assert "7" in said[6] and "14" in said[8]
    assert "SECURITY.md" not in said[1] and "[`SECURITY.md`](https://github.example/" in said[2]
