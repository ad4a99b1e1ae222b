"""Which issues a change of comments alone may answer."""

from bot.issues.kind import asks_for_documentation
from tests.support.cases import cases


@cases
def test_asked_for_words(title: str, labels: tuple[str, ...]) -> None:
    assert asks_for_documentation(title, labels)


@cases
def test_asked_for_more(title: str, labels: tuple[str, ...]) -> None:
    assert not asks_for_documentation(title, labels)


def test_hostile_titles_cost_little() -> None:
    for title in ("add " * 100_000, "docs " * 100_000, "fix `.`" * 100_000, "<!--" * 100_000, "\0" * 300_000):
        assert isinstance(asks_for_documentation(title, (title,)), bool)
