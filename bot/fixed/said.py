"""What prose says of a value: which one comes, and which one should come instead. Pure; linear in the text.

Values stand between backticks, or bare to the end of their sentence where they read as Python and not as English. A
claim is a whole report in one sentence: an expression, what it gives, what it should give.
"""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from bot.fixed import python

LONGEST = 20_000  # characters of prose that are read for claims
MOST = 4  # claims of one report
_TICKED = re.compile(r"(`{1,2})(?!`)([^`\n]{1,300})\1(?!`)")
_VERB = (
    r"(?:be|equal|return|give|yield|print|show|produce|output|become|(?:reduce|simplify|evaluate|expand|compile)d? to"
    r"|have (?:been|returned|given)|be (?:rendered|printed|displayed|shown|parsed|converted) (?:as|to))"
)
_MODAL = r"(?:should|must|ought to|(?:is|are|was) supposed to)"
_RIGHT = re.compile(
    rf"\b(?:(?P<modal>should|must|ought to|supposed to)(?: (?:\w+ly|also|still|just|instead|actually|both))? {_VERB}"
    r"|(?:i|we|one)(?: \w+)? expect(?:ed)?(?: (?:it|this|that))?(?: to (?:be|return|give|get|see|have))?"
    r"|(?:right|correct|expected|desired|proper) (?:output|result|answer|value|behaviou?r)"
    r"(?: (?:is|was|being|should be|would be)|:| \w{1,10} be))"
    r"(?: (?:something like|the|to be|just|exactly))?[ ]?:?\s{1,3}"
    r"(?=[^\s])",
    re.I,
)
_INSTEAD = re.compile(r"\b(?:instead of|rather than)(?: (?:the|an?))?(?: (?:expected|correct|right|desired))?[ ]", re.I)
_WISHED = re.compile(
    r"\b(?:should|must|could|would|better|(?<!as )expect\w*|prefer\w*|want|need\w*|propose\w*|like)\b", re.I
)
_NOT = re.compile(r"(?:\bnot|n't|\bnever)\s*$", re.I)
_COMES = re.compile(
    r"^[\s,]*(?:(?:currently|now|still|incorrectly|wrongly|also|just|always|actually|which|that|it|this) ){0,3}"
    r"(?:returns?|gives?|prints?|outputs?|yields?|produces?|results? in|evaluates? to|(?:i|you|we) (?:\w+ )?g[eo]t)"
    r"(?: (?:the|a|an|me|us|back|incorrect|wrong|output|result|value|answer)){0,3}:?\s*$",
    re.I,
)
_RAISES = re.compile(
    r"^[\s,]*(?:(?:with no arguments|currently|now|still|also|always|which) ){0,2}"
    r"(?:raises?|throws?|fails? with|gives?|results? in|crash(?:es)? with)(?: (?:an?|the))?:?\s*$",
    re.I,
)
_SHOULD = re.compile(
    rf"^[\s,]*(?:(?:it|this|but|and|which|that|where) ){{0,2}}{_MODAL}(?: (?:instead|also|rather|\w+ly))? {_VERB}"
    r"(?: (?:the|to))?:?\s*$",
    re.I,
)
_BUT_RIGHT = re.compile(
    rf"\b(?:instead of|rather than|and not|not the expected)(?: (?:the|an?))?(?: (?:expected|correct|right))?\s*$"
    rf"|\b(?:should|must|ought to|supposed to)(?: \w+)? {_VERB}(?: (?:the|to))?:?\s*$|\bexpected(?: \w+)?:?\s*$",
    re.I,
)
_BUT_WRONG = re.compile(
    r"[\s,]*but(?: instead)?(?: (?:it|i|we|you))?(?: \w+)?(?: instead)? (?:get|got|gives|returns|is|yields)\s*", re.I
)
_EXCEPTION = re.compile(r"(?:\w{1,60}\.){0,9}([A-Z]\w{0,60}(?:Error|Exception))(?:: (.{1,300}))?")
_BARE_CALL = re.compile(r"\b(?:no|zero|without(?: any)?) arguments?\b", re.I)  # otherwise `f()` only names f
_ENGLISH = re.compile(r"\b(?:is|in|and|or|not|if|for|else|lambda|await|the|an?)\b")
_CONSTANTS = frozenset({"True", "False", "None", "nan", "inf"})
_TITLE = re.compile(
    rf"\s(?:(?P<should>should(?: \w+ly)? {_VERB})|(?P<comes>returns?|gives?|produces?|yields?|prints?|raises?))\s"
)
_COMMENTED = re.compile(
    r"#[^#\n]{0,60}?\b(?:expect(?:ed|s)?|should (?:be|return|give|print|show))\b[:\s]*(?:to be |is |was )?"
    r"(\S[^\n]{0,200})",
    re.I,
)
_TICKED_RIGHT = re.compile(
    r"\b(?:instead of|rather than|should (?:be|return|give|print|show)"
    r"|expect(?:ed|ing)?(?: (?:the )?(?:output|result|value))?(?: is| was| to be| to get)?):?[ ]{0,2}"
    r"`([^`\n]{1,200})\n?`",
    re.I,
)
_TICKED_WRONG = re.compile(
    r"\b(?:returns?|gives?|prints?|outputs?|yields?|produces?|(?:i|you|we) (?:\w+ )?get|got|result is|evaluates to)"
    r"(?: the (?:output|result|value))?:?\s{1,3}`([^`\n]{1,200})\n?`",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """code: an expression. wrong, right: values as the report writes them, empty where it does not say.

    exception, message: what it raises, where that is what goes wrong.
    """

    code: str
    wrong: str = ""
    right: str = ""
    exception: str = ""
    message: str = ""


def right(prose: str, names: Collection[str] = ()) -> str:
    """The value that prose says should come; empty where it does not say, or says that it should not."""
    if value := wished(prose, names):
        return value
    for found in _INSTEAD.finditer(prose):
        before = re.split(r"[.;\n]\s", prose[max(0, found.start() - 200) : found.start()])[-1]
        value = _before(before) if _WISHED.search(before) else value_at(prose, found.end(), names)
        if value:
            return value
    return ""


def wished(prose: str, names: Collection[str] = ()) -> str:
    """The same, only where it says that something should be, and not what comes in its place."""
    for found in _RIGHT.finditer(prose):
        value = value_at(prose, found.end(), names)
        after = prose[prose.find(value, found.end()) + len(value) :][:10]
        if value and not re.match(r"`{0,2}[\s,]{0,3}or\b", after):
            return value
    return ""


def _before(clause: str) -> str:
    """Of `could return 115 instead of nan`: the value that ends the clause."""
    ticked = list(_TICKED.finditer(clause))
    if ticked and not clause[ticked[-1].end() :].strip():
        return ticked[-1][2].strip()
    last = clause.rstrip().rpartition(" ")[2]
    return last if is_value(last) else ""


def value_at(prose: str, at: int, names: Collection[str] = ()) -> str:
    """The value that begins here: between backticks, or up to where the sentence ends."""
    if ticked := _TICKED.match(prose, at):
        return ticked[2].strip()
    if prose.startswith("`", at):
        return ""
    line = prose[at : at + 200].partition("\n")[0].strip()
    ends = [
        len(line),
        *(found.start() for found in re.finditer(r"[.,;:!?](?=\s|$)|\s(?:but|and|or|instead|as|for)\b", line)),
    ]
    for end in sorted(set(ends), reverse=True)[:12]:
        if is_value(bare := line[:end].strip(" .,;:!?"), names):
            return bare
    return ""


def is_value(text: str, names: Collection[str] = ()) -> bool:
    """Whether a bare text reads as a value of Python and not as a word."""
    if not text or len(text) > 200 or _ENGLISH.search(text):
        return False
    tree = python.tree_of(text)
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return False
    value = tree.body[0].value
    match value:
        case ast.Name():
            return value.id in _CONSTANTS or (value.id in names and value.id.islower())
        case ast.Constant():
            return value.value is not ...
        case ast.Tuple():
            return text.startswith("(")
    return not isinstance(value, ast.Attribute | ast.Compare)


def claims(title: str, prose: str, names: Collection[str] = ()) -> tuple[Claim, ...]:
    """At most `MOST`, one for each expression."""
    found: dict[str, Claim] = {}
    for claim in (*_of_title(title, prose[:LONGEST], names), *_of_prose(prose[:LONGEST])):
        if claim.code not in found and len(found) < MOST:
            found[claim.code] = claim
    return tuple(found.values())


def _of_title(title: str, prose: str, names: Collection[str]) -> Iterator[Claim]:
    bare = title.replace("`", "").strip()
    if is_expression(bare) and not bare.endswith("()") and (value := right(prose, names)):
        yield Claim(bare, right=value)
    verb = _TITLE.search(bare)
    if not verb or len(bare) > 300 or not is_expression(code := bare[: verb.start()].strip()) or code.endswith("()"):
        return
    if verb["should"]:
        if not _NOT.search(verb["should"]) and (value := value_at(bare, verb.end(), names)):
            yield Claim(code, right=value)
        return
    rest = bare[verb.end() :]
    if raised := _EXCEPTION.match(rest):
        yield Claim(code, exception=raised[1])
    elif (wanted := right(rest, names)) and (wrong := value_at(rest, 0, names)):
        yield Claim(code, wrong, wanted)


def _of_prose(prose: str) -> Iterator[Claim]:
    """Sentence by sentence; what should come may be said in the next one."""
    for paragraph in re.split(r"\n\s*\n", prose):
        text = " ".join(paragraph.split())
        spans = list(_TICKED.finditer(text))[:40]
        for one, (span, then) in enumerate(pairwise(spans)):
            code, value = span[2].strip(), then[2].strip()
            if not is_expression(code) or (code.endswith("()") and not _BARE_CALL.search(text)):
                continue
            between = text[span.end() : then.start()]
            after = text[then.end() : spans[one + 2].start()] if one + 2 < len(spans) else ""
            third = spans[one + 2][2].strip() if one + 2 < len(spans) else ""
            raised = _EXCEPTION.fullmatch(value)
            if _RAISES.match(between) and raised:
                wanted = third if _BUT_RIGHT.search(after) and len(after) < 80 else ""
                yield Claim(code, right=wanted, exception=raised[1], message=raised[2] or "")
            elif _COMES.match(between) and not raised and _BUT_RIGHT.search(after) and len(after) < 160:
                yield Claim(code, value, third)
            elif _SHOULD.match(between) and not raised:
                wrong = (
                    third
                    if re.fullmatch(
                        r"[\s,]*(?:but|and not)?(?: instead)?(?: \w+){0,2} (?:get|got|gives|returns)\s*", after
                    )
                    else ""
                )
                yield Claim(code, wrong, value)


def is_expression(text: str) -> bool:
    """Whether it is a computation: a call, or an operator on something."""
    tree = python.tree_of(text)
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr) or python.has_gaps(tree):
        return False
    value = tree.body[0].value
    if isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Call | ast.BinOp) and not isinstance(getattr(value, "op", None), ast.BitOr)


def ticked_wrong(near: str) -> str:
    """What prose says is there, in code; not what it says should be."""
    for found in _TICKED_WRONG.finditer(near):
        if not re.search(r"\b(?:should|must|would|to|expect\w*)[ ]{1,2}(?:\w+[ ])?$", near[: found.start()], re.I):
            return found[1].strip()
    return ""


def ticked_right(near: str) -> str:
    """What prose says should be there, where it says so in code."""
    found = _TICKED_RIGHT.search(near)
    alternative = found and re.match(r"[\s,]{0,3}or\b", near[found.end() :][:10])
    return found[1].strip() if found and not alternative else ""


def commented_right(code: str) -> str:
    found = _COMMENTED.search(code)
    return found[1].strip(" `'\".") if found else ""
