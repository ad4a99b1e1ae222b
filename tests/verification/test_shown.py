"""What a bounce hands back runs as it is, and says what was asked."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bot.judges.code import SpecTest
from bot.verification.model_tests import as_file, differing, failed
from bot.verification.values import Difference, Ending, Observed, Side, TestResult, TestRun, TestStatus

HALF = SpecTest('Half of 7 is 3,\n"rounded" down\u202e', "half(7)", "3")
NONE = SpecTest("Half of nothing is an error.", "half(None)", "raises TypeError")
EXACT = SpecTest("A third is about 0.33.", "third(1)", "0.3333333333333333")
RETURNS = Observed(Ending.RETURNED, "3")


def holds(text: str, code: str) -> bool:
    """Whether the tests in it pass on the module."""
    module = ModuleType("kettle")
    exec(code, vars(module))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "kettle", module)
        pasted: dict[str, Any] = {}
        exec(text, pasted)
        try:
            for name in [name for name in pasted if name.startswith("test")]:
                pasted[name]()
        except (AssertionError, pytest.fail.Exception):
            return False
    return True


def test_tests_are_a_whole_file(tmp_path: Path) -> None:
    text = as_file([HALF, NONE], "kettle")
    assert "Half of 7 is 3" in text and "\u202e" not in text
    (tmp_path / "kettle.py").write_text("def half(n):\n    return n // 2\n")
    (tmp_path / "test_pasted.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_pasted.py"]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # a second less
    assert subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, check=False).returncode == 0
    assert not holds(text, "def half(n):\n    return n and n / 2\n")


def test_inexact_values_are_compared_within_a_tolerance() -> None:
    text = as_file([EXACT], "kettle")
    assert holds(text, "def third(n):\n    return n * 0.33333333333\n")
    assert not holds(text, "def third(n):\n    return 0.3\n")


@pytest.mark.parametrize("call", ["half(n)", "__import__('os').system('x')", "half(7)\nimport os", ""])
def test_only_plain_calls_are_shown(call: str) -> None:
    assert as_file([SpecTest("x", call, "3")], "kettle") == as_file([HALF], "no module") == as_file([], "kettle") == ""


def test_the_input_that_tells_them_apart() -> None:
    found = Difference("half(7)", Observed(Ending.RETURNED, "3.5"), RETURNS, "example", Side.FIX, "why", "It is 3.")
    assert not holds(differing(found, "kettle"), "def half(n):\n    return n / 2\n")
    undecided = Difference("half(7)", Observed(Ending.RETURNED, "3.5"), RETURNS, "example")
    assert differing(undecided, "kettle") == "from kettle import half\nprint(repr(half(7)))\n"
    opaque = Difference("half(7)", RETURNS, Observed(Ending.RETURNED, "<Thing>"), "example", Side.FIX, "why")
    assert differing(opaque, "kettle") == differing(undecided, "kettle")
    assert differing(undecided, "no module") == ""


def test_the_tests_that_failed() -> None:
    names = (
        "test_bouncer_specification.py::test_specification_1",
        "test_bouncer_specification.py::test_specification_2",
    )
    statuses = (TestStatus.PASSED, TestStatus.FAILED)
    run = TestRun(tuple(TestResult(name, status) for name, status in zip(names, statuses, strict=True)), 1.0)
    assert failed([HALF, NONE], run) == (NONE,)
    assert failed([HALF, NONE], None) == ()
