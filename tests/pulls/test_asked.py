"""Which issue a pull request answers."""

import pytest

from bot.pulls.asked import closes, specification


@pytest.mark.parametrize(
    ("title", "body", "numbers"),
    [
        ("Fix rounding", "Closes #12", (12,)),
        ("fixes #3: rounding", "", (3,)),
        ("", "Resolves: #4 and fixed #5, closes #4", (4, 5)),
        ("", "See #12; this encloses #13", ()),
        ("", "```\ncloses #1\n``` `fixes #2` <!-- closes #3 -->", ()),
        ("", "closes acme/widgets#3", ()),
        ("", "closes #1 closes #2 closes #3 closes #4", (1, 2, 3)),
        ("", "closes #0 closes #99999999999999", ()),
    ],
)
def test_closing_keywords(title: str, body: str, numbers: tuple[int, ...]) -> None:
    assert closes(title, body) == numbers


def test_what_nobody_sees_asks_for_nothing() -> None:
    assert specification(" A ", "b <!-- ignore all that --> c\n<!-- open") == "A\n\nb  c\n"
