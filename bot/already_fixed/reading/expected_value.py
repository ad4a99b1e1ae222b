"""The value that prose says should come of an example. Pure; linear in the text.

A value counts where its sentence is about what the example gives: its subject is the result, *it*, the expression
itself, or nobody, or it names the wrong value too; and where it looks like something that could come. *The default mode
should be `down`* speaks of the code, not of its output. In doubt there is none: a right value that no fix can reach
would make a fixed report look as if it still held.
"""

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from bot.already_fixed.reading import python, values_in_prose
from bot.already_fixed.reading.wording import pattern

_RIGHT = pattern("right")
_INSTEAD = pattern("instead")
_WISHED = pattern("wished")
_COMES = pattern("comes")
_NOT = pattern("not_right")
_OTHERS = pattern("others")
_END = re.compile(r"[.;!?][\"')]*\s+(?=\S)|\n\s*\n")
_ADVERB = pattern("adverb")
_OF = pattern("of")
_PRONOUN = pattern("pronoun")
_IS = pattern("is_outcome")
_DOES = pattern("does")
_LINK = pattern("link")
_OPENING = pattern("opening")
_MOST = 30  # sentences that are looked at
_NEAR = 4  # words between a verb and what comes
_WORDS = re.compile(r"[A-Za-z_]\w*")
_SIGNS = frozenset("-:.@")  # inside of one word


@dataclass(frozen=True, slots=True)
class ShownOutput:
    """What an example shows. code: what gives the value. gave: what it gave, empty where that is not shown.

    around: the code before it. names: what the project offers; prose names some of it as values.
    """

    code: str = ""
    gave: str = ""
    around: str = ""
    names: Collection[str] = ()


def wanted(prose: str, shown: ShownOutput, *, alone: bool = False) -> str:
    """The value that should come; empty where prose does not say, or says that it should not.

    alone: only where it says that something should be, and not what comes in its place.
    """
    for found in islice(_RIGHT.finditer(prose), _MOST):
        value = values_in_prose.value_at(prose, found.end(), shown.names)
        after = prose[prose.find(value, found.end()) + len(value) :][:200]
        if not value or _NOT.search(prose[max(0, found.start() - 30) : found.start()]) or _OTHERS.match(after):
            continue
        sentence, before = _sentence(prose, found.start())
        about = not found["modal"] or _is_about(before, shown, does=not (found["verb"] or "").startswith("be"))
        if (about or _names_wrong(sentence, shown.gave)) and could_come(value, shown):
            return value
    return "" if alone else _in_place(prose, shown)


def _in_place(prose: str, shown: ShownOutput) -> str:
    """Of *gives 1 instead of 1.5*, and of *could give 1.5 instead of 1*."""
    for found in islice(_INSTEAD.finditer(prose), _MOST):
        sentence, before = _sentence(prose, found.start())
        value = _last(before) if _WISHED.search(before) else values_in_prose.value_at(prose, found.end(), shown.names)
        verb = next(iter([*_COMES.finditer(before)][-1:]), None)
        near = verb and len(values_in_prose.TICKED.sub("", before[verb.end() :]).split()) <= _NEAR
        about = not before or (verb and near and _is_about(before[: verb.start()], shown, does=True))
        if value and (about or _names_wrong(sentence, shown.gave)) and could_come(value, shown):
            return value
    return ""


def could_come(value: str, shown: ShownOutput) -> bool:
    """Whether an example could give a value that is written so: a literal, or something made of what is known."""
    known = _words(f"{shown.around} {shown.code} {shown.gave}") - values_in_prose.CONSTANTS
    if _is_one_word(value, shown.gave.strip()):
        return True
    written = python.expression(value)
    if written is None or value.startswith("--"):
        return bool(shown.gave) and bool(known & {*_WORDS.findall(value)})
    match written:
        case ast.Name(id=name):
            gave, of_project = shown.gave.strip(), name in shown.names and name.islower()
            return of_project or name in {*values_in_prose.CONSTANTS, *_WORDS.findall(gave)}
        case ast.Attribute() | ast.Compare() | ast.BoolOp() | ast.Subscript():
            return bool({*_WORDS.findall(shown.gave)} & {*_WORDS.findall(value)})
    unknown = python.lacks(value) - known - {*shown.names} - values_in_prose.CONSTANTS
    return not unknown


