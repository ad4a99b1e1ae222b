"""Suggestion blocks of a review, applied to the files they were written on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.github.values import Remark
from bot.pulls.review_claims import claims_of
from bot.pulls.suggestions import MOST, Suggestion, SuggestionError, apply, paths
from tests.support.cases import cases

FILE = b"one\ntwo\nthree\n"


@cases
def test_a_suggestion_is_the_first_block_of_that_name(body: str, text: str | None) -> None:
    (claim,) = claims_of("", [Remark(1, "a.py", 2, 3, "", body)])
    assert claim.fixes[:1] == (() if text is None else ((Suggestion("a.py", 2, 3, text),),))


@cases
def test_lines_are_replaced(made: list[tuple[int, int, str]], expected: bytes) -> None:
    wanted = [Suggestion("a.py", *item) for item in made]
    assert apply(wanted, {"a.py": FILE, "b.py": b""}) == {"a.py": expected}


def test_line_ends_are_kept() -> None:
    changed = apply([Suggestion("a.py", 2, 2, "2\n2\n")], {"a.py": b"one\r\ntwo\r\nthree"})
    assert changed == {"a.py": b"one\r\n2\r\n2\r\nthree"}
    assert apply([Suggestion("a", 1, 1, "x\n")], {"a": b"a\x0cb\nc"}) == {"a": b"x\nc"}


@pytest.mark.parametrize(
    ("made", "files", "why"),
    [
        ([Suggestion("a", 1, 2, ""), Suggestion("a", 2, 3, "")], {"a": FILE}, "same lines"),
        ([Suggestion("a", 4, 9, "x\n")], {"a": FILE}, "lines that are not there"),
        ([Suggestion("a", 0, 1, "x\n")], {"a": FILE}, "lines that are not there"),
        ([Suggestion("b", 1, 1, "x\n")], {"a": FILE}, "file that is not there"),
        ([Suggestion("a", 1, 1, "x\n")], {"a": b"\xff\n"}, "not UTF-8"),
        ([Suggestion("../a", 1, 1, "x\n")], {"../a": FILE}, "outside"),
        ([Suggestion("/etc/passwd", 1, 1, "x\n")], {"/etc/passwd": FILE}, "outside"),
        ([Suggestion(".git/config", 1, 1, "x\n")], {".git/config": FILE}, "outside"),
        ([Suggestion("a", 1, 1, "x\n")] * (MOST + 1), {"a": FILE}, "more suggestions"),
    ],
)
def test_what_cannot_be_applied_says_why(made: list[Suggestion], files: dict[str, bytes], why: str) -> None:
    with pytest.raises(SuggestionError, match=why):
        apply(made, files)


def test_each_file_is_named_once() -> None:
    assert paths([Suggestion("b", 1, 1, ""), Suggestion("a", 1, 1, ""), Suggestion("b", 2, 2, "")]) == ("b", "a")


@given(st.text(), st.integers(-1, 9), st.integers(-1, 9), st.text(), st.binary())
def test_nothing_else_is_raised(path: str, first: int, last: int, body: str, content: bytes) -> None:
    for kind in ("suggestion", "diff"):
        (claim,) = claims_of("", [Remark(1, path, first, last, "", f"```{kind}\n{body}\n```")])
        for fix in claim.fixes:
            try:
                apply(fix, {path: content})
            except SuggestionError as error:
                assert str(error)
