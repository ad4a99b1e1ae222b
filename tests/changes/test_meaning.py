"""Which edits do something, by syntax trees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.meaning import MOST_WHOLE, does_nothing, is_noop, meaningful
from bot.changes.read import read_change
from bot.changes.syntax import LARGEST, same_part, same_program
from bot.changes.values import Change, FileChange
from tests.changes.parts import LONG, file_of
from tests.support.cases import cases
from tests.support.properties import patient


@cases
def test_comments_docstrings_and_formatting_mean_nothing(path: str, before: str, after: str) -> None:
    file = file_of(path, before, after)
    assert not meaningful(file, before, after)
    assert not meaningful(file)
    assert is_noop(Change((file,)))


@cases
def test_everything_else_is_meaningful(path: str, before: str, after: str) -> None:
    file = file_of(path, before, after)
    assert meaningful(file, before, after)
    assert meaningful(file)
    assert not is_noop(Change((file,)))


@cases
def test_a_part_is_read_with_care(old: str, new: str, whole: bool, part: bool) -> None:
    assert old in LONG
    for indent in ("    ", "\t"):
        path, before, after = "a.py", LONG.replace("    ", indent), LONG.replace(old, new).replace("    ", indent)
        file = file_of(path, before, after)
        assert meaningful(file, before, after) is whole
        assert meaningful(file) is part


@cases
def test_hunks_that_begin_or_end_anywhere(lines: str, noop: bool) -> None:
    old = sum(line[:1] in "- " for line in lines.splitlines())
    new = sum(line[:1] in "+ " for line in lines.splitlines())
    change = read_change(f"--- a/a.py\n+++ b/a.py\n@@ -9,{old} +9,{new} @@\n{lines}")
    assert not change.problem
    assert is_noop(change) is noop


@cases
def test_when_unsure_meaningful(diff: str) -> None:
    assert not is_noop(read_change(diff))


def test_nothing_at_all_is_a_noop() -> None:
    assert is_noop(Change(()))


def test_line_ends_are_formatting_in_code_alone() -> None:
    diff = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-f()\r\n+f()\n"
    assert is_noop(read_change(diff.format("a.py"))) and not is_noop(read_change(diff.format("a.sh")))


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
    same_part(path, before, after, ("-" + before, "+" + after))


# What looks like a comment in these lines stands in a text that began long before.
HELD = 'USAGE = """\n' + "a\n" * 5 + "# first\n" + "b\n" * 5 + '"""\n'


@pytest.mark.parametrize(
    ("before", "after", "lines", "whole"),
    [
        (LONG, LONG.replace("        return", "        return  # done"), True, True),
        (LONG, LONG.replace("More of that.", "Less of that."), False, True),  # only the whole file shows a docstring
        (HELD, HELD.replace("# first", "# second"), True, False),  # only the whole file shows that it is none
        (LONG, LONG.replace("if x:", "if not x:"), False, False),
        (LONG, LONG.replace("More of that.", "Less of that.").replace("if x:", "if not x:"), False, False),
    ],
)
def test_whole_files_settle_it(before: str, after: str, lines: bool, whole: bool) -> None:
    change = Change((file_of("a.py", before, after),))
    assert is_noop(change) is lines
    assert does_nothing(change, lambda file: (before, after)) is whole
    assert does_nothing(change, lambda file: None) is (None if lines else False), "no certainty without them"


def test_whole_files_are_asked_for_only_where_they_settle_something() -> None:
    asked = []

    def whole(file: FileChange) -> tuple[str, str] | None:
        asked.append(file.path)
        return None

    comment = file_of("a.py", LONG, LONG.replace("        return", "        return  # done"))
    code = file_of("b.py", "a = 1\nb = 2\n", "a = 1\nb = 3\n")
    assert does_nothing(Change((code,)), whole) is False
    assert does_nothing(Change((comment, file_of("a.yml", "a: 1\n", "a: 2\n"))), whole) is False
    assert does_nothing(Change((comment,) * (MOST_WHOLE + 1)), whole) is None
    assert does_nothing(Change((comment,), "It is cut off."), whole) is False
    assert asked == []
    assert does_nothing(Change((comment, comment)), whole) is None
    assert asked == ["a.py"]
