"""Original against fix on inputs of the domain."""

import ast
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from bot.sandbox.protocol import Executor
from bot.verification.differential.domain import Signature, arguments_of, signatures
from bot.verification.differential.inputs import mutated
from bot.verification.differential.observe import BATCH, ObservationError, observe
from bot.verification.syntax import UNREADABLE, parse, tree_of
from bot.verification.values import Difference, Differential, Ending, Environment, Observed, Program, Side

TOLERANCE = 1e-6
NOTHING_TO_VARY = "The tests and the specification show no call with plain values to vary."
_NONE_FINISHED = "No call was finished in time."
_NOTHING_SEEN = "So nothing is known about their behaviour beyond the tests."
_DOES = {
    Ending.RETURNED: "returns another sort of value",
    Ending.RAISED: "raises an exception",
    Ending.TIMEOUT: "does not end",
    Ending.DIED: "crashes",
}
_BOTH_RAISE = "Both fail on most of these inputs, so their agreement says little."
MUTATED = 200
DRAWN = 60
LONGEST = 20
MOST_CONSTANTS = 40
CALL_SECONDS = 1.0
CONFIRMED = 12
MONOTONOUS = 16  # inputs from which on one and the same value is odd
PATIENCE = 3.0  # seconds for a call no larger than the visible ones that seemed not to end
AGAIN = 2

_Pair = tuple[str, Observed, Observed]  # what both did on a call
_Run = Callable[[Sequence[str], int, float, float], list[_Pair]]


def same(one: Observed, other: Observed) -> bool:
    """Whether two observations are the same behaviour as far as a caller can tell.

    Values are equal as Python's `==` has it, floats to within one part in a million. Which exception is raised does not
    count, nor that arguments were changed where something is returned.
    """
    if one.ending is not Ending.RETURNED or other.ending is not Ending.RETURNED:
        return one.ending is other.ending
    if not equal(one.value, other.value):
        return False
    return one.value != "None" or one.mutated == other.mutated


def equal(one: str, other: str) -> bool:
    """Whether two canonical values are equal, floats to within one part in a million."""
    if one == other:
        return True
    try:
        return _equal(parse(one, mode="eval").body, parse(other, mode="eval").body)
    except UNREADABLE:
        return False


def _equal(one: Any, other: Any) -> bool:
    """Of nodes, of what they hold, and of lists of them."""
    numbers = _number(one), _number(other)
    if None not in numbers:
        a, b = numbers
        try:
            close = isinstance(a, float) or isinstance(b, float)
            return a == b or (close and math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE))  # type: ignore[arg-type]
        except OverflowError:
            return False
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, ast.AST):
        return all(_equal(getattr(one, name), getattr(other, name)) for name in one._fields)
    return bool(one == other)


