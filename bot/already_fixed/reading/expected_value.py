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

from bot.already_fixed.in_sandbox.comparing import looks
from bot.already_fixed.reading import python
from bot.already_fixed.reading.wording import pattern, told

TICKED = re.compile(r"(`{1,2})(?!`)([^`\n]{1,300})\1(?!`)")
_ENGLISH = pattern("english")
CONSTANTS = frozenset({"True", "False", "None", "nan", "inf"})
_COMMENTED, _WISHED_BEFORE, _TICKED_WRONG = map(pattern, ("right_in_remark", "wished_before", "gives_ticked"))


def in_backticks(prose: str) -> list[str]:
    """What stands between backticks."""
    return [found[2] for found in TICKED.finditer(prose)]


def value_at(prose: str, at: int, names: Collection[str] = ()) -> str:
    """The value that begins here: between backticks, or up to where the sentence ends."""
    if ticked := TICKED.match(prose, at):
        return ticked[2].strip()
    if prose.startswith("`", at):
        return ""
    line = prose[at : at + 200].partition("\n")[0].strip()
    ends = {found.start() for found in re.finditer(r"$|[.,;:!?](?=\s|$)|\s(?:but|and|or|instead|as|for)\b", line)}
    for end in sorted(ends, reverse=True)[:12]:
        if is_value(bare := line[:end].strip(" .,;:!?"), names):
            return bare
    return ""


def is_value(text: str, names: Collection[str] = ()) -> bool:
    """Whether a bare text reads as a value of Python and not as a word."""
    if not text or len(text) > 200 or _ENGLISH.search(text):
        return False
    match value := python.expression(text):
        case None:
            return False
        case ast.Name():
            return value.id in CONSTANTS or (value.id in names and value.id.islower())
        case ast.Constant():
            return value.value is not ...
        case ast.Tuple():
            return text.startswith("(")
    return not isinstance(value, ast.Attribute | ast.Compare)


def ticked_wrong(near: str) -> str:
    """What prose says is there, in code; not what it says should be. Of several nobody can tell which is wrong."""
    values = {
        found[1].strip()
        for found in _TICKED_WRONG.finditer(near)
        if not _WISHED_BEFORE.search(near[max(0, found.start() - 40) : found.start()])
    }
    return values.pop() if len(values) == 1 else ""


def commented_right(code: str) -> str:
    found = _COMMENTED.search(code)
    return found[1].strip(" `'\".") if found else ""


_RIGHT, _INSTEAD, _WISHED, _COMES = map(pattern, ("right", "instead", "wished", "comes"))
_NOT, _OTHERS = pattern("not_right"), pattern("others")
_END = re.compile(r"[.;!?][\"')]*\s+(?=\S)|\n\s*\n")
_CLAUSES = pattern("clauses")
_OUTCOME = told("outcome_words")
_PRONOUNS, _OBJECTS = told("pronouns"), told("before_objects")
_CALLED = re.compile(r"[\w.]+(?=\()")
_MARKS = str.maketrans(dict.fromkeys('`*_"“”', " "))
_EMPHASIS = re.compile(r"`[^`\n]*`|(?<![\w*])(\*{1,3}|__(?=[A-Z]))(?=\S)([^*`\n]{1,100}?)(?<=\S)\1(?!\w)")
_EMPTY = {"string": "''", "text": "''", "list": "[]", "dict": "{}", "dictionary": "{}", "tuple": "()", "set": "set()"}
_KINDS = {"[": "list", "{": "dict", "(": "tuple", "'": "string", '"': "string", "": "string"}  # by how a value begins
_NOTHING = re.compile(rf"(?<=\bbe )(?:an )?empty\b(?: (?P<kind>{'|'.join(_EMPTY)})\b|(?=[.,;!\n]|$))")
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
    prose = _EMPHASIS.sub(lambda found: found[2] or found[0], prose)
    prose = _NOTHING.sub(lambda found: _empty(found["kind"], shown.gave) or found[0], prose)
    for found in islice(_RIGHT.finditer(prose), _MOST):
        value = value_at(prose, found.end(), shown.names)
        after = prose[prose.find(value, found.end()) + len(value) :][:200]
        goes_on = _OTHERS.match(after) or _COMES.match(after.lstrip("` "))  # what comes of it, of a call
        if not value or goes_on or _NOT.search(prose[max(0, found.start() - 30) : found.start()]):
            continue
        sentence, before = _sentence(prose, found.start())
        about = not found["modal"] or _is_about(before, shown)
        if (about or _names_wrong(sentence, shown.gave)) and could_come(value, shown):
            return value
    return "" if alone else _in_place(prose, shown)


