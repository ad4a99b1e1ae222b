"""Whole reports in one sentence: an expression, what it gives, what it should give. Pure; linear in the text."""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

from bot.fixed import python
from bot.fixed.said import TICKED, value_at
from bot.fixed.wanted import Shown, could_come, wanted

LONGEST = 20_000  # characters of prose that are read for claims
MOST = 4  # claims of one report
_VERB = (
    r"(?:be|equal|return|give|yield|print|show|produce|output|become|(?:reduce|simplify|evaluate|expand|compile)d? to"
    r"|have (?:been|returned|given)|be (?:rendered|printed|displayed|shown|parsed|converted) (?:as|to))"
)
_MODAL = r"(?:should|must|ought to|(?:is|are|was) supposed to)"
_NOT = re.compile(r"(?:\bnot|n't|\bnever)\s*$", re.I)
_COMES = re.compile(
    r"^[\s,]*(?:(?:currently|now|still|incorrectly|wrongly|also|just|always|actually|which|that|it|this) ){0,3}"
    r"(?:returns?|gives?|prints?|outputs?|yields?|produces?|results? in|evaluates? to|(?:i|you|we) (?:\w+ )?g[eo]t)"
    r"(?: (?:the|a|an|me|us|back|incorrect|wrong|output|result|value|answer)){0,3}:?\s*$",
    re.I,
)
_RAISES = re.compile(
    r"^[\s,]*(?:(?:with no arguments|currently|now|still|also|always|which) ){0,2}"
    r"(?:raises?|throws?|fails?,? with|gives?|results? in|crash(?:es)? with)(?: (?:an?|the))?:?\s*$",
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
_BUT_COMES = re.compile(r"[\s,]*(?:but|and not)?(?: instead)?(?: \w+){0,2} (?:get|got|gives|returns)\s*")
_EXCEPTION = re.compile(r"(?:\w{1,60}\.){0,9}([A-Z]\w{0,60}(?:Error|Exception))(?:: (.{1,300}))?")
_BARE_CALL = re.compile(r"\b(?:no|zero|without(?: any)?) arguments?\b", re.I)  # otherwise `f()` only names f
_TITLE = re.compile(
    rf"\s(?:(?P<should>should(?: \w+ly)? {_VERB})|(?P<comes>returns?|gives?|produces?|yields?|prints?|raises?))\s"
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


def claims(title: str, prose: str, names: Collection[str] = ()) -> tuple[Claim, ...]:
    """At most `MOST`, one for each expression."""
    found: dict[str, Claim] = {}
    for claim in (*_of_title(title, prose[:LONGEST], names), *_of_prose(prose[:LONGEST], names)):
        if claim.code not in found and len(found) < MOST:
            found[claim.code] = claim
    return tuple(found.values())


def _of_title(title: str, prose: str, names: Collection[str]) -> Iterator[Claim]:
    bare = title.replace("`", "").strip()
    if is_expression(bare) and not bare.endswith("()") and (value := wanted(prose, Shown(bare, names=names))):
        yield Claim(bare, right=value)
    verb = _TITLE.search(bare)
    if not verb or len(bare) > 300 or not is_expression(code := bare[: verb.start()].strip()) or code.endswith("()"):
        return
    if verb["should"]:
        if (
            not _NOT.search(verb["should"])
            and (value := value_at(bare, verb.end(), names))
            and could_come(value, Shown(code, names=names))
        ):
            yield Claim(code, right=value)
        return
    rest = bare[verb.end() :]
    if raised := _EXCEPTION.match(rest):
        yield Claim(code, exception=raised[1])
    elif (wrong := value_at(rest, 0, names)) and (right := wanted(bare, Shown(code, wrong, names=names))):
        yield Claim(code, wrong, right)


def _of_prose(prose: str, names: Collection[str]) -> Iterator[Claim]:
    """Sentence by sentence; what should come may be said in the next one."""
    for paragraph in re.split(r"\n\s*\n", prose):
        text = " ".join(paragraph.split())
        spans = list(TICKED.finditer(text))[:40]
        for one, (span, then) in enumerate(pairwise(spans)):
            code, value = span[2].strip(), then[2].strip()
            if not is_expression(code) or (code.endswith("()") and not _BARE_CALL.search(text)):
                continue
            between = text[span.end() : then.start()]
            after = text[then.end() : spans[one + 2].start()] if one + 2 < len(spans) else ""
            third = spans[one + 2][2].strip() if one + 2 < len(spans) else ""
            raised = _EXCEPTION.fullmatch(value)
            if _RAISES.match(between) and raised:
                right = third if _BUT_RIGHT.search(after) and len(after) < 80 else ""
                yield Claim(code, right=right, exception=raised[1], message=raised[2] or "")
            elif _COMES.match(between) and not raised and _BUT_RIGHT.search(after) and len(after) < 160:
                if could_come(third, Shown(code, value, names=names)):
                    yield Claim(code, value, third)
            elif _SHOULD.match(between) and not raised:
                wrong = third if _BUT_COMES.fullmatch(after) else ""
                if could_come(value, Shown(code, wrong, names=names)):
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
