"""Which issues a change of comments alone may answer."""

import pytest

from bot.issues.documentation import asks_for_documentation

BROKEN = "Calling `load()` raises a KeyError since 2.3."


@pytest.mark.parametrize(
    ("title", "body", "labels"),
    [
        ("The rate limit", BROKEN, ("kind/documentation",)),
        ("The rate limit", BROKEN, ("Docs",)),
        ("docs: say what load() returns", "", ()),
        ("docs(loader): units of the timeout", "", ()),
        ("Document the return value of load()", "", ()),
        ("The docstring of `load` names the wrong exception", BROKEN, ()),
        ("Undocumented exception in load()", BROKEN, ()),
        ("Typo in the comments of parser.c", "", ()),
        ("Outdated comment above retry()", "", ()),
        ("Comments in worker.go say the opposite of what it does", "", ()),
        ("Reformat the loader with the new line length", "", ()),
        ("How do I load a file without a name?", "I could not find out how.", ()),
    ],
)
def test_asked_for_words(title: str, body: str, labels: tuple[str, ...]) -> None:
    assert asks_for_documentation(title, body, labels)


@pytest.mark.parametrize(
    ("title", "body", "labels"),
    [
        ("load() raises KeyError", BROKEN, ("bug",)),
        ("load() raises KeyError", BROKEN + " The documentation says otherwise.", ()),
        ("Comments are deleted twice", "Deleting a comment removes its sibling, too.", ()),
        ("Add a comment button to the page", "It would be nice to have.", ()),
        ("Documents with two pages are cut off", BROKEN, ()),
        ("docker: build fails", BROKEN, ("docker",)),
        ("Format of dates is wrong in the report", BROKEN, ("uncommented",)),
        ("", "", ()),
    ],
)
def test_asked_for_more(title: str, body: str, labels: tuple[str, ...]) -> None:
    assert not asks_for_documentation(title, body, labels)


def test_hostile_titles_cost_little() -> None:
    for title in ("add " * 100_000, "docs " * 100_000, "fix `.`" * 100_000, "<!--" * 100_000, "\0" * 300_000):
        assert isinstance(asks_for_documentation(title, "", (title,)), bool)
