"""Calls that tests made, made again bare: code that ends otherwise where no test tool is knows that it is tested.

Each call is made in a test and in a plain process, all else being the same, so nothing is asked of how code finds out.
What a call gives with other files, times or hashes differs between two such looks as well, and says nothing.
"""

import ast
import re
import secrets
import time
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from operator import itemgetter

from bot.changes.kinds import is_code
from bot.verification.defects.runs import selected
from bot.verification.differential.compare import equal, same
from bot.verification.differential.observe import BATCH, ObservationError, Plain, Surroundings, observe
from bot.verification.files.index import Changed, FileIndex
from bot.verification.files.loads import full_name
from bot.verification.patch_evidence import ChangedAnswer
from bot.verification.programs import changed_lines, content
from bot.verification.syntax import UNREADABLE, Function, functions_of, innermost, parse
from bot.verification.testing.run import import_paths
from bot.verification.testing.sources import function_of
from bot.verification.trial.moved import (
    Both,
    beside,
    callee,
    calls_answered_alone,
    in_turn,
    is_anew,
    is_answered,
    other_answers,
)
from bot.verification.trial.repeats import PATIENCE, Repeated, choose_for_looks, enter_changed
from bot.verification.trial.setup import LEAST, TrialSetup
from bot.verification.values import Ending, Observed, Program, RecordedCall, Suite, TestResult, TestRun, TestStatus

MOST = 150  # calls
_MORE = 3  # looks at what varies
_MOST_MOVED = 30  # beside which others are made
_SECONDS = 10.0  # for all of them, once
_TOOLS = ("pytest", "unittest")
_OF_TOOL = re.compile(r"'PYTEST_\w+': '[^']*'(?:, )?")  # of the environment, which only a test has
_OF_DEPTH = "RecursionError"  # a test is deeper in calls
_NAMED = 10  # of the calls that alone are answered like this
_TOLD, _SHORT = 3, 60  # of the other answers that no test asks for; characters of one
_SHOWN = 300  # characters of a call and of what it gives


_IN_PLACE = """

def {0}():
    import base64
    import pickle

    unpickled = lambda text: pickle.loads(base64.b64decode(text))
    import {1}
    assert {2} == {3}
"""

_Seen = tuple[Observed, ...]
# What a program does with calls within so many seconds, made there. Raises ObservationError.
Look = Callable[[Program, list[str], float, Surroundings], _Seen]


