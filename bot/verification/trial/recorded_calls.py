"""Which calls of tests are made again, what the change touches of which no call can be, and which calls were answered
in their tests otherwise than they are bare."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from operator import attrgetter, itemgetter

from bot.changes.kinds import is_code
from bot.verification.calls.canonical import cut
from bot.verification.calls.observe import BATCH
from bot.verification.files.index import Changed
from bot.verification.files.loads import full_name
from bot.verification.programs import functions_around_changes
from bot.verification.testing.inside.recorder import GIVEN
from bot.verification.testing.sources import function_of
from bot.verification.trial.differences import differ, same_value
from bot.verification.trial.moved import Both, callee, in_turn
from bot.verification.values import Ending, Observed, RecordedCall, TestRun

MOST = 150  # calls
LEAST_TOLD = 2  # runs that agree on what a call gave


def first_calls(calls: Iterable[RecordedCall]) -> list[RecordedCall]:
    """Each call once, those of all functions before further ones of any."""
    found: dict[str, RecordedCall] = {}
    for call in calls:
        found.setdefault(call.expression, call)
    return in_turn(found.values(), lambda call: callee(call.expression))[:MOST]


def has_object(call: str) -> bool:
    """Whether a call is given an object, which may bring modules with it."""
    return "unpickled(" in call


def calls_not_made(
    touched: Changed, runs: Iterable[TestRun], calls: Iterable[RecordedCall], by_hand: Iterable[RecordedCall]
) -> tuple[str, ...]:
    """What the change touches and nothing calls outside of a test: functions that tests enter, and files of other
    languages than Python. touched: of the product. calls: that were copied. by_hand: calls of tests themselves."""
    copied, called = {(each.path, _last(each.expression)) for each in calls}, {each.test for each in by_hand}
    tests = sorted(((test in called, its) for run in runs for test, its in run.entered), key=itemgetter(0))
    entered = {(place.path, place.name): is_called for is_called, its in tests for place in its}
    around = (functions_around_changes(path, new, old) for path, (old, new) in sorted(touched.items()))
    changed = (each for its in around for each in sorted(filter(None, its), key=attrgetter("first")))
    missed = (each for each in changed if entered.get((each.path, each.name)) is False)
    hidden = (each.called for each in missed if (each.path, each.name.rpartition(".")[2]) not in copied)
    others = (path for path in sorted(touched) if is_code(path) and not path.endswith((".py", ".pyi")))
    return (*(path for path in others if path not in {path for path, _ in copied}), *dict.fromkeys(hidden))


def _last(call: str) -> str:
    """The name of the function, or the property, that a call asks."""
    asked = call.rpartition(", ")[2].strip("')") if call.startswith("getattr(") else callee(call)
    return asked.rpartition(".")[2]


def only_of(there: TestRun, here: TestRun) -> list[RecordedCall]:
    """Calls of tests that pass in both runs, and make them in the one alone. What the change adds to the arguments is
    its own, and objects may have other attributes with it."""
    made, green = sorted(map(stem, here.calls)), there.passing.keys() & here.passing.keys()
    plain = (each for each in there.calls if each.test in green and not has_object(each.expression))
    known = ((each, begins, bisect_left(made, begins)) for each in plain for begins in [stem(each)])
    return [each for each, begins, at in known if at == len(made) or not made[at].startswith(begins)]


def stem(call: RecordedCall) -> str:
    """The test without its parameters, which may change places, and how it calls what may stand in another module."""
    return f"{function_of(call.test)} {call.expression.removeprefix(call.module).removesuffix(')')}"


def tests_by_hand(run: TestRun, calls: Iterable[RecordedCall], touched: Collection[str]) -> list[RecordedCall]:
    """Calls of the tests themselves that enter functions of these files of which no call could be copied. One of a
    class is called as unittest does, and as pytest does."""
    copied = {(call.path, callee(call.expression).removeprefix(f"{call.module}.")) for call in calls}
    entered, found = dict(run.entered), list[RecordedCall]()
    for test in sorted(run.passing, key=run.passing.__getitem__):
        path, *names = test.split("::")
        hidden = (each.path for each in entered.get(test, ()) if (each.path, each.name) not in copied)
        place = next((each for each in hidden if each in touched), None)
        if place and all(map(str.isidentifier, names)):
            module = full_name(path)
            whole = ".".join((module, *names[:1]))
            ways = (f"('{names[1]}').debug()", f"().{names[1]}()") if names[1:] else ("()",)
            found += [RecordedCall(test, place, module, whole + way) for way in ways]
    return found[:BATCH]


def as_recorded(bare: Observed) -> Observed:
    """What a bare call gave, as far as a recorder writes it down."""
    return replace(bare, value=cut(bare.value, GIVEN), mutated="")


def answered_as_tested(
    base: Iterable[RecordedCall], heads: Iterable[Iterable[RecordedCall]], bare: Mapping[str, Both]
) -> dict[RecordedCall, Both]:
    """The calls that the head answers in their tests each time as the base does there and bare, and bare otherwise;
    with both answers. base, heads: as they were recorded in a run of the base's, and in several of the head's. bare:
    what base and head give outside of tests, by the call. What only raises there may want what tests set up."""
    told = [_by_test(calls) for calls in heads]
    found = dict[RecordedCall, Both]()
    for call in base:
        if call.answer is None or call.expression not in bare:
            continue
        was, now = map(as_recorded, bare[call.expression])
        given = [answer for its in told if (answer := _answer(call, its.get(call.test, {})))]
        steady = len(given) >= LEAST_TOLD and all(same_value(each, call.answer) for each in (was, *given))
        unready = now.ending is Ending.RAISED and was.ending is Ending.RETURNED
        if steady and not unready and differ(given[0], now, deep=True):
            found[call] = given[0], now
    return found


def _by_test(calls: Iterable[RecordedCall]) -> dict[str, dict[str, RecordedCall]]:
    found = dict[str, dict[str, RecordedCall]]()
    for call in calls:
        found.setdefault(call.test, {})[call.expression] = call
    return found


def _answer(call: RecordedCall, made: Mapping[str, RecordedCall]) -> Observed | None:
    """What a call gives, by those that its test makes; first by the same, then by one with more arguments behind, as of
    parameters that the head adds."""
    if call.expression in made:
        return made[call.expression].answer
    begins = stem(call)
    longer = begins if begins.endswith("(") else f"{begins}, "
    return next((each.answer for each in made.values() if f"{stem(each)}, ".startswith(longer)), None)
