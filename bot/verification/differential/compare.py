"""Original against fix on inputs of the domain."""

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.changes.kinds import is_for_people
from bot.sandbox.protocol import Executor
from bot.verification.calls.canonical import UNWRITTEN
from bot.verification.calls.equality import same
from bot.verification.calls.observe import BATCH, ObservationError, Plain, observe, observe_in_turn
from bot.verification.differential.attributes import FurtherCalls, attributes_of_change, further_calls
from bot.verification.differential.domain import Domain
from bot.verification.differential.expression import Expression, read
from bot.verification.differential.inputs import mutated
from bot.verification.differential.told import members_of_enumerations, own_errors, values_of_change
from bot.verification.literals import SCRIPT
from bot.verification.programs import changed_files
from bot.verification.syntax import UNREADABLE, parse
from bot.verification.values import Difference, Differential, Ending, Environment, Generator, Observed, Program

NOTHING_TO_VARY = "The tests and the specification show no call that can be made again."
_NOT_AGAIN = "The calls of the tests end otherwise when they are made again without them."
_NONE_FINISHED = "No call ended in time, and alike when it was made again."
_NOTHING_SEEN = "So nothing is known about their behaviour beyond the tests."
_BY_TYPES = "No test calls what the fix changes, so nobody has shown what it should do."
_ONLY_COPIES = "Only what the tests give was compared: of the objects in it there are copies, which cannot be varied."
_UNVARIED = "Only the calls of the tests were compared, since nothing near them could be tried."
_UNWRITTEN = "What both return to some calls cannot be written down, so it was not compared."
_UNSTEADY = "They do differ where one call follows another, or now and then."
_OTHERS = "The fix changes files that are no Python as well, and what these do was not compared."
_BOTH_RAISE = "Both fail on most of these inputs, so their agreement says little."
LEAST_RETURNED = 16  # calls that give a value, where most fail
MUTATED = 200
LEAST_MUTATED = 25  # of one function
DRAWN = 80
OF_SCRIPT = 30  # each is a process of its own
_DOTTED = re.compile(r"\b(?!o\d+\b)[^\W\d]\w*(?:\.[^\W\d]\w*)+")
CALL_SECONDS = 1.0
CONFIRMED = 12
MONOTONOUS = 16  # inputs from which on one and the same value is odd
PATIENCE = 3.0  # seconds for a call no larger than the visible ones that seemed not to end
AGAIN = 2

_Pair = tuple[str, Observed, Observed]  # what both did on a call
_Run = Callable[[Sequence[str], int, float, float], list[_Pair]]


@dataclass(frozen=True, slots=True)
class VisibleCalls:
    """The calls that tests and specification show, and how they are made.

    calls: as expressions; with how they end on the original in the tests, where that is known. module: whose names need
    no prefix; empty for none. paths: where modules are looked for, inside. generator: whom they come from.
    """

    calls: Mapping[str, Ending | None]
    module: str = "solution"
    paths: tuple[str, ...] = ("/work",)
    environment: Environment = field(default_factory=Environment)
    generator: Generator = Generator.EXAMPLE

    @property
    def read(self) -> dict[str, tuple[Expression, Ending | None]]:
        """Those that can be made again, as they are made, with how they end."""
        found = ((read(call, self.module), ending) for call, ending in self.calls.items())
        return {str(each): (each, ending) for each, ending in found if each}

    def members(self, programs: Iterable[Program]) -> dict[str, list[str]]:
        """Of each member of an enumeration that the programs have, in the modules that the calls name, all of it."""
        modules = (self.module, *_modules(expression for expression, _ in self.read.values()))
        return members_of_enumerations(programs, modules, self.paths)


@dataclass(frozen=True, slots=True)
class Versions:
    """Two versions of a program, and the visible calls by which they are compared."""

    executor: Executor
    original: Program
    fix: Program
    visible: VisibleCalls

    def run(self, expressions: Sequence[str], **limits: Any) -> list[_Pair]:
        """What both do, of each that there was time for. limits: as `observe` has them. Raises ObservationError."""
        if not expressions:
            return []
        found = answers(self.executor, (self.original, self.fix), expressions, self.visible, **limits)
        return list(zip(expressions, *found, strict=False))


