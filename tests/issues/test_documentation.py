"""Which issues a change of comments alone may answer."""

import pytest

from bot.issues.documentation import asks_for_documentation


@pytest.mark.parametrize(
    ("title", "labels"),
    [
        ("The rate limit", ("kind/documentation",)),
        ("The rate limit", ("Docs",)),
        ("docs: say what load() returns", ()),
        ("docs(loader): units of the timeout", ()),
        ("Document the return value of load()", ()),
        ("The docstring of `load` names the wrong exception", ()),
        ("Undocumented exception in load()", ()),
        ("Typo in the comments of parser.c", ()),
        ("Outdated comment above retry()", ()),
        ("Comments in worker.go say the opposite of what it does", ()),
        ("Reformat the loader with the new line length", ()),
    ],
)
def test_asked_for_words(title: str, labels: tuple[str, ...]) -> None:
    assert asks_for_documentation(title, labels)


@pytest.mark.parametrize(
    ("title", "labels"),
    [
        ("load() raises KeyError", ("bug",)),
        ("load() raises KeyError", ()),
        ("Comments are deleted twice", ()),
        ("Add a comment button to the page", ()),
        ("Documents with two pages are cut off", ()),
        ("docker: build fails", ("docker",)),
        ("Format of dates is wrong in the report", ("uncommented",)),
        ("Could loading be faster for a thousand files?", ("question",)),
        ("How do I load a file without a name?", ()),
        ("", ()),
    ],
)
def test_asked_for_more(title: str, labels: tuple[str, ...]) -> None:
    assert not asks_for_documentation(title, labels)


def test_hostile_titles_cost_little() -> None:
    for title in ("add " * 100_000, "docs " * 100_000, "fix `.`" * 100_000, "<!--" * 100_000, "\0" * 300_000):
        assert isinstance(asks_for_documentation(title, (title,)), bool)
