"""Tests that came to demand less are found by their syntax."""

from bot.verification.weakening import Weakened, is_test_file, weakened
from tests.support.cases import cases, table

BASE = table(str, __file__, "BASE")


@cases
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
