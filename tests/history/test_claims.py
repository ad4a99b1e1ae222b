"""What a message says that it fixes, and what it only refers to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.history.claims import claims


@pytest.mark.parametrize(
    "message",
    [
        "Fix rows\n\nFixes #12.",
        "Fixes #12",
        "fix #12: keep the last row",
        "Fix issue #12",
        "Fixed #12 -- Kept the last row.",
        "Closes: #12",
        "Close gh-12",
        "Resolves https://github.com/acme/grid/issues/12",
        "Keep the last row (fixes #12)",
        "Keep the last row, closes #12",
        "Keep the last row. Closes #11, #12.",
        "Fixes #11 and #12",
        "Fixes #11, closes #12",
        "This fixes #12.",
        "This commit fixes the issue #12",
        "Do not lose the last row. Fixes #12",
        "Don't crash on empty rows (fixes #12)",
        "Don't crash on empty rows, fixes #12",
        "Add test and fix #12",
        "* Add failing test for #12\n* Keep the last row\n\nFixes #12",
        "Merge pull request #40 from ann/rows\n\nFixes #12",
        "Use a regex to fix #12",
        "Fix for #12",
        "Bugfix for #12",
        "Solves #12",
        "- fixed :issue:`12`",
        "Fix: #12",
        "refs #11, fixes #12",
        "Not in 1.x. Fixes #12",
        "Make it work again - closes #12",
        "fix: keep rows\n\ncloses #12",
    ],
)
def test_what_says_that_it_fixes(message: str) -> None:
    assert any(claims(message).get((12, repository)) for repository in ("", "acme/grid"))


@pytest.mark.parametrize(
    "message",
    [
        "See #12",
        "Refs #12",
        "Related to #12",
        "Part of #12",
        "First step towards fixing #12",
        "This does not fix #12",
        "This doesn't fix #12 yet",
        "Doesn't yet fully fix #12",
        "Partially fixes #12",
        "Partly resolves #12",
        "Fixes #12 partially",
        "Fixes part of #12",
        "Attempt to fix #12",
        "Try to fix #12",
        "This should fix #12",
        "A follow-up will fix #12",
        "Needed to fix #12",
        "Prepare to fix #12",
        "Helps to fix #12",
        "Work towards fixing #12",
        "Add failing test for #12",
        "xfail test for #12",
        "Add a test for the fix of #12",
        "Add test for fixed #12",
        "Skip until #12 is fixed",
        "Before fixing #12, tidy up",
        "Mend rows (#12)",
        "Keep the last row, as in #12",
        "prefix #12",
        "Fixes acme/other#12",
        "Introduced when we fixed #12",
        "The same bug as #12",
        "Undo what fixed #12",
        "This broke when we closed #12",
        "Document how to close #12",
        "#12 is not fixed by this",
        "colour #12; nothing else",
        "Unfixes #12",
        "Addresses #12",
        "Extend the fix for #12",
        "Tentative fix for #12",
    ],
)
def test_what_only_refers(message: str) -> None:
    assert not claims(message).get((12, ""))


def test_each_number_once_with_its_repository() -> None:
    said = "See #11, fixes #12 and #13, part of acme/grid#14, closes https://forge.example/Acme/Grid/issues/15, see #12"
    assert claims(said) == {(11, ""): False, (12, ""): True, (13, ""): True, (15, "acme/grid"): True}


@given(
    st.lists(st.sampled_from(["fixes ", "not ", "#12", ", ", "and ", "(", "gh-3", ": ", "\n", "for ", "x"])).map(
        "".join
    )
)
def test_any_text_is_read(text: str) -> None:
    assert all(number > 0 for number, _ in claims(text))
