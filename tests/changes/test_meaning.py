"""Which edits do something, by syntax trees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.meaning import MOST_WHOLE, does_nothing
from bot.changes.read import read_change
from bot.changes.syntax import LARGEST, same_but_for_types, same_program
from bot.changes.values import Change, FileChange
from tests.changes.parts import LONG, file_of
from tests.support.cases import cases
from tests.support.properties import patient


def nothing(path: str, before: str, after: str) -> bool:
    return does_nothing(Change((file_of(path, before, after),)), lambda file: (before, after))


@cases
def test_comments_docstrings_and_formatting_mean_nothing(path: str, before: str, after: str) -> None:
    assert nothing(path, before, after)


@cases
def test_everything_else_is_meaningful(path: str, before: str, after: str) -> None:
    assert not nothing(path, before, after)


@cases
def test_types_that_a_program_runs_without(path: str, before: str, after: str, same: bool) -> None:
    assert same_but_for_types(path, before, after) is same


@cases
def test_a_line_means_what_the_whole_file_makes_of_it(old: str, new: str, meaningful: bool) -> None:
    assert old in LONG
    for indent in ("    ", "\t"):
        before, after = (text.replace("    ", indent) for text in (LONG, LONG.replace(old, new)))
        assert nothing("a.py", before, after) is not meaningful


@cases
def test_when_unsure_meaningful(diff: str) -> None:
    assert not does_nothing(read_change(diff), lambda file: ("a = 1\n", "a = 1  # one\n"))


def test_nothing_at_all_is_a_noop() -> None:
    assert does_nothing(Change(()), lambda file: None)


def test_line_ends_are_formatting_in_code_alone() -> None:
    diff = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-f()\r\n+f()\n"
    for path, means in (("a.py", False), ("a.sh", True)):
        assert does_nothing(read_change(diff.format(path)), lambda file: ("f()\r\n", "f()\n")) is not means


def test_too_large_is_meaningful() -> None:
    assert not same_program("a.py", "x = 1\n" * LARGEST, "x = 1\n" * LARGEST)


@pytest.mark.parametrize("source", ["(" * 20_000, "([" * 5_000 + "])" * 5_000, "\"'`" * 5_000, "if x:\n" * 5_000])
@pytest.mark.parametrize("path", ["a.py", "a.cpp"])
def test_hostile_sources_are_read_within_bounds(path: str, source: str) -> None:
    same_program(path, source, source + "\n")


@patient
@given(st.sampled_from(["a.py", "a.js", "a.go", "a.rb", "a.php", "a"]), st.text(), st.text())
def test_any_text(path: str, before: str, after: str) -> None:
    same_program(path, before, after)


# What looks like a comment in these lines stands in a text that began long before.
HELD = 'USAGE = """\n' + "a\n" * 5 + "# first\n" + "b\n" * 5 + '"""\n'


@pytest.mark.parametrize(
    ("before", "after", "nothing"),
    [
        (LONG, LONG.replace("        return", "        return  # done"), True),
        (LONG, LONG.replace("More of that.", "Less of that."), True),
        (HELD, HELD.replace("# first", "# second"), False),
        (LONG, LONG.replace("if x:", "if not x:"), False),
        (LONG, LONG.replace("More of that.", "Less of that.").replace("if x:", "if not x:"), False),
    ],
)
def test_whole_files_settle_it(before: str, after: str, nothing: bool) -> None:
    change = Change((file_of("a.py", before, after),))
    assert does_nothing(change, lambda file: (before, after)) is nothing
    assert not does_nothing(change, lambda file: None), "no certainty without them"


def test_whole_files_are_asked_for_only_where_they_settle_something() -> None:
    asked = []

    def whole(file: FileChange) -> tuple[str, str] | None:
        asked.append(file.path)
        return ("a = 1\n", "a = 2\n")

    comment = file_of("a.py", LONG, LONG.replace("        return", "        return  # done"))
    assert not does_nothing(Change((comment, file_of("a.yml", "a: 1\n", "a: 2\n"))), whole)
    assert not does_nothing(Change((comment,) * (MOST_WHOLE + 1)), whole)
    assert not does_nothing(Change((comment,), "It is cut off."), whole)
    assert asked == []
    assert not does_nothing(Change((comment, comment)), whole)
    assert asked == ["a.py"]
