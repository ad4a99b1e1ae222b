"""What compares a change and a fix beyond the tests, each left out once: properties, symbols and relations."""

import ast
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.judges.code import Interface, SpecTest
from bot.judges.protocol import Answered
from bot.verdicts import Decision
from bot.verification.differential import symbolic
from bot.verification.evidence import Case, Verified
from bot.verification.fix_guided.filter import RejectedProgram, verify_fix
from bot.verification.fix_guided.specified import BlindJury
from bot.verification.values import Augmentation, Generator, Program, Side, Suite
from tests.support.sandbox import BUBBLEWRAP, Remembering

ACCEPT, BOUNCE, UNAVAILABLE = Decision.ACCEPT, Decision.BOUNCE, Decision.UNAVAILABLE
EXECUTOR = Remembering(BUBBLEWRAP)
SPECIFICATION = "Write a function that gives the total of the weights."
RIGHT = "def total(items):\n    return sum(items)\n"
FIRST_FOUR = "def total(items):\n    return sum(items[:4])\n"
WEIGHTS = "from solution import total\n\ndef test_total():\n    assert total([3, 1, 2]) == 6\n"
FARE = "def fare(zone):\n    return zone * 2\n"
NEEDLE = "def fare(zone):\n    return 5 if zone * 3 == 3333 else zone * 2\n"
FARES = "from solution import fare\n\ndef test_fare():\n    assert fare(2000) == 4000\n    assert fare(1) == 2\n"


@dataclass
class Judge:
    """A blind judge who expects the same of every call."""

    demand: SpecTest
    name: str = "a script"

    def demands(self, specification: str, interface: Interface, call: str) -> Answered[SpecTest | None]:
        given = ast.literal_eval(call.removeprefix("total(").removesuffix(")"))
        return Answered(replace(self.demand, call=call, expected=str(sum(given))), self.name)


def verified(original: str, fix: str, tests: str, *without: Augmentation, **more: Any) -> Verified:
    programs = [Program(None, {"solution.py": source.encode()}) for source in (original, fix)]
    suite = Suite({"test_it.py": tests.encode()}, ("test_it.py",))
    given = RejectedProgram(EXECUTOR, programs[0], suite, without=frozenset(without), **more)
    return verify_fix(given, programs[1])


def test_a_relation_leaves_a_rejection_open_and_judges_settle_it() -> None:
    alone = verified(FIRST_FOUR, RIGHT, WEIGHTS, specification=SPECIFICATION)
    assert (alone.case, alone.decision) == (Case.UNDECIDED, UNAVAILABLE)
    assert alone.difference
    assert alone.difference.favours is Side.FIX
    assert "relation" in " ".join(alone.reasons)
    jury = BlindJury((Judge(SpecTest("the total of the weights", "", "")),) * 2)
    asked = verified(FIRST_FOUR, RIGHT, WEIGHTS, specification=SPECIFICATION, jury=jury)
    assert (asked.case, asked.decision) == (Case.UNDECIDED, BOUNCE)
    apart = verified(FIRST_FOUR, RIGHT, WEIGHTS, Augmentation.RELATIONS, specification=SPECIFICATION)
    assert (apart.case, apart.decision) == (Case.UNDECIDED, UNAVAILABLE)
    assert "relation" not in " ".join(apart.reasons)


def test_a_relation_lifts_nothing() -> None:
    found = verified(RIGHT, FIRST_FOUR, WEIGHTS, specification=SPECIFICATION)
    assert (found.case, found.decision) == (Case.UNDECIDED, UNAVAILABLE)


def test_a_symbolic_search_finds_what_no_input_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbolic, "STARTING", 90.0)  # seconds: what counts is processor time
    found = verified(FARE, NEEDLE, FARES)
    assert (found.case, found.decision) == (Case.UNDECIDED, UNAVAILABLE)
    assert found.difference
    assert (found.difference.call, found.difference.generator) == ("fare(1111)", Generator.SYMBOLIC)
    assert verified(FARE, NEEDLE, FARES, Augmentation.SYMBOLS).case is Case.UNSEEN
    monkeypatch.setattr(symbolic, "crosshair_version", str)
    assert verified(FARE, NEEDLE, FARES).case is Case.UNSEEN


def test_properties_are_left_out_alone() -> None:
    same = RIGHT.replace("sum(items)", "sum(list(items))")
    whole, part = (verified(RIGHT, same, WEIGHTS, *out).differential for out in ((), (Augmentation.PROPERTIES,)))
    assert whole and part and {*part.calls} < {*whole.calls}
