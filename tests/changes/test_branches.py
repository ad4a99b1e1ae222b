"""Which numbers in a branch's name are issues."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.branches import issues_in

NONE: tuple[int, ...] = ()


@pytest.mark.parametrize(
    ("branch", "pull", "numbers"),
    [
        # A word says that it is an issue, or the name begins with it.
        ("issue-123", 130, (123,)),
        ("issue123", None, (123,)),
        ("issues/12", 900, (12,)),
        ("rows-issue12", 40, (12,)),
        ("bug_77", 900, (77,)),
        ("gh-16100", 16200, (16100,)),
        ("fix-1234", 1300, (1234,)),
        ("fix-12", 40, (12,)),
        ("fix_308", 2090, (308,)),
        ("hotfix/123-rows", 130, (123,)),
        ("rows-#975", 980, (975,)),
        ("Fix_issues_#742_#743", 750, (742, 743)),
        ("123", None, (123,)),
        ("1234-rows", 1240, (1234,)),
        ("1234_rows", None, (1234,)),
        ("ann/1234_rows", 1300, (1234,)),
        ("fix/11025-text-area", 11030, (11025,)),
        ("72-fix-rows", 80, (72,)),
        ("8677-fix1", 8687, (8677,)),
        ("issue-2019", 2030, (2019,)),
        ("robot/issue-123-20250810-1234", 999, (123,)),
        ("robot/1734567890-fix-123", 999, (123,)),
        # Behind another word: near the pull request's own number alone.
        ("rows_10723", 10760, (10723,)),
        ("rows_10723", None, NONE),
        ("rows-1104", 9000, NONE),
        # Not older than its pull request.
        ("fix-1234", 40, NONE),
        ("40-rows", 40, NONE),
        # Dates, years, versions, standards, counts, other trackers, robots.
        ("2024-05-12-cleanup", 3000, NONE),
        ("12-05-2024-cleanup", 3000, NONE),
        ("fix/2026-01-31", 3000, NONE),
        ("20260131-nightly", 3000, NONE),
        ("release-2024", 2100, NONE),
        ("2026-roadmap", 2100, NONE),
        ("python-312", 400, NONE),
        ("py311", 400, NONE),
        ("3-12-support", 400, NONE),
        ("drop-py-39", 400, NONE),
        ("numpy_1_24", 400, NONE),
        ("sha-256", 300, NONE),
        ("utf-8", 30, NONE),
        ("latin-1", 30, NONE),
        ("http-404", 500, NONE),
        ("iso8601", 9000, NONE),
        ("v2.0", 30, NONE),
        ("hotfix-1.2.3", 30, NONE),
        ("patch-1", 30, NONE),
        ("fix-2fa", 30, NONE),
        ("fix-32-bit-failure", 6557, NONE),
        ("32-bit", 400, NONE),
        ("rows-fix2", 2063, NONE),
        ("bugfix/ABC-1234", 1300, NONE),
        ("dependabot/npm_and_yarn/lodash-4.17.21", 99, NONE),
        ("robot/fix-1f6b2c3d-0000-4000-8000-000000000000", 9000, NONE),
        ("add-rows-12113509405239491144", 9000, NONE),
        ("prefix-123", 200, NONE),
        ("main", None, NONE),
        ("", None, NONE),
    ],
)
def test_numbers_that_are_issues(branch: str, pull: int | None, numbers: tuple[int, ...]) -> None:
    assert issues_in(branch, pull) == numbers


@given(st.text(max_size=60), st.none() | st.integers(1, 10**6))
def test_any_name_is_read(branch: str, pull: int | None) -> None:
    assert all(0 < number < (pull or 10**7) for number in issues_in(branch, pull))
