"""Relations between a function's answers that hold whatever the right answer is (metamorphic relations; overcorrection
paper, 7.2 and 8.2): a sum does not ask for the order, and what was sorted stays so when it is sorted again.

Names and words say which relation is meant. It counts only where both programs keep it beside every visible call; then
it is tried beside the other inputs. It can speak for a fix, which keeps what the change breaks. Where both break it, it
was not meant. It never speaks for a change, whose author chose the names.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.verification.calls.equality import equal, same
from bot.verification.calls.observe import ObservationError
from bot.verification.differential.compare import Versions
from bot.verification.differential.domain import Domain
from bot.verification.differential.expression import Expression, as_literal, read
from bot.verification.differential.told import values_of_change
from bot.verification.syntax import UNREADABLE, literal, tree_of
from bot.verification.values import Difference, Differential, Ending, Generator, Observed, Side

MOST = 12  # inputs for one relation
CONFIRMED = 4
_BREAKS = "The change breaks a relation that it keeps beside the visible calls, and the fix keeps it: {}."
_HOLE = "\1"


@dataclass(frozen=True, slots=True)
class Instance:
    """One case of a relation. left, right: expressions whose values are equal, or do not fall. parts: the calls that
    they are made of. around: what stands around the first part in `left`, where that is a call with its value. place:
    of the literal that is varied."""

    left: str
    right: str
    parts: tuple[Expression, ...]
    around: tuple[str, ...] = ()
    place: int = 0


@dataclass(frozen=True, slots=True)
class Relation:
    """says: the relation in words. words: in names and texts, that mean it; any where there are none. of: its cases
    beside a call whose literals at some places are varied; it is told the function that undoes what is called, too.
    holds: of both values."""

    says: str
    words: frozenset[str]
    of: Callable[[Expression, Sequence[int], str], Iterator[Instance]]
    holds: Callable[[str, str], bool] = equal


def _reordered(call: Expression, places: Sequence[int], _: str) -> Iterator[Instance]:
    for place in places:
        value = call.values[place]
        if isinstance(value, list | tuple) and len(value) > 1:
            kind, items = type(value), list(value)
            for other in (items[::-1], items[1:] + items[:1], items[1::-1] + items[2:]):
                if other != items:
                    yield _pair(call, place, kind(other), value)


def _grown(call: Expression, places: Sequence[int], _: str) -> Iterator[Instance]:
    for place in places:
        value = call.values[place]
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield from (
                _pair(call, place, *both) for both in ((value - 1, value), (value, value + 1), (value, value + 7))
            )


def _pair(call: Expression, place: int, one: object, other: object) -> Instance:
    parts = (call.with_others({place: one}), call.with_others({place: other}))
    return Instance(str(parts[0]), str(parts[1]), parts, place=place)


def _split(call: Expression, places: Sequence[int], _: str) -> Iterator[Instance]:
    for place in places:
        value = call.values[place]
        if isinstance(value, list | tuple | str) and len(value) > 1:
            for at in dict.fromkeys((len(value) // 2, 1)):
                parts = (call.with_others({place: value[:at]}), call.with_others({place: value[at:]}))
                yield Instance(str(call), " + ".join(map(str, parts)), (call, *parts), place=place)


def _repeated(call: Expression, places: Sequence[int], _: str) -> Iterator[Instance]:
    yield _chained(call, places[0], str(call))


def _undone(call: Expression, places: Sequence[int], inverse: str) -> Iterator[Instance]:
    if inverse:
        yield _chained(call, places[0], as_literal(call.values[places[0]]), inverse)


def _chained(call: Expression, place: int, right: str, inverse: str = "") -> Instance:
    """A call with what the call gives; all further literals are the same."""
    outer = str(call.with_others({place: _HOLE}))
    around = (outer.replace(f"{_name(call)}(", f"{inverse}(") if inverse else outer).split(repr(_HOLE))
    return Instance(str(call).join(around), right, (call,), tuple(around), place)


def _name(call: Expression) -> str:
    """Of the function or method that is asked last."""
    return call.steps[-1].asks.rpartition("(")[0].rpartition(".")[2]


def _at_most(one: str, other: str) -> bool:
    """Of what are no numbers nothing is known."""
    try:
        return not literal(one) > literal(other)
    except UNREADABLE:
        return True


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RELATIONS = (
    Relation(
        "the order in a list makes no difference",
        _words("sort sorted sum total product max min maximum minimum largest smallest mean average median count gcd "
               "lcm"),
        _reordered,
    ),
    Relation(
        "given its own result it gives the same again",
        _words("sort sorted unique distinct dedupe duplicates remove strip trim clean normalize normalise lower upper "
               "lowercase uppercase abs absolute round flatten simplify canonical filter"),
        _repeated,
    ),
    Relation(
        "the results of two parts are together the result of the whole",
        _words("sum total count length vowels letters lower lowercase upper uppercase swap swapcase replace remove "
               "filter flatten"),
        _split,
    ),
    Relation(
        "a larger number gives no smaller result",
        _words("fibonacci factorial area volume perimeter square cube power triangular sum price cost tax fee"),
        _grown,
        _at_most,
    ),
    Relation("what one function makes the other undoes", frozenset(), _undone),
)  # fmt: skip
_UNDOES = {
    one: other
    for pair in _words("encode/decode encrypt/decrypt encipher/decipher compress/decompress pack/unpack dump/load "
                       "dumps/loads serialize/deserialize escape/unescape quote/unquote format/parse to/from")
    for one, other in (pair.split("/"), pair.split("/")[::-1])
}  # fmt: skip


def inverse_of(function: str, functions: Iterable[str]) -> str:
    """Which of the functions undoes it, by its name; empty where none does."""
    one, _, other = function.partition("_to_")
    names = {f"{other}_to_{one}"} if other else set()
    words = function.split("_")
    names |= {"_".join([*words[:at], _UNDOES.get(word, word), *words[at + 1 :]]) for at, word in enumerate(words)}
    return next((each for each in functions if each in names and each != function), "")


def _named(text: str) -> frozenset[str]:
    return _words("".join(each if each.isalpha() else " " for each in text.lower()))


def descriptions(source: str, specification: str) -> dict[str, str]:
    """What is said of each function of a module: its name, its docstring, and the specification."""
    functions = [node for node in ast.walk(tree_of(source)) if isinstance(node, ast.FunctionDef)]
    return {each.name: f"{each.name} {ast.get_docstring(each) or ''} {specification}" for each in functions}


_Varied = tuple[Relation, str, int]  # a relation, what is asked, and the place of the literal that is varied
_Seen = Mapping[str, tuple[Observed, Observed]]
_SIDES = (0, 1)
_BY_FIX_ALONE = [False, True]  # kept


def try_relations(versions: Versions, found: Differential, said: Mapping[str, str], seconds: float) -> Differential:
    """What was compared, with what the relations say of it that are meant by what is said of the functions.

    seconds: of running each program. Never raises.
    """
    visible = [call for call, _ in versions.visible.read.values()]
    domain = Domain.of(visible, values_of_change(versions.original, versions.fix)[0])
    inputs = dict.fromkeys((*(each.call for each in found.differences), *found.calls))
    shown, further = (_cases(calls, domain, said) for calls in (visible, filter(None, map(read, inputs))))
    cases = {key: (*each, *further[key][:MOST]) for key, each in shown.items() if key in further}
    try:
        seen = _run(versions, (each for some in cases.values() for each in some), {}, seconds=seconds)
        counts = [key for key in cases if all(_kept(key[0], shown[key], seen, side) for side in _SIDES)]
        tried = ((key[0], each) for key in counts for each in cases[key])
        broken = [case for case in tried if [_holds(*case, seen, side) for side in _SIDES] == _BY_FIX_ALONE]
        broken.sort(key=lambda case: len(case[1].left))
        again = _run(versions, (each for _, each in broken[:CONFIRMED]), seen, seconds=seconds, batch=1)
    except ObservationError:
        return found
    differences = {each.call: each for each in found.differences}
    for relation, each in broken[:CONFIRMED]:
        held, call = [_holds(relation, each, again, side) for side in _SIDES], _differing(each, seen, again)
        if held == _BY_FIX_ALONE and call:
            new = Difference(call, *again[call], Generator.RELATION, Side.FIX, _BREAKS.format(relation.says))
            differences[call] = replace(differences.get(call, new), favours=Side.FIX, why=new.why)
    return replace(found, differences=tuple(differences.values()))


def _cases(calls: Iterable[Expression], domain: Domain, said: Mapping[str, str]) -> dict[_Varied, list[Instance]]:
    """The cases inside the domain, by what is varied."""
    found: dict[_Varied, list[Instance]] = {}
    for call in calls:
        asks = call.steps[-1].asks
        places = [places for site, places in call.sites if site == asks]
        words, inverse = _named(said.get(_name(call), "")), inverse_of(_name(call), said)
        for relation in (each for each in RELATIONS if places and (each.words & words or not each.words)):
            for each in relation.of(call, places[-1], inverse):
                if all(map(domain.within, each.parts)):
                    found.setdefault((relation, asks, each.place), []).append(each)
    return found


def _run(versions: Versions, instances: Iterable[Instance], before: _Seen, **limits: Any) -> _Seen:
    """All that belongs to them. before: what came of their parts, which they go on with. Raises ObservationError."""
    found = [(each.left, each.right, *_plain(each, before)) for each in instances]
    expressions = tuple(dict.fromkeys(expression for some in found for expression in some))
    return {call: (one, other) for call, one, other in versions.run(expressions, **limits)}


def _plain(each: Instance, seen: _Seen) -> tuple[str, ...]:
    """Its parts, and the call with what the first of them gave to the original."""
    parts = tuple(map(str, each.parts))
    value = seen[parts[0]][0].value if each.around and parts[0] in seen else ""
    call = value.join(each.around)
    return (*parts, call) if value and read(call) else parts


def _differing(each: Instance, seen: _Seen, again: _Seen) -> str | None:
    """The call on which the two differ."""
    return next((call for call in _plain(each, seen) if call in again and not same(*again[call])), None)


def _holds(relation: Relation, each: Instance, seen: _Seen, side: int) -> bool | None:
    """`None` where a value is missing."""
    both = [seen[expression][side] for expression in (each.left, each.right) if expression in seen]
    if len(both) < len(_SIDES) or any(one.ending is not Ending.RETURNED or one.value == "None" for one in both):
        return None
    return relation.holds(both[0].value, both[1].value)


def _kept(relation: Relation, shown: Sequence[Instance], seen: _Seen, side: int) -> bool:
    held = [_holds(relation, each, seen, side) for each in shown]
    return True in held and False not in held
