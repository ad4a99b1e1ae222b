"""Examples that a text shows and that no test asks for. Pure.

*IV is 4, XC is 90*: what stands between a call's argument and its answer is learnt from the calls of tests, so no list
of words is needed: where one answer that is new stands behind its argument, others stand behind theirs.

*Seven stops in "a" cost 56 instead of 21*: of two answers, one is called wrong. Which call it is said of is not read:
it is the one of the text's own values to which the base gives the wrong one.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise, product

from bot.changes.asked_values import LITERAL, in_digits
from bot.verification.syntax import UNREADABLE, plain_value
from bot.verification.trial.moved import COMMON, argument_values, is_named, with_argument
from bot.verification.values import Ending, Observed

_LONGEST = 8_000  # characters of a text
_MOST = 20  # examples
_WAYS = 100  # to put a text's values into one call
_BETWEEN = 30  # characters between an argument and its answer
_MARKS = "[\"'`]?"
_CLAUSE = re.compile(r"[\n.,;:(]")
_PLAIN = (int, float, str)
_DUE = frozenset(["should", "must", "ought", "expect", "expected", "want", "wanted", "supposed", "correct", "right"])
_NOT = frozenset(["instead", "rather", "not", "got", "get", "gave"])
_VERBS = frozenset({"cost", "gave", "got", "get", "became", "came", "me"})
_INSTEAD = frozenset({"instead", "rather"})
_BUT = frozenset({"but", "though", "where", "while"})
_ROUGH = frozenset(["about", "around", "almost", "nearly", "roughly", "least", "most", "less", "more", "over", "under"])


def further_examples(asked: str, answers: Iterable[tuple[str, Observed]]) -> dict[str, str]:
    """Further calls, each with the one value that the text shows for it, as Python writes both. answers: calls of
    tests, and what is new about them."""
    text, found = asked[:_LONGEST], dict[str, set[str]]()
    known = [(call, plain_value(seen.value)) for call, seen in answers if seen.ending is Ending.RETURNED]
    for call, answer in known:
        for at, given in enumerate(argument_values(call)):
            if type(given) in _PLAIN and type(answer) in _PLAIN and len(found) < _MOST:
                for other, then in islice(_others(text, given, answer), _MOST):
                    found.setdefault(with_argument(call, at, other), set()).add(repr(then))
    ours = {call for call, _ in known}
    return {call: min(values) for call, values in found.items() if call not in ours and len(values) == 1}


def wrong_answers(asked: str) -> dict[str, str]:
    """What the text calls wrong -> what should come instead, as Python writes both. Not what many calls may give."""
    text, found = in_digits(asked[:_LONGEST]), dict[str, set[str]]()
    for one, other in pairwise(LITERAL.finditer(text)):
        before = _CLAUSE.split(text[max(0, one.start() - 60) : one.start()].rstrip("` "))[-1]
        between = text[one.end() : other.start()]
        words, due_first = {*between.lower().split()}, not _DUE.isdisjoint(before.lower().split())
        if len(between) > _BETWEEN or any(mark in between for mark in "\n.()") or words & _ROUGH:
            continue
        is_other = words & _INSTEAD or (words & _BUT and words & _DUE)
        if due_first and (words & _NOT or _says(words)):
            found.setdefault(_literal(other[0]), set()).add(_literal(one[0]))
        elif not due_first and _says(before.lower().split()[-1:]) and is_other:
            found.setdefault(_literal(one[0]), set()).add(_literal(other[0]))
    alone = {wrong: min(right) for wrong, right in found.items() if len(right) == 1 and {wrong} != right}
    return {wrong: right for wrong, right in alone.items() if plain_value(wrong) not in (*COMMON, None)}


def _says(words: Iterable[str]) -> bool:
    """Whether one of them says what comes. "Return 4 instead of 5" asks for what should."""
    return any(word.endswith(("s", "ed")) or word in _VERBS for word in words)


def calls_of_values(asked: str, calls: Iterable[str]) -> list[str]:
    """The calls that a text may speak of: those of tests with its own values in the place of theirs."""
    text, known = in_digits(asked[:_LONGEST]), list(calls)
    values = dict.fromkeys(map(_literal, (found[0] for found in LITERAL.finditer(text))))
    told, found = [value for each in values if type(value := plain_value(each)) in _PLAIN], list[str]()
    for call in known:
        given = argument_values(call)
        ways = [[own, *(each for each in told if type(each) is type(own))] for own in given]
        for row in islice(product(*ways), _WAYS):
            other = call
            for at, value in enumerate(row):
                other = other if value is given[at] else with_argument(other, at, value)
            if is_named(other, text):
                found.append(other)
    return [call for call in dict.fromkeys(found) if call not in known][:_MOST]


def _literal(text: str) -> str:
    """As Python writes it."""
    try:
        return repr(ast.literal_eval({"true": "True", "false": "False", "null": "None"}.get(text, text)))
    except UNREADABLE:
        return repr(text)


def _others(text: str, given: object, answer: object) -> Iterator[tuple[object, object]]:
    """The pairs that stand there as this one does: with the same marks, words between, and ends of clauses."""
    own = re.escape(str(given)), rf"[^\d\n]{{1,{_BETWEEN}}}?", re.escape(str(answer))
    ways = dict[tuple[str, str, str], re.Match[str]]()
    for pair in islice(re.finditer(_pattern(*own), text), _MOST):
        ways.setdefault((pair["open"], pair["between"], pair["close"]), pair)
    for (before, between, behind), pair in ways.items():
        said, whole = any(each.isalpha() or each in "=→>" for each in between), _ends(text, pair)
        if between[0] in ".)" or not (said or (isinstance(answer, str) and whole == (True, True))):
            continue  # numbers in a row, or of steps
        one, other = _form(given, before), _form(answer, behind)
        for found in re.finditer(_pattern(one, re.escape(between), other), text):
            same = (found["open"], found["close"]) == (before, behind)
            if same and (not isinstance(answer, str) or (before and behind) or _ends(text, found) == whole):
                pairs = _read(given, found["given"]), _read(answer, found["answer"])
                if pairs != (given, answer) and None not in pairs:
                    yield pairs


def _pattern(given: str, between: str, answer: str) -> str:
    return (
        rf"(?<![\w.])(?P<open>{_MARKS})(?P<given>{given})(?P=open)(?P<between>{between})"
        rf"(?P<close>{_MARKS})(?P<answer>{answer})(?P=close)(?!\.?\w)"
    )


def _form(value: object, mark: str) -> str:
    if isinstance(value, str):
        return rf"[^\n{mark}]{{1,60}}?" if mark else r"\w{1,40}(?:[.+-]\w{1,40}){0,9}"
    return r"-?\d{1,18}(?:\.\d{1,18})?"


def _ends(text: str, found: re.Match[str]) -> tuple[bool, bool]:
    """Whether a clause begins and ends there."""
    first, last = found.span()
    before, behind = text[max(0, first - 3) : first].rstrip(" "), text[last : last + 3].lstrip(" ")
    return before[-1:] in ("", "\n", *".:;("), behind[:1] in ("", "\n", *".;)")


def _read(like: object, text: str) -> object:
    """The value that it stands for, of the same type; `None` where it is none."""
    if isinstance(like, str):
        return text
    try:
        return float(text) if isinstance(like, float) else int(text)
    except ValueError:
        return None
