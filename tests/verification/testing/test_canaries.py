"""The tests of ours that must fail: each does, and what shows them costs little."""

import unittest

import pytest

from bot.verification.testing.inside.session import CANARIES
from bot.verification.testing.run import run_suite
from bot.verification.values import Program, Suite
from tests.support.sandbox import BUBBLEWRAP

OF_UNITTEST = [body for _, body in CANARIES if "unittest" in body]


def fail(body: str) -> None:
    names: dict[str, object] = {}
    body = body.replace("left", "3").replace("right", "4")
    exec(f"def canary():\n import pytest, unittest\n {body}\ncanary()", names)


@pytest.mark.parametrize("body", OF_UNITTEST)
def test_it_fails_unless_what_it_asks_looks_at_nothing(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError):
        fail(body)
    for name in ("assertEqual", "assertTrue"):
        monkeypatch.setattr(unittest.TestCase, name, lambda *_, **__: None)
    fail(body)


def test_what_fails_is_shown_without_parsing_its_file_and_pytest_stays_as_it_was() -> None:
    tests = b"""\
from _pytest._code import code

class Says(Exception):
    def __str__(self):
        return code.getstatementrange_ast.__name__

def test_shown():
    raise (
        Says())

def test_as_it_was():
    assert code.getstatementrange_ast.__module__ == "_pytest._code.source"
"""
    run = run_suite(BUBBLEWRAP, Program(None, {}), Suite({"test_shown.py": tests}))
    shown = "test_shown.py:8: in test_shown\n    raise (\nE   test_shown.Says: ends_here"
    assert [(each.name.partition("::")[2], each.message) for each in run.results] == [
        ("test_shown", shown),
        ("test_as_it_was", ""),
    ]
