"""Which language a report's prose is in, and which of its words say nothing about any project in particular.

The script decides where a language has its own, and common words where a text is plainly English or has many of one
language. Only what is left goes to py3langid, a model of 139 languages, which takes a second and 120 MB to load. Where
anything is in doubt the answer is English or `und`, for which Bouncer writes English: whoever files an issue on GitHub
can read it.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from bot.changes.readers import Rows, beside
from bot.child_process import in_a_child

_MARKS = "\u064b-\u0652\u0900-\u0903\u093a-\u094f\u0e31-\u0e4e"  # Arabic, Devanagari, Thai: parts of words
_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{_MARKS}])*(?:['’][^\W\d_]+)?")
_LONGEST = 4_000  # characters read; more does not make the guess better
_SURE = 0.8  # of py3langid's probability; below it nothing is said

# Letters of a language, and how much of a word each is.
_SCRIPTS = tuple(
    (code, re.compile(f"[{letters}]"), share)
    for code, letters, share in (
        ("ja", "\u3040-\u30ff", 1.0),
        ("ko", "\uac00-\ud7af", 1.0),
        ("zh", "\u4e00-\u9fff", 1.0),
        ("ru", "\u0400-\u04ff", 0.5),
        ("ar", "\u0600-\u06ff", 0.5),
        ("he", "\u0590-\u05ff", 0.5),
        ("el", "\u0370-\u03ff", 0.5),
        ("hi", "\u0900-\u097f", 0.5),
        ("th", "\u0e00-\u0e7f", 0.5),
    )
)
_UKRAINIAN = frozenset("іїєґІЇЄҐ")
_RUSSIAN = frozenset("ыэёЫЭЁ")
_NEITHER = frozenset("ўјљњћђџѓќѕәғқңөұүһЎЈЉЊЋЂЏЃЌЅӘҒҚҢӨҰҮҺ")  # Belarusian, Serbian, Kazakh and more
# What holds words together in Chinese, Japanese and Korean.
_GRAMMAR = re.compile(r"[的了不是我在有后後时時请請吗嗎没沒无無用会會\u3041-\u3096\uac00-\ud7af]")
_HARD = frozenset("ъЪ")  # between consonants a vowel of Bulgarian
_QUOTED = re.compile(r"`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|'[^'\n]{3,300}'(?!\w)")  # by programs
_CODE = re.compile(r"[_/\\=<>{}\[\]#@\d]|\w[.(:]\w|\(\)|\w:\Z")  # in a word of Latin letters
_PERSIAN = frozenset("پچژگ")


class _Table(Rows):
    common: dict[str, str]
    words: str
    together: tuple[str, ...]
    names: dict[str, str]


_TABLE = beside(__file__, _Table)
_VOCABULARY = {code: frozenset(words.split()) for code, words in _TABLE.common.items()}
_MOST_IDEOGRAPHS = 8_000  # characters that are searched for what they say
_SAYS_NOTHING = frozenset(_TABLE.words.split()).union(*_VOCABULARY.values())
_SAYS_NOTHING_CJK = re.compile("|".join(_TABLE.together))
_LATIN = re.compile(r"[A-Za-z]{2,}")
_FEWEST = 2  # words; of fewer nothing is guessed
_MANY = 10  # common words of one language alone that are enough to tell it
_CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_CJK_WORD = re.compile(r"[\u30a0-\u30ff]{2,}|[\u3400-\u9fff]{2}|[\uac00-\ud7af]{2,}")

NAMES = _TABLE.names

# In English alone: a few of them, and nearly nothing of another language, make a text English.
_ENGLISH = _VOCABULARY["en"].difference(
    ("a", "i", "in", "on", "no", "not", "as", "an", "am", "is", "was", "be", "with", "or", "to", "do", "my", "use"),
    ("error", "for", "have", "after"),
)
_ELSEWHERE = {code: words - _VOCABULARY["en"] for code, words in _VOCABULARY.items() if code != "en"}
_ALONE = {
    code: frozenset(word for word in words if sum(word in others for others in _VOCABULARY.values()) == 1)
    for code, words in _ELSEWHERE.items()
}

# What py3langid chooses from: the languages a comment is written in, and their nearest neighbours, which would be taken
# for one of them.
_OFFERED = (
    *("de", "en", "es", "fr", "id", "it", "nl", "pl", "pt", "tr", "vi"),
    *("cs", "da", "fi", "hu", "no", "ro", "sv"),
)


_loading = Lock()


@lru_cache(maxsize=8)  # one report is asked about twice
def language(prose: str) -> str:
    """The ISO 639-1 code of the language most of the prose is in, or `und` when there is too little to tell."""
    prose = prose[:_LONGEST]
    told = _QUOTED.sub(" ", prose)
    return (None if told.isascii() else _by_script(told)) or _by_words(told)


def _by_script(told: str) -> str | None:
    """The language whose letters most of the words are in; `None` where they are Latin, or too few are not."""
    letters = sum(map(str.isalpha, told))
    for code, script, share in _SCRIPTS if letters else ():
        found = len(script.findall(told))
        if found / letters <= (0.15 if share == 1.0 else 0.4):
            continue
        latin = [word.lower() for word in _LATIN.findall(told)] if share == 1.0 else []
        if found / 2 < len(latin) and (_english(Counter(latin)) or not _GRAMMAR.search(told)):
            return None  # about two are a word: an English sentence with a few of them in it is about them
        if code == "ru":
            return _by_cyrillic(told)
        return "fa" if code == "ar" and _PERSIAN.intersection(told) else code
    return None


def _by_cyrillic(told: str) -> str:
    if _NEITHER.intersection(told):
        return "und"
    if _UKRAINIAN.intersection(told):
        return "uk"
    return "und" if _HARD.intersection(told) and not _RUSSIAN.intersection(told) else "ru"


def _by_words(told: str) -> str:
    told = words_alone(told)
    words = Counter(word.lower() for word in _WORD.findall(told) if len(word) > 1)
    english = _english(words)
    if english > 3 * max(_hits(words, _ELSEWHERE).values()):
        return "en"
    alone = _hits(words, _ALONE)
    first, second = sorted(alone, key=alone.__getitem__, reverse=True)[:2]
    if alone[first] >= _MANY and alone[first] > 2 * max(alone[second], english):
        return first
    if words.total() < _FEWEST or in_a_child():  # which has no time to load a model, and long texts to read
        return "und"
    with _loading:
        model = _model()
    code, sure = model.classify(told)
    return str(code) if sure >= _SURE else "und"


def words_alone(told: str) -> str:
    """Without what no sentence is made of: code, names with a digit in them, references, and the keys of settings."""
    return " ".join(word for word in told.split() if not _CODE.search(word))


def _hits(words: Counter[str], common: Mapping[str, frozenset[str]]) -> dict[str, int]:
    return {code: sum(words[word] for word in known.intersection(words)) for code, known in common.items()}


def _english(words: Counter[str]) -> int:
    return sum(words[word] for word in _ENGLISH.intersection(words))


@cache
def _model() -> Any:
    """py3langid, loaded where it is needed first: with numpy it takes a second and 120 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model.set_languages(_OFFERED)
    return model


@lru_cache(maxsize=8)  # one report is asked about many times
def specific_words(prose: str) -> tuple[str, ...]:
    """The different words, in order, that could not stand in just any report. Of what is written without spaces two
    Chinese signs count as a word, a run of katakana as one, and hiragana, which is grammar, as none."""
    seen: dict[str, None] = {}
    plain = prose.isascii()  # most text is, and needs no look for ideographs
    for word in _WORD.findall(prose if plain else _CJK_RUN.sub(" ", prose)):
        lowered = word.lower().replace("’", "'")
        if len(lowered) > 1 and lowered not in _SAYS_NOTHING:
            seen[lowered] = None
    if plain:
        return tuple(seen)
    said = _SAYS_NOTHING_CJK.sub(" ", prose[:_MOST_IDEOGRAPHS])
    return (*seen, *dict.fromkeys(_CJK_WORD.findall(said)))
