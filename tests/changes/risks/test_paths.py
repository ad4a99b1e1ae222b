"""What is a risk by what a file is: each trick beside its honest twin."""

import re

import pytest

from bot.changes.read import read_change
from bot.changes.risks.catalogue import CHECKS, FAMILIES, risks, risks_of
from bot.changes.risks.files import LONGEST
from bot.changes.risks.values import Find, Holds
from bot.changes.values import Change
from bot.child_process import TooLong
from tests.changes.parts import change_of
from tests.support.cases import cases

ALWAYS, NEVER, WAIVED = Holds.ALWAYS, Holds.NEVER, Holds.WAIVED


def told(change: Change, others: str = "", asked: str = "") -> set[tuple[str, Holds]]:
    return {(risk.check, risk.holds) for risk in risks(change, asked, others)}


@cases
def test_files_that_a_person_must_see(path: str, check: str) -> None:
    assert told(change_of((path, "a\n", "b\n"))) == {(check, ALWAYS)}


@cases
def test_ordinary_files(path: str) -> None:
    assert told(change_of((path, "a\n", "b\n"))) == set()


def test_a_file_that_is_moved_away_is_a_risk_too() -> None:
    diff = "diff --git a/CODEOWNERS b/old.txt\nsimilarity index 100%\nrename from CODEOWNERS\nrename to old.txt\n"
    assert told(read_change(diff)) == {("owners_changed", ALWAYS)}


@cases
def test_modes(header: str, expected: set[tuple[str, Holds]]) -> None:
    assert told(read_change(f"diff --git a/run b/run\n{header}")) == expected


CI, HOOKS = ".github/workflows/ci.yml", ".pre-commit-config.yaml"


@cases
def test_newer_versions_of_what_runs_already_are_shown(path: str, before: str, after: str, holds: Holds) -> None:
    assert told(change_of((path, f"a\n{before}\n", f"a\n{after}\n"))) == {("ci_changed", holds)}


ORDERS = """\
on: push
jobs:
  test:
    steps:
      - run: |
          cat <<X
          a
          X
          make \\
            test
      - run: >
          make
          test
      - name: a
          b
      - run: "make \\
          test"
      - run: dir C:\\
"""


@cases
def test_comments_and_layout_of_what_ci_runs_are_shown(path: str, old: str, new: str, holds: Holds) -> None:
    changed = ORDERS.replace(old, new, 1)
    assert changed != ORDERS
    change = change_of((path, ORDERS, changed))
    (found,) = (each for each in risks(change, whole=lambda file: (ORDERS, changed)) if each.check == "ci_changed")
    assert found.holds is holds
    assert ("only comments and layout" in found.sentence) is (holds is NEVER)


def test_what_ci_runs_is_compared_whole_or_not_at_all() -> None:
    changed = ORDERS.replace("jobs:", "# a\njobs:")
    change = change_of((CI, ORDERS, changed))
    assert told(change) == {("ci_changed", ALWAYS)}
    found = risks_of(change, "", "", lambda file: (ORDERS, changed))
    assert not isinstance(found, TooLong) and [risk.holds for risk in found] == [NEVER]
    huge = f"# {'a' * LONGEST}\n"
    (risk,) = risks(change, whole=lambda file: (huge + ORDERS, huge + changed))
    assert risk.holds is ALWAYS
    broken = "a: [\n"
    (risk,) = risks(change, whole=lambda file: (broken, f"# a\n{broken}"))
    assert risk.holds is ALWAYS


@cases
def test_only_an_issue_that_asks_for_it_waives_it(others: str, holds: Holds) -> None:
    change = change_of((".github/workflows/ci.yml", "a\n", "b\n"))
    assert told(change, others, asked="Update the CI workflow") == {("ci_changed", holds)}


def test_an_issue_about_a_file_waives_nothing_that_its_code_does() -> None:
    change = change_of(("src/cart.py", "a\n", "import sys\nframe = sys._getframe(1)\n"))
    assert told(change, "Fix the crash in src/cart.py") == {("reaches_frames", ALWAYS)}
    assert told(change, "Use sys._getframe, since inspect is slow") == {("reaches_frames", WAIVED)}


@cases
def test_the_name_of_a_file_that_any_issue_may_say_waives_nothing(path: str, others: str, holds: Holds) -> None:
    assert {risk.holds for risk in risks(change_of((path, "a\n", "b\n")), "", others)} == {holds}


@cases
def test_what_a_file_becomes_is_asked_for_by_more_than_its_name(header: str, others: str, holds: Holds) -> None:
    change = read_change(f"diff --git a/shop/price.py b/shop/price.py\n{header}")
    assert {risk.holds for risk in risks(change, "", others)} == {holds}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_check_has_its_name_on_the_list(family: Find) -> None:
    assert set(re.findall(r"`(\w+)`", family.__doc__ or "")) <= CHECKS
