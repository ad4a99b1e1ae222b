"""A comment as its author wrote it: without what a mail program, its owner's absence and the mail that it answers put
around an answer. Pure, linear.

The libraries for this that are kept (mail-parser-reply, email-reply-parser) take seconds for a few thousand hostile
characters, or know English alone, and the first takes the indentation from code.
"""

import re
from collections.abc import Collection, Iterable, Iterator

from bot.changes.readers import Rows, beside
from bot.markdown.tree import fenced_lines
from bot.plain_text import as_words

_SENTENCE = re.compile(r"[^.?!。？！]+(?:[.?!](?!\s|\Z)[^.?!。？！]*+)*+[.?!。？！]*")
_UNSPACED = ("ja", "ko", "zh")
_FEWEST, _SHORTEST = 3, 8  # words of a repeated sentence, or its letters where none stand apart
_LONGEST_TAIL = 8  # lines of a signature
_SHORT = 60  # characters of its lines


class _Furniture(Rows):
    sent_from: dict[str, str]
    closings: dict[str, str]
    away: dict[str, str]
    away_too: dict[str, str]
    footers: dict[str, str]


def _phrases(table: dict[str, str]) -> tuple[str, ...]:
    """As `as_words` has them; where words do not stand apart, they are found inside of others."""
    told = ((code, as_words(each)) for code, text in table.items() for each in text.split("|"))
    return tuple(words.strip() if code in _UNSPACED else words for code, words in told)


_TABLE = beside(__file__, _Furniture)
_SENT_FROM, _AWAY, _AWAY_TOO, _FOOTERS = map(_phrases, (_TABLE.sent_from, _TABLE.away, _TABLE.away_too, _TABLE.footers))
_CLOSINGS = frozenset(words.strip() for words in _phrases(_TABLE.closings))


def sentences_in(texts: Iterable[str]) -> frozenset[str]:
    """The sentences of bots' comments, as words, and their boxes and tags as they are: whoever repeats one says
    nothing."""
    lines = [line.strip() for text in texts for line in text.split("\n")]
    told = (as_words(sentence) for line in lines for sentence in _SENTENCE.findall(line))
    marked = (line for line in lines if line.startswith(("- [", "<")))
    return frozenset((*marked, *(each for each in told if _is_told(each))))


def own_words(text: str, said: Collection[str] = ()) -> str:
    """What its author says in a comment. said: the sentences of others that it may repeat, by `sentences_in`; a quoted
    mail has them without marks. Code stays as it is, and so does a text without any of this."""
    plain = text.replace("\r\n", "\n")
    lines = list(zip(plain.split("\n"), fenced_lines(plain), strict=True))
    kept = _without_tail(_without_mails(lines))
    own = "\n".join(_without_sentences(kept, said)).strip("\n")
    return text if own.split() == text.split() else own