def compare(
    versions: Versions,
    *,
    seconds: float = 10.0,
    seed: int = 0,
    extra_calls: Sequence[tuple[Generator, str]] = (),
    properties: bool = True,
) -> Differential:
    """Run both programs on inputs of the domain that the visible calls span, and say where they differ. Never raises.

    extra_calls: generator and call, from those who search by other means. properties: whether Hypothesis draws some.
    seconds: for each program, of running. The same seed gives the same inputs.
    """
    known = versions.visible.read
    examples = {call: each for call, (each, _) in known.items()}
    if not examples:
        return Differential(problem=NOTHING_TO_VARY)
    try:
        further = _further_calls(versions, examples, seconds)
    except ObservationError as error:
        return Differential(problem=f"Nothing could be compared: {error}.", doubt=_NOTHING_SEEN)
    limits, constants = values_of_change(versions.original, versions.fix)
    members = versions.visible.members((versions.original, versions.fix))
    domain = Domain.of([*examples.values(), *further.calls.values()], limits, members)
    wanted = inputs(examples, domain, seed, constants, DRAWN if properties else 0)
    wanted |= dict.fromkeys(inputs(further.calls, domain, seed, constants, 0), Generator.MUTATION)
    wanted |= dict.fromkeys(examples, versions.visible.generator)
    for generator, call in extra_calls:
        wanted.setdefault(call, generator)
    given = {call: read(call) for call in wanted}
    refusals = own_errors(versions.original, versions.fix)

    def alike(one: Observed, other: Observed) -> bool:
        gives = all(each.value.startswith("partial(") and _is_unwritten(each) for each in (one, other))
        return gives or same(one, other, refusals) or further.are_alike(one, other)

    def run(calls: Sequence[str], batch: int, patience: float, most: float) -> list[_Pair]:
        return versions.run(calls, batch=batch, call_seconds=patience, seconds=most)

    def is_small(call: str) -> bool:
        return (each := given[call]) is not None and domain.no_larger(each)

    try:
        pairs, unsteady = _confirmed(run, tuple(wanted), seconds, is_small, alike)
    except ObservationError as error:
        return Differential(problem=f"Nothing could be compared: {error}.", doubt=_NOTHING_SEEN)
    here = {call: one.ending for call, one, _ in pairs}
    told = [
        (each.steps[-1].asks, ending is here[call]) for call, (each, ending) in known.items() if ending and call in here
    ]
    lost = {asks for asks, kept in told if not kept} - {asks for asks, kept in told if kept}
    made = [(pair, each) for pair in pairs if (each := given[pair[0]]) and each.steps[-1].asks not in lost]
    made = [(pair, each) for pair, each in made if not further.is_refused(each, *pair[1:])]
    inside = [pair for pair, each in made if domain.within(each)]
    called = {_called(each).rpartition("(")[0] for _, each in made if _called(each).endswith(")")}
    unwritten = [pair for pair in inside if alike(*pair[1:]) and _is_unwritten(pair[1])]
    unasked = [pair for pair in unwritten if (each := given[pair[0]]) is None or _called(each) not in called]
    seen = [pair for pair in inside if pair not in unwritten and not further.are_alike(*pair[1:])]
    found = [Difference(*pair, wanted[pair[0]]) for pair in inside if not alike(*pair[1:])]
    found.sort(key=lambda difference: (len(difference.call), difference.call))
    return Differential(
        calls=tuple(call for call, _, _ in seen),
        differences=tuple(found),
        outside=sum(not alike(*pair[1:]) for pair, _ in made) - len(found),
        problem="" if seen else _NOT_AGAIN if lost else _UNWRITTEN if made else _NONE_FINISHED,
        doubt=_doubted(seen)
        or ("" if _is_whole(examples, domain) else _unvaried(seen, wanted))
        or (_UNWRITTEN if unasked else "")
        or (_UNSTEADY if unsteady else "")
        or (_OTHERS if _unread(versions) else "")
        or (_BY_TYPES if versions.visible.generator is Generator.HYPOTHESIS else ""),
    )


