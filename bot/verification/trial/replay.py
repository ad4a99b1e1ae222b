"""Calls that tests made, made again bare: code that ends otherwise where no test tool is knows that it is tested.

Each call is made in a test and in a plain process, all else being the same, so nothing is asked of how code finds out.
What a call gives with other files, times or hashes differs between two such looks as well, and says nothing.
"""

import ast
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import TypeVar

from bot.verification.calls.equality import equal, same
from bot.verification.calls.observe import ObservationError, Plain, Surroundings, observe
from bot.verification.defects.runs import selected
from bot.verification.files.index import FileIndex
from bot.verification.files.loads import full_name
from bot.verification.patch_evidence import AnswerBeside
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.testing.run import import_paths
from bot.verification.testing.sources import function_of
from bot.verification.trial.differences import (
    alone_in,
    as_failure,
    both_ways,
    differ,
    is_plain,
    is_short,
    plainly,
    readable,
    same_value,
)
from bot.verification.trial.further_examples import calls_of_values, further_examples, wrong_answers
from bot.verification.trial.in_place import hold_in_place
from bot.verification.trial.let_pass import passes, questions
from bot.verification.trial.moved import (
    Both,
    beside,
    calls_answered_alone,
    is_anew,
    is_answered,
    other_answers,
    same_answers,
)
from bot.verification.trial.own import laid_over
from bot.verification.trial.recorded_calls import (
    answered_as_tested,
    as_recorded,
    first_calls,
    has_object,
    only_of,
    stem,
)
from bot.verification.trial.repeats import PATIENCE, Repeated, choose_for_looks, enter_changed
from bot.verification.trial.setup import TrialSetup
from bot.verification.trial.times import CALLS
from bot.verification.values import Ending, Observed, Order, Program, RecordedCall, Suite, TestResult

_MORE = 3  # looks at what varies
_MOST_MOVED = 30  # beside which others are made
_SECONDS = 10.0  # for all of them, once
_SOME = (Ending.RETURNED, Ending.RAISED)
_TOOLS = ("pytest", "unittest")
_REPLACED = "replaced()"  # asks Node for it; see `node_calls.js`
_NAMED = 10  # of the calls that alone are answered like this
_TOLD = 3  # of the other answers that no test asks for, and of those that are as before


_Seen = tuple[Observed, ...]
_Asked = TypeVar("_Asked")
# What a program does with calls within so many seconds, made there. Raises ObservationError.
Look = Callable[[Program, list[str], float, Surroundings], _Seen]


