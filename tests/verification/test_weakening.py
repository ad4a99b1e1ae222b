"""Tests that came to demand less are found by their syntax."""

import pytest

from bot.verification.weakening import Weakened, is_test_file, weakened

BASE = """
import unittest
import pytest

def test_adds():
    assert add(1, 2) == 3
    assert add(0, 0) == 0

class TestMore:
    def test_refuses(self):
        with pytest.raises(TypeError):
            add("1", 2)

class Old(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(add(1, 1), 2)

def helper():
    assert True
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("", "", []),
        ("add(1, 2) == 3", "add(1, 2) == 4", []),
        ("def helper", "def test_new():\n    assert add(2, 2) == 4\n\ndef helper", []),
        ("def test_adds", "def check_adds", [("test_adds", Weakened.REMOVED)]),
        ("    assert add(0, 0) == 0\n", "", [("test_adds", Weakened.FEWER_CHECKS)]),
        ("assert add(0, 0) == 0", "assert True", [("test_adds", Weakened.EMPTY_CHECK)]),
        ("assert add(0, 0) == 0", "assert (add(0, 0) == 0, 'sum')", [("test_adds", Weakened.EMPTY_CHECK)]),
        ("add(0, 0) == 0", "add(0, 0) is not None", [("test_adds", Weakened.LOOSER_CHECK)]),
        ("add(0, 0) == 0", "add(0, 0) >= 0", [("test_adds", Weakened.LOOSER_CHECK)]),
        ("assertEqual", "assertIn", [("Old::test_equal", Weakened.LOOSER_CHECK)]),
        ("def test_adds", "@pytest.mark.xfail(reason='later')\ndef test_adds", [("test_adds", Weakened.SKIPPED)]),
        ("class TestMore", "@pytest.mark.skip\nclass TestMore", [("TestMore::test_refuses", Weakened.SKIPPED)]),
        ("def test_adds():", "def test_adds():\n    pytest.skip('slow')", [("test_adds", Weakened.SKIPPED)]),
        ("import pytest\n", "import pytest\npytestmark = pytest.mark.skip\n", [("", Weakened.SKIPPED)]),
        (
            "raises(TypeError)",
            "raises(Exception)",
            [("TestMore::test_refuses", Weakened.LOOSER_CHECK), ("TestMore::test_refuses", Weakened.BROADER_EXCEPT)],
        ),
        (
            "    assert add(0, 0) == 0",
            "    try:\n        assert add(0, 0) == 0\n    except:\n        pass",
            [("test_adds", Weakened.BROADER_EXCEPT)],
        ),
        ("def test_adds():", "def test_adds(:", [("", Weakened.UNREADABLE)]),
    ],
)
def test_what_a_patch_takes_away(old: str, new: str, found: list[tuple[str, Weakened]]) -> None:
    head = BASE.replace(old, new) if old else BASE
    seen = weakened({"tests/test_add.py": BASE.encode()}, {"tests/test_add.py": head.encode()})
    assert [(finding.test, finding.how) for finding in seen] == found


def test_a_deleted_file_loses_all_its_tests() -> None:
    seen = weakened({"test_add.py": BASE.encode()}, {"test_add.py": None})
    assert [finding.test for finding in seen] == ["test_adds", "TestMore::test_refuses", "Old::test_equal"]


def test_a_test_that_moves_is_not_lost() -> None:
    base = {"test_add.py": BASE.encode(), "test_sum.py": None}
    assert weakened(base, {"test_add.py": None, "test_sum.py": BASE.encode()}) == ()


def test_what_is_no_test_file_is_left_alone() -> None:
    assert weakened({"add.py": b"def test_adds(): assert 1 == 1"}, {"add.py": None}) == ()
    assert [is_test_file(path) for path in ("a/test_x.py", "x_test.py", "conftest.py", "x.py", "test_x.txt")] == [
        True,
        True,
        True,
        False,
        False,
    ]
