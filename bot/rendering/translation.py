"""The sentences that Bouncer says on an issue, in each language it has them in: one file a language, by key.

`languages/en.toml` is what the others are translated from. What a person or a model wrote is never translated.
"""

import tomllib
from functools import cache
from pathlib import Path

from bot.verdicts import Question

ENGLISH = "en"

_FOLDER = Path(__file__).with_name("languages")
_UNSPACED = ("ja", "zh")


@cache
def languages() -> frozenset[str]:
    """The ISO 639-1 codes of all that there are sentences in."""
    return frozenset(path.stem for path in _FOLDER.glob("*.toml"))


def sentence(language: str, key: str, **values: object) -> str:
    """What stands in a language's file below `table.name`, with its `{...}` filled in. Raises `KeyError`."""
    text = _catalogue(language)[key]
    return text.format(**values) if values else text


def question_text(question: Question, language: str = ENGLISH) -> str:
    """The question's own words without its quote: a model's, or what the catalogue has for it."""
    if language != ENGLISH and question.keys:
        return question_from_keys(question.keys, language, question.quote)
    if question.text or not question.keys:
        return question.text
    if question.english:
        return sentence(ENGLISH, f"english.{question.english}", about=question.about)
    return question_from_keys(question.keys, section=question.quote)


def question_sentence(question: Question, language: str = ENGLISH) -> str:
    """The question as one plain sentence with the quote it is about; not escaped."""
    text = question_text(question, language)
    return text if not question.quote or question.quote in text else f"“{question.quote}” — {text}"


def question_from_keys(keys: tuple[str, ...], language: str = ENGLISH, section: str = "") -> str:
    """One question out of fixed sentences. section: the name of the section that it asks for, where it does."""
    said = [sentence(language, f"questions.{key}") for key in keys]
    return ("" if language in _UNSPACED else " ").join(said).replace("{section}", section)


@cache
def _catalogue(language: str) -> dict[str, str]:
    tables = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{table}.{name}": text for table, entries in tables.items() for name, text in entries.items()}
