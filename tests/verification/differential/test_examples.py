"""The calls that tests and specification show."""

import pytest

from bot.judges.code import Interface
from bot.verification.differential.examples import examples

INTERFACE = Interface("pack.solution", ("f(a, b=1)", "g(a)"))


@pytest.mark.parametrize(
    ("test", "calls"),
    [
        ("assert f(1) == 2", ("f(1)",)),
        ("from pack.solution import f as h\nassert h([1], b=2)", ("f([1], b=2)",)),
        ("import pack.solution\nassert pack.solution.g('x')", ("g('x')",)),
        ("import pack.solution as s\nassert s.g('x')", ("g('x')",)),
        ("def check(candidate):\n    assert candidate(3) == 4\ncheck(f)", ("f(3)",)),
        ("assert f(1) == f(2) and f(1)", ("f(1)", "f(2)")),
        ("assert f(x) == other(3)", ()),
        ("def broken(", ()),
    ],
)
def test_calls_with_literal_arguments_are_found_by_any_name(test, calls):
    assert set(examples([test], "", INTERFACE)) == set(calls)


def test_the_specification_shows_calls_too():
    found = examples(["assert f(1) == 2"], "Adds.\n>>> f(5)\n6\n\nFor example g('ab') returns 'ba'.", INTERFACE)
    assert found == ("f(1)", "f(5)", "g('ab')")
