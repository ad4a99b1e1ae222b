"""Runs: words that a report and a change have one after the other, so that one was rather copied than alike. Pure."""

import re
from collections.abc import Iterable, Sequence

Run = tuple[str, ...]

_CODE = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?|[^\s\w]")
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[\n.;:!?]")
_PROMPT = re.compile(r"\s{0,20}(?:>>>|\.\.\.|In \[\d{0,6}\]:)\s?")
_LINE = 500  # characters of a line of code that are read


def in_code(lines: Iterable[str], length: int) -> frozenset[Run]:
    """All runs of so many names, numbers and signs, each within one line; prompts are left out."""
    return _runs((_CODE.findall(_PROMPT.sub("", line[:_LINE], count=1).lower()) for line in lines), length)


def in_prose(text: str, length: int) -> frozenset[Run]:
    """All runs of so many words, each within one line of one sentence."""
    return _runs((_WORD.findall(sentence) for sentence in _SENTENCE.split(text.lower())), length)


def _runs(texts: Iterable[Sequence[str]], length: int) -> frozenset[Run]:
    return frozenset(tuple(words[at : at + length]) for words in texts for at in range(len(words) - length + 1))
