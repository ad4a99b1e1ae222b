"""Tests made from the specification: its own examples, a reviewer's counterexample, and what a model reads in it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from bot.judges.code import DraftTests, Interface, SpecTest, TestWriter
from bot.sandbox.protocol import Executor
from bot.verification.literals import examples_in, interface_of, is_module, read_expected, same
from bot.verification.model_tests import as_suite, usable
from bot.verification.programs import content
from bot.verification.testing.run import run_suite
from bot.verification.values import Base, Program
from bot.verification.weakening import is_test_file

_PACKAGE_ROOTS = ("src/", "lib/")


@dataclass(frozen=True, slots=True)
class SpecifiedProgram:
    """What a fix is about: the one source file it changes, and how tests and judges call it."""

    path: str
    source: str
    interface: Interface


def subject(original: Program, changed: Iterable[str]) -> SpecifiedProgram | None:
    """The one Python module that a fix changes; `None` when it changes several, or none that can be imported."""
    sources = [path for path in changed if path.endswith(".py") and not is_test_file(path)]
    if len(sources) != 1:
        return None
    path = sources[0]
    source = (content(original, path) or b"").decode("utf-8-sig", "replace")
    module = module_of(path)
    interface = interface_of(source, module) if is_module(module) else None
    return SpecifiedProgram(path, source, interface) if interface and interface.signatures else None


def module_of(path: str) -> str:
    """What a test imports to get at a file, where the root of the tree is on the path."""
    for root in _PACKAGE_ROOTS:
        path = path.removeprefix(root)
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@dataclass(frozen=True, slots=True)
class Examples:
    """A specification's own examples, as tests; the clause is the example itself.

    demanded: those that count. described: how many do not, since they hold before the change: they say how things are.
    shown: the demanded ones were seen to fail before the change.
    """

    demanded: tuple[SpecTest, ...] = ()
    described: int = 0
    shown: bool = False


def own_examples(specification: str, interface: Interface) -> Examples:
    """The examples that count by what the text says of them alone."""
    return Examples(_tests({e.call.text: e.expected for e in examples_in(specification, interface)}.items()))


def tried_examples(
    executor: Executor, base: Base, specification: str, about: SpecifiedProgram, seconds: float
) -> Examples:
    """The examples that do not hold before the change; where that cannot be tried, those of `own_examples`.

    Of a call of which two things are said, what does not hold is demanded only when the text says so.
    """
    marked = own_examples(specification, about.interface)
    found = tuple(examples_in(specification, about.interface, tried=True))
    if not found:
        return marked
    tests = _tests((example.call.text, example.expected) for example in found)
    suite = replace(as_suite(tests, about.interface.module), environment=base.suite.environment)
    run = run_suite(executor, base.program, suite, seconds=seconds)
    if run.unavailable or run.problem:
        return marked
    holds = {name.rpartition("_")[2] for name in run.passing}
    kept = [test for number, test in enumerate(tests, 1) if str(number) not in holds]
    told = Counter(test.call for test in kept)
    demanded = tuple(test for test in kept if told[test.call] == 1 or test in marked.demanded)
    return Examples(demanded, described=len(holds), shown=bool(demanded))


def uncontested(own: Examples, asserted: Mapping[str, str]) -> Examples:
    """Without those of which a test says something else: where text and tests contradict each other, the code is held
    to its tests. asserted: call -> value, as the tests have it."""

    def agrees(test: SpecTest) -> bool:
        expected = read_expected(asserted.get(test.call, test.expected))
        return expected is None or same(expected, test.expected)

    return replace(own, demanded=tuple(filter(agrees, own.demanded)))


def _tests(said: Iterable[tuple[str, str]]) -> tuple[SpecTest, ...]:
    return tuple(SpecTest(f"{call} gives {expected}", call, expected) for call, expected in dict.fromkeys(said))


def specified(
    about: SpecifiedProgram,
    specification: str,
    own: Examples,
    writer: TestWriter | None = None,
    counterexample: SpecTest | None = None,
) -> tuple[SpecTest, ...]:
    """The tests that the specification yields: its own examples, then the counterexample, then a model's."""
    said: tuple[SpecTest, ...] = (counterexample,) if counterexample else ()
    written = writer.write(specification, about.interface) if writer and specification.strip() else None
    if isinstance(written, DraftTests):
        said += written.tests
    known = {test.call for test in own.demanded}
    return (
        *own.demanded,
        *(test for test in usable(said, specification, about.interface) if test.call not in known),
    )
