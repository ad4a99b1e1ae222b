"""What a red test says: for the right reason, or for want of something, as a name or a newer Python."""

from bot.verification.patch_evidence import Red
from bot.verification.trial.failures import failure_of, failure_of_command, newer_name, sees_behaviour
from bot.verification.values import TestResult, TestStatus
from tests.support.cases import cases

HERE = "tests/test_a.py"


@cases
def test_how_a_test_is_red(message: str, red: Red, sees: bool) -> None:
    found = TestResult(f"{HERE}::test_f", TestStatus.FAILED, message)
    assert failure_of(found, {"a.py"}.__contains__) is red
    assert sees_behaviour(found, {"a.py"}.__contains__) is sees


def test_a_file_that_cannot_be_collected_says_nothing_of_behaviour() -> None:
    said = (
        f"{HERE}:1: in <module>\na.py:3: in <module>\nE   ImportError: cannot import name 'third' from 'b' (/src/b.py)"
    )
    assert not sees_behaviour(TestResult(HERE, TestStatus.ERROR, said), {"a.py"}.__contains__)


@cases
def test_what_a_command_misses(message: str) -> None:
    assert failure_of_command(TestResult("t.js::third", TestStatus.FAILED, message)) is Red.ERROR


@cases
def test_what_a_newer_python_has_is_no_failure_of_the_change(test: str, message: str, name: str) -> None:
    assert newer_name(TestResult(test, TestStatus.FAILED, message)) == name