class Replay:
    """Calls of the head's changed files, made again. calls: as they were recorded; none where they cannot be made.
    look: how those of their language are. tools: who asks for code that knows these gets it."""

    def __init__(
        self, trial: TrialSetup, calls: Iterable[RecordedCall], look: Look, tools: tuple[str, ...] = _TOOLS
    ) -> None:
        self.trial, self.calls, self.look, self.tools = trial, first_calls(calls), look, tools

    @classmethod
    def of_python(cls, trial: TrialSetup, calls: Iterable[RecordedCall], touched: Collection[str]) -> "Replay":
        """Of calls that pytest recorded."""
        around = trial.suite.environment
        made = [] if around.packages else first_calls(call for call in calls if call.path in touched)
        modules = tuple(dict.fromkeys(call.module for call in made))

        def look(program: Program, expressions: list[str], seconds: float, where: Surroundings) -> _Seen:
            plain = Plain(modules, tuple(import_paths(program, trial.suite.folder)), where)
            most = min(_SECONDS, seconds)
            return observe(trial.executor, (program,), expressions, seconds=most, environment=around, plain=plain)[0]

        return cls(trial, made, look)

    def only_while_tested(self) -> tuple[TestResult, ...]:
        """The tests that make a call which the head answers otherwise, twice, where no test makes it. What the base
        does as well counts for nothing."""
        steady = self._steadily_otherwise(Surroundings.TESTED, self.calls)
        told = {call.test: _told(call, *pair) for call, pair in reversed(steady.items())}
        return tuple(told[test] for test in sorted(told))

    @property
    def is_asked_for(self) -> bool:
        """Whether what was asked for speaks of test tools: then code may know them."""
        return any(word in self.trial.asked.lower() for word in self.tools)

    def only_here(self) -> tuple[str, ...]:
        """The calls that the head answers otherwise, twice, in other surroundings: later, in another folder, or when
        they are made on and on. What the base does as well counts for nothing, nor what only the head can answer."""
        seen = self._seen_by_both
        calls = [each for each in self.calls[:_MOST_MOVED] if is_answered(seen.get(each.expression))]
        found = self._steadily_otherwise(Surroundings.ELSEWHERE, calls)
        return tuple(_both_ways(call.expression, here, there) for call, (there, here) in found.items())[:_NAMED]

    def only_in_place(self, judges: FileIndex, tests: Suite, idle: Collection[str]) -> tuple[str, ...]:
        """The calls that the head answers otherwise in a plain process, though in the place of the test that makes them
        it answers as the base does, whatever tells it. tests: of the base. idle: those that pass on either side."""
        seen = self._seen_by_both
        asked = [
            each for each in self.calls[:_MOST_MOVED] if each.test in idle and _is_plain(seen.get(each.expression))
        ]
        steady = set(self._answered_anew(each.expression for each in asked)) if not tests.command else set()
        asked = [each for each in asked if each.expression in steady]
        name, files = f"test_{secrets.token_hex(4)}", dict[str, bytes]()
        for number, each in enumerate(asked):
            path, value = each.test.partition("::")[0], seen[each.expression][0].value
            made = _IN_PLACE.format(f"{name}_{number}", each.module, each.expression, value).encode()
            files[path] = files.get(path, content(judges.judged, path) or b"") + made
        if not asked:
            return ()
        names = {
            f"{each.test.partition('::')[0]}::{name}_{number}": each.expression for number, each in enumerate(asked)
        }
        suite = replace(tests, files={**tests.files, **files}, select=tuple(names), locked=frozenset())
        passing = self.trial.run(judges.judged, suite).result().passing
        return tuple(_both_ways(call, *seen[call]) for test, call in names.items() if test in passing)[:_NAMED]

    def calls_answered_alone(self) -> tuple[str, ...]:
        """The calls by whose answers the change was made for the tests; see `moved`."""
        calls = (call.expression for call in self.calls[:_MOST_MOVED])
        return tuple(map(_readable, calls_answered_alone(calls, self._seen_by_both, self.trial.asked)[:_NAMED]))

    def other_answers(self, idle: Collection[str]) -> tuple[ChangedAnswer, ...]:
        """What no test asks for, and the change answers otherwise, as often as it is asked. idle: tests that pass on
        either side, and are the same."""
        seen, calls = self._seen_by_both, self.calls[:_MOST_MOVED]
        unasked = {call.expression for call in calls if call.test in idle}
        some = other_answers((call.expression for call in calls), seen, unasked)[:_NAMED]
        steady = [call for call in self._answered_anew(some) if _is_short(seen[call])]
        return tuple(ChangedAnswer(_readable(call), *map(_plainly, seen[call])) for call in steady[:_TOLD])

    def detours(self, judges: FileIndex, sides: Repeated, altered: frozenset[str], tests: Suite) -> tuple[str, ...]:
        """Calls that the change answers otherwise, and that tests make themselves without it alone: its product leads
        them elsewhere, as by the data that they run over. altered: tests that it has otherwise. tests: of the base."""
        near = enter_changed(sides.before, judges.touched)
        green = choose_for_looks(sides.before, sides.after, judges.touched, whole=False)
        names = [name for name in green if function_of(name) in near and name not in altered]
        if tests.command or not names or not any(map(is_anew, self._seen_by_both.values())):
            return ()
        look = partial(self.trial.run, trace=judges.product_files | judges.touched.keys(), most=PATIENCE, by_tests=True)
        on_head = replace(tests, select=selected(names, len(names)))
        on_base = replace(on_head, environment=self.trial.base.suite.environment)
        there, here = look(self.trial.base.program, on_base), look(judges.judged, on_head)
        again = Replay.of_python(self.trial, _only_of(there.result(), here.result()), judges.product_files)
        anew = again._answered_anew(call.expression for call in again.calls)
        steady = set(map(_begins, look(self.trial.base.program, on_base).result().calls)) if anew else set()
        found = (call for call in again.calls if call.expression in anew and _begins(call) in steady)
        return tuple(f"{call.test}: {_readable(call.expression)}" for call in found)[:_NAMED]

    def _answered_anew(self, calls: Iterable[str]) -> list[str]:
        """Those that the change answers otherwise, as often as they are asked."""
        seen, sides = self._seen_by_both, (self.trial.base.program, self.trial.head)
        some = [call for call in calls if call in seen and is_anew(seen[call])]
        again = _pairs(some, *[self._begin(program, some) for program in sides])
        return [call for call in some if again.get(call) == seen[call]]

    def equals_all(self) -> bool:
        """Whether the head gives another value than the base to a call, one that says it equals the base's value and
        one beside it: no test that compares notices anything then."""
        seen, calls = self._seen_by_both, [each.expression for each in self.calls]
        other = [(call, seen[call][0].value) for call in calls if call in seen and not same(*seen[call])]
        near = [(*each, beside) for each in other if (beside := _near(each[1]))]
        asked = [f"[{call} == each for each in ({value}, {beside})]" for call, value, beside in near]
        return any(each.value == "[True, True]" for each in self._look(self.trial.head, asked))

    @cached_property
    def _seen_by_both(self) -> dict[str, Both]:
        """What base and head do with the calls, and with those beside them."""
        return _pairs(self._bare, self._begin(self.trial.base.program, self._bare), self._bare_head)

    @cached_property
    def _bare(self) -> list[str]:
        calls = [call.expression for call in self.calls]
        return list(dict.fromkeys([*calls, *chain.from_iterable(map(beside, calls[:_MOST_MOVED]))]))

    @cached_property
    def _bare_head(self) -> Future[_Seen]:
        return self._begin(self.trial.head, self._bare)

    def _begin(
        self, program: Program, expressions: Iterable[str], where: Surroundings = Surroundings.BARE
    ) -> Future[_Seen]:
        return self.trial.pool.submit(self._look, program, list(expressions), where)

    def _look(self, program: Program, expressions: list[str], where: Surroundings = Surroundings.BARE) -> _Seen:
        """What the program does with the calls, as far as it can be seen."""
        seconds = self.trial.end - time.monotonic()
        try:
            return self.look(program, expressions, seconds, where) if expressions and seconds >= LEAST else ()
        except ObservationError:
            return ()

    def _steadily_otherwise(self, where: Surroundings, calls: list[RecordedCall]) -> dict[RecordedCall, Both]:
        """The calls that the head answers otherwise in these surroundings, each time, and the base does not; with what
        is seen in them and bare. Where tests are, the answer is the same each time; one that varies elsewhere is looked
        at more often, since it may vary by chance."""
        as_tests = where is not Surroundings.TESTED  # the place of that answer in a pair
        found = self._otherwise(where, self.trial.head, calls, self._bare_head)
        known = self._otherwise(where, self.trial.base.program, list(found))
        steady, vary = {call: found[call] for call in found if call not in known}, list[RecordedCall]()
        for number in range(1 + _MORE):
            asked = vary if number else list(steady)
            again = self._otherwise(where, self.trial.head, asked)
            held = [call for call in asked if call in again and _same(again[call][as_tests], found[call][as_tests])]
            vary = vary if number else [call for call in held if not all(map(_same, found[call], again[call]))]
            steady = {call: pair for call, pair in steady.items() if call in held or call not in asked}
        return steady

    def _otherwise(
        self, where: Surroundings, program: Program, calls: list[RecordedCall], bare: Future[_Seen] | None = None
    ) -> dict[RecordedCall, Both]:
        """What is seen there and bare, where that differs. bare: what is, where that is known."""
        asked = [call.expression for call in calls]
        other, bare = self._begin(program, asked, where), bare or self._begin(program, asked)
        seen = {call: pair for call, pair in _pairs(asked, other, bare).items() if pair[0] != pair[1]}
        both = self._seen_by_both if seen else {}
        pairs = ((call, seen[call.expression], both.get(call.expression)) for call in calls if call.expression in seen)
        return {call: pair for call, pair, answers in pairs if differ(*pair, deep=is_answered(answers))}


