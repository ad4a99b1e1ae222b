"""Tests made from the specification: its own examples, a reviewer's counterexample, and what a model reads in it."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.judges.code import Interface, SpecTest, TestWriter, Written
from bot.verification.literals import examples_in, interface_of, is_module
from bot.verification.model_tests import usable
from bot.verification.programs import content
from bot.verification.values import Program
from bot.verification.weakening import is_test_file

_PACKAGE_ROOTS = ("src/", "lib/")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a fix is about: the one source file it changes, and how tests and judges call it."""

    path: str
    source: str
    interface: Interface


def subject(original: Program, changed: Iterable[str], examples: tuple[str, ...] = ()) -> Subject | None:
    """The one Python module that a fix changes; `None` when it changes several, or none that can be imported."""
    sources = [path for path in changed if path.endswith(".py") and not is_test_file(path)]
    if len(sources) != 1:
        return None
    path = sources[0]
    source = (content(original, path) or b"").decode("utf-8-sig", "replace")
    module = module_of(path)
    interface = interface_of(source, module, examples) if is_module(module) else None
    return Subject(path, source, interface) if interface and interface.signatures else None


def module_of(path: str) -> str:
    """What a test imports to get at a file, where the root of the tree is on the path."""
    for root in _PACKAGE_ROOTS:
        path = path.removeprefix(root)
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def own_examples(specification: str, interface: Interface) -> tuple[SpecTest, ...]:
    """The examples that a specification gives, as tests; the clause is the example itself."""
    found = {e.call.text: e.expected for e in examples_in(specification, interface)}
    return tuple(SpecTest(f"{call} gives {expected}", call, expected) for call, expected in found.items())


def specified(
    about: Subject, specification: str, writer: TestWriter | None = None, counterexample: SpecTest | None = None
) -> tuple[SpecTest, ...]:
    """The tests that the specification yields: its own examples, then the counterexample, then a model's."""
    own = own_examples(specification, about.interface)
    said: tuple[SpecTest, ...] = (counterexample,) if counterexample else ()
    written = writer.write(specification, about.interface) if writer and specification.strip() else None
    if isinstance(written, Written):
        said += written.tests
    known = {test.call for test in own}
    return (*own, *(test for test in usable(said, specification, about.interface).tests if test.call not in known))
