"""CrossHair: what it finds is a candidate and no more, whatever a program prints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.protocol import Capabilities, Job, Outcome, Status
from bot.verification.crosshair import MOST, candidates, search, types_of
from bot.verification.values import Program

ORIGINAL = "def fare(zone, child):\n    return 0 if child else zone * 2\n"
FIX = "def fare(area, child):\n    if area == 777:\n        return 1\n    return 0 if child else area * 2\n"


def program(source: str) -> Program:
    return Program(None, {"solution.py": source.encode()})


def test_a_needle_is_found_and_is_a_call_with_literals() -> None:
    found = search(BubblewrapExecutor(), program(ORIGINAL), program(FIX), "fare", hints=("int", "bool"))
    assert "fare(777, False)" in found or "fare(777, True)" in found


def test_a_program_that_leaves_at_import_gives_no_candidates() -> None:
    leaving = program("import os\n\ndef fare(zone: int):\n    return 1\n\nos._exit(0)\n")
    assert search(BubblewrapExecutor(), leaving, program("def fare(zone: int):\n    return 2\n"), "fare") == ()


class Refusing:
    """An executor that must not be asked."""

    name = "refusing"

    def probe(self) -> Capabilities:
        raise AssertionError

    def run(self, job: Job) -> Outcome:
        raise AssertionError(job)


NOT_SEARCHED = {
    "no types": ORIGINAL,
    "does not parse": "def fare(",
    "no such function": "def other(a: int):\n    return a\n",
    "no parameters": "def fare():\n    return 1\n",
    "any number of them": "def fare(*zones: int):\n    return 1\n",
    "by keyword only": "def fare(*, zone: int):\n    return 1\n",
    "defined twice": "def fare(a: int):\n    return a\n\ndef fare(a: int):\n    return a\n",
    "too large": "def fare(a: int):\n    return a\n" + "#" * 100_000,
    "nested too deep": "def fare(a: int):\n    return " + "-" * 50_000 + "a\n",
    "null byte": "def fare(a: int):\n    return a\n\0",
}


@pytest.mark.parametrize("source", NOT_SEARCHED.values(), ids=NOT_SEARCHED)
def test_what_cannot_be_searched_costs_no_sandbox(source: str) -> None:
    assert search(Refusing(), program(source), program(source), "fare") == ()


class Answering:
    """An executor whose program printed what it liked."""

    name = "answering"

    def __init__(self, stdout: bytes, status: Status = Status.EXITED) -> None:
        self.outcome = Outcome(status, 1, stdout, b"", {}, 0.1, ())
        self.job: Job | None = None

    def probe(self) -> Capabilities:
        return Capabilities(self.name, "1", usable=True, python=("python",))

    def run(self, job: Job) -> Outcome:
        self.job = job
        return self.outcome


def test_hints_are_written_where_an_annotation_is_missing() -> None:
    executor = Answering(b"")
    source = program("def fare(zone: float, child):\n    return zone\n")
    search(executor, source, source, "fare", hints=("int", "bool"), seconds=0.5)
    assert executor.job is not None
    assert executor.job.files["original.py"] == b"def fare(zone: float, child: bool):\n    return zone"
    assert "--per_condition_timeout=0.5" in executor.job.argv
    assert search(executor, source, source, "fare", hints=("int",)) == ()


@pytest.mark.parametrize("status", [Status.WALL, Status.MEMORY, Status.SANDBOX_ERROR, Status.OUTPUT_LIMIT])
def test_what_was_printed_before_the_end_still_counts_as_a_candidate(status: Status) -> None:
    annotated = program("def fare(zone: int):\n    return zone\n")
    assert search(Answering(b"Given: (zone=1),\n", status), annotated, annotated, "fare") == ("fare(1)",)
    assert search(Answering(b"", status), annotated, annotated, "fare") == ()


@pytest.mark.parametrize(
    "line,expected",
    [
        ("Given: (a=[1, -2], b='x'),", ("f([1, -2], 'x')",)),
        ("Given: (a={'k': (1.5, None)}),", ("f({'k': (1.5, None)})",)),
        ("Given: (a=__import__('os')),", ()),
        ("Given: (a=1), f(b=2),", ()),
        ("Given: (**{'a': 1}),", ()),
        ("Given: (a=<object>),", ()),
        ("Given: (1),", ()),
        ("Given: (a=1", ()),
        ("a=1", ()),
    ],
)
def test_only_literals_become_a_call(line: str, expected: tuple[str, ...]) -> None:
    assert candidates(f"noise\n{line}\n  original.f : returns 1\n", "f") == expected


def test_there_is_an_end_of_candidates() -> None:
    assert len(candidates("".join(f"Given: (a={n}),\n" for n in range(1000)), "f")) == MOST


@given(st.text())
def test_any_output_has_an_answer(output: str) -> None:
    assert isinstance(candidates(f"Given: ({output}),\n{output}", "f"), tuple)


@pytest.mark.parametrize(
    "calls,expected",
    [
        (["f(1, 'a')"], ("int", "str")),
        (["f([1, 2])", "f([])"], ("list[int]",)),
        (["f([])"], ()),
        (["f(1)", "f(1.5)"], ("float",)),
        (["f(1)", "f('a')"], ()),
        (["f(1)", "f(1, 2)"], ()),
        (["f(True)"], ("bool",)),
        (["f({'a': [1]})"], ("dict[str, list[int]]",)),
        (["f([(1, 'a'), (2, 'b')])"], ("list[tuple[int, str]]",)),
        (["f((1, 2))", "f((1, 2, 3))"], ("tuple[int, ...]",)),
        (["f({1, 2})"], ("set[int]",)),
        (["f(a=1)"], ()),
        (["f(g(1))"], ()),
        (["f(None)"], ()),
        (["f("], ()),
        ([], ()),
    ],
)
def test_types_are_those_of_the_visible_calls(calls: list[str], expected: tuple[str, ...]) -> None:
    assert types_of(calls) == expected
