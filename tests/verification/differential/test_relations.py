"""Relations: meant by names and words, kept beside the visible calls, and broken by what breaks them."""

import pytest

from bot.sandbox.protocol import Outcome, Status
from bot.verification.differential.compare import Versions, VisibleCalls, compare
from bot.verification.differential.relations import descriptions, inverse_of, try_relations
from bot.verification.values import Difference, Differential, Program, Side
from tests.support.cases import cases
from tests.support.sandbox import BUBBLEWRAP, Remembering, StandIn

EXECUTOR = Remembering(BUBBLEWRAP)


def program(source: str) -> Program:
    return Program(None, {"solution.py": source.encode()})


def found(original: str, fix: str, shown: list[str], specification: str = "") -> Differential:
    versions = Versions(EXECUTOR, program(original), program(fix), VisibleCalls(dict.fromkeys(shown)))
    compared = compare(Versions(EXECUTOR, versions.original, versions.fix, versions.visible))
    return try_relations(versions, compared, descriptions(original, specification), 10.0)


def by_relation(compared: Differential) -> list[Difference]:
    return [each for each in compared.differences if "relation" in each.why]


@cases
def test_a_relation_that_only_the_change_breaks_speaks_for_the_fix(
    change: str, fix: str, shown: list[str], says: str, specification: str
) -> None:
    compared = found(change, fix, shown, specification)
    assert by_relation(compared), compared.differences
    for each in by_relation(compared):
        assert each.favours is Side.FIX
        assert not each.quote
    assert any(says in each.why for each in by_relation(compared)), by_relation(compared)
    assert not compared.doubt


@cases
def test_a_relation_that_does_not_count_says_nothing(change: str, fix: str, shown: list[str]) -> None:
    compared = found(change, fix, shown)
    assert compared.calls
    assert not by_relation(compared)
    assert not compared.doubt


def test_a_relation_never_speaks_for_a_change() -> None:
    compared = found(RIGHT, WRONG, ["total([3, 1, 2])"])
    assert compared.differences
    assert {each.favours for each in compared.differences} == {None}


RIGHT = "def total(items):\n    return sum(items)\n"
WRONG = "def total(items):\n    return sum(items[:4])\n"
WRONG_TOO = "def total(items):\n    found = 0\n    for item in items[:4]:\n        found += item\n    return found\n"


def test_a_relation_that_both_break_was_not_meant() -> None:
    compared = found(WRONG, WRONG_TOO, ["total([3, 1, 2])"])
    assert compared.calls
    assert not compared.differences
    assert not compared.doubt


@pytest.mark.parametrize("status", [Status.SANDBOX_ERROR, Status.WALL])
def test_without_a_sandbox_nothing_is_added(status: Status) -> None:
    versions = Versions(StandIn(Outcome(status, None, b"", b"", {}, 0.0, ())), program(RIGHT), program(WRONG),
                        VisibleCalls({"total([3, 1, 2])": None}))  # fmt: skip
    compared = Differential(("total([1, 2])",))
    assert try_relations(versions, compared, descriptions(RIGHT, ""), 1.0) == compared


@cases
def test_what_undoes_a_function_is_known_by_its_name(function: str, functions: list[str], expected: str) -> None:
    assert inverse_of(function, functions) == expected
