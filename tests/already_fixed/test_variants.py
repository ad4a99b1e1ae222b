"""Which other inputs are tried, and of which of them the failure may be right."""

import pytest

from bot.already_fixed.values import Expectation, Failure, Form, Reproduction
from bot.already_fixed.variants import is_confusion, variants


def shown(exception: str, message: str, code: str = "import halves\nhalves.half(3)") -> Reproduction:
    expected = Expectation(Failure.RAISES, exception, (message,) if message else ())
    return Reproduction("r", Form.SCRIPT, code, expected, "the first example")


@pytest.mark.parametrize(
    ("said", "may_fail"),
    [
        ("The same for `half(5)`.", False),
        ("`half(3)` fails, and so does `half(5)`.", False),
        ("`half(5)` raises it, too.", False),
        ("It also happens with `halves.half(5)`.", False),
        ("It works. `half(5)` fails as well! But `half(7)` is fine.", False),
        ("See `half(5)`.", True),
        ("`half(5)` works.", True),
        ("`half(3)` fails while `half(5)` does not.", True),
        ("`half(5)` rightly raises it, too.", True),
        ("As `half(5)` it should raise ValueError.", True),
        ("Of course `half(5)` fails as well.", True),
        ("Only `half(3)` fails, `half(5)` doesn't fail.", True),
        ("Unlike `half(5)`, it fails.", True),
        ("It fails. `half(5)`: 2", True),
        ("`half(5)` used to fail.", True),
    ],
)
def test_a_named_call_is_wrong_where_the_report_says_that_it_fails_too(said: str, may_fail: bool) -> None:
    (other,) = [one for one in variants(shown("ValueError", "no"), said) if "5" in one.code]
    assert (other.code, other.may_fail) == ("import halves\nhalves.half(5)", may_fail)


def test_what_nobody_names_may_fail() -> None:
    found = variants(shown("IndexError", "list index out of range"), "")
    assert [(one.code.split("\n")[-1], one.may_fail) for one in found] == [
        ("halves.half(4)", True),
        ("halves.half(2)", True),
    ]


@pytest.mark.parametrize(
    ("raised", "confused"),
    [
        ("AttributeError: 'NoneType' object has no attribute 'group'", True),
        ("TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'", True),
        ("TypeError: 'int' object is not subscriptable", True),
        ("TypeError: f() missing 1 required positional argument: 'b'", True),
        ("TypeError: can only concatenate str, must be str, not int", True),
        ("UnboundLocalError: local variable 'x' referenced before assignment", True),
        ("UnboundLocalError: cannot access local variable 'x' where it is not associated with a value", True),
        ("NameError: name 'unicode' is not defined", True),
        ("RecursionError: maximum recursion depth exceeded", True),
        ("IndexError: list index out of range", False),
        ("ZeroDivisionError: division by zero", False),
        ("StopIteration", False),
        ("KeyError: 'GREEN'", False),
        ("ValueError: a half must be positive", False),
        ("TypeError: a text has no half", False),
        ("AttributeError: 'Tea' object has no attribute 'greenn'", False),
        ("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte", False),
    ],
)
def test_what_no_input_deserves_is_the_interpreters_own_word(raised: str, confused: bool) -> None:
    assert is_confusion(raised) is confused
