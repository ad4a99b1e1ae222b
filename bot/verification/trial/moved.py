"""Calls of tests, and calls beside them that differ in one argument by a step: a change by which the calls of tests
alone are answered otherwise, or alone are not, was made for the tests. Pure; others observe what programs do."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice, zip_longest
from types import UnionType
from typing import Any, TypeVar

from bot.changes.asked_values import asks_for_values, names_value
from bot.verification.calls.equality import same
from bot.verification.syntax import UNREADABLE, parse, plain_value
from bot.verification.values import Ending, Observed

MOST_BESIDE = 14  # of one call
_LEAST_BESIDE = 3  # that tell something
_LEAST_KEPT = 2  # calls whose answers stay as they were
_NEARLY_ALL = 0.8  # for some other call every program may well give the same
COMMON: tuple[Any, ...] = (0, 1, -1, "", (), [])  # what a program may well treat by itself
_SOME = (Ending.RETURNED, Ending.RAISED)
_NOT_THERE = ("AttributeError", "ImportError", "ModuleNotFoundError", "NameError")  # as where the function is new

Call = TypeVar("Call")
# What the base and the head do with a call.
Both = tuple[Observed, Observed]


def beside(expression: str) -> tuple[str, ...]:
    """The calls that differ from this one in one literal argument; none where it has none."""
    return tuple(_beside(expression))


def _beside(expression: str) -> dict[str, int]:
    """The same, each with the place of the argument."""
    call, found = _call(expression), dict[str, int]()
    with suppress(RecursionError, ValueError):  # lists too deep, or numbers too long, to be written down
        for at, moved in _moved(call) if call else ():
            found.setdefault(moved, at)
    return dict(islice(found.items(), MOST_BESIDE))


def calls_answered_alone(calls: Iterable[str], seen: Mapping[str, Both], asked: str) -> tuple[str, ...]:
    """The calls of tests that the change answers otherwise while it does so for none of the calls beside them; and
    those that it answers as before while it does so for none of these.

    seen: these calls, and those beside them. What was asked for by its very text is no sign.
    """
    functions: dict[str, list[str]] = {}
    for call in calls:
        if call in seen:
            functions.setdefault(callee(call), []).append(call)
    return tuple(chain.from_iterable(_of_function(its, seen, asked) for its in functions.values()))


def other_answers(calls: Iterable[str], seen: Mapping[str, Both], idle: Collection[str] = ()) -> list[str]:
    """The calls that the change answers otherwise though no test asks for it: those of tests that pass on either side,
    and then those beside any. Those of all functions, and that raise with it or do not, before further ones.

    idle: the calls of tests that pass on either side.
    """
    known = dict.fromkeys(calls)
    near = dict.fromkeys(chain.from_iterable(map(beside, known)))
    asked = (*(each for each in known if each in idle), *(each for each in near if each not in known))
    found = (each for each in asked if each in seen and is_anew(seen[each]))
    return in_turn(found, lambda call: (callee(call), seen[call][1].ending))


def same_answers(calls: Iterable[str], seen: Mapping[str, Both]) -> list[str]:
    """The calls beside those of tests that are answered as before, where the tests' or others beside are not: what is
    left to do shows there. First where nothing is answered otherwise but for another argument, and what has another
    sign."""
    made, found = dict.fromkeys(calls), dict[str, tuple[str, int, bool]]()
    for call in made:
        places = {each: at for each, at in _beside(call).items() if each in seen and each not in made}
        moving = {at for each, at in places.items() if is_anew(seen[each])}
        if moving or (call in seen and is_anew(seen[call])):
            stay = (each for each in places if is_answered(seen[each]) and not _other(seen[each]))
            found.update((each, (callee(call), places[each], places[each] in moving)) for each in stay)
    ordered = sorted(found, key=lambda each: (found[each][2], "-" not in each))
    return in_turn(ordered, lambda each: found[each][:2])


def in_turn(calls: Iterable[Call], group: Callable[[Call], Hashable]) -> list[Call]:
    """Those of all groups before further ones of any."""
    ranks = Counter[Hashable]()

    def rank(call: Call) -> int:
        ranks[of := group(call)] += 1
        return ranks[of]

    return sorted(calls, key=rank)


def callee(expression: str) -> str:
    """The function that a call calls."""
    return expression.partition("(")[0]


def is_anew(pair: Both) -> bool:
    """Whether the change answers otherwise what the base has an answer to."""
    return _other(pair) and is_answered(pair) and pair[1].ending in _SOME


def is_answered(pair: Both | None) -> bool:
    """Whether the base has an answer."""
    return pair is not None and pair[0].value not in _NOT_THERE and pair[0].ending in _SOME


def is_named(call: str, asked: str) -> bool:
    """Whether all that the call gives stands there as words of their own, numbers too, but for what is common."""
    values = _telling(call)
    return bool(values) and all(names_value(asked, value) for value in values)


def _of_function(calls: Collection[str], seen: Mapping[str, Both], asked: str) -> list[str]:
    # For what another test calls and what the text names, the change may have been made as well.
    near = {call: [each for each in beside(call) if each in seen and each not in calls] for call in calls}
    pairs = {call: [seen[each] for each in its if not is_named(each, asked)] for call, its in near.items()}
    pairs = {call: its for call, its in pairs.items() if not _is_no_longer_so_called([seen[call], *its])}
    told = {
        call: [_other(pair) for pair in its if _alike(seen[call], pair) or _is_let_in(seen[call], pair)]
        for call, its in pairs.items()
    }
    rows = {call: answers for call, answers in told.items() if len(answers) >= _LEAST_BESIDE}
    changed = [call for call in told if _other(seen[call])]
    if changed:
        narrow = [call for call in changed if call in rows and not _is_asked(call, asked)]
        narrow = [call for call in narrow if not _is_asked_alone(call, seen[call][1], asked)]
        may = [call for call in narrow if not asked.strip() or is_named(call, asked)]
        known = {call for call in may if _is_one_more(call, calls, seen)}
        narrow = [call for call in narrow if not (call in known or _is_at_edge(call, seen))]
        return narrow if not any(map(any, (told[call] for call in changed))) else []
    alone = all(sum(answers) >= _NEARLY_ALL * len(answers) for answers in rows.values())
    return list(rows) if len(rows) >= _LEAST_KEPT and alone else []


def _by_place(call: str, seen: Mapping[str, Both], kind: UnionType | type = object) -> list[list[Both]]:
    """What is seen beside a call, by each argument of this kind that differs, in the order of the steps."""
    given, found = argument_values(call), dict[int, list[Both]]()
    for each, at in _beside(call).items():
        if each in seen and isinstance(given[at], kind):
            found.setdefault(at, []).append(seen[each])
    return list(found.values())


def _is_at_edge(call: str, seen: Mapping[str, Both]) -> bool:
    """Whether a limit between two answers of the base has moved over a number: it had the answer of the next one on one
    side, and now has that of the next one on the other, which the base gives further beside it as well."""
    was, now = seen[call]
    for near in _by_place(call, seen, int | float):
        above, below = near[:2] if len(near) > 1 else (near[0], near[0])
        moved = any(same(was, one[0]) and same(now, other[1]) for one, other in ((above, below), (below, above)))
        if moved and sum(same(now, there) for there, _ in near) > 1:
            return True
    return False


def _is_one_more(call: str, calls: Iterable[str], seen: Mapping[str, Both]) -> bool:
    """Whether a function of one argument knows single values of it already, as far as tests call it, and has one more:
    with an answer that is new, where the base gives nearly all around the one that it has for what it does not know."""
    was, now = seen[call]

    def stands_alone(each: str) -> bool:
        beside_it = [there for its in _by_place(each, seen) for there, _ in its]
        return sum(same(was, there) for there in beside_it) >= max(_LEAST_BESIDE, _NEARLY_ALL * len(beside_it))

    known = [each for each in calls if not same(was, seen[each][0])]
    single = all(len(_by_place(each, seen)) == 1 for each in (call, *known))
    new = not any(same(now, there) for there, _ in seen.values())
    return bool(known) and single and new and all(map(stands_alone, (call, *known)))


def _other(pair: Both) -> bool:
    return not same(*pair)


def _alike(one: Both, other: Both) -> bool:
    """Whether either program ends with both calls in the same way: a call beside one may be none that is allowed."""
    return all(each.ending in _SOME for each in (*one, *other)) and one[1].ending is other[1].ending


def _is_no_longer_so_called(pairs: Iterable[Both]) -> bool:
    """Whether the change refuses the call and all beside it, as where its function wants other arguments."""
    return all(now.ending is Ending.RAISED and now.value == "TypeError" for _, now in pairs)


def _is_let_in(one: Both, other: Both) -> bool:
    """Whether the base refuses both, and the change gives an answer to the one at least. Where the base has no such
    function, or none with such arguments, it refuses nothing."""
    refused = all(
        each[0].ending is Ending.RAISED and each[0].value not in (*_NOT_THERE, "TypeError") for each in (one, other)
    )
    return refused and one[1].ending is Ending.RETURNED and other[1].ending in _SOME


def _is_asked(call: str, asked: str) -> bool:
    """Whether what is asked for names all that the call gives, but for what is common. A number there is an example:
    an answer to it alone may be made for the tests."""
    values = _telling(call)
    return bool(values) and all(isinstance(value, str) and value in asked for value in values)


def _is_asked_alone(call: str, now: Observed, asked: str) -> bool:
    """Whether what is asked for is this answer to this call, and nothing else."""
    return asks_for_values(asked, [*map(str, _telling(call))], [now.value.strip("'")])


def _telling(call: str) -> list[Any]:
    long = sys.get_int_max_str_digits()
    given = (value for value in argument_values(call) if not (isinstance(value, int) and value.bit_length() > 3 * long))
    return [value for value in given if value not in COMMON]


def argument_values(call: str) -> list[Any]:
    """Of its literal arguments; `None` for each other."""
    node = _call(call)
    return [plain_value(each) for each in _arguments(node)] if node else []


def _call(expression: str) -> ast.Call | None:
    try:
        node = parse(expression, mode="eval").body
    except UNREADABLE:
        return None
    return node if isinstance(node, ast.Call) else None


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(word.value for word in call.keywords)]


def _moved(call: ast.Call) -> Iterator[tuple[int, str]]:
    """One argument after the other, so that none takes all; each call with the place of its argument."""
    steps = ([(at, value) for value in _steps(plain_value(each))] for at, each in enumerate(_arguments(call)))
    for at, value in filter(None, chain.from_iterable(zip_longest(*steps))):
        yield at, _with(call, at, value)


def _with(call: ast.Call, at: int, value: object) -> str:
    names = [*("" for _ in call.args), *(f"{word.arg}=" for word in call.keywords)]
    texts = [repr(value) if at == place else ast.unparse(each) for place, each in enumerate(_arguments(call))]
    return f"{ast.unparse(call.func)}({', '.join(map(''.join, zip(names, texts, strict=True)))})"


def with_argument(expression: str, at: int, value: object) -> str:
    """The call with another value in the place of one argument."""
    call = _call(expression)
    return _with(call, at, value) if call else expression


def _steps(value: Any) -> list[Any]:
    if isinstance(value, bool) or value in COMMON:
        return []
    match value:
        case int():  # and as round as it is: what holds for 1900 may hold for 1800, and not for 1901
            return [value + step for size in _sizes(value) for step in (size, -size)] + [value * 2, value * 10, -value]
        case float():
            return [value + 1, value - 1, value * 2, value / 2, value * 10]
        case str():
            numbers = re.sub(r"\d{1,15}", lambda found: str(int(found[0]) + 1), value)
            ends = _next(value[0]) + value[1:], value[:-1] + _next(value[-1])
            found = [numbers, *ends, value.swapcase(), value * 2, f" {value} ", value[1:], value[::-1]]
            return [each for each in dict.fromkeys(found) if each not in (value, "")]
        case list():
            return [value[:-1], value[1:], [*value, value[-1]], value[::-1], *_of_each(value)]
        case tuple():
            return [value[:-1], value[1:], (*value, value[-1]), value[::-1]]
        case dict():
            return [{**value, key: step} for key, each in value.items() for step in _steps(each)]
    return []


def _of_each(values: list[Any]) -> list[list[Any]]:
    """With each of them moved by its first step."""
    moved = [next(iter(_steps(each)), each) for each in values]
    return [moved] if moved != values else []


def _sizes(value: int) -> list[int]:
    """1, and the largest powers of 2 and of 10 that divide it."""
    tens = 1
    while value % (tens * 10) == 0:
        tens *= 10
    return list(dict.fromkeys((1, tens, value & -value)))


def _next(letter: str) -> str:
    after = chr(ord(letter) + 1) if ord(letter) < sys.maxunicode else ""
    return after if not letter.isascii() and after.isalpha() else chr(ord(letter) % 126 + 1)
