"""What a pull request claims of itself: plain statements, and nothing that is quoted, wished or left without a tick."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.pulls.described import LONGEST, MOST, claims
from bot.pulls.facts import StatementKind
from tests.support.properties import patient


def read(body: str, title: str = "Round up") -> set[StatementKind]:
    return {said.claim for said in claims(title, body)}


@pytest.mark.parametrize(
    ("body", "claim"),
    [
        ("Adds tests.", StatementKind.TESTS_ADDED),
        ("- [x] I have added tests that prove my fix is effective", StatementKind.TESTS_ADDED),
        ("This PR adds regression tests for the rounding", StatementKind.TESTS_ADDED),
        ("Unit tests have been added.", StatementKind.TESTS_ADDED),
        ("All tests pass.", StatementKind.ALL_GREEN),
        ("All existing unit tests are passing locally", StatementKind.ALL_GREEN),
        ("No functional changes.", StatementKind.BEHAVIOUR_KEPT),
        ("This is a pure refactoring", StatementKind.BEHAVIOUR_KEPT),
        ("The change is fully backwards compatible", StatementKind.COMPATIBLE),
        ("Docs only", StatementKind.DOCUMENTATION_ONLY),
        ("It only touches the documentation", StatementKind.DOCUMENTATION_ONLY),
        ("Updated the docs", StatementKind.DOCUMENTED),
        ("* [X] Updated changelog", StatementKind.IN_CHANGELOG),
        ("No new dependencies", StatementKind.NO_DEPENDENCIES),
        ("It is 3x faster", StatementKind.FASTER),
    ],
)
def test_claims(body: str, claim: StatementKind) -> None:
    assert read(body) == {claim}


@pytest.mark.parametrize(
    "body",
    [
        "",
        "- [ ] I have added tests",
        "- [ ] All tests pass",
        "> All tests pass",
        "```\nAll tests pass\n```",
        "`All tests pass`",
        "<!-- All tests pass -->",
        "## All tests pass",
        "Make sure all tests pass.",
        "All tests should pass",
        "Will add tests later",
        "Have you added tests?",
        "I have not added tests",
        "- [x] Added tests if needed",
        "- [x] Updated the changelog, where applicable",
        "All tests pass except one",
        'He wrote "all tests pass"',
        "Adds test helpers",
        "No behaviour change for users of the old name, but it rounds",
        "This would be backwards compatible",
    ],
)
def test_what_is_no_claim(body: str) -> None:
    assert read(body) == set()


def test_titles_and_commits() -> None:
    assert read("", "docs(api): explain half") == {StatementKind.DOCUMENTATION_ONLY}
    assert {said.claim for said in claims("Round up", "", ("docs: explain\n\nDocs only. Adds tests.",))} == {
        StatementKind.TESTS_ADDED
    }


@patient
@given(st.text(), st.text())
def test_every_text_is_read(title: str, body: str) -> None:
    assert len(claims(title, body)) <= MOST


@pytest.mark.parametrize("unit", ["all ", "[x] ", "- ", "`", "(", "no ", "adds tests ", "*", "\n", "all a a tests "])
def test_a_nasty_text_takes_no_more_than_its_length(unit: str) -> None:
    claims("", unit * (LONGEST // len(unit)), (unit * LONGEST,))
