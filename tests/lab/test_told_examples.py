"""What a text says of calls, for the laboratory's near misses."""

import pytest

from lab.variants.told_examples import examples_in
from tests.support.cases import cases
from tests.verification.test_literals import INTERFACE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (">>> f(1)\n2", {"f(1)": "2"}),
        ("```python\n>>> f(1)\n2\n```\nMore.", {"f(1)": "2"}),
        (">>> f(1)\n[1,\n 2]\n>>> f(2)\n\nMore.", {"f(1)": "[1, 2]"}),
        (">>> f(1)\nTraceback (most recent call last):\n  ...\nValueError: too small", {"f(1)": "raises ValueError"}),
        ("assert f(1, 2) == [1, 2]", {"f(1, 2)": "[1, 2]"}),
        ("For example, `f(1)` returns `3`.", {"f(1)": "3"}),
        ("f(1) should return 2.5 because of this.", {"f(1)": "2.5"}),
        ("f(1) must be True", {"f(1)": "True"}),
        ("f('abc') ➞ 'cba'", {"f('abc')": "'cba'"}),
        ("f((1,)) => 'x' # note", {"f((1,))": "'x'"}),
        ('assert f("a)b") == "c. d"', {"f('a)b')": "'c. d'"}),
        ("f(2) == 3 and f(3) == 4", {"f(2)": "3", "f(3)": "4"}),
        ("f(-1) raises ValueError.", {"f(-1)": "raises ValueError"}),
        ("f(0) is 1 more than f(1)", {}),
        ("f(1) is larger than 2", {}),
        ("f(1) == x", {}),
        ("self.f(1) == 2", {}),
        ("prefix_f(1) == 2", {}),
        ("f(" * 3000 + " == 2", {}),
    ],
)
def test_what_a_text_says_of_calls(text: str, said: dict[str, str]) -> None:
    assert {example.call.text: example.expected for example in examples_in(text, INTERFACE)} == said


@cases
def test_a_report_of_a_defect_demands_only_what_it_says_is_expected(text: str, said: dict[str, str]) -> None:
    assert {example.call.text: example.expected for example in examples_in(text, INTERFACE)} == said
