"""Tests made from the specification: its own examples, a reviewer's counterexample, what a model reads in it, and what
judges demand of one input who see the specification and the input, and neither a claim nor a program."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bot.changes.kinds import is_test_by_path, steers_pytest
from bot.judges.answer import quoted
from bot.judges.code import BlindJudge, Interface, SpecTest, TestWriter
from bot.judges.protocol import Answered, NoJudgement
from bot.sandbox.protocol import Executor
from bot.verification.files.loads import full_name
from bot.verification.literals import interface_of, is_module, read_call, read_expected, same
from bot.verification.model_tests import as_suite, holds, usable
from bot.verification.programs import content
from bot.verification.testing.run import run_suite
from bot.verification.values import Base, Difference, Program, Side


@dataclass(frozen=True, slots=True)
class SpecifiedProgram:
    """What a fix is about: the one source file it changes, and how tests and judges call it."""

    path: str
    source: str
    interface: Interface


def subject(original: Program, changed: Iterable[str]) -> SpecifiedProgram | None:
    """The one Python module that a fix changes; `None` when it changes several, or none that can be imported."""
    sources = [path for path in changed if path.endswith(".py") and not (is_test_by_path(path) or steers_pytest(path))]
    if len(sources) != 1:
        return None
    path = sources[0]
    source = (content(original, path) or b"").decode("utf-8-sig", "replace")
    module = full_name(path.removeprefix("lib/"))
    interface = interface_of(source, module) if is_module(module) else None
    return SpecifiedProgram(path, source, interface) if interface and interface.signatures else None


@dataclass(frozen=True, slots=True)
class Examples:
    """A specification's own examples, as tests; the clause is the example itself.

    demanded: those that count. described: how many do not, since they hold before the change: they say how things are.
    """

    demanded: tuple[SpecTest, ...] = ()
    described: int = 0


def own_examples(shown: Iterable[SpecTest], interface: Interface) -> Examples:
    """The examples of functions that are there, in normal form, each once."""
    found = ((read_call(each.call, interface), read_expected(each.expected)) for each in shown)
    said = dict.fromkeys((call.text, expected) for call, expected in found if call and expected)
    return Examples(tuple(SpecTest(f"{call} gives {expected}", call, expected) for call, expected in said))


def tried_examples(
    executor: Executor, base: Base, shown: Iterable[SpecTest], about: SpecifiedProgram, seconds: float
) -> Examples:
    """The examples that do not hold before the change; where that cannot be tried, all. Of a call of which two things
    are said, what does not hold is not demanded."""
    own = own_examples(shown, about.interface)
    if not own.demanded:
        return own
    suite = replace(as_suite(own.demanded, about.interface.module), environment=base.suite.environment)
    run = run_suite(executor, base.program, suite, seconds=seconds)
    if run.unavailable or run.problem:
        return own
    holds = {name.rpartition("_")[2] for name in run.passing}
    kept = [test for number, test in enumerate(own.demanded, 1) if str(number) not in holds]
    told = Counter(test.call for test in kept)
    demanded = tuple(test for test in kept if told[test.call] == 1)
    return Examples(demanded, described=len(holds))


def uncontested(own: Examples, asserted: Mapping[str, str]) -> Examples:
    """Without those of which a test says something else: where text and tests contradict each other, the code is held
    to its tests. asserted: call -> value, as the tests have it."""

    def agrees(test: SpecTest) -> bool:
        expected = read_expected(asserted.get(test.call, test.expected))
        return expected is None or same(expected, test.expected)

    return replace(own, demanded=tuple(filter(agrees, own.demanded)))


def specified(
    about: SpecifiedProgram,
    specification: str,
    own: Examples,
    writer: TestWriter | None = None,
    counterexample: SpecTest | None = None,
) -> tuple[SpecTest, ...]:
    """What others claim that the specification demands, beside its own examples: the counterexample, then a model's
    tests."""
    said: tuple[SpecTest, ...] = (counterexample,) if counterexample else ()
    written = writer.write(specification, about.interface) if writer and specification.strip() else None
    if isinstance(written, Answered):
        said += written.answer
    known = {test.call for test in own.demanded}
    return tuple(test for test in usable(said, specification, about.interface, own.demanded) if test.call not in known)


@dataclass(frozen=True, slots=True)
class BlindJury:
    """times: how many independent answers must agree; with none, nobody is asked and nothing is settled."""

    judge: BlindJudge | None = None
    times: int = 0

    def demands(self, specification: str, interface: Interface, call: str) -> SpecTest | None:
        """What every one of them demands, with the clause that the first quotes verbatim; `None` where one does not
        say, quotes nothing, or demands something else. That ends the asking."""
        found: SpecTest | None = None
        for _ in range(self.times if self.judge else 0):
            answer = self.judge.demands(specification, interface, call) if self.judge else None
            if answer is None or isinstance(answer, NoJudgement) or answer.answer is None:
                return None
            expected, clause = read_expected(answer.answer.expected), quoted(answer.answer.clause, specification)
            if not expected or not clause or (found and not same(found.expected, expected)):
                return None
            found = found or SpecTest(clause, call, expected)
        return found

    def confirms(self, test: SpecTest, specification: str, interface: Interface) -> bool:
        """Whether they demand what a test does. They see its call alone."""
        found = self.demands(specification, interface, test.call)
        return found is not None and same(found.expected, test.expected)

    def settle(self, difference: Difference, specification: str, interface: Interface) -> Difference:
        """The difference with a side and a quote, where just one of the two programs does what they demand; else as it
        was."""
        found = self.demands(specification, interface, difference.call)
        seen = {Side.ORIGINAL: difference.original, Side.FIX: difference.fix}
        right = {side: holds(found.expected, each) for side, each in seen.items()} if found else {}
        if found is None or sorted(map(str, right.values())) != ["False", "True"]:
            return difference
        side = Side.ORIGINAL if right[Side.ORIGINAL] else Side.FIX
        judges = "A judge" if self.times == 1 else f"{self.times} judges"
        why = f"{judges} who saw only the specification and the input expect what the {side} does."
        return replace(difference, favours=side, why=why, quote=found.clause)


NOBODY = BlindJury()
