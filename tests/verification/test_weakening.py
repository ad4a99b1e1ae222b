"""Tests that came to demand less are found by their syntax."""

from bot.verification.weakening import Weakened, weakened
from tests.support.cases import cases, table

BASE = table(str, __file__, "BASE")


@cases
def test_what_a_patch_takes_away(old: str, new: str, found: list[tuple[str, Weakened]]) -> None:
    head = BASE.replace(old, new) if old else BASE
    seen = weakened({"tests/test_add.py": (BASE.encode(), head.encode())})
    assert [(finding.test, finding.how) for finding in seen] == found


def test_a_deleted_file_loses_all_its_tests() -> None:
    for path in ("test_add.py", "a/helping.py", "a/conftest.py"):
        seen = weakened({path: (BASE.encode(), None)})
        assert [finding.test for finding in seen] == ["test_adds", "TestMore::test_refuses", "Old::test_equal"]


def test_a_test_that_moves_is_not_lost() -> None:
    assert weakened({"test_add.py": (BASE.encode(), None), "test_sum.py": (None, BASE.encode())}) == ()