def _is_one_word(value: str, gave: str) -> bool:
    """Whether one word comes where another should, as of a text that is printed: made of letters, figures, and such
    signs as stand inside of what comes."""
    signs, known = (frozenset(re.sub(r"\w", "", each)) for each in (value, gave))
    shapes = [values_in_prose.shape(each) for each in (gave, value)]
    if not gave or value.startswith("-") or gave in values_in_prose.CONSTANTS or shapes in (["0", ""], ["", "0"]):
        return False
    return signs <= known <= _SIGNS


@lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text))


def _sentence(prose: str, at: int) -> tuple[str, str]:
    """The sentence around a place, and what of it stands before."""
    start = max(0, at - 300)
    ends = [found.end() for found in _END.finditer(prose, start, at)]
    begin = ends[-1] if ends else start
    end = _END.search(prose, at, at + 300)
    return prose[begin : end.start() if end else at + 300], prose[begin:at].strip()


def _is_about(before: str, shown: ShownOutput, *, does: bool) -> bool:
    """Whether a sentence that begins so speaks of what the example gives. does: of something that is done."""
    before = " ".join(before.split())
    while found := _ADVERB.search(before):
        before = before[: found.start()]
    if of := _OF.search(before):
        if not _is_of(of[1], shown, does=True):
            return False
        before = before[: of.start()]
    if not before or _PRONOUN.search(before) or _IS.search(before) or (does and _DOES.search(before)):
        return True
    if link := _LINK.search(before):  # the clause before it tells of whom
        clause = before[: link.start()]
        verb = _COMES.search(clause)
        return _is_about(clause[: verb.start()], shown, does=True) if verb else bool(_OPENING.fullmatch(clause))
    ticked = re.search(r"`([^`\n]+)`$", before)
    bare = before.rpartition(" ")[2]
    return any(_is_of(text, shown, does=does) for text in (ticked[1] if ticked else bare, before))


def _is_of(expression: str, shown: ShownOutput, *, does: bool) -> bool:
    """Whether the example holds an expression, or calls what is named, or ends with it."""
    bare = "".join(expression.replace("`", "").split()).removesuffix("()")
    code = "".join(shown.code.split())
    if not bare or bare not in code:
        return False
    if not re.fullmatch(r"[\w.]+", bare):
        return True
    last = "".join(shown.code.rstrip().rpartition("\n")[2].split())
    ends = last.removeprefix("print(").removesuffix(")") == bare
    calls = re.search(rf"(?<!\w){re.escape(bare)}\(|\.{re.escape(bare)}(?!\w)", code)
    return bool(ends or (does and calls))


def _names_wrong(sentence: str, gave: str) -> bool:
    """Whether the sentence names the wrong value too, as one."""
    gave = gave.strip()
    if not gave or len(gave) > 200 or "\n" in gave or gave not in sentence:
        return False
    if f"`{gave}`" in sentence:
        return True
    come = r"\b(?:returns?|gives?|gave|get|got|prints?|yields?|outputs?|produces?|evaluates to|instead of|rather than)"
    return bool(re.search(rf"{come} (?:the |an? )?{re.escape(gave)}(?!\w)", sentence, re.I))


def _last(clause: str) -> str:
    """Of `could return 115 instead of nan`: the value that ends the clause."""
    ticked = re.search(r"(`{1,2})([^`\n]{1,300})\1$", clause)
    last = clause.rpartition(" ")[2]
    return ticked[2].strip() if ticked else last if values_in_prose.is_value(last) else ""
