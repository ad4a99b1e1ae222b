"""What a bounce hands back can be pasted as it is, or is not shown."""

import shlex

import pytest

from bot.github.values import Remark
from bot.pulls.review_claims import claims_of
from bot.rendering.suggestions import LONGEST, fix_marker, fix_review, pasteable, pytest_line, suggestion


@pytest.mark.parametrize("text", ["", "a\n", "a\n\n  b\n", "```\n````\n", "x = '@everyone <b>'\n", "\n"])
def test_a_suggestion_says_what_it_replaces(text: str) -> None:
    (claim,) = claims_of("", [Remark(1, "a.py", 1, 1, "", suggestion(text))])
    ((found,),) = claim.fixes
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize("text", ["a\u202eb\n", "<!-- bouncer:fix x -->\n", "\x1b[2J\n", "a\n" * LONGEST])
def test_what_a_block_would_change_is_not_offered(text: str) -> None:
    assert suggestion(text) == pasteable(text) == ""


def test_the_repositorys_tests_are_run_by_their_names() -> None:
    hostile = "tests/test_a.py::test_b[$(touch x); `y` 'z']"
    own = "test_bouncer_specification.py::test_specification_1"
    line = pytest_line(("tests/test_a.py::test_a", hostile, "make check", own))
    assert shlex.split(line) == ["python", "-m", "pytest", "tests/test_a.py::test_a", hostile]
    assert pytest_line(("make check", "-p=x.py::y", "a b.py::z", "t.py::a\nb")) == ""


def test_a_review_is_found_by_its_commit() -> None:
    assert fix_review("a" * 40, 2).startswith(f"{fix_marker('a' * 40)}\nBouncer ran this fix and commit `aaaaaaa`")
    assert "belong together" in fix_review("a" * 40, 2)
    assert "belong together" not in fix_review("a" * 40, 1)