def _without_mails(lines: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Without the heads of mails that are answered, and what is quoted below them."""
    kept: list[tuple[str, bool]] = []
    at = 0
    while at < len(lines):
        line, code = lines[at]
        head = 0 if code else _head(lines, at)
        at += head or 1
        if not head:
            kept.append((line, code))
            continue
        kept = _without_tail(kept)
        while at < len(lines) and (_is_quoted(lines[at][0]) or not lines[at][0].strip()):
            at += 1
    return kept


def _head(lines: list[tuple[str, bool]], at: int) -> int:
    """How many lines the head of a mail takes that begins here: `On …, bouncer[bot] … wrote:`, in one line or two, or
    at least three fields, the sender's among them. 0 where none begins."""
    near = [line.strip() for line, code in lines[at : at + _LONGEST_TAIL] if not code]
    for size in (1, 2):
        told = " ".join(near[:size])
        if told.endswith((":", "：")) and any(map(str.isdigit, told)) and _names_sender(told):
            return size
    rule = 1 if near[0].startswith(("-----", "_____")) else 0
    fields = 0
    for line in near[rule:]:
        name, colon, value = line.strip("* ").replace("：", ":").partition(":")
        if not colon or not value.strip() or len(name) > _SHORT / 2:
            break
        fields += 1
    return rule + fields if fields > 2 and _names_sender(" ".join(near[rule : rule + fields])) else 0


def _names_sender(text: str) -> bool:
    """Whether it names whom GitHub's mails come from: GitHub hides addresses where it shows a mail."""
    return any(sign in text for sign in ("***@***", "[bot]", "@github.com", "@noreply.github.com"))


def _is_quoted(line: str) -> bool:
    bare = line.lstrip()
    return bare.startswith(">") and not bare.startswith(">>>")


def _without_tail(lines: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Without a signature: what stands below `--`, a program's name, or a name below a greeting."""
    end = len(lines)
    while end and (not lines[end - 1][0].strip() or _is_short(lines[end - 1], _SENT_FROM)):
        end -= 1
    for at in range(max(0, end - _LONGEST_TAIL), end):
        below = [line.strip() for line, _ in lines[at + 1 : end] if line.strip()]
        if any(code for _, code in lines[at:end]) or any(len(line) > _SHORT for line in below):
            continue
        line = lines[at][0]
        if line.rstrip() == "--" or (as_words(line).strip() in _CLOSINGS and _is_name(below[:1])):
            return lines[:at]
    return lines[:end]


def _is_short(line: tuple[str, bool], beginnings: tuple[str, ...]) -> bool:
    words = as_words(line[0])
    return (
        not line[1] and len(line[0]) < _SHORT and words.startswith((*beginnings, *(f" {each}" for each in beginnings)))
    )


def _is_name(below: list[str]) -> bool:
    """Whether the first line below a greeting reads like somebody's name, or nothing stands there."""
    words = below[0].split() if below else []
    return (
        len(words) < 4
        and all(word[:1].isupper() or not word[:1].isascii() for word in words)
        and not any(map(str.isdigit, "".join(words)))
    )


def _without_sentences(lines: list[tuple[str, bool]], said: Collection[str]) -> Iterator[str]:
    """Without what others said, and what notes of absence and offices say."""
    told_in_all = as_words("\n".join(line for line, code in lines if not code))
    away = any(phrase in told_in_all for phrase in _AWAY)
    empty = (*_FOOTERS, *((*_AWAY, *_AWAY_TOO) if away else ()))
    told: list[str] = []
    for line, code in (*lines, ("", True)):
        if told and (code or _begins_anew(line)):
            yield _left("\n".join(told), said, empty)
            told = []
        if code:
            yield line
        else:
            told.append(line)


def _begins_anew(line: str) -> bool:
    """Whether it goes on with no sentence: an empty line, or an item of a list."""
    bare = line.lstrip("> \t")
    return not bare or bare[:1] in "-*+<" or (bare[:1].isdigit() and bare.lstrip("0123456789")[:2] in (". ", ") "))


def _left(text: str, said: Collection[str], empty: tuple[str, ...]) -> str:
    """What is left of a paragraph or an item; of an item whose sentences went, nothing. A heading stays, for what
    stands below it."""
    if text.lstrip().startswith(("#", "**")):
        return text
    bare = text.lstrip("> \t").strip()
    if not bare or bare in said:
        return ""
    sentences = _SENTENCE.findall(text)
    kept = [each for each in sentences if not _is_empty(as_words(each), said, empty)]
    if len(kept) == len(sentences):
        return text
    bare = "".join(kept).strip("[]>*+- \t\n")
    marks = not bare or (bare[:-1].isdigit() and bare[-1] in ".)")
    return "" if marks else "".join(kept)


def _is_empty(words: str, said: Collection[str], empty: tuple[str, ...]) -> bool:
    return words in said or any(phrase in words for phrase in empty)


def _is_told(words: str) -> bool:
    return len(words.split()) >= _FEWEST or (not words.isascii() and len(words) >= _SHORTEST)