@dataclass(eq=False)
class Replay:
    """Calls of the head's changed files, made again. calls: the first ones; none where they cannot be made. look: how
    those of their language are. tools: who asks for code that knows these gets it. apart: modules that the change
    touches, and in which none of the calls stands."""

    trial: TrialSetup
    calls: list[RecordedCall]
    look: Look
    tools: tuple[str, ...] = _TOOLS
    apart: tuple[str, ...] = ()
    _again: dict[str, Both] = field(default_factory=dict, init=False)  # what a second look gave

    @classmethod
    def of_python(cls, trial: TrialSetup, calls: Iterable[RecordedCall], touched: Collection[str]) -> "Replay":
        """Of calls that pytest recorded."""
        made = first_calls(call for call in calls if call.path in touched)
        modules = tuple(dict.fromkeys(call.module for call in made))
        rest = sorted({path for path in touched if path.endswith(".py")} - {call.path for call in made})
        apart = tuple(name for name in map(full_name, rest) if not name.endswith("__main__")) if made else ()

        def look(program: Program, expressions: list[str], seconds: float, where: Surroundings) -> _Seen:
            named = (*modules, *apart) if where is Surroundings.BESIDE else modules
            plain = Plain(named, tuple(import_paths(program, trial.suite.folder)), where)
            around = (trial.base.suite if program is trial.base.program else trial.suite).environment
            most = min(_SECONDS, seconds)
            # Objects may bring modules with them, of tests and their tools: what needs none is called before.
            order = sorted(expressions, key=has_object)
            seen = observe(trial.executor, (program,), order, seconds=most, environment=around, plain=plain)[0]
            found = dict(zip(order, seen, strict=False))
            return tuple(found.get(each, Observed(Ending.TIMEOUT)) for each in expressions)

        return cls(trial, made, look, apart=apart)

    def only_while_tested(self) -> tuple[TestResult, ...]:
        """The tests that make a call which the head answers otherwise, twice, where no test makes it. What the base
        does as well counts for nothing."""
        steady = self._steadily_otherwise(Surroundings.TESTED, self.calls)
        told = {call.test: as_failure(call, *pair) for call, pair in reversed(steady.items())}
        return tuple(told[test] for test in sorted(told))

    def only_in_their_tests(
        self, base: Iterable[RecordedCall], heads: Iterable[Iterable[RecordedCall]]
    ) -> tuple[str, ...]:
        """The calls that the head answers in their tests as the base does everywhere, and otherwise bare, twice and
        beside the modules that it touches as well; see `answered_as_tested`."""
        found = answered_as_tested(base, heads, self._seen_by_both) if heads else {}
        ways = (Surroundings.BARE, *([Surroundings.BESIDE] if self.apart else ()))
        for where in ways if found else ():
            asked = list(dict.fromkeys(call.expression for call in found))
            again = dict(zip(asked, self._begin(self.trial.head, asked, where).result(), strict=False))
            found = {
                call: pair
                for call, pair in found.items()
                if call.expression in again and differ(pair[0], as_recorded(again[call.expression]), deep=True)
            }
        return tuple(both_ways(call.expression, *pair) for call, pair in found.items())[:_NAMED]

    @property
    def is_asked_for(self) -> bool:
        """Whether what was asked for speaks of test tools: then code may know them."""
        return any(word in self.trial.asked.lower() for word in self.tools)

    def only_here(self) -> tuple[str, ...]:
        """The calls that the head answers otherwise, twice, in other surroundings: later, in another folder, when they
        are made on and on, or beside a module that it touches. What the base does as well counts for nothing, nor what
        only the head can answer."""
        seen = self._seen_by_both
        calls = [each for each in self.calls[:_MOST_MOVED] if is_answered(seen.get(each.expression))]
        found = self._steadily_otherwise(Surroundings.ELSEWHERE, calls)
        if self.apart and not found:
            found = self._steadily_otherwise(Surroundings.BESIDE, calls)
        return tuple(both_ways(call.expression, here, there) for call, (there, here) in found.items())[:_NAMED]

    def only_in_place(
        self, judges: FileIndex, tests: Suite, idle: Collection[str], own: Suite | None, turned: Collection[str]
    ) -> tuple[str, ...]:
        """The calls that the head answers in a plain process otherwise than in the place of the test that makes them.

        idle: tests of the base's, the suite `tests`, that pass on either side: there it answers as the base does what
        it else does not. turned: tests of its own, the suite `own`, that turn green though a plain process answers all
        that they call as the base does, as the base does there.
        """
        if tests.command:
            return ()
        seen, calls = self._seen_by_both, self.calls[:_MOST_MOVED]
        plain = [each for each in calls if is_plain(seen.get(each.expression))]
        asked = [each for each in plain if each.test in idle]
        steady = set(self._answered_anew(each.expression for each in asked))
        held = _equal((each for each in asked if each.expression in steady), seen)
        found = hold_in_place(self.trial, judges.judged, tests, held)
        told = [both_ways(call, *seen[call]) for call in seen if call in found]
        for_another = {each.test for each in calls if each.expression in seen and not same(*seen[each.expression])}
        asked = [each for each in plain if each.test in turned and each.test not in for_another]
        if own and asked:
            other = [(each, f"not ({holds})") for each, holds in _equal(asked, seen)]
            there = hold_in_place(self.trial, self.trial.head, own, other)
            # What the file itself sets, as by a fixture for all of its tests, holds in a copy of it as well.
            there -= hold_in_place(self.trial, self.trial.head, own, other if there else (), copied=True)
            files, around = {**laid_over(judges), **own.files}, self.trial.base.suite.environment
            on_base = replace(own, files=files, environment=around)
            known = _equal((each for each in asked if each.expression in there), seen)
            there = hold_in_place(self.trial, self.trial.base.program, on_base, known)
            told += [alone_in(each, seen[each.expression][1]) for each in asked if each.expression in there]
        return tuple(told)[:_NAMED]

    def calls_answered_alone(self) -> tuple[str, ...]:
        """The calls by whose answers the change was made for the tests; see `moved`."""
        calls = (call.expression for call in self.calls[:_MOST_MOVED])
        return tuple(map(readable, calls_answered_alone(calls, self._seen_by_both, self.trial.asked)[:_NAMED]))

    def examples_not_met(self) -> tuple[str, ...]:
        """The examples that what was asked for shows and that do not hold: in the words of those that tests demand, and
        with the answer that it calls wrong."""
        asked, calls = self.trial.asked, [call.expression for call in self.calls[:_MOST_MOVED]]
        seen = self._seen_by_both
        shown = further_examples(
            asked, [(call, seen[call][1]) for call in calls if call in seen and is_anew(seen[call])]
        )
        instead = [(_given(wrong), right) for wrong, right in wrong_answers(asked).items()]
        made = dict.fromkeys((*shown, *(calls_of_values(asked, calls) if instead else ())))
        sides = [self._begin(program, made) for program in (self.trial.base.program, self.trial.head)]
        unmet = list[str]()
        for call, (was, now) in _pairs(made, *sides).items():
            right = shown.get(call) or next((right for wrong, right in instead if same(was, wrong)), None)
            if right and now.ending in _SOME and not same(was, _given(right)) and not same(now, _given(right)):
                unmet.append(f"{readable(call)}: {plainly(now)}, not {right}")
        return tuple(unmet)[:_NAMED]

    def answers_beside(self, idle: Collection[str]) -> tuple[AnswerBeside, ...]:
        """What no test asks for, and the change answers otherwise, as often as it is asked; and what it answers as
        before beside calls that it does not. idle: tests that pass on either side, and are the same."""
        seen, made = self._seen_by_both, self.calls[:_MOST_MOVED]
        calls = [call.expression for call in made]
        other = other_answers(calls, seen, {call.expression for call in made if call.test in idle})[:_NAMED]
        short = [
            [call for call in its if is_short(seen[call])]
            for its in (self._answered_anew(other), same_answers(calls, seen))
        ]
        told = (call for its in short for call in its[:_TOLD])
        return tuple(AnswerBeside(readable(call), *map(plainly, seen[call])) for call in told)

    def detours(self, judges: FileIndex, sides: Repeated, altered: frozenset[str], tests: Suite) -> tuple[str, ...]:
        """Calls that the change answers otherwise, and that tests make themselves without it alone: its product leads
        them elsewhere, as by the data that they run over. altered: tests that it has otherwise. tests: of the base."""
        near = enter_changed(sides.before, judges.touched)
        green = choose_for_looks(sides.before, sides.after, judges.touched, whole=False)
        names = [name for name in green if function_of(name) in near and name not in altered]
        if tests.command or not names or not any(map(is_anew, self._seen_by_both.values())):
            return ()
        order, base = Order(trace=judges.product_files | judges.touched.keys(), by_tests=True), self.trial.base.program
        asked = replace(tests, select=selected(names, len(names)))
        look = partial(self.trial.run, suite=asked, order=order, most=PATIENCE)
        here, there = look(judges.judged), look(base).result()
        again = Replay.of_python(self.trial, only_of(there, here.result()), judges.product_files)
        anew = again._answered_anew(call.expression for call in again.calls)
        steady = set(map(stem, look(base, repeats=True).result().calls)) if anew else set()
        found = (call for call in again.calls if call.expression in anew and stem(call) in steady)
        return tuple(f"{call.test}: {readable(call.expression)}" for call in found)[:_NAMED]

    def answers_let_pass(self, idle: Collection[str]) -> tuple[str, ...]:
        """Calls whose other answers are as good as the base's with the change alone. idle: tests that pass on either
        side, and are the same."""
        if self.trial.suite.command:
            return ()
        calls, seen = [each for each in self.calls[:_MOST_MOVED] if each.test in idle], self._seen_by_both
        steady = set(self._answered_anew(each.expression for each in calls))
        asked = questions((each for each in calls if each.expression in steady), seen)
        base, head = ([its[side] for its in asked.values()] for side in (0, 1))
        told = _pairs(asked, self._begin(self.trial.base.program, base), self._begin(self.trial.head, head))
        found = [call.expression for call, pair in told.items() if passes(seen[call.expression], pair)]
        return tuple(both_ways(call, *seen[call]) for call in found)[:_NAMED]

    def _answered_anew(self, calls: Iterable[str]) -> list[str]:
        """Those that the change answers otherwise, as often as they are asked."""
        seen, sides = self._seen_by_both, (self.trial.base.program, self.trial.head)
        some = [call for call in calls if call in seen and is_anew(seen[call])]
        asked = [call for call in some if call not in self._again]
        self._again |= _pairs(asked, *[self._begin(program, asked) for program in sides])
        return [call for call in some if call in self._again and all(map(same_value, self._again[call], seen[call]))]

    def replaces(self) -> tuple[str, ...]:
        """The functions of the language, or of what tests stand on, in whose place the head puts others in a test, and
        the base does not. Told by programs of Node's."""
        calls, places = [*(call.expression for call in self.calls[:_MOST_MOVED]), _REPLACED], list[set[str]]()
        for program in (self.trial.head, self.trial.base.program) if self.calls else ():
            seen = self._look(program, calls, Surroundings.TESTED)
            places.append({*_texts(seen[-1].value)} if len(seen) == len(calls) else set())
            if not places[0]:
                return ()
        return tuple(sorted(places[0] - places[1])) if places else ()

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
        if not expressions or not self.trial.has_time_for(CALLS):
            return ()
        try:
            return self.look(program, expressions, self.trial.end - time.monotonic(), where)
        except ObservationError:
            return ()

    def _steadily_otherwise(self, where: Surroundings, calls: list[RecordedCall]) -> dict[RecordedCall, Both]:
        """The calls that the head answers otherwise in these surroundings, each time, and the base does not; with what
        is seen in them and bare. Where tests are, the answer is the same each time; one that varies elsewhere is looked
        at more often, since it may vary by chance."""
        as_tests = where is not Surroundings.TESTED  # the place of that answer in a pair
        found = self._otherwise(where, self.trial.head, calls, anew=False)
        known = self._otherwise(where, self.trial.base.program, list(found))
        steady, vary = {call: found[call] for call in found if call not in known}, list[RecordedCall]()
        for number in range(1 + _MORE):
            asked = vary if number else list(steady)
            again = self._otherwise(where, self.trial.head, asked)
            held = [call for call in asked if call in again and _holds(found[call], again[call], as_tests)]
            vary = vary if number else [call for call in held if not all(map(same_value, found[call], again[call]))]
            steady = {call: pair for call, pair in steady.items() if call in held or call not in asked}
        return steady

    def _otherwise(
        self, where: Surroundings, program: Program, calls: list[RecordedCall], *, anew: bool = True
    ) -> dict[RecordedCall, Both]:
        """What is seen there and bare, where that differs. anew: bare once more, not as the head was seen before."""
        expressions = [call.expression for call in calls]
        there = self._begin(program, expressions, where)
        known, bare = (expressions, self._begin(program, expressions)) if anew else (self._bare, self._bare_head)
        here = dict(zip(known, bare.result(), strict=False))
        seen = {call: (other, here.get(call, other)) for call, other in zip(expressions, there.result(), strict=False)}
        both = self._seen_by_both if any(one != other for one, other in seen.values()) else {}
        return {
            call: seen[call.expression]
            for call in calls
            if call.expression in seen and differ(*seen[call.expression], deep=is_answered(both.get(call.expression)))
        }


def _holds(first: Both, again: Both, place: int) -> bool:
    """Whether an answer of a pair is there again; what became of arguments counts where that alone was otherwise."""
    one, other = first[place], again[place]
    return same_value(one, other) and (not same_value(*first) or equal(one.mutated, other.mutated))


def _pairs(calls: Iterable[_Asked], one: Future[_Seen], other: Future[_Seen]) -> dict[_Asked, Both]:
    return dict(zip(calls, zip(one.result(), other.result(), strict=False), strict=False))


def _equal(calls: Iterable[RecordedCall], seen: Mapping[str, Both]) -> list[tuple[RecordedCall, str]]:
    """Each call, and that it equals what the base gives."""
    return [(each, f"{each.expression} == {seen[each.expression][0].value}") for each in calls]


def _texts(value: str) -> list[str]:
    try:
        told = ast.literal_eval(parse(value, mode="eval").body)
    except UNREADABLE:
        return []
    return [each for each in told if isinstance(each, str)] if isinstance(told, list) else []


def _given(value: str) -> Observed:
    return Observed(Ending.RETURNED, value)
