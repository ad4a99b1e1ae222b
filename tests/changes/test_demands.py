"""What the lines of a diff say about its tests, in several languages."""

from bot.changes.demands import demands
from bot.changes.read import read_change
from bot.changes.values import Change
from tests.changes.parts import change_of
from tests.support.cases import cases

PATH = "tests/test_a.py"
ONE = "def test_one():\n    assert f(1) == 1\n"
HERE = [PATH]


def told(change: Change) -> dict[str, list[str]]:
    """The paths of each check."""
    found = [(risk.check, risk.path) for risk in demands(change, lambda file: None)]
    return {check: [path for each, path in found if each == check] for check, _ in found}


@cases
def test_demands(path: str, before: str, after: str, expected: dict[str, list[str]]) -> None:
    assert told(change_of((path, before, after))) == expected


@cases
def test_a_new_test_of_another_file(before: str, after: str, new: str, expected: dict[str, list[str]]) -> None:
    assert told(change_of((PATH, before, after), ("tests/test_b.py", "x = 1\n", f"x = 1\n{new}"))) == expected


def test_a_deleted_file_of_tests() -> None:
    diff = f"diff --git a/{PATH} b/{PATH}\ndeleted file mode 100644\n--- a/{PATH}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n"
    diff += "".join(f"-{line}\n" for line in ONE.splitlines())
    assert told(read_change(diff)) == {"tests_removed": HERE}


@cases
def test_a_test_renamed_out_of_sight(old: str, new: str, hidden: bool) -> None:
    diff = f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
    assert told(read_change(diff)) == ({"tests_renamed": [new]} if hidden else {})
