"""Tests that the lines of a diff skip, in several languages."""

from bot.changes.read import read_change
from bot.changes.skips import gone, skips
from tests.changes.parts import change_of
from tests.support.cases import cases


@cases
def test_skips(path: str, before: str, after: str, skipped: bool) -> None:
    found = [(risk.check, risk.path) for risk in skips(change_of((path, before, after)), lambda file: None)]
    assert found == [("tests_skipped", path)] * skipped


@cases
def test_tests_that_are_gone_with_their_file(path: str, before: str, after: str, other: str, missed: bool) -> None:
    change = change_of((path, before, after), *[("tests/test_other.py", "a = 1\n", other)] * bool(other))
    assert [risk.path for risk in gone(change, lambda file: (before, after))] == [path] * missed


def test_a_name_that_hides_tests_from_who_runs_them() -> None:
    for old, new, hidden in (("tests/test_db.py", "tests/db_old.py", True), ("test_a.py", "tests/test_b.py", False)):
        moved = f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
        assert [risk.path for risk in gone(read_change(moved), lambda file: None)] == [new] * hidden


def test_a_new_test_of_another_file_buys_no_skip() -> None:
    one = "def test_one():\n    assert f(1) == 1\n"
    change = change_of(
        ("tests/test_a.py", one, f"@pytest.mark.skip\n{one}"), ("tests/test_b.py", "", one.replace("one", "two"))
    )
    assert [risk.path for risk in skips(change, lambda file: None)] == ["tests/test_a.py"]
