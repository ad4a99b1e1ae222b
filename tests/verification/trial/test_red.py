"""What a red test says: for the right reason, for want of a name, and whether that was asked for."""

import time

from bot.verification.patch_evidence import Red
from bot.verification.trial.contradictions import asks_for
from bot.verification.trial.failures import awaits, failure_of, failure_of_command, newer_name
from bot.verification.values import TestResult, TestStatus
from tests.support.cases import cases

HERE = "tests/test_a.py"


@cases
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


@cases
def test_a_name_is_asked_for_as_code_and_not_as_a_word(asked: str, name: str, found: bool) -> None:
    assert asks_for(asked, name) is found


def test_a_text_is_read_in_time_that_grows_with_it() -> None:
    def took(times: int) -> float:
        started = time.process_time()
        for text in ("`total", "total ", "``total` "):
            asks_for(text * times, "total")
        return time.process_time() - started

    assert min(took(8_000) for _ in range(3)) < 12 * max(min(took(2_000) for _ in range(3)), 0.001)


@cases
def test_what_a_command_misses(message: str, missing: str) -> None:
    found = failure_of_command(TestResult("t.js::third", TestStatus.FAILED, message))
    assert (found.red, found.missing) == (Red.MISSING, missing)


@cases
def test_what_a_newer_python_has_is_no_failure_of_the_change(test: str, message: str, name: str) -> None:
    assert newer_name(TestResult(test, TestStatus.FAILED, message)) == name