def _empty(kind: str | None, gave: str) -> str:
    """The empty value of a kind, in code; where none is said, of the kind of what came, if that is known."""
    kind = kind or (_KINDS.get(looks(gave)) if gave else "")
    return f"`{_EMPTY[kind]}`" if kind else ""


def _in_place(prose: str, shown: ShownOutput) -> str:
    """Of *gives 1 instead of 1.5*, and of *could give 1.5 instead of 1*."""
    for found in islice(_INSTEAD.finditer(prose), _MOST):
        sentence, before = _sentence(prose, found.start())
        value = _last(before) if _WISHED.search(before) else value_at(prose, found.end(), shown.names)
        verb = next(iter([*_COMES.finditer(before)][-1:]), None)
        near = verb and len(TICKED.sub("", before[verb.end() :]).split()) <= _NEAR
        if not before and value == shown.gave.strip():
            continue  # what should come stands behind
        about = not before or (verb and near and _is_about(before[: verb.start()], shown))
        if value and (about or _names_wrong(sentence, shown.gave)) and could_come(value, shown):
            return value
    return ""


def could_come(value: str, shown: ShownOutput) -> bool:
    """Whether an example could give a value that is written so: a literal, or something made of what is known."""
    known = _words(f"{shown.around} {shown.code} {shown.gave}") - CONSTANTS
    if _is_one_word(value, shown.gave.strip()):
        return True
    written = python.expression(value)
    if written is None or value.startswith("--"):
        return bool(shown.gave) and bool(known & {*_WORDS.findall(value)})
    match written:
        case ast.Name(id=name):
            gave, of_project = shown.gave.strip(), name in shown.names and name.islower()
            return of_project or name in {*CONSTANTS, *_WORDS.findall(gave)}
        case ast.Attribute() | ast.Compare() | ast.BoolOp() | ast.Subscript():
            return bool({*_WORDS.findall(shown.gave)} & {*_WORDS.findall(value)})
    unknown = python.lacks(value) - known - {*shown.names} - CONSTANTS
    return not unknown


def _is_one_word(value: str, gave: str) -> bool:
    """Whether one word comes where another should, as of a text that is printed: made of letters, figures, and such
    signs as stand inside of what comes."""
    signs, known = (frozenset(sign for sign in each if not (sign.isalnum() or sign == "_")) for each in (value, gave))
    shapes = [looks(each) for each in (gave, value)]
    if not gave or value.startswith("-") or gave in CONSTANTS or shapes in (["0", ""], ["", "0"]):
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


def _is_about(before: str, shown: ShownOutput) -> bool:
    """Whether a sentence that begins so speaks of what the example gives: its last clause ends with a pronoun, or has
    no word but those of outcomes and of what the example calls, or holds."""
    outside = TICKED.sub(lambda code: "`" * len(code[0]), before)
    cuts = [0, *(place for found in _CLAUSES.finditer(outside) for place in found.span()), len(before)]
    clauses = [(begin, end) for begin, end in zip(cuts[::2], cuts[1::2], strict=True) if outside[begin:end].strip()]
    begin, end = clauses[-1] if clauses else (0, 0)
    verb = _COMES.search(outside, begin, end)
    end = verb.start() if verb and outside[begin : verb.start()].strip() else end
    *others, last = outside[begin:end].lower().split() or [""]
    if last in _PRONOUNS and (not others or others[-1] not in _OBJECTS):
        return True
    code, ends = ("".join(each.split()) for each in (shown.code, shown.code.rpartition("\n")[2]))
    ends = ends.removeprefix("print(").removesuffix(")")
    own = {part for name in (*_CALLED.findall(code), ends) for part in (name, name.rpartition(".")[2])}
    ticked = ["".join(found[2].split()).removesuffix("()") for found in TICKED.finditer(before, begin, end)]
    words = outside[begin:end].translate(_MARKS).split()
    said = [*ticked, *(word for word in words if word.lower() not in _OUTCOME)]
    return "".join(before.split()) in code or all(
        each in own if each.replace(".", "").isidentifier() else each in code for each in said
    )


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
    last = clause.rpartition(" ")[2]
    ticked = in_backticks(clause) if last.endswith("`") else []
    return ticked[-1].strip() if ticked else last if is_value(last) else ""