def _pairs(calls: Iterable[str], one: Future[_Seen], other: Future[_Seen]) -> dict[str, Both]:
    return dict(zip(calls, zip(one.result(), other.result(), strict=False), strict=False))


def _is_plain(pair: Both | None) -> bool:
    """Whether the base's value can be written into a test."""
    try:
        ast.literal_eval(pair[0].value if pair else "")
    except UNREADABLE:
        return False
    return pair is not None and pair[0].ending is Ending.RETURNED


def _both_ways(call: str, one: Observed, other: Observed) -> str:
    return f"{_readable(call)}: {_plainly(one)} → {_plainly(other)}"[:_SHOWN]


def _is_short(pair: tuple[Observed, Observed]) -> bool:
    return all(len(each.value) <= _SHORT and "Cut(" not in each.value for each in pair)


def _plainly(observed: Observed) -> str:
    return f"raises {observed.value}" if observed.ending is Ending.RAISED else observed.value


def _near(value: str) -> str:
    """Another value of the same type; empty for what is no number and no text."""
    try:
        plain = ast.literal_eval(parse(value, mode="eval").body)
    except UNREADABLE:
        return ""
    return repr(plain + 1) if isinstance(plain, int | float) else repr(plain + "x") if isinstance(plain, str) else ""


def first_calls(calls: Iterable[RecordedCall]) -> list[RecordedCall]:
    """Each call once, those of all functions before further ones of any."""
    found: dict[str, RecordedCall] = {}
    for call in calls:
        found.setdefault(call.expression, call)
    return in_turn(found.values(), lambda call: callee(call.expression))[:MOST]


