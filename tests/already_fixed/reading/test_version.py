"""The revision that a report is about, whether it tells of trouble that came back, and which reports are alike."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.already_fixed.reading.tracebacks import Symptoms, alike, symptoms
from bot.already_fixed.reading.version import reported_revision, said_version
from bot.already_fixed.reading.wording import came_back
from tests.already_fixed.house import repository
from tests.bounded.growth import grows
from tests.support.cases import cases
from tests.support.clones import git

NAMES = ("half-lib", "halves")


@cases
def test_the_version_that_a_report_names(text: str, version: str) -> None:
    assert said_version("A report", text, NAMES) == version


def test_the_tag_of_a_version(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", "a = 1\n", "a = 2\n", "a = 3\n")
    for number, sha in enumerate(shas, 1):
        git(there.directory, "tag", f"v{number}.0", sha)
    git(there.directory, "tag", "nightly", shas[0])
    directory, head = there.directory, shas[1]
    assert reported_revision(directory, head, "1.0") == (shas[0], "")
    assert reported_revision(directory, head, "") == (None, "")
    assert (
        reported_revision(directory, head, "2.0")[1] == "The report names version 2.0, which is no older than the head."
    )
    assert (
        reported_revision(directory, head, "3.0")[1] == "The report names version 3.0, which is no older than the head."
    )
    assert reported_revision(directory, head, "9.9")[1] == "The report names version 9.9, which no tag stands for."


def test_the_tag_of_a_maintained_release_and_of_another_history(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", "a = 1\n", "a = 2\n")
    git(there.directory, "checkout", "--quiet", "-b", "old", shas[0])
    git(there.directory, "commit", "--quiet", "--allow-empty", "--message", "Release")
    beside = git(there.directory, "rev-parse", "HEAD")
    git(there.directory, "tag", "1.0.1")
    git(there.directory, "checkout", "--quiet", "--orphan", "alone")
    git(there.directory, "commit", "--quiet", "--message", "Another history")
    git(there.directory, "tag", "0.9")
    assert reported_revision(there.directory, shas[1], "1.0.1") == (beside, "")
    assert "shares no history" in reported_revision(there.directory, shas[1], "0.9")[1]


@cases
def test_a_report_of_what_came_back(text: str) -> None:
    assert came_back("A report", text)


@cases
def test_a_report_of_something_else(text: str) -> None:
    assert not came_back("A report", text)


def test_the_title_may_say_it() -> None:
    assert came_back("half() is broken again", "")


@pytest.mark.parametrize("words", ["it was fixed ", "#1 is back ", "still after the ", "fix did not "])
def test_long_reports_are_read_in_linear_time(words: str) -> None:
    short, long = words * 100, words * 400
    assert not grows(lambda text: came_back(text[:2_000], text), short, long)


def trace(exception: str, *functions: str, folder: str = "/usr/lib") -> str:
    frames = "".join(f'  File "{folder}/{name}.py", line {len(name)}, in {name}\n    {name}()\n' for name in functions)
    return f"```\nTraceback (most recent call last):\n{frames}{exception}\n```\n"


REPORT = symptoms("load() raises KeyError in `read_header`", trace("KeyError: 'name'", "load", "parse_table"))


@pytest.mark.parametrize(
    ("title", "text", "same"),
    [
        ("It fails", trace("KeyError: 'other'", "main", "load", "parse_table", folder="/home/x"), True),
        ("`read_header` fails", trace("KeyError: 1", "scan", "parse_table"), True),
        ("It fails", trace("ValueError: 'name'", "load", "parse_table"), False),
        ("It fails", trace("KeyError: 'name'", "save", "write_table"), False),
        ("It fails", trace("KeyError: 'name'", "scan", "parse_table"), False),
        ("KeyError", "KeyError everywhere", False),
        ("It is slow", "", False),
    ],
)
def test_the_same_exception_at_the_same_place(title: str, text: str, same: bool) -> None:
    other = symptoms(title, text)
    assert alike(REPORT, other) is same
    assert alike(other, REPORT) is same


def test_the_same_exception_about_the_same_names() -> None:
    one = symptoms("`read_header` and `to_frame` raise KeyError", "")
    assert alike(one, symptoms("KeyError", "`to_frame` calls `read_header`"))
    assert not alike(one, symptoms("KeyError", "`to_frame` calls `write_header`"))


@cases
def test_only_plain_words_are_asked_for_and_never_one_alone(found: Symptoms, words: tuple[str, ...]) -> None:
    assert found.words == words


@given(st.text(), st.text())
def test_any_text_has_symptoms(title: str, text: str) -> None:
    found = symptoms(title, text)
    assert alike(found, found) in (True, False)
    assert all(word.isidentifier() for word in found.words)