def _further_calls(versions: Versions, examples: Mapping[str, Expression], seconds: float) -> FurtherCalls:
    """What else may be done with the objects of the visible calls. Raises ObservationError."""
    stored, named = attributes_of_change(versions.original, versions.fix)
    seen = versions.run([*examples], seconds=seconds) if stored else []
    return further_calls(seen, stored, named)


def doubt(executor: Executor, program: Program, visible: VisibleCalls, *, seconds: float = 10.0, seed: int = 0) -> str:
    """Why passing the tests says little of a program, as one sentence; empty when nothing speaks against it.

    For when there is nothing to compare it with: a fix that fails the tests is no witness. The program is run on the
    domain that the visible calls span. Never raises; what could not be observed is no reason to doubt.
    """
    examples = {call: each for call, (each, _) in visible.read.items()}
    _, constants = values_of_change(program, program)
    domain = Domain.of(examples.values(), members=visible.members((program,)))
    calls = tuple(inputs(examples, domain, seed, constants))
    try:
        (seen,) = answers(executor, (program,), calls, visible, seconds=seconds)
        broken = sorted((call for call, one in zip(calls, seen, strict=False) if _broke(one)), key=len)[:CONFIRMED]
        if broken and not any(map(_broke, seen[: len(examples)])):
            (again,) = answers(executor, (program,), broken, visible, batch=1)
            if any(map(_broke, again)):
                return "It fails on an input like those of the tests, and no test expects that."
    except ObservationError:
        return ""
    return monotonous(seen)


def answers(
    executor: Executor, programs: Sequence[Program], calls: Sequence[str], visible: VisibleCalls, **limits: Any
) -> tuple[tuple[Observed, ...], ...]:
    """What each program does on calls that are made as the visible ones. limits: as `observe` has them. Raises
    ObservationError."""
    return observe(executor, programs, calls, **_surroundings(calls, visible), **limits)


def answers_in_turn(
    executor: Executor,
    programs: Sequence[tuple[Program, bool]],
    calls: Sequence[str],
    visible: VisibleCalls,
    *,
    seconds: float,
) -> tuple[tuple[Observed, ...], ...]:
    """The same of programs as `observe_in_turn` has them."""
    return observe_in_turn(executor, programs, calls, **_surroundings(calls, visible), seconds=seconds)


def _surroundings(calls: Sequence[str], visible: VisibleCalls) -> dict[str, Any]:
    place = Plain(_modules(filter(None, map(read, calls))), visible.paths)
    return {"module": visible.module, "environment": visible.environment, "place": place}


def _modules(calls: Iterable[Expression]) -> tuple[str, ...]:
    """What may be modules in their dotted names."""
    pieces = (piece for call in calls for step in call.steps for piece in step.pieces)
    dotted = (name.split(".") for piece in pieces for name in _DOTTED.findall(piece))
    return tuple(dict.fromkeys(".".join(parts[:at]) for parts in dotted for at in range(1, len(parts))))


def monotonous(seen: Sequence[Observed]) -> str:
    """A doubt about a program that gives one and the same value whatever it is given."""
    values = {one.value for one in seen if one.ending is Ending.RETURNED}
    if len(seen) < MONOTONOUS or len(values) != 1 or values == {"None"}:
        return ""
    return f"It gives the same value on all {len(seen)} inputs, so it could be a program that ignores them."


def _doubted(seen: Sequence[_Pair]) -> str:
    if not seen:
        return _NOTHING_SEEN
    broken = sum(_broke(one) for _, one, _ in seen)
    return _BOTH_RAISE if 2 * broken > len(seen) and len(seen) - broken < LEAST_RETURNED else ""


def _is_whole(examples: Mapping[str, Expression], domain: Domain) -> bool:
    """Whether nothing else can be given: all is true or false, or of an enumeration, and each of these was seen."""
    others = {str(other) for each in examples.values() for other in each.with_members(domain.members)}
    for each in examples.values():
        if any(type(value) is not bool for value in each.values) or "unpickled(" in str(each):
            return False
        others |= {str(each.with_others({at: not value})) for at, value in enumerate(each.values)}
    return bool(others) and others <= examples.keys()


