"""Which other inputs are tried, and of which of them the failure may be right."""

from bot.already_fixed.values import Expectation, Failure, Form, Reproduction
from bot.already_fixed.variants import is_confusion, variants
from tests.support.cases import cases


def shown(exception: str, message: str, code: str = "import halves\nhalves.half(3)") -> Reproduction:
    expected = Expectation(Failure.RAISES, exception, (message,) if message else ())
    return Reproduction("r", Form.SCRIPT, code, expected, "the first example")


@cases
def test_a_named_call_is_wrong_where_the_report_says_that_it_fails_too(said: str, may_fail: bool) -> None:
    (other,) = [one for one in variants(shown("ValueError", "no"), said) if "5" in one.code]
    assert (other.code, other.may_fail) == ("import halves\nhalves.half(5)", may_fail)


def test_what_nobody_names_may_fail() -> None:
    found = variants(shown("IndexError", "list index out of range"), "")
    assert [(one.code.split("\n")[-1], one.may_fail) for one in found] == [
        ("halves.half(4)", True),
        ("halves.half(2)", True),
    ]


@cases
def test_what_no_input_deserves_is_the_interpreters_own_word(raised: str, confused: bool) -> None:
    assert is_confusion(raised) is confused