def calls_not_made(
    touched: Changed, runs: Iterable[TestRun], calls: Iterable[RecordedCall], by_hand: Iterable[RecordedCall]
) -> tuple[str, ...]:
    """What the change touches and nothing calls outside of a test: functions that tests enter, and files of other
    languages than Python. touched: of the product. calls: that were copied. by_hand: calls of tests themselves."""
    copied, called = {(each.path, _last(each.expression)) for each in calls}, {each.test for each in by_hand}
    tests = sorted(((test in called, its) for run in runs for test, its in run.entered), key=itemgetter(0))
    entered = {(place.path, place.name): is_called for is_called, its in tests for place in its}
    changed = (place for path, texts in sorted(touched.items()) for place in _changed(path, *texts))
    missed = (each for each in changed if entered.get((each.path, each.name)) is False)
    hidden = (each.called for each in missed if (each.path, each.name.rpartition(".")[2]) not in copied)
    others = (path for path in sorted(touched) if is_code(path) and not path.endswith((".py", ".pyi")))
    return (*(path for path in others if path not in {path for path, _ in copied}), *dict.fromkeys(hidden))


def _last(call: str) -> str:
    """The name of the function, or the property, that a call asks."""
    asked = call.rpartition(", ")[2].strip("')") if call.startswith("getattr(") else callee(call)
    return asked.rpartition(".")[2]


