"""What a red test says: for the right reason, for want of a name, and whether that was asked for."""

import time

import pytest

from bot.verification.patch_evidence import Red
from bot.verification.trial.asked import asks_for
from bot.verification.trial.red import awaits, failure_of, failure_of_command
from bot.verification.values import TestResult, TestStatus

HERE = "tests/test_a.py"


@pytest.mark.parametrize(
    ("message", "red", "missing", "within"),
    [
        (f"{HERE}:5: in test_f\nE   assert 1 == 2", Red.ASSERTION, "", False),
        (f"{HERE}:5: in test_f\nE   Failed: DID NOT RAISE <class 'KeyError'>", Red.ASSERTION, "", False),
        (f"{HERE}:5: in test_f\nE   AssertionError: 3 != 4", Red.ASSERTION, "", False),
        (f"{HERE}:5: in test_f\na.py:9: in f\nE   AssertionError: no", Red.ERROR, "", True),
        (f"{HERE}:5: in test_f\na.py:9: in f\nE   KeyError: 'x'", Red.ERROR, "", True),
        (
            f"{HERE}:5: in test_f\na.py:9: in f\nE   AttributeError: 'NoneType' object has no attribute 'x'",
            Red.ERROR,
            "x",
            True,
        ),
        (f"{HERE}:5: in test_f\nb.py:9: in f\nE   KeyError: 'x'", Red.ERROR, "", False),
        (f"{HERE}:5: in test_f\nE   AttributeError: module 'a' has no attribute 'g'", Red.MISSING, "g", False),
        (
            f"{HERE}:5: in test_f\nE   TypeError: f() got an unexpected keyword argument 'deep'",
            Red.MISSING,
            "deep",
            False,
        ),
        (
            f"{HERE}:5: in test_f\nE   TypeError: f() takes 1 argument but 2 were given",
            Red.MISSING,
            "",  # which one is new, nobody says; `f` is there
            False,
        ),
        (
            f"{HERE}:5: in test_f\nE   TypeError: C.f() missing 1 required positional argument: 'n'",
            Red.MISSING,
            "",
            False,
        ),
        (
            f"{HERE}:5: in test_f\na.py:9: in f\nE   TypeError: g() takes 1 argument but 2 were given",
            Red.ERROR,
            "",
            True,
        ),
        ("E       fixture 'four' not found", Red.MISSING, "four", False),
    ],
)
def test_how_a_test_is_red(message: str, red: Red, missing: str, within: bool) -> None:
    found = failure_of(TestResult(f"{HERE}::test_f", TestStatus.FAILED, message), {"a.py"}.__contains__)
    assert (found.red, found.missing if found.red is Red.MISSING else missing) == (red, missing)
    assert found.within is within


def test_a_file_that_cannot_be_collected_says_nothing_of_behaviour() -> None:
    said = f"{HERE}:1: in <module>\nE   ImportError: cannot import name 'third' from 'a' (/src/a.py)"
    found = failure_of(TestResult(HERE, TestStatus.ERROR, said), {"a.py"}.__contains__)
    assert (found.red, found.missing) == (Red.MISSING, "third")
    assert failure_of_command(TestResult("npm test", TestStatus.FAILED, "Cannot find module './b'")).red is Red.MISSING


def test_another_exception_than_is_expected_is_what_the_test_asserts_against() -> None:
    source = (
        b"import pytest\n\ndef test_a():\n    f()\n    with pytest.raises(ValueError):\n        f()\n"
        b"    with open('a'):\n        f()\n    with self.assertRaises(ValueError):\n        f()\n"
    )
    assert [line for line in range(12) if awaits(source, line)] == [6, 10]
    assert not awaits(b"def broken(:", 1)
    said = f"{HERE}:6: in test_a\n    f()\n/env/b.py:9: in f\n    raise OSError\nE   OSError: no network"
    found = failure_of(TestResult(f"{HERE}::test_a", TestStatus.FAILED, said), {"a.py"}.__contains__)
    assert (found.red, found.within, found.line) == (Red.ERROR, False, 6)


@pytest.mark.parametrize(
    ("asked", "name", "found"),
    [
        ("Negative counts should raise, whatever the total.", "total", False),
        ("Total counts are wrong. The total.", "total", False),
        ("Let me add `total` to it.", "total", True),
        ("Let me add `shop.total(pairs)` to it.", "total", True),
        ("It has no total(pairs) yet.", "total", True),
        ("It has no shop.total yet.", "total", True),
        ("It should take limit=3.", "limit", True),
        ("It should have a limit of 3.", "limit", False),
        ("Like this:\n\n```python\nprint(total)\n```\n", "total", True),
        ("Like this:\n\n    print(total)\n", "total", True),
        ("One ` and a total and another\n\n`.", "total", False),
        ("Let me add grand_total to it.", "grand_total", True),
        ("Let me add grand_totals to it.", "grand_total", False),
        ("Raise a BadCount there.", "BadCount", True),
        ("Counter is wrong.", "Counter", False),
    ],
)
def test_a_name_is_asked_for_as_code_and_not_as_a_word(asked: str, name: str, found: bool) -> None:
    assert asks_for(asked, name) is found


def test_a_text_is_read_in_time_that_grows_with_it() -> None:
    def took(times: int) -> float:
        started = time.process_time()
        for text in ("`total", "total ", "``total` "):
            asks_for(text * times, "total")
        return time.process_time() - started

    assert min(took(8_000) for _ in range(3)) < 12 * max(min(took(2_000) for _ in range(3)), 0.001)


@pytest.mark.parametrize(
    ("message", "missing"),
    [
        ("a.third is not a function", "third"),
        ("Cannot find module './b'", "b"),
        ("The requested module '../a.mjs' does not provide an export named 'third'", "third"),
        ("./a_test.go:5:7: undefined: shop.Third", "Third"),
        ("cannot find function `third` in module `shop`", "third"),
        ("(0 , _shop.third) is not a function", "third"),
        ("./a_test.go:5:7: c.Third undefined (type *Cart has no field or method Third)", "Third"),
        ("./a_test.go:5:7: too many arguments in call to Total", ""),
        ("error[E0599]: no method named `third` found for struct `Cart`", "third"),
        ("error[E0609]: no field `third` on type `Cart`", "third"),
        ("error[E0599]: no function or associated item named `third` found", "third"),
        ("error TS2305: Module '\"./a\"' has no exported member 'third'.", "third"),
        ("error TS2339: Property 'third' does not exist on type 'Cart'.", "third"),
        ('Failed to resolve import "./lib/third.js" from "a.test.js"', "third"),
        ("No test suite found in file a.test.js", ""),
    ],
)
def test_what_a_command_misses(message: str, missing: str) -> None:
    found = failure_of_command(TestResult("t.js::third", TestStatus.FAILED, message))
    assert (found.red, found.missing) == (Red.MISSING, missing)
