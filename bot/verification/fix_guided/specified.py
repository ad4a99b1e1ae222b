"""Tests made from the specification: its own examples, a reviewer's counterexample, what a model reads in it, and what
judges demand of one input who see the specification and the input, and neither a claim nor a program."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from bot.changes.kinds import is_test_by_path, steers_pytest
from bot.judges.answer import quoted
from bot.judges.code import BlindAnswer, BlindJudge, Interface, SpecTest, TestWriter
from bot.judges.protocol import Answered, NoJudgement
from bot.sandbox.protocol import Executor
from bot.verification.files.loads import full_name, imported_names
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


def subject(original: Program, changed: Iterable[str], shown: Sequence[SpecTest] = ()) -> SpecifiedProgram | None:
    """The one Python module that a fix changes, or of several the one that has what the specification's examples call;
    `None` where there is none that can be imported, or more of them. shown: the examples."""
    found = []
    sources = _sources(original, changed)
    for path, source in sources.items():
        module = full_name(path.removeprefix("lib/"))
        interface = interface_of(source, module) if is_module(module) else None
        told = interface is not None and (len(sources) == 1 or own_examples(shown, interface).demanded)
        found += [SpecifiedProgram(path, source, interface)] if told and interface and interface.signatures else []
    return found[0] if len(found) == 1 else None


def as_tests_call(
    about: SpecifiedProgram, shown: Sequence[SpecTest], before: Program, tests: Iterable[str]
) -> SpecifiedProgram:
    """Where the changed module has nothing that the examples call: with the interface of the one module that has it
    among those that tests import.

    before: the change, where that is known, tests too: whoever changes code may add a module that answers examples.
    """
    if not shown or own_examples(shown, about.interface).demanded:
        return about
    modules = sorted({name for path in tests for name in imported_names(path, content(before, path))})
    found = (each for module in modules if is_module(module) for each in _interfaces(before, module))
    asked = [each for each in found if own_examples(shown, each).demanded]
    return replace(about, interface=asked[0]) if len(asked) == 1 else about


def _interfaces(program: Program, module: str) -> list[Interface]:
    """Of a module by its name, wherever the program has it."""
    path = f"{module.replace('.', '/')}.py"
    texts = (content(program, f"{root}{path}") for root in ("", "src/", "lib/"))
    return [interface_of(text.decode("utf-8-sig", "replace"), module) for text in texts if text]


def _sources(original: Program, changed: Iterable[str]) -> dict[str, str]:
    """The product's Python among the changed files."""
    paths = (path for path in changed if path.endswith(".py") and not (is_test_by_path(path) or steers_pytest(path)))
    return {path: (content(original, path) or b"").decode("utf-8-sig", "replace") for path in paths}


def interface_for_judges(original: Program, changed: Iterable[str]) -> Interface:
    """What blind judges see of modules whose calls are no literal ones: how functions and methods are called."""
    sources = _sources(original, changed)
    modules = (full_name(path.removeprefix("lib/")) for path in sources)
    told = (interface_of(source, "", awaited=True).signatures for source in sources.values())
    return Interface(", ".join(modules), tuple(chain.from_iterable(told)))


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
    writers: Sequence[TestWriter] = (),
    counterexample: SpecTest | None = None,
) -> tuple[SpecTest, ...]:
    """What others claim that the specification demands, beside its own examples: the counterexample, then models'
    tests, of each writer in turn."""
    answers = (each.write(specification, about.interface) for each in writers if specification.strip())
    in_turn = chain.from_iterable(zip_longest(*(each.answer for each in answers if isinstance(each, Answered))))
    said = [each for each in (counterexample, *in_turn) if each]
    known = {test.call for test in own.demanded}
    return tuple(test for test in usable(said, specification, about.interface, own.demanded) if test.call not in known)


@dataclass(frozen=True, slots=True)
class BlindJury:
    """Judges who see the specification and a call, and neither a claim nor a program; with none, nothing is settled."""

    judges: tuple[BlindJudge, ...] = ()

    def ask(self, specification: str, interface: Interface, call: str) -> tuple[BlindAnswer, ...]:
        """One after the other, as long as each demands what those before it do."""
        answers: tuple[BlindAnswer, ...] = ()
        for judge in self.judges:
            answers += (_asked(judge, specification, interface, call),)
            if demand_of(answers) is None:
                break
        return answers


NOBODY = BlindJury()


def _asked(judge: BlindJudge, specification: str, interface: Interface, call: str) -> BlindAnswer:
    """Its answer in normal form. What it quotes must stand in the specification word for word."""
    answer = judge.demands(specification, interface, call)
    if isinstance(answer, NoJudgement):
        return BlindAnswer(answer.judge, call, problem=answer.reason)
    said = answer.answer
    expected, clause = (read_expected(said.expected), quoted(said.clause, specification)) if said else ("", "")
    return BlindAnswer(answer.judge, call, *((expected, clause) if expected and clause else ()))


def demand_of(answers: Sequence[BlindAnswer]) -> SpecTest | None:
    """What every one of them demands, with the clause that the first quotes; `None` where one names nothing, or
    something else."""
    first = answers[0] if answers else None
    if first is None or not all(each.expected and same(each.expected, first.expected) for each in answers):
        return None
    return SpecTest(first.clause, first.call, first.expected)


def confirms(test: SpecTest, answers: Sequence[BlindAnswer]) -> bool | None:
    """Whether blind judges demand what a test does; `None` where they do not agree on anything."""
    found = demand_of(answers)
    return None if found is None else same(found.expected, test.expected)


def settle(difference: Difference, answers: Sequence[BlindAnswer]) -> Difference:
    """The difference with a side and a quote, where just one of the two programs does what they demand; else as it
    was."""
    found = demand_of(answers)
    seen = {Side.ORIGINAL: difference.original, Side.FIX: difference.fix}
    right = {side: holds(found.expected, each) for side, each in seen.items()} if found else {}
    if found is None or sorted(map(str, right.values())) != ["False", "True"]:
        return difference
    side = Side.ORIGINAL if right[Side.ORIGINAL] else Side.FIX
    judges = "A judge" if len(answers) == 1 else f"{len(answers)} judges"
    why = f"{judges} who saw only the specification and the input expect what the {side} does."
    return replace(difference, favours=side, why=why, quote=found.clause)
