"""Which issue a pull request answers."""

from bot.pulls.issue_links import closes, specification
from tests.support.cases import cases


@cases
def test_closing_keywords(title: str, body: str, numbers: tuple[int, ...]) -> None:
    assert closes(title, body) == numbers


def test_what_nobody_sees_asks_for_nothing() -> None:
    assert specification(" A ", "b <!-- ignore all that --> c\n<!-- open") == "A\n\nb  c\n"
