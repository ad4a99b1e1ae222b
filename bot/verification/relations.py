"""What a specification states of every result, as relations that hold without knowing the right answer.

Each relation quotes the sentence it was read from. Only sentences about the result count; a phrase that may speak of
the input, or that a later word may qualify, states nothing. A relation that a visible example contradicts is dropped,
and one read from a weaker phrase needs an example that bears it out. Pure; texts come from strangers and are bounded.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

from bot.verification.literals import Example
from bot.verification.syntax import literal, parse
from bot.verification.values import Ending, Observed

LONGEST = 20_000  # characters of a specification that are read
_LONGEST_SENTENCE = 600
_LONGEST_VALUE = 40_000


@dataclass(frozen=True, slots=True)
class Relation:
    """kind: which row of the table. clause: verbatim from the specification. says: of what, in plain words.

    detail: what the clause adds, e.g. the number of decimals or the value for empty input.
    """

    kind: str
    function: str
    clause: str
    says: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Violation:
    """An observed call that does what the clause rules out."""

    relation: Relation
    call: str
    observed: Observed


@dataclass(frozen=True, slots=True)
class _Seen:
    """One call that returned: its arguments and its result as Python values."""

    arguments: tuple[Any, ...]
    result: Any
    mutated: bool = False


# `None`: the relation says nothing of this call.
_Holds = Callable[[_Seen, str], bool | None]


@dataclass(frozen=True, slots=True)
class _Row:
    kind: str
    pattern: str  # in a sentence, any case; a group named `detail` is kept
    says: str
    holds: _Holds
    unless: str = r"(?!)"  # a sentence that also has this states nothing
    needs_example: bool = False
    within: re.Pattern[str] = field(init=False)
    without: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "within", re.compile(self.pattern, re.IGNORECASE))
        object.__setattr__(self, "without", re.compile(self.unless, re.IGNORECASE))


def relations(specification: str, function: str, examples: Iterable[Example] = ()) -> tuple[Relation, ...]:
    """What the specification states of every result of `function`, in the order of the table; one of each kind."""
    told = [
        seen for seen in (_from_example(example) for example in examples if example.call.function == function) if seen
    ]
    found = []
    for row in _TABLE:
        for sentence in _sentences(specification, function):
            match = row.within.search(sentence)
            if match is None or row.without.search(sentence):
                continue
            detail = (match.groupdict().get("detail") or "").lower()
            verdicts = [_holds(row.holds, seen, detail) for seen in told]
            if False not in verdicts and (True in verdicts or not row.needs_example):
                found.append(Relation(row.kind, function, sentence, row.says.format(detail=detail), detail))
                break
    return tuple(found)


def check(relation: Relation, observations: Iterable[tuple[str, Observed]]) -> tuple[Violation, ...]:
    """The observed calls that break the relation. What cannot be read, or did not return, breaks nothing."""
    (holds,) = (row.holds for row in _TABLE if row.kind == relation.kind)
    return tuple(
        Violation(relation, call, observed)
        for call, observed in observations
        if (seen := _seen(call, observed)) is not None and _holds(holds, seen, relation.detail) is False
    )


def _holds(holds: _Holds, seen: _Seen, detail: str) -> bool | None:
    try:
        return holds(seen, detail)
    except (TypeError, ValueError, OverflowError, RecursionError):  # values that do not compare
        return None


def _from_example(example: Example) -> _Seen | None:
    return _seen(example.call.text, Observed(Ending.RETURNED, example.expected))


def _seen(call: str, observed: Observed) -> _Seen | None:
    if observed.ending is not Ending.RETURNED or len(call) + len(observed.value) > _LONGEST_VALUE:
        return None
    try:
        node = parse(call, mode="eval").body
        if not isinstance(node, ast.Call):
            return None
        given = (*node.args, *(word.value for word in node.keywords))
        result = literal(observed.value)
        return _Seen(tuple(map(ast.literal_eval, given)), result, bool(observed.mutated))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


# Sentences ------------------------------------------------------------------------------------------------------------


def _sentences(specification: str, function: str) -> Iterator[str]:
    """The prose, sentence by sentence and verbatim but for line breaks inside a sentence ending it."""
    text = specification[:LONGEST]
    if len(re.findall(r"^[^\S\n]*+def ", text, re.MULTILINE)) > 1:  # other functions have their own words
        start = re.search(rf"^[ \t]*def {re.escape(function)}\b", text, re.MULTILINE)
        if start is None:
            return
        text = text[start.start() :]
        following = re.search(r"^[ \t]*def ", text[4:], re.MULTILINE)
        text = text[: following.start() + 4] if following else text
    for paragraph in re.split(r"\n\s*\n|^[^\S\n]*+(?:>>>|def |from |import |@).*$", text, flags=re.MULTILINE):
        for sentence in re.split(r"(?<=[.!?;])\s+", paragraph):
            stripped = sentence.strip().strip("\"'").strip()
            if 0 < len(stripped) <= _LONGEST_SENTENCE:
                yield stripped


# What holds -----------------------------------------------------------------------------------------------------------


def _truth(seen: _Seen, _: str) -> bool:
    """`None` stands for false: a clause that says when it is true leaves open what comes otherwise."""
    return seen.result is None or (isinstance(seen.result, bool | int | float) and seen.result in (True, False))


def _count(seen: _Seen, _: str) -> bool:
    return _is_number(seen.result) and seen.result >= 0 and seen.result == int(seen.result)


def _index(seen: _Seen, _: str) -> bool | None:
    longest = max(
        (len(argument) for argument in seen.arguments if isinstance(argument, list | tuple | str)), default=None
    )
    if longest is None or not isinstance(seen.result, int):
        return None
    return -1 <= seen.result <= longest


def _in_order(seen: _Seen, _: str, *, falling: bool = False) -> bool | None:
    if not isinstance(seen.result, list | tuple) or not _is_flat(seen.result):
        return None
    pairs = pairwise(reversed(seen.result) if falling else seen.result)
    return all(before <= after for before, after in pairs) if len(seen.result) > 1 else None


def _rearranged(seen: _Seen, _: str) -> bool | None:
    argument = _only_sequence(seen)
    if argument is None or not isinstance(seen.result, list | tuple):
        return None
    return _bag(argument) == _bag(seen.result)


def _selected(seen: _Seen, _: str) -> bool | None:
    """Nothing in the result that was not in the argument, and not more often."""
    argument = _first_sequence(seen)
    if argument is None or type(argument) is not type(seen.result):
        return None
    return _bag(seen.result) <= _bag(argument)


def _distinct(seen: _Seen, _: str) -> bool | None:
    if not isinstance(seen.result, list | tuple) or not _is_flat(seen.result):
        return None
    return max(_bag(seen.result).values(), default=0) <= 1


def _extreme(seen: _Seen, _: str, *, pick: Callable[[Any], Any]) -> bool | None:
    argument = _only_sequence(seen)
    if not isinstance(argument, list | tuple) or not argument or not all(map(_is_number, argument)):
        return None
    return bool(seen.result == pick(argument))


def _extreme_argument(seen: _Seen, _: str, *, pick: Callable[[Any], Any]) -> bool | None:
    if len(seen.arguments) < 2 or not all(map(_is_number, seen.arguments)):
        return None
    return bool(seen.result == pick(seen.arguments))


def _decimals(seen: _Seen, detail: str) -> bool | None:
    if not isinstance(seen.result, float):
        return None
    return round(seen.result, _WORDS.get(detail) or int(detail)) == seen.result


_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def _all_of_kind(seen: _Seen, detail: str) -> bool | None:
    if not isinstance(seen.result, list | tuple) or not all(type(item) is int for item in seen.result):
        return None
    return all(map(_KINDS[detail], seen.result)) if seen.result else None


_KINDS: dict[str, Callable[[int], bool]] = {
    "even": lambda number: number % 2 == 0,
    "odd": lambda number: number % 2 == 1,
    "positive": lambda number: number > 0,
    "negative": lambda number: number < 0,
}


def _type(seen: _Seen, detail: str) -> bool:
    return isinstance(seen.result, _TYPES[detail])


_TYPES: dict[str, Any] = {
    "list": list,
    "tuple": tuple,
    "string": str,
    "str": str,
    "dict": dict,
    "dictionary": dict,
    "set": set,
    "boolean": bool,
}


def _same_length(seen: _Seen, _: str) -> bool | None:
    argument = _only_sequence(seen)
    if argument is None or not isinstance(seen.result, list | tuple | str):
        return None
    return len(argument) == len(seen.result)


def _for_empty(seen: _Seen, detail: str) -> bool | None:
    if len(seen.arguments) != 1 or seen.arguments[0] not in ([], (), "", {}):
        return None
    expected = _EMPTY.get(detail, detail)
    return bool(seen.result == literal(expected.capitalize() if expected.isalpha() else expected))


_EMPTY = {"an empty list": "[]", "empty list": "[]", "an empty string": "''", "empty string": "''", "zero": "0"}


def _untouched(seen: _Seen, _: str) -> bool:
    return not seen.mutated


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_flat(items: Iterable[Any]) -> bool:
    kinds = {("number" if _is_number(item) else type(item)) for item in items}
    return kinds <= {"number"} or kinds <= {str}


def _bag(items: Iterable[Any]) -> Counter[Any]:
    return Counter(items)


def _first_sequence(seen: _Seen) -> list[Any] | tuple[Any, ...] | str | None:
    return next((argument for argument in seen.arguments if isinstance(argument, list | tuple | str)), None)


def _only_sequence(seen: _Seen) -> list[Any] | tuple[Any, ...] | str | None:
    found = [argument for argument in seen.arguments if isinstance(argument, list | tuple | str)]
    return found[0] if len(found) == 1 and len(seen.arguments) <= 2 else None


# The table ------------------------------------------------------------------------------------------------------------

_WRITE = r"(?:^|\b(?:function|method|program|code|script) (?:to|that|which)(?: can| will)? )"
_GIVE = rf"(?:{_WRITE}(?:find|get|give|compute|calculate|return|extract|output|determine)s?|\breturns?)"
_COLLECTION = r"(?:given |input )?(?:list|array|tuple|sequence|collection|numbers?|integers?|elements?|items?|values?)"
_QUALIFIED = (
    r"\b(?:that|which|whose|where|such|if|than|between|within|with|without|except|excluding|after|before|by|based|"
    r"according|but|not|each|every|sub\w*|modulo|difference|sum|product|k|n|nth|kth|row|column|matrix|lists|arrays|tuples|"
    r"dictionar\w+|lambda key|frequency|frequent|absolute)\b"
)
_RISING = "ascending|increasing|non-?decreasing"
_FALLING = "descending|decreasing|non-?increasing"
_SORTED_INPUT = r"\b(?:given|input|takes?) (?:a |an |the )?sorted\b|\bis sorted\b"
_EXTREMES: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("largest", "largest|maximum|max|biggest|greatest|highest", max),
    ("smallest", "smallest|minimum|min|lowest|least", min),
)

_TABLE = (
    _Row(
        "truth",
        rf"\breturns? (?:true|false)\b|{_WRITE}(?:check|determine|test|verify|decide|find(?: out)?)s? (?:if|whether)\b",
        "the result is true or false",
        _truth,
        unless=r"otherwise return (?!true|false)|\belse return (?!true|false)|\b(?:-1|none|how many)\b",
        needs_example=True,
    ),
    _Row(
        "count",
        rf"(?:{_GIVE}|{_WRITE}count) (?:the )?(?:total )?(?:number|count) of\b"
        rf"|\breturns? how many\b|{_WRITE}count the\b",
        "the result is a number of things: whole and not negative",
        _count,
        unless=r"\b(?:each|every|per|list of|dictionary|pairs? of|-1|none|null|modulo)\b",
        needs_example=True,
    ),
    _Row(
        "index",
        rf"{_GIVE} the (?:first |last |smallest |lowest )?index (?:of|where|at which)\b",
        "the result is a place in the input, or -1",
        _index,
        unless=r"\b(?:indices|indexes|1-based|one-based)\b",
        needs_example=True,
    ),
    *(
        _Row(
            kind,
            r"\b(?:sorted|sorts?|arranged?|returns?|returned|result|order(?:ed)?)\b.{0,60}"
            rf"\bin (?:{words}) order\b",
            f"the result is in {kind} order",
            partial(_in_order, falling=kind == "descending"),
            unless=rf"{_QUALIFIED}|{_SORTED_INPUT}|\b(?:{others}) order\b",
            needs_example=True,
        )
        for kind, words, others in (("ascending", _RISING, _FALLING), ("descending", _FALLING, _RISING))
    ),
    _Row(
        "rearranged",
        rf"{_WRITE}(?:sort|reverse|rotate|shuffle|rearrange)s? (?:a |an |the |all )?{_COLLECTION}\b",
        "the result holds the same elements as the input",
        _rearranged,
        unless=rf"{_QUALIFIED}|\b(?:unique|distinct|duplicates?|remov\w+|and|first|only|largest|smallest|count|find)\b",
        needs_example=True,
    ),
    _Row(
        "distinct",
        rf"{_WRITE}(?:remove|drop|eliminate|delete)s? (?:all |the |any )*duplicates?\b"
        rf"|{_GIVE} (?:a |the |all |sorted |list of )*(?:unique|distinct) (?:elements|values|numbers|items|words)\b",
        "the result holds nothing twice",
        _distinct,
        unless=r"\b(?:consecutive|adjacent|more than|at most|count|number of|sum|product|tuples|lists|rows)\b",
        needs_example=True,
    ),
    _Row(
        "selected",
        rf"{_WRITE}(?:remove|filter|extract|drop|delete)s? (?:out )?(?:all |the |any )*[\w ,-]{{0,60}}\b(?:from|of|in) "
        r"(?:a |an |the )?(?:given |input )?(?:list|array|tuple|string)\b",
        "the result holds nothing that the input does not hold",
        _selected,
        unless=r"\b(?:replac\w+|insert\w*|add\w*|convert\w*|join\w*|split\w*|lists|tuples|dictionar\w+|nested|and|"
        r"extra spaces|multiple spaces|rear|index|rank|digits? of|number of|count|sum|product|each|every)\b",
        needs_example=True,
    ),
    *(
        _Row(
            f"{kind}_element",
            rf"{_GIVE} the (?:{words}) (?:element|number|value|integer|item)?s? ?(?:in|of|from|among) "
            rf"(?:a |an |the |all )?(?:given |input |unsorted )?(?:list|array|tuple|sequence|collection)\b",
            f"the result is the {kind} element of the input",
            partial(_extreme, pick=pick),
            unless=rf"{_QUALIFIED}|\b(?:and|index|position|second|third|possible|even|odd|positive|negative|types?|pair)\b",
            needs_example=True,
        )
        for kind, words, pick in _EXTREMES
    ),
    *(
        _Row(
            f"{kind}_argument",
            rf"{_GIVE} the (?:{words})(?: number| value)? (?:of|among|from|between) (?:the )?(?:given )?"
            r"(?:two|three|four|2|3|4) (?:given )?(?:numbers|integers|values|arguments)\b",
            f"the result is the {kind} argument",
            partial(_extreme_argument, pick=pick),
            unless=r"\b(?:and|sum|product|difference|common|multiple|divisor|using only|absolute|digits?)\b",
            needs_example=True,
        )
        for kind, words, pick in _EXTREMES
    ),
    _Row(
        "decimals",
        r"\b(?:rounded|round) (?:off )?(?:the (?:result|answer) )?(?:up |down )?to "
        r"(?P<detail>\d|one|two|three|four|five|six) (?:decimals?|places|digits after)\b",
        "the result has at most {detail} decimals",
        _decimals,
        needs_example=True,
    ),
    _Row(
        "all_of_kind",
        rf"(?:{_GIVE}|{_WRITE}(?:filter|list|print)) (?:a |the )?(?:list of )?(?:all |only )?(?:the )?"
        r"(?P<detail>even|odd|positive|negative) (?:numbers|integers|elements|values)\b",
        "every number in the result is {detail}",
        _all_of_kind,
        unless=r"\b(?:and|or|sum|product|count|number of|difference|average|not|indices|index|positions?|digits?)\b",
        needs_example=True,
    ),
    _Row(
        "type",
        r"\breturns? (?:a|an) (?:new |sorted )?(?P<detail>list|tuple|string|dict|dictionary|set|boolean)"
        r"(?= (?:of|containing|with|that|where|in|representing|consisting|from|which|mapping)\b|[.,;:]|$)",
        "the result is a {detail}",
        _type,
        unless=r"\b(?:or|if|otherwise|else|when|none|unless)\b",
        needs_example=True,
    ),
    _Row(
        "same_length",
        r"\b(?:returns?|result|output)\b.{0,40}\bof (?:the )?same (?:length|size) as (?:the )?"
        r"(?:input|original|given)\b",
        "the result is as long as the input",
        _same_length,
    ),
    _Row(
        "for_empty",
        r"\b(?:if|when|for) (?:the )?(?:input |given )?"
        r"(?:(?:list|array|string|sequence|input) is empty|(?:an )?empty (?:list|array|string|input)),? "
        r"(?:then )?(?:it |the function )?(?:should |must )?returns? "
        r"(?P<detail>0|-1|1|zero|none|true|false|\[\]|''|(?:an )?empty (?:list|string))(?=[\s.,;]|$)",
        "the result for empty input is {detail}",
        _for_empty,
    ),
    _Row(
        "untouched",
        r"\b(?:without (?:modifying|changing|mutating)|(?:must|should|do|does) not (?:modify|change|mutate|alter)) "
        r"(?:the |its |any )?(?:input|original|given|argument|passed)",
        "the arguments stay as they were",
        _untouched,
        unless=r"\border\b",
    ),
)