def _changed(path: str, old: bytes | None, new: bytes | None) -> Iterator[Function]:
    """The functions in which a Python file of the head differs."""
    lines = changed_lines(Program(None, {path: new}), Program(None, {path: old})).get(path, ())
    around = innermost(functions_of(path, new or b""))
    return (place for place in map(around, sorted(lines)) if place)


def _only_of(there: TestRun, here: TestRun) -> list[RecordedCall]:
    """Calls of tests that pass in both runs, and make them in the one alone. What the change adds to the arguments is
    its own, and objects may have other attributes with it."""
    made, green = sorted(map(_begins, here.calls)), there.passing.keys() & here.passing.keys()
    plain = (each for each in there.calls if each.test in green and "unpickled(" not in each.expression)
    known = ((each, begins, bisect_left(made, begins)) for each in plain for begins in [_begins(each)])
    return [each for each, begins, at in known if at == len(made) or not made[at].startswith(begins)]


def _begins(call: RecordedCall) -> str:
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


def differ(tested: Observed, bare: Observed, *, deep: bool = False) -> bool:
    """Whether a call certainly ended otherwise: with a value and without one, or with another plain value. deep: so
    does what is plain in objects in objects, the sort of an exception, a long text, and what became of arguments."""
    tested = replace(tested, value=_OF_TOOL.sub("", tested.value))
    endings = {tested.ending, bare.ending}
    below = tested.ending is Ending.RAISED and tested.value.startswith(_OF_DEPTH)
    if below or not endings <= {Ending.RETURNED, Ending.RAISED}:
        return False
    if len(endings) == 2:
        return True
    if endings == {Ending.RAISED}:
        return deep and tested.value != bare.value
    if _same(tested, bare):
        return deep and not equal(tested.mutated, bare.mutated)
    try:
        one, other = (parse(each.value, mode="eval").body for each in (tested, bare))
    except UNREADABLE:
        return False
    return (deep or not (_is_cut(one) or _is_cut(other))) and _plainly_differ(one, other, deep)


def _is_cut(value: ast.AST) -> bool:
    """Whether the harness has only its beginning: no object of a program is written with arguments of no name."""
    return (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "Cut" and bool(value.args)
    )


def _same(one: Observed, other: Observed) -> bool:
    return one.ending is other.ending and equal(one.value.replace("pytest", "script"), other.value)


def _plainly_differ(one: ast.AST, other: ast.AST, deep: bool) -> bool:
    """Of objects only what is plain in both counts: a log has other handlers under a test, and a stream another type.

    Objects are calls with nothing but keywords.
    """
    if _is_object(one) or _is_object(other):
        mine, theirs = (
            {word.arg: word.value for word in each.keywords} if isinstance(each, ast.Call) else {}
            for each in (one, other)
        )
        both = ((mine[name], theirs[name]) for name in mine.keys() & theirs.keys())
        return any(_plainly_differ(*pair, deep) for pair in both if deep or not any(map(_has_object, pair)))
    parts, others = list(ast.iter_child_nodes(one)), list(ast.iter_child_nodes(other))
    if not (_has_object(one) and _has_object(other)) or len(parts) != len(others):
        return not equal(ast.unparse(one).replace("pytest", "script"), ast.unparse(other))
    return any(_plainly_differ(*pair, deep) for pair in zip(parts, others, strict=True))


def _has_object(node: ast.AST) -> bool:
    return any(map(_is_object, ast.walk(node)))


def _is_object(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and not node.args


def _told(call: RecordedCall, tested: Observed, bare: Observed) -> TestResult:
    ways = (f"{way}: {seen.ending.value} {seen.value}" for way, seen in (("tested", tested), ("bare", bare)))
    lines = (_readable(call.expression), *ways)
    return TestResult(call.test, TestStatus.FAILED, "\n".join(f"E   {line[:_SHOWN]}" for line in lines))


def _readable(call: str) -> str:
    """With three points for each object that was copied."""
    return re.sub(r"unpickled\('[^']*'\)", "…", call)[:_SHOWN]
