"""The calls that tests and specification show."""

from bot.judges.code import Interface, SpecTest
from bot.verification.differential.examples import examples
from tests.support.cases import cases

INTERFACE = Interface("pack.solution", ("f(a, b=1)", "g(a)"))


@cases
def test_calls_with_literal_arguments_are_found_by_any_name(test, calls):
    assert set(examples([test], (), INTERFACE)) == set(calls)


def test_the_specification_shows_calls_too():
    shown = (SpecTest("", "f(5)", "6"), SpecTest("", "g( 'ab' )", "'ba'"), SpecTest("", "h(1)", "2"))
    found = examples(["assert f(1) == 2"], shown, INTERFACE)
    assert found == ("f(1)", "f(5)", "g('ab')")
