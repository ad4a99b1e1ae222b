"""Whether passing shows what should come, or only that what went wrong is gone."""

import pytest

from bot.already_fixed.reading.expectations import tells_right
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction

RAISES = Expectation(Failure.RAISES, "TypeError")
ASSERTS = Expectation(Failure.RAISES, "AssertionError")
TESTED = "def test_a():\n    assert half(2) == 1\n    half(3)\ndef test_b():\n    assert half(4) == 2\n"


@pytest.mark.parametrize(
    ("expectation", "form", "code", "told"),
    [
        (RAISES, Form.SCRIPT, "half(3)", False),
        (RAISES, Form.SCRIPT, "assert half(2) == 1\nhalf(3)", False),  # it says nothing of what fails
        (RAISES, Form.SCRIPT, "half(3)\nassert half(2) == 1", True),
        (RAISES, Form.SCRIPT, "for n in (2, 3):\n    assert half(n) == n / 2", True),
        (RAISES, Form.TESTS, "def test():\n    half(3)", False),
        (RAISES, Form.TESTS, TESTED, False),
        (RAISES, Form.TESTS, "def test(self):\n    self.assertEqual(half(3), 1.5)", True),
        (RAISES, Form.COMMAND, "half 3", False),
        (RAISES, Form.SCRIPT, "half(", False),
        (ASSERTS, Form.TESTS, "def test():\n    def ok():\n        assert half(3)\n    ok()", True),
        (ASSERTS, Form.SCRIPT, "half(3)", False),  # an assertion of the project's own
        (Expectation(Failure.RAISES, "TypeError", right="1.5"), Form.SESSION, "half(3)", True),
        (Expectation(Failure.HANGS), Form.SCRIPT, "half(3)", False),
        (Expectation(Failure.MISSES, "TypeError"), Form.SCRIPT, "half('')", True),
        (Expectation(Failure.WARNS, "FutureWarning"), Form.SCRIPT, "half(3)", True),
        (Expectation(Failure.PRINTS, wrong=("1",)), Form.SESSION, "half(3)", False),
        (Expectation(Failure.PRINTS, right="1.5"), Form.SESSION, "half(3)", True),
    ],
)
def test_the_table(expectation: Expectation, form: Form, code: str, told: bool) -> None:
    assert tells_right(Reproduction("one", form, code, expectation, "the example")) is told