def _unvaried(seen: Sequence[_Pair], wanted: Mapping[str, Generator]) -> str:
    """A doubt about calls that the tests make, where nothing near them could be tried."""
    if not seen or any(wanted[call] is not Generator.EXAMPLE for call, _, _ in seen):
        return ""
    return _ONLY_COPIES if any("unpickled(" in call for call, _, _ in seen) else _UNVARIED


def _called(call: Expression) -> str:
    """What is asked last, without what it is given: behind `()` what a call gives."""
    asks = call.steps[-1].asks
    return asks.rpartition("(")[0] if "?" in asks else asks


def _is_unwritten(observed: Observed) -> bool:
    """Whether there is something in what it returned that its text does not show."""
    if UNWRITTEN not in observed.value:
        return False
    try:
        nodes = ast.walk(parse(observed.value, mode="eval"))
    except UNREADABLE:
        return True
    return any(isinstance(each, ast.Call) and UNWRITTEN.strip("()") in map(ast.unparse, each.args) for each in nodes)


def _broke(observed: Observed) -> bool:
    return observed.ending in (Ending.RAISED, Ending.DIED)


def inputs(
    examples: Mapping[str, Expression], domain: Domain, seed: int, constants: Sequence[object], by_property: int = DRAWN
) -> dict[str, Generator]:
    """Calls to try, the visible ones first, each with its generator. by_property: how many Hypothesis draws."""
    from bot.verification.differential.strategies import drawn  # Hypothesis, which not every start has to wait for

    wanted, groups = dict.fromkeys(examples, Generator.EXAMPLE), dict[str, list[Expression]]()
    for each in examples.values():
        groups.setdefault(each.steps[-1].asks, []).append(each)
    for asks, seen in groups.items():
        most = OF_SCRIPT if asks.startswith(SCRIPT) else MUTATED
        for call in mutated(seen, domain, min(most, max(MUTATED // len(groups), LEAST_MUTATED)) + 1, seed, constants):
            wanted.setdefault(call, Generator.MUTATION)
        for call in drawn(seen, domain, min(most, -(-by_property // len(groups))), seed) if by_property else ():
            wanted.setdefault(call, Generator.HYPOTHESIS)
    return wanted


def _confirmed(
    run: _Run,
    calls: Sequence[str],
    seconds: float,
    is_small: Callable[[str], bool],
    alike: Callable[[Observed, Observed], bool],
) -> tuple[list[_Pair], bool]:
    """What both did on each call, and whether they differ on one that is no difference when it is made again alone.
    Raises ObservationError. run: calls, how many in a process, seconds of one, of all. is_small: whether a call is no
    larger than the visible ones. alike: whether two observations are the same behaviour.

    A difference counts when it is there again with the call alone in a fresh process, twice with the same answers; of
    many the plainest are tried. A call that one of them was too slow for says nothing, unless it is no larger than the
    visible ones: then it is given more time, and what still does not end does not end.
    """
    first = run(calls, BATCH, CALL_SECONDS, seconds)
    steady = [found for found in first if alike(*found[1:]) and found[1].ending is not Ending.TIMEOUT]
    differing = sorted((found for found in first if not alike(*found[1:])), key=lambda found: (len(found[0]), found[0]))
    plain = [call for call, *both in differing if not _slow(both)][:CONFIRMED]
    late = (call for call, *both in differing if _slow(both))
    slow = list(filter(is_small, late))[:AGAIN]
    twice = run([*plain, *plain], 1, CALL_SECONDS, 2 * seconds) if plain else []
    both = zip(twice[: len(plain)], twice[len(plain) :], strict=False)
    confirmed = [one for one, other in both if all(map(same, one[1:], other[1:])) and not alike(*one[1:])]
    ended = run(slow, 1, PATIENCE, PATIENCE * AGAIN) if slow else []
    unsteady = len(confirmed) < len(plain)
    return [*steady, *(found for found in confirmed if not _slow(found[1:])), *ended], unsteady


def _slow(observed: Sequence[Observed]) -> bool:
    return any(one.ending is Ending.TIMEOUT for one in observed)


def _unread(versions: Versions) -> bool:
    """Whether more differs than Python, and what is written for people alone."""
    paths = changed_files(versions.original, versions.fix)
    return any(not path.endswith(".py") and not is_for_people(path) for path in paths)