def _number(node: object) -> float | int | None:
    """The number a node stands for, `True` and `False` included."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    return None


def compare(
    executor: Executor,
    original: Program,
    fix: Program,
    examples: Sequence[str],
    *,
    module: str = "solution",
    environment: Environment | None = None,
    seconds: float = 10.0,
    seed: int = 0,
    extra_calls: Sequence[tuple[str, str]] = (),
) -> Differential:
    """Run both programs on inputs of the domain that the examples span, and say where they differ. Never raises.

    examples: calls with literal arguments that tests and specification show. extra_calls: generator and call, from
    those who search by other means. seconds: for each program, of running. The same seed gives the same inputs.
    """
    known = signatures(examples)
    if not known:
        return Differential(problem=NOTHING_TO_VARY)
    wanted = inputs(examples, known, seed, constants(original, fix))
    for generator, call in extra_calls:
        wanted.setdefault(call, generator)

    def run(calls: Sequence[str], batch: int, patience: float, most: float) -> list[_Pair]:
        found = observe(
            executor, (original, fix), calls, module=module, call_seconds=patience, seconds=most,
            environment=environment, batch=batch,
        )  # fmt: skip
        return list(zip(calls, *found, strict=False))

    try:
        pairs = _confirmed(run, tuple(wanted), seconds, known)
    except ObservationError as error:
        return Differential(problem=f"Nothing could be compared: {error}.", doubt=_NOTHING_SEEN)
    kinds = {kind(one) for call, one, _ in pairs if wanted[call] == "example"}
    seen = [pair for pair in pairs if within(known, pair[0])]
    differing = [pair for pair in seen if not same(*pair[1:])]
    found = [Difference(call, one, other, wanted[call], *favours(one, other, kinds)) for call, one, other in differing]
    found.sort(key=lambda difference: (len(difference.call), difference.call))
    guilty = {difference.generator for difference in found}
    looked = {wanted[call] for call, _, _ in seen}
    return Differential(
        calls=tuple(call for call, _, _ in seen),
        differences=tuple(found),
        outside=sum(not same(*pair[1:]) for pair in pairs) - len(found),
        agreed=tuple(name for name in dict.fromkeys(wanted.values()) if name in looked - guilty),
        problem="" if seen else _NONE_FINISHED,
        doubt=_doubted(seen),
    )


def doubt(
    executor: Executor,
    program: Program,
    examples: Sequence[str],
    *,
    module: str = "solution",
    environment: Environment | None = None,
    seconds: float = 10.0,
    seed: int = 0,
) -> str:
    """Why passing the tests says little of a program, as one sentence; empty when nothing speaks against it.

    For when there is nothing to compare it with: a fix that fails the tests is no witness. The program is run on the
    domain that the examples span. Never raises; what could not be observed is no reason to doubt.
    """
    known = signatures(examples)
    calls = tuple(inputs(examples, known, seed, constants(program)))
    try:
        (seen,) = observe(executor, (program,), calls, module=module, seconds=seconds, environment=environment)
        broken = sorted((call for call, one in zip(calls, seen, strict=False) if _broke(one)), key=len)[:CONFIRMED]
        if broken and not any(map(_broke, seen[: len(examples)])):
            (again,) = observe(executor, (program,), broken, module=module, environment=environment, batch=1)
            if any(map(_broke, again)):
                return "It fails on an input like those of the tests, and no test expects that."
    except ObservationError:
        return ""
    return monotonous(seen)


def monotonous(seen: Sequence[Observed]) -> str:
    """A doubt about a program that gives one and the same value whatever it is given."""
    values = {one.value for one in seen if one.ending is Ending.RETURNED}
    if len(seen) < MONOTONOUS or len(values) != 1 or values == {"None"}:
        return ""
    return f"It gives the same value on all {len(seen)} inputs, so it could be a program that ignores them."


def _doubted(seen: Sequence[_Pair]) -> str:
    if not seen:
        return _NOTHING_SEEN
    return _BOTH_RAISE if 2 * sum(_broke(one) for _, one, _ in seen) > len(seen) else ""


def _broke(observed: Observed) -> bool:
    return observed.ending in (Ending.RAISED, Ending.DIED)


def inputs(
    examples: Sequence[str], known: Sequence[Signature], seed: int, harvested: Sequence[object]
) -> dict[str, str]:
    """Calls to try, the visible ones first, each with its generator."""
    from bot.verification.differential.strategies import drawn  # Hypothesis, which not every start has to wait for

    wanted = dict.fromkeys(examples, "example")
    for signature in known:
        for call in mutated(signature, MUTATED // len(known) + 1, seed, harvested):
            wanted.setdefault(call, "mutation")
        for call in drawn(signature, DRAWN // len(known) + 1, seed):
            wanted.setdefault(call, "hypothesis")
    return wanted


def _confirmed(run: _Run, calls: Sequence[str], seconds: float, known: Sequence[Signature]) -> list[_Pair]:
    """What both did on each call. Raises ObservationError. run: calls, how many in a process, seconds of one, of all.

    A difference counts when it is there again with the call alone in a fresh process; of many the plainest are tried. A
    call that one of them was too slow for says nothing, unless it is no larger than the visible ones: then it is given
    more time, and what still does not end does not end.
    """
    first = run(calls, BATCH, CALL_SECONDS, seconds)
    alike = [found for found in first if same(*found[1:]) and found[1].ending is not Ending.TIMEOUT]
    differing = sorted((found for found in first if not same(*found[1:])), key=lambda found: (len(found[0]), found[0]))
    plain = [call for call, *both in differing if not _slow(both)][:CONFIRMED]
    late = (call for call, *both in differing if _slow(both))
    slow = [call for call in late if any(one.no_larger(given) for one, given in _of(known, call))][:AGAIN]
    confirmed = run(plain, 1, CALL_SECONDS, seconds) if plain else []
    ended = run(slow, 1, PATIENCE, PATIENCE * AGAIN) if slow else []
    return [*alike, *(found for found in confirmed if not _slow(found[1:])), *ended]


def _slow(observed: Sequence[Observed]) -> bool:
    return any(one.ending is Ending.TIMEOUT for one in observed)


def within(known: Sequence[Signature], call: str) -> bool:
    """Whether a call lies in the domain of one of the functions."""
    return any(signature.within(values) for signature, values in _of(known, call))


def _of(known: Sequence[Signature], call: str) -> Iterator[tuple[Signature, tuple[Any, ...]]]:
    """The signatures of what is called, with the arguments it is given."""
    if read := arguments_of(call):
        function, values, words = read
        yield from ((each, values) for each in known if (each.function, each.words) == (function, words))


def kind(observed: Observed) -> str:
    """What sort of value came back, roughly: `list`, `int`, `str`, …; empty when none did."""
    if observed.ending is not Ending.RETURNED:
        return ""
    try:
        node = parse(observed.value, mode="eval").body
        number = _number(node)
        if isinstance(node, ast.Call):
            return ast.unparse(node.func)
    except UNREADABLE:
        return "?"
    if number is not None and not isinstance(getattr(node, "value", None), bool):
        return "number"
    return type(node.value).__name__ if isinstance(node, ast.Constant) else type(node).__name__


def favours(original: Observed, fix: Observed, kinds: Collection[str]) -> tuple[Side | None, str]:
    """Which side a difference speaks for: the one that answers as the visible calls are answered.

    kinds: of what the visible calls return. One of the two must end without a value, or with one of another kind.
    """
    if not kinds or "" in kinds:  # visible calls that raise: then raising is an answer
        return None, ""
    original_answers, fix_answers = kind(original) in kinds, kind(fix) in kinds
    near = "On an input like those of the tests the"
    if original_answers and not fix_answers:
        return Side.ORIGINAL, f"{near} fix {_DOES[fix.ending]}; the change returns a value."
    if fix_answers and not original_answers:
        return Side.FIX, f"{near} change {_DOES[original.ending]}; the fix returns a value."
    return None, ""


def constants(*programs: Program) -> list[object]:
    """Literals in the programs' sources: they sit where behaviour changes."""
    found: dict[str, object] = {}
    for program in programs:
        for path, data in sorted(program.files.items()):
            if not path.endswith(".py") or data is None:
                continue
            for node in ast.walk(tree_of(data)):
                if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
                    found.setdefault(repr(node.value), node.value)
    return [value for value in found.values() if not isinstance(value, str) or len(value) <= LONGEST][:MOST_CONSTANTS]
